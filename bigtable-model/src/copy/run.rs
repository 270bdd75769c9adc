//! A job while it runs.

use std::sync::{Arc, Mutex};

use bytes::Bytes;

use super::checkpoint::{Checkpoint, Copied, JobId, Part};
use super::copy::copy_part;
use super::parallel::{PARTS_FOR_ONE, side_by_side};
use super::split::Samples;
use super::text::{self, Damage};
use super::verify::verify;
use super::{
    CheckpointError, CheckpointStore, CopyError, CopyJob, CopyReport, Progress, Resumed, Stage,
    lock,
};
use crate::Timestamp;
use crate::backend::Backend;
use crate::data::RowSet;
use crate::model::{Model, Projection};
use crate::query::{Part as PlanPart, Plan, Scan, plan};
use crate::schema::WantedTable;

/// A job while it runs; its tasks share it.
#[derive(Debug)]
pub(super) struct Run<P, T> {
    pub(super) job: CopyJob<P, T>,
    pub(super) db: Arc<dyn Backend>,
    /// The time of cells that have that of their write.
    pub(super) started: Timestamp,
    plan: Plan,
    samples: Samples,
    state: Mutex<State>,
    /// The version that was saved last.
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
    let plan = planned(job)?;
    let loaded = load(job, &plan).await?;
    let db = backend.handle();
    let target = WantedTable::of(T::SCHEMA).named(job.table.as_str());
    target.ensure(&*db).await?;
    let samples = Samples::of(&*db, &plan.table).await?;
    let resumed = loaded.as_ref().map(|checkpoint| {
        let copied = checkpoint.copied();
        Resumed {
            rows: copied.rows,
            events: copied.tally.events,
            parts: checkpoint.finished(),
        }
    });
    let begun = loaded.unwrap_or_else(|| begin(job, &plan, &samples));
    let run = Arc::new(Run {
        job: job.clone(),
        db,
        started: begun.started,
        plan,
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
        verify::<T, P>(&run.db, job, &copied).await?;
    }
    Ok(report(job, &copied, resumed))
}

fn report<P, T>(
    job: &CopyJob<P, T>,
    checkpoint: &Checkpoint,
    resumed: Option<Resumed>,
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

/// The plan of the query, if it is one that can be copied.
fn planned<P: Projection, T: Model>(job: &CopyJob<P, T>) -> Result<Plan, CopyError> {
    let tables = [
        (&P::Model::SCHEMA.table, true),
        (&T::SCHEMA.table, job.table == T::SCHEMA.table.to_string()),
    ];
    for (name, is_used) in tables {
        if is_used && name.by_period().is_some() {
            let table = name.to_string();
            return Err(CopyError::ByPeriod { table });
        }
    }
    let plan = plan(P::Model::SCHEMA, &job.selection)?;
    let table = plan.table.clone();
    if plan.limit.is_some() {
        return Err(CopyError::Limited { table });
    }
    match table == job.table {
        true => Err(CopyError::SameTable { table }),
        false => Ok(plan),
    }
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
    samples: &Samples,
) -> Checkpoint {
    let spans = samples.cut(&rows(plan), job.parallelism.saturating_mul(PARTS_FOR_ONE));
    Checkpoint {
        job: job_id(job, plan),
        started: Timestamp::now(),
        parts: spans.into_iter().map(Part::new).collect(),
    }
}

/// The rows of a plan in order of the key, which is one scan of one table.
fn rows(plan: &Plan) -> Vec<RowSet> {
    let parts = plan.scans.first().map(|scan| &scan.parts).into_iter();
    parts.flatten().map(|part| part.rows.clone()).collect()
}

/// The checkpoint of an earlier run, if there is one and it is this job's.
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
        // Before the first write: where the table is cut, and the time of the writes, are the same from now on.
        self.save(1).await?;
        let parts = self.checkpoint().parts;
        let open = parts.iter().enumerate().filter(|(_, part)| !part.finished);
        let jobs: Vec<_> = open.map(|(index, _)| index).collect();
        let jobs = jobs.into_iter().map(|index| copy_part(self.clone(), index));
        side_by_side(self.job.parallelism, jobs).await.map(drop)
    }

    /// The plan of what is left of a part; none when nothing is.
    pub(super) fn plan_of(&self, index: usize) -> Option<Plan> {
        let rows = {
            let state = lock(&self.state);
            let part = state.checkpoint.parts.get(index)?;
            part.span.rows_behind(part.done.as_ref(), &rows(&self.plan))
        };
        let parts = rows.into_iter().map(|rows| PlanPart {
            table: self.plan.table.clone(),
            rows,
        });
        let parts: Vec<_> = parts.collect();
        (!parts.is_empty()).then(|| Plan {
            scans: vec![Scan { parts }],
            full_scan: false,
            ..self.plan.clone()
        })
    }

    /// Notes rows of a part that are written, up to one, or to the part's end.
    pub(super) async fn note(
        &self,
        index: usize,
        copied: Copied,
        done: Option<Bytes>,
        finished: bool,
    ) -> Result<(), CheckpointError> {
        let version = {
            let mut state = lock(&self.state);
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
        let copied = checkpoint.copied();
        watch(&Progress {
            stage: Stage::Copying,
            parts: checkpoint.parts.len(),
            parts_done: checkpoint.finished(),
            rows: copied.rows,
            events: copied.tally.events,
            share: self.samples.share(&checkpoint.parts),
        });
    }

    fn checkpoint(&self) -> Checkpoint {
        lock(&self.state).checkpoint.clone()
    }

    /// Saves the checkpoint, unless a save that was waited for had this version in it.
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
