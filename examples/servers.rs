//! Metrics of 1,000 machines: METRIC keeps all of them, CURRENT_METRIC the newest of each machine.
//! One call writes both.
//!
//! A sample has two metrics that every machine reports, and a hundred that depend on the machine.
//! Some samples arrive late.
//!
//! ```sh
//! cargo run --release --example servers
//! cargo run --release --example servers -- --backend bigtable://my-project/my-instance --machines 100
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::process::ExitCode;

use bigtable_model::{Backend, BackendExt, Model, Projection, Timestamp};
use bigtable_model_examples::print;
use bigtable_model_examples::store::{self, Store};
use clap::Parser;

/// 2015-03-16T19:00:00Z.
const BEGIN: i64 = 1_426_532_400_000;
/// Milliseconds between the samples of a machine.
const STEP: i64 = 300_000;
/// Metrics that depend on the machine.
const RUN_TIME: usize = 98;

/// A sample: the row `server0007.bbb.com#1426532400007`.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "METRIC", family = "METRIC", mirror(CurrentMetric))]
struct Metric {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    #[bigtable(column = "CPU/USR", text)]
    user: f64,
    #[bigtable(column = "NET/ANSWER_MS", text)]
    answer: f64,
    /// `CPU/CPU1_USR`, `IO/BLK_READ` and other metrics of the machine.
    #[bigtable(columns, text)]
    rest: BTreeMap<String, u32>,
}

/// The newest sample of a machine: the row `server0007.bbb.com`.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "CURRENT_METRIC", family = "METRIC", layout = "latest")]
struct CurrentMetric {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    #[bigtable(column = "CPU/USR", text)]
    user: f64,
    #[bigtable(column = "NET/ANSWER_MS", text)]
    answer: f64,
    #[bigtable(columns, text)]
    rest: BTreeMap<String, u32>,
}

impl From<&Metric> for CurrentMetric {
    fn from(metric: &Metric) -> Self {
        Self {
            host: metric.host.clone(),
            at: metric.at,
            user: metric.user,
            answer: metric.answer,
            rest: metric.rest.clone(),
        }
    }
}

/// One metric of a sample: the server sends only this column.
#[derive(Debug, Projection)]
#[bigtable(model = Metric)]
struct Load {
    at: Timestamp,
    user: f64,
}

/// The current response time of a machine.
#[derive(Debug, Projection)]
#[bigtable(model = CurrentMetric)]
struct Answer {
    host: String,
    at: Timestamp,
    answer: f64,
}

/// Writes the samples of some hours and runs an operator's queries.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    store: Store,
    /// The number of machines.
    #[arg(long, default_value_t = 1_000)]
    machines: usize,
    /// The number of samples of each machine, one every five minutes.
    #[arg(long, default_value_t = 13)]
    samples: i64,
}

#[tokio::main]
async fn main() -> ExitCode {
    print::outcome(run(&Args::parse()).await)
}

async fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let db = store::open(&args.store.backend).await?;
    let db = &*db;
    let mut random = fastrand::Rng::with_seed(args.store.seed);
    let mut late = Vec::new();
    for sample in 0..args.samples {
        let (now, later) = samples(args, sample, &mut random);
        store::insert(db, &now, "Samples").await?;
        // Late samples of the previous round arrive now, after newer ones.
        store::insert(db, &late, "Late samples").await?;
        late = later;
    }
    store::insert(db, &late, "Late samples").await?;
    let host = host(args.machines / 2);
    print_hour(db, &host, args).await?;
    print_current(db, &host).await?;
    print_slowest(db, args).await
}

/// The last hour of one metric of one machine: one range of keys.
async fn print_hour(db: &dyn Backend, host: &str, args: &Args) -> Result<(), Box<dyn Error>> {
    let end = time(0, args.samples);
    let query = Metric::query()
        .host(host)
        .at(time(0, args.samples - 12)..end)
        .select::<Load>();
    let mut table = print::table(&["time (UTC)", "CPU/USR"]);
    for load in db.fetch(&query).await? {
        table.add_row([load.at.to_string(), print::number(Some(load.user), 2)]);
    }
    println!(
        "The load of {host} in the last hour\n{table}\n{}",
        query.events().explain()
    );
    Ok(())
}

/// The current state of one machine: one row.
async fn print_current(db: &dyn Backend, host: &str) -> Result<(), Box<dyn Error>> {
    let query = CurrentMetric::query().host(host);
    for metric in db.fetch(&query).await? {
        let busiest = metric.rest.iter().max_by_key(|(_, value)| **value);
        let busiest = busiest.map(|(name, value)| format!(", most of all {name} with {value}"));
        println!(
            "\n{host} reported {} metrics at {}{}.\n{}",
            metric.rest.len() + 2,
            metric.at,
            busiest.unwrap_or_default(),
            query.events().explain()
        );
    }
    Ok(())
}

/// The machines with the slowest response now: one column of each row of the table of newest
/// samples.
async fn print_slowest(db: &dyn Backend, args: &Args) -> Result<(), Box<dyn Error>> {
    let mut answers = db.fetch(&CurrentMetric::scan().select::<Answer>()).await?;
    let last = time(0, args.samples - 1);
    let newest = answers.iter().filter(|answer| answer.at >= last).count();
    answers.sort_by(|a, b| b.answer.total_cmp(&a.answer));
    let mut table = print::table(&["machine", "time (UTC)", "answers in ms"]);
    for answer in answers.iter().take(10) {
        table.add_row([
            answer.host.clone(),
            answer.at.to_string(),
            print::number(Some(answer.answer), 1),
        ]);
    }
    println!(
        "\nThe slowest of {} machines, of which {} show their last sample\n{table}",
        print::count(u64::try_from(answers.len())?),
        print::count(u64::try_from(newest)?),
    );
    Ok(())
}

fn host(machine: usize) -> String {
    format!("server{machine:04}.bbb.com")
}

/// The time of a machine's sample: a millisecond after that of the previous machine.
fn time(machine: usize, sample: i64) -> Timestamp {
    let machine = i64::try_from(machine).unwrap_or_default();
    Timestamp::from_millis(BEGIN + sample * STEP + machine)
}

/// The samples of one time: those that arrive in time, and one in twenty that arrives late.
fn samples(args: &Args, sample: i64, random: &mut fastrand::Rng) -> (Vec<Metric>, Vec<Metric>) {
    let all = (0..args.machines).map(|machine| {
        let slow = if machine % 97 == 5 { 400.0 } else { 20.0 };
        let rest = (0..RUN_TIME).map(|n| (metric_name(machine, n), random.u32(0..1_000_000)));
        let rest = rest.collect();
        Metric {
            host: host(machine),
            at: time(machine, sample),
            user: f64::from(random.u32(0..10_000)) / 10_000.0,
            answer: slow * (1.0 + random.f64()),
            rest,
        }
    });
    let (mut in_time, mut late) = (Vec::new(), Vec::new());
    for metric in all {
        match (metric.at.as_millis() + sample) % 20 {
            3 => late.push(metric),
            _ => in_time.push(metric),
        }
    }
    (in_time, late)
}

/// The names of metrics depend on the machine's hardware.
fn metric_name(machine: usize, n: usize) -> String {
    match n % 3 {
        0 => format!("CPU/CPU{}_USR", n / 3 + 1),
        1 => format!("IO/DISK{}_READ", n / 3 + machine % 4),
        _ => format!("NET/ETH{}_SENT", n / 3),
    }
}
