//! A load test: readings of meters, written and asked at a pace on any backend.
//!
//! ```sh
//! cargo run --release --example load
//! cargo run --release --example load -- --backend bigtable://my-project/my-instance --speed 10 --meters 5000
//! ```

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use bigtable_load::{Load, Pace, Picture, Rate, Sizes, Writes};
use bigtable_model::{Model, Timestamp};
use bigtable_model_examples::print;
use bigtable_model_examples::store::{self, Store};
use clap::Parser;

/// A reading: a cell of the row `0000987654#20170726`.
#[derive(Debug, Clone, Model)]
#[bigtable(
    table = "LOAD_TEST",
    family = "METER",
    layout = "cells",
    gc(max_age = "30d")
)]
struct Reading {
    #[bigtable(key, width = 10)]
    meter: u64,
    #[bigtable(time, unit = "s", bucket = "day", truncate)]
    at: Timestamp,
    watts: f64,
}

/// Writes readings and asks for some of them, as fast as they would come.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    store: Store,
    /// How many meters there are; the first is the largest, by Zipf's law.
    #[arg(long, default_value_t = 1_000)]
    meters: u64,
    /// How many readings come in an hour, from all meters.
    #[arg(long, default_value_t = 200_000)]
    readings: u64,
    /// How many seconds of the load pass in one; 0 for as fast as it goes.
    #[arg(long, default_value_t = 720.0)]
    speed: f64,
    /// How many calls run at a time.
    #[arg(long, default_value_t = 64)]
    calls: usize,
    /// A picture of where it wrote and read.
    #[arg(long)]
    picture: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> ExitCode {
    print::outcome(run(&Args::parse()).await)
}

async fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let db = store::open(&args.store.backend).await?;
    let pace = match args.speed > 0.0 {
        true => Pace::times(args.speed),
        false => Pace::fastest(),
    };
    let report = load(args).run(db, pace.calls(args.calls)).await?;
    for map in &report.heat {
        println!("{map}");
    }
    println!("{report}");
    if let Some(path) = &args.picture {
        Picture::new("Load test")
            .maps("readings", &report.heat)
            .save(path)?;
    }
    Ok(())
}

/// The last hour: the table keeps readings for 30 days.
fn load(args: &Args) -> Load {
    let now = Timestamp::now();
    let hour = Duration::from_secs(3_600);
    let reading = |meter, at| Reading {
        meter,
        at,
        watts: 230.5,
    };
    let rate = Rate::every(hour).times(args.readings);
    Load::over(now.saturating_sub(hour)..now)
        .writes(Writes::of(Sizes::zipf(args.meters, 0.8), rate, reading))
        .asks("the last five minutes", Rate::per_second(1.0), |asked| {
            let from = asked.at.saturating_sub(Duration::from_secs(300));
            Reading::query().meter(asked.series).at(from..asked.at)
        })
        .asks("the day so far", Rate::per_second(0.1), |asked| {
            let from = asked.at.saturating_sub(Duration::from_secs(86_400));
            Reading::query().meter(asked.series).at(from..asked.at)
        })
}
