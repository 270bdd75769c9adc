//! Rows into files, out of them, and from table to table.

mod import;
mod lines;
mod rows;
mod writes;

use std::io::Write;
use std::sync::Arc;

use bigtable_model::data::{Mutation, ReadRows, RowMutations, RowRange, RowRef, RowSet};
use bigtable_model::{Backend, Status};
use futures::TryStreamExt as _;
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::{Copy, Export, FileFormat};
use crate::failure::{Doing as _, Failure};
use crate::output::writer;
use crate::text;
pub(super) use import::import;
use rows::RowWriter;
use writes::{Lot, OUTSTANDING, Sent, Writes};

/// A counter on the terminal; hidden without one.
fn progress(what: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{human_pos} {msg}, {per_sec}, {elapsed}");
    let bar = ProgressBar::no_length().with_message(what);
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

pub(super) async fn export(db: &dyn Backend, options: &Export) -> Result<(), Failure> {
    let prefix = text::to_bytes(&options.prefix)?;
    let rows = match prefix.is_empty() {
        true => RowSet::default(),
        false => RowSet::range(RowRange::prefix(prefix)),
    };
    let read = ReadRows {
        table: options.table.clone(),
        rows,
        rows_limit: options.limit.map_or(Ok(0), i64::try_from)?,
        ..ReadRows::default()
    };
    let rows = match options.limit {
        Some(0) => 0,
        // A missing table leaves no file.
        _ => {
            db.tables().get(&options.table).await?;
            let out = writer(options.output.as_deref())?;
            write_rows(db, read, options.format, out).await?
        }
    };
    if options.output.is_some() {
        eprintln!("{} exported", text::counted(rows, "row"));
    }
    Ok(())
}

/// Writes the rows of a read into a file.
pub(super) async fn write_rows(
    db: &dyn Backend,
    read: ReadRows,
    format: FileFormat,
    out: Box<dyn Write>,
) -> Result<u64, Failure> {
    let bar = progress("rows");
    let mut file = RowWriter::new(format, out);
    let mut batches = db.read_rows(read);
    while let Some(batch) = batches.try_next().await? {
        for row in batch.rows() {
            file.write(row)?;
            bar.inc(1);
        }
    }
    file.finish()?;
    bar.finish_and_clear();
    Ok(bar.position())
}

pub(super) async fn copy(
    from: &dyn Backend,
    to: &Arc<dyn Backend>,
    options: &Copy,
) -> Result<(), Failure> {
    if options.to_backend.is_none() && options.from == options.to {
        return Err(Failure::new(format_args!(
            "{} would be copied into itself: name another table",
            options.from
        )));
    }
    let bar = progress("rows");
    let mut writes = Writes::new(to, &options.to)?;
    let mut batches = from.read_rows(ReadRows {
        table: options.from.clone(),
        ..ReadRows::default()
    });
    while let Some(batch) = batches.try_next().await? {
        for row in batch.rows() {
            writes.add(Lot::of(bar.position(), copied(row))).await?;
            bar.inc(1);
            writes.settle(OUTSTANDING, &mut refuse).await?;
        }
    }
    writes.settle(0, &mut refuse).await?;
    bar.finish_and_clear();
    println!("{} copied", text::counted(bar.position(), "row"));
    Ok(())
}

fn copied(row: RowRef<'_>) -> RowMutations {
    let cells = row.cells().map(|cell| Mutation::SetCell {
        family: cell.family().into(),
        qualifier: cell.shared_qualifier(),
        timestamp_micros: cell.timestamp_micros(),
        value: cell.shared_value(),
    });
    RowMutations {
        key: row.shared_key(),
        mutations: cells.collect(),
    }
}

fn refuse(sent: &Sent, error: Status) -> Result<(), Failure> {
    Err(error).doing(|| format!("row {}", text::of_bytes(&sent.key)))
}
