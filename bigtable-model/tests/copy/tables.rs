//! The copied models, and the contents of tables.

use std::sync::Arc;

use bigtable_model::copy::{CopyError, CopyJob};
use bigtable_model::data::{FamilySchema, ReadRows, Row, TableSchema};
use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Timestamp};
use bytes::Bytes;
use futures::TryStreamExt;

/// 2017-07-26T00:00:00Z.
pub const DAY: i64 = 1_501_027_200;

/// A day of a meter in a row, with the meter's number as a column of the row.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SENSOR", family = "METER", layout = "columns")]
pub struct Reading {
    #[bigtable(key, width = 4, column = "ID", text)]
    pub meter: u32,
    #[bigtable(time, bucket = "day", offset = "%H%M")]
    pub at: Timestamp,
    #[bigtable(text)]
    pub value: i64,
}

/// A row for each event; cells have the time of their write.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "FLAT", family = "F", cell_time = "write")]
pub struct Flat {
    #[bigtable(key, width = 4)]
    pub meter: u32,
    #[bigtable(time, unit = "s")]
    pub at: Timestamp,
    pub value: i64,
    pub odd: Option<bool>,
}

impl From<Reading> for Flat {
    fn from(reading: Reading) -> Self {
        let Reading { meter, at, value } = reading;
        let odd = (value % 2 != 0).then_some(true);
        Self {
            meter,
            at,
            value,
            odd,
        }
    }
}

impl From<Flat> for Reading {
    fn from(flat: Flat) -> Self {
        let Flat {
            meter, at, value, ..
        } = flat;
        Self { meter, at, value }
    }
}

/// A time on the day before (-1), the day itself (0), or the day after (1).
pub fn at(day: i64, quarter: i64) -> Timestamp {
    Timestamp::from_seconds(DAY + day * 86_400 + quarter * 900)
}

/// A job that copies the day into its own table.
pub fn of_day() -> CopyJob<Reading, Reading> {
    CopyJob::new(
        &Reading::scan().at(at(0, 0)..at(1, 0)),
        |reading: Reading| reading,
    )
    .into_table("SENSOR_20170726")
}

/// Two readings on the days before, on and after the day, for each meter.
pub fn readings(meters: u32) -> Vec<Reading> {
    let mut readings = Vec::new();
    for meter in 0..meters {
        for day in -1..=1 {
            for quarter in [i64::from(meter % 90), 95] {
                let value = i64::from(meter) * 100 + quarter + day;
                let at = at(day, quarter);
                readings.push(Reading { meter, at, value });
            }
        }
    }
    readings
}

/// A database whose source is split at these keys.
pub async fn database<M: Model>(events: &[M], splits: Vec<Bytes>) -> Arc<MemoryBackend> {
    let db = Arc::new(MemoryBackend::new());
    let families = M::SCHEMA.families().into_iter();
    let schema = TableSchema {
        table: M::SCHEMA.table.to_string(),
        families: families
            .map(|family| (family.to_owned(), FamilySchema::default()))
            .collect(),
        ..TableSchema::default()
    };
    db.tables().create(schema, splits).await.unwrap();
    db.insert_many(events).await.into_result().unwrap();
    db
}

/// Readings of ten meters in a table with four parts.
pub async fn meters() -> Arc<MemoryBackend> {
    let splits = ["0002", "0005", "0008"].map(Bytes::from);
    database(&readings(10), splits.to_vec()).await
}

/// All rows of a table.
pub async fn rows(db: &dyn Backend, table: &str) -> Vec<Row> {
    let request = ReadRows {
        table: table.to_owned(),
        ..ReadRows::default()
    };
    db.read_rows(request).rows().try_collect().await.unwrap()
}

/// An error with its causes.
pub fn chain(error: &CopyError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
