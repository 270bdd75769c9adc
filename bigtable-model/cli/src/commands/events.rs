//! Questions about the events of a model.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bigtable_model::dynamic::{AnyModel, AnyQuery, Event, Value};
use bigtable_model::value::Takes;
use bigtable_model::{Backend, BackendExt as _};
use clap::{Arg, ArgMatches, Command, value_parser};
use futures::TryStreamExt as _;
use serde_json::Value as Json;

use crate::args::Listing;
use crate::failure::Failure;
use crate::fields;
use crate::models::Models;
use crate::output::{Format, Sheet, json, writer};
use crate::text;

/// How many events a table for people shows if nothing else is asked for.
const SHOWN: u64 = 100;

/// The column of run-time columns.
pub(super) const ENTRIES: &str = "entries";

/// Adds the options for the output.
pub(super) fn with_format(command: Command) -> Command {
    command
        .arg(
            Arg::new("format")
                .long("format")
                .help("the form of the output")
                .value_parser(value_parser!(Format))
                .default_value("table")
                .help_heading("More"),
        )
        .arg(
            Arg::new("output")
                .long("output")
                .short('o')
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("the file; standard output without it")
                .help_heading("More"),
        )
}

/// Prints events as they come.
pub(super) async fn query(
    db: &Arc<dyn Backend>,
    model: &AnyModel,
    options: &ArgMatches,
) -> Result<(), Failure> {
    let format = options.get_one("format").copied().unwrap_or(Format::Table);
    let file = options.get_one::<PathBuf>("output");
    let mut query = fields::query(model, options)?;
    let is_cut = format == Format::Table && file.is_none() && fields::limit(options).is_none();
    if is_cut {
        query = query.limit(SHOWN + 1);
    }
    // A refusal comes before a file is opened.
    query.plan()?;
    let out = writer(file.map(PathBuf::as_path))?;
    let most = is_cut.then_some(SHOWN);
    let sheet = EventSheet::new(model, format, out, &fields::columns(options))?;
    if write_events(db, &query, sheet, most).await? > SHOWN && is_cut {
        eprintln!("more than {SHOWN} events: `--limit` shows others than the first");
    }
    Ok(())
}

/// Writes the events of a query as they come, up to a limit, and says how many there are.
pub(super) async fn write_events(
    db: &Arc<dyn Backend>,
    query: &AnyQuery,
    mut sheet: EventSheet,
    most: Option<u64>,
) -> Result<u64, Failure> {
    let mut found = db.stream(query);
    let mut count = 0;
    while let Some(batch) = found.try_next().await? {
        for event in batch.events() {
            if most.is_none_or(|most| count < most) {
                sheet.event(&event)?;
            }
            count += 1;
        }
    }
    sheet.finish()?;
    Ok(count)
}

/// A line for each event: its fields, and its run-time columns in one.
pub(super) struct EventSheet {
    fields: Vec<Printed>,
    has_entries: bool,
    sheet: Sheet,
}

/// A field that is printed.
struct Printed {
    name: String,
    /// Whether its text is a number.
    is_number: bool,
    /// Whether its values are not shown.
    is_hidden: bool,
}

impl EventSheet {
    /// A sheet for events to be restored from: it has sensitive values too.
    pub(super) fn whole(model: &AnyModel, path: &Path) -> Result<Self, Failure> {
        let mut sheet = Self::new(model, Format::Jsonl, writer(Some(path))?, &[])?;
        for field in &mut sheet.fields {
            field.is_hidden = false;
        }
        Ok(sheet)
    }

    /// A sheet to look at. It has the chosen columns, or all if none were chosen.
    pub(super) fn new(
        model: &AnyModel,
        format: Format,
        out: Box<dyn Write>,
        chosen: &[String],
    ) -> Result<Self, Failure> {
        let described = model.described();
        let columns = model.schema().columns.iter().zip(&described.columns);
        let numbers: Vec<&str> = columns
            .filter(|(_, of)| matches!(of.takes, Takes::Integers { .. } | Takes::Floats))
            .map(|(column, _)| &*column.field)
            .collect();
        let fields = model.fields().map(|name| Printed {
            is_number: numbers.contains(&name),
            is_hidden: model.is_sensitive(name),
            name: name.to_owned(),
        });
        let is_shown = |field: &Printed| {
            let mut columns = model.schema().columns.iter();
            let is_column = columns.any(|one| one.copy_of.is_none() && one.field == field.name);
            chosen.is_empty() || !is_column || chosen.contains(&field.name)
        };
        let fields: Vec<Printed> = fields.filter(is_shown).collect();
        let entries = (!described.maps.is_empty()).then_some(ENTRIES);
        let header = fields.iter().map(|one| one.name.as_str()).chain(entries);
        Ok(Self {
            sheet: Sheet::new(format, header, out)?,
            has_entries: entries.is_some(),
            fields,
        })
    }

    pub(super) fn event(&mut self, event: &Event<'_>) -> Result<(), Failure> {
        let values = self.fields.iter().map(|one| match event.value(&one.name) {
            Some(_) if one.is_hidden => Json::from(text::HIDDEN),
            Some(value) if one.is_number => number(&value),
            Some(value) => json(&value),
            None => Json::Null,
        });
        let mut line: Vec<Json> = values.collect();
        if self.has_entries {
            let entries = event.entries().iter();
            let entries = entries.map(|(name, value)| (text::of_bytes(name), json(value)));
            line.push(Json::Object(entries.collect()));
        }
        self.sheet.line(line)
    }

    pub(super) fn finish(self) -> Result<(), Failure> {
        self.sheet.finish()
    }
}

/// A number, also one that is stored as text.
fn number(value: &Value) -> Json {
    match value {
        Value::Utf8(text) => match text.parse() {
            Ok(number) => Json::Number(number),
            Err(_) => json(value),
        },
        other => json(other),
    }
}

/// Prints a number alone, for scripts.
pub(super) async fn count(
    db: &dyn Backend,
    model: &AnyModel,
    options: &ArgMatches,
) -> Result<(), Failure> {
    let query = fields::query(model, options)?;
    println!("{}", db.count(&query).await?);
    Ok(())
}

pub(super) fn explain(model: &AnyModel, options: &ArgMatches) -> Result<(), Failure> {
    let query = fields::query(model, options)?;
    // A mistake in a value is an error; a query that cannot be planned is explained.
    query.selection()?;
    println!("{}", query.explain());
    Ok(())
}

/// The models of the lock file.
pub(super) fn models(models: &Models, options: &Listing) -> Result<(), Failure> {
    let header = ["model", "table", "key", "fields"];
    let mut sheet = Sheet::new(options.format, header, writer(None)?)?;
    for model in models.all() {
        let schema = model.schema();
        let fields: Vec<_> = model.fields().collect();
        sheet.line(vec![
            schema.model.to_string().into(),
            schema.table.to_string().into(),
            schema.key.to_string().into(),
            fields.join(", ").into(),
        ])?;
    }
    sheet.finish()
}
