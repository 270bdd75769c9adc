//! The cost of types: typed reads and writes in memory compared with code by hand, for 100,000
//! quotes of two columns.
//!
//! `cargo bench -p bigtable-model-tests --bench scan`
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark may panic"
)]

mod support;

use std::hint::black_box;
use std::io::Write as _;

use bigtable_model::data::{Mutation, ReadRows, RowBatch, RowMutations};
use bigtable_model::model::{EventReader, RowEvents, insert_mutations};
use bigtable_model::query::EventTimes;
use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Timestamp};
use bigtable_model_tests::quote::Quote;
use bytes::Bytes;
use bytestring::ByteString;
use criterion::{Criterion, criterion_group};
use futures::TryStreamExt as _;
use support::{compare, timed, way};
use tokio::runtime::{Builder, Runtime};

const EVENTS: u32 = 100_000;
const FAMILY: ByteString = ByteString::from_static("MD");

fn quotes() -> Vec<Quote> {
    (0..EVENTS)
        .map(|number| Quote {
            exchange: "NASDAQ".to_owned(),
            symbol: "ZXZZ".to_owned(),
            at: Timestamp::from_millis(1_426_535_612_156 + i64::from(number) * 17),
            bid: 600.0 + f64::from(number % 100) / 100.0,
            bid_size: Some(100 + number % 400),
        })
        .collect()
}

fn runtime() -> Runtime {
    Builder::new_current_thread().build().unwrap()
}

async fn filled(quotes: &[Quote]) -> MemoryBackend {
    let db = MemoryBackend::new();
    db.ensure_tables::<Quote>().await.unwrap();
    db.insert_many(quotes).await.into_result().unwrap();
    db
}

/// The request of the typed query.
fn request() -> ReadRows {
    let query = Quote::query().exchange("NASDAQ").symbol("ZXZZ");
    let mut plan = query.events().plan().unwrap();
    ReadRows {
        table: plan.table,
        rows: plan.scans.remove(0).parts.remove(0).rows,
        filter: plan.filter,
        ..ReadRows::default()
    }
}

async fn typed(db: &MemoryBackend) -> f64 {
    let mut quotes = db.stream(&Quote::query().exchange("NASDAQ").symbol("ZXZZ"));
    let mut sum = 0.0;
    while let Some(quote) = quotes.try_next().await.unwrap() {
        sum += black_box(quote).bid;
    }
    sum
}

async fn by_hand(db: &MemoryBackend) -> f64 {
    let mut rows = db.read_rows(request()).rows();
    let mut sum = 0.0;
    while let Some(row) = rows.try_next().await.unwrap() {
        let cells = row.cells.iter();
        let cells = cells.map(|cell| (&*cell.family, &*cell.qualifier, &*cell.value));
        sum += black_box(map_by_hand(&row.key, cells)).bid;
    }
    sum
}

async fn untyped(db: &MemoryBackend) -> usize {
    let mut rows = db.read_rows(request()).rows();
    let mut cells = 0;
    while let Some(row) = rows.try_next().await.unwrap() {
        cells += black_box(row).cells.len();
    }
    cells
}

/// Code without a model: split the key, find the columns.
fn map_by_hand<'a>(
    key: &[u8],
    cells: impl Iterator<Item = (&'a str, &'a [u8], &'a [u8])>,
) -> Quote {
    let key = std::str::from_utf8(key).unwrap();
    let mut parts = key.split('#');
    let exchange = parts.next().unwrap().trim_end().to_owned();
    let symbol = parts.next().unwrap().trim_end().to_owned();
    let millis: i64 = parts.next().unwrap().parse().unwrap();
    let (mut bid, mut bid_size) = (None, None);
    for (family, qualifier, value) in cells {
        match (family, qualifier) {
            ("MD", b"BID") => bid = Some(f64::from_be_bytes(eight(value))),
            ("MD", b"BIDSIZE") => {
                bid_size = Some(u32::try_from(i64::from_be_bytes(eight(value))).unwrap());
            }
            _ => {}
        }
    }
    Quote {
        exchange,
        symbol,
        at: Timestamp::from_millis(millis),
        bid: bid.unwrap(),
        bid_size,
    }
}

fn eight(value: &[u8]) -> [u8; 8] {
    value.try_into().unwrap()
}

/// Code without a model: format the key, list the cells.
fn mutations_by_hand(quote: &Quote) -> RowMutations {
    let mut key = Vec::with_capacity(32);
    let (exchange, symbol, millis) = (&quote.exchange, &quote.symbol, quote.at.as_millis());
    write!(key, "{exchange:<6}#{symbol:<5}#{millis:013}").unwrap();
    let timestamp_micros = millis * 1_000;
    let bid = Mutation::SetCell {
        family: FAMILY,
        qualifier: Bytes::from_static(b"BID"),
        timestamp_micros,
        value: Bytes::copy_from_slice(&quote.bid.to_be_bytes()),
    };
    let qualifier = Bytes::from_static(b"BIDSIZE");
    let bid_size = match quote.bid_size {
        Some(size) => Mutation::SetCell {
            family: FAMILY,
            qualifier,
            timestamp_micros,
            value: Bytes::copy_from_slice(&i64::from(size).to_be_bytes()),
        },
        None => Mutation::DeleteFromColumn {
            family: FAMILY,
            qualifier,
            start_micros: 0,
            end_micros: 0,
        },
    };
    RowMutations {
        key: key.into(),
        mutations: vec![bid, bid_size],
    }
}

fn write_typed(quotes: &[Quote]) -> usize {
    let rows = quotes
        .iter()
        .map(|quote| insert_mutations(quote, Timestamp::from_seconds(0)).unwrap());
    rows.map(|row| black_box(row).key.len()).sum()
}

fn write_by_hand(quotes: &[Quote]) -> usize {
    let rows = quotes.iter().map(mutations_by_hand);
    rows.map(|row| black_box(row).key.len()).sum()
}

fn map_typed(batches: Vec<RowBatch>) -> f64 {
    let reader = EventReader::new(Quote::SCHEMA);
    let mut events = RowEvents::default();
    let mut sum = 0.0;
    for batch in batches {
        events.put(batch);
        while let Some(found) = reader.load_next(&EventTimes::All, &mut events) {
            found.unwrap();
            let quote: Quote = black_box(events.read(0).unwrap());
            sum += quote.bid;
        }
    }
    sum
}

fn map_all_by_hand(batches: Vec<RowBatch>) -> f64 {
    let mut sum = 0.0;
    for batch in batches {
        for row in batch.rows() {
            let cells = row
                .cells()
                .map(|cell| (cell.family(), cell.qualifier(), cell.value()));
            sum += black_box(map_by_hand(row.key(), cells)).bid;
        }
    }
    sum
}

fn reads(criterion: &mut Criterion) {
    let runtime = runtime();
    let db = runtime.block_on(filled(&quotes()));
    let mut group = criterion.benchmark_group("scan");
    group.sample_size(20);
    group.bench_function("untyped", |bencher| {
        bencher.iter(|| runtime.block_on(untyped(&db)));
    });
    group.bench_function("mapped by hand", |bencher| {
        bencher.iter(|| runtime.block_on(by_hand(&db)));
    });
    group.bench_function("typed", |bencher| {
        bencher.iter(|| runtime.block_on(typed(&db)));
    });
    group.finish();
}

fn writes(criterion: &mut Criterion) {
    let quote = quotes().remove(0);
    let mut group = criterion.benchmark_group("write");
    group.bench_function("by hand", |bencher| {
        bencher.iter(|| mutations_by_hand(black_box(&quote)));
    });
    group.bench_function("typed", |bencher| {
        bencher.iter(|| insert_mutations(black_box(&quote), Timestamp::from_seconds(0)).unwrap());
    });
    group.finish();
}

fn ratio_of_scans(runtime: &Runtime, db: &MemoryBackend) {
    let [untyped, by_hand, typed] = compare(
        "scan, an event of two columns",
        EVENTS,
        25,
        [
            way("read_rows, nothing mapped", || {
                timed(|| runtime.block_on(untyped(db)))
            }),
            way("read_rows, mapped by hand", || {
                timed(|| runtime.block_on(by_hand(db)))
            }),
            way("typed stream", || timed(|| runtime.block_on(typed(db)))),
        ],
    );
    println!(
        "  above the untyped read, a row: by hand {:.1} ns, typed {:.1} ns",
        by_hand - untyped,
        typed - untyped
    );
}

fn ratio_of_maps(batches: &[RowBatch]) {
    let mapped = |map: fn(Vec<RowBatch>) -> f64| {
        let batches = batches.to_vec();
        timed(|| map(batches))
    };
    let [by_hand, typed] = compare(
        "rows that were read, to events of two columns",
        EVENTS,
        25,
        [
            way("mapped by hand", || mapped(map_all_by_hand)),
            way("RowEvents", || mapped(map_typed)),
        ],
    );
    println!(
        "  a cell: by hand {:.1} ns, typed {:.1} ns",
        by_hand / 2.0,
        typed / 2.0
    );
}

fn ratio_of_writes(quotes: &[Quote]) {
    compare(
        "events to mutations, two columns",
        EVENTS,
        25,
        [
            way("by hand", || timed(|| write_by_hand(quotes))),
            way("insert_mutations", || timed(|| write_typed(quotes))),
        ],
    );
}

criterion_group!(benches, reads, writes);

fn main() {
    benches();
    Criterion::default().configure_from_args().final_summary();
    let runtime = runtime();
    let quotes = quotes();
    let db = runtime.block_on(filled(&quotes));
    ratio_of_scans(&runtime, &db);
    let batches: Vec<RowBatch> = runtime
        .block_on(db.read_rows(request()).try_collect())
        .unwrap();
    ratio_of_maps(&batches);
    ratio_of_writes(&quotes);
}
