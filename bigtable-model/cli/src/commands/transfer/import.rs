//! Rows of a file into a table.

use std::fs::File;
use std::io::Write as _;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bigtable_model::{Backend, Status};

use super::lines::Lines;
use super::progress;
use super::writes::{Lot, OUTSTANDING, Sent, Writes};
use crate::args::{FileFormat, Import};
use crate::commands::event_file::format_of;
use crate::failure::{Doing as _, Failure};
use crate::text;

/// After how many lines the checkpoint is written.
const SAVED_EACH: u64 = 10_000;

pub(in crate::commands) async fn import(
    db: &Arc<dyn Backend>,
    options: &Import,
) -> Result<(), Failure> {
    let format = format_of(&options.file, options.format)?;
    // A missing table is one error and not one for each line.
    db.tables().get(&options.table).await?;
    let done = Checkpoint::load(options.checkpoint.as_deref())?;
    let mut lines = Lines::open(&options.file, format)?;
    let mut rejects = Rejects::open(options)?;
    let bar = progress("lines");
    let mut writes = Writes::new(db, &options.table)?;
    let (mut skipped, mut saved) = (0, done.lines);
    // The cells of a row are written at once.
    let mut lot: Option<Lot> = None;
    while let Some(number) = lines.next()? {
        if number <= done.lines {
            skipped += 1;
            continue;
        }
        match lines.row() {
            Ok(row) => {
                let other = match &mut lot {
                    Some(lot) => lot.join(number, row),
                    None => Some(row),
                };
                if let Some(row) = other
                    && let Some(whole) = lot.replace(Lot::of(number, row))
                {
                    writes.add(whole).await?;
                }
            }
            Err(failure) => rejects.reject(number, &lines.text(), failure)?,
        }
        bar.inc(1);
        let mut failed = |sent: &Sent, error| rejects.refused(sent, error);
        let answered = writes.settle(OUTSTANDING, &mut failed).await?;
        // Lines are answered in their order.
        if let Some(last) = answered.filter(|last| *last >= saved + SAVED_EACH) {
            done.save(last)?;
            saved = last;
        }
    }
    if let Some(lot) = lot {
        writes.add(lot).await?;
    }
    let mut failed = |sent: &Sent, error| rejects.refused(sent, error);
    writes.settle(0, &mut failed).await?;
    done.finish()?;
    bar.finish_and_clear();
    rejects.report(format, bar.position(), skipped)
}

/// How far an import came, in a file.
struct Checkpoint<'a> {
    path: Option<&'a Path>,
    lines: u64,
}

impl<'a> Checkpoint<'a> {
    fn load(path: Option<&'a Path>) -> Result<Self, Failure> {
        let lines = match path.filter(|path| path.exists()) {
            Some(path) => {
                let text = std::fs::read_to_string(path).doing(|| path.display().to_string())?;
                let lines = text.trim().parse::<u64>();
                lines.doing(|| format!("{} holds no number of lines", path.display()))?
            }
            None => 0,
        };
        Ok(Self { path, lines })
    }

    /// Replaces the file at once, so that a kill leaves the number before or this one.
    fn save(&self, lines: u64) -> Result<(), Failure> {
        let Some(path) = self.path else { return Ok(()) };
        let fresh = PathBuf::from(format!("{}.new", path.display()));
        let written = std::fs::write(&fresh, lines.to_string());
        let renamed = written.and_then(|()| std::fs::rename(&fresh, path));
        renamed.doing(|| path.display().to_string())
    }

    /// Nothing is left to resume.
    fn finish(&self) -> Result<(), Failure> {
        match self.path.filter(|path| path.exists()) {
            Some(path) => std::fs::remove_file(path).doing(|| path.display().to_string()),
            None => Ok(()),
        }
    }
}

/// Lines that are not rows, or that were refused.
struct Rejects<'a> {
    options: &'a Import,
    file: Option<File>,
    lines: u64,
}

impl<'a> Rejects<'a> {
    fn open(options: &'a Import) -> Result<Self, Failure> {
        let file = options.rejected.as_deref().map(|path| {
            let open = File::options().create(true).append(true).open(path);
            open.doing(|| path.display().to_string())
        });
        Ok(Self {
            options,
            file: file.transpose()?,
            lines: 0,
        })
    }

    fn reject(&mut self, number: u64, line: &str, failure: Failure) -> Result<(), Failure> {
        self.keep(number..=number, 1, line, failure)
    }

    fn refused(&mut self, sent: &Sent, error: Status) -> Result<(), Failure> {
        let lines = sent.first..=sent.last;
        self.keep(
            lines,
            sent.lines,
            &format!("row {}", text::of_bytes(&sent.key)),
            error.into(),
        )
    }

    fn keep(
        &mut self,
        lines: RangeInclusive<u64>,
        count: u64,
        what: &str,
        failure: Failure,
    ) -> Result<(), Failure> {
        let Failure::Said(reason) = failure else {
            return Err(failure);
        };
        let (first, last) = lines.clone().into_inner();
        let place = match first == last {
            true => format!("line {first}"),
            false => format!("lines {first} to {last}"),
        };
        let Some(file) = &mut self.file else {
            return Err(Failure::new(format_args!(
                "{}, {place}: {reason}",
                self.options.file.display()
            )));
        };
        self.lines += count;
        Ok(writeln!(file, "{place}: {reason}: {what}")?)
    }

    fn report(&self, format: FileFormat, all: u64, skipped: u64) -> Result<(), Failure> {
        let what = match format {
            FileFormat::Jsonl => "row",
            FileFormat::Csv => "cell",
        };
        println!("{} imported", text::counted(all - self.lines, what));
        if skipped > 0 {
            eprintln!("{} had been imported before", text::counted(skipped, what));
        }
        match (self.lines, &self.options.rejected) {
            (1.., Some(path)) => Err(Failure::new(format_args!(
                "{} rejected, see {}",
                text::counted(self.lines, "line"),
                path.display()
            ))),
            _ => Ok(()),
        }
    }
}
