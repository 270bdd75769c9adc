//! A running job.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use bytes::Bytes;

use super::checkpoint::{Checkpoint, Copied, Part};
use super::job::CopyJob;
use super::parallel::lock;
use super::split::TableSamples;
use super::target::Targets;
use super::text;
use super::{CheckpointError, CopyError, Progress, Stage};
use crate::backend::Backend;
use crate::data::{RowMutations, RowSet};
use crate::model::{Model, Projection, RowEvents, insert_mutations};
use crate::query::{Part as PlanPart, Plan, Scan};
use crate::send::limits::Pace;
use crate::{Error, Timestamp};

/// A running job, shared by its tasks.
#[derive(Debug)]
pub(super) struct Run<P, T> {
    pub(super) job: CopyJob<P, T>,
    pub(super) db: Arc<dyn Backend>,
    /// The timestamp of cells with the time of their write.
    pub(super) started: Timestamp,
    pub(super) targets: Targets,
    /// The tables that are read.
    pub(super) sources: BTreeSet<String>,
    pub(super) pace: Pace,
    plan: Plan,
    samples: TableSamples,
    state: Mutex<State>,
    /// The last saved version.
    saved: tokio::sync::Mutex<u64>,
}

#[derive(Debug)]
struct State {
    checkpoint: Checkpoint,
    /// Counts the changes.
    version: u64,
}

impl<P: Projection, T: Model> Run<P, T> {
    /// A run that continues from a checkpoint.
    pub(super) fn new(
        job: CopyJob<P, T>,
        db: Arc<dyn Backend>,
        targets: Targets,
        (plan, samples): (Plan, TableSamples),
        checkpoint: Checkpoint,
    ) -> Self {
        Self {
            pace: Pace::new(job.per_second),
            job,
            db,
            started: checkpoint.started,
            targets,
            sources: plan.tables().into_iter().map(str::to_owned).collect(),
            plan,
            samples,
            state: Mutex::new(State {
                checkpoint,
                version: 1,
            }),
            saved: tokio::sync::Mutex::new(0),
        }
    }

    /// The plan of the rest of a part; `None` if nothing is left.
    pub(super) fn plan_of(&self, index: usize) -> Option<Plan> {
        let part = lock(&self.state).checkpoint.parts.get(index).cloned()?;
        self.plan_after(&part, part.done.as_ref())
    }

    /// The plan of the rows of a part after a row, or of all of them; `None` if there are none.
    pub(super) fn plan_after(&self, part: &Part, done: Option<&Bytes>) -> Option<Plan> {
        let rows = part.span.rows_after(done, &rows(&self.plan, &part.table));
        let parts = rows.into_iter().map(|rows| PlanPart {
            table: part.table.clone(),
            rows,
        });
        let parts: Vec<_> = parts.collect();
        (!parts.is_empty()).then(|| Plan {
            scans: vec![Scan { parts }],
            full_scan: false,
            ..self.plan.clone()
        })
    }

    /// The target row for an event of the source, and its time there; `None` if it is left out.
    pub(super) fn converted(
        &self,
        row: &RowEvents,
        at: usize,
    ) -> Result<Option<(Option<Timestamp>, RowMutations)>, CopyError> {
        let Some(event) = (self.job.convert)(row.read(at)?) else {
            return Ok(None);
        };
        let time = T::SCHEMA.stored_time(event.time());
        let written = insert_mutations::<T>(&event, self.started);
        let written = written.map_err(|error| match self.targets.are_by_period() {
            true => error,
            false => of_table(error, &self.job.table),
        })?;
        if written.is_idempotent() {
            return Ok(Some((time, written)));
        }
        Err(CopyError::NotRepeatable {
            table: self.targets.of_row(&written.key)?.into_owned(),
            key: T::SCHEMA.key.describe(&written.key).to_string(),
        })
    }

    /// Records rows of a part that are written, up to a row or to the part's end, and the tables by
    /// period that hold them.
    pub(super) async fn note(
        &self,
        index: usize,
        copied: Copied,
        done: Option<Bytes>,
        finished: bool,
        tables: Vec<String>,
    ) -> Result<(), CheckpointError> {
        let version = {
            let mut state = lock(&self.state);
            state.checkpoint.tables.extend(tables);
            if let Some(part) = state.checkpoint.parts.get_mut(index) {
                part.copied.add(copied);
                part.done = done.or_else(|| part.done.take());
                part.finished = finished;
            }
            state.version += 1;
            self.tell(&state.checkpoint);
            state.version
        };
        self.save(version).await
    }

    fn tell(&self, checkpoint: &Checkpoint) {
        let Some(watch) = &self.job.watch else {
            return;
        };
        watch(&progress(checkpoint, &self.samples));
    }

    pub(super) fn checkpoint(&self) -> Checkpoint {
        lock(&self.state).checkpoint.clone()
    }

    /// Saves the checkpoint, unless a save that was awaited included this version.
    pub(super) async fn save(&self, version: u64) -> Result<(), CheckpointError> {
        let Some(store) = &self.job.store else {
            return Ok(());
        };
        let mut saved = self.saved.lock().await;
        if *saved >= version {
            return Ok(());
        }
        let (version, text) = {
            let state = lock(&self.state);
            (state.version, text::write(&state.checkpoint))
        };
        let save = store.save(text.into_bytes()).await;
        save.map_err(|source| CheckpointError::Store {
            name: store.name(),
            done: "written",
            source,
        })?;
        *saved = version;
        Ok(())
    }
}

/// The rows of a table that a plan reads, in order of the key.
pub(super) fn rows(plan: &Plan, table: &str) -> Vec<RowSet> {
    let parts = plan.scans.iter().flat_map(|scan| &scan.parts);
    let parts = parts.filter(|part| part.table == table);
    parts.map(|part| part.rows.clone()).collect()
}

/// The progress of a checkpoint.
pub(super) fn progress(checkpoint: &Checkpoint, samples: &TableSamples) -> Progress {
    let copied = checkpoint.copied();
    Progress {
        stage: Stage::Copying,
        parts: checkpoint.parts.len(),
        parts_done: checkpoint.finished(),
        rows: copied.rows,
        events: copied.tally.events,
        share: samples.share(&checkpoint.parts),
    }
}

/// An event's error with the name of the target instead of its model's table.
fn of_table(mut error: Error, target: &str) -> Error {
    if let Error::Key { table, .. } | Error::Value { table, .. } = &mut error {
        target.clone_into(table);
    }
    error
}
