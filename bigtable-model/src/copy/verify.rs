//! Reads the target back and compares it with what was copied.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures::TryStreamExt as _;

use super::checkpoint::{Checkpoint, Part};
use super::job::Watch;
use super::parallel::{PARTS_FOR_ONE, lock, side_by_side};
use super::run::Run;
use super::split::TableSamples;
use super::tally::{RowReader, Tally};
use super::{CopyError, DifferentPart, Mismatch, Progress, Stage};
use crate::backend::{Backend, Method};
use crate::data::{ReadRows, RowBatch, RowFilter, RowSet};
use crate::model::{CellTime, Model, ModelSchema, Projection, RowEvents};
use crate::send::{at_table, lacks_table};
use crate::{Error, Status};

/// How many rows are read between two reports of progress.
pub(super) const ROWS_A_REPORT: u64 = 1_000;

/// What to read back, and the results so far.
struct ReadBack {
    db: Arc<dyn Backend>,
    /// The name of the target: its ID, or the template of the tables by period.
    table: String,
    /// Whether a missing table of the target counts as empty.
    may_lack: bool,
    reader: RowReader,
    filter: Option<RowFilter>,
    /// The keys that the parts wrote, if no two of them overlap.
    written: Option<Vec<Written>>,
    verifying: Verifying,
}

/// Reports the progress of reading the target.
pub(super) struct Verifying {
    watch: Option<Watch>,
    samples: TableSamples,
    /// The parts of the target.
    parts: Mutex<Vec<Part>>,
}

/// From the first to the last key that a part wrote.
#[derive(Debug, Clone)]
struct Written {
    first: Bytes,
    last: Bytes,
    copied: Tally,
}

/// The position of a key of the target.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// The keys of the parts overlap.
    Unknown,
    /// Outside all parts' keys.
    Outside,
    /// Between the first and the last key that this part wrote.
    In(usize),
}

/// The content of the target.
#[derive(Debug, Default)]
struct Found {
    all: Tally,
    /// The tallies by the index of the part.
    inside: BTreeMap<usize, Tally>,
    /// The first key that no part wrote.
    stray: Option<Bytes>,
}

/// Reads the target back.
pub(super) async fn verify<P: Projection, T: Model>(
    run: &Arc<Run<P, T>>,
    checkpoint: &Checkpoint,
) -> Result<(), CopyError> {
    let (parts, samples) = parts_of_target(run, checkpoint).await?;
    let read_back = Arc::new(ReadBack {
        db: run.db.clone(),
        table: run.job.table.clone(),
        may_lack: run.targets.are_by_period(),
        reader: RowReader::new(T::SCHEMA),
        filter: newest(T::SCHEMA),
        written: written(&checkpoint.parts),
        verifying: Verifying::new(run.job.watch.clone(), samples, parts.clone()),
    });
    let parts = parts.into_iter().enumerate();
    let reads = parts.map(|(index, part)| read_back.clone().part(index, part));
    let found = side_by_side(run.job.parallelism, reads).await?;
    let found = found.into_iter().fold(Found::default(), Found::and);
    let copied = checkpoint.copied().tally;
    match found.all == copied {
        true => Ok(()),
        false => Err(Box::new(read_back.mismatch(T::SCHEMA, copied, &found)).into()),
    }
}

/// The tables of the target, cut into parts.
pub(super) async fn parts_of_target<P: Projection, T: Model>(
    run: &Run<P, T>,
    checkpoint: &Checkpoint,
) -> Result<(Vec<Part>, TableSamples), Error> {
    let tables = run.targets.written(checkpoint);
    let may_lack = run.targets.are_by_period();
    let samples = TableSamples::of(&*run.db, tables.iter().copied(), may_lack).await?;
    let most = run.job.parallelism.saturating_mul(PARTS_FOR_ONE);
    let most = most.div_ceil(tables.len().max(1));
    let all = [RowSet::all()];
    let parts = tables
        .iter()
        .flat_map(|table| samples.cut(table, &all, most));
    Ok((parts.collect(), samples))
}

/// Cells with the time of the write may have older versions.
fn newest(schema: &ModelSchema) -> Option<RowFilter> {
    let versions = schema.has_columns_of_its_own();
    (versions && schema.cell_time == CellTime::Write).then_some(RowFilter::CellsPerColumnLimit(1))
}

/// The keys that the parts wrote, ascending; `None` if some overlap.
fn written(parts: &[Part]) -> Option<Vec<Written>> {
    let written = parts.iter().filter_map(|part| {
        let (first, last) = part.copied.keys.clone()?;
        let copied = part.copied.tally;
        Some(Written {
            first,
            last,
            copied,
        })
    });
    let mut written: Vec<_> = written.collect();
    written.sort_unstable_by(|a, b| a.first.cmp(&b.first));
    let mut neighbours = written.iter().zip(written.iter().skip(1));
    neighbours
        .all(|(one, next)| one.last < next.first)
        .then_some(written)
}

impl Verifying {
    pub(super) fn new(watch: Option<Watch>, samples: TableSamples, parts: Vec<Part>) -> Self {
        Self {
            watch,
            samples,
            parts: Mutex::new(parts),
        }
    }

    /// Records rows of a part up to a key, or to the part's end.
    pub(super) fn note(&self, index: usize, rows: u64, tally: Tally, done: Option<Bytes>) {
        let Some(watch) = &self.watch else {
            return;
        };
        let mut parts = lock(&self.parts);
        if let Some(part) = parts.get_mut(index) {
            part.copied.rows += rows;
            part.copied.tally.add(tally);
            part.finished = done.is_none();
            part.done = done;
        }
        watch(&Progress {
            stage: Stage::Verifying,
            parts: parts.len(),
            parts_done: parts.iter().filter(|part| part.finished).count(),
            rows: parts.iter().map(|part| part.copied.rows).sum(),
            events: parts.iter().map(|part| part.copied.tally.events).sum(),
            share: self.samples.share(&parts),
        });
    }
}

impl ReadBack {
    async fn part(self: Arc<Self>, index: usize, part: Part) -> Result<Found, CopyError> {
        let mut found = Found::default();
        let mut events = RowEvents::default();
        let mut unreported = 0;
        let mut noted = Tally::default();
        for rows in part.span.rows_after(None, &[RowSet::all()]) {
            let mut reading = self.db.read_rows(ReadRows {
                table: part.table.clone(),
                rows,
                filter: self.filter.clone(),
                ..ReadRows::default()
            });
            while let Some(rows) = self.rows(&part.table, reading.try_next().await)? {
                self.reader.tallies(rows, &mut events, |row, tally| {
                    found.add(self.place(row.key()), row, tally);
                    noted.add(tally);
                    unreported += 1;
                    if unreported == ROWS_A_REPORT {
                        let (noted, key) = (std::mem::take(&mut noted), row.shared_key());
                        self.verifying.note(index, unreported, noted, Some(key));
                        unreported = 0;
                    }
                });
            }
        }
        self.verifying.note(index, unreported, noted, None);
        Ok(found)
    }

    /// The next rows; `None` at the end, and for a missing table by period.
    fn rows(
        &self,
        table: &str,
        next: Result<Option<RowBatch>, Status>,
    ) -> Result<Option<RowBatch>, Error> {
        match next {
            Err(status) if self.may_lack && lacks_table(&status) => Ok(None),
            next => next.map_err(|source| at_table(table, Method::ReadRows, source)),
        }
    }

    fn place(&self, key: &[u8]) -> Place {
        let Some(written) = &self.written else {
            return Place::Unknown;
        };
        let begun = written.partition_point(|part| *part.first <= *key);
        let place = begun.checked_sub(1);
        let holds = |part: &Written| *key <= *part.last;
        let place = place.filter(|place| written.get(*place).is_some_and(holds));
        place.map_or(Place::Outside, Place::In)
    }

    fn mismatch(&self, schema: &ModelSchema, copied: Tally, found: &Found) -> Mismatch {
        let describe = |key: &Bytes| schema.key.describe(key).to_string();
        let written = self.written.iter().flatten().enumerate();
        let differences = written.filter_map(|(place, part)| {
            let there = found.inside.get(&place).copied().unwrap_or_default();
            (there != part.copied).then(|| DifferentPart {
                first: describe(&part.first),
                last: describe(&part.last),
                copied: part.copied,
                found: there,
            })
        });
        Mismatch {
            table: self.table.clone(),
            copied,
            found: found.all,
            differences: differences.collect(),
            stray: found.stray.as_ref().map(describe),
        }
    }
}

impl Found {
    fn add(&mut self, place: Place, row: &RowEvents, tally: Tally) {
        self.all.add(tally);
        match place {
            Place::In(place) => self.inside.entry(place).or_default().add(tally),
            Place::Outside if self.stray.is_none() => self.stray = Some(row.shared_key()),
            Place::Outside | Place::Unknown => {}
        }
    }

    fn and(mut self, other: Self) -> Self {
        self.all.add(other.all);
        for (place, tally) in other.inside {
            self.inside.entry(place).or_default().add(tally);
        }
        self.stray = first(self.stray, other.stray);
        self
    }
}

/// The smaller of two keys, or the only one.
pub(super) fn first(one: Option<Bytes>, other: Option<Bytes>) -> Option<Bytes> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
