//! The tables that Google's documents on time series print.

use bigtable_model::Timestamp;
use serde::Deserialize;

use super::sample::Sample;

#[derive(Deserialize)]
struct Published {
    tables: Vec<Printed>,
}

#[derive(Deserialize)]
struct Printed {
    id: String,
    family: Option<String>,
    rows: Vec<PrintedRow>,
}

#[derive(Deserialize)]
struct PrintedRow {
    key: String,
    /// Qualifier, value and, if it is printed, the timestamp.
    cells: Vec<Vec<String>>,
}

/// All of them, in the documents' order.
pub(crate) fn all() -> Vec<Sample> {
    let text = include_str!("../../../../../tests/models/reference/tables.json");
    let published: Published = serde_json::from_str(text).unwrap();
    published.tables.into_iter().map(sample).collect()
}

fn sample(printed: Printed) -> Sample {
    let mut sample = Sample::new(&printed.id.replace('-', "_").to_uppercase());
    let family = printed.family.as_deref().unwrap_or("F");
    for row in printed.rows {
        for cell in row.cells {
            let micros = cell.get(2).map_or(1_000, |text| micros(text));
            let value = cell[1].clone();
            sample.cell(row.key.as_bytes(), family, &cell[0], micros, value);
        }
    }
    sample
}

/// A time whose seconds are not printed.
fn micros(text: &str) -> i64 {
    let full = text.replace('Z', ":00Z");
    full.parse::<Timestamp>().unwrap().as_micros()
}
