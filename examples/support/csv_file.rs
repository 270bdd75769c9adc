//! CSV files of measurements. A bad line is kept with its reason; the other lines are used.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use csv::StringRecord;
use serde::de::DeserializeOwned;

/// The text of a value that was not measured; it is read as `None`.
const ABSENT: &str = "NA";

/// The content of a file.
#[derive(Debug)]
pub struct CsvFile<T> {
    /// The lines that could be read, in order.
    pub rows: Vec<T>,
    /// The lines that could not be read.
    pub bad: Vec<BadLine>,
}

/// A line that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// Counted from 1, the header included.
    pub line: u64,
    /// Why.
    pub reason: String,
}

/// A file that could not be read at all.
#[derive(Debug)]
pub struct CsvFileError {
    path: PathBuf,
    source: csv::Error,
}

impl Display for CsvFileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cannot read {}", self.path.display())
    }
}

impl std::error::Error for CsvFileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

/// Reads a file whose first line names the columns.
///
/// # Errors
/// If the file cannot be opened, or reading it fails half-way.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<CsvFile<T>, CsvFileError> {
    let parsed = csv::Reader::from_path(path).and_then(parse);
    parsed.map_err(|source| CsvFileError {
        path: path.to_owned(),
        source,
    })
}

fn parse<T: DeserializeOwned>(
    mut reader: csv::Reader<impl std::io::Read>,
) -> Result<CsvFile<T>, csv::Error> {
    let header = reader.headers()?.clone();
    let mut file = CsvFile {
        rows: Vec::new(),
        bad: Vec::new(),
    };
    for record in reader.records() {
        let row = record.and_then(|record| without_absent(&record).deserialize(Some(&header)));
        match row {
            Ok(row) => file.rows.push(row),
            Err(error) if error.is_io_error() => return Err(error),
            Err(error) => file.bad.push(BadLine {
                line: error.position().map_or(0, csv::Position::line),
                reason: reason(&error, &header),
            }),
        }
    }
    Ok(file)
}

/// The record with empty fields instead of [`ABSENT`], which serde reads as `None`.
fn without_absent(record: &StringRecord) -> StringRecord {
    let fields = record.iter();
    let mut cleared: StringRecord = fields
        .map(|field| if field == ABSENT { "" } else { field })
        .collect();
    cleared.set_position(record.position().cloned());
    cleared
}

/// The column's name and what is wrong with it; csv gives only its index.
fn reason(error: &csv::Error, header: &StringRecord) -> String {
    match error.kind() {
        csv::ErrorKind::Deserialize { err, .. } => {
            let index = err.field().and_then(|index| usize::try_from(index).ok());
            match index.and_then(|index| header.get(index)) {
                Some(column) => format!("{column}: {}", err.kind()),
                None => err.kind().to_string(),
            }
        }
        csv::ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => format!("{len} columns, the header has {expected_len}"),
        csv::ErrorKind::Utf8 { .. } => "not UTF-8".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Row {
        station: String,
        temp: Option<f64>,
        wind_dir: Option<u16>,
    }

    fn file(lines: &str) -> CsvFile<Row> {
        let text = format!("station,temp,wind_dir\n{lines}");
        parse(csv::Reader::from_reader(text.as_bytes())).unwrap()
    }

    #[test]
    fn na_is_absent() {
        let row = Row {
            station: "JFK".to_owned(),
            temp: None,
            wind_dir: Some(270),
        };
        assert_eq!(file("JFK,NA,270\n").rows, [row]);
    }

    #[test]
    fn bad_lines_are_told_and_the_rest_is_read() {
        let lines = "JFK,1,2\nJFK,warm,2\nJFK,1\nJFK,1,-2\nLGA,1,NA\n";
        let file = file(lines);
        assert_eq!(file.rows.len(), 2);
        let told: Vec<_> = file
            .bad
            .iter()
            .map(|bad| format!("{} {}", bad.line, bad.reason))
            .collect();
        assert_eq!(
            told,
            [
                "3 temp: invalid float literal",
                "4 2 columns, the header has 3",
                "5 wind_dir: invalid digit found in string",
            ]
        );
    }
}
