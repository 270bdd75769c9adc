//! The newest events, once or again and again.

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bigtable_model::dynamic::{AnyModel, Event, EventBatch, Value};
use bigtable_model::{Backend, BackendExt as _};
use clap::{Arg, ArgMatches, Command, value_parser};

use super::events::EventSheet;
use crate::chart::chart;
use crate::failure::Failure;
use crate::fields;
use crate::output::{Format, writer};

/// How many events are shown if nothing else is asked for.
const SHOWN: u64 = 10;

/// Adds the options for the repeated output.
pub(super) fn with_interval(command: Command) -> Command {
    command
        .arg(
            Arg::new("every")
                .long("every")
                .value_name("SECONDS")
                .help("the interval between reads")
                .value_parser(value_parser!(f64))
                .default_value("2")
                .help_heading("More"),
        )
        .arg(
            Arg::new("chart")
                .long("chart")
                .value_name("FIELD")
                .help("also draws the values of this field, which are numbers")
                .help_heading("More"),
        )
        .arg(
            Arg::new("times")
                .long("times")
                .value_name("READS")
                .help("ends after so many reads")
                .value_parser(value_parser!(u64))
                .help_heading("More"),
        )
}

/// Prints the newest events, the newest first.
pub(super) async fn latest(
    db: &Arc<dyn Backend>,
    model: &AnyModel,
    options: &ArgMatches,
) -> Result<(), Failure> {
    let format = options.get_one("format").copied().unwrap_or(Format::Table);
    let found = newest(db, model, options).await?;
    let file = options.get_one::<PathBuf>("output");
    let out = writer(file.map(PathBuf::as_path))?;
    let mut sheet = EventSheet::new(model, format, out, &fields::columns(options))?;
    for event in found.events() {
        sheet.event(&event)?;
    }
    sheet.finish()
}

async fn newest(
    db: &Arc<dyn Backend>,
    model: &AnyModel,
    options: &ArgMatches,
) -> Result<EventBatch, Failure> {
    let limit = fields::limit(options).unwrap_or(SHOWN);
    let query = fields::query(model, options)?.newest_first().limit(limit);
    Ok(db.fetch(&query).await?)
}

/// Reads the newest events until it is stopped. On a terminal they are redrawn each time; elsewhere
/// each new event is a line of JSON.
pub(super) async fn watch(
    db: &Arc<dyn Backend>,
    model: &AnyModel,
    options: &ArgMatches,
) -> Result<(), Failure> {
    let every = options.get_one::<f64>("every").copied().unwrap_or(2.0);
    let every = Duration::try_from_secs_f64(every)
        .ok()
        .filter(|every| !every.is_zero())
        .ok_or_else(|| Failure::new("`--every` is a number of seconds above 0"))?;
    let chosen = options.get_one::<String>("chart");
    if let Some(field) = chosen.filter(|field| !model.fields().any(|one| one == *field)) {
        let known: Vec<_> = model.fields().collect();
        return Err(Failure::new(format_args!(
            "{} has no field `{field}`, but {}",
            model.schema().model,
            known.join(", ")
        )));
    }
    if let Some(field) = chosen.filter(|field| model.is_sensitive(field)) {
        return Err(Failure::new(format_args!(
            "`{field}` is sensitive: no chart is drawn of it"
        )));
    }
    let times = options.get_one::<u64>("times").copied();
    let columns = fields::columns(options);
    let mut reads = 0;
    let mut seen: Vec<String> = Vec::new();
    loop {
        let found = newest(db, model, options).await?;
        match std::io::stdout().is_terminal() {
            true => draw(model, &found, chosen.map(String::as_str), &columns)?,
            false => seen = add(model, &found, &seen, &columns)?,
        }
        reads += 1;
        if times.is_some_and(|times| reads >= times) {
            return Ok(());
        }
        tokio::time::sleep(every).await;
    }
}

/// Draws the events over the previous ones.
fn draw(
    model: &AnyModel,
    found: &EventBatch,
    chosen: Option<&str>,
    columns: &[String],
) -> Result<(), Failure> {
    let mut out = std::io::stdout();
    // Clears the screen, and begins at its top.
    write!(out, "\x1b[2J\x1b[H")?;
    if let Some(field) = chosen {
        let values = found.events().filter_map(|event| number(&event, field));
        let mut values: Vec<f64> = values.collect();
        values.reverse();
        write!(out, "{}", chart(field, &values))?;
    }
    let mut sheet = EventSheet::new(model, Format::Table, writer(None)?, columns)?;
    for event in found.events() {
        sheet.event(&event)?;
    }
    sheet.finish()
}

fn number(event: &Event<'_>, field: &str) -> Option<f64> {
    match event.value(field)? {
        Value::Integer(number) => number.to_string().parse().ok(),
        Value::Float(number) => Some(number),
        other => other.to_string().parse().ok(),
    }
}

/// Prints the events that were not seen before, the oldest first, and returns all of them.
fn add(
    model: &AnyModel,
    found: &EventBatch,
    seen: &[String],
    columns: &[String],
) -> Result<Vec<String>, Failure> {
    let mut sheet = EventSheet::new(model, Format::Jsonl, writer(None)?, columns)?;
    let mut all: Vec<(String, Event<'_>)> = Vec::new();
    all.extend(found.events().map(|event| (event.to_string(), event)));
    for (_, event) in all.iter().rev().filter(|(text, _)| !seen.contains(text)) {
        sheet.event(event)?;
    }
    sheet.finish()?;
    Ok(all.into_iter().map(|(text, _)| text).collect())
}
