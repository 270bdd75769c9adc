//! A year of weather in each layout and in Parquet: what is stored, and how long it takes to write
//! and read.

use std::process::Command;
use std::time::Instant;

use bigtable_model::data::ReadRows;
use bigtable_model::packed::PackJob;
use bigtable_model::{Backend, BackendExt as _, MemoryBackend, Model, Timestamp};
use futures::TryStreamExt as _;
use tokio::runtime::Runtime;

use crate::{FILE, Observation};

/// A row of the table.
struct Line {
    layout: &'static str,
    cells: usize,
    bytes: usize,
    write: f64,
    read: f64,
}

macro_rules! weather {
    ($name:ident, $layout:literal, { $($on_model:tt)* }, { $($on_time:tt)* }) => {
        #[derive(Debug, Model)]
        #[bigtable(table = "WEATHER", family = "W", $($on_model)*)]
        struct $name {
            #[bigtable(key)]
            station: String,
            #[bigtable(time, unit = "s" $($on_time)*)]
            at: Timestamp,
            temp: Option<f64>,
            dewp: Option<f64>,
            humid: Option<f64>,
            wind_dir: Option<f64>,
            wind_speed: Option<f64>,
            wind_gust: Option<f64>,
            precip: Option<f64>,
            pressure: Option<f64>,
            visib: Option<f64>,
        }

        impl $name {
            fn of(station: &str, (seconds, numbers): &Observation) -> Self {
                Self {
                    station: station.to_owned(),
                    at: Timestamp::from_seconds(*seconds),
                    temp: numbers[0],
                    dewp: numbers[1],
                    humid: numbers[2],
                    wind_dir: numbers[3],
                    wind_speed: numbers[4],
                    wind_gust: numbers[5],
                    precip: numbers[6],
                    pressure: numbers[7],
                    visib: numbers[8],
                }
            }

            async fn line(stations: &[(String, Vec<Observation>)]) -> Line {
                let events = stations.iter().flat_map(|(station, list)| {
                    list.iter().map(|one| Self::of(station, one))
                });
                let events: Vec<Self> = events.collect();
                let db = MemoryBackend::new();
                db.ensure_tables::<Self>().await.unwrap();
                let begun = Instant::now();
                db.insert_many(&events).await.into_result().unwrap();
                if let Ok(job) = PackJob::new(Self::SCHEMA) {
                    assert_eq!(job.run(&db).await.unwrap().refused, 0);
                }
                let write = begun.elapsed().as_secs_f64();
                let begun = Instant::now();
                let read = db.fetch(&Self::scan()).await.unwrap();
                assert_eq!(read.len(), events.len());
                let read = begun.elapsed().as_secs_f64();
                let (cells, bytes) = stored(&db, "WEATHER").await;
                Line { layout: $layout, cells, bytes, write, read }
            }
        }
    };
}

weather!(InRow, "row", { marker = "e" }, {});
weather!(InCells, "cells, a day", { marker = "e", layout = "cells" }, { , bucket = "day" });
weather!(InColumns, "columns, a day", { marker = "e", layout = "columns" }, { , bucket = "day" });
weather!(AsJson, "JSON in columns, a day", { layout = "columns", serialize(json) }, { , bucket = "day" });
weather!(OfDay, "packed, a day", { marker = "e", layout = "cells", pack(after = "1h") }, { , bucket = "day" });
weather!(OfWeek, "packed, a week", { marker = "e", layout = "cells", pack(after = "1h") }, { , bucket = "week" });
weather!(OfMonth, "packed, a month", { marker = "e", layout = "cells", pack(after = "1h") }, { , bucket = "month" });

/// Cells of a table, and bytes of keys, qualifiers, timestamps and values.
pub(crate) async fn stored(db: &dyn Backend, table: &str) -> (usize, usize) {
    let request = ReadRows {
        table: table.to_owned(),
        ..ReadRows::default()
    };
    let rows: Vec<_> = db.read_rows(request).rows().try_collect().await.unwrap();
    let bytes = rows.iter().map(|row| {
        let cells = row.cells.iter();
        let cells = cells.map(|one| one.qualifier.len() + 8 + one.value.len());
        row.key.len() + cells.sum::<usize>()
    });
    let bytes = bytes.sum();
    (rows.iter().map(|row| row.cells.len()).sum(), bytes)
}

/// The lines of Parquet, if Python has `pyarrow`: its writer is that of most Parquet files.
fn parquet() -> Vec<String> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/packed/parquet.py");
    let done = Command::new("python3").args([script, FILE]).output();
    match done {
        Ok(done) if done.status.success() => {
            let lines = String::from_utf8(done.stdout).unwrap();
            lines.lines().map(str::to_owned).collect()
        }
        _ => vec!["Parquet: not measured, `pip install pyarrow` is missing".to_owned()],
    }
}

/// Prints the table; `values` is how many numbers the year has.
pub(crate) fn table(stations: &[(String, Vec<Observation>)], values: usize) {
    let runtime = Runtime::new().unwrap();
    println!(
        "{:<24}{:>10}{:>10}{:>12}{:>10}{:>10}",
        "a year of weather", "cells", "bytes", "a value", "write ms", "read ms"
    );
    macro_rules! lines {
        ($($model:ident),*) => {$(
            let line = runtime.block_on($model::line(stations));
            println!(
                "{:<24}{:>10}{:>10}{:>12.2}{:>10.1}{:>10.1}",
                line.layout,
                line.cells,
                line.bytes,
                line.bytes as f64 / values as f64,
                line.write * 1e3,
                line.read * 1e3,
            );
        )*};
    }
    lines!(InRow, InCells, InColumns, AsJson, OfDay, OfWeek, OfMonth);
    for line in parquet() {
        println!("{line}");
    }
}
