//! Models with every kind of rule, layout, length, zone and format, each with its roll-up.

use std::time::Duration;

use bigtable_model::rollup::{Resolution, Rollup, RollupJob, RollupReport, every};
use bigtable_model::{Backend, BackendExt, Error, Model, Timestamp};
use futures::future::{BoxFuture, FutureExt as _};

use super::world::{Bar, Event, Keeps, Write};
use super::{END, START};
use crate::rollups::streamed;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// A model with its roll-up: what its attributes say, in plain words, and how it is used.
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// Which events its rule keeps.
    pub(super) keeps: Keeps,
    /// How long a bucket is kept after its end.
    pub(super) keeps_bars: Option<i64>,
    /// The lengths of its levels.
    pub(super) lengths: &'static [&'static str],
    /// Times are rounded down to this.
    pub(super) unit: i64,
    /// Whether each day has a table.
    pub(super) by_day: bool,
    pub(super) ensure: for<'a> fn(&'a dyn Backend) -> BoxFuture<'a, ()>,
    /// Writes, and returns the places of the events that were not written.
    pub(super) write: for<'a> fn(&'a dyn Backend, Write) -> BoxFuture<'a, Written>,
    pub(super) job: for<'a> fn(&'a dyn Backend) -> BoxFuture<'a, Result<RollupReport, Error>>,
    pub(super) windows: for<'a> fn(&'a dyn Backend, Asked) -> BoxFuture<'a, Found>,
    /// Deletes the tables of the days before a time.
    pub(super) drop_before: for<'a> fn(&'a dyn Backend, i64) -> BoxFuture<'a, ()>,
}

pub(super) type Written = Result<Vec<(usize, String)>, Error>;

type Found = Result<Vec<Bar>, Error>;

/// A query for windows.
pub(super) struct Asked {
    pub(super) series: &'static str,
    pub(super) from: i64,
    pub(super) to: i64,
    pub(super) length: &'static str,
}

/// A length as text, such as `3600 seconds` or `1 month in Europe/Berlin`.
fn resolution(length: &'static str) -> Resolution {
    use bigtable_model::series::Length;

    let (length, zone) = length.split_once(" in ").unwrap_or((length, "UTC"));
    let (number, unit) = length.split_once(' ').unwrap();
    let calendar = match unit {
        "day" => Length::days(1),
        "week" => Length::weeks(1),
        "month" => Length::months(1),
        "year" => Length::years(1),
        _ => return every(Duration::from_secs(number.parse().unwrap())),
    };
    every(calendar.zone(zone))
}

macro_rules! by_day {
    (fixed, ensure, $db:ident) => {};
    (by_day, ensure, $db:ident) => {{
        let at = Timestamp::from_millis;
        $db.ensure_periods::<Sample>(at(START - 40 * DAY)..at(END))
            .await
            .unwrap();
    }};
    (fixed, drop, $db:ident, $time:ident) => {
        let _ = ($db, $time);
    };
    (by_day, drop, $db:ident, $time:ident) => {
        $db.drop_tables_before::<Sample>(Timestamp::from_millis($time))
            .await
            .unwrap();
    };
    (fixed) => {
        false
    };
    (by_day) => {
        true
    };
}

macro_rules! kinds {
    ($(
        $name:ident, $tables_are:ident,
        events: [$($model:tt)*] [$($time:tt)*] $keeps:expr, $unit:expr;
        bars: [$($bar:tt)*] [$($start:tt)*] [$($levels:tt)*] $keeps_bars:expr;
        $($length:literal),+;
    )+) => {
        $(
            mod $name {
                use super::*;

                #[derive(Debug, Clone, PartialEq, Model)]
                #[bigtable(family = "T", rollup(Sum), $($model)*)]
                struct Sample {
                    #[bigtable(key)]
                    meter: String,
                    #[bigtable($($time)*)]
                    at: Timestamp,
                    value: i64,
                }

                #[derive(Debug, Clone, PartialEq, Model, Rollup)]
                #[bigtable(family = "B", $($bar)*)]
                #[rollup(of = Sample, $($levels)*)]
                struct Sum {
                    #[bigtable(key)]
                    meter: String,
                    #[bigtable($($start)*)]
                    start: Timestamp,
                    #[rollup(count)]
                    samples: u64,
                    #[rollup(sum(value))]
                    total: i64,
                    #[rollup(min(value))]
                    least: i64,
                    #[rollup(max(value))]
                    most: i64,
                    #[rollup(first(value))]
                    first: i64,
                    #[rollup(last(value))]
                    last: i64,
                }

                impl From<Event> for Sample {
                    fn from(Event { series, at, value }: Event) -> Self {
                        let (series, at) = (series.to_owned(), Timestamp::from_millis(at));
                        Self { meter: series, at, value }
                    }
                }

                fn key((series, at): (&str, i64)) -> SampleKey {
                    let (series, at) = (series.to_owned(), Timestamp::from_millis(at));
                    SampleKey { meter: series, at }
                }

                async fn written(db: &dyn Backend, write: Write) -> Written {
                    let at = Timestamp::from_millis;
                    match write {
                        Write::Insert(event) => drop(db.insert(&Sample::from(event)).await?),
                        Write::InsertMany(events) => {
                            let events: Vec<_> = events.into_iter().map(Sample::from).collect();
                            let outcome = db.insert_many(&events).await;
                            let mut failed = Vec::new();
                            for one in outcome.failed() {
                                failed.push((one.index, one.error.to_string()));
                            }
                            return Ok(failed);
                        }
                        Write::InsertIfAbsent(event) => {
                            db.insert_if_absent(&Sample::from(event)).await?;
                        }
                        Write::Update(event) => {
                            let key = key((event.series, event.at));
                            db.send(Sample::update(&key).value(event.value)).await?;
                        }
                        Write::Delete(series, time) => {
                            db.delete::<Sample>(&key((series, time))).await?;
                        }
                        Write::DeleteMany(events) => {
                            let keys: Vec<_> = events.into_iter().map(key).collect();
                            db.delete_many::<Sample>(&keys).await.into_result()?;
                        }
                        Write::DeleteTimes(series, times) => {
                            let asked = Sample::query().meter(series);
                            let asked = asked.at(at(times.start)..at(times.end));
                            db.delete_all(&asked).await.into_result()?;
                        }
                    }
                    Ok(Vec::new())
                }

                async fn windows(db: &dyn Backend, asked: Asked) -> Result<Vec<Bar>, Error> {
                    let at = Timestamp::from_millis;
                    let query = Sample::query().meter(asked.series).at(at(asked.from)..at(asked.to));
                    let windows = query.events().resolution::<Sum>(resolution(asked.length));
                    let found = db.fetch(&windows).await?;
                    assert_eq!(streamed(db, &windows).await?, found);
                    Ok(found.into_iter().map(|bar| Bar {
                        series: bar.meter,
                        start: bar.start.as_millis(),
                        samples: bar.samples,
                        total: bar.total,
                        ends: [bar.least, bar.most, bar.first, bar.last],
                    }).collect())
                }

                pub(super) static KIND: Kind = Kind {
                    name: stringify!($name),
                    keeps: $keeps,
                    keeps_bars: $keeps_bars,
                    lengths: &[$($length),+],
                    unit: $unit,
                    by_day: by_day!($tables_are),
                    ensure: |db| {
                        async move {
                            db.ensure_tables::<Sample>().await.unwrap();
                            by_day!($tables_are, ensure, db);
                        }.boxed()
                    },
                    write: |db, write| written(db, write).boxed(),
                    job: |db| async move {
                        RollupJob::<Sum>::new().settle(Duration::ZERO).run(db).await
                    }.boxed(),
                    windows: |db, asked| windows(db, asked).boxed(),
                    drop_before: |db, time| async move {
                        by_day!($tables_are, drop, db, time);
                    }.boxed(),
                };
            }
        )+

        pub(super) static KINDS: &[&Kind] = &[$(&$name::KIND),+];
    };
}

kinds! {
    forever, fixed,
    events: [table = "S"] [time, unit = "ms"] Keeps::All, 1;
    bars: [table = "HOUR"] [time, unit = "s"] [every = "1h", longer(every = "1d", table = "DAY")] None;
    "3600 seconds", "86400 seconds";

    short_events, fixed,
    events: [table = "S", gc(max_age = "1d")] [time, unit = "ms"] Keeps::For(DAY), 1;
    bars: [table = "HOUR"] [time, unit = "ms"] [every = "1h", longer(every = "1d", table = "DAY")] None;
    "3600 seconds", "86400 seconds";

    months_of_berlin, fixed,
    events: [table = "S", gc(max_age = "2d")] [time, unit = "s"] Keeps::For(2 * DAY), 1_000;
    bars: [table = "HOUR"] [time, unit = "s"] [
        every = "1h",
        longer(every = "day", zone = "Europe/Berlin", table = "DAY"),
        longer(every = "month", zone = "Europe/Berlin", table = "MONTH")
    ] None;
    "3600 seconds", "1 day in Europe/Berlin", "1 month in Europe/Berlin";

    equal_ages, fixed,
    events: [table = "S", gc(max_age = "30d")] [time, unit = "ms"] Keeps::For(30 * DAY), 1;
    bars: [table = "HOUR", gc(max_age = "30d")] [time, unit = "s"] [every = "1h", longer(every = "month", table = "MONTH")] Some(30 * DAY);
    "3600 seconds", "1 month in UTC";

    long_events, fixed,
    events: [table = "S", gc(max_age = "30d")] [time, unit = "us"] Keeps::For(30 * DAY), 1;
    bars: [table = "HOUR", gc(max_age = "3d")] [time, unit = "us"] [every = "1h", longer(every = "1d", table = "DAY")] Some(3 * DAY);
    "3600 seconds", "86400 seconds";

    events_of_months, fixed,
    events: [table = "S", layout = "columns", gc(max_age = "40d")] [time, bucket = "day", unit = "ms"] Keeps::For(40 * DAY), 1;
    bars: [table = "HOUR", gc(max_age = "2d")] [time, unit = "s"] [
        every = "1h",
        longer(every = "day", zone = "Asia/Kolkata", table = "DAY"),
        longer(every = "month", zone = "Asia/Kolkata", table = "MONTH")
    ] Some(2 * DAY);
    "3600 seconds", "1 day in Asia/Kolkata", "1 month in Asia/Kolkata";

    bars_shorter_than_their_age, fixed,
    events: [table = "S", gc(max_age = "5d")] [time, unit = "ms"] Keeps::For(5 * DAY), 1;
    bars: [table = "HOUR", gc(max_age = "10d")] [time, unit = "s"] [every = "1h", longer(every = "month", table = "MONTH")] Some(10 * DAY);
    "3600 seconds", "1 month in UTC";

    cells, fixed,
    events: [table = "S", layout = "cells", gc(max_age = "1d")] [time, bucket = "hour"] Keeps::For(DAY), 1;
    bars: [table = "HALF", gc(max_age = "30d")] [time, unit = "s"] [
        every = "30m",
        longer(every = "1h", table = "HOUR"),
        longer(every = "1d", table = "DAY")
    ] Some(30 * DAY);
    "1800 seconds", "3600 seconds", "86400 seconds";

    columns, fixed,
    events: [table = "S", layout = "columns", gc(max_age = "3d")] [time, bucket = "day", unit = "ms"] Keeps::For(3 * DAY), 1;
    bars: [table = "HOUR"] [time, unit = "s"] [
        every = "1h",
        longer(every = "day", zone = "America/New_York", table = "DAY"),
        longer(every = "week", zone = "America/New_York", table = "WEEK")
    ] None;
    "3600 seconds", "1 day in America/New_York", "1 week in America/New_York";

    tables_of_days, by_day,
    events: [table = "S_{at:%Y%m%d}"] [time, unit = "ms"] Keeps::All, 1;
    bars: [table = "HOUR"] [time, unit = "s"] [every = "1h", longer(every = "1d", table = "DAY")] None;
    "3600 seconds", "86400 seconds";

    tables_that_expire, by_day,
    events: [table = "S_{at:%Y%m%d}", layout = "cells", gc(max_age = "5d")] [time, bucket = "hour"] Keeps::For(5 * DAY), 1;
    bars: [table = "HOUR", gc(max_age = "40d")] [time, unit = "s"] [every = "1h", longer(every = "day", zone = "Europe/Berlin", table = "DAY")] Some(40 * DAY);
    "3600 seconds", "1 day in Europe/Berlin";

    tables_that_stay, by_day,
    events: [table = "S_{at:%Y%m%d}"] [time, unit = "ms"] Keeps::All, 1;
    bars: [table = "HOUR", gc(max_age = "3d")] [time, unit = "s"] [
        every = "1h",
        longer(every = "day", zone = "Europe/Berlin", table = "DAY"),
        longer(every = "month", zone = "Europe/Berlin", table = "MONTH")
    ] Some(3 * DAY);
    "3600 seconds", "1 day in Europe/Berlin", "1 month in Europe/Berlin";

    one_version, fixed,
    events: [table = "S", gc(max_versions = 1)] [time, unit = "s", truncate] Keeps::All, 1_000;
    bars: [table = "HOUR", gc(max_versions = 1)] [time, format = "%Y%m%d%H%M"] [every = "1h", longer(every = "1d", table = "DAY")] None;
    "3600 seconds", "86400 seconds";

    formatted_days, fixed,
    events: [table = "S", gc(max_age = "1d")] [time, format = "%Y%m%d%H%M%S"] Keeps::For(DAY), 1_000;
    bars: [table = "DAY"] [time, format = "%Y%m%d"] [every = "1d", longer(every = "month", table = "MONTH")] None;
    "86400 seconds", "1 month in UTC";

    two_of_an_hour, fixed,
    events: [table = "S", layout = "cells", gc(max_versions = 2), allow(dropped_events)] [time, bucket = "hour"] Keeps::Newest(2), 1;
    bars: [table = "HOUR"] [time, unit = "s"] [every = "1h", longer(every = "1d", table = "DAY")] None;
    "3600 seconds", "86400 seconds";

    rules_of_rules, fixed,
    events: [table = "S", gc(any(max_age = "2d", max_versions = 3))] [time, unit = "ms"] Keeps::For(2 * DAY), 1;
    bars: [table = "HOUR", gc(all(max_age = "10d", max_versions = 1))] [time, unit = "s"] [every = "1h", longer(every = "1d", table = "DAY")] None;
    "3600 seconds", "86400 seconds";

    binary_keys, fixed,
    events: [table = "S", gc(max_age = "1d")] [time, binary] Keeps::For(DAY), 1;
    bars: [table = "HOUR", gc(max_age = "20d")] [time, binary] [every = "1h", longer(every = "week", table = "WEEK")] Some(20 * DAY);
    "3600 seconds", "1 week in UTC";

    newest_first, fixed,
    events: [table = "S", gc(max_age = "6d")] [time, unit = "ms", reverse] Keeps::For(6 * DAY), 1;
    bars: [table = "HOUR", gc(max_age = "6d")] [time, unit = "s", reverse] [every = "1h", longer(every = "1d", table = "DAY")] Some(6 * DAY);
    "3600 seconds", "86400 seconds";

    salted, fixed,
    events: [table = "S", layout = "columns", salt(shards = 3, of(meter, at)), gc(max_age = "2d")] [time, bucket = "hour"] Keeps::For(2 * DAY), 1;
    bars: [table = "HOUR", gc(max_age = "90d")] [time, unit = "s"] [every = "1h", longer(every = "1d", table = "DAY")] Some(90 * DAY);
    "3600 seconds", "86400 seconds";

    years, fixed,
    events: [table = "S", gc(max_age = "10d")] [time, unit = "s"] Keeps::For(10 * DAY), 1_000;
    bars: [table = "DAY", gc(max_age = "60d")] [time, unit = "s"] [
        every = "day",
        longer(every = "month", table = "MONTH"),
        longer(every = "year", table = "YEAR")
    ] Some(60 * DAY);
    "1 day in UTC", "1 month in UTC", "1 year in UTC";

    serialized_bars, fixed,
    events: [table = "S", gc(max_age = "1d")] [time, unit = "ms"] Keeps::For(DAY), 1;
    bars: [table = "HOUR", serialize(json)] [time, unit = "s"] [every = "1h", longer(every = "1d", table = "DAY")] None;
    "3600 seconds", "86400 seconds";
}
