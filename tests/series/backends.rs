//! Series of models on every backend: in memory, on our server and on Google's emulator.

use std::sync::Arc;
use std::time::Duration;

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::series::{
    AsOf, Fill, Joined, Length, Ohlc, Point, SeriesExt as _, Window, Windows, count, mean,
    moving_mean, ohlc, time_weighted_mean,
};
use bigtable_model::server::{Server, ServerOptions};
use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Timestamp};
use bigtable_model_tests::emulator::Emulator;

/// A trade; a row holds a day in New York.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "TRADE", family = "T", layout = "cells")]
struct Trade {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "day", zone = "America/New_York")]
    at: Timestamp,
    price: f64,
    shares: Option<u32>,
}

/// A quote, in its own row.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "QUOTE", family = "Q")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    bid: f64,
}

const SYMBOLS: [&str; 2] = ["IBM", "ZXZZT"];

/// 2024-11-01T12:00:00Z, two days before clocks in New York go back.
const START: i64 = 1_730_462_400_000;

fn trades() -> Vec<Trade> {
    let trade = |number: i64| Trade {
        symbol: SYMBOLS[(number % 2) as usize].to_owned(),
        // About one in 20 minutes, over four days.
        at: Timestamp::from_millis(START + number * 1_200_000 + number * number % 7_919),
        price: 100.0 + (number * number % 101) as f64 / 4.0,
        shares: (number % 3 > 0).then_some((number % 7 * 100) as u32),
    };
    (0..288).map(trade).collect()
}

fn quotes() -> Vec<Quote> {
    let quote = |number: i64| Quote {
        symbol: SYMBOLS[(number % 2) as usize].to_owned(),
        at: Timestamp::from_millis(START + number * 900_000 + number * number % 104_729),
        bid: 99.0 + (number * number % 103) as f64 / 4.0,
    };
    (0..384).map(quote).collect()
}

type Day = Window<(u64, Option<Ohlc<f64>>, Option<f64>, Option<f64>), String>;

/// The results on one backend.
#[derive(Debug, PartialEq)]
struct Answers {
    days: Vec<Day>,
    in_key_order: Vec<Day>,
    averages: Vec<Option<f64>>,
    hours: Vec<Point>,
    joined: Vec<Joined<Trade, Quote>>,
    /// The state of every symbol at some times: for trades in day rows, and for quotes in single
    /// rows.
    states: Vec<State>,
}

/// The newest event of each symbol.
type State = (Vec<(String, Trade)>, Vec<(String, Quote)>);

/// Before all events, between events, at the time of an event, and after all.
fn times_of_states() -> Vec<Timestamp> {
    let some = trades().into_iter().step_by(41).map(|trade| trade.at);
    let ends = [START - 1, START + 86_400_000 * 9].map(Timestamp::from_millis);
    let mut times: Vec<_> = some.chain(ends).collect();
    times.extend(quotes().iter().step_by(97).map(|quote| quote.at));
    times
}

fn days() -> Windows {
    Windows::tumbling(Length::days(1).zone("America/New_York"))
}

async fn ask(db: &dyn Backend) -> Answers {
    db.ensure_tables::<Trade>().await.unwrap();
    db.ensure_tables::<Quote>().await.unwrap();
    db.insert_many(&trades()).await.into_result().unwrap();
    db.insert_many(&quotes()).await.into_result().unwrap();
    let of = || {
        let price = |trade: &Trade| trade.price;
        let shares = |trade: &Trade| trade.shares;
        (
            count(),
            ohlc(price),
            mean(shares),
            time_weighted_mean(price),
        )
    };
    let at = |trade: &Trade| trade.at;
    let by_time = db.stream(&Trade::query().symbol(&SYMBOLS[..]));
    let by_key = db.stream(&Trade::scan());
    let ibm = || db.stream(&Trade::query().symbol("IBM")).timed(at);
    let quotes = db
        .stream(&Quote::query().symbol("IBM"))
        .timed(|quote| quote.at);
    let days_of = by_time
        .timed(at)
        .by(|trade| trade.symbol.clone())
        .windows(days());
    let days_in_runs = by_key
        .timed(at)
        .by_run(|trade| trade.symbol.clone())
        .windows(days());
    let averages = ibm().moving(moving_mean(5, |trade: &Trade| trade.price));
    let hours = ibm().resample(Length::hours(1), Fill::Linear, |trade| trade.price);
    let joined = ibm().asof_join(quotes, AsOf::Backward, Duration::from_secs(1_000));
    let averages = averages.fetch().await.unwrap();
    let mut states = Vec::new();
    for time in times_of_states() {
        let trades = db.latest_before(&Trade::scan(), time).await;
        let quotes = db.latest_before(&Quote::scan(), time).await;
        states.push((trades.unwrap(), quotes.unwrap()));
    }
    Answers {
        states,
        days: days_of.aggregate(of()).fetch().await.unwrap(),
        in_key_order: days_in_runs.aggregate(of()).fetch().await.unwrap(),
        averages: averages.iter().map(|moved| moved.value).collect(),
        hours: hours.fetch().await.unwrap(),
        joined: joined.fetch().await.unwrap(),
    }
}

fn client(address: &str) -> Arc<dyn Backend> {
    let settings = GrpcSettings::new("series", "i").emulator(address);
    Arc::new(GrpcBackend::new(&settings).unwrap())
}

#[tokio::test]
async fn every_backend_answers_alike() {
    let answers = ask(&MemoryBackend::new()).await;
    assert_natural(&answers);
    let memory: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    let options = ServerOptions::default();
    let server = Server::bind("127.0.0.1:0", memory, &options).await.unwrap();
    let address = server.local_addr().to_string();
    let serving = tokio::spawn(server.serve());
    assert_eq!(ask(&*client(&address)).await, answers);
    serving.abort();
    if let Some(emulator) = Emulator::shared() {
        assert_eq!(ask(&*client(emulator.address())).await, answers);
    }
}

/// Properties of the answers that are known without the same computation.
fn assert_natural(answers: &Answers) {
    let mut trades = trades();
    trades.sort_by_key(|trade| trade.at);
    let counted: u64 = answers.days.iter().map(|day| day.value.0).sum();
    assert_eq!(counted, trades.len() as u64);
    let ends: Vec<_> = answers
        .days
        .iter()
        .map(|day| (day.end, day.series.clone()))
        .collect();
    assert!(ends.is_sorted(), "{ends:?}");
    let mut sorted = answers.days.clone();
    sorted.sort_by(|one, other| (&one.series, one.end).cmp(&(&other.series, other.end)));
    assert_eq!(sorted, answers.in_key_order);
    // Clocks go back on the 3rd of November.
    let hours = |day: &Day| (day.end.as_seconds() - day.start.as_seconds()) / 3_600;
    let lengths: Vec<_> = answers.days.iter().map(hours).collect();
    assert_eq!(lengths, [24, 24, 24, 24, 25, 25, 24, 24, 24, 24]);
    let of_day = trades.iter().filter(|trade| {
        trade.symbol == "IBM" && (answers.days[0].start..answers.days[0].end).contains(&trade.at)
    });
    let prices: Vec<_> = of_day.map(|trade| trade.price).collect();
    let bar = answers.days[0].value.1.unwrap();
    assert_eq!(
        Some((&bar.open, &bar.close)),
        prices.first().zip(prices.last())
    );
    assert_eq!(answers.averages.len(), 144);
    assert_eq!(answers.joined.len(), 144);
    assert!(answers.joined.iter().any(|joined| joined.right.is_none()));
    assert!(answers.hours.len() > 90, "{}", answers.hours.len());
    assert_states(&answers.states);
}

fn assert_states(states: &[State]) {
    for (time, (found_trades, found_quotes)) in times_of_states().into_iter().zip(states) {
        let newest_trade = |symbol: &str| {
            let before = trades().into_iter();
            let before = before.filter(|trade| trade.symbol == symbol && trade.at < time);
            before.max_by_key(|trade| trade.at)
        };
        let newest_quote = |symbol: &str| {
            let before = quotes().into_iter();
            let before = before.filter(|quote| quote.symbol == symbol && quote.at < time);
            before.max_by_key(|quote| quote.at)
        };
        let named = |symbol: &str| symbol.to_owned();
        let expected = SYMBOLS.iter();
        let expected: Vec<_> = expected
            .filter_map(|one| Some((named(one), newest_trade(one)?)))
            .collect();
        assert_eq!(*found_trades, expected, "{time}");
        let expected = SYMBOLS.iter();
        let expected: Vec<_> = expected
            .filter_map(|one| Some((named(one), newest_quote(one)?)))
            .collect();
        assert_eq!(*found_quotes, expected, "{time}");
    }
}
