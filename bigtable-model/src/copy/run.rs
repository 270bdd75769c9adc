//! A running job.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use bytes::Bytes;

use super::checkpoint::{Checkpoint, Copied, JobId, Part};
use super::parallel::{PARTS_FOR_ONE, side_by_side};
use super::part::copy_part;
use super::split::TableSamples;
use super::target::Targets;
use super::text::{self, Damage};
use super::verify::verify;
use super::{
    CheckpointError, CheckpointStore, CopyError, CopyJob, CopyReport, Progress, Stage, lock,
};
use crate::backend::Backend;
use crate::data::{RowMutations, RowSet};
use crate::model::{Model, Projection, RowEvents, insert_mutations};
use crate::query::{Part as PlanPart, Plan, Scan, Selection, planned};
use crate::{Error, Timestamp};

/// A running job, which its tasks share.
#[derive(Debug)]
pub(super) struct Run<P, T> {
    pub(super) job: CopyJob<P, T>,
    pub(super) db: Arc<dyn Backend>,
    /// The timestamp of cells with the time of their write.
    pub(super) started: Timestamp,
    pub(super) targets: Targets,
    /// The tables that are read.
    pub(super) sources: BTreeSet<String>,
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

pub(super) async fn run<P: Projection, T: Model>(
    job: &CopyJob<P, T>,
    backend: &dyn Backend,
) -> Result<CopyReport, CopyError> {
    let plan = plan_of_source(job, backend).await?;
    let loaded = load(job, &plan).await?;
    let db = backend.handle();
    let targets = Targets::new(T::SCHEMA, &job.table);
    targets.begin(&*db).await?;
    let samples = samples::<P>(&*db, &plan, loaded.as_ref()).await?;
    let resumed = loaded
        .as_ref()
        .map(|checkpoint| progress(checkpoint, &samples));
    let begun = loaded.unwrap_or_else(|| begin(job, &plan, &samples));
    let run = Arc::new(Run {
        job: job.clone(),
        db,
        started: begun.started,
        targets,
        sources: plan.tables().into_iter().map(str::to_owned).collect(),
        plan: at_one_time(plan, backend, begun.started),
        samples,
        state: Mutex::new(State {
            checkpoint: begun,
            version: 1,
        }),
        saved: tokio::sync::Mutex::new(0),
    });
    run.copy().await?;
    let copied = run.checkpoint();
    if job.verify {
        verify(&run, &copied).await?;
    }
    Ok(report(job, &copied, resumed))
}

fn report<P, T>(
    job: &CopyJob<P, T>,
    checkpoint: &Checkpoint,
    resumed: Option<Progress>,
) -> CopyReport {
    let copied = checkpoint.copied();
    CopyReport {
        table: job.table.clone(),
        rows: copied.rows,
        events: copied.tally.events,
        checksum: copied.tally.checksum,
        bytes: copied.bytes,
        parts: checkpoint.parts.len(),
        resumed,
        verified: job.verify,
    }
}

/// The plan of the query, if it can be copied. Tables by period are listed if the query's range of
/// time is open at an end.
async fn plan_of_source<P: Projection, T: Model>(
    job: &CopyJob<P, T>,
    backend: &dyn Backend,
) -> Result<Plan, CopyError> {
    let selection = Selection {
        // In key order each table by period needs a scan; a job runs only a few at once.
        max_scans: usize::MAX,
        // A series that another writer begins meanwhile is copied too.
        max_seeks: 0,
        ..job.selection.clone()
    };
    // Roll-ups belong to the model's own table, not to others.
    let has_rollups = T::SCHEMA.table.fixed().is_none_or(|own| own == job.table);
    let mut rollups = T::SCHEMA.rollups.iter().filter(|one| one.is_added());
    if let Some(added) = rollups.next().filter(|_| has_rollups) {
        return Err(CopyError::Added {
            table: job.table.clone(),
            rollup: added.schema().model.to_string(),
        });
    }
    for schema in [P::Model::SCHEMA, T::SCHEMA] {
        schema.has_one_layout(
            "a copy job",
            "end `was` first, with `former::copy` and `former::finish`",
        )?;
    }
    let plan = planned(backend, P::Model::SCHEMA, &selection).await?;
    if plan.limit.is_some() {
        let table = plan.table.clone();
        return Err(CopyError::Limited { table });
    }
    match plan.table == job.table || plan.tables().contains(job.table.as_str()) {
        true => Err(CopyError::SameTable {
            table: job.table.clone(),
        }),
        false => Ok(plan),
    }
}

/// The plan with a single time for the expiry of cells, for all parts, for the comparison and for
/// later runs that resume this one: an event that was copied must also be found at the end.
fn at_one_time(mut plan: Plan, backend: &dyn Backend, started: Timestamp) -> Plan {
    if let Some(expiry) = &mut plan.expiry {
        expiry.at = Some(started.min(backend.expiry_time()));
    }
    plan
}

/// The keys at which the tables of the source can be cut, also those of an earlier run's parts.
async fn samples<P: Projection>(
    db: &dyn Backend,
    plan: &Plan,
    loaded: Option<&Checkpoint>,
) -> Result<TableSamples, Error> {
    let mut tables = plan.tables();
    let parts = loaded.iter().flat_map(|one| &one.parts);
    tables.extend(parts.map(|part| part.table.as_str()));
    let may_lack = P::Model::SCHEMA.table.by_period().is_some();
    TableSamples::of(db, tables, may_lack).await
}

fn job_id<P: Projection, T: Model>(job: &CopyJob<P, T>, plan: &Plan) -> JobId {
    JobId::new(
        (P::Model::SCHEMA, &plan.table),
        &job.selection,
        (T::SCHEMA, &job.table),
        &job.tag,
    )
}

fn begin<P: Projection, T: Model>(
    job: &CopyJob<P, T>,
    plan: &Plan,
    samples: &TableSamples,
) -> Checkpoint {
    let tables = plan.tables();
    let most = job.parallelism.saturating_mul(PARTS_FOR_ONE);
    let most = most.div_ceil(tables.len().max(1));
    let parts = tables
        .into_iter()
        .flat_map(|table| samples.cut(table, &rows(plan, table), most));
    Checkpoint {
        job: job_id(job, plan),
        started: Timestamp::now(),
        tables: BTreeSet::new(),
        parts: parts.collect(),
    }
}

/// The rows of a table that a plan reads, in order of the key.
fn rows(plan: &Plan, table: &str) -> Vec<RowSet> {
    let parts = plan.scans.iter().flat_map(|scan| &scan.parts);
    let parts = parts.filter(|part| part.table == table);
    parts.map(|part| part.rows.clone()).collect()
}

/// The checkpoint of an earlier run of this job, if there is one.
async fn load<P: Projection, T: Model>(
    job: &CopyJob<P, T>,
    plan: &Plan,
) -> Result<Option<Checkpoint>, CheckpointError> {
    let Some(store) = &job.store else {
        return Ok(None);
    };
    let loaded = store
        .load()
        .await
        .map_err(|source| CheckpointError::Store {
            name: store.name(),
            done: "read",
            source,
        })?;
    let Some(bytes) = loaded else {
        return Ok(None);
    };
    let checkpoint = text::read(&bytes).map_err(|damage| damaged(&**store, damage))?;
    match job_id(job, plan).difference(&checkpoint.job) {
        None => Ok(Some(checkpoint)),
        Some(difference) => Err(CheckpointError::OtherJob {
            name: store.name(),
            difference,
        }),
    }
}

fn damaged(store: &dyn CheckpointStore, damage: Damage) -> CheckpointError {
    let name = store.name();
    match damage {
        Damage::At(line, what) => CheckpointError::Damaged { name, line, what },
        Damage::UnknownVersion(found) => CheckpointError::UnknownVersion {
            name,
            found,
            known: text::VERSION,
        },
    }
}

impl<P: Projection, T: Model> Run<P, T> {
    /// Copies the parts that are not done.
    async fn copy(self: &Arc<Self>) -> Result<(), CopyError> {
        // Before the first write: where the table is cut, and the time of the writes, are the same
        // from now on.
        self.save(1).await?;
        let parts = self.checkpoint().parts;
        let open = parts.iter().enumerate().filter(|(_, part)| !part.finished);
        let jobs: Vec<_> = open.map(|(index, _)| index).collect();
        let jobs = jobs.into_iter().map(|index| copy_part(self.clone(), index));
        side_by_side(self.job.parallelism, jobs).await.map(drop)
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

    /// The row that an event of the source writes, and its time there; `None` if it is left out.
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

    fn checkpoint(&self) -> Checkpoint {
        lock(&self.state).checkpoint.clone()
    }

    /// Saves the checkpoint, unless a save that was awaited included this version.
    async fn save(&self, version: u64) -> Result<(), CheckpointError> {
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

fn progress(checkpoint: &Checkpoint, samples: &TableSamples) -> Progress {
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
