//! An event whose row would have an empty key: only its tie-breaker, in a qualifier, has bytes.

use bigtable_model::key::KeyError;
use bigtable_model::testing::check_laws;
use bigtable_model::{BackendExt, Error, Model, Timestamp};

use super::at;
use crate::support::backends;

/// Steps of an order, all in one row, whose key is the order alone.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "STEP", family = "S", layout = "columns", allow(endless_rows))]
struct Step {
    #[bigtable(key)]
    order: String,
    #[bigtable(time, bucket = "none")]
    at: Timestamp,
    #[bigtable(tie_breaker)]
    number: u8,
    name: String,
}

fn step(order: &str) -> Step {
    Step {
        order: order.to_owned(),
        at: at(1),
        number: 7,
        name: "packed".to_owned(),
    }
}

fn is_refused<T: std::fmt::Debug>(result: Result<T, Error>) {
    let error = result.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("STEP") && text.contains("number"), "{text}");
    let is_empty = matches!(
        &error,
        Error::Key {
            source: KeyError::Empty,
            ..
        }
    );
    assert!(is_empty, "{error:?}");
}

#[tokio::test]
async fn an_event_without_a_row_key_is_refused_with_its_table() {
    for db in backends("ties", "empty") {
        db.ensure_tables::<Step>().await.unwrap();
        let (good, bad) = (step("a"), step(""));
        is_refused(db.insert(&bad).await);
        is_refused(db.insert_if_absent(&bad).await);
        is_refused(db.get::<Step>(&bad.key()).await);
        is_refused(db.delete::<Step>(&bad.key()).await);
        let outcome = db.insert_many(&[good.clone(), bad]).await;
        assert_eq!(outcome.failed().len(), 1, "{outcome:?}");
        // A query finds no event of it, as of any other that is not there.
        let none = Step::query().order("").events();
        assert_eq!(db.fetch(&none).await.unwrap(), []);
        assert_eq!(db.delete_all(&none).await.into_result().unwrap(), 0);
        assert_eq!(db.fetch(&Step::scan().events()).await.unwrap(), [good]);
    }
}

#[test]
fn laws_hold() {
    check_laws::<Step>();
}
