//! The daily closes of a share with their moving averages of 5, 10 and 30 days, computed from
//! stored trades.
//!
//! ```sh
//! cargo run --release --example trader
//! cargo run --release --example trader -- --symbol GOOG --days 500
//! cargo run --release --example trader -- --backend bigtable://my-project/my-instance
//! ```
//!
//! The trades are generated: a random walk that meets the share's real price on the first of each
//! month.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use bigtable_model::series::{
    Length, Moved, Ohlc, SeriesExt as _, Window, Windows, exponential_mean, moving_mean, ohlc, sum,
};
use bigtable_model::{Backend, BackendExt, Model, Timestamp};
use bigtable_model_examples::chart::{self, Line};
use bigtable_model_examples::store::{self, Store};
use bigtable_model_examples::{csv_file, print};
use clap::Parser;
use fastrand::Rng;
use futures::TryStreamExt as _;
use jiff::ToSpan as _;
use jiff::civil::{Date, Weekday};
use serde::Deserialize;

const PRICES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/stock-prices-monthly.csv");
const ZONE: &str = "America/New_York";
const TRADES_A_DAY: i64 = 6;

/// A trade: the row `IBM#1268055000`.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "TRADER", family = "T")]
struct Trade {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    #[bigtable(column = "PRICE", text)]
    price: f64,
    #[bigtable(column = "SHARES", text)]
    shares: u32,
}

/// A line of the file.
#[derive(Debug, Deserialize)]
struct Monthly {
    symbol: String,
    /// Such as `Mar 1 2010`.
    date: String,
    price: f64,
}

/// Writes the trades of a share and shows its days.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    store: Store,
    /// The share: AAPL, AMZN, GOOG, IBM or MSFT.
    #[arg(long, default_value = "IBM")]
    symbol: String,
    /// The number of days drawn, up to the last one.
    #[arg(long, default_value_t = 250)]
    days: usize,
}

/// A day of a share: its bar, and the number of shares traded.
type Day = Window<(Option<Ohlc<f64>>, i128)>;

/// A day, its averages of 5, 10 and 30 days, and the exponential one of 10.
type Averaged = Moved<Day, (Option<f64>, Option<f64>, Option<f64>, Option<f64>)>;

#[tokio::main]
async fn main() -> ExitCode {
    print::outcome(run(&Args::parse()).await)
}

async fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let db = store::open(&args.store.backend).await?;
    let trades = trades(args)?;
    store::insert(&*db, &trades, "Trades").await?;
    let days = days(&*db, &args.symbol).await?;
    let stored = db.count(&Trade::query().symbol(&args.symbol)).await?;
    let (stored, count) = (
        print::count(stored),
        print::count(u64::try_from(days.len())?),
    );
    println!("{stored} trades of {} on {count} days", args.symbol);
    let shown = days
        .get(days.len().saturating_sub(args.days)..)
        .unwrap_or_default();
    print_chart(shown)?;
    print_table(
        shown
            .get(shown.len().saturating_sub(10)..)
            .unwrap_or_default(),
    )
}

/// The days of a share in New York with their averages, read trade by trade: memory holds only a
/// day and 30 closes.
async fn days(db: &dyn Backend, symbol: &str) -> Result<Vec<Averaged>, Box<dyn Error>> {
    let days = db
        .stream(&Trade::query().symbol(symbol))
        .timed(|trade| trade.at)
        .windows(Windows::tumbling(Length::days(1).zone(ZONE)))
        .aggregate((
            ohlc(|trade: &Trade| trade.price),
            sum(|trade: &Trade| trade.shares),
        ));
    let averaged = days.timed(|day| day.start).moving((
        moving_mean(5, close),
        moving_mean(10, close),
        moving_mean(30, close),
        exponential_mean(10, close),
    ));
    Ok(averaged.try_collect().await?)
}

fn close(day: &Day) -> Option<f64> {
    day.value.0.map(|bar| bar.close)
}

fn print_chart(days: &[Averaged]) -> Result<(), Box<dyn Error>> {
    let (Some(first), Some(last)) = (days.first(), days.last()) else {
        return Ok(());
    };
    let line = |name: &str, value: fn(&Averaged) -> Option<f64>| Line {
        name: name.to_owned(),
        points: days.iter().map(value).collect(),
    };
    let lines = [
        line("close", |day| close(&day.event)),
        line("mean of 5 days", |day| day.value.0),
        line("of 10", |day| day.value.1),
        line("of 30", |day| day.value.2),
    ];
    let ends = [date(first.at)?.to_string(), date(last.at)?.to_string()];
    println!("\n{}", chart::lines(&lines, ends));
    Ok(())
}

fn print_table(days: &[Averaged]) -> Result<(), Box<dyn Error>> {
    let mut table = print::table(&[
        "day", "open", "high", "low", "close", "shares", "5 days", "10 days", "30 days", "exp. 10",
    ]);
    for day in days {
        let (bar, shares) = day.event.value;
        let price = |price: fn(Ohlc<f64>) -> f64| print::number(bar.map(price), 2);
        let (five, ten, thirty, exponential) = day.value;
        table.add_row([
            date(day.at)?.to_string(),
            price(|bar| bar.open),
            price(|bar| bar.high),
            price(|bar| bar.low),
            price(|bar| bar.close),
            print::count(u64::try_from(shares)?),
            print::number(five, 2),
            print::number(ten, 2),
            print::number(thirty, 2),
            print::number(exponential, 2),
        ]);
    }
    println!("\nThe last days\n{table}");
    Ok(())
}

/// The date in New York.
fn date(at: Timestamp) -> Result<Date, jiff::Error> {
    Ok(jiff::Timestamp::try_from(at)?.in_tz(ZONE)?.date())
}

/// The trades of a share: a random walk from one month's price to the next, adjusted to end there.
fn trades(args: &Args) -> Result<Vec<Trade>, Box<dyn Error>> {
    let mut random = Rng::with_seed(args.store.seed);
    let months = months(&args.symbol)?;
    let mut trades = Vec::new();
    for pair in months.windows(2) {
        let [(from, price), (to, target)] = pair else {
            continue;
        };
        let days: Vec<Date> = from
            .series(1.day())
            .take_while(|day| day < to)
            .filter(is_open)
            .collect();
        let mut left = i32::try_from(days.len())? * i32::try_from(TRADES_A_DAY)?;
        let mut price = *price;
        for day in days {
            let open = day.at(9, 30, 0, 0).in_tz(ZONE)?.timestamp();
            for number in 0..TRADES_A_DAY {
                let pull = (target / price).powf(1.0 / f64::from(left));
                let noise = (random.f64() - 0.5) * 0.02 * f64::from(left.min(20)) / 20.0;
                price *= pull * (1.0 + noise);
                left -= 1;
                // Six and a half hours, divided by the number of trades.
                let second = number * 23_400 / TRADES_A_DAY + random.i64(0..3_900);
                trades.push(Trade {
                    symbol: args.symbol.clone(),
                    at: (open + second.seconds()).into(),
                    price: (price * 100.0).round() / 100.0,
                    shares: random.u32(1..20) * 100,
                });
            }
        }
    }
    Ok(trades)
}

fn is_open(day: &Date) -> bool {
    !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday)
}

/// The prices of a share by month.
fn months(symbol: &str) -> Result<Vec<(Date, f64)>, Box<dyn Error>> {
    let file = csv_file::read::<Monthly>(Path::new(PRICES))?;
    let of_symbol = file.rows.into_iter().filter(|month| month.symbol == symbol);
    let dated = of_symbol.map(|month| Ok((Date::strptime("%b %d %Y", &month.date)?, month.price)));
    let months = dated.collect::<Result<Vec<_>, jiff::Error>>()?;
    match months.is_empty() {
        false => Ok(months),
        true => Err(format!(
            "there are no prices of `{symbol}`: ask for AAPL, AMZN, GOOG, IBM or MSFT"
        )
        .into()),
    }
}
