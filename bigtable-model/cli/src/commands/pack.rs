//! Packs and unpacks the rows of a model.

use bigtable_model::Backend;
use bigtable_model::dynamic::{self, AnyModel};
use bigtable_model::packed::PackReport;
use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::failure::{Failure, in_words};
use crate::output::{print, row_counter};
use crate::text;
use crate::verb::Verb;

/// Only says how much there is to do.
const DRY: &str = "dry-run";

/// How many rows may be changed a second.
const PACE: &str = "rows-per-second";

/// The options.
pub(super) fn command(verb: Verb, model: &AnyModel) -> Command {
    let command = Command::new(format!(
        "bigtable-model {} {}",
        verb.name(),
        model.schema().model
    ))
    .no_binary_name(true)
    .arg(
        Arg::new(PACE)
            .long(PACE)
            .value_name("ROWS")
            .help("changes at most so many rows a second")
            .value_parser(clap::value_parser!(u32).range(1..)),
    );
    match verb {
        Verb::Unpack => command
            .about("Gives packed events cells of their own again")
            .after_help("Remove `pack` from the model afterwards, or the next `pack` undoes it."),
        _ => command
            .about("Puts the events of settled rows into blocks of compressed columns")
            .after_help("All programs that use the table must have the model with `pack`. It may be stopped and run again.")
            .arg(
                Arg::new(DRY)
                    .long(DRY)
                    .help("says how many rows there are, and changes none")
                    .action(ArgAction::SetTrue),
            ),
    }
}

/// Packs or unpacks, and prints what was done; `false` if rows were refused.
pub(super) async fn run(
    db: &dyn Backend,
    verb: Verb,
    model: &AnyModel,
    options: &ArgMatches,
) -> Result<bool, Failure> {
    let bar = row_counter()?;
    let of_bar = bar.clone();
    let mut job = dynamic::pack(model)?.on_progress(move |so_far| of_bar.set_position(so_far.rows));
    if let Some(rows) = options.get_one::<u32>(PACE) {
        job = job.rows_per_second(usize::try_from(*rows).unwrap_or(usize::MAX))?;
    }
    let is_dry = verb == Verb::Pack && options.get_flag(DRY);
    let report = match verb {
        Verb::Unpack => job.unpack(db).await,
        _ if is_dry => job.backlog(db).await,
        _ => job.run(db).await,
    };
    bar.finish_and_clear();
    let report = report?;
    print(&said(&report, is_dry))?;
    Ok(report.refused == 0)
}

fn said(report: &PackReport, is_dry: bool) -> String {
    let rows = text::counted(report.rows, "row");
    let mut lines = match is_dry {
        true => vec![format!("{rows} to pack")],
        false => vec![format!(
            "{} of {rows} changed: {}; {} to {}, {} to {}",
            text::thousands(report.changed),
            text::counted(report.events, "event"),
            text::thousands(report.cells_before),
            text::counted(report.cells_after, "cell"),
            text::size(report.bytes_before),
            text::size(report.bytes_after),
        )],
    };
    if report.unsettled > 0 {
        let rows = text::counted(report.unsettled, "row");
        lines.push(format!("{rows} not settled yet"));
    }
    if report.contended > 0 {
        let rows = text::counted(report.contended, "row");
        lines.push(format!("{rows} written to meanwhile: run it again"));
    }
    if report.refused > 0 {
        let rows = text::counted(report.refused, "row");
        lines.push(format!("{rows} refused, and left as before:"));
        lines.extend(
            report
                .errors()
                .iter()
                .map(|error| format!("  {}", in_words(error))),
        );
    }
    lines.join("\n") + "\n"
}
