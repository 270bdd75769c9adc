//! The cost of a row key of exchange, symbol and milliseconds, compared with other ways to encode
//! and decode one.
//!
//! `cargo bench -p bigtable-model-tests --bench key`
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark may panic")]

use std::hint::black_box;
use std::io::Write as _;

use bigtable_model::Timestamp;
use bigtable_model::model::ModelKey;
use bigtable_model_tests::quote::{QuoteKey, QuoteKeyRef};
use criterion::{Criterion, criterion_group, criterion_main};

const MILLIS: i64 = 1_426_535_612_156;

fn quote() -> QuoteKey {
    QuoteKey {
        exchange: "NASDAQ".to_owned(),
        symbol: "ZXZZ".to_owned(),
        at: Timestamp::from_millis(MILLIS),
    }
}

fn encode(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("key encode");
    let quote = quote();
    let parts = (
        quote.exchange.clone(),
        quote.symbol.clone(),
        MILLIS.unsigned_abs(),
    );
    let mut out = Vec::with_capacity(64);
    group.bench_function("model, reused buffer", |bencher| {
        bencher.iter(|| {
            out.clear();
            black_box(&quote).encode_into(black_box(&mut out)).unwrap();
        });
    });
    group.bench_function("model, fresh buffer", |bencher| {
        bencher.iter(|| {
            let mut out = Vec::with_capacity(32);
            black_box(&quote).encode_into(&mut out).unwrap();
            out
        });
    });
    let values = QuoteKey::LAYOUT.decode(&key()).unwrap();
    let layout = black_box(QuoteKey::LAYOUT);
    group.bench_function("layout as a value, reused buffer", |bencher| {
        bencher.iter(|| {
            out.clear();
            layout.encode(black_box(&values), &mut out).unwrap();
        });
    });
    group.bench_function("format!", |bencher| {
        bencher.iter(|| {
            let (exchange, symbol, at) = black_box(&parts);
            format!("{exchange}#{symbol}#{at}")
        });
    });
    group.bench_function("format! with pads", |bencher| {
        bencher.iter(|| {
            let (exchange, symbol, at) = black_box(&parts);
            format!("{exchange:<6}#{symbol:<5}#{at:013}")
        });
    });
    group.bench_function("write!, reused buffer", |bencher| {
        bencher.iter(|| {
            out.clear();
            let (exchange, symbol, at) = black_box(&parts);
            write!(black_box(&mut out), "{exchange}#{symbol}#{at}").unwrap();
        });
    });
    group.bench_function("storekey, reused buffer", |bencher| {
        bencher.iter(|| {
            out.clear();
            storekey::encode(black_box(&mut out), black_box(&parts)).unwrap();
        });
    });
    group.bench_function("memcomparable", |bencher| {
        bencher.iter(|| memcomparable::to_vec(black_box(&parts)).unwrap());
    });
    group.bench_function("foundationdb-tuple, reused buffer", |bencher| {
        bencher.iter(|| {
            out.clear();
            foundationdb_tuple::pack_into(black_box(&parts), black_box(&mut out));
        });
    });
    group.finish();
}

fn key() -> Vec<u8> {
    let mut key = Vec::new();
    quote().encode_into(&mut key).unwrap();
    key
}

fn decode(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("key decode");
    let key = key();
    let parts = (quote().exchange, quote().symbol, MILLIS.unsigned_abs());
    group.bench_function("model, borrowed", |bencher| {
        bencher.iter(|| QuoteKeyRef::decode(black_box(&key)).unwrap().at);
    });
    let layout = black_box(QuoteKey::LAYOUT);
    group.bench_function("layout as a value, owned", |bencher| {
        bencher.iter(|| layout.decode(black_box(&key)).unwrap());
    });
    let text = String::from_utf8(key.clone()).unwrap();
    group.bench_function("split and parse", |bencher| {
        bencher.iter(|| {
            let mut parts = black_box(&text).split('#');
            let exchange = parts.next().unwrap().trim_end();
            let symbol = parts.next().unwrap().trim_end();
            let at: u64 = parts.next().unwrap().parse().unwrap();
            (exchange.len(), symbol.len(), at)
        });
    });
    let stored = storekey::encode_vec(&parts).unwrap();
    group.bench_function("storekey, owned", |bencher| {
        bencher.iter(|| {
            storekey::decode::<_, (String, String, u64)>(black_box(stored.as_slice())).unwrap()
        });
    });
    let compared = memcomparable::to_vec(&parts).unwrap();
    group.bench_function("memcomparable, owned", |bencher| {
        bencher.iter(|| {
            memcomparable::from_slice::<(String, String, u64)>(black_box(&compared)).unwrap()
        });
    });
    let packed = foundationdb_tuple::pack(&parts);
    group.bench_function("foundationdb-tuple, owned", |bencher| {
        bencher.iter(|| {
            foundationdb_tuple::unpack::<(String, String, u64)>(black_box(&packed)).unwrap()
        });
    });
    group.finish();
}

criterion_group!(benches, encode, decode);
criterion_main!(benches);
