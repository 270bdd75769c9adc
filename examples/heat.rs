//! Before production: what quotes of a stock market cost, and where their table gets hot, with four
//! row keys.
//!
//! ```sh
//! cargo run --release --example heat
//! cargo run --release --example heat -- --messages 1000000 --picture /tmp/heat.html
//! ```
//!
//! Google's [advice on keys](https://cloud.google.com/bigtable/docs/schema-design) says to avoid
//! keys that begin with a timestamp, since all writes then go to one node; a reversed timestamp is
//! for reading the newest first, and moves that node's rows to the other end. What the advice
//! recommends is to promote a field before the time; a salt spreads keys that have no such field.

use std::error::Error;
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use bigtable_load::{Load, Picture, Rate, Sizes, Writes, compare};
use bigtable_model::{Model, Timestamp};
use bigtable_model_examples::print;
use clap::Parser;

const SYMBOLS: u32 = 5_000;
const BUSY: u32 = 300;
/// 2015-03-16T13:30:00Z, when New York opens.
const OPEN: i64 = 1_426_512_600_000;
/// Milliseconds from the opening to the close.
const SESSION: i64 = 23_400_000;

/// `1426535612156#NASDAQ#ZXZZT`. The compiler refuses it without `allow(time_first)`.
#[derive(Debug, Clone, Model)]
#[bigtable(table = "TIME_FIRST", family = "MD", allow(time_first))]
struct TimeFirst {
    #[bigtable(time, unit = "ms", truncate)]
    at: Timestamp,
    #[bigtable(key, width = 6)]
    exchange: String,
    #[bigtable(key)]
    symbol: String,
    bid: f64,
    ask: f64,
}

/// `9223370610319163651#NASDAQ#ZXZZT`.
#[derive(Debug, Clone, Model)]
#[bigtable(table = "REVERSED", family = "MD", allow(time_first))]
struct Reversed {
    #[bigtable(time, unit = "ms", truncate, reverse)]
    at: Timestamp,
    #[bigtable(key, width = 6)]
    exchange: String,
    #[bigtable(key)]
    symbol: String,
    bid: f64,
    ask: f64,
}

/// `NASDAQ#ZXZZT#1426535612156`.
#[derive(Debug, Clone, Model)]
#[bigtable(table = "PROMOTED", family = "MD")]
struct Promoted {
    #[bigtable(key, width = 6)]
    exchange: String,
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "ms", truncate)]
    at: Timestamp,
    bid: f64,
    ask: f64,
}

/// `09#NASDAQ#ZXZZT#1426535612156`.
#[derive(Debug, Clone, Model)]
#[bigtable(table = "SALTED", family = "MD", salt(shards = 64, of(symbol)))]
struct Salted {
    #[bigtable(key, width = 6)]
    exchange: String,
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "ms", truncate)]
    at: Timestamp,
    bid: f64,
    ask: f64,
}

/// Prices four row keys and draws their heat.
#[derive(Parser)]
struct Args {
    /// The quotes of the day.
    #[arg(long, default_value_t = 200_000)]
    messages: u32,
    /// The picture.
    #[arg(long, default_value = "target/heat.html")]
    picture: PathBuf,
}

#[tokio::main]
async fn main() -> ExitCode {
    print::outcome(run(&Args::parse()).await)
}

/// A load of quotes with one of the keys, and two questions about the quotes of a symbol.
macro_rules! load {
    ($model:ident, $args:expr, $of_symbol:expr) => {{
        let quote = |symbol, at| $model {
            at,
            exchange: "NASDAQ".into(),
            symbol: name(symbol),
            bid: 600.55,
            ask: 600.65,
        };
        session()
            .writes(Writes::of(sizes(), rate($args), quote))
            .asks("a minute of a symbol", Rate::per_second(50.0), |asked| {
                let minute = asked.at..asked.at.saturating_add(Duration::from_secs(60));
                $of_symbol(name(asked.series), minute)
            })
            .asks("the day of a symbol", Rate::per_second(0.1), |asked| {
                $of_symbol(name(asked.series), day())
            })
    }};
}

/// Keys that begin with the symbol lead to its quotes.
macro_rules! symbol_first {
    ($model:ident, $args:expr) => {
        load!($model, $args, |symbol: String, times: Range<Timestamp>| {
            $model::query().exchange("NASDAQ").symbol(symbol).at(times)
        })
    };
}

/// Keys that begin with the time lead to the quotes of all symbols: one symbol's quotes are
/// searched among them.
macro_rules! time_first {
    ($model:ident, $args:expr) => {
        load!($model, $args, |symbol: String, times: Range<Timestamp>| {
            $model::scan().at(times).exchange("NASDAQ").symbol(symbol)
        })
    };
}

async fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let loads = [
        ("time first", time_first!(TimeFirst, args)),
        ("reversed time first", time_first!(Reversed, args)),
        ("promoted", symbol_first!(Promoted, args)),
        ("salted", symbol_first!(Salted, args)),
    ];
    let mut picture = Picture::new("Quotes of a day, four row keys");
    for (name, load) in &loads {
        for map in load.heat()? {
            picture = picture.maps(name, std::slice::from_ref(&map));
            println!("{name}\n{map}");
        }
    }
    let compared = compare(loads).await?;
    println!("{compared}");
    for (name, prices) in &compared.loads {
        picture = picture.prices(name, prices);
    }
    if let Some(folder) = args.picture.parent() {
        std::fs::create_dir_all(folder)?;
    }
    picture.save(&args.picture)?;
    println!("The picture is {}.", args.picture.display());
    Ok(())
}

fn session() -> Load {
    Load::over(day())
}

fn day() -> Range<Timestamp> {
    Timestamp::from_millis(OPEN)..Timestamp::from_millis(OPEN + SESSION)
}

/// 300 of 5,000 symbols have 90 % of the quotes.
fn sizes() -> Sizes {
    let (busy, quiet) = (0.9 / f64::from(BUSY), 0.1 / f64::from(SYMBOLS - BUSY));
    // Busy symbols are spread among the others.
    let is_busy =
        |symbol: u32| symbol.is_multiple_of(SYMBOLS / BUSY) && symbol / (SYMBOLS / BUSY) < BUSY;
    Sizes::of((0..SYMBOLS).map(move |symbol| if is_busy(symbol) { busy } else { quiet }))
}

fn rate(args: &Args) -> Rate {
    Rate::every(Duration::from_millis(SESSION.unsigned_abs())).times(args.messages.into())
}

/// Four letters, in the order of the numbers.
fn name(symbol: u64) -> String {
    let letter =
        |place: u32| char::from(b'A' + u8::try_from(symbol / 26_u64.pow(place) % 26).unwrap_or(0));
    (0..4).rev().map(letter).collect()
}
