//! Rows as lines of files.

use std::borrow::Cow;
use std::io::Write;

use bigtable_model::data::{Mutation, RowMutations, RowRef};
use serde::{Deserialize, Serialize};

use crate::args::FileFormat;
use crate::failure::{Doing as _, Failure};
use crate::text;

/// A row in a line of JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row<'a> {
    #[serde(borrow)]
    key: Cow<'a, str>,
    cells: Vec<Cell<'a>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cell<'a> {
    #[serde(borrow)]
    family: Cow<'a, str>,
    #[serde(borrow)]
    qualifier: Cow<'a, str>,
    micros: i64,
    #[serde(borrow)]
    value: Cow<'a, str>,
}

/// A cell in a line of CSV.
#[derive(Serialize)]
struct Line<'a> {
    key: &'a str,
    family: &'a str,
    qualifier: &'a str,
    micros: i64,
    value: &'a str,
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
            family: cell.family().into(),
            qualifier: text::of_bytes(cell.qualifier()).into(),
            micros: cell.timestamp_micros(),
            value: text::of_bytes(cell.value()).into(),
        });
        match self {
            Self::Jsonl(out) => {
                let row = Row {
                    key: key.into(),
                    cells: cells.collect(),
                };
                serde_json::to_writer(&mut *out, &row)?;
                out.write_all(b"\n")?;
            }
            Self::Csv(csv) => {
                for cell in cells {
                    csv.serialize(Line {
                        key: &key,
                        family: &cell.family,
                        qualifier: &cell.qualifier,
                        micros: cell.micros,
                        value: &cell.value,
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
    let cells = row.cells.iter();
    let cells = cells.map(|cell| set(&cell.family, &cell.qualifier, cell.micros, &cell.value));
    Ok(RowMutations {
        key: text::to_bytes(&row.key).doing(|| "the key".to_owned())?,
        mutations: cells.collect::<Result<_, _>>()?,
    })
}

/// The write of a cell: key, family, qualifier, micros, value.
pub(super) fn read_csv(record: &csv::StringRecord) -> Result<RowMutations, Failure> {
    let mut fields = record.iter();
    let found = [(); 5].map(|()| fields.next());
    let (
        [
            Some(key),
            Some(family),
            Some(qualifier),
            Some(micros),
            Some(value),
        ],
        None,
    ) = (found, fields.next())
    else {
        return Err(Failure::new(format_args!(
            "it has {} fields in place of 5",
            record.len()
        )));
    };
    let micros = micros.parse::<i64>();
    Ok(RowMutations {
        key: text::to_bytes(key).doing(|| "the key".to_owned())?,
        mutations: vec![set(
            family,
            qualifier,
            micros.doing(|| "micros".to_owned())?,
            value,
        )?],
    })
}

fn set(family: &str, qualifier: &str, micros: i64, value: &str) -> Result<Mutation, Failure> {
    Ok(Mutation::SetCell {
        qualifier: text::to_bytes(qualifier).doing(|| "a qualifier".to_owned())?,
        value: text::to_bytes(value).doing(|| "a value".to_owned())?,
        family: family.into(),
        timestamp_micros: micros,
    })
}
