//! Events of a file: CSV with a header, or JSON lines.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use bigtable_model::dynamic::{AnyModel, EventBatch, Value};
use bytes::Bytes;
use serde_json::Value as Json;

use super::events::ENTRIES;
use crate::args::FileFormat;
use crate::failure::{Doing as _, Failure};
use crate::text;

/// The events of a file, this many in a batch.
pub(super) fn events(
    path: &Path,
    format: Option<FileFormat>,
    model: &AnyModel,
    together: usize,
) -> Result<Vec<EventBatch>, Failure> {
    let format = format_of(path, format)?;
    let mut batches = Vec::new();
    let mut batch = EventBatch::new(model);
    each_event(path, format, model, |fields, entries| {
        let named = fields
            .iter()
            .map(|(name, value)| (name.as_str(), value.clone()));
        batch.push_with(named, entries)?;
        if batch.len() >= together {
            batches.push(std::mem::replace(&mut batch, EventBatch::new(model)));
        }
        Ok(())
    })?;
    batches.push(batch);
    Ok(batches)
}

/// The form of a file, by default that of its extension.
pub(super) fn format_of(path: &Path, format: Option<FileFormat>) -> Result<FileFormat, Failure> {
    if let Some(format) = format {
        return Ok(format);
    }
    match path.extension().and_then(|end| end.to_str()) {
        Some("csv") => Ok(FileFormat::Csv),
        Some("jsonl" | "ndjson" | "json") => Ok(FileFormat::Jsonl),
        _ => Err(Failure::new(format_args!(
            "{} ends with neither .csv nor .jsonl: add `--format csv` or `--format jsonl`",
            path.display()
        ))),
    }
}

/// A file to read, or standard input.
pub(super) fn open(path: &Path) -> Result<Box<dyn Read>, Failure> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin()));
    }
    let file = File::open(path).doing(|| path.display().to_string())?;
    Ok(Box::new(file))
}

type Fields = Vec<(String, Value)>;
type Entries = Vec<(Bytes, Value)>;

/// Calls `take` with each event of a file; an error names its line.
fn each_event(
    path: &Path,
    format: FileFormat,
    model: &AnyModel,
    mut take: impl FnMut(Fields, Entries) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let at = |line: u64| move || format!("{}, line {line}", path.display());
    let input = open(path)?;
    match format {
        FileFormat::Csv => {
            let mut csv = csv::Reader::from_reader(input);
            let header = csv.headers().doing(at(1))?.clone();
            let known: Vec<&str> = model.fields().collect();
            let mut names = header.iter();
            if let Some(unknown) = names.find(|name| !known.contains(name) && *name != ENTRIES) {
                return Err(Failure::new(format_args!(
                    "{}: column `{unknown}` is no field of {}, which has {}",
                    at(1)(),
                    model.schema().model,
                    known.join(", ")
                )));
            }
            for record in csv.records() {
                let record = record.doing(|| path.display().to_string())?;
                let line = record.position().map_or(0, csv::Position::line);
                of_record(&header, &record)
                    .and_then(|(fields, entries)| take(fields, entries))
                    .doing(at(line))?;
            }
        }
        FileFormat::Jsonl => {
            for (line, text) in (1..).zip(BufReader::new(input).lines()) {
                let text = text.doing(at(line))?;
                if !text.trim().is_empty() {
                    of_json(&text)
                        .and_then(|(fields, entries)| take(fields, entries))
                        .doing(at(line))?;
                }
            }
        }
    }
    Ok(())
}

fn of_record(
    header: &csv::StringRecord,
    record: &csv::StringRecord,
) -> Result<(Fields, Entries), Failure> {
    let mut fields = Vec::new();
    let mut entries = Vec::new();
    for (name, value) in header.iter().zip(record) {
        match (name, value) {
            (_, "") => {}
            (ENTRIES, object) => entries = entries_of(serde_json::from_str(object)?)?,
            (name, value) => fields.push((name.to_owned(), value.into())),
        }
    }
    Ok((fields, entries))
}

fn of_json(line: &str) -> Result<(Fields, Entries), Failure> {
    let object: BTreeMap<String, Json> = serde_json::from_str(line)?;
    let mut fields = Vec::new();
    let mut entries = Vec::new();
    for (name, value) in object {
        match (name.as_str(), value) {
            (_, Json::Null) => {}
            (ENTRIES, Json::Object(object)) => entries = entries_of(object)?,
            (_, value) => {
                let value = value_of(value).doing(|| format!("field `{name}`"))?;
                fields.push((name, value));
            }
        }
    }
    Ok((fields, entries))
}

fn entries_of(object: serde_json::Map<String, Json>) -> Result<Entries, Failure> {
    let entries = object.into_iter().map(|(name, value)| {
        let name = text::to_bytes(&name)?;
        Ok((name, value_of(value)?))
    });
    entries.collect()
}

/// A text is enough for a field of any type, since the model knows the type.
fn value_of(value: Json) -> Result<Value, Failure> {
    Ok(match value {
        Json::Bool(value) => value.into(),
        Json::String(text) => text.into(),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => number.into(),
            // Of 64 bits without a sign.
            (None, _) if number.is_u64() => number.to_string().into(),
            (None, Some(number)) => number.into(),
            (None, None) => return Err(Failure::new(format_args!("{number} is too large"))),
        },
        Json::Array(values) => list(&values)?,
        other => return Err(Failure::new(format_args!("{other} is no value of a field"))),
    })
}

fn list(values: &[Json]) -> Result<Value, Failure> {
    let integers: Option<Vec<i64>> = values.iter().map(Json::as_i64).collect();
    let floats: Option<Vec<f64>> = values.iter().map(Json::as_f64).collect();
    match (integers, floats) {
        (Some(integers), _) => Ok(integers.into()),
        (None, Some(floats)) => Ok(floats.into()),
        (None, None) => Err(Failure::new("a list holds numbers only")),
    }
}
