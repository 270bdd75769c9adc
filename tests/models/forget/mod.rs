//! A user who is forgotten leaves nothing, and the others keep all of theirs.

mod rows;
mod shared;

use std::time::Duration;

use bigtable_model::mirror::MirrorOf;
use bigtable_model::rollup::{Rollup, RollupJob};
use bigtable_model::{Backend, BackendExt, Model, Timestamp};

use crate::support::{backends, rows};

/// A text that the names and values of the forgotten user contain.
const SECRET: &[u8] = b"xyzzy";

const ANN: &str = "xyzzy-ann";
/// The other's name begins with hers.
const ANNA: &str = "xyzz";

fn at(second: i64) -> Timestamp {
    Timestamp::from_seconds(1_500_000_000 + second)
}

fn has_secret(bytes: &[u8]) -> bool {
    bytes.windows(SECRET.len()).any(|part| part == SECRET)
}

/// Every cell of the tables, as text.
async fn dump((db, is_memory): (&dyn Backend, bool), tables: &[&str]) -> Vec<String> {
    let mut all = Vec::new();
    for table in tables {
        for row in rows(db, table).await {
            for cell in row.cells {
                assert!(!has_secret(&row.key), "{table}: {:?}", row.key);
                assert!(!has_secret(&cell.qualifier), "{table}: {cell:?}");
                assert!(!has_secret(&cell.value), "{table}: {cell:?}");
                let key = row.key.escape_ascii();
                let (qualifier, value) = (cell.qualifier.escape_ascii(), cell.value.escape_ascii());
                let micros = cell.timestamp_micros;
                // Entities are written at the time of the write; their newest values count.
                let micros = match *table {
                    "SEEN" | "LOUD" => 0,
                    _ => micros,
                };
                let column = format!("{table} {key} {}:{qualifier} {micros}", cell.family);
                if micros > 0 || !all.iter().any(|one: &String| one.starts_with(&column)) {
                    all.push(format!("{column} {value}"));
                }
            }
        }
        // The emulator samples the keys of deleted rows too.
        for sample in db.sample_row_keys(table).await.unwrap() {
            assert!(
                !is_memory || !has_secret(&sample.key),
                "{table}: {sample:?}"
            );
        }
    }
    all
}

/// Asserts that both have the same cells.
fn same(one: &[String], other: &[String]) {
    let only = |one: &[String], other: &[String]| -> Vec<String> {
        one.iter()
            .filter(|cell| !other.contains(cell))
            .cloned()
            .collect()
    };
    assert_eq!(
        (only(one, other), only(other, one)),
        (Vec::new(), Vec::new())
    );
}

/// The same test for models in different layouts.
macro_rules! in_layout {
    ($name:ident, ($($attributes:tt)*), ($($time:tt)*) $(, $changed:ident)?) => {
        mod $name {
            use super::*;

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(table = "MESSAGE", family = "M", $($attributes)*)]
            #[bigtable(mirror(ByRoom, Newest, Seen, Loud), rollup(Hour))]
            pub struct Message {
                #[bigtable(key)]
                author: String,
                #[bigtable(time, $($time)*)]
                at: Timestamp,
                room: String,
                text: String,
                note: Option<String>,
            }

            /// Several authors in a row.
            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(table = "BY_ROOM", family = "M", layout = "cells")]
            pub struct ByRoom {
                #[bigtable(key)]
                room: String,
                #[bigtable(time, bucket = "day")]
                at: Timestamp,
                author: String,
                text: String,
                note: Option<String>,
            }

            /// The newest of a room, with its history.
            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(table = "NEWEST", family = "M", layout = "latest")]
            pub struct Newest {
                #[bigtable(key)]
                room: String,
                #[bigtable(time, unit = "ms")]
                at: Timestamp,
                author: String,
                text: String,
            }

            /// Who wrote last: a row that all authors share.
            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(table = "SEEN", family = "M")]
            pub struct Seen {
                #[bigtable(key)]
                pub room: String,
                pub author: String,
            }

            /// Some messages, which know theirs.
            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(table = "LOUD", family = "M")]
            pub struct Loud {
                #[bigtable(key)]
                text: String,
                author: String,
                second: i64,
            }

            #[derive(Debug, Clone, PartialEq, Model, Rollup)]
            #[bigtable(table = "HOUR", family = "M")]
            #[rollup(of = Message, every = "1h", longer(every = "month", table = "MONTH"))]
            pub struct Hour {
                #[bigtable(key)]
                author: String,
                #[bigtable(time, unit = "s")]
                start: Timestamp,
                #[rollup(count)]
                messages: u64,
                #[rollup(last(text))]
                text: String,
            }

            impl From<&Message> for ByRoom {
                fn from(message: &Message) -> Self {
                    let Message { author, at, room, text, note } = message.clone();
                    Self { room, at, author, text, note }
                }
            }

            impl From<&Message> for Newest {
                fn from(message: &Message) -> Self {
                    let Message { author, at, room, text, .. } = message.clone();
                    Self { room, at, author, text }
                }
            }

            impl From<&Message> for Seen {
                fn from(message: &Message) -> Self {
                    let Message { author, room, .. } = message.clone();
                    Self { room, author }
                }
            }

            impl MirrorOf<Message> for Loud {
                fn mirror_of(message: &Message) -> Option<Self> {
                    let Message { author, at, text, .. } = message.clone();
                    let second = at.as_seconds();
                    text.ends_with("-loud").then_some(Self { text, author, second })
                }

                fn source_key(&self) -> Option<MessageKey> {
                    let (author, at) = (self.author.clone(), Timestamp::from_seconds(self.second));
                    Some(MessageKey { author, at })
                }
            }

            const TABLES: [&str; 7] = ["MESSAGE", "BY_ROOM", "NEWEST", "SEEN", "LOUD", "HOUR", "MONTH"];

            pub fn message(author: &str, second: i64) -> Message {
                Message {
                    author: author.to_owned(),
                    at: at(second),
                    room: format!("room{}", second % 3),
                    text: format!("{author}-at-{second}{}", if second % 5 == 1 { "-loud" } else { "" }),
                    note: (second % 2 == 0).then(|| format!("note of {author}")),
                }
            }

            #[tokio::test]
            async fn nothing_of_a_user_is_left() {
                let others = backends("forget", concat!(stringify!($name), "-others"));
                let both = backends("forget", stringify!($name)).into_iter().zip(others);
                for (at_first, (db, without)) in both.enumerate() {
                    let is_memory = at_first == 0;
                    for db in [&db, &without] {
                        db.ensure_tables::<Message>().await.unwrap();
                    }
                    for second in (0..40).map(|hour| hour * 1_801) {
                        for (author, later) in [(ANNA, 3), ("bob", 0)] {
                            let other = message(author, second + later);
                            db.insert(&other).await.unwrap();
                            without.insert(&other).await.unwrap();
                        }
                        db.insert(&message(ANN, second + 1)).await.unwrap();
                    }
                    $(
                        // Its copies still have the note.
                        let $changed = message(ANN, 2).key();
                        db.send(Message::update(&$changed).note(None).text("xyzzy is new")).await.unwrap();
                        // A row that is not an event.
                        let late = message(ANN, 900_000).key();
                        db.send(Message::update(&late).note("xyzzy".to_owned())).await.unwrap();
                    )?
                    let job = RollupJob::<Hour>::new().settle(Duration::ZERO);
                    for db in [&db, &without] {
                        assert_eq!(job.run(&**db).await.unwrap().failed, 0);
                    }
                    // A mark.
                    db.insert(&message(ANN, 72_002)).await.unwrap();
                    let report = db.forget(&Message::query().author(ANN)).await.unwrap();
                    assert!(report.is_complete(), "{report}");
                    assert!(report.copies >= 40, "{report}");
                    assert!(report.tables.iter().any(|table| table.table == "MONTH" && table.deleted > 0));
                    // She wrote last; the copy of the newest of the others comes back.
                    if stringify!($name) != "latest" {
                        for db in [&db, &without] {
                            let _ = db.repair(&Message::scan()).await.unwrap();
                        }
                        same(&dump((&*db, is_memory), &TABLES).await, &dump((&*without, is_memory), &TABLES).await);
                    }
                    dump((&*db, is_memory), &TABLES).await;
                    let again = db.forget(&Message::query().author(ANN)).await.unwrap();
                    assert_eq!(again.tables.iter().map(|table| table.deleted).sum::<u64>(), 0);
                }
            }
        }
    };
}

in_layout!(
    row,
    (salt(shards = 3, of(author, at))),
    (unit = "s"),
    changed
);
in_layout!(
    cells,
    (layout = "cells"),
    (bucket = "day", unit = "s"),
    changed
);
in_layout!(
    columns,
    (layout = "columns"),
    (bucket = "hour", unit = "s"),
    changed
);
in_layout!(
    week,
    (layout = "columns"),
    (
        bucket = "week",
        label = "week{n}",
        origin = "2016-01-04",
        unit = "s"
    ),
    changed
);
in_layout!(
    json,
    (layout = "cells", serialize(json)),
    (bucket = "day", unit = "s")
);
