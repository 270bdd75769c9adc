//! Quotes and trades of a stock market on one day: 90% of the messages concern a few hundred of
//! 5,000 symbols.
//!
//! ```sh
//! cargo run --release --example market
//! cargo run --release --example market -- --backend bigtable://my-project/my-instance --messages 100000
//! ```
//!
//! Google's emulator is slow at the last query: it walks all later rows to return the next one, and
//! recompiles the patterns of a filter for each cell.

use std::collections::HashSet;
use std::error::Error;
use std::process::ExitCode;

use bigtable_model::series::{Length, SeriesExt as _, Windows, ohlc, sum};
use bigtable_model::{Backend, BackendExt, Model, Projection, Timestamp};
use bigtable_model_examples::print;
use bigtable_model_examples::store::{self, Store};
use clap::Parser;
use rust_decimal::Decimal;

const SYMBOLS: usize = 5_000;
const BUSY: usize = 300;
/// 2015-03-16T13:30:00Z, when New York opens.
const OPEN: i64 = 1_426_512_600_000;
/// Milliseconds from the opening to the close.
const SESSION: i64 = 23_400_000;

/// A quote: the row `NASDAQ#ZXZZT#1426535612156`.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key, width = 6, column = "EXCHANGE", text)]
    exchange: String,
    #[bigtable(key, width = 5, column = "SYMBOL", text)]
    symbol: String,
    #[bigtable(time, unit = "ms", column = "QUOTETIME", text)]
    at: Timestamp,
    #[bigtable(column = "BID", text)]
    bid: Decimal,
    #[bigtable(column = "ASK", text)]
    ask: Decimal,
    #[bigtable(column = "BIDSIZE", text)]
    bid_size: u32,
    #[bigtable(column = "ASKSIZE", text)]
    ask_size: u32,
}

/// A trade.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "TRADE", family = "MD")]
struct Trade {
    #[bigtable(key, width = 6, column = "EXCHANGE", text)]
    exchange: String,
    #[bigtable(key, width = 5, column = "SYMBOL", text)]
    symbol: String,
    #[bigtable(time, unit = "ms", column = "TRADETIME", text)]
    at: Timestamp,
    #[bigtable(column = "LASTSALE", text)]
    last_sale: Decimal,
    #[bigtable(column = "LASTSIZE", text)]
    last_size: u32,
    #[bigtable(column = "VOLUME", text)]
    volume: u64,
}

/// The columns of a chart: the server sends only these.
#[derive(Debug, Projection)]
#[bigtable(model = Trade)]
struct Sale {
    at: Timestamp,
    last_sale: Decimal,
    last_size: u32,
}

/// The symbol of a quote: of each row the server sends only the column that marks it.
#[derive(Debug, Projection)]
#[bigtable(model = Quote)]
struct Named {
    symbol: String,
}

/// Writes a day of messages and queries it.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    store: Store,
    /// The number of quotes and trades on the day, four quotes for each trade.
    #[arg(long, default_value_t = 500_000)]
    messages: usize,
}

#[tokio::main]
async fn main() -> ExitCode {
    print::outcome(run(&Args::parse()).await)
}

async fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let db = store::open(&args.store.backend).await?;
    let db = &*db;
    let (quotes, trades) = messages(args);
    store::insert(db, &quotes, "Quotes").await?;
    store::insert(db, &trades, "Trades").await?;
    let busiest = symbol(0);
    print_bars(db, &busiest).await?;
    print_spread(db, &busiest).await?;
    print_newest(db).await?;
    print_symbols(db).await
}

/// An hour of one symbol in bars of ten minutes: one range of keys.
async fn print_bars(db: &dyn Backend, symbol: &str) -> Result<(), Box<dyn Error>> {
    let query = Trade::query()
        .exchange("NASDAQ")
        .symbol(symbol)
        .at(minute(60)..minute(120))
        .select::<Sale>();
    let bars = db
        .stream(&query)
        .timed(|sale| sale.at)
        .windows(Windows::tumbling(Length::minutes(10)))
        .aggregate((
            ohlc(|sale: &Sale| sale.last_sale),
            sum(|sale: &Sale| sale.last_size),
        ));
    let mut table = print::table(&[
        "from (UTC)",
        "trades",
        "open",
        "high",
        "low",
        "close",
        "shares",
    ]);
    for window in bars.fetch().await? {
        let (Some(bar), shares) = window.value else {
            continue;
        };
        table.add_row([
            window.start.to_string(),
            window.events.to_string(),
            bar.open.to_string(),
            bar.high.to_string(),
            bar.low.to_string(),
            bar.close.to_string(),
            print::count(u64::try_from(shares)?),
        ]);
    }
    println!(
        "Trades of {symbol}, 10:30 to 11:30 in New York\n{table}\n{}",
        query.events().explain()
    );
    Ok(())
}

/// The last quotes of one symbol before noon, newest first.
async fn print_spread(db: &dyn Backend, symbol: &str) -> Result<(), Box<dyn Error>> {
    let query = Quote::query()
        .exchange("NASDAQ")
        .symbol(symbol)
        .at(..minute(150));
    let quotes = db.fetch(&query.events().newest_first().limit(5)).await?;
    let mut table = print::table(&["time (UTC)", "bid", "ask", "spread", "sizes"]);
    for quote in quotes {
        table.add_row([
            quote.at.to_string(),
            quote.bid.to_string(),
            quote.ask.to_string(),
            (quote.ask - quote.bid).to_string(),
            format!("{} x {}", quote.bid_size, quote.ask_size),
        ]);
    }
    println!("\nThe last quotes of {symbol} before noon\n{table}");
    Ok(())
}

/// The newest trades among ten symbols: one scan each, merged by time.
async fn print_newest(db: &dyn Backend) -> Result<(), Box<dyn Error>> {
    let symbols: Vec<String> = (0..10).map(symbol).collect();
    let trades = db
        .fetch(
            &Trade::query()
                .exchange("NASDAQ")
                .symbol(&symbols[..])
                .events()
                .newest_first()
                .limit(10),
        )
        .await?;
    let mut table = print::table(&["time (UTC)", "symbol", "price", "shares", "volume"]);
    for trade in trades {
        table.add_row([
            trade.at.to_string(),
            trade.symbol,
            trade.last_sale.to_string(),
            trade.last_size.to_string(),
            print::count(trade.volume),
        ]);
    }
    println!("\nThe newest trades of the ten busiest symbols\n{table}");
    Ok(())
}

/// The distribution of messages over symbols. Seeking finds the symbols; one scan counts the
/// quotes.
async fn print_symbols(db: &dyn Backend) -> Result<(), Box<dyn Error>> {
    let series = db.series(&Quote::query().exchange("NASDAQ")).await?;
    let busy: HashSet<String> = (0..BUSY).map(symbol).collect();
    let (mut all, mut of_busy) = (0_u64, 0_u64);
    let quotes = Quote::query().exchange("NASDAQ").select::<Named>();
    let mut quotes = db.stream(&quotes);
    while let Some(quote) = quotes.try_next().await? {
        all += 1;
        of_busy += u64::from(busy.contains(&quote.symbol));
    }
    println!(
        "\n{} quotes of {} symbols; {:.0}% of them are of {BUSY}.",
        print::count(all),
        print::count(u64::try_from(series.len())?),
        100.0 * of_busy as f64 / all as f64,
    );
    Ok(())
}

/// The given number of minutes after the opening.
fn minute(minutes: i64) -> Timestamp {
    Timestamp::from_millis(OPEN + minutes * 60_000)
}

/// The n-th symbol: four letters.
fn symbol(n: usize) -> String {
    let letter = |n: usize| char::from(b'A' + u8::try_from(n % 26).unwrap_or_default());
    [
        letter(n / 17_576),
        letter(n / 676),
        letter(n / 26),
        letter(n),
    ]
    .iter()
    .collect()
}

fn messages(args: &Args) -> (Vec<Quote>, Vec<Trade>) {
    let mut random = fastrand::Rng::with_seed(args.store.seed);
    let mut cents: Vec<i64> = (0..SYMBOLS).map(|_| random.i64(1_000..60_000)).collect();
    let mut volumes = vec![0_u64; SYMBOLS];
    let (mut quotes, mut trades) = (Vec::new(), Vec::new());
    let messages = i64::try_from(args.messages).unwrap_or(i64::MAX);
    for message in 0..messages {
        let n = match random.u8(0..10) {
            0 => random.usize(BUSY..SYMBOLS),
            // Some busy symbols are busier than others.
            _ => random.usize(0..BUSY).min(random.usize(0..BUSY)),
        };
        let at = Timestamp::from_millis(OPEN + message * SESSION / messages);
        let (Some(price), Some(volume)) = (cents.get_mut(n), volumes.get_mut(n)) else {
            continue;
        };
        *price = (*price + random.i64(-3..4)).max(100);
        if message % 5 == 4 {
            let last_size = random.u32(1..20) * 100;
            *volume += u64::from(last_size);
            trades.push(Trade {
                exchange: "NASDAQ".to_owned(),
                symbol: symbol(n),
                at,
                last_sale: Decimal::new(*price, 2),
                last_size,
                volume: *volume,
            });
        } else {
            quotes.push(Quote {
                exchange: "NASDAQ".to_owned(),
                symbol: symbol(n),
                at,
                bid: Decimal::new(*price - 1, 2),
                ask: Decimal::new(*price + random.i64(1..4), 2),
                bid_size: random.u32(1..20) * 100,
                ask_size: random.u32(1..20) * 100,
            });
        }
    }
    (quotes, trades)
}
