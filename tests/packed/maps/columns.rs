//! Packed maps in layout `columns`.

use std::collections::BTreeMap;

use bigtable_model::packed::PackJob;
use bigtable_model::{BackendExt as _, MemoryBackend, Model, Timestamp};

use crate::kinds::emptied;
use crate::world;

#[path = "rounds.rs"]
#[allow(clippy::duplicate_mod, reason = "the same tests of another model")]
mod rounds;

models!("columns", "HOST_COLUMNS", "MARKED_COLUMNS");

/// A column of the row in the family of a map.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "COPIED", family = "M", layout = "columns", pack(after = "1h"))]
struct Copied {
    #[bigtable(key, column = "host", family = "cpu")]
    host: String,
    #[bigtable(time, bucket = "day", unit = "s")]
    at: Timestamp,
    up: bool,
    #[bigtable(columns, family = "cpu")]
    cpu: BTreeMap<String, i64>,
}

#[tokio::test]
async fn a_name_may_begin_like_a_column_of_the_row() {
    let db = MemoryBackend::new();
    emptied::<Copied>(&db).await;
    let mut event = Copied {
        host: "a".to_owned(),
        at: world::at(0),
        up: true,
        cpu: [("user".to_owned(), 1)].into(),
    };
    let key = event.key();
    db.insert(&event).await.unwrap();
    let job = PackJob::new(Copied::SCHEMA).unwrap();
    assert_eq!(job.run(&db).await.unwrap().changed, 1);
    assert_eq!(job.run(&db).await.unwrap().changed, 0);
    let new = [("host:x".to_owned(), 2)];
    db.send(Copied::update(&key).cpu(new.clone().into()))
        .await
        .unwrap();
    event.cpu.extend(new);
    assert_eq!(db.get(&key).await.unwrap().as_ref(), Some(&event));
    assert_eq!(job.run(&db).await.unwrap().changed, 1);
    assert_eq!(db.get(&key).await.unwrap(), Some(event));
}
