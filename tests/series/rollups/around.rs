//! Writes without marks, and whether the tests detect a missing mark.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bigtable_model::backend::{EntryOutcome, Wrapper};
use bigtable_model::copy::CopyJob;
use bigtable_model::data::{EntryBatch, Mutation, ReadRows, RowDeletion, RowMutations};
use bigtable_model::rollup::mark_events;
use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Status, Timestamp};
use fastrand::Rng;
use futures::TryStreamExt as _;
use futures::future::{BoxFuture, FutureExt as _};

use super::models::{Trade, cells, columns, rows, weeks};
use super::random::{SYMBOLS, check_tables, check_windows, run, stored, trade};

const DAY: i64 = 86_400_000;

/// Loses some requests that mark buckets, and reports success.
#[derive(Debug, Clone)]
struct Unmarked {
    inner: Arc<dyn Backend>,
    one_in: u64,
    marks: Arc<AtomicU64>,
}

impl Unmarked {
    fn over(inner: Arc<dyn Backend>, one_in: u64) -> Arc<dyn Backend> {
        let marks = Arc::default();
        Arc::new(Self {
            inner,
            one_in,
            marks,
        })
    }
}

fn is_mark(mutation: &Mutation) -> bool {
    matches!(mutation, Mutation::SetCell { qualifier, .. } if &**qualifier == b"~dirty")
}

impl Wrapper for Unmarked {
    fn inner(&self) -> &dyn Backend {
        &*self.inner
    }

    fn mutate_rows<'a>(
        &'a self,
        table: &'a str,
        entries: Arc<EntryBatch>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        let rows = entries.to_rows().unwrap();
        let marks = rows.iter().flat_map(|row| &row.mutations).any(is_mark);
        if marks && self.marks.fetch_add(1, Ordering::Relaxed) % self.one_in == self.one_in - 1 {
            let outcomes = rows.iter().map(|_| Ok(())).collect();
            return Box::pin(async move { Ok(outcomes) });
        }
        self.inner.mutate_rows(table, entries)
    }
}

/// How many seeds are tried.
const SEEDS: usize = 8;

/// The seeds for which the random test finds a difference when marks are lost.
async fn found<T: Trade>(one_in: u64) -> usize {
    let mut found = 0;
    for seed in 0..SEEDS {
        let memory: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
        let db = Unmarked::over(memory, one_in);
        let run = AssertUnwindSafe(run::<T>(db, seed as u64, 40)).catch_unwind();
        if let Err(panic) = run.await {
            let text = panic.downcast::<String>().unwrap();
            assert!(text.contains("left == right"), "{text}");
            found += 1;
        }
    }
    found
}

async fn is_found<T: Trade>() {
    assert_eq!(found::<T>(1).await, SEEDS, "all marks are lost");
    // If a bucket is written again, a lost mark no longer shows.
    let some = found::<T>(8).await;
    assert!(
        some >= SEEDS / 4,
        "an eighth of the marks is lost: {some} of {SEEDS}"
    );
    assert_eq!(found::<T>(u64::MAX).await, 0, "none is");
}

/// The random test detects missing marks.
#[tokio::test]
async fn a_lost_mark_is_found() {
    is_found::<rows::Trade>().await;
    is_found::<cells::Trade>().await;
    is_found::<columns::Trade>().await;
    is_found::<weeks::Trade>().await;
}

/// The rows of a table as in a backup.
async fn backup(db: &dyn Backend, table: &str) -> Vec<RowMutations> {
    let all = ReadRows {
        table: table.to_owned(),
        ..ReadRows::default()
    };
    let rows: Vec<_> = db.read_rows(all).rows().try_collect().await.unwrap();
    let cells = |row: bigtable_model::data::Row| RowMutations {
        key: row.key,
        mutations: row
            .cells
            .into_iter()
            .map(|cell| Mutation::SetCell {
                family: cell.family,
                qualifier: cell.qualifier,
                timestamp_micros: cell.timestamp_micros,
                value: cell.value,
            })
            .collect(),
    };
    rows.into_iter().map(cells).collect()
}

async fn fill<T: Trade>(db: &dyn Backend, rng: &mut Rng) {
    let trades: Vec<T> = (0..60).map(|_| T::of(trade::<T>(rng))).collect();
    db.insert_many(&trades).await.into_result().unwrap();
}

/// A restored table has events that its roll-ups lack, and lacks some that they have.
async fn restore<T: Trade>() {
    let db = MemoryBackend::new();
    db.ensure_tables::<T>().await.unwrap();
    let mut rng = Rng::with_seed(5);
    let table = T::SCHEMA.table.to_string();
    fill::<T>(&db, &mut rng).await;
    let old = backup(&db, &table).await;
    let all = || T::asked(&SYMBOLS, T::START - DAY, T::START + 9 * DAY);
    db.delete_all(&all()).await.into_result().unwrap();
    fill::<T>(&db, &mut rng).await;
    check_tables::<T>(&db).await;

    db.tables()
        .drop_rows(&table, RowDeletion::All)
        .await
        .unwrap();
    for outcome in db.mutate_rows(&table, EntryBatch::of(old)).await.unwrap() {
        outcome.unwrap();
    }
    let marked = mark_events(&all(), &db).await.unwrap();
    assert_eq!(marked, stored::<T>(&db).await.len() as u64);
    check_windows::<T>(&db, &mut rng).await;
    check_tables::<T>(&db).await;

    // Of one series; the stored events of the others stay.
    db.tables()
        .drop_rows(&table, RowDeletion::All)
        .await
        .unwrap();
    for symbol in SYMBOLS {
        let series = T::asked(&[symbol], T::START - DAY, T::START + 9 * DAY);
        assert_eq!(mark_events(&series, &db).await.unwrap(), 0);
    }
    check_windows::<T>(&db, &mut rng).await;
    check_tables::<T>(&db).await;
}

#[tokio::test]
async fn a_restored_table_is_marked() {
    restore::<rows::Trade>().await;
    restore::<cells::Trade>().await;
    restore::<columns::Trade>().await;
    restore::<weeks::Trade>().await;
}

/// A row from when buckets had another length is not a current bucket, and is deleted.
#[tokio::test]
async fn buckets_of_a_former_length_go() {
    let db = MemoryBackend::new();
    db.ensure_tables::<rows::Trade>().await.unwrap();
    let mut rng = Rng::with_seed(7);
    fill::<rows::Trade>(&db, &mut rng).await;
    check_tables::<rows::Trade>(&db).await;
    let former = RowMutations {
        key: format!("IBM#{}", rows::Trade::START / 1_000 + 30).into(),
        mutations: vec![Mutation::SetCell {
            family: "B".into(),
            qualifier: "trades".into(),
            timestamp_micros: 0,
            value: 9_u64.to_be_bytes().to_vec().into(),
        }],
    };
    let written = db
        .mutate_rows("MINUTE", EntryBatch::of([former]))
        .await
        .unwrap();
    assert_eq!(written, [Ok(())]);
    check_windows::<rows::Trade>(&db, &mut rng).await;
    let all = rows::Trade::asked(&SYMBOLS, rows::Trade::START, rows::Trade::START + 9 * DAY);
    mark_events(&all, &db).await.unwrap();
    check_tables::<rows::Trade>(&db).await;
}

/// The trades of another table.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "OLD", family = "T")]
struct Old {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    price: i64,
    shares: Option<i64>,
}

/// A copy job marks what it writes.
async fn copy<T: Trade>() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Old>().await.unwrap();
    db.ensure_tables::<T>().await.unwrap();
    let mut rng = Rng::with_seed(6);
    fill::<T>(&db, &mut rng).await;
    check_tables::<T>(&db).await;
    let old: Vec<_> = (0..60).map(|_| trade::<T>(&mut rng)).collect();
    let rows = old.into_iter().map(|one| Old {
        symbol: one.symbol,
        at: Timestamp::from_millis(one.millis),
        price: one.price,
        shares: one.shares,
    });
    db.insert_many(rows).await.into_result().unwrap();
    let convert = |old: Old| {
        T::of(super::models::Plain {
            symbol: old.symbol,
            millis: old.at.as_millis(),
            price: old.price,
            shares: old.shares,
        })
    };
    let job = CopyJob::new(&Old::scan(), convert).without_verification();
    job.run(&db).await.unwrap();
    check_windows::<T>(&db, &mut rng).await;
    check_tables::<T>(&db).await;
}

#[tokio::test]
async fn a_copy_job_marks_what_it_writes() {
    copy::<rows::Trade>().await;
    copy::<cells::Trade>().await;
    copy::<columns::Trade>().await;
    copy::<weeks::Trade>().await;
}
