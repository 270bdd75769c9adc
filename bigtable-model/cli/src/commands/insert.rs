//! Events of a file into a model's table.

use std::path::PathBuf;
use std::sync::Arc;

use bigtable_model::Backend;
use bigtable_model::dynamic::{AnyModel, insert};
use clap::{Arg, ArgMatches, Command, value_parser};

use super::event_file;
use crate::args::FileFormat;
use crate::failure::{Doing as _, Failure};
use crate::text;

/// How many events are written together.
const TOGETHER: usize = 1_000;

pub(super) fn command(model: &AnyModel) -> Command {
    let fields: Vec<_> = model.fields().collect();
    let schema = model.schema();
    Command::new(format!("bigtable-model insert {}", schema.model))
        .about(format!(
            "Writes events of {} into table {}",
            schema.model, schema.table
        ))
        .after_help(format!(
            "The fields are {}: columns of a CSV file, or names in an object of a line of JSON. \
             An empty value is an absent one. Nothing is written of a file with a line that is no \
             event.",
            fields.join(", ")
        ))
        .max_term_width(100)
        .no_binary_name(true)
        .arg(
            Arg::new("file")
                .required(true)
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("CSV with a header, or JSON lines; `-` reads standard input"),
        )
        .arg(
            Arg::new("format")
                .long("format")
                .value_parser(value_parser!(FileFormat))
                .hide_possible_values(true)
                .help("csv or jsonl; by default as the file's name ends"),
        )
}

/// Checks the whole file, and then writes it.
pub(super) async fn run(
    db: &Arc<dyn Backend>,
    model: &AnyModel,
    options: &ArgMatches,
) -> Result<(), Failure> {
    let path = options.get_one::<PathBuf>("file");
    let path = path.ok_or_else(|| Failure::new("which file?"))?;
    let format = options.get_one("format").copied();
    let batches = event_file::events(path, format, model, TOGETHER)?;
    let (mut written, mut expired) = (0, 0);
    for batch in &batches {
        let outcome = insert(&**db, batch).await?;
        expired += outcome.expired();
        let count = outcome
            .into_result()
            .doing(|| format!("after {}", text::counted(written, "event")))?;
        written += count;
    }
    println!("{} written", text::counted(written, "event"));
    if expired > 0 {
        eprintln!(
            "{} had expired already by the table's own rules, and no query finds them",
            text::counted(expired, "event")
        );
    }
    Ok(())
}
