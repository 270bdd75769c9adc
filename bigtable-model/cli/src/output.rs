//! What commands print: tables for people, CSV and JSON lines for programs.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::Path;

use bigtable_model::dynamic::Value;
use clap::ValueEnum;
use comfy_table::{Table, presets};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::ser::{SerializeMap as _, Serializer as _};
use serde_json::Value as Json;

use crate::failure::{Doing as _, Failure};
use crate::text;

/// A form of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A table for people
    Table,
    /// Comma-separated values with a header
    Csv,
    /// An object in JSON for each line
    Jsonl,
}

/// Standard output, or a file.
pub(crate) fn writer(file: Option<&Path>) -> Result<Box<dyn Write>, Failure> {
    Ok(match file {
        Some(path) => {
            let file = File::create(path).doing(|| path.display().to_string())?;
            Box::new(BufWriter::new(file))
        }
        None => Box::new(BufWriter::new(io::stdout())),
    })
}

/// Prints a text.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes())
}

/// Prints bytes.
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(())
}

/// A counter of rows on the terminal; hidden without one.
pub(crate) fn row_counter() -> Result<ProgressBar, Failure> {
    let bar = ProgressBar::new_spinner();
    bar.set_style(ProgressStyle::with_template("{pos} rows, {elapsed}")?);
    if !io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    Ok(bar)
}

/// A table for people, with a line under its header.
pub(crate) fn table() -> Table {
    let mut table = Table::new();
    let between_rows = presets::NOTHING.row_separator;
    table.load_style(presets::UTF8_HORIZONTAL_ONLY.row_separator(between_rows));
    table
}

/// How many lines of a table are laid out together, so that output of any length fits into memory.
const TOGETHER: usize = 1_000;

/// Lines with the same columns.
pub(crate) struct Sheet {
    form: Form,
    header: Vec<String>,
}

enum Form {
    Table(Vec<Vec<Json>>, Box<dyn Write>),
    Csv(Box<csv::Writer<Box<dyn Write>>>),
    Jsonl(Box<dyn Write>),
}

impl Sheet {
    pub(crate) fn new<S: Into<String>>(
        format: Format,
        header: impl IntoIterator<Item = S>,
        out: Box<dyn Write>,
    ) -> Result<Self, Failure> {
        let header: Vec<String> = header.into_iter().map(Into::into).collect();
        let form = match format {
            Format::Table => Form::Table(Vec::new(), out),
            Format::Jsonl => Form::Jsonl(out),
            Format::Csv => {
                let mut csv = csv::Writer::from_writer(out);
                csv.write_record(&header)?;
                Form::Csv(Box::new(csv))
            }
        };
        Ok(Self { form, header })
    }

    /// Adds a line; a null value is left empty, and omitted from an object.
    pub(crate) fn line(&mut self, values: Vec<Json>) -> Result<(), Failure> {
        match &mut self.form {
            Form::Table(held, _) => {
                held.push(values);
                if held.len() >= TOGETHER {
                    self.lay_out()?;
                }
            }
            Form::Csv(csv) => csv.write_record(values.iter().map(plain))?,
            Form::Jsonl(out) => {
                let mut json = serde_json::Serializer::new(&mut *out);
                let mut object = json.serialize_map(None)?;
                for (name, value) in self.header.iter().zip(&values) {
                    if !value.is_null() {
                        object.serialize_entry(name, value)?;
                    }
                }
                object.end()?;
                out.write_all(b"\n")?;
            }
        }
        Ok(())
    }

    /// Writes what is held back.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        self.lay_out()?;
        match self.form {
            Form::Table(_, mut out) | Form::Jsonl(mut out) => out.flush()?,
            Form::Csv(mut csv) => csv.flush()?,
        }
        Ok(())
    }

    fn lay_out(&mut self) -> Result<(), Failure> {
        let Form::Table(held, out) = &mut self.form else {
            return Ok(());
        };
        if held.is_empty() {
            return Ok(());
        }
        let mut table = table();
        table.set_header(&self.header);
        for line in held.drain(..) {
            table.add_row(line.iter().map(plain));
        }
        writeln!(out, "{table}")?;
        Ok(())
    }
}

/// A value as the text of a cell.
fn plain(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A value of a field. Values without a form in JSON are text: bytes as [`text`] says, times, and
/// floats that are not finite.
pub(crate) fn json(value: &Value) -> Json {
    let number = |number: f64| match serde_json::Number::from_f64(number) {
        Some(number) => Json::Number(number),
        None => Json::String(number.to_string()),
    };
    match value {
        Value::Bool(value) => Json::Bool(*value),
        Value::Integer(value) => (*value).into(),
        Value::Float(value) => number(*value),
        Value::Bytes(bytes) => Json::String(text::of_bytes(bytes)),
        Value::Integers(values) => values.clone().into(),
        Value::Floats(values) => values.iter().map(|one| number(*one)).collect(),
        other => Json::String(other.to_string()),
    }
}
