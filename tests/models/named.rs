//! Errors name their event: with its time even if its row holds many, and with its values if it has
//! no key.

use std::error::Error as _;

use bigtable_model::condition::Condition;
use bigtable_model::{Backend as _, BackendExt, Error, MemoryBackend, Model, Timestamp};

use crate::support::at;

/// An hour of events in a row.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "LOAD", family = "L", layout = "cells", mirror(Newest))]
struct Load {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, bucket = "hour")]
    at: Timestamp,
    load: f64,
}

/// The newest of a host: the key has no time.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "NEWEST", family = "L", layout = "latest")]
struct Newest {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    load: f64,
}

impl From<&Load> for Newest {
    fn from(load: &Load) -> Self {
        let Load { host, at, load } = load.clone();
        Self { host, at, load }
    }
}

/// Columns named by the time; one is a counter.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "HITS", family = "H", layout = "columns")]
struct Hits {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, bucket = "day", unit = "s")]
    at: Timestamp,
    path: String,
    #[bigtable(counter)]
    hits: Option<i64>,
}

/// The value is the qualifier.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "STATE", family = "S", layout = "qualifiers")]
struct State {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, bucket = "day", unit = "s")]
    at: Timestamp,
    state: String,
}

const AT: &str = "2024-05-01T12:34:56Z";
const EVENT: &str = "host=web at=2024-05-01T12:34:56Z";

fn load(host: &str, time: &str) -> Load {
    let (host, at) = (host.to_owned(), at(time));
    Load {
        host,
        at,
        load: 0.5,
    }
}

/// The key in the error of a call.
#[track_caller]
fn named(error: &Error) -> &str {
    match error {
        Error::Backend { key: Some(key), .. } | Error::Key { key, .. } => key,
        Error::NotMirrored { source, .. } => named(source),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn calls_that_fail_name_the_events_time() {
    // Without a table every call fails.
    let db = MemoryBackend::new();
    let event = load("web", AT);
    let key = event.key();
    let events = [event.clone(), load("web", "2024-05-01T12:00:00Z")];
    let outcome = db.insert_many(&events).await;
    let keys: Vec<_> = outcome
        .failed()
        .iter()
        .map(|failed| named(&failed.error))
        .collect();
    assert_eq!(keys, [EVENT, "host=web at=2024-05-01T12:00:00Z"]);
    assert_eq!(named(&db.insert(&event).await.unwrap_err()), EVENT);
    assert_eq!(
        named(&db.insert_if_absent(&event).await.unwrap_err()),
        EVENT
    );
    assert_eq!(named(&db.get::<Load>(&key).await.unwrap_err()), EVENT);
    assert_eq!(named(&db.delete::<Load>(&key).await.unwrap_err()), EVENT);
    let deleted = db.delete_if::<Load>(&key, Condition::exists()).await;
    assert_eq!(named(&deleted.unwrap_err()), EVENT);
    let updated = db.send(Load::update(&key).load(1.0)).await;
    assert_eq!(named(&updated.unwrap_err()), EVENT);
    let history = db.history(&key, Load::FIELDS.load).await;
    assert_eq!(named(&history.unwrap_err()), EVENT);

    let newest = Newest::from(&event);
    assert_eq!(named(&db.insert(&newest).await.unwrap_err()), EVENT);
    let hits = HitsKey {
        host: "web".to_owned(),
        at: at(AT),
    };
    let counted = db
        .send(Hits::modify(&hits).increment(Hits::FIELDS.hits, 1))
        .await;
    assert_eq!(named(&counted.unwrap_err()), EVENT);
    let state = StateKey {
        host: "web".to_owned(),
        at: at(AT),
    };
    let updated = db.send(State::update(&state).state("up".to_owned())).await;
    assert_eq!(named(&updated.unwrap_err()), EVENT);
}

#[tokio::test]
async fn a_copy_that_fails_is_named_by_its_time() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Load>().await.unwrap();
    db.tables().delete("NEWEST").await.unwrap();
    let event = load("web", AT);
    assert_eq!(named(&db.insert(&event).await.unwrap_err()), EVENT);
    let outcome = db.insert_many([&event]).await;
    assert_eq!(named(&outcome.failed()[0].error), EVENT);
}

#[tokio::test]
async fn an_event_without_a_key_is_named_by_its_values() {
    let db = MemoryBackend::new();
    let bad = load("a#b", AT);
    let expected = "host=a#b at=2024-05-01T12:34:56Z";
    let outcome = db.insert_many([&load("web", AT), &bad]).await;
    let failed = outcome
        .failed()
        .iter()
        .find(|failed| failed.index == 1)
        .unwrap();
    assert_eq!(named(&failed.error), expected);
    assert_eq!(
        failed.error.to_string(),
        "table LOAD: host=a#b at=2024-05-01T12:34:56Z is refused"
    );
    let source = failed.error.source().unwrap().to_string();
    assert_eq!(source, "segment `host` of the row key is refused");
    for error in [
        db.insert(&bad).await.unwrap_err(),
        db.insert_if_absent(&bad).await.unwrap_err(),
        db.get::<Load>(&bad.key()).await.unwrap_err(),
        db.delete::<Load>(&bad.key()).await.unwrap_err(),
        db.send(Load::update(&bad.key()).load(1.0))
            .await
            .unwrap_err(),
    ] {
        assert_eq!(named(&error), expected);
    }
    let outcome = db.delete_many::<Load>([&bad.key()]).await;
    assert_eq!(named(&outcome.failed()[0].error), expected);
    // A time that the layout cannot hold.
    let fine = Load {
        at: Timestamp::from_micros(1),
        ..load("web", AT)
    };
    let error = db.insert(&fine).await.unwrap_err();
    assert_eq!(named(&error), "host=web at=1970-01-01T00:00:00.000001Z");
    // A key that is too long is cut in the message.
    let error = db.insert(&load(&"x".repeat(5_000), AT)).await.unwrap_err();
    assert_eq!(named(&error).len(), 515);
    assert!(named(&error).ends_with("xxx..."));
}
