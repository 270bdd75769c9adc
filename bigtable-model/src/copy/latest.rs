//! Compares a target in layout `latest`, where each row holds the newest event of a series.
//!
//! A row does not keep everything that was written to it, and garbage collection may delete older
//! events at any time. So the source is read once more: each of its events must be its row's newest
//! or older. The target is read to check that it has no other rows or events.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;

use super::checkpoint::{Checkpoint, Part};
use super::parallel::side_by_side;
use super::run::Run;
use super::tally::{RowReader, Tally, of_event};
use super::verify::{ROWS_A_REPORT, Verifying, first, parts_of_target};
use super::{CopyError, DifferentPart, Mismatch};
use crate::backend::Backend;
use crate::data::RowSet;
use crate::model::{Model, ModelSchema, Projection, Schema};
use crate::query::{Part as PlanPart, Plan, Scan, Selection, found_events, plan};
use crate::send::KeyRoom;
use crate::{Error, Timestamp};

/// The newest event of a row.
#[derive(Debug, Clone, Copy)]
struct Newest {
    time: Option<Timestamp>,
    /// If several events have that time, the tally of all of them, although the row has one.
    tally: Tally,
}

/// The comparison of the events of a part of the source with the target.
#[derive(Debug, Default)]
struct Compared {
    /// The events that are the newest of their rows.
    newest: Tally,
    /// Rows with neither their event nor a newer one.
    wrong: Option<Wrong>,
}

/// Rows without the expected event.
#[derive(Debug)]
struct Wrong {
    first: Bytes,
    last: Bytes,
    wanted: Tally,
    found: Tally,
}

/// The content of the target.
#[derive(Debug, Default)]
struct Held {
    all: Tally,
    /// The first row whose key is not the model's.
    foreign: Option<Bytes>,
    /// The first row outside the keys that the parts wrote.
    outside: Option<Bytes>,
}

/// Compares the newest event of each row with those of the source.
pub(super) async fn verify<P: Projection, T: Model>(
    run: &Arc<Run<P, T>>,
    checkpoint: &Checkpoint,
) -> Result<(), CopyError> {
    let target = Arc::new(Target::new(run)?);
    let sources = checkpoint.parts.iter().cloned();
    let compares = sources.map(|part| compare(run.clone(), target.clone(), part));
    let compared = side_by_side(run.job.parallelism, compares).await?;

    let (parts, samples) = parts_of_target(run, checkpoint).await?;
    let watch = run.job.watch.clone();
    let verifying = Arc::new(Verifying::new(watch, samples, parts.clone()));
    let written = checkpoint.parts.iter();
    let written: Arc<[_]> = written
        .filter_map(|part| part.copied.keys.clone())
        .collect();
    let reads = parts.into_iter().enumerate().map(|(index, part)| {
        let (target, verifying) = (target.clone(), verifying.clone());
        hold(target, verifying, written.clone(), index, part)
    });
    let held = side_by_side(run.job.parallelism, reads).await?;
    let held = held.into_iter().fold(Held::default(), Held::and);
    match mismatch(&run.job.table, T::SCHEMA, compared, held) {
        None => Ok(()),
        Some(mismatch) => Err(Box::new(mismatch).into()),
    }
}

/// How the target differs; `None` if it does not.
fn mismatch(
    table: &str,
    schema: &ModelSchema,
    compared: Vec<Compared>,
    held: Held,
) -> Option<Mismatch> {
    let describe = |key: &Bytes| schema.key.describe(key).to_string();
    let newest: Tally = compared.iter().map(|part| part.newest).sum();
    let wrong: Vec<Wrong> = compared.into_iter().filter_map(|part| part.wrong).collect();
    if wrong.is_empty() && held.foreign.is_none() && newest == held.all {
        return None;
    }
    let mut copied = newest;
    wrong.iter().for_each(|wrong| copied.add(wrong.wanted));
    let differences = wrong.iter().map(|wrong| DifferentPart {
        first: describe(&wrong.first),
        last: describe(&wrong.last),
        copied: wrong.wanted,
        found: wrong.found,
    });
    Some(Mismatch {
        table: table.to_owned(),
        copied,
        found: held.all,
        differences: differences.collect(),
        stray: held.foreign.or(held.outside).as_ref().map(describe),
    })
}

/// Compares the events of one part of the source.
async fn compare<P: Projection, T: Model>(
    run: Arc<Run<P, T>>,
    target: Arc<Target>,
    part: Part,
) -> Result<Compared, CopyError> {
    let mut compared = Compared::default();
    let Some(plan) = run.plan_after(&part, None) else {
        return Ok(compared);
    };
    let mut wanted: BTreeMap<Bytes, Newest> = BTreeMap::new();
    let mut room = KeyRoom::default();
    let mut events = found_events(&*run.db, P::Model::SCHEMA, plan)?;
    while let Some(next) = events.advance().await {
        next?;
        let Some((row, at)) = events.current() else {
            break;
        };
        let Some((time, event)) = run.converted(row, at)? else {
            continue;
        };
        let (tally, _) = of_event(&event);
        if !wanted.contains_key(&event.key) && !room.take(&event.key) {
            let full = std::mem::take(&mut wanted);
            target.compare(full, &mut compared).await?;
            room = KeyRoom::default();
            room.take(&event.key);
        }
        note(&mut wanted, event.key, Newest { time, tally });
    }
    target.compare(wanted, &mut compared).await?;
    Ok(compared)
}

/// Records an event of a row, if it is the newest so far.
fn note(newest: &mut BTreeMap<Bytes, Newest>, row: Bytes, event: Newest) {
    let known = newest.entry(row).or_insert(Newest {
        tally: Tally::default(),
        ..event
    });
    if known.time < event.time {
        *known = event;
    } else if known.time == event.time {
        known.tally.add(event.tally);
    }
}

/// Reads a part of the target.
async fn hold(
    target: Arc<Target>,
    verifying: Arc<Verifying>,
    written: Arc<[(Bytes, Bytes)]>,
    index: usize,
    part: Part,
) -> Result<Held, CopyError> {
    let mut held = Held::default();
    let (mut unreported, mut noted) = (0, Tally::default());
    for rows in part.span.rows_after(None, &[RowSet::all()]) {
        let mut events = found_events(&*target.db, &target.schema, target.plan_of(rows))?;
        while let Some(next) = events.advance().await {
            if let Err(Error::ForeignKey { key, .. }) = next {
                held.foreign = held.foreign.or(Some(key));
                continue;
            }
            next?;
            let Some((row, at)) = events.current() else {
                break;
            };
            let key = row.key();
            let tally = target.reader.of_read(row, at);
            held.all.add(tally);
            noted.add(tally);
            if !written
                .iter()
                .any(|(first, last)| **first <= *key && *key <= **last)
            {
                held.outside = held.outside.or_else(|| Some(row.shared_key()));
            }
            unreported += 1;
            if unreported == ROWS_A_REPORT {
                let noted = std::mem::take(&mut noted);
                verifying.note(index, unreported, noted, Some(row.shared_key()));
                unreported = 0;
            }
        }
    }
    verifying.note(index, unreported, noted, None);
    Ok(held)
}

/// Reads the target.
struct Target {
    db: Arc<dyn Backend>,
    schema: Schema,
    table: String,
    reader: RowReader,
    /// The plan for all of its events.
    plan: Plan,
}

impl Target {
    fn new<P: Projection, T: Model>(run: &Run<P, T>) -> Result<Self, Error> {
        let all = Selection {
            full_scan: true,
            // Written events are looked up even if they have expired.
            with_expired: true,
            ..Selection::default()
        };
        Ok(Self {
            db: run.db.clone(),
            schema: T::SCHEMA.clone(),
            table: run.job.table.clone(),
            reader: RowReader::new(T::SCHEMA),
            plan: plan(T::SCHEMA, &all)?,
        })
    }

    fn plan_of(&self, rows: RowSet) -> Plan {
        let table = self.table.clone();
        let parts = vec![PlanPart { table, rows }];
        Plan {
            scans: vec![Scan { parts }],
            ..self.plan.clone()
        }
    }

    /// Compares rows with their expected events, unless a row's event is newer.
    async fn compare(
        &self,
        wanted: BTreeMap<Bytes, Newest>,
        compared: &mut Compared,
    ) -> Result<(), Error> {
        if wanted.is_empty() {
            return Ok(());
        }
        let found = self.newest(wanted.keys().cloned().collect()).await?;
        for (key, wanted) in wanted {
            let found = found.get(&key);
            match found {
                Some(found) if found.time > wanted.time => {}
                Some(found) if found.time == wanted.time && found.tally == wanted.tally => {
                    compared.newest.add(wanted.tally);
                }
                _ => {
                    let found = found.map(|found| found.tally).unwrap_or_default();
                    compared.wrong(key, wanted.tally, found);
                }
            }
        }
        Ok(())
    }

    /// The newest events of rows.
    async fn newest(&self, keys: Vec<Bytes>) -> Result<BTreeMap<Bytes, Newest>, Error> {
        let rows = RowSet {
            keys,
            ranges: Vec::new(),
        };
        let mut events = found_events(&*self.db, &self.schema, self.plan_of(rows))?;
        let mut newest = BTreeMap::new();
        while let Some(next) = events.advance().await {
            next?;
            let Some((row, at)) = events.current() else {
                break;
            };
            let event = Newest {
                time: row.time(at)?,
                tally: self.reader.of_read(row, at),
            };
            newest.insert(row.shared_key(), event);
        }
        Ok(newest)
    }
}

impl Compared {
    fn wrong(&mut self, key: Bytes, wanted: Tally, found: Tally) {
        let wrong = self.wrong.get_or_insert_with(|| Wrong {
            first: key.clone(),
            last: key.clone(),
            wanted: Tally::default(),
            found: Tally::default(),
        });
        wrong.wanted.add(wanted);
        wrong.found.add(found);
        if key < wrong.first {
            wrong.first = key;
        } else if key > wrong.last {
            wrong.last = key;
        }
    }
}

impl Held {
    fn and(mut self, other: Self) -> Self {
        self.all.add(other.all);
        self.foreign = first(self.foreign, other.foreign);
        self.outside = first(self.outside, other.outside);
        self
    }
}
