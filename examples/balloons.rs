//! Weather balloons in the four patterns of Google's guide to schema design: the same struct with
//! four settings gives the same answers to the same questions. The keys are those printed in the
//! guide.
//!
//! ```sh
//! cargo run --release --example balloons
//! cargo run --release --example balloons -- --backend bigtable://my-project/my-instance
//! ```

use std::error::Error;
use std::process::ExitCode;

use bigtable_model::{Backend, BackendExt, Model, Timestamp};
use bigtable_model_examples::print;
use bigtable_model_examples::store::{self, Store};
use clap::Parser;

/// 2021-03-05T12:00:00Z, the first time in the guide's tables.
const START: Timestamp = Timestamp::from_seconds(1_614_945_600);

/// 2021-03-08T00:00:00Z, the beginning of its second week.
const SECOND_WEEK: i64 = 1_615_161_600;

/// A minute's measurement of a balloon in one of the patterns.
macro_rules! pattern {
    ($name:ident, $table:literal, $location:literal, [$($layout:tt)*], [$($time:tt)*]) => {
        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable(table = $table, family = "measurements", $($layout)*)]
        struct $name {
            #[bigtable(key)]
            location: String,
            #[bigtable(key, width = 4)]
            balloon: u16,
            #[bigtable(time, $($time)*)]
            at: Timestamp,
            /// Pascals.
            pressure: u32,
            /// Degrees Celsius.
            temperature: f64,
            /// Per cent, if the sensor works.
            humidity: Option<u8>,
            /// Metres.
            altitude: u32,
        }

        impl From<&Measurement> for $name {
            fn from(one: &Measurement) -> Self {
                Self {
                    location: one.location.to_owned(),
                    balloon: one.balloon,
                    at: one.at,
                    pressure: one.pressure,
                    temperature: one.temperature,
                    humidity: one.humidity,
                    altitude: one.altitude,
                }
            }
        }

        impl $name {
            /// Writes all measurements and runs the queries: the code is the same for every
            /// pattern.
            async fn compare(db: &dyn Backend, all: &[Measurement]) -> Result<Report, Box<dyn Error>> {
                let events: Vec<Self> = all.iter().map(Self::from).collect();
                store::insert(db, &events, $table).await?;
                let (from, to) = minutes();
                let query = Self::query().location("us-west2").balloon(3698_u16).at(from..to);
                let ten = db.fetch(&query).await?;
                let newest = db.fetch(&Self::query().location("us-west2").balloon(3698_u16).events().newest_first().limit(1)).await?;
                Ok(Report {
                    table: $table,
                    stored: store::stored(db, $table).await?,
                    key: first_key(events.iter().find(|one| one.location == $location))?,
                    mean: ten.iter().map(|one| f64::from(one.pressure)).sum::<f64>() / ten.len() as f64,
                    events: ten.len(),
                    highest: newest.first().map(|one| one.altitude),
                    explained: query.events().explain().to_string(),
                })
            }
        }
    };
}

pattern!(
    Events,
    "BALLOON_EVENTS",
    "us-west2",
    [],
    [format = "%Y-%m-%d-%H%M"]
);
pattern!(
    Blobs,
    "BALLOON_BLOBS",
    "us-west2",
    [serialize(json, column = "measurements_blob")],
    [format = "%Y-%m-%d-%H%M"]
);
pattern!(
    Cells,
    "BALLOON_CELLS",
    "asia-south2",
    [layout = "cells"],
    [
        unit = "s",
        bucket = "week",
        label = "week{n}",
        origin = "2021-03-01"
    ]
);
pattern!(
    Columns,
    "BALLOON_COLUMNS",
    "asia-south2",
    [layout = "columns"],
    [
        unit = "s",
        bucket = "week",
        label = "week{n}",
        origin = "2021-03-01"
    ]
);
pattern!(
    Packed,
    "BALLOON_PACKED",
    "asia-south2",
    [layout = "columns", serialize(postcard)],
    [
        unit = "s",
        bucket = "week",
        label = "week{n}",
        origin = "2021-03-01"
    ]
);

/// The fourth pattern: an event has one value, stored as its qualifier.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "BALLOON_QUALIFIERS",
    family = "measurements",
    layout = "qualifiers"
)]
struct Pressure {
    #[bigtable(key)]
    location: String,
    #[bigtable(key, width = 4)]
    balloon: u16,
    #[bigtable(key)]
    metric: String,
    #[bigtable(
        time,
        unit = "s",
        bucket = "week",
        label = "week{n}",
        origin = "2021-03-01"
    )]
    at: Timestamp,
    #[bigtable(text)]
    value: u32,
}

/// The event that every pattern stores.
#[derive(Debug)]
struct Measurement {
    location: &'static str,
    balloon: u16,
    at: Timestamp,
    pressure: u32,
    temperature: f64,
    humidity: Option<u8>,
    altitude: u32,
}

/// The size of a pattern, and its answers.
struct Report {
    table: &'static str,
    stored: store::Stored,
    key: String,
    events: usize,
    mean: f64,
    highest: Option<u32>,
    explained: String,
}

/// Writes two weeks of balloons in every pattern and compares rows, cells and bytes.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    store: Store,
    /// The number of minutes that each balloon is in the air.
    #[arg(long, default_value_t = 14 * 1_440)]
    minutes: u32,
}

#[tokio::main]
async fn main() -> ExitCode {
    print::outcome(run(&Args::parse()).await)
}

/// Ten minutes around the end of the first week.
fn minutes() -> (Timestamp, Timestamp) {
    let at = Timestamp::from_seconds;
    (at(SECOND_WEEK - 300), at(SECOND_WEEK + 300))
}

async fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let db = store::open(&args.store.backend).await?;
    let all = measurements(args);
    let events = print::count(u64::try_from(all.len())?);
    println!("{events} measurements of 2 balloons, one a minute.\n");
    let reports = [
        Events::compare(&*db, &all).await?,
        Blobs::compare(&*db, &all).await?,
        Cells::compare(&*db, &all).await?,
        Columns::compare(&*db, &all).await?,
        Packed::compare(&*db, &all).await?,
        pressures(&*db, &all).await?,
    ];
    print_reports(&reports);
    for report in reports
        .iter()
        .filter(|one| ["BALLOON_EVENTS", "BALLOON_CELLS"].contains(&one.table))
    {
        println!(
            "\nHow the ten minutes are read from {}:\n{}",
            report.table, report.explained
        );
    }
    Ok(())
}

/// The first event's key, as printed in the guide.
fn first_key<M: Model>(event: Option<&M>) -> Result<String, Box<dyn Error>> {
    let mut key = Vec::new();
    event.ok_or("no event")?.encode_key(&mut key)?;
    Ok(String::from_utf8_lossy(&key).into_owned())
}

/// The pressures only, one value for each event.
async fn pressures(db: &dyn Backend, all: &[Measurement]) -> Result<Report, Box<dyn Error>> {
    let events: Vec<_> = all
        .iter()
        .map(|one| Pressure {
            location: one.location.to_owned(),
            balloon: one.balloon,
            metric: "pressure".to_owned(),
            at: one.at,
            value: one.pressure,
        })
        .collect();
    store::insert(db, &events, "BALLOON_QUALIFIERS").await?;
    let (from, to) = minutes();
    let query = Pressure::query()
        .location("us-west2")
        .balloon(3698_u16)
        .metric("pressure")
        .at(from..to);
    let ten = db.fetch(&query).await?;
    Ok(Report {
        table: "BALLOON_QUALIFIERS",
        stored: store::stored(db, "BALLOON_QUALIFIERS").await?,
        key: first_key(events.iter().find(|one| one.location == "us-west2"))?,
        mean: ten.iter().map(|one| f64::from(one.value)).sum::<f64>() / ten.len() as f64,
        events: ten.len(),
        highest: None,
        explained: query.events().explain().to_string(),
    })
}

fn print_reports(reports: &[Report]) {
    let mut table = print::table(&[
        "table",
        "rows",
        "cells",
        "bytes",
        "first key",
        "in 10 min",
        "mean Pa",
        "altitude m",
    ]);
    for report in reports {
        table.add_row([
            report.table.to_owned(),
            print::count(report.stored.rows),
            print::count(report.stored.cells),
            print::count(report.stored.bytes),
            report.key.clone(),
            report.events.to_string(),
            print::number(Some(report.mean), 1),
            print::number(report.highest.map(f64::from), 0),
        ]);
    }
    println!("{table}");
}

/// Two balloons that rise and sway.
fn measurements(args: &Args) -> Vec<Measurement> {
    let mut random = fastrand::Rng::with_seed(args.store.seed);
    let mut all = Vec::new();
    for (location, balloon) in [("asia-south2", 3698), ("us-west2", 3698)] {
        let mut altitude = 600;
        for minute in 0..args.minutes {
            altitude = (altitude + random.u32(0..7))
                .saturating_sub(3)
                .clamp(100, 20_000);
            all.push(Measurement {
                location,
                balloon,
                at: Timestamp::from_seconds(START.as_seconds() + i64::from(minute) * 60),
                pressure: 101_325 - altitude * 4 + random.u32(0..50),
                temperature: f64::from(random.i32(-50..200)) / 10.0,
                humidity: (random.u8(0..20) > 0).then(|| random.u8(20..95)),
                altitude,
            });
        }
    }
    all
}
