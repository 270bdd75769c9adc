//! Rows that are deleted as a whole, in all tables and layouts; copies that cannot be deleted; and
//! what is refused.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bigtable_model::data::{Mutation, RowMutations};
use bigtable_model::rollup::Rollup;
use bigtable_model::{Backend, BackendExt, Error, MemoryBackend, Model, QueryError, Timestamp};

use super::cells::{ByRoom, Message, Newest, Seen, message};
use super::{ANN, ANNA, SECRET, at, dump};
use crate::support::backends;

/// In `latest` a row is a user's, with all versions; columns named at run time and columns of the
/// row are deleted with it, and so are cells that the model does not know.
#[tokio::test]
async fn rows_go_as_a_whole() {
    #[derive(Debug, Clone, PartialEq, Model)]
    #[bigtable(table = "STATE", family = "S", layout = "latest")]
    struct State {
        #[bigtable(key)]
        user: String,
        #[bigtable(time, unit = "ms")]
        at: Timestamp,
        text: String,
        #[bigtable(columns, family = "EXTRA")]
        extra: HashMap<String, String>,
    }

    #[derive(Debug, Clone, PartialEq, Model)]
    #[bigtable(table = "DAYS", family = "D", layout = "qualifiers")]
    struct Day {
        #[bigtable(key, column = "user", family = "ROW")]
        user: String,
        #[bigtable(time, bucket = "day", unit = "ms")]
        at: Timestamp,
        value: String,
    }

    /// The user is not a prefix of the key.
    #[derive(Debug, Clone, PartialEq, Model)]
    #[bigtable(table = "MEMBER", family = "M")]
    struct Member {
        #[bigtable(key)]
        group: String,
        #[bigtable(key)]
        user: String,
        since: i64,
    }

    const TABLES: [&str; 3] = ["STATE", "DAYS", "MEMBER"];

    for (at_first, db) in backends("forget", "rows").into_iter().enumerate() {
        let db_to_dump = (&*db, at_first == 0);
        db.ensure_tables::<State>().await.unwrap();
        db.ensure_tables::<Day>().await.unwrap();
        db.ensure_tables::<Member>().await.unwrap();
        let mut kept = Vec::new();
        for user in [ANNA, "bob", ANN] {
            if user == ANN {
                kept = dump(db_to_dump, &TABLES).await;
            }
            for second in 0..5 {
                let (user, text, at) = (user.to_owned(), format!("{user} {second}"), at(second));
                let extra = HashMap::from([(text.clone(), text.clone())]);
                db.insert(&State {
                    user: user.clone(),
                    at,
                    text: text.clone(),
                    extra,
                })
                .await
                .unwrap();
                db.insert(&Day {
                    user: user.clone(),
                    at,
                    value: text,
                })
                .await
                .unwrap();
                let group = format!("g{second}");
                db.insert(&Member {
                    group,
                    user,
                    since: second,
                })
                .await
                .unwrap();
            }
        }
        let key = StateKey {
            user: ANN.to_owned(),
            at: at(0),
        }
        .encode()
        .unwrap();
        let unknown = Mutation::SetCell {
            family: "S".into(),
            qualifier: "unknown".into(),
            timestamp_micros: 0,
            value: SECRET.into(),
        };
        let row = RowMutations {
            key: key.into(),
            mutations: vec![unknown],
        };
        db.mutate_row("STATE", row).await.unwrap();

        let member = Member::scan().user(ANN);
        let all = (State::query().user(ANN), Day::query().user(ANN), member);
        let report = db.forget(&all).await.unwrap();
        assert!(report.is_complete(), "{report}");
        let deleted: Vec<_> = report
            .tables
            .iter()
            .map(|one| (&*one.table, one.deleted))
            .collect();
        assert_eq!(deleted, [("STATE", 1), ("DAYS", 1), ("MEMBER", 5)]);
        assert_eq!(dump(db_to_dump, &TABLES).await, kept);
        assert!(report.to_string().contains("not looked at: backups"));
    }
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "NOTE_{at:%Y%m}", family = "N")]
struct Note {
    #[bigtable(key)]
    user: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    text: String,
}

/// A part of the events is for `delete_all` to delete, and everything is for a change of the table.
#[tokio::test]
async fn parts_of_rows_are_refused() {
    for db in backends("forget", "refused") {
        let of_ann = Note::query().user(ANN);
        let refused = [
            (
                db.forget(&of_ann.clone().events().limit(3)).await,
                "the limit",
            ),
            (db.forget(&of_ann.clone().at(at(0)..at(9))).await, "`at`"),
            (
                db.forget(&of_ann.events().matching(Note::FIELDS.text.equals("a")))
                    .await,
                "the condition",
            ),
        ];
        for (refused, of) in refused {
            match refused.unwrap_err() {
                Error::Query {
                    source: QueryError::ForgetsPart { part },
                    ..
                } => assert_eq!(part, of),
                other => panic!("{other}"),
            }
        }
        let everyone = db.forget(&Note::scan()).await.unwrap_err();
        let Error::Query {
            source: QueryError::ForgetsAll,
            ..
        } = everyone
        else {
            panic!("{everyone}");
        };
    }
}

/// Tables by period, some of which no longer exist; and a key in the range that is not the model's.
#[tokio::test]
async fn all_periods_are_looked_through() {
    for (at_first, db) in backends("forget", "periods").into_iter().enumerate() {
        let months = [0, 40, 80].map(|day| at(day * 86_400));
        for month in months {
            db.ensure_periods::<Note>(month..month + Duration::from_secs(1))
                .await
                .unwrap();
            for user in [ANN, "bob"] {
                let (user, text) = (user.to_owned(), format!("{user} writes"));
                db.insert(&Note {
                    user,
                    at: month,
                    text,
                })
                .await
                .unwrap();
            }
        }
        let foreign = RowMutations {
            key: format!("{ANN}#never").into(),
            mutations: vec![Mutation::SetCell {
                family: "N".into(),
                qualifier: "text".into(),
                timestamp_micros: 0,
                value: "a".into(),
            }],
        };
        let tables = db.tables().list().await.unwrap();
        assert_eq!(tables.len(), 3);
        db.mutate_row(&tables[1], foreign.clone()).await.unwrap();
        let report = db.forget(&Note::query().user(ANN)).await.unwrap();
        let found = report.tables.iter().map(|one| (one.deleted, one.left));
        assert_eq!(found.collect::<Vec<_>>(), [(1, 0), (1, 1), (1, 0)]);
        assert!(!report.is_complete());
        assert!(
            report.errors[0].to_string().contains("xyzzy-ann#never"),
            "{report}"
        );
        let delete = RowMutations {
            mutations: vec![Mutation::DeleteFromRow],
            ..foreign
        };
        db.mutate_row(&tables[1], delete).await.unwrap();
        assert!(
            db.forget(&Note::query().user(ANN))
                .await
                .unwrap()
                .is_complete()
        );
        let tables: Vec<_> = tables.iter().map(String::as_str).collect();
        assert_eq!(dump((&*db, at_first == 0), &tables).await.len(), 3);
    }
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "OLD_{at:%Y%m}", family = "R", layout = "columns")]
struct Before {
    #[bigtable(key)]
    user: String,
    #[bigtable(time, bucket = "day", unit = "s")]
    at: Timestamp,
    text: String,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "NOW", family = "R", layout = "cells", was(Before))]
struct Now {
    #[bigtable(key)]
    user: String,
    #[bigtable(time, bucket = "week", unit = "s")]
    at: Timestamp,
    text: String,
}

impl From<Before> for Now {
    fn from(Before { user, at, text }: Before) -> Self {
        Self { user, at, text }
    }
}

/// Both layouts are emptied, with the tombstones, which would name the user too.
#[tokio::test]
async fn former_layouts_are_looked_through() {
    for (at_first, db) in backends("forget", "former").into_iter().enumerate() {
        let months = [0, 40].map(|day| at(day * 86_400));
        db.ensure_tables::<Now>().await.unwrap();
        let mut kept = Vec::new();
        for month in months {
            let range = month..month + Duration::from_secs(1);
            db.ensure_periods::<Before>(range).await.unwrap();
        }
        let tables = db.tables().list().await.unwrap();
        let tables: Vec<_> = tables.iter().map(String::as_str).collect();
        for user in ["bob", ANNA, ANN] {
            if user == ANN {
                kept = dump((&*db, at_first == 0), &tables).await;
            }
            for (number, at) in (0..6).flat_map(|second| {
                let of = |month: Timestamp| (second, month + Duration::from_secs(second));
                months.map(of)
            }) {
                let (user, text) = (user.to_owned(), format!("{user} {number}"));
                match number % 3 {
                    0 => db.insert(&Now { user, at, text }).await.map(drop).unwrap(),
                    _ => db
                        .insert(&Before { user, at, text })
                        .await
                        .map(drop)
                        .unwrap(),
                }
            }
            let key = NowKey {
                user: user.to_owned(),
                at: months[0] + Duration::from_secs(1),
            };
            db.delete::<Now>(&key).await.unwrap();
        }
        assert_eq!(db.count(&Now::query().user(ANN)).await.unwrap(), 11);
        let report = db.forget(&Now::query().user(ANN)).await.unwrap();
        assert!(report.is_complete(), "{report}");
        assert_eq!(dump((&*db, at_first == 0), &tables).await, kept);
        assert_eq!(db.count(&Now::query().user("bob")).await.unwrap(), 11);
    }
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "CLICK", family = "R", append_only, rollup(Clicks))]
struct Click {
    #[bigtable(key)]
    user: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    value: i64,
}

#[derive(Debug, Clone, PartialEq, Model, Rollup)]
#[bigtable(table = "CLICKS", family = "SUM")]
#[rollup(of = Click, every = "1h", added)]
struct Clicks {
    #[bigtable(key)]
    user: String,
    #[bigtable(time, unit = "s")]
    start: Timestamp,
    #[bigtable(aggregate = "sum")]
    #[rollup(count)]
    clicks: i64,
}

/// It is the only way to delete append-only events, and deletes the sums that they were added to as
/// well.
#[tokio::test]
async fn append_only_events_go_with_their_sums() {
    let memory: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    memory.ensure_tables::<Click>().await.unwrap();
    for user in ["bob", ANN] {
        for second in 0..9 {
            let (user, at) = (user.to_owned(), at(second * 1_000));
            memory.insert(&Click { user, at, value: 1 }).await.unwrap();
        }
    }
    let report = memory.forget(&Click::query().user(ANN)).await.unwrap();
    assert!(report.is_complete(), "{report}");
    let deleted: Vec<_> = report
        .tables
        .iter()
        .map(|one| (&*one.table, one.deleted))
        .collect();
    assert_eq!(deleted, [("CLICK", 9), ("CLICKS", 3)]);
    let left = dump((&*memory, true), &["CLICK", "CLICKS"]).await;
    assert_eq!(left.len(), 9 + 3);
}

/// Without the table of its copies an event stays, and the call can be repeated.
#[tokio::test]
async fn events_stay_while_copies_may_be_there() {
    for db in backends("forget", "again") {
        db.ensure_tables::<Message>().await.unwrap();
        db.insert(&message(ANN, 1)).await.unwrap();
        let schema = db.tables().get("BY_ROOM").await.unwrap();
        db.tables().delete("BY_ROOM").await.unwrap();
        let failed = db.delete_all(&Message::query().author(ANN)).await;
        assert_eq!((failed.deleted(), failed.not_deleted()), (0, 1));
        assert!(
            failed.failed()[0].error.to_string().contains("BY_ROOM"),
            "{failed:?}"
        );
        let report = db.forget(&Message::query().author(ANN)).await.unwrap();
        assert!(!report.is_complete());
        assert_eq!(db.count(&Message::query().author(ANN)).await.unwrap(), 1);
        db.tables().create(schema, Vec::new()).await.unwrap();
        assert!(
            db.forget(&Message::query().author(ANN))
                .await
                .unwrap()
                .is_complete()
        );
        assert_eq!(db.count(&Message::query().author(ANN)).await.unwrap(), 0);
    }
}

/// The copy of a room's last message stays while that message does.
#[tokio::test]
async fn a_query_deletes_the_copies_of_its_events() {
    for db in backends("forget", "copies") {
        db.ensure_tables::<Message>().await.unwrap();
        for hour in 0..6 {
            db.insert(&message("bob", hour * 3_600)).await.unwrap();
        }
        db.insert(&message("eve", 18_003)).await.unwrap();
        let first = Message::query().author("bob").at(at(0)..at(4 * 3_600));
        let outcome = db.delete_all(&first).await;
        // Four in BY_ROOM and four in NEWEST; the one in SEEN is of a later message.
        assert_eq!((outcome.deleted(), outcome.copies()), (4, 8));
        assert_eq!(db.count(&ByRoom::scan()).await.unwrap(), 3);
        assert_eq!(db.count(&Newest::scan()).await.unwrap(), 1);
        let seen = db.fetch(&Seen::scan()).await.unwrap();
        let room = "room0".to_owned();
        assert_eq!(
            seen,
            [Seen {
                room,
                author: "eve".to_owned()
            }]
        );
    }
}
