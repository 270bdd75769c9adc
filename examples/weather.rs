//! A year of weather at the airports of New York: written with a model, then queried four times.
//!
//! ```sh
//! cargo run --release --example weather
//! cargo run --release --example weather -- --backend bigtable://my-project/my-instance
//! ```

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use bigtable_model::series::{
    self, Length, SeriesExt as _, Window, Windows, max, mean, min, moving_mean, sum,
};
use bigtable_model::{Backend, BackendExt, Model, Projection, Timestamp};
use bigtable_model_examples::chart;
use bigtable_model_examples::csv_file::{self, CsvFile};
use bigtable_model_examples::print;
use bigtable_model_examples::store;
use clap::Parser;
use jiff::civil::{Date, date};
use serde::Deserialize;

/// An hour's observation: the row `JFK#1374206400`.
#[derive(Debug, Clone, PartialEq, Model, Deserialize)]
#[serde(try_from = "Line")]
#[bigtable(table = "WEATHER", family = "OBS")]
struct Observation {
    #[bigtable(key, width = 3)]
    station: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    /// The station's own date, such as `2013-07-19`. Every observation has it: it marks the event.
    #[bigtable(column = "LOCAL_DATE")]
    local_date: String,
    /// Degrees Fahrenheit.
    #[bigtable(column = "TEMP", text)]
    temp: Option<f64>,
    /// Degrees Fahrenheit.
    #[bigtable(column = "DEWPOINT", text)]
    dew_point: Option<f64>,
    /// Per cent.
    #[bigtable(column = "HUMIDITY", text)]
    humidity: Option<f64>,
    /// Degrees, clockwise from north.
    #[bigtable(column = "WINDDIR", text)]
    wind_direction: Option<u16>,
    /// Miles per hour.
    #[bigtable(column = "WIND", text)]
    wind_speed: Option<f64>,
    /// Miles per hour.
    #[bigtable(column = "GUST", text)]
    wind_gust: Option<f64>,
    /// Inches.
    #[bigtable(column = "PRECIP", text)]
    precipitation: Option<f64>,
    /// Millibars at sea level.
    #[bigtable(column = "PRESSURE", text)]
    pressure: Option<f64>,
    /// Miles.
    #[bigtable(column = "VISIBILITY", text)]
    visibility: Option<f64>,
}

/// The columns for the hottest day: the server sends only these.
#[derive(Debug, Projection)]
#[bigtable(model = Observation)]
struct Temperature {
    at: Timestamp,
    temp: Option<f64>,
}

/// A line of the file.
#[derive(Deserialize)]
struct Line {
    origin: String,
    year: i16,
    month: i8,
    day: i8,
    temp: Option<f64>,
    dewp: Option<f64>,
    humid: Option<f64>,
    wind_dir: Option<u16>,
    wind_speed: Option<f64>,
    wind_gust: Option<f64>,
    precip: Option<f64>,
    pressure: Option<f64>,
    visib: Option<f64>,
    time_hour: String,
}

impl TryFrom<Line> for Observation {
    type Error = String;

    fn try_from(line: Line) -> Result<Self, Self::Error> {
        let local_date = Date::new(line.year, line.month, line.day);
        let at = line.time_hour.parse();
        Ok(Self {
            station: line.origin,
            at: at.map_err(|error| format!("time_hour: {error}"))?,
            local_date: local_date.map_err(|error| error.to_string())?.to_string(),
            temp: finite("temp", line.temp)?,
            dew_point: finite("dewp", line.dewp)?,
            humidity: finite("humid", line.humid)?,
            wind_direction: line.wind_dir,
            wind_speed: finite("wind_speed", line.wind_speed)?,
            wind_gust: finite("wind_gust", line.wind_gust)?,
            precipitation: finite("precip", line.precip)?,
            pressure: finite("pressure", line.pressure)?,
            visibility: finite("visib", line.visib)?,
        })
    }
}

/// Refuses `inf` and `NaN`, which parse as numbers and would spoil every mean.
fn finite(column: &str, value: Option<f64>) -> Result<Option<f64>, String> {
    match value {
        Some(value) if !value.is_finite() => Err(format!("{column}: {value} is no measurement")),
        value => Ok(value),
    }
}

/// Writes a year of weather and queries it.
#[derive(Parser)]
struct Args {
    /// `memory:` or `bigtable://project/instance`; BIGTABLE_EMULATOR_HOST sends the latter to the
    /// emulator.
    #[arg(long, default_value = "memory:")]
    backend: String,
    /// The observations.
    #[arg(long, value_name = "PATH", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/data/nyc-weather-2013.csv"))]
    csv: PathBuf,
}

const STATIONS: [&str; 3] = ["EWR", "JFK", "LGA"];

/// The stations' time zone, in which days have 23 to 25 hours.
const ZONE: &str = "America/New_York";

/// The number of observations written at once; the progress bar moves as often.
const CHUNK: usize = 1_000;

/// The maximum number of bad lines and of failed writes that are reported.
const TOLD: usize = 20;

#[tokio::main]
async fn main() -> ExitCode {
    print::outcome(run(&Args::parse()).await)
}

async fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let observations = read(args)?;
    let db = store::open(&args.backend).await?;
    db.ensure_tables::<Observation>().await?;
    insert(&*db, &observations).await?;
    print_week(&*db).await?;
    print_latest(&*db).await?;
    print_hottest_day(&*db).await?;
    let stored = db.count(&Observation::scan()).await?;
    println!("\n{} observations are stored.", print::count(stored));
    Ok(())
}

fn read(args: &Args) -> Result<Vec<Observation>, Box<dyn Error>> {
    let CsvFile { rows, bad } = csv_file::read::<Observation>(&args.csv)?;
    for bad in bad.iter().take(TOLD) {
        eprintln!("{}:{}: {}", args.csv.display(), bad.line, bad.reason);
    }
    let lines = print::count(rows.len().try_into()?);
    println!("Read {lines} observations; {} bad lines.", bad.len());
    Ok(rows)
}

async fn insert(db: &dyn Backend, observations: &[Observation]) -> Result<(), Box<dyn Error>> {
    let bar = print::progress(observations.len(), "Writing");
    let (mut written, mut failed) = (0, 0);
    for chunk in observations.chunks(CHUNK) {
        let outcome = db.insert_many(chunk).await;
        written += outcome.written();
        for one in outcome.failed() {
            failed += 1;
            if failed <= TOLD {
                bar.suspend(|| eprintln!("not written: {}", print::chain(&one.error)));
            }
        }
        let first = outcome.failed().first();
        if outcome.written() == 0 && matches!(first, Some(one) if is_backend(&one.error)) {
            // The whole chunk failed: the fault is not in an observation.
            bar.abandon();
            outcome.into_result()?;
        }
        bar.inc(u64::try_from(chunk.len())?);
    }
    bar.finish_and_clear();
    let written = print::count(written);
    println!("Wrote {written} observations; {failed} failed.");
    Ok(())
}

fn is_backend(error: &bigtable_model::Error) -> bool {
    matches!(error, bigtable_model::Error::Backend { .. })
}

/// A week at one station: one range of row keys in time order, divided into days.
async fn print_week(db: &dyn Backend) -> Result<(), Box<dyn Error>> {
    let (first, end) = (date(2013, 7, 15), date(2013, 7, 22));
    let temp = |hour: &Observation| hour.temp;
    let days = db
        .stream(
            &Observation::query()
                .station("JFK")
                .at(midnight(first)?..midnight(end)?),
        )
        .timed(|hour| hour.at)
        .windows(days())
        .aggregate((
            (min(temp), mean(temp), max(temp)),
            mean(|hour: &Observation| hour.humidity),
            max(|hour: &Observation| hour.wind_speed),
            sum(|hour: &Observation| hour.precipitation),
        ));
    let days = days.fetch().await?;
    let hours: u64 = days.iter().map(|day| day.events).sum();
    println!("\nJFK, the week from {first}: {hours} observations");
    let mut table = print::table(&[
        "day",
        "hours",
        "min °F",
        "mean °F",
        "max °F",
        "humidity %",
        "max wind mph",
        "rain in",
    ]);
    for day in days {
        let ((least, mean, greatest), humidity, wind, rain) = day.value;
        table.add_row([
            date_of(day.start)?.to_string(),
            day.events.to_string(),
            print::number(least, 1),
            print::number(mean, 1),
            print::number(greatest, 1),
            print::number(humidity, 0),
            print::number(wind, 1),
            print::number(Some(rain), 2),
        ]);
    }
    println!("{table}");
    Ok(())
}

/// Days in the stations' time zone.
fn days() -> Windows {
    Windows::tumbling(Length::days(1).zone(ZONE))
}

/// The stations' local date.
fn date_of(at: Timestamp) -> Result<Date, jiff::Error> {
    Ok(jiff::Timestamp::try_from(at)?.in_tz(ZONE)?.date())
}

/// The beginning of a date in New York.
fn midnight(date: Date) -> Result<Timestamp, jiff::Error> {
    Ok(date.in_tz(ZONE)?.timestamp().into())
}

/// The last day of every station, newest first: the end of one range each, read in reverse.
async fn print_latest(db: &dyn Backend) -> Result<(), Box<dyn Error>> {
    for station in STATIONS {
        let last: Vec<Observation> = db
            .fetch(
                &Observation::query()
                    .station(station)
                    .events()
                    .newest_first()
                    .limit(24),
            )
            .await?;
        println!("\n{station}, the last {} observations", last.len());
        let mut table = print::table(&[
            "time (UTC)",
            "temp °F",
            "dew °F",
            "humidity %",
            "wind mph",
            "from °",
            "gust mph",
            "rain in",
            "mbar",
            "visibility mi",
        ]);
        for hour in last {
            table.add_row([
                hour.at.to_string(),
                print::number(hour.temp, 1),
                print::number(hour.dew_point, 1),
                print::number(hour.humidity, 0),
                print::number(hour.wind_speed, 1),
                print::number(hour.wind_direction.map(f64::from), 0),
                print::number(hour.wind_gust, 1),
                print::number(hour.precipitation, 2),
                print::number(hour.pressure, 1),
                print::number(hour.visibility, 1),
            ]);
        }
        println!("{table}");
    }
    Ok(())
}

/// The day with the highest mean over all readings of all stations, and the year's means in a
/// chart. The stations' readings come in one stream in time order; only two columns are sent, and
/// memory holds only a day's sum.
async fn print_hottest_day(db: &dyn Backend) -> Result<(), Box<dyn Error>> {
    let days = db
        .stream(
            &Observation::query()
                .station(&STATIONS[..])
                .select::<Temperature>(),
        )
        .timed(|reading| reading.at)
        .windows(days())
        .aggregate((
            mean(temp),
            sum(|reading: &Temperature| u8::from(reading.temp.is_some())),
        ))
        .fetch()
        .await?;
    let means = days.iter().filter_map(|day| Some((day.value.0?, day)));
    match means.max_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((mean, day)) => {
            let (date, readings) = (date_of(day.start)?, day.value.1);
            println!(
                "\nThe hottest day was {date}: {mean:.2} °F, the mean of {readings} readings."
            );
        }
        None => println!("\nNo temperature is stored."),
    }
    print_year(days).await
}

fn temp(reading: &Temperature) -> Option<f64> {
    reading.temp
}

/// A day's mean temperature, and the number of readings.
type Day = Window<(Option<f64>, i128)>;

/// The mean of each day of the year, and of the seven days up to it.
async fn print_year(days: Vec<Day>) -> Result<(), Box<dyn Error>> {
    let (Some(first), Some(last)) = (days.first(), days.last()) else {
        return Ok(());
    };
    let ends = [
        date_of(first.start)?.to_string(),
        date_of(last.start)?.to_string(),
    ];
    let weeks = series::of(days).timed(|day| day.start);
    let weeks = weeks
        .moving(moving_mean(7, |day: &Day| day.value.0))
        .fetch()
        .await?;
    let lines = [
        chart::Line {
            name: "mean °F of a day".to_owned(),
            points: weeks.iter().map(|day| day.event.value.0).collect(),
        },
        chart::Line {
            name: "of seven days".to_owned(),
            points: weeks.iter().map(|day| day.value).collect(),
        },
    ];
    println!("\n{}", chart::lines(&lines, ends));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Observation;

    /// The file with which programs without the struct read the table: `--example by_name`. It is
    /// run by `tests/backends.rs`.
    #[test]
    fn the_lock_file_says_what_is_stored() {
        bigtable_model::lock::check::<Observation>("data/weather.lock");
    }
}
