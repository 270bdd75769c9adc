//! What the conformance suite cannot reach: time, garbage, limits, concurrency, and properties over
//! random data.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tests"
)]

mod concurrency;
mod emulator;
mod garbage;
mod limits;
mod rows;
mod scans;
mod table;
mod time;
mod turns;

use bytes::Bytes;
use futures::TryStreamExt;

use super::MemoryBackend;
use crate::Backend;
use crate::Status;
use crate::data::{FamilySchema, GcRule, Mutation, ReadRows, Row, RowMutations, TableSchema};

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(future)
}

/// A table `t` with one family `f` that has this rule.
fn create(db: &MemoryBackend, gc_rule: Option<GcRule>) {
    let family = FamilySchema {
        gc_rule,
        aggregate: None,
    };
    let schema = TableSchema {
        table: "t".to_owned(),
        families: [("f".to_owned(), family)].into(),
        ..TableSchema::default()
    };
    block_on(db.tables().create(schema, Vec::new())).unwrap();
}

fn database() -> MemoryBackend {
    let db = MemoryBackend::new();
    create(&db, None);
    db
}

fn set(qualifier: &str, timestamp_micros: i64, value: impl Into<Bytes>) -> Mutation {
    Mutation::SetCell {
        family: "f".into(),
        qualifier: Bytes::copy_from_slice(qualifier.as_bytes()),
        timestamp_micros,
        value: value.into(),
    }
}

fn write(db: &MemoryBackend, key: &str, mutations: Vec<Mutation>) -> Result<(), Status> {
    let key = Bytes::copy_from_slice(key.as_bytes());
    block_on(db.mutate_row("t", RowMutations { key, mutations }))
}

fn request() -> ReadRows {
    ReadRows {
        table: "t".to_owned(),
        ..ReadRows::default()
    }
}

fn read(db: &MemoryBackend, request: ReadRows) -> Result<Vec<Row>, Status> {
    block_on(db.read_rows(request).rows().try_collect())
}

/// The cells of the whole table as `key qualifier@milliseconds`.
fn shown(db: &MemoryBackend) -> Vec<String> {
    let rows = read(db, request()).unwrap();
    let cells = rows
        .iter()
        .flat_map(|row| row.cells.iter().map(move |cell| (row, cell)));
    let shown = cells.map(|(row, cell)| {
        let time = cell.timestamp_micros / 1_000;
        format!(
            "{} {}@{time}",
            row.key.escape_ascii(),
            cell.qualifier.escape_ascii()
        )
    });
    shown.collect()
}
