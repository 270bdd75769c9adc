//! What a question costs, where a table is hot, and what is wrong in it.

use std::path::PathBuf;
use std::sync::Arc;

use bigtable_load::{Load, Node, Picture};
use bigtable_model::dynamic::{self, AnyModel, EventBatch, Value};
use bigtable_model::query::Amount;
use bigtable_model::{Backend, BackendExt as _, Timestamp};
use clap::{Arg, ArgMatches, Command, value_parser};
use futures::TryStreamExt as _;

use super::event_file;
use crate::backend::Target;
use crate::failure::{Doing as _, Failure};
use crate::fields;
use crate::output::{self, print, row_counter};
use crate::text;

/// The maximum number of events in a heat map.
const MOST: u64 = 10_000_000;

/// Adds the options of `price`.
pub(super) fn with_rate(command: Command) -> Command {
    command.arg(
        Arg::new("a-second")
            .long("a-second")
            .value_name("TIMES")
            .help("how often the question is asked, for the nodes that it takes")
            .value_parser(value_parser!(f64))
            .help_heading("More"),
    )
}

/// Asks the question, and prints what was read for it.
pub(super) async fn price(
    db: &dyn Backend,
    model: &AnyModel,
    options: &ArgMatches,
) -> Result<(), Failure> {
    let query = fields::query(model, options)?;
    let cost = db.cost(&query).await?;
    let mut table = output::table();
    table.set_header(["", "rows", "cells", "bytes"]);
    let line = |name: &str,
                Amount {
                    rows, cells, bytes, ..
                }: Amount| {
        let [rows, cells] = [rows, cells].map(text::thousands);
        [name.to_owned(), rows, cells, text::size(bytes)]
    };
    if let Some(scanned) = cost.scanned {
        table.add_row(line("scanned", scanned));
    }
    table.add_row(line("sent", cost.sent));
    table.add_row(line("wanted", cost.wanted));
    print(&format!(
        "{} in {}, {} and {}\n{table}\nread for one wanted cell: {:.2}\n",
        text::counted(cost.events, "event"),
        text::counted(cost.scans, "scan"),
        text::counted(cost.requests, "request"),
        text::counted(cost.ranges, "range"),
        cost.read_for_wanted(),
    ))?;
    if let Some(times) = options.get_one::<f64>("a-second") {
        if !times.is_finite() || *times < 0.0 {
            return Err(Failure::new("`--a-second` is a number of times, 0 or more"));
        }
        let read = cost.scanned.unwrap_or(cost.sent);
        let of = |amount: u64| -> Result<f64, Failure> {
            // Converted as text, since lints do not allow a cast.
            Ok(amount.to_string().parse::<f64>()? * times)
        };
        let node = Node::SSD;
        let nodes = node.needed(0.0, of(read.rows)?, of(read.bytes)?);
        print(&format!(
            "asked {times} times a second it takes {}, {node}\n",
            text::counted(nodes, "node")
        ))?;
    }
    Ok(())
}

/// Adds the options of `heat`.
pub(super) fn with_picture(command: Command) -> Command {
    let file = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("FILE")
            .help(help)
            .value_parser(value_parser!(PathBuf))
            .help_heading("More")
    };
    command
        .arg(file("html", "also draws them into a file for a browser"))
        .arg(file(
            "events",
            "the events of this file, CSV or JSON lines, in place of stored ones: before the first \
             row is written",
        ))
}

/// Reads events, and shows where and when they were written.
pub(super) async fn heat(
    target: &Target,
    model: &AnyModel,
    options: &ArgMatches,
) -> Result<(), Failure> {
    let schema = model.schema();
    let Some((_, segment)) = schema.key.time_segment() else {
        return Err(Failure::new(format_args!(
            "events of {} have no time in their keys: heat is over time",
            schema.model
        )));
    };
    let batches = match options.get_one::<PathBuf>("events") {
        Some(path) => event_file::events(path, None, model, usize::MAX)?,
        None => vec![stored(&target.open().await?, model, options).await?],
    };
    let times = batches.iter().flat_map(EventBatch::events);
    let times = times.filter_map(|event| match event.value(&segment.name) {
        Some(Value::Time(time)) => Some(time),
        _ => None,
    });
    let ends = times.fold(None, |ends: Option<(Timestamp, Timestamp)>, time| {
        let (first, last) = ends.unwrap_or((time, time));
        Some((first.min(time), last.max(time)))
    });
    let Some((first, last)) = ends else {
        return Err(Failure::new("no events: nothing is hot"));
    };
    let end = last.saturating_add(std::time::Duration::from_millis(1));
    let load = batches
        .into_iter()
        .fold(Load::over(first..end), Load::events);
    let maps = load.heat()?;
    for map in &maps {
        print(&format!("{map}\n"))?;
    }
    if let Some(path) = options.get_one::<PathBuf>("html") {
        let picture =
            Picture::new(&format!("Writes of {}", schema.model)).maps(&schema.model, &maps);
        picture.save(path).doing(|| path.display().to_string())?;
        eprintln!("{} is for a browser", path.display());
    }
    Ok(())
}

/// The events that a query finds, in one batch.
async fn stored(
    db: &Arc<dyn Backend>,
    model: &AnyModel,
    options: &ArgMatches,
) -> Result<EventBatch, Failure> {
    let query = fields::query(model, options)?;
    let mut events = EventBatch::new(model);
    let mut found = db.stream(&query);
    while let Some(batch) = found.try_next().await? {
        for event in batch.events() {
            events.push_with(event.values(), [])?;
        }
        if u64::try_from(events.len())? > MOST {
            return Err(Failure::new(format_args!(
                "more than {} events: choose a shorter time",
                text::thousands(MOST)
            )));
        }
    }
    Ok(events)
}

/// Adds the options of `audit`.
pub(super) fn audit_command(model: &AnyModel) -> Command {
    Command::new(format!("bigtable-model audit {}", model.schema().model))
        .about("What in the model's tables is not the model's, or against Bigtable's advice")
        .after_help("It reads a sample all over the tables; `--full` reads all. It ends with code 1 if it finds something.")
        .no_binary_name(true)
        .arg(
            Arg::new("full")
                .long("full")
                .help("reads all rows")
                .action(clap::ArgAction::SetTrue),
        )
        .arg(
            Arg::new("rows")
                .long("rows")
                .value_name("ROWS")
                .help("about how many rows of a large table are read")
                .value_parser(value_parser!(usize))
                .default_value("1000"),
        )
}

/// Prints what is wrong; `false` if there is something.
pub(super) async fn audit(
    db: &dyn Backend,
    model: &AnyModel,
    options: &ArgMatches,
) -> Result<bool, Failure> {
    let bar = row_counter()?;
    let mut audit = dynamic::audit(db, model).on_progress(|so_far| bar.set_position(so_far.rows));
    if let Some(rows) = options.get_one("rows") {
        audit = audit.rows(*rows);
    }
    if options.get_flag("full") {
        audit = audit.full();
    }
    let audit = audit.await;
    bar.finish_and_clear();
    let audit = audit?;
    print(&format!("{audit}\n"))?;
    Ok(audit.is_clean())
}
