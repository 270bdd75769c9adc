//! The lines of a file that are rows or cells.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use bigtable_model::data::RowMutations;

use super::rows::{read_csv, read_json};
use crate::args::FileFormat;
use crate::commands::event_file::open;
use crate::failure::{Doing as _, Failure};

/// A file, and the line that was read last.
pub(super) struct Lines {
    path: PathBuf,
    form: Form,
}

enum Form {
    Jsonl {
        input: BufReader<Box<dyn Read>>,
        number: u64,
        line: String,
    },
    Csv(Box<csv::Reader<Box<dyn Read>>>, csv::StringRecord),
}

impl Lines {
    pub(super) fn open(path: &Path, format: FileFormat) -> Result<Self, Failure> {
        let input = open(path)?;
        let form = match format {
            FileFormat::Jsonl => Form::Jsonl {
                input: BufReader::new(input),
                number: 0,
                line: String::new(),
            },
            FileFormat::Csv => {
                let mut csv = csv::ReaderBuilder::new().flexible(true).from_reader(input);
                let header = csv.headers().doing(|| path.display().to_string())?;
                let wanted = ["key", "family", "qualifier", "micros", "value"];
                if header.iter().ne(wanted) {
                    return Err(Failure::new(format_args!(
                        "{}: the first line is not {}",
                        path.display(),
                        wanted.join(",")
                    )));
                }
                Form::Csv(Box::new(csv), csv::StringRecord::new())
            }
        };
        Ok(Self {
            path: path.to_owned(),
            form,
        })
    }

    /// Reads the next line that is not empty; returns its number.
    pub(super) fn next(&mut self) -> Result<Option<u64>, Failure> {
        let read = || self.path.display().to_string();
        match &mut self.form {
            Form::Jsonl {
                input,
                number,
                line,
            } => loop {
                line.clear();
                if input.read_line(line).doing(read)? == 0 {
                    return Ok(None);
                }
                *number += 1;
                if !line.trim().is_empty() {
                    return Ok(Some(*number));
                }
            },
            Form::Csv(csv, record) => {
                let found = csv.read_record(record).doing(read)?;
                let line = record.position().map_or(0, csv::Position::line);
                Ok(found.then_some(line))
            }
        }
    }

    /// The line as it is.
    pub(super) fn text(&self) -> String {
        match &self.form {
            Form::Jsonl { line, .. } => line.trim_end().to_owned(),
            Form::Csv(_, record) => record.iter().collect::<Vec<_>>().join(","),
        }
    }

    /// The line as a write.
    pub(super) fn row(&self) -> Result<RowMutations, Failure> {
        let row = match &self.form {
            Form::Jsonl { line, .. } => read_json(line)?,
            Form::Csv(_, record) => read_csv(record)?,
        };
        match row.key.is_empty() || row.mutations.is_empty() {
            true => Err(Failure::new("a row has a key and at least one cell")),
            false => Ok(row),
        }
    }
}
