//! Random writes through a backend that loses answers, breaks reads and fails entries; after each
//! write windows agree with the stored events, and finally so do all roll-ups.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bigtable_model::backend::faults::{Fault, FaultRule, FaultyBackend, Method, When};
use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::rollup::{Resolution, Rollup as _, RollupJob, at_most, every};
use bigtable_model::series::Length;
use bigtable_model::server::{Server, ServerOptions};
use bigtable_model::{Backend, BackendExt, Code, MemoryBackend, Model, Status, Timestamp};
use bigtable_model_tests::emulator::Emulator;
use bigtable_model_tests::runs::nightly;
use fastrand::Rng;

use super::models::{Bar, Plain, PlainBar, Trade, cells, columns, rows, weeks};
use super::{spans, streamed};

pub(super) const SYMBOLS: [&str; 3] = ["IBM", "I", "ZXZZT"];

const MINUTE: i64 = 60_000;

pub(super) fn faults() -> Vec<FaultRule> {
    let busy = || Status::new(Code::Internal, "an answer that is lost on purpose");
    let some = |fault, share| FaultRule::new(fault).when(When::Probability(share));
    let cut = Fault::CutRead {
        after_rows: 2,
        inside_row: false,
        status: busy(),
    };
    let entry = |applied| Fault::FailEntry {
        applied,
        status: busy(),
    };
    vec![
        some(Fault::LoseAnswer(busy()), 0.08)
            .method(Method::MutateRow)
            .method(Method::MutateRows)
            .method(Method::CheckAndMutateRow),
        some(Fault::Error(busy()), 0.04),
        some(cut, 0.03),
        some(entry(true), 0.05),
        some(entry(false), 0.05),
    ]
}

/// A time in a few minutes of a few hours and days.
fn millis<T: Trade>(rng: &mut Rng) -> i64 {
    let day = rng.i64(0..3) * 1_440 * MINUTE;
    let minute = [0, 1, 59, 60, 61, 239, 240, 839, 1_439][rng.usize(0..9)] * MINUTE;
    T::START + day + minute + rng.i64(0..3) * 20_000
}

pub(super) fn trade<T: Trade>(rng: &mut Rng) -> Plain {
    Plain {
        symbol: SYMBOLS[rng.usize(0..3)].to_owned(),
        millis: millis::<T>(rng),
        price: rng.i64(-9..100),
        shares: rng.bool().then(|| rng.i64(1..50)),
    }
}

/// A span of time, which may begin and end inside a minute.
fn span<T: Trade>(rng: &mut Rng) -> (i64, i64) {
    let one = millis::<T>(rng) + rng.i64(-1..2);
    let other = millis::<T>(rng) + rng.i64(0..2) * 7_200_000;
    (one.min(other), one.max(other))
}

/// Does a random write, whether or not it succeeds.
async fn write<T: Trade>(db: &dyn Backend, known: &[Plain], rng: &mut Rng) {
    let one = match known {
        [] => trade::<T>(rng),
        known => known[rng.usize(0..known.len())].clone(),
    };
    let key = T::key_of(&one.symbol, one.millis);
    match rng.u8(0..10) {
        0..=2 => drop(db.insert(&T::of(trade::<T>(rng))).await),
        3 => {
            let some: Vec<T> = (0..rng.usize(1..12))
                .map(|_| T::of(trade::<T>(rng)))
                .collect();
            drop(db.insert_many(&some).await);
        }
        4 => drop(db.insert(&T::of(Plain { price: 7, ..one })).await),
        5 => drop(T::correct(&key, rng.i64(-99..0), db).await),
        6 => drop(db.delete::<T>(&key).await),
        7 => drop(db.delete_many::<T>(&[key]).await),
        8 => {
            let (from, to) = span::<T>(rng);
            let symbols = [SYMBOLS[rng.usize(0..3)]];
            drop(
                db.delete_all(&T::asked(&symbols, from, to.min(from + 7_200_000)))
                    .await,
            );
        }
        _ => drop(db.insert_if_absent(&T::of(trade::<T>(rng))).await),
    }
}

/// The windows over trades, by brute force.
fn bars(trades: &[Plain], length: &str) -> Vec<PlainBar> {
    let mut sorted = trades.to_vec();
    sorted.sort_by_key(|one| one.millis);
    let mut windows: BTreeMap<(i64, String), Vec<Plain>> = BTreeMap::new();
    for one in sorted {
        let window = (spans::start(length, one.millis), one.symbol.clone());
        windows.entry(window).or_default().push(one);
    }
    let windows = windows.into_iter();
    windows
        .map(|(window, trades)| bar(window, &trades))
        .collect()
}

/// The aggregate of the trades of a window.
fn bar((start, symbol): (i64, String), trades: &[Plain]) -> PlainBar {
    let prices: Vec<_> = trades.iter().map(|one| one.price).collect();
    let known: Vec<_> = trades.iter().filter_map(|one| one.shares).collect();
    let costs = trades
        .iter()
        .filter_map(|one| Some(one.shares? * one.price));
    let (first, last) = (known.first().copied(), known.last().copied());
    PlainBar {
        start,
        symbol,
        trades: trades.len() as u64,
        shares: (
            known.len() as u32,
            known.iter().sum(),
            costs.reduce(|one, more| one + more),
        ),
        ohlc: (
            prices[0],
            *prices.iter().max().unwrap(),
            *prices.iter().min().unwrap(),
            prices[prices.len() - 1],
        ),
        ends: (first, last),
        mean: prices.iter().sum::<i64>() as f64 / prices.len() as f64,
    }
}

pub(super) async fn stored<T: Trade>(db: &dyn Backend) -> Vec<Plain> {
    let all = T::asked(&SYMBOLS, T::START - 86_400_000, T::START + 10 * 86_400_000);
    db.fetch(&all).await.unwrap().iter().map(T::plain).collect()
}

/// Windows of random spans agree with the events.
pub(super) async fn check_windows<T: Trade>(db: &dyn Backend, rng: &mut Rng) {
    let trades = stored::<T>(db).await;
    for _ in 0..3 {
        let (from, to) = span::<T>(rng);
        let calendar: [fn(u32) -> Length; 4] =
            [Length::days, Length::weeks, Length::months, Length::years];
        let resolution: Resolution = match rng.u8(0..6) {
            0 => at_most(rng.u32(2..5_000)),
            4 => every(calendar[rng.usize(0..4)](1)),
            5 => every(calendar[rng.usize(0..4)](1).zone(T::ZONE)),
            1 => every(Duration::from_secs(90)),
            2 => every(Duration::from_secs(3_600 * rng.u64(1..30))),
            _ => every(Duration::from_secs(60 * rng.u64(1..100))),
        };
        let symbols = &SYMBOLS[..rng.usize(1..4)];
        let windows = T::asked(symbols, from, to).resolution::<T::Bar>(resolution.clone());
        let explained = windows.explain().unwrap();
        let found = db.fetch(&windows).await.unwrap();
        let found: Vec<_> = found.iter().map(Bar::plain).collect();
        let one_by_one = streamed(db, &windows).await.unwrap();
        let one_by_one: Vec<_> = one_by_one.iter().map(Bar::plain).collect();
        assert_eq!(one_by_one, found, "{from}..{to} {explained}");
        let is_asked =
            |one: &&Plain| symbols.contains(&&*one.symbol) && (from..to).contains(&one.millis);
        let asked: Vec<_> = trades.iter().filter(is_asked).cloned().collect();
        let length = explained.window.to_string();
        assert_eq!(found, bars(&asked, &length), "{from}..{to} {explained}");
        let starts: std::collections::BTreeSet<_> = found.iter().map(|bar| bar.start).collect();
        assert!(starts.len() as u64 <= explained.windows);
        if let Resolution::AtMost(most) = resolution {
            assert!(explained.windows <= u64::from(most), "{explained}");
        }
        if explained.windows <= 200 {
            let windows = windows.with_empty(silence::<T>);
            let all = db.fetch(&windows).await.unwrap();
            let all: Vec<_> = all.iter().map(Bar::plain).collect();
            let wanted = with_silence(&found, symbols, &length, (from, to));
            assert_eq!(all, wanted, "{from}..{to} {explained}");
            let all = streamed(db, &windows).await.unwrap();
            let all: Vec<_> = all.iter().map(Bar::plain).collect();
            assert_eq!(all, wanted, "{from}..{to} {explained}");
        }
    }
}

/// A window without trades: the aggregate of a trade that represents none.
fn silence<T: Trade>(symbol: String, start: Timestamp) -> T::Bar {
    let millis = start.as_micros() / 1_000;
    T::Bar::of(&T::of(silent(&symbol, millis)), start)
}

fn silent(symbol: &str, millis: i64) -> Plain {
    Plain {
        symbol: symbol.to_owned(),
        millis,
        price: -1,
        shares: None,
    }
}

/// The windows of a span with those without trades, of every symbol.
fn with_silence(
    found: &[PlainBar],
    symbols: &[&str],
    length: &str,
    (from, to): (i64, i64),
) -> Vec<PlainBar> {
    let mut all: Vec<PlainBar> = found.to_vec();
    let mut start = spans::start(length, from);
    while start < to && from < to {
        for symbol in symbols {
            if !found
                .iter()
                .any(|one| one.start == start && one.symbol == *symbol)
            {
                all.push(bar((start, (*symbol).to_owned()), &[silent(symbol, start)]));
            }
        }
        start = spans::end(length, start);
    }
    all.sort_by(|one, other| (one.start, &one.symbol).cmp(&(other.start, &other.symbol)));
    all
}

/// Every table of the roll-up agrees with its events, and nothing is marked.
pub(super) async fn check_tables<T: Trade>(db: &dyn Backend) {
    let job = RollupJob::<T::Bar>::new().settle(Duration::ZERO);
    job.run(db).await.unwrap().into_result().unwrap();
    let again = job.run(db).await.unwrap();
    assert_eq!(
        (
            again.computed,
            again.marked_again,
            again.young,
            again.failed
        ),
        (0, 0, 0, 0)
    );
    let trades = stored::<T>(db).await;
    for (table, length) in T::TABLES {
        let own = T::TABLES[0].0;
        let named = db.with_tables(move |name: &str| match name == own {
            true => table.to_owned(),
            false => name.to_owned(),
        });
        let found = named.fetch(&T::Bar::all()).await.unwrap();
        let mut found: Vec<_> = found.iter().map(Bar::plain).collect();
        found.sort_by(|one, other| (one.start, &one.symbol).cmp(&(other.start, &other.symbol)));
        assert_eq!(found, bars(&trades, length), "{table}");
    }
}

pub(super) async fn run<T: Trade>(db: Arc<dyn Backend>, seed: u64, steps: usize) {
    let mut rng = Rng::with_seed(seed);
    db.ensure_tables::<T>().await.unwrap();
    let faulty = FaultyBackend::new(Arc::clone(&db), seed, faults()).unwrap();
    for step in 0..steps {
        let known = stored::<T>(&*db).await;
        match rng.u8(0..8) {
            // A job that is interrupted somewhere.
            0 => {
                let job = RollupJob::<T::Bar>::new().settle(Duration::ZERO);
                drop(job.run(&faulty).await);
            }
            1 => {
                let job = RollupJob::<T::Bar>::new().settle(Duration::ZERO);
                drop(job.run(&*db).await.unwrap());
            }
            _ => write::<T>(&faulty, &known, &mut rng).await,
        }
        if step % 3 == 0 {
            check_windows::<T>(&*db, &mut rng).await;
        }
    }
    check_windows::<T>(&*db, &mut rng).await;
    check_tables::<T>(&*db).await;
    check_windows::<T>(&*db, &mut rng).await;
}

async fn every_layout(db: impl Fn() -> Arc<dyn Backend>, seed: u64, steps: usize) {
    run::<rows::Trade>(db(), seed, steps).await;
    run::<cells::Trade>(db(), seed, steps).await;
    run::<columns::Trade>(db(), seed, steps).await;
    run::<weeks::Trade>(db(), seed, steps).await;
}

#[tokio::test]
async fn windows_are_those_of_the_events_in_memory() {
    for seed in 0..nightly(3_300, 10) {
        eprintln!("seed {seed}");
        every_layout(|| Arc::new(MemoryBackend::new()), seed, 40).await;
    }
}

fn client(address: &str, instance: u64) -> Arc<dyn Backend> {
    let settings = GrpcSettings::new("rollups", format!("i-{instance}")).emulator(address);
    Arc::new(GrpcBackend::new(&settings).unwrap())
}

#[tokio::test]
async fn windows_are_those_of_the_events_on_a_server() {
    for seed in 100..102 {
        let memory: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
        let options = ServerOptions::default();
        let server = Server::bind("127.0.0.1:0", memory, &options).await.unwrap();
        let address = server.local_addr().to_string();
        let serving = tokio::spawn(server.serve());
        every_layout(|| client(&address, seed), seed, 25).await;
        serving.abort();
    }
}

#[tokio::test]
async fn windows_are_those_of_the_events_on_the_emulator() {
    if let Some(emulator) = Emulator::shared() {
        for seed in 200..202 {
            every_layout(|| client(emulator.address(), seed), seed, 25).await;
        }
    }
}

/// A job skips marks whose event may not be stored yet, and windows are correct meanwhile.
#[tokio::test]
async fn young_marks_are_left_alone() {
    let db = MemoryBackend::new();
    db.ensure_tables::<rows::Trade>().await.unwrap();
    let mut rng = Rng::with_seed(1);
    let one = rows::Trade::of(trade::<rows::Trade>(&mut rng));
    db.insert(&one).await.unwrap();
    let report = RollupJob::<rows::Minute>::new().run(&db).await.unwrap();
    assert_eq!((report.computed, report.young), (0, 3));
    check_windows::<rows::Trade>(&db, &mut rng).await;
    let settled = RollupJob::<rows::Minute>::new().settle(Duration::ZERO);
    let report = settled.run(&db).await.unwrap();
    assert_eq!((report.computed, report.young), (3, 0));
}

/// Without the mark nothing is written.
#[tokio::test]
async fn a_mark_comes_before_its_event() {
    let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    db.ensure_tables::<rows::Trade>().await.unwrap();
    db.tables().delete("MINUTE").await.unwrap();
    let one = rows::Trade::of(trade::<rows::Trade>(&mut Rng::with_seed(1)));
    let error = db.insert(&one).await.unwrap_err();
    let text = std::error::Error::source(&error).unwrap().to_string();
    assert!(
        text.contains("the roll-up in table MINUTE was not marked, and nothing was written"),
        "{text}"
    );
    assert!(text.contains("`ensure_tables`"), "{text}");
    let failed = db.insert_many(std::slice::from_ref(&one)).await;
    assert_eq!(failed.failed().len(), 1);
    assert!(
        db.delete_many::<rows::Trade>(&[one.key()])
            .await
            .into_result()
            .is_err()
    );
    assert_eq!(stored::<rows::Trade>(&*db).await, []);

    // The answers of the mark and of the event are lost: the bucket is marked in either case.
    db.ensure_tables::<rows::Trade>().await.unwrap();
    for table in ["MINUTE", "HOUR", "DAY", "TRADE"] {
        let lost = Status::new(Code::Internal, "lost");
        let rule = FaultRule::new(Fault::LoseAnswer(lost)).table(table);
        let faulty = FaultyBackend::new(Arc::clone(&db), 1, vec![rule]).unwrap();
        faulty.insert(&one).await.unwrap_err();
        check_windows::<rows::Trade>(&*db, &mut Rng::with_seed(2)).await;
        check_tables::<rows::Trade>(&*db).await;
    }
}

/// Events from before the roll-up are in it after their buckets are marked.
#[tokio::test]
async fn events_from_before_the_roll_up_are_marked_once() {
    let db = MemoryBackend::new();
    db.ensure_tables::<cells::Trade>().await.unwrap();
    let mut rng = Rng::with_seed(3);
    let trades: Vec<_> = (0..500)
        .map(|_| cells::Trade::of(trade::<cells::Trade>(&mut rng)))
        .collect();
    db.insert_many(&trades).await.into_result().unwrap();
    for (table, _) in cells::Trade::TABLES {
        db.tables()
            .drop_rows(table, bigtable_model::data::RowDeletion::All)
            .await
            .unwrap();
    }
    let all = cells::Trade::asked(&SYMBOLS, START, START + 9 * 86_400_000);
    let marked = bigtable_model::rollup::mark_events(&all, &db)
        .await
        .unwrap();
    assert_eq!(marked, stored::<cells::Trade>(&db).await.len() as u64);
    check_windows::<cells::Trade>(&db, &mut rng).await;
    check_tables::<cells::Trade>(&db).await;
}

const START: i64 = rows::Trade::START;

#[test]
fn what_cannot_be_answered_is_refused() {
    let words =
        |error: bigtable_model::Error| std::error::Error::source(&error).unwrap().to_string();
    let windows = |query: bigtable_model::query::Query<rows::Trade, _, _>, resolution| {
        query.resolution::<rows::Minute>(resolution).explain()
    };
    let asked = || rows::Trade::asked(&["IBM"], START, START + 1);
    let limited = asked().limit(5);
    assert_eq!(
        words(windows(limited, at_most(5)).unwrap_err()),
        "windows cover all events of a time range: remove `limit`"
    );
    assert_eq!(
        words(windows(asked(), at_most(0)).unwrap_err()),
        "at most 0 windows cannot cover this time range: ask for more windows, or for longer ones"
    );
    assert_eq!(
        words(windows(asked(), every(Duration::ZERO)).unwrap_err()),
        "cannot make windows: the length is 0: give at least a microsecond"
    );
    assert_eq!(
        words(windows(asked(), every(Length::days(1).zone("Mars"))).unwrap_err()),
        "cannot make windows: there is no time zone `Mars`"
    );
    let open = rows::Trade::query()
        .symbol("IBM")
        .at(Timestamp::from_millis(START)..);
    let open = open
        .events()
        .resolution::<rows::Minute>(at_most(5))
        .explain();
    assert_eq!(
        words(open.unwrap_err()),
        "which tables answer, and where the first window begins and the last one ends, depends on both ends of the time: give `at` a range with both"
    );
}
