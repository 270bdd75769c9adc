//! Tie-breakers so long that a filter has no room for each column of the event with them.

use bigtable_model::testing::check_laws;
use bigtable_model::{BackendExt, Model, Timestamp};

use super::at;
use crate::support::{backends, rows};

/// Pages as they were fetched.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "FETCHED", family = "F", layout = "columns")]
struct Fetched {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, bucket = "day", unit = "s")]
    at: Timestamp,
    #[bigtable(tie_breaker)]
    path: String,
    status: u16,
    bytes: Option<u32>,
    #[bigtable(column = "took:ms")]
    took: Option<u32>,
}

fn fetched(path: &str) -> Fetched {
    Fetched {
        host: "a".to_owned(),
        at: at(1),
        path: path.to_owned(),
        status: 200,
        bytes: Some(u32::try_from(path.len()).unwrap()),
        took: Some(7),
    }
}

/// A tie-breaker may end in a colon and the offset and tie-breaker of another event of its time.
#[tokio::test]
async fn only_the_event_itself_is_read() {
    for db in backends("ties", "long") {
        db.ensure_tables::<Fetched>().await.unwrap();
        let long = fetched(&"x".repeat(4_000));
        db.insert(&fetched("p")).await.unwrap();
        let row = rows(&*db, "FETCHED").await.remove(0);
        let qualifier = row.cells[0].qualifier.clone();
        let offset = std::str::from_utf8(&qualifier).unwrap();
        let offset = offset.strip_prefix("bytes:").unwrap();
        let offset = offset.strip_suffix(":p").unwrap();
        // Both sort before the event whose bytes end theirs.
        let ends_alike =
            ["A", "A:b"].map(|head| fetched(&format!("{head}:{offset}:{}", long.path)));
        for event in &ends_alike {
            db.insert(event).await.unwrap();
        }
        assert_eq!(db.get::<Fetched>(&long.key()).await.unwrap(), None);
        assert!(db.insert_if_absent(&long).await.unwrap());
        assert_eq!(db.get(&long.key()).await.unwrap().as_ref(), Some(&long));
        let keys = [long.key(), ends_alike[0].key(), ends_alike[1].key()];
        let found = db.get_many::<Fetched>(&keys).await.unwrap();
        let [first, second] = ends_alike;
        assert_eq!(found, [Some(long.clone()), Some(first), Some(second)]);
        db.delete::<Fetched>(&long.key()).await.unwrap();
        assert_eq!(db.get::<Fetched>(&long.key()).await.unwrap(), None);
        assert_eq!(db.count(&Fetched::scan()).await.unwrap(), 3);
    }
}

#[test]
fn laws_hold() {
    check_laws::<Fetched>();
}
