//! Blocks of packed events: bytes a value of a year of weather, and how fast they are written and
//! read, compared with the crate `pco` alone, as are the coders of numbers; the year in each layout
//! and in Parquet; and packed rows compared with other layouts, in memory and over the wire.
//!
//! `cargo bench -p bigtable-model-tests --bench packed`
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    reason = "a benchmark may panic"
)]

#[path = "packed/coders.rs"]
mod coders;
#[path = "packed/weather.rs"]
mod layouts;
#[path = "packed/reads.rs"]
mod reads;

use std::collections::BTreeMap;
use std::hint::black_box;

use bigtable_model::Timestamp;
use bigtable_pack::{Block, Column, Values};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pco::ChunkConfig;
use pco::standalone::{simple_compress, simple_decompress};

const FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../examples/data/nyc-weather-2013.csv"
);

/// The columns that are numbers: from the sixth field on.
const COLUMNS: std::ops::Range<usize> = 5..14;

/// Their names as blocks have them: a letter for the type of values, the family and the column.
const NAMES: [&str; 9] = [
    "dW:temp",
    "dW:dewp",
    "dW:humid",
    "dW:wind_dir",
    "dW:wind_speed",
    "dW:wind_gust",
    "dW:precip",
    "dW:pressure",
    "dW:visib",
];

const DAY: i64 = 86_400;

/// What a block takes besides its own bytes: the row key, a qualifier of nine bytes and a
/// timestamp, and the cell of the row's guard.
const AROUND: usize = "EWR#1357020000".len() + (9 + 8) + ("g".len() + 8);

/// An observation: its time in seconds, and its numbers.
type Observation = (i64, Vec<Option<f64>>);

/// The observations of each station, in time order.
fn stations() -> Vec<(String, Vec<Observation>)> {
    let text = std::fs::read_to_string(FILE).unwrap();
    let mut stations: BTreeMap<&str, BTreeMap<i64, Vec<Option<f64>>>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let at: Timestamp = fields[14].parse().unwrap();
        let numbers = COLUMNS.map(|column| fields[column].parse().ok());
        let station = stations.entry(fields[0]).or_default();
        station.insert(at.as_seconds(), numbers.collect());
    }
    let stations = stations.into_iter();
    let stations = stations.map(|(name, list)| (name.to_owned(), list.into_iter().collect()));
    stations.collect()
}

/// The observations of each bucket, of all stations.
fn buckets(stations: &[(String, Vec<Observation>)], seconds: i64) -> Vec<&[Observation]> {
    let lists = stations.iter().flat_map(|(_, list)| {
        list.chunk_by(move |one, other| one.0.div_euclid(seconds) == other.0.div_euclid(seconds))
    });
    lists.collect()
}

fn block(events: &[Observation]) -> Block {
    let mut order: Vec<usize> = (0..COLUMNS.len()).collect();
    order.sort_by_key(|number| NAMES[*number]);
    let columns = order.into_iter().filter_map(|number| {
        let present: Vec<bool> = events
            .iter()
            .map(|(_, one)| one[number].is_some())
            .collect();
        let values: Vec<f64> = events.iter().filter_map(|(_, one)| one[number]).collect();
        (!values.is_empty()).then(|| Column {
            name: NAMES[number].into(),
            present,
            values: Values::Floats(values),
        })
    });
    Block {
        times: events
            .iter()
            .map(|(seconds, _)| seconds * 1_000_000)
            .collect(),
        columns: columns.collect(),
    }
}

/// The times and the columns, each by `pco` alone.
fn by_pco(block: &Block) -> (Vec<u8>, Vec<Vec<u8>>) {
    let columns = block.columns.iter();
    let columns = columns.map(|column| numbers_by_pco(&column.values));
    (
        simple_compress(&block.times, &ChunkConfig::default()).unwrap(),
        columns.collect(),
    )
}

fn numbers_by_pco(values: &Values) -> Vec<u8> {
    let config = ChunkConfig::default();
    match values {
        Values::Integers(values) => simple_compress(values, &config).unwrap(),
        Values::Floats(values) => simple_compress(values, &config).unwrap(),
        _ => Vec::new(),
    }
}

fn values(block: &Block) -> usize {
    block.columns.iter().map(|column| column.values.len()).sum()
}

fn weather(criterion: &mut Criterion) {
    let stations = stations();
    let year = stations.iter().flat_map(|(_, list)| list);
    let numbers = year.flat_map(|(_, numbers)| numbers.iter().flatten());
    layouts::table(&stations, numbers.count());
    let spans = [
        ("day", DAY),
        ("week", 7 * DAY),
        ("month", 30 * DAY),
        ("year", 366 * DAY),
    ];
    for (name, seconds) in spans {
        let blocks: Vec<Block> = buckets(&stations, seconds).into_iter().map(block).collect();
        let bytes: Vec<Vec<u8>> = blocks.iter().map(|block| block.encode().unwrap()).collect();
        let packed: Vec<_> = blocks.iter().map(by_pco).collect();
        let count: usize = blocks.iter().map(values).sum();
        let own: usize = bytes.iter().map(|bytes| bytes.len() + AROUND).sum();
        let pco: usize = packed
            .iter()
            .map(|(times, columns)| times.len() + columns.iter().map(Vec::len).sum::<usize>())
            .sum();
        println!(
            "a {name} in a block: {:.2} bytes a value of {count}, all included; pco alone, without presence and key, {:.2}",
            own as f64 / count as f64,
            pco as f64 / count as f64,
        );
        let encode = || {
            blocks
                .iter()
                .map(|block| block.encode().unwrap().len())
                .sum()
        };
        let decode = || {
            let blocks = bytes
                .iter()
                .map(|bytes| Block::decode(black_box(bytes)).unwrap());
            blocks.map(|block| block.times.len()).sum()
        };
        let decode_by_pco = || {
            let lists = packed.iter().map(|(times, columns)| {
                let columns = columns
                    .iter()
                    .map(|column| simple_decompress::<f64>(column).unwrap().len());
                simple_decompress::<i64>(times).unwrap().len() + columns.sum::<usize>()
            });
            lists.sum()
        };
        beside_pco(
            criterion,
            &format!("packed {name}"),
            count,
            [
                &encode,
                &|| blocks.iter().map(by_pco).map(black_box).count(),
                &decode,
                &decode_by_pco,
            ],
        );
    }
}

/// Compares how values are encoded and decoded, each with the same by `pco`.
fn beside_pco(criterion: &mut Criterion, name: &str, values: usize, runs: [&dyn Fn() -> usize; 4]) {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10);
    group.throughput(Throughput::Elements(values as u64));
    let names = ["encode", "encode by pco", "decode", "decode by pco"];
    for (name, run) in names.into_iter().zip(runs) {
        group.bench_function(name, |bencher| bencher.iter(run));
    }
    group.finish();
}

criterion_group!(benches, weather, coders::coders, reads::reads);
criterion_main!(benches);
