//! Rows into files, out of them, and from table to table.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bigtable_model::backend::batcher::{Batcher, BatcherSettings, Outcome};
use bigtable_model::data::{Mutation, ReadRows, RowMutations, RowRange, RowRef, RowSet};
use bigtable_model::{Backend, Status};
use futures::TryStreamExt as _;
use indicatif::{ProgressBar, ProgressStyle};

use super::insert::{format_of, open};
use super::rows::{RowWriter, read_csv, read_json};
use crate::args::{Copy, Export, FileFormat, Import};
use crate::failure::{Doing as _, Failure};
use crate::output::writer;
use crate::text;

/// How many writes may wait for their answers.
const OUTSTANDING: usize = 20_000;

/// After how many lines the checkpoint is written.
const SAVED_EACH: u64 = 10_000;

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
        // A table that there is not leaves no file.
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
            writes.add(bar.position(), copied(row)).await?;
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

fn refuse(_: u64, row: String, error: Status) -> Result<(), Failure> {
    Err(error).doing(|| format!("row {row}"))
}

/// Writes that wait for their answers, in their order.
struct Writes {
    batcher: Batcher,
    waiting: VecDeque<(u64, String, Outcome)>,
}

impl Writes {
    fn new(db: &Arc<dyn Backend>, table: &str) -> Result<Self, Failure> {
        let settings = BatcherSettings::default();
        Ok(Self {
            batcher: Batcher::new(Arc::clone(db), table, settings)?,
            waiting: VecDeque::new(),
        })
    }

    /// Sends a row; `number` comes back with its answer.
    async fn add(&mut self, number: u64, row: RowMutations) -> Result<(), Failure> {
        let key = text::of_bytes(&row.key);
        let outcome = self.batcher.add(row).await;
        let outcome = outcome.doing(|| format!("row {key}"))?;
        self.waiting.push_back((number, key, outcome));
        Ok(())
    }

    /// Waits until at most so many writes are unanswered. `failed` decides on those that were
    /// refused. It returns the number of the last one that was answered.
    async fn settle(
        &mut self,
        most: usize,
        failed: &mut impl FnMut(u64, String, Status) -> Result<(), Failure>,
    ) -> Result<Option<u64>, Failure> {
        let mut last = None;
        if most == 0 {
            self.batcher.flush().await;
        }
        while self.waiting.len() > most
            && let Some((number, key, outcome)) = self.waiting.pop_front()
        {
            if let Err(error) = outcome.await {
                failed(number, key, error)?;
            }
            last = Some(number);
        }
        Ok(last)
    }
}

pub(super) async fn import(db: &Arc<dyn Backend>, options: &Import) -> Result<(), Failure> {
    let format = format_of(&options.file, options.format)?;
    // A missing table is one error and not one for each line.
    db.tables().get(&options.table).await?;
    let done = Checkpoint::load(options.checkpoint.as_deref())?;
    let mut lines = Lines::open(&options.file, format)?;
    let mut rejects = Rejects::open(options)?;
    let bar = progress("lines");
    let mut writes = Writes::new(db, &options.table)?;
    let (mut skipped, mut unsaved) = (0, 0);
    while let Some((number, line)) = lines.read()? {
        if number <= done.lines {
            skipped += 1;
            continue;
        }
        match lines.row(&line) {
            Ok(row) => writes.add(number, row).await?,
            Err(failure) => rejects.reject(number, &line, failure)?,
        }
        bar.inc(1);
        unsaved += 1;
        let mut failed = |number, row: String, error| rejects.refused(number, &row, error);
        if unsaved >= SAVED_EACH {
            unsaved = 0;
            writes.settle(0, &mut failed).await?;
            done.save(number)?;
        } else {
            writes.settle(OUTSTANDING, &mut failed).await?;
        }
    }
    writes
        .settle(0, &mut |number, row: String, error| {
            rejects.refused(number, &row, error)
        })
        .await?;
    done.finish()?;
    bar.finish_and_clear();
    rejects.report(&lines, bar.position(), skipped)
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

    /// Nothing is left to go on with.
    fn finish(&self) -> Result<(), Failure> {
        match self.path.filter(|path| path.exists()) {
            Some(path) => std::fs::remove_file(path).doing(|| path.display().to_string()),
            None => Ok(()),
        }
    }
}

/// The lines of a file that are rows or cells, with their numbers.
struct Lines {
    path: PathBuf,
    form: Form,
}

enum Form {
    Jsonl(std::io::Lines<BufReader<Box<dyn Read>>>, u64),
    Csv(Box<csv::Reader<Box<dyn Read>>>, csv::StringRecord),
}

/// A line that was read.
enum Line {
    Json(String),
    Csv(csv::StringRecord),
}

impl Lines {
    fn open(path: &Path, format: FileFormat) -> Result<Self, Failure> {
        let input = open(path)?;
        let form = match format {
            FileFormat::Jsonl => Form::Jsonl(BufReader::new(input).lines(), 0),
            FileFormat::Csv => {
                let mut csv = csv::ReaderBuilder::new().flexible(true).from_reader(input);
                let header = csv.headers().doing(|| path.display().to_string())?.clone();
                let wanted = ["key", "family", "qualifier", "micros", "value"];
                if header.iter().ne(wanted) {
                    return Err(Failure::new(format_args!(
                        "{}: the first line is not {}",
                        path.display(),
                        wanted.join(",")
                    )));
                }
                Form::Csv(Box::new(csv), header)
            }
        };
        Ok(Self {
            path: path.to_owned(),
            form,
        })
    }

    /// The next line that is not empty.
    fn read(&mut self) -> Result<Option<(u64, Line)>, Failure> {
        let read = || self.path.display().to_string();
        match &mut self.form {
            Form::Jsonl(lines, number) => {
                for line in lines {
                    *number += 1;
                    let line = line.doing(read)?;
                    if !line.trim().is_empty() {
                        return Ok(Some((*number, Line::Json(line))));
                    }
                }
                Ok(None)
            }
            Form::Csv(csv, _) => {
                let mut record = csv::StringRecord::new();
                let found = csv.read_record(&mut record).doing(read)?;
                let line = record.position().map_or(0, csv::Position::line);
                Ok(found.then_some((line, Line::Csv(record))))
            }
        }
    }

    fn row(&self, line: &Line) -> Result<RowMutations, Failure> {
        let row = match (line, &self.form) {
            (Line::Csv(record), Form::Csv(_, header)) => read_csv(record, header)?,
            (Line::Json(line), _) => read_json(line)?,
            (Line::Csv(_), Form::Jsonl(..)) => RowMutations::default(),
        };
        match row.key.is_empty() || row.mutations.is_empty() {
            true => Err(Failure::new("a row has a key and at least one cell")),
            false => Ok(row),
        }
    }
}

/// Lines that are no rows, or that were refused.
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

    fn reject(&mut self, number: u64, line: &Line, failure: Failure) -> Result<(), Failure> {
        let line = match line {
            Line::Json(line) => line.clone(),
            Line::Csv(record) => record.iter().collect::<Vec<_>>().join(","),
        };
        self.keep(number, &line, failure)
    }

    fn refused(&mut self, number: u64, row: &str, error: Status) -> Result<(), Failure> {
        self.keep(number, &format!("row {row}"), error.into())
    }

    fn keep(&mut self, number: u64, what: &str, failure: Failure) -> Result<(), Failure> {
        let Failure::Said(reason) = failure else {
            return Err(failure);
        };
        let Some(file) = &mut self.file else {
            return Err(Failure::new(format_args!(
                "{}, line {number}: {reason}",
                self.options.file.display()
            )));
        };
        self.lines += 1;
        Ok(writeln!(file, "line {number}: {reason}: {what}")?)
    }

    fn report(&self, lines: &Lines, all: u64, skipped: u64) -> Result<(), Failure> {
        let what = match lines.form {
            Form::Jsonl(..) => "row",
            Form::Csv(..) => "cell",
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
