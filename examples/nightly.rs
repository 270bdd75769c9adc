//! A nightly job: it copies yesterday's readings, a row of `SENSOR` for each meter, into their own
//! table, `SENSOR_20170726`.
//!
//! Kill it and run it again: with a checkpoint it continues where it was.
//!
//! ```sh
//! cargo run --release --example nightly
//! cargo run --release --example nightly -- --backend bigtable://my-project/my-instance --meters 10000 --only write
//! cargo run --release --example nightly -- --backend bigtable://my-project/my-instance --only copy --checkpoint 20170726.checkpoint
//! ```

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use bigtable_model::copy::{CopyJob, CopyReport, FileCheckpoint, Progress, Stage};
use bigtable_model::data::{FamilySchema, TableSchema};
use bigtable_model::{Backend, BackendExt, Code, Model, Timestamp};
use bigtable_model_examples::print;
use bigtable_model_examples::store::{self, Store};
use clap::{Parser, ValueEnum};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use indicatif::ProgressBar;
use jiff::civil::Date;
use rust_decimal::Decimal;

const READINGS: i64 = 96;
const QUARTER: i64 = 900;
const DAY: i64 = READINGS * QUARTER;

/// The number of meters written by one call, and the number of calls at once.
const METERS_A_CALL: u64 = 100;
const CALLS: usize = 4;

/// The number of parts of the source when it is created.
const SPLITS: u64 = 16;

/// The progress bar counts thousandths.
const WHOLE: u64 = 1_000;

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

/// Writes three days of all meters, and copies the middle one into its own table.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    store: Store,
    /// The number of meters.
    #[arg(long, default_value_t = 2_500)]
    meters: u64,
    /// The day to copy; readings are written from the day before it to the day after it.
    #[arg(long, default_value = "2017-07-26")]
    day: Date,
    /// Run only one of the two steps.
    #[arg(long)]
    only: Option<Step>,
    /// The file in which the copy records its progress.
    #[arg(long)]
    checkpoint: Option<PathBuf>,
    /// The number of parts of the source that are copied in parallel.
    #[arg(long, default_value_t = 8)]
    parallelism: usize,
    /// The number of rows written at once.
    #[arg(long, default_value_t = 250)]
    rows_per_write: usize,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Step {
    Write,
    Copy,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(&Args::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", print::chain(&*error));
            ExitCode::FAILURE
        }
    }
}

async fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let db = store::open(&args.store.backend).await?;
    let db = &*db;
    if args.only != Some(Step::Copy) {
        create(db, args).await?;
        write(db, args).await?;
    }
    if args.only != Some(Step::Write) {
        let report = copy(db, args).await?;
        print(&report);
        let stored = store::stored(db, &report.table).await?;
        println!(
            "{} holds {} rows of {} cells.",
            report.table,
            print::count(stored.rows),
            stored.cells.checked_div(stored.rows).unwrap_or_default(),
        );
    }
    Ok(())
}

/// Creates the source, split like a table of some size.
async fn create(db: &dyn Backend, args: &Args) -> Result<(), Box<dyn Error>> {
    let families = Reading::SCHEMA.families().into_iter();
    let schema = TableSchema {
        table: Reading::SCHEMA.table.to_string(),
        families: families
            .map(|family| (family.to_owned(), FamilySchema::default()))
            .collect(),
        ..TableSchema::default()
    };
    let splits = (1..SPLITS).map(|part| number(args.meters * part / SPLITS));
    let splits = splits.map(|meter| format!("{meter:010}").into());
    match db.tables().create(schema, splits.collect()).await {
        Err(status) if status.code == Code::AlreadyExists => Ok(()),
        created => Ok(created?),
    }
}

/// Writes three days of every meter.
async fn write(db: &dyn Backend, args: &Args) -> Result<(), Box<dyn Error>> {
    let start = midnight(args.day)?;
    let days = [-1, 0, 1].map(|day| later(start, day * DAY));
    let bar = print::progress(usize::try_from(args.meters)?, "Writing meters");
    let calls = (0..args.meters).step_by(usize::try_from(METERS_A_CALL)?);
    let calls = stream::iter(calls).map(|first| {
        let (bar, after) = (&bar, args.meters.min(first + METERS_A_CALL));
        async move {
            let readings: Vec<_> = (first..after)
                .flat_map(|n| days.iter().flat_map(move |day| readings(args, n, *day)))
                .collect();
            db.insert_many(&readings).await.into_result()?;
            bar.inc(after - first);
            Ok::<_, Box<dyn Error>>(())
        }
    });
    calls.buffer_unordered(CALLS).try_collect::<()>().await?;
    bar.finish_and_clear();
    println!(
        "{} meters reported {READINGS} times a day on {} days.",
        print::count(args.meters),
        days.len()
    );
    Ok(())
}

/// Copies the day.
async fn copy(db: &dyn Backend, args: &Args) -> Result<CopyReport, Box<dyn Error>> {
    let start = midnight(args.day)?;
    let day = Reading::scan().at(start..later(start, DAY));
    let bar = print::progress(usize::try_from(WHOLE)?, "");
    let shown = bar.clone();
    let mut job = CopyJob::new(&day, |reading: Reading| reading)
        .into_table(format!("SENSOR_{}", args.day.strftime("%Y%m%d")))
        .parallelism(args.parallelism)?
        .rows_per_write(args.rows_per_write)?
        .on_progress(move |progress| show(&shown, progress));
    if let Some(file) = &args.checkpoint {
        job = job.checkpoint(FileCheckpoint::new(file));
    }
    let report = job.run(db).await;
    bar.finish_and_clear();
    Ok(report?)
}

fn show(bar: &ProgressBar, progress: &Progress) {
    let doing = match progress.stage {
        Stage::Copying => "Copying",
        Stage::Verifying => "Comparing",
    };
    bar.set_message(format!(
        "{doing}: {} events, {} of {} parts",
        print::count(progress.events),
        progress.parts_done,
        progress.parts
    ));
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of 1,000"
    )]
    bar.set_position((progress.share * 1_000.0) as u64);
}

fn print(report: &CopyReport) {
    if let Some(resumed) = &report.resumed {
        println!(
            "Earlier runs had copied {} readings of {} meters.",
            print::count(resumed.events),
            print::count(resumed.rows)
        );
    }
    println!(
        "{} readings of {} meters copied to {}, {} bytes, and compared: checksum {:016x}.",
        print::count(report.events),
        print::count(report.rows),
        report.table,
        print::count(report.bytes),
        report.checksum,
    );
}

fn midnight(day: Date) -> Result<Timestamp, Box<dyn Error>> {
    let start = day.to_zoned(jiff::tz::TimeZone::UTC)?;
    Ok(Timestamp::from_seconds(start.timestamp().as_second()))
}

fn later(time: Timestamp, seconds: i64) -> Timestamp {
    Timestamp::from_seconds(time.as_seconds() + seconds)
}

/// The ID of the n-th meter.
fn number(n: u64) -> u64 {
    900_000 + n * 17
}

/// A day of a meter: higher in the evening, with some noise.
fn readings(args: &Args, n: u64, day: Timestamp) -> impl Iterator<Item = Reading> + use<> {
    let seed = args.store.seed ^ n ^ day.as_seconds().unsigned_abs();
    let mut random = fastrand::Rng::with_seed(seed);
    (0..READINGS).map(move |quarter| {
        let base = if (68..92).contains(&quarter) { 40 } else { 12 };
        Reading {
            meter: number(n),
            at: later(day, quarter * QUARTER),
            kilowatt_hours: Decimal::new(base + random.i64(0..20), 2),
        }
    })
}
