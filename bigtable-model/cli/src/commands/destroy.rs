//! Commands that destroy: they show what exists, and need a confirmation.

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

use bigtable_model::data::{ReadRows, RowDeletion, RowFilter};
use bigtable_model::dynamic::{self, AnyModel};
use bigtable_model::{Backend, BackendExt as _};
use clap::{Arg, ArgMatches, Command, value_parser};
use futures::TryStreamExt as _;

use super::events::{EventSheet, write_events};
use super::tables::sampled_bytes;
use super::transfer::write_rows;
use crate::args::{Destroy, FileFormat};
use crate::failure::Failure;
use crate::fields;
use crate::output::writer;
use crate::text;

/// The options of a delete that are not fields.
const CONFIRM: &str = "confirm";
const SAVE: &str = "save";

/// How many keys are shown.
const SHOWN: i64 = 5;

pub(super) async fn truncate(db: &dyn Backend, options: &Destroy) -> Result<(), Failure> {
    prepare(db, options, "All rows of the table are deleted").await?;
    db.tables()
        .drop_rows(&options.table, RowDeletion::All)
        .await?;
    println!("all rows of {} are deleted", options.table);
    Ok(())
}

pub(super) async fn drop_table(db: &dyn Backend, options: &Destroy) -> Result<(), Failure> {
    prepare(db, options, "The table is deleted").await?;
    db.tables().delete(&options.table).await?;
    println!("{} is deleted", options.table);
    Ok(())
}

/// Adds the options that confirm a delete.
pub(super) fn with_confirmation(command: Command) -> Command {
    let option = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name(value)
            .help(help)
            .help_heading("More")
    };
    command
        .arg(option(
            CONFIRM,
            "TABLE",
            "the table's ID, in place of the question",
        ))
        .arg(
            option(
                SAVE,
                "FILE",
                "writes the events to this file before, as lines of JSON",
            )
            .value_parser(value_parser!(PathBuf)),
        )
}

/// Deletes the events that the options select.
pub(super) async fn delete(
    db: &Arc<dyn Backend>,
    model: &AnyModel,
    options: &ArgMatches,
) -> Result<(), Failure> {
    fields::check_closed(model, options)?;
    let query = fields::query(model, options)?;
    query.plan()?;
    let table = model.schema().table.to_string();
    let count = db.count(&query).await?;
    eprintln!(
        "{table}: {} of {}",
        text::counted(count, "event"),
        model.schema().model
    );
    let some = query.clone().limit(u64::try_from(SHOWN)?);
    for event in db.fetch(&some).await?.events() {
        eprintln!("  {event}");
    }
    if count == 0 {
        return Err(Failure::new("no events are selected: nothing is deleted"));
    }
    let confirm = options.get_one::<String>(CONFIRM).map(String::as_str);
    confirmed(&table, confirm, "These events are deleted")?;
    if let Some(path) = options.get_one::<PathBuf>(SAVE) {
        let sheet = EventSheet::whole(model, path)?;
        let saved = write_events(db, &query, sheet, None).await?;
        eprintln!(
            "{} saved in {}",
            text::counted(saved, "event"),
            path.display()
        );
    }
    let outcome = dynamic::delete(&**db, &query).await;
    let deleted = outcome.into_result()?;
    println!("{} deleted", text::counted(deleted, "event"));
    Ok(())
}

/// Shows the table, asks, and saves its rows.
async fn prepare(db: &dyn Backend, options: &Destroy, what: &str) -> Result<(), Failure> {
    let Destroy {
        table,
        confirm,
        save,
    } = options;
    db.tables().get(table).await?;
    let mut rows = db
        .read_rows(ReadRows {
            table: table.clone(),
            filter: Some(RowFilter::Chain(vec![
                RowFilter::CellsPerRowLimit(1),
                RowFilter::StripValue,
            ])),
            rows_limit: SHOWN,
            ..ReadRows::default()
        })
        .rows();
    eprintln!(
        "{table}: about {}",
        text::size(sampled_bytes(db, table).await?)
    );
    while let Some(row) = rows.try_next().await? {
        eprintln!("  {}", text::of_bytes(&row.key));
    }
    confirmed(table, confirm.as_deref(), what)?;
    if let Some(path) = save {
        let read = ReadRows {
            table: table.clone(),
            ..ReadRows::default()
        };
        let saved = write_rows(db, read, FileFormat::Jsonl, writer(Some(path))?).await?;
        eprintln!(
            "{} saved in {}",
            text::counted(saved, "row"),
            path.display()
        );
    }
    Ok(())
}

fn confirmed(table: &str, confirm: Option<&str>, what: &str) -> Result<(), Failure> {
    match confirm {
        Some(named) if named == table => Ok(()),
        Some(named) => Err(Failure::new(format_args!(
            "`--confirm {named}` is not {table}: nothing is deleted"
        ))),
        None => ask(table, what),
    }
}

fn ask(table: &str, what: &str) -> Result<(), Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::new(format_args!(
            "nothing is deleted: say it again with `--confirm {table}`"
        )));
    }
    eprint!("{what}. Type {table} to go on: ");
    std::io::stderr().flush()?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    match answer.trim() == table {
        true => Ok(()),
        false => Err(Failure::new("that is not its name: nothing is deleted")),
    }
}
