//! Concurrent writers and readers on the memory backend: 5 seconds, or 60 with
//! `BIGTABLE_MODEL_NIGHTLY=1`.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "tests"
)]

#[path = "concurrency/held_scan.rs"]
mod held_scan;
#[path = "concurrency/load.rs"]
mod load;
#[path = "concurrency/saving.rs"]
mod saving;

use bigtable_model::backend::memory::MemoryBackend;
use bigtable_model::data::{
    FamilySchema, Mutation, ReadRows, Row, RowMutations, RowSet, TableSchema,
};
use bigtable_model::{Backend, Status};
use bytes::Bytes;
use futures::TryStreamExt;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

/// Counts the allocations of an open scan.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

/// Tests that measure time or memory run one after the other.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// A table `t` with the family `f`.
async fn database() -> MemoryBackend {
    let db = MemoryBackend::new();
    let schema = TableSchema {
        table: "t".to_owned(),
        families: [("f".to_owned(), FamilySchema::default())].into(),
        ..TableSchema::default()
    };
    db.tables().create(schema, Vec::new()).await.unwrap();
    db
}

fn set(qualifier: &'static [u8], value: Bytes) -> Mutation {
    Mutation::SetCell {
        family: "f".into(),
        qualifier: Bytes::from_static(qualifier),
        timestamp_micros: 0,
        value,
    }
}

async fn write(db: &MemoryBackend, key: Bytes, mutations: Vec<Mutation>) -> Result<(), Status> {
    db.mutate_row("t", RowMutations { key, mutations }).await
}

fn request(rows: RowSet) -> ReadRows {
    ReadRows {
        table: "t".to_owned(),
        rows,
        ..ReadRows::default()
    }
}

async fn get(db: &MemoryBackend, key: Bytes) -> Option<Row> {
    let mut rows = db.read_rows(request(RowSet::key(key))).rows();
    rows.try_next().await.unwrap()
}

/// The number in the newest cell of a column.
fn number(row: &Row, qualifier: &[u8]) -> Option<u64> {
    let cell = row.column("f", qualifier).next()?;
    let bytes = cell.value.as_ref().try_into().unwrap();
    Some(u64::from_be_bytes(bytes))
}

fn bytes(number: u64) -> Bytes {
    Bytes::copy_from_slice(&number.to_be_bytes())
}
