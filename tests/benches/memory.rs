//! The memory store compared with a plain map of keys and values: 100,000 rows with one cell of 100
//! bytes.
//!
//! `cargo bench -p bigtable-model-tests --bench memory`
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark may panic"
)]

mod support;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::ops::Bound;
use std::time::Duration;

use bigtable_model::MemoryBackend;
use bigtable_model::backend::{Backend, memory::MemoryRow};
use bigtable_model::data::{
    EntryBatch, FamilySchema, Mutation, ReadRows, RowFilter, RowMutations, RowRange, RowSet,
    TableSchema,
};
use bytes::Bytes;
use bytestring::ByteString;
use criterion::{Criterion, criterion_group};
use futures::TryStreamExt as _;
use support::{compare, timed, way};
use tokio::runtime::{Builder, Runtime};

type Map = BTreeMap<Vec<u8>, Vec<u8>>;

const ROWS: u32 = 100_000;
const TABLE: &str = "QUOTE";
const FAMILY: ByteString = ByteString::from_static("MD");
const QUALIFIER: Bytes = Bytes::from_static(b"BID");

/// Keys of quotes and values of 100 bytes, sorted by key.
fn sorted() -> Vec<(Vec<u8>, Vec<u8>)> {
    (0..ROWS)
        .map(|number| {
            let symbol = number / 1_000;
            let time = 1_426_535_612_156_u64 + u64::from(number) * 17;
            let key = format!("NASDAQ#S{symbol:04}#{time:013}").into_bytes();
            let value = number.to_be_bytes().repeat(25);
            (key, value)
        })
        .collect()
}

/// The same in random order.
fn shuffled() -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut rows = sorted();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for last in (1..rows.len()).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let other = usize::try_from(state >> 33).unwrap() % (last + 1);
        rows.swap(last, other);
    }
    rows
}

fn runtime() -> Runtime {
    Builder::new_current_thread().build().unwrap()
}

async fn empty() -> MemoryBackend {
    let db = MemoryBackend::new();
    let families = [(FAMILY.to_string(), FamilySchema::default())].into();
    let table = TABLE.to_owned();
    let schema = TableSchema {
        table,
        families,
        ..TableSchema::default()
    };
    db.tables().create(schema, Vec::new()).await.unwrap();
    db
}

fn entry(key: &[u8], value: &[u8]) -> RowMutations {
    let set = Mutation::SetCell {
        family: FAMILY,
        qualifier: QUALIFIER,
        timestamp_micros: 1_426_535_612_156_000,
        value: Bytes::copy_from_slice(value),
    };
    RowMutations {
        key: Bytes::copy_from_slice(key),
        mutations: vec![set],
    }
}

fn fill_map(rows: &[(Vec<u8>, Vec<u8>)]) -> Map {
    let mut map = Map::new();
    for (key, value) in rows {
        map.insert(key.clone(), value.clone());
    }
    map
}

async fn fill(rows: &[(Vec<u8>, Vec<u8>)]) -> MemoryBackend {
    let db = empty().await;
    for (key, value) in rows {
        db.mutate_row(TABLE, entry(key, value)).await.unwrap();
    }
    db
}

async fn fill_in_bulk(rows: &[(Vec<u8>, Vec<u8>)]) -> MemoryBackend {
    let db = empty().await;
    for rows in rows.chunks(1_000) {
        let entries = rows.iter().map(|(key, value)| entry(key, value));
        let outcomes = db
            .mutate_rows(TABLE, EntryBatch::of(entries))
            .await
            .unwrap();
        assert!(outcomes.iter().all(Result::is_ok));
    }
    db
}

/// Reads a byte of every key and value, so none is optimized away.
fn look(key: &[u8], value: &[u8]) -> usize {
    key.len() + usize::from(value[0])
}

fn scan_map(map: &Map, start: &[u8]) -> usize {
    let rows = map.range::<[u8], _>((Bound::Included(start), Bound::Unbounded));
    rows.map(|(key, value)| look(key, value)).sum()
}

fn clone_map(map: &Map, start: &[u8]) -> usize {
    let rows = map.range::<[u8], _>((Bound::Included(start), Bound::Unbounded));
    rows.map(|(key, value)| (key.clone(), value.clone()))
        .map(|(key, value)| look(&key, &value))
        .sum()
}

fn from(start: &[u8]) -> RowRange {
    RowRange {
        start: Bound::Included(Bytes::copy_from_slice(start)),
        end: Bound::Unbounded,
    }
}

fn scan_table(db: &MemoryBackend, start: &[u8]) -> usize {
    let rows = db.table(TABLE).unwrap().range(from(start));
    rows.map(|row| look_at_row(&row.unwrap())).sum()
}

fn scan_batches(db: &MemoryBackend, start: &[u8]) -> usize {
    let mut rows = db.table(TABLE).unwrap().range(from(start));
    let mut sum = 0;
    loop {
        let batch = rows.next_batch().unwrap();
        if batch.is_empty() {
            return sum;
        }
        sum += batch.iter().map(look_at_row).sum::<usize>();
    }
}

fn look_at_row(row: &MemoryRow) -> usize {
    let values = row.cells().map(|cell| usize::from(cell.value[0]));
    row.key().len() + values.sum::<usize>()
}

fn request(start: &[u8], filter: Option<RowFilter>) -> ReadRows {
    ReadRows {
        table: TABLE.to_owned(),
        rows: RowSet::range(from(start)),
        filter,
        ..ReadRows::default()
    }
}

/// As queries read.
async fn scan_in_batches(db: &MemoryBackend, start: &[u8], filter: Option<RowFilter>) -> usize {
    let mut batches = db.read_rows(request(start, filter));
    let mut sum = 0;
    while let Some(batch) = batches.try_next().await.unwrap() {
        let looked_at = batch
            .rows()
            .map(|row| look(row.key(), row.cell(0).unwrap().value()));
        sum += looked_at.sum::<usize>();
    }
    sum
}

async fn scan_backend(db: &MemoryBackend, start: &[u8], filter: Option<RowFilter>) -> usize {
    let mut rows = db.read_rows(request(start, filter)).rows();
    let mut sum = 0;
    while let Some(row) = rows.try_next().await.unwrap() {
        sum += look(&row.key, &row.cells[0].value);
    }
    sum
}

async fn get(db: &MemoryBackend, key: &[u8]) -> usize {
    let mut rows = db
        .read_rows(ReadRows {
            table: TABLE.to_owned(),
            rows: RowSet::key(Bytes::copy_from_slice(key)),
            rows_limit: 1,
            ..ReadRows::default()
        })
        .rows();
    let row = rows.try_next().await.unwrap().unwrap();
    look(&row.key, &row.cells[0].value)
}

/// The filter of a typed query of one column: family, qualifier, newest version.
fn one_column() -> RowFilter {
    RowFilter::Chain(vec![
        RowFilter::FamilyRegex("MD".to_owned()),
        RowFilter::QualifierRegex(QUALIFIER),
        RowFilter::CellsPerColumnLimit(1),
    ])
}

fn puts(criterion: &mut Criterion) {
    let runtime = runtime();
    let rows = shuffled();
    let mut group = criterion.benchmark_group("memory put");
    group.sample_size(10);
    group.bench_function("map", |bencher| bencher.iter(|| fill_map(&rows)));
    group.bench_function("mutate_row", |bencher| {
        bencher.iter(|| runtime.block_on(fill(&rows)));
    });
    group.bench_function("mutate_rows", |bencher| {
        bencher.iter(|| runtime.block_on(fill_in_bulk(&rows)));
    });
    group.finish();
}

fn scans(criterion: &mut Criterion) {
    let runtime = runtime();
    let rows = sorted();
    let (map, db) = (fill_map(&rows), runtime.block_on(fill(&rows)));
    let start = rows[0].0.as_slice();
    let mut group = criterion.benchmark_group("memory scan");
    group.sample_size(20);
    group.bench_function("map, borrowed", |bencher| {
        bencher.iter(|| scan_map(&map, black_box(start)));
    });
    group.bench_function("map, cloned", |bencher| {
        bencher.iter(|| clone_map(&map, black_box(start)));
    });
    group.bench_function("table", |bencher| {
        bencher.iter(|| scan_table(&db, black_box(start)));
    });
    group.bench_function("table, in batches", |bencher| {
        bencher.iter(|| scan_batches(&db, black_box(start)));
    });
    group.bench_function("read_rows", |bencher| {
        bencher.iter(|| runtime.block_on(scan_backend(&db, black_box(start), None)));
    });
    group.finish();
}

/// The time of a run over all rows, without the time of dropping the result.
fn ratio_of_puts(runtime: &Runtime, title: &str, rows: &[(Vec<u8>, Vec<u8>)]) {
    compare(
        title,
        ROWS,
        15,
        [
            way("map", || kept(|| fill_map(rows))),
            way("mutate_row, one by one (at least 0.40)", || {
                kept(|| runtime.block_on(fill(rows)))
            }),
            way("mutate_rows, 1,000 at a time", || {
                kept(|| runtime.block_on(fill_in_bulk(rows)))
            }),
        ],
    );
}

/// Times without dropping the result.
fn kept<T>(run: impl FnOnce() -> T) -> Duration {
    let mut result = None;
    timed(|| result = Some(run()))
}

fn ratio_of_scans(runtime: &Runtime, title: &str, rows: &[(Vec<u8>, Vec<u8>)]) {
    let (map, db) = (&fill_map(rows), &runtime.block_on(fill(rows)));
    let start = b"NASDAQ".as_slice();
    compare(
        &format!("{title}: borrowed"),
        ROWS,
        25,
        [
            way("map", || timed(|| scan_map(map, start))),
            way("table, row by row", || timed(|| scan_table(db, start))),
            way("table, in batches (at least 0.30)", || {
                timed(|| scan_batches(db, start))
            }),
        ],
    );
    let filtered =
        |filter: Option<RowFilter>| timed(|| runtime.block_on(scan_backend(db, start, filter)));
    compare(
        &format!("{title}: owned"),
        ROWS,
        25,
        [
            way("map, cloned", || timed(|| clone_map(map, start))),
            way("rows one by one (at least 0.30)", || filtered(None)),
            way("in batches (at least 0.30)", || {
                timed(|| runtime.block_on(scan_in_batches(db, start, None)))
            }),
            way("in batches, one column, newest version", || {
                timed(|| runtime.block_on(scan_in_batches(db, start, Some(one_column()))))
            }),
            way("rows, newest version", || {
                filtered(Some(RowFilter::CellsPerColumnLimit(1)))
            }),
            way("rows, one column, newest version", || {
                filtered(Some(one_column()))
            }),
        ],
    );
}

fn ratio_of_gets(runtime: &Runtime, rows: &[(Vec<u8>, Vec<u8>)]) {
    let (map, db) = (&fill_map(rows), &runtime.block_on(fill(rows)));
    let table = &db.table(TABLE).unwrap();
    compare(
        "get",
        ROWS,
        15,
        [
            way("map", || {
                timed(|| {
                    let sums = rows.iter().map(|(key, _)| look(key, &map[key]));
                    sums.sum::<usize>()
                })
            }),
            way("table", || {
                timed(|| {
                    let got = rows.iter().map(|(key, _)| table.get(key).unwrap().unwrap());
                    got.map(|row| row.key().len()).sum::<usize>()
                })
            }),
            way("read_rows", || {
                timed(|| {
                    runtime.block_on(async {
                        let mut sum = 0;
                        for (key, _) in rows {
                            sum += get(db, key).await;
                        }
                        sum
                    })
                })
            }),
        ],
    );
}

criterion_group!(benches, puts, scans);

fn main() {
    benches();
    Criterion::default().configure_from_args().final_summary();
    let runtime = runtime();
    let (sorted, shuffled) = (sorted(), shuffled());
    ratio_of_puts(&runtime, "put, keys in order", &sorted);
    ratio_of_puts(&runtime, "put, keys in no order", &shuffled);
    ratio_of_scans(&runtime, "scan, written in order", &sorted);
    ratio_of_scans(&runtime, "scan, written in no order", &shuffled);
    ratio_of_gets(&runtime, &shuffled);
}
