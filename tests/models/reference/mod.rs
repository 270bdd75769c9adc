//! The tables in Google's two documents on schema design for time series, each written with a model
//! and read back, in memory and on the emulator: the same row keys, families, qualifiers, values
//! and, if the documents print them, timestamps.
//!
//! The data is in `tables.json`. For `battery-salted` the salt's digit is not compared: the
//! documents name no hash.

mod balloons;
mod batteries;
mod games;
mod gardens;
mod markets;
mod meters;
mod servers;
mod stocks;

use std::collections::BTreeMap;
use std::fmt::Debug;

use bigtable_model::data::{FamilySchema, ReadRows, Row, TableSchema};
use bigtable_model::{Backend, BackendExt, Model, Timestamp};
use futures::TryStreamExt as _;
use rust_decimal::Decimal;
use serde::Deserialize;

use crate::support::backends;

#[derive(Deserialize)]
struct Published {
    tables: Vec<Table>,
}

/// A printed table.
#[derive(Deserialize)]
struct Table {
    id: String,
    family: Option<String>,
    table: Option<String>,
    rows: Vec<PrintedRow>,
}

#[derive(Deserialize)]
struct PrintedRow {
    key: String,
    /// Qualifier, value and, if it is printed, the timestamp.
    cells: Vec<Vec<String>>,
}

/// Qualifier, value and timestamp, in a fixed order.
type Cells = Vec<(String, String, Option<Timestamp>)>;

fn printed(id: &str) -> Table {
    let published: Published = serde_json::from_str(include_str!("tables.json")).unwrap();
    let mut tables = published.tables.into_iter();
    tables.find(|table| table.id == id).unwrap()
}

pub fn at(text: &str) -> Timestamp {
    // The documents omit seconds.
    let full = match text.strip_suffix('Z') {
        Some(text) if text.len() == 16 => format!("{text}:00Z"),
        _ => text.to_owned(),
    };
    full.parse().unwrap()
}

pub fn day(date: &str) -> Timestamp {
    at(&format!("{date}T00:00:00Z"))
}

pub fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

impl Table {
    fn rows(&self) -> BTreeMap<String, Cells> {
        let rows = self.rows.iter().map(|row| {
            let cells = row.cells.iter().map(|cell| {
                let time = cell.get(2).map(|time| at(time));
                (cell[0].clone(), cell[1].clone(), time)
            });
            let mut cells: Cells = cells.collect();
            cells.sort();
            (row.key.clone(), cells)
        });
        rows.collect()
    }

    fn has_times(&self) -> bool {
        self.rows
            .iter()
            .any(|row| row.cells.iter().any(|cell| cell.len() > 2))
    }

    /// The stored cells in the same form.
    fn stored(&self, row: &Row, mask: fn(String) -> String) -> (String, Cells) {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let cells = row.cells.iter().map(|cell| {
            if let Some(family) = &self.family {
                assert_eq!(cell.family, **family, "family of table {}", self.id);
            }
            let time = Timestamp::from_micros(cell.timestamp_micros);
            let time = self.has_times().then_some(time);
            let value = text(&cell.value);
            // The documents print placeholders for serialised events.
            let value = match self.id.as_str() {
                "balloon-serialized" => "{}".to_owned(),
                _ => value,
            };
            (text(&cell.qualifier), value, time)
        });
        let mut cells: Cells = cells.collect();
        cells.sort();
        (mask(text(&row.key)), cells)
    }
}

async fn stored_rows(db: &dyn Backend, table: &str) -> Vec<Row> {
    let request = ReadRows {
        table: table.to_owned(),
        ..ReadRows::default()
    };
    db.read_rows(request).rows().try_collect().await.unwrap()
}

/// Writes the events, compares the stored cells with the printed ones, and reads the events back.
async fn reproduces<M>(id: &str, events: &[M])
where
    M: Model + Clone + PartialEq + Debug,
{
    reproduces_masked(id, events, |key| key).await;
}

/// Creates the table of the events; with tables by period they are in one period.
async fn create<M: Model>(db: &dyn Backend, events: &[M]) {
    if M::SCHEMA.table.fixed().is_some() {
        return db.ensure_tables::<M>().await.unwrap();
    }
    let families = M::SCHEMA.families().into_iter();
    let schema = TableSchema {
        table: M::SCHEMA.table_of(events[0].time()).unwrap().into_owned(),
        families: families
            .map(|family| (family.to_owned(), FamilySchema::default()))
            .collect(),
        ..TableSchema::default()
    };
    db.tables().create(schema, Vec::new()).await.unwrap();
}

async fn reproduces_masked<M>(id: &str, events: &[M], mask: fn(String) -> String)
where
    M: Model + Clone + PartialEq + Debug,
{
    let printed = printed(id);
    let schema = M::SCHEMA;
    if let Some(table) = &printed.table {
        for event in events {
            assert_eq!(schema.table_of(event.time()).unwrap(), **table);
        }
    }
    let mut expected = printed.rows();
    if printed.id == "balloon-serialized" {
        for cell in expected.values_mut().flatten() {
            cell.1 = "{}".to_owned();
        }
    }
    let expected: BTreeMap<_, _> = expected
        .into_iter()
        .map(|(key, cells)| (mask(key), cells))
        .collect();
    for db in backends("reference", id) {
        create::<M>(&*db, events).await;
        let outcome = db.insert_many(events).await;
        outcome.into_result().unwrap();
        let rows = stored_rows(&*db, &schema.table_of(events[0].time()).unwrap()).await;
        let stored: BTreeMap<_, _> = rows.iter().map(|row| printed.stored(row, mask)).collect();
        assert_eq!(stored, expected, "table {id}");
        for event in events {
            let read: Option<M> = db.get(&event.key()).await.unwrap();
            assert_eq!(read.as_ref(), Some(event), "table {id}");
        }
    }
}
