//! Versioned writes in every layout that supports them, in memory, on our own server and on the
//! emulator.

use std::sync::Arc;
use std::time::Duration;

use bigtable_model::backend::faults::{Fault, FaultRule, FaultyBackend, When};
use bigtable_model::condition::VersionedModel;
use bigtable_model::lock::Locked;
use bigtable_model::schema::ColumnKind;
use bigtable_model::{Backend, BackendExt, Code, Error, MemoryBackend, Model, Status, Timestamp};
use futures::future::join_all;

use crate::conditions::backends;

fn second(second: i64) -> Timestamp {
    Timestamp::from_seconds(1_500_000_000 + second)
}

/// The version in a conflict.
fn conflict(error: Error) -> u64 {
    match error {
        Error::Conflict { version, .. } => version,
        other => panic!("{other:?}"),
    }
}

/// The same tests of a model with a version, for each layout.
macro_rules! in_layout {
    ($name:ident, $table:literal, ($($attributes:tt)*), ($($time:tt)*)) => {
        mod $name {
            use super::*;

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(table = $table, family = "A", $($attributes)*)]
            struct Account {
                #[bigtable(key)]
                owner: String,
                #[bigtable(time, $($time)*)]
                opened: Timestamp,
                cents: i64,
                note: Option<String>,
                #[bigtable(version)]
                edition: u32,
            }

            fn account(at: i64) -> Account {
                Account {
                    owner: "anna".to_owned(),
                    opened: second(at),
                    cents: at * 100,
                    note: None,
                    edition: 0,
                }
            }

            async fn stored(db: &dyn Backend, at: i64) -> Option<Account> {
                db.get::<Account>(&account(at).key()).await.unwrap()
            }

            #[tokio::test]
            async fn a_write_states_what_it_read() {
                for db in backends(concat!("versions-", stringify!($name))).await {
                    db.ensure_tables::<Account>().await.unwrap();
                    // Another event, in the same row if rows hold many.
                    let mut beside = account(1);
                    db.insert_if_unchanged(&mut beside).await.unwrap();

                    let mut first = account(4);
                    db.insert_if_unchanged(&mut first).await.unwrap();
                    assert_eq!(first, Account { edition: 1, ..account(4) });
                    assert_eq!(stored(&*db, 4).await, Some(first.clone()));
                    let mut again = account(4);
                    assert_eq!(conflict(db.insert_if_unchanged(&mut again).await.unwrap_err()), 0);
                    assert_eq!(again, account(4));

                    let mut second = Account { cents: 7, note: Some("a".to_owned()), ..first.clone() };
                    db.insert_if_unchanged(&mut second).await.unwrap();
                    assert_eq!(second.edition, 2);
                    // Neither the same again, nor another change of the same version.
                    for cents in [7, 8] {
                        let mut late = Account { cents, ..first.clone() };
                        assert_eq!(conflict(db.insert_if_unchanged(&mut late).await.unwrap_err()), 1);
                        assert_eq!(late.edition, 1);
                    }
                    // A version that never existed.
                    let mut ahead = Account { edition: 3, ..first.clone() };
                    assert_eq!(conflict(db.insert_if_unchanged(&mut ahead).await.unwrap_err()), 3);
                    assert_eq!(stored(&*db, 4).await, Some(second.clone()));

                    let update = || Account::update(&second.key()).cents(9);
                    assert_eq!(conflict(db.send_if_unchanged(update(), 1).await.unwrap_err()), 1);
                    assert_eq!(db.send_if_unchanged(update(), 2).await.unwrap(), 3);
                    assert_eq!(conflict(db.send_if_unchanged(update(), 2).await.unwrap_err()), 2);
                    let touched = Account::update(&second.key());
                    assert_eq!(db.send_if_unchanged(touched, 3).await.unwrap(), 4);
                    let expected = Account { cents: 9, edition: 4, ..second.clone() };
                    assert_eq!(stored(&*db, 4).await, Some(expected));

                    // An update requires an existing event.
                    let absent = Account::update(&account(5).key()).cents(9);
                    assert_eq!(conflict(db.send_if_unchanged(absent, 0).await.unwrap_err()), 0);
                    assert_eq!(stored(&*db, 5).await, None);

                    let key = second.key();
                    let at = |version: u32| Account::FIELDS.edition.equals(version);
                    assert!(!db.delete_if::<Account>(&key, at(3)).await.unwrap());
                    assert!(db.delete_if::<Account>(&key, at(4)).await.unwrap());
                    let mut gone = Account { edition: 4, ..second };
                    assert_eq!(conflict(db.insert_if_unchanged(&mut gone).await.unwrap_err()), 4);
                    let mut anew = account(4);
                    db.insert_if_unchanged(&mut anew).await.unwrap();
                    assert_eq!(stored(&*db, 4).await, Some(anew));
                    assert_eq!(stored(&*db, 1).await, Some(beside));
                }
            }

            #[tokio::test]
            async fn a_plain_insert_writes_the_version_that_the_event_has() {
                for db in backends(concat!("versions-plain-", stringify!($name))).await {
                    db.ensure_tables::<Account>().await.unwrap();
                    for edition in [0, 6, 2] {
                        let mut event = Account { edition, ..account(4) };
                        db.insert(&event).await.unwrap();
                        assert_eq!(stored(&*db, 4).await, Some(event.clone()));
                        db.insert_if_unchanged(&mut event).await.unwrap();
                        assert_eq!(event.edition, edition + 1);
                        assert_eq!(stored(&*db, 4).await, Some(event));
                    }
                    // A partial event blocks a new one.
                    db.send(Account::update(&account(5).key()).cents(1)).await.unwrap();
                    let mut event = account(5);
                    assert_eq!(conflict(db.insert_if_unchanged(&mut event).await.unwrap_err()), 0);
                }
            }

            #[tokio::test]
            async fn no_change_is_lost() {
                for (place, db) in backends(concat!("versions-race-", stringify!($name))).await.into_iter().enumerate() {
                    db.ensure_tables::<Account>().await.unwrap();
                    // The other backends need a round trip for each attempt.
                    let each = match (place, stringify!($name)) {
                        (0, "row") => 1_000,
                        _ => 40,
                    };
                    let tasks = (0..8).map(|_| {
                        let db = Arc::clone(&db);
                        tokio::spawn(async move {
                            for _ in 0..each {
                                add_a_cent(&*db).await;
                            }
                        })
                    });
                    join_all(tasks).await.into_iter().for_each(Result::unwrap);
                    let event = stored(&*db, 0).await.unwrap();
                    assert_eq!((event.cents, i64::from(event.edition)), (8 * each, 8 * each));
                }
            }

            /// Half of them by inserts, half by updates.
            async fn add_a_cent(db: &dyn Backend) {
                loop {
                    let mut event = stored(db, 0).await.unwrap_or_else(|| account(0));
                    event.cents += 1;
                    let written = if event.cents % 2 == 1 {
                        db.insert_if_unchanged(&mut event).await
                    } else {
                        let update = Account::update(&event.key()).cents(event.cents);
                        db.send_if_unchanged(update, event.edition).await.map(drop)
                    };
                    match written {
                        Ok(()) => return,
                        Err(Error::Conflict { .. }) => tokio::task::yield_now().await,
                        Err(other) => panic!("{other:?}"),
                    }
                }
            }
        }
    };
}

in_layout!(row, "ROW", (salt(shards = 3, of(owner))), (unit = "s"));
in_layout!(
    history,
    "HISTORY",
    (cell_time = "write", gc(max_versions = 3)),
    (unit = "s")
);
in_layout!(cells, "CELLS", (layout = "cells"), (bucket = "hour"));
in_layout!(
    columns,
    "COLUMNS",
    (layout = "columns"),
    (bucket = "hour", unit = "s")
);
in_layout!(
    columns_history,
    "COLUMNS_HISTORY",
    (layout = "columns", cell_time = "write"),
    (bucket = "hour", unit = "s")
);

/// Settings without a version, as stored earlier.
mod former {
    use super::Model;

    #[derive(Debug, Clone, PartialEq, Model)]
    #[bigtable(table = "SETTINGS", family = "S")]
    pub(super) struct Settings {
        #[bigtable(key)]
        pub(super) service: String,
        pub(super) text: String,
    }
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SETTINGS", family = "S")]
struct Settings {
    #[bigtable(key)]
    service: String,
    text: String,
    #[bigtable(version, default)]
    edition: i64,
}

fn settings(text: &str, edition: i64) -> Settings {
    Settings {
        service: "web".to_owned(),
        text: text.to_owned(),
        edition,
    }
}

#[tokio::test]
async fn events_from_before_are_at_version_0() {
    for db in backends("versions-former").await {
        db.ensure_tables::<Settings>().await.unwrap();
        let service = "web".to_owned();
        let key = settings("", 0).key();
        let absent = Settings::update(&key).text("x".to_owned());
        let refused = db.send_if_unchanged(absent, 0).await.unwrap_err();
        assert_eq!(conflict(refused), 0);
        let text = "a".to_owned();
        db.insert(&former::Settings { service, text })
            .await
            .unwrap();

        let read = || async { db.get::<Settings>(&key).await.unwrap().unwrap() };
        let mut first = read().await;
        assert_eq!(first, settings("a", 0));
        db.insert_if_unchanged(&mut first).await.unwrap();
        assert_eq!(read().await, settings("a", 1));
        let mut late = settings("b", 0);
        assert_eq!(
            conflict(db.insert_if_unchanged(&mut late).await.unwrap_err()),
            0
        );

        // By an update too.
        let text = "c".to_owned();
        let service = "web".to_owned();
        db.delete::<Settings>(&key).await.unwrap();
        db.insert(&former::Settings { service, text })
            .await
            .unwrap();
        let update = Settings::update(&key).text("d".to_owned());
        assert_eq!(db.send_if_unchanged(update, 0).await.unwrap(), 1);
        assert_eq!(read().await, settings("d", 1));
    }
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SMALL", family = "S")]
struct Small {
    #[bigtable(key)]
    id: u32,
    #[bigtable(version)]
    edition: i8,
}

#[tokio::test]
async fn versions_have_ends() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Small>().await.unwrap();
    for edition in [-1, i8::MAX] {
        let mut event = Small { id: 7, edition };
        let error = db.insert_if_unchanged(&mut event).await.unwrap_err();
        let updated = Small::update(&event.key());
        let of_update = db.send_if_unchanged(updated, edition).await.unwrap_err();
        for error in [error, of_update] {
            let Error::Value {
                table, key, column, ..
            } = &error
            else {
                panic!("{error:?}");
            };
            assert_eq!(
                (&**table, &**key, &**column),
                ("SMALL", "id=7", "S:edition")
            );
        }
        assert_eq!(event.version(), edition);
    }
    assert_eq!(db.get::<Small>(&SmallKey { id: 7 }).await.unwrap(), None);
    let mut last = Small {
        id: 7,
        edition: i8::MAX - 1,
    };
    db.insert(&last).await.unwrap();
    db.insert_if_unchanged(&mut last).await.unwrap();
    assert_eq!(last.edition, i8::MAX);
}

#[tokio::test]
async fn a_conflict_names_its_event() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Small>().await.unwrap();
    let told = |error: Error| {
        assert!(!error.is_retryable());
        assert_eq!(error.table(), "SMALL");
        error.to_string()
    };
    let mut event = Small { id: 7, edition: 3 };
    let gone = db.insert_if_unchanged(&mut event).await.unwrap_err();
    assert_eq!(
        told(gone),
        "table SMALL: id=7 is no longer at version 3, since it was changed or deleted: read it again"
    );
    db.insert(&event).await.unwrap();
    event.edition = 0;
    let there = db.insert_if_unchanged(&mut event).await.unwrap_err();
    assert_eq!(
        told(there),
        "table SMALL: id=7 already exists, but version 0 stands for a missing event: read it again"
    );
}

/// A lost answer does not change the field; a read shows what happened.
#[tokio::test]
async fn a_lost_answer_is_told_by_a_read() {
    let memory: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    memory.ensure_tables::<Small>().await.unwrap();
    let lost = Status::new(Code::Unavailable, "the connection broke");
    let rule = FaultRule::new(Fault::LoseAnswer(lost)).when(When::First(1));
    let faulty = FaultyBackend::new(Arc::clone(&memory), 7, vec![rule]).unwrap();
    let mut event = Small { id: 7, edition: 0 };
    let lost = faulty.insert_if_unchanged(&mut event).await.unwrap_err();
    assert!(matches!(lost, Error::Backend { .. }), "{lost:?}");
    assert_eq!(event.edition, 0);
    assert_eq!(
        conflict(faulty.insert_if_unchanged(&mut event).await.unwrap_err()),
        0
    );
    let stored = memory.get::<Small>(&event.key()).await.unwrap();
    assert_eq!(stored, Some(Small { id: 7, edition: 1 }));
}

/// Its copy has the version too.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SOURCE", family = "S", mirror(Copied))]
struct Source {
    #[bigtable(key)]
    id: u32,
    #[bigtable(version)]
    edition: u64,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "COPY", family = "S")]
struct Copied {
    #[bigtable(key)]
    id: u32,
    edition: u64,
}

impl From<&Source> for Copied {
    fn from(source: &Source) -> Self {
        Self {
            id: source.id,
            edition: source.edition,
        }
    }
}

#[tokio::test]
async fn copies_have_the_version_that_was_written() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Source>().await.unwrap();
    db.tables().delete("COPY").await.unwrap();
    let mut source = Source { id: 7, edition: 0 };
    // Without the copies' table the event is written nevertheless, and the error says so.
    let error = db.insert_if_unchanged(&mut source).await.unwrap_err();
    assert!(matches!(error, Error::NotMirrored { .. }), "{error:?}");
    assert_eq!(source.edition, 1);
    db.ensure_tables::<Source>().await.unwrap();
    db.insert_if_unchanged(&mut source).await.unwrap();
    let copy = db.get::<Copied>(&CopiedKey { id: 7 }).await.unwrap();
    assert_eq!(copy, Some(Copied { id: 7, edition: 2 }));
    let mut late = Source { id: 7, edition: 1 };
    assert_eq!(
        conflict(db.insert_if_unchanged(&mut late).await.unwrap_err()),
        1
    );
    let copy = db.get::<Copied>(&CopiedKey { id: 7 }).await.unwrap();
    assert_eq!(copy, Some(Copied { id: 7, edition: 2 }));
}

/// Expired events count as missing, whatever their version.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "LEASE", family = "L", gc(max_age = "1d"))]
struct Lease {
    #[bigtable(key)]
    name: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    #[bigtable(version)]
    edition: u32,
}

#[tokio::test]
async fn an_expired_event_is_at_version_0() {
    for db in backends("versions-expired").await {
        db.ensure_tables::<Lease>().await.unwrap();
        let at = (Timestamp::now() - Duration::from_secs(100_000)).floor_to(Duration::from_secs(1));
        let lease = |edition| Lease {
            name: "a".to_owned(),
            at,
            edition,
        };
        db.insert(&lease(5)).await.unwrap();
        assert_eq!(
            conflict(db.insert_if_unchanged(&mut lease(5)).await.unwrap_err()),
            5
        );
        db.insert_if_unchanged(&mut lease(0)).await.unwrap();
    }
}

#[test]
fn the_schema_and_the_lock_tell_the_version() {
    let kinds: Vec<_> = Settings::SCHEMA
        .columns
        .iter()
        .map(|one| one.kind)
        .collect();
    assert_eq!(kinds, [ColumnKind::Plain, ColumnKind::Version]);
    let locked = Locked::of::<Settings>();
    let column = &locked.columns["S:edition"];
    assert_eq!(
        (column.kind.as_deref(), &*column.form),
        (Some("version"), "int64")
    );
    assert_eq!(locked.columns["S:text"].kind, None);
}
