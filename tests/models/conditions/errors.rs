//! Refusals, and outcomes that an error leaves unknown.

use std::error::Error as _;
use std::sync::Arc;

use bigtable_model::backend::faults::{Fault, FaultRule, FaultyBackend, Method};
use bigtable_model::condition::{Condition, ConditionError};
use bigtable_model::{BackendExt, Code, Error, MemoryBackend, Model, Status, Timestamp};

use super::second;
use crate::support::rows;

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "QUOTE", family = "MD", layout = "cells")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "hour", label = "%Y%m%d%H")]
    at: Timestamp,
    bid: u32,
    size: Option<u64>,
    venue: Option<String>,
}

fn quote() -> Quote {
    Quote {
        symbol: "ZXZZT".to_owned(),
        at: second(7),
        bid: 1,
        size: None,
        venue: None,
    }
}

/// An error and its sources.
fn told(error: &Error) -> String {
    let mut told = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        told = format!("{told}: {error}");
        source = error.source();
    }
    told
}

async fn empty() -> MemoryBackend {
    let db = MemoryBackend::new();
    db.ensure_tables::<Quote>().await.unwrap();
    db
}

#[tokio::test]
async fn a_refused_condition_sends_nothing() {
    let db = empty().await;
    let at_key = "table QUOTE: the condition of the write of symbol=ZXZZT at=2017-07-14T02:40:07Z is refused: ";
    let names = (0..1_000).map(|number| format!("{number:0100}"));
    let size = Quote::FIELDS.size;
    let deep = (0..40_u64).fold(Condition::exists(), |deep, number| match number % 2 {
        0 => deep.or(size.equals(number)),
        _ => deep.and(size.equals(number)),
    });
    for (condition, reason) in [
        (
            size.equals(u64::MAX).negate(),
            "column MD:size is compared with a value that it cannot hold: `18446744073709551615` is outside a cell's signed 64-bit integer, whose largest is 9223372036854775807",
        ),
        (
            size.within(1..=u64::MAX),
            "column MD:size is compared with a value that it cannot hold: `18446744073709551615` is outside a cell's signed 64-bit integer, whose largest is 9223372036854775807",
        ),
        (
            Quote::FIELDS.venue.one_of(names),
            "its filter has 210056 bytes, Bigtable allows 20480: compare with fewer or shorter values, or give columns shorter names",
        ),
        (
            deep,
            "its filter has more than 20 levels, the most that Bigtable allows: alternate `and` and `or` less often",
        ),
    ] {
        let key = quote().key();
        let errors = [
            db.insert_if(&quote(), condition.clone()).await,
            db.send_if(Quote::update(&key).bid(2_u32), condition.clone())
                .await,
            db.delete_if::<Quote>(&key, condition).await,
        ];
        for error in errors {
            assert_eq!(told(&error.unwrap_err()), format!("{at_key}{reason}"));
        }
    }
    assert!(rows(&db, "QUOTE").await.is_empty());
}

#[tokio::test]
async fn a_query_with_a_refused_condition_reads_nothing() {
    let db = empty().await;
    let query = Quote::query()
        .symbol("ZXZZT")
        .events()
        .matching(Quote::FIELDS.size.equals(u64::MAX));
    let error = db.fetch(&query).await.unwrap_err();
    assert_eq!(
        told(&error),
        "table QUOTE: the query is refused: the query's condition is refused: column MD:size is compared with a value that \
         it cannot hold: `18446744073709551615` is outside a cell's signed 64-bit integer, whose largest is 9223372036854775807"
    );
}

#[tokio::test]
async fn other_refusals_come_before_the_condition() {
    let db = empty().await;
    let key = quote().key();
    let nothing_set = db.send_if(Quote::update(&key), Condition::exists()).await;
    assert!(matches!(nothing_set, Err(Error::EmptyUpdate { .. })));
    let unstored = Quote {
        size: Some(u64::MAX),
        ..quote()
    };
    let refused = db.insert_if_absent(&unstored).await.unwrap_err();
    assert!(matches!(refused, Error::Value { .. }), "{refused:?}");
    let keyless = Quote {
        symbol: "A#B".to_owned(),
        ..quote()
    };
    let refused = db.insert_if_absent(&keyless).await.unwrap_err();
    assert!(matches!(refused, Error::Key { .. }), "{refused:?}");
    let refused = db
        .delete_if::<Quote>(&keyless.key(), Condition::exists())
        .await;
    assert!(matches!(refused, Err(Error::Key { .. })));
    assert!(rows(&db, "QUOTE").await.is_empty());
}

#[tokio::test]
async fn what_has_to_be_read_first_is_told() {
    #[derive(Debug, Clone, PartialEq, Model)]
    #[bigtable(table = "VALUE", family = "V", layout = "qualifiers")]
    struct Value {
        #[bigtable(key)]
        sensor: String,
        #[bigtable(time, bucket = "hour", label = "%Y%m%d%H")]
        at: Timestamp,
        value: u32,
    }

    let db = MemoryBackend::new();
    let key = ValueKey {
        sensor: "s".to_owned(),
        at: second(7),
    };
    let error = db
        .delete_if::<Value>(&key, Condition::exists())
        .await
        .unwrap_err();
    assert_eq!(
        told(&error),
        "table VALUE: the condition of the write of sensor=s at=2017-07-14T02:40:07Z is refused: a delete reads the event first in \
         this layout, so no condition can guard it: read the event, and call `delete`"
    );
    let update = Value::update(&key).value(1_u32);
    let error = db.send_if(update, Condition::exists()).await.unwrap_err();
    let Error::Condition { source, .. } = &error else {
        panic!("{error:?}");
    };
    assert!(matches!(
        source,
        ConditionError::ReadsFirst {
            write: "an update",
            ..
        }
    ));
}

/// A lost answer leaves unknown whether the write was made: the call is not retried, and when it is
/// made again it finds the event.
#[tokio::test]
async fn a_lost_answer_is_cleared_up_by_a_read() {
    let memory = Arc::new(empty().await);
    let lost = Fault::LoseAnswer(Status::new(Code::Unavailable, "the connection broke"));
    let rule = FaultRule::new(lost).method(Method::CheckAndMutateRow);
    let db = FaultyBackend::new(memory, 0, vec![rule]).unwrap();
    let error = db.insert_if_absent(&quote()).await.unwrap_err();
    let Error::Backend { method, key, .. } = &error else {
        panic!("{error:?}");
    };
    assert_eq!(*method, "CheckAndMutateRow");
    assert_eq!(key.as_deref(), Some("symbol=ZXZZT at=2017-07-14T02:40:07Z"));
    assert_eq!(db.injected().answers, 1, "it was sent once");
    db.set_active(false);
    assert!(!db.insert_if_absent(&quote()).await.unwrap());
    assert_eq!(
        db.get::<Quote>(&quote().key()).await.unwrap(),
        Some(quote())
    );
}
