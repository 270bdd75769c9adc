//! How many rows are read for pages of events of one time.

use super::probe::Probe;
use crate::model::Model;
use crate::{BackendExt, Timestamp};

const ROOMS: [&str; 3] = ["a", "b", "é"];
const SIZE: u64 = 2;

/// A model of messages, and pages of the messages of three rooms in both orders.
macro_rules! messages {
    ($module:ident, [$($of_struct:tt)*], [$($of_time:tt)*]) => {
        mod $module {
            use super::*;

            #[derive(Debug, Clone, PartialEq, bigtable_derive::Model)]
            #[bigtable(crate = crate, table = "QUOTE", family = "MD", $($of_struct)*)]
            struct Message {
                #[bigtable(key)]
                room: String,
                #[bigtable(time, $($of_time)*)]
                at: Timestamp,
                #[bigtable(tie_breaker)]
                id: u32,
                text: String,
            }

            fn message(room: &str, second: i64, id: u32) -> Message {
                Message {
                    room: room.to_owned(),
                    at: Timestamp::from_seconds(second),
                    id,
                    text: "x".to_owned(),
                }
            }

            #[tokio::test]
            async fn no_page_reads_what_others_returned() {
                let db = Probe::split_at(Vec::new()).await;
                let mut messages = Vec::new();
                for room in ROOMS {
                    messages.extend([1, 3].map(|second| message(room, second, 0)));
                    messages.extend((0..20).map(|id| message(room, 2, id)));
                }
                db.insert_many(&messages).await.into_result().unwrap();
                let oldest_first = Message::query().room(ROOMS).events();
                let newest_first = oldest_first.clone().newest_first();
                let mut of_both = Vec::new();
                for query in [oldest_first, newest_first] {
                    let (mut found, mut token) = (Vec::new(), None);
                    loop {
                        db.log().forget();
                        let page = db.page(&query, SIZE, token.as_ref()).await.unwrap();
                        found.extend(page.events);
                        // Each room is one read, of a page and the row after it.
                        let (reads, rows) = (db.log().requests().len(), db.log().rows());
                        assert!(reads <= 3, "{reads} reads after {}", found.len());
                        assert!(rows <= 9, "{rows} rows after {}", found.len());
                        match page.next {
                            Some(next) => token = Some(next),
                            None => break,
                        }
                    }
                    assert_eq!(found.len(), messages.len());
                    of_both.push(found);
                }
                of_both[1].reverse();
                assert_eq!(of_both[0], of_both[1]);
            }
        }
    };
}

messages!(plain, [], [unit = "s"]);
messages!(reversed, [], [unit = "s", reverse]);
messages!(binary, [], [binary]);
messages!(fields, [], [format = "%Y%m%d%H%M%S"]);
messages!(salted, [salt(shards = 4, of(room))], [unit = "s"]);
