//! What a salted query reads and holds, counted at the backend.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bigtable_model::backend::{EntryOutcome, RowStream};
use bigtable_model::data::{
    CheckAndMutateRow, FamilyChange, ReadModifyWriteRow, ReadRows, Row, RowDeletion, RowKeySample,
    RowMutations, TableSchema,
};
use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Status, Timestamp};
use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{StreamExt as _, TryStreamExt as _};

const SHARDS: usize = 64;
const EVENTS: u32 = 1_000_000;

/// A tick of a series that one node could not take alone.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "TICK", family = "T", salt(shards = 64, of(source, at)))]
struct Tick {
    #[bigtable(key)]
    source: u8,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    number: u32,
}

/// Counts the rows that reads deliver.
#[derive(Debug, Clone)]
struct Counting {
    inner: MemoryBackend,
    reads: Arc<AtomicUsize>,
    rows: Arc<AtomicUsize>,
}

impl Backend for Counting {
    fn handle(&self) -> Arc<dyn Backend> {
        Arc::new(self.clone())
    }

    fn read_rows(&self, request: ReadRows) -> RowStream {
        self.reads.fetch_add(1, Ordering::Relaxed);
        let rows = self.rows.clone();
        let count = move |_: &Row| {
            rows.fetch_add(1, Ordering::Relaxed);
        };
        self.inner.read_rows(request).inspect_ok(count).boxed()
    }

    fn mutate_row<'a>(
        &'a self,
        table: &'a str,
        row: RowMutations,
    ) -> BoxFuture<'a, Result<(), Status>> {
        self.inner.mutate_row(table, row)
    }

    fn mutate_rows<'a>(
        &'a self,
        table: &'a str,
        rows: Vec<RowMutations>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        self.inner.mutate_rows(table, rows)
    }

    fn check_and_mutate_row(
        &self,
        request: CheckAndMutateRow,
    ) -> BoxFuture<'_, Result<bool, Status>> {
        self.inner.check_and_mutate_row(request)
    }

    fn read_modify_write_row(
        &self,
        request: ReadModifyWriteRow,
    ) -> BoxFuture<'_, Result<Row, Status>> {
        self.inner.read_modify_write_row(request)
    }

    fn sample_row_keys<'a>(
        &'a self,
        table: &'a str,
    ) -> BoxFuture<'a, Result<Vec<RowKeySample>, Status>> {
        self.inner.sample_row_keys(table)
    }

    fn create_table(
        &self,
        schema: TableSchema,
        splits: Vec<Bytes>,
    ) -> BoxFuture<'_, Result<(), Status>> {
        self.inner.create_table(schema, splits)
    }

    fn get_table<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<TableSchema, Status>> {
        self.inner.get_table(table)
    }

    fn list_tables(&self) -> BoxFuture<'_, Result<Vec<String>, Status>> {
        self.inner.list_tables()
    }

    fn delete_table<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<(), Status>> {
        self.inner.delete_table(table)
    }

    fn modify_families<'a>(
        &'a self,
        table: &'a str,
        changes: Vec<FamilyChange>,
    ) -> BoxFuture<'a, Result<TableSchema, Status>> {
        self.inner.modify_families(table, changes)
    }

    fn drop_rows<'a>(
        &'a self,
        table: &'a str,
        rows: RowDeletion,
    ) -> BoxFuture<'a, Result<(), Status>> {
        self.inner.drop_rows(table, rows)
    }
}

async fn filled() -> Counting {
    let db = MemoryBackend::new();
    db.ensure_table::<Tick>().await.unwrap();
    let numbers: Vec<u32> = (0..EVENTS).collect();
    for numbers in numbers.chunks(10_000) {
        let ticks: Vec<_> = numbers
            .iter()
            .map(|&number| Tick {
                source: 1,
                at: Timestamp::from_millis(1_426_535_612_000 + i64::from(number)),
                number,
            })
            .collect();
        db.insert_many(&ticks).await.into_result().unwrap();
    }
    Counting {
        inner: db,
        reads: Arc::default(),
        rows: Arc::default(),
    }
}

/// Newest first, `n` of them: how many rows were delivered, and how many of them at most before their events were handed out.
async fn newest(db: &Counting, n: u64) -> (Vec<u32>, usize, usize) {
    db.rows.store(0, Ordering::Relaxed);
    db.reads.store(0, Ordering::Relaxed);
    let mut ticks = Tick::query().source(1).newest_first().limit(n).stream(db);
    let (mut numbers, mut held) = (Vec::new(), 0);
    while let Some(tick) = ticks.try_next().await.unwrap() {
        // The one at hand was delivered too.
        held = held.max(db.rows.load(Ordering::Relaxed) - numbers.len());
        numbers.push(tick.number);
    }
    (numbers, db.rows.load(Ordering::Relaxed), held)
}

#[tokio::test]
async fn the_newest_of_a_million_over_64_shards_are_few_rows() {
    let db = filled().await;
    let (numbers, rows, held) = newest(&db, 10).await;
    let last: Vec<u32> = (EVENTS - 10..EVENTS).rev().collect();
    assert_eq!(numbers, last);
    assert_eq!(db.reads.load(Ordering::Relaxed), SHARDS);
    assert!(rows <= 10 * SHARDS, "{rows} rows were read");
    assert!(held <= SHARDS, "{held} rows were held");

    let latest = Tick::query().source(1).latest(10, &db).await.unwrap();
    let latest: Vec<_> = latest.iter().map(|tick| tick.number).collect();
    assert_eq!(latest, last);
}
