//! Electricity meters that report every 15 minutes: a row holds a day of a meter, a column holds a
//! reading.
//!
//! ```sh
//! cargo run --release --example meters
//! cargo run --release --example meters -- --backend bigtable://my-project/my-instance --meters 1000
//! ```

use std::error::Error;
use std::process::ExitCode;

use bigtable_model::{Backend, BackendExt, Model, Timestamp};
use bigtable_model_examples::print;
use bigtable_model_examples::store::{self, Store};
use clap::Parser;
use rust_decimal::Decimal;

/// 2017-07-26T00:00:00Z.
const DAY: Timestamp = Timestamp::from_seconds(1_501_027_200);
const READINGS: i64 = 96;
const QUARTER: i64 = 900;

/// A reading: column `0015` of the row `0000987654#20170726`.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "SENSOR",
    family = "METER",
    layout = "columns",
    expect(every = "15m", size = 60)
)]
struct Reading {
    #[bigtable(key, width = 10, column = "ID", text)]
    meter: u64,
    #[bigtable(time, bucket = "day", offset = "%H%M")]
    at: Timestamp,
    /// The consumption of the previous 15 minutes.
    #[bigtable(text)]
    kilowatt_hours: Decimal,
}

/// Writes a day of all meters and queries single meters.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    store: Store,
    /// The number of meters.
    #[arg(long, default_value_t = 10_000)]
    meters: u64,
}

#[tokio::main]
async fn main() -> ExitCode {
    print::outcome(run(&Args::parse()).await)
}

async fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let db = store::open(&args.store.backend).await?;
    let db = &*db;
    store::insert(db, &readings(args), "Writing").await?;
    let stored = store::stored(db, "SENSOR").await?;
    println!(
        "{} meters reported {} times each: {} rows of {} cells, {} bytes.",
        print::count(args.meters),
        READINGS,
        print::count(stored.rows),
        stored.cells.checked_div(stored.rows).unwrap_or_default(),
        print::count(stored.bytes),
    );
    let meter = number(args.meters / 2);
    print_day(db, meter).await?;
    print_evening(db, meter).await?;
    print_newest(db, args).await
}

/// The hours of one meter's day: one row is read.
async fn print_day(db: &dyn Backend, meter: u64) -> Result<(), Box<dyn Error>> {
    let query = Reading::query().meter(meter).at(DAY..later(READINGS));
    let day = db.fetch(&query).await?;
    let mut table = print::table(&["hour", "readings", "kWh"]);
    for hour in day.chunk_by(|a, b| a.at.as_seconds() / 3_600 == b.at.as_seconds() / 3_600) {
        let sum: Decimal = hour.iter().map(|reading| reading.kilowatt_hours).sum();
        let first = hour.first().map(|reading| reading.at.to_string());
        table.add_row([
            first.unwrap_or_default(),
            hour.len().to_string(),
            sum.to_string(),
        ]);
    }
    let sum: Decimal = day.iter().map(|reading| reading.kilowatt_hours).sum();
    println!(
        "\nMeter {meter} on the day: {sum} kWh\n{table}\n{}",
        query.events().explain()
    );
    Ok(())
}

/// Two hours: the server sends only these columns of the row.
async fn print_evening(db: &dyn Backend, meter: u64) -> Result<(), Box<dyn Error>> {
    let query = Reading::query().meter(meter).at(later(72)..later(80));
    let evening = db.fetch(&query).await?;
    let peak = evening.iter().max_by_key(|reading| reading.kilowatt_hours);
    if let Some(peak) = peak {
        println!(
            "\nFrom 18:00 to 20:00 its peak was {} kWh at {}.\n{}",
            peak.kilowatt_hours,
            peak.at,
            query.events().explain()
        );
    }
    Ok(())
}

/// The newest reading of ten meters at once.
async fn print_newest(db: &dyn Backend, args: &Args) -> Result<(), Box<dyn Error>> {
    let meters: Vec<u64> = (0..args.meters.min(10)).map(number).collect();
    let newest = db
        .fetch(
            &Reading::query()
                .meter(&meters[..])
                .events()
                .newest_first()
                .limit(10),
        )
        .await?;
    let mut table = print::table(&["meter", "time (UTC)", "kWh"]);
    for reading in newest {
        table.add_row([
            reading.meter.to_string(),
            reading.at.to_string(),
            reading.kilowatt_hours.to_string(),
        ]);
    }
    println!("\nThe newest readings of {} meters\n{table}", meters.len());
    Ok(())
}

/// The ID of the n-th meter.
fn number(n: u64) -> u64 {
    900_000 + n * 17
}

/// The given number of readings after midnight.
fn later(readings: i64) -> Timestamp {
    Timestamp::from_seconds(DAY.as_seconds() + readings * QUARTER)
}

/// A day of every meter: higher in the evening, with some noise.
fn readings(args: &Args) -> Vec<Reading> {
    let mut random = fastrand::Rng::with_seed(args.store.seed);
    let mut all = Vec::new();
    for n in 0..args.meters {
        for quarter in 0..READINGS {
            let base = if (68..92).contains(&quarter) { 40 } else { 12 };
            all.push(Reading {
                meter: number(n),
                at: later(quarter),
                kilowatt_hours: Decimal::new(base + random.i64(0..20), 2),
            });
        }
    }
    all
}
