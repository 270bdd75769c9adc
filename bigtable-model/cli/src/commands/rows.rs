//! Rows as lines of files.

use std::io::Write;

use bigtable_model::data::{Mutation, RowMutations, RowRef};
use serde::{Deserialize, Serialize};

use crate::args::FileFormat;
use crate::failure::{Doing as _, Failure};
use crate::text;

/// A row in a line of JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    key: String,
    cells: Vec<Cell>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cell {
    family: String,
    qualifier: String,
    micros: i64,
    value: String,
}

/// A cell in a line of CSV.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    key: String,
    family: String,
    qualifier: String,
    micros: i64,
    value: String,
}

/// Writes rows into a file.
pub(super) enum RowWriter {
    Jsonl(Box<dyn Write>),
    Csv(Box<csv::Writer<Box<dyn Write>>>),
}

impl RowWriter {
    pub(super) fn new(format: FileFormat, out: Box<dyn Write>) -> Self {
        match format {
            FileFormat::Jsonl => Self::Jsonl(out),
            FileFormat::Csv => Self::Csv(Box::new(csv::Writer::from_writer(out))),
        }
    }

    pub(super) fn write(&mut self, row: RowRef<'_>) -> Result<(), Failure> {
        let key = text::of_bytes(row.key());
        let cells = row.cells().map(|cell| Cell {
            family: cell.family().to_owned(),
            qualifier: text::of_bytes(cell.qualifier()),
            micros: cell.timestamp_micros(),
            value: text::of_bytes(cell.value()),
        });
        match self {
            Self::Jsonl(out) => {
                let cells = cells.collect();
                serde_json::to_writer(&mut *out, &Row { key, cells })?;
                out.write_all(b"\n")?;
            }
            Self::Csv(csv) => {
                for cell in cells {
                    csv.serialize(Line {
                        key: key.clone(),
                        family: cell.family,
                        qualifier: cell.qualifier,
                        micros: cell.micros,
                        value: cell.value,
                    })?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Jsonl(mut out) => out.flush()?,
            Self::Csv(mut csv) => csv.flush()?,
        }
        Ok(())
    }
}

/// The write of a line.
pub(super) fn read_json(line: &str) -> Result<RowMutations, Failure> {
    let row: Row = serde_json::from_str(line)?;
    let cells = row.cells.into_iter().map(set);
    Ok(RowMutations {
        key: text::to_bytes(&row.key).doing(|| "the key".to_owned())?,
        mutations: cells.collect::<Result<_, _>>()?,
    })
}

/// The write of a cell.
pub(super) fn read_csv(
    record: &csv::StringRecord,
    header: &csv::StringRecord,
) -> Result<RowMutations, Failure> {
    let line: Line = record.deserialize(Some(header))?;
    let cell = Cell {
        family: line.family,
        qualifier: line.qualifier,
        micros: line.micros,
        value: line.value,
    };
    Ok(RowMutations {
        key: text::to_bytes(&line.key).doing(|| "the key".to_owned())?,
        mutations: vec![set(cell)?],
    })
}

fn set(cell: Cell) -> Result<Mutation, Failure> {
    Ok(Mutation::SetCell {
        qualifier: text::to_bytes(&cell.qualifier).doing(|| "a qualifier".to_owned())?,
        value: text::to_bytes(&cell.value).doing(|| "a value".to_owned())?,
        family: cell.family.into(),
        timestamp_micros: cell.micros,
    })
}
