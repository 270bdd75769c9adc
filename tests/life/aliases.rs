//! Columns with two names, and events marked by a declared column.

use std::sync::Arc;

use bigtable_model::data::ReadRows;
use bigtable_model::{Backend, BackendExt as _, Error, Model, Projection, Timestamp};
use futures::TryStreamExt as _;

use crate::prove::{Former, backends, change};

/// A sample in its first form.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "ALIAS", family = "S")]
pub(crate) struct Before {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    load: f64,
    users: Option<u32>,
}

impl Former for Before {
    fn events() -> Vec<Self> {
        let users = [None, Some(7), Some(300)];
        let event = |(at, users)| Self {
            host: "web1".to_owned(),
            at: Timestamp::from_seconds(at),
            load: 0.25,
            users,
        };
        (1..4).zip(users).map(event).collect()
    }
}

change! {
    an_optional_column_is_renamed_with_an_alias: Reads, Equal; Before => {
        #[bigtable(table = "ALIAS", family = "S")]
        struct Now {
            #[bigtable(key)] host: String,
            #[bigtable(time)] at: Timestamp,
            load: f64,
            #[bigtable(alias = "users")] sessions: Option<u32>,
        }
    } |was| Now { host: was.host.clone(), at: was.at, load: was.load, sessions: was.users }
}

change! {
    the_column_that_marks_events_is_renamed_with_an_alias: Reads, Equal; Before => {
        #[bigtable(table = "ALIAS", family = "S")]
        struct Now {
            #[bigtable(key)] host: String,
            #[bigtable(time)] at: Timestamp,
            #[bigtable(alias = "load")] cpu: f64,
            users: Option<u32>,
        }
    } |was| Now { host: was.host.clone(), at: was.at, cpu: was.load, users: was.users }
}

change! {
    a_renamed_column_has_another_codec_too: StoredBytes, Error; Before => {
        #[bigtable(table = "ALIAS", family = "S")]
        struct Now {
            #[bigtable(key)] host: String,
            #[bigtable(time)] at: Timestamp,
            load: f64,
            #[bigtable(alias = "users", text)] sessions: Option<u32>,
        }
    } |was| Now { host: was.host.clone(), at: was.at, load: was.load, sessions: was.users }
}

change! {
    the_column_that_marks_events_is_declared: nothing, Equal; Before => {
        #[bigtable(table = "ALIAS", family = "S")]
        struct Now {
            #[bigtable(key)] host: String,
            #[bigtable(time)] at: Timestamp,
            #[bigtable(presence)] load: f64,
            users: Option<u32>,
        }
    } |was| Now { host: was.host.clone(), at: was.at, load: was.load, users: was.users }
}

change! {
    a_column_is_new_in_front_of_the_declared_one: Reads, Equal; Before => {
        #[bigtable(table = "ALIAS", family = "S")]
        struct Now {
            #[bigtable(key)] host: String,
            #[bigtable(time)] at: Timestamp,
            #[bigtable(default)] cores: u32,
            #[bigtable(presence)] load: f64,
            users: Option<u32>,
        }
    } |was| Now { host: was.host.clone(), at: was.at, cores: 0, load: was.load, users: was.users }
}

/// A new required column in front is still refused: rows lack it. But they are errors, not
/// invisible.
mod a_required_column_is_new_in_front_of_the_declared_one {
    use super::*;

    change! {
        errors: StoredBytes, Error; Before => {
            #[bigtable(table = "ALIAS", family = "S")]
            struct Now {
                #[bigtable(key)] host: String,
                #[bigtable(time)] at: Timestamp,
                cores: u32,
                #[bigtable(presence)] load: f64,
                users: Option<u32>,
            }
        } |was| Now { host: was.host.clone(), at: was.at, cores: 0, load: was.load, users: was.users }
    }
}

/// The columns of a table's rows, by name and value.
async fn stored(db: &dyn Backend, table: &str) -> Vec<(String, String)> {
    let request = ReadRows {
        table: table.to_owned(),
        ..ReadRows::default()
    };
    let rows: Vec<_> = db.read_rows(request).rows().try_collect().await.unwrap();
    let cells = rows.into_iter().flat_map(|row| row.cells);
    let named = cells.map(|cell| {
        let qualifier = cell.qualifier.escape_ascii().to_string();
        (qualifier, cell.value.escape_ascii().to_string())
    });
    named.collect()
}

/// The qualifiers alone.
async fn names(db: &dyn Backend, table: &str) -> Vec<String> {
    let stored = stored(db, table).await.into_iter();
    stored.map(|(name, _)| name).collect()
}

/// The same events in each layout that has column names, before and after both columns are renamed;
/// writes, reads and deletes by either name.
macro_rules! in_layout {
    ($layout:ident, $table:literal, [$($struct:tt)*] [$($time:tt)*], $name:expr) => {
        mod $layout {
            use super::*;

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(table = $table, family = "S", $($struct)*)]
            struct Old {
                #[bigtable(key)]
                host: String,
                #[bigtable(time, $($time)*)]
                at: Timestamp,
                #[bigtable(text)]
                load: u32,
                #[bigtable(text)]
                users: Option<u32>,
            }

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(table = $table, family = "S", $($struct)*)]
            struct New {
                #[bigtable(key)]
                host: String,
                #[bigtable(time, $($time)*)]
                at: Timestamp,
                #[bigtable(text, alias = "load")]
                cpu: u32,
                #[bigtable(text, alias = "people", alias = "users")]
                sessions: Option<u32>,
            }

            #[derive(Debug, PartialEq, Projection)]
            #[bigtable(model = New)]
            struct Sessions {
                sessions: Option<u32>,
            }

            fn time(seconds: i64) -> Timestamp {
                Timestamp::from_seconds(1_426_464_000 + seconds)
            }

            fn old(seconds: i64, load: u32, users: Option<u32>) -> Old {
                Old { host: "web1".to_owned(), at: time(seconds), load, users }
            }

            fn new(seconds: i64, cpu: u32, sessions: Option<u32>) -> New {
                New { host: "web1".to_owned(), at: time(seconds), cpu, sessions }
            }

            fn qualifier(name: &str, seconds: i64) -> String {
                let name_of: fn(&str, i64) -> String = $name;
                name_of(name, seconds)
            }

            async fn tables(name: &str) -> Vec<Arc<dyn Backend>> {
                let name = format!("{name}_{}", stringify!($layout));
                let backends = backends(&name);
                for db in &backends {
                    db.ensure_tables::<Old>().await.unwrap();
                    let events = [old(1, 10, Some(1)), old(2, 20, None), old(3, 30, Some(3))];
                    db.insert_many(&events).await.into_result().unwrap();
                }
                backends
            }

            #[tokio::test]
            async fn what_was_stored_is_read_by_every_query() {
                for db in tables("read").await {
                    let query = New::query().host("web1");
                    let events = [new(1, 10, Some(1)), new(2, 20, None), new(3, 30, Some(3))];
                    assert_eq!(db.fetch(&query).await.unwrap(), events);
                    assert_eq!(db.count(&query).await.unwrap(), 3);
                    assert_eq!(db.fetch(&query.events().newest_first().limit(2)).await.unwrap(), [events[2].clone(), events[1].clone()]);
                    let range = New::query().host("web1").at(time(2)..time(4));
                    assert_eq!(db.fetch(&range).await.unwrap(), events[1..]);
                    let sessions = db.fetch(&query.select::<Sessions>()).await.unwrap();
                    let sessions: Vec<_> = sessions.into_iter().map(|one| one.sessions).collect();
                    assert_eq!(sessions, [Some(1), None, Some(3)]);
                    assert_eq!(db.get::<New>(&events[0].key()).await.unwrap().as_ref(), Some(&events[0]));
                    let matched = New::query().host("web1").events().matching(New::FIELDS.sessions.equals(3));
                    assert_eq!(db.fetch(&matched).await.unwrap(), events[2..]);
                    let absent = New::query().host("web1").events().matching(New::FIELDS.sessions.is_absent());
                    assert_eq!(db.fetch(&absent).await.unwrap(), events[1..2]);
                    let audit = db.audit::<New>().await.unwrap();
                    assert!(audit.is_clean() && audit.events == 3, "{audit}");
                }
            }

            #[tokio::test]
            async fn a_write_takes_the_place_of_what_was_stored() {
                for db in tables("write").await {
                    db.insert(&new(1, 11, None)).await.unwrap();
                    db.send(New::update(&new(2, 20, None).key()).sessions(2)).await.unwrap();
                    let found = db.fetch(&New::query().host("web1")).await.unwrap();
                    assert_eq!(found, [new(1, 11, None), new(2, 20, Some(2)), new(3, 30, Some(3))]);
                    let mut names = names(&*db, $table).await;
                    names.sort();
                    let mut expected = vec![
                        qualifier("cpu", 1),
                        qualifier("load", 2),
                        qualifier("sessions", 2),
                        qualifier("load", 3),
                        qualifier("users", 3),
                    ];
                    expected.sort();
                    assert_eq!(names, expected);
                }
            }

            #[tokio::test]
            async fn deletes_reach_both_names() {
                for db in tables("delete").await {
                    db.delete_cell(&new(1, 10, None).key(), New::FIELDS.sessions).await.unwrap();
                    db.delete::<New>(&new(3, 30, None).key()).await.unwrap();
                    let found = db.fetch(&New::query().host("web1")).await.unwrap();
                    assert_eq!(found, [new(1, 10, None), new(2, 20, None)]);
                    let mut names = names(&*db, $table).await;
                    names.sort();
                    let mut expected = [qualifier("load", 1), qualifier("load", 2)];
                    expected.sort();
                    assert_eq!(names, expected);
                    let deleted = db.delete_all(&New::query().host("web1")).await;
                    deleted.into_result().unwrap();
                    assert_eq!(stored(&*db, $table).await, []);
                }
            }

            #[tokio::test]
            async fn conditions_look_at_both_names() {
                for db in tables("conditions").await {
                    let is_there = !db.insert_if_absent(&new(1, 99, None)).await.unwrap();
                    assert!(is_there, "the event is marked by its former name");
                    let is = |value: u32| New::FIELDS.sessions.equals(value);
                    assert!(!db.insert_if(&new(3, 31, None), is(4)).await.unwrap());
                    assert!(db.insert_if(&new(3, 31, Some(4)), is(3)).await.unwrap());
                    assert!(db.insert_if(&new(3, 32, Some(5)), is(4)).await.unwrap());
                    let absent = New::FIELDS.sessions.is_absent();
                    assert!(db.insert_if(&new(2, 21, None), absent.clone()).await.unwrap());
                    assert!(!db.insert_if(&new(1, 11, None), absent).await.unwrap());
                    let found = db.fetch(&New::query().host("web1")).await.unwrap();
                    assert_eq!(found, [new(1, 10, Some(1)), new(2, 21, None), new(3, 32, Some(5))]);
                }
            }

            /// A program of the former release may write after the current one: the column's own
            /// name wins.
            #[tokio::test]
            async fn of_two_values_that_of_the_new_name_is_read() {
                for db in tables("both").await {
                    db.insert(&new(1, 11, Some(2))).await.unwrap();
                    db.insert(&old(1, 12, Some(3))).await.unwrap();
                    let found = db.fetch(&New::query().host("web1").events().limit(1)).await.unwrap();
                    assert_eq!(found, [new(1, 11, Some(2))]);
                }
            }

            #[tokio::test]
            async fn versions_are_read_by_both_names() {
                for db in tables("history").await {
                    let key = new(1, 10, None).key();
                    let found = db.history(&key, New::FIELDS.sessions).await.unwrap();
                    let found: Vec<_> = found.into_iter().map(|version| version.value).collect();
                    assert_eq!(found, [Some(1)]);
                }
            }
        }
    };
}

in_layout! { row, "ALIAS_ROW", [] [], |name, _| name.to_owned() }
in_layout! { cells, "ALIAS_CELLS", [layout = "cells"] [bucket = "day"], |name, _| name.to_owned() }
in_layout! {
    columns, "ALIAS_COLUMNS", [layout = "columns"] [bucket = "day", unit = "s"],
    |name, seconds| format!("{name}:{seconds:05}")
}

/// A sample with a former name.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "ALIAS", family = "S")]
struct Renamed {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    #[bigtable(presence, alias = "load")]
    cpu: f64,
}

#[test]
fn sql_refuses_a_column_of_two_names() {
    let error = Renamed::query().host("web1").events().to_sql().unwrap_err();
    let Error::Sql { source, .. } = &error else {
        panic!("{error:?}")
    };
    let words = source.to_string();
    assert!(
        words.starts_with("column S:cpu has an alias, but SQL reads one name"),
        "{words}"
    );
}

#[test]
fn an_explanation_tells_what_marks_an_event() {
    let text = Renamed::query().host("web1").events().explain().to_string();
    let first = text.lines().next().unwrap();
    assert_eq!(
        first,
        "table ALIAS, keys {host}#{at:016us}, events marked by S:cpu or S:load"
    );
}

/// A required column in front, which marks new events.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "ALIAS", family = "S")]
struct InFront {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    cores: u32,
    load: f64,
}

#[tokio::test]
async fn an_audit_finds_rows_whose_events_are_not_seen_any_more() {
    for db in backends("audited") {
        db.ensure_tables::<Before>().await.unwrap();
        let events = Before::events();
        db.insert_many(&events).await.into_result().unwrap();
        let audit = db.audit::<InFront>().await.unwrap();
        assert_eq!((audit.rows, audit.events), (3, 0));
        assert_eq!(audit.counts.without_presence, 3);
        let what = &audit.findings[0].what;
        assert!(
            what.ends_with("has no column S:cores, and so it is no event"),
            "{what}"
        );
        let audit = db.audit::<Renamed>().await.unwrap();
        assert!(audit.is_clean() && audit.events == 3, "{audit}");
    }
}
