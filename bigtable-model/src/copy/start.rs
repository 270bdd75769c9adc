//! Starts a job, or continues an earlier run of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::checkpoint::{Checkpoint, JobId};
use super::job::CopyJob;
use super::parallel::{PARTS_FOR_ONE, side_by_side};
use super::part::copy_part;
use super::run::{Run, progress, rows};
use super::split::TableSamples;
use super::target::Targets;
use super::text::{self, Damage};
use super::{CheckpointError, CheckpointStore, CopyError, CopyReport, Progress, latest, verify};
use crate::backend::Backend;
use crate::model::{Model, Projection};
use crate::query::{Plan, Selection, planned};
use crate::{Error, Timestamp};

impl<P: Projection, T: Model> CopyJob<P, T> {
    /// Creates the target, copies what has not been copied yet, and compares. It needs a Tokio
    /// runtime.
    ///
    /// The future may be dropped at any time: its tasks end, and the next run continues from the
    /// checkpoint.
    ///
    /// # Errors
    /// [`CopyError`]. An event that cannot be read or written ends the job with an error that names
    /// it; the checkpoint keeps the progress until then.
    pub async fn run(&self, backend: &dyn Backend) -> Result<CopyReport, CopyError> {
        let plan = plan_of_source(self, backend).await?;
        let loaded = load(self, &plan).await?;
        let db = backend.handle();
        let targets = Targets::new(T::SCHEMA, &self.table);
        targets.begin(&*db).await?;
        let samples = samples::<P>(&*db, &plan, loaded.as_ref()).await?;
        let resumed = loaded
            .as_ref()
            .map(|checkpoint| progress(checkpoint, &samples));
        let begun = loaded.unwrap_or_else(|| begin(self, &plan, &samples));
        let plan = at_one_time(plan, backend, begun.started);
        let run = Arc::new(Run::new(self.clone(), db, targets, (plan, samples), begun));
        run.copy().await?;
        let copied = run.checkpoint();
        if self.verify {
            match T::SCHEMA.holds_the_newest() {
                true => latest::verify(&run, &copied).await?,
                false => verify::verify(&run, &copied).await?,
            }
        }
        Ok(report(self, &copied, resumed))
    }
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

/// The plan with a single time for the expiry of cells, for all parts, the comparison and later
/// runs that resume this one: a copied event must also be found at the end.
fn at_one_time(mut plan: Plan, backend: &dyn Backend, started: Timestamp) -> Plan {
    if let Some(expiry) = &mut plan.expiry {
        expiry.at = Some(started.min(backend.expiry_time()));
    }
    plan
}

/// The keys at which the tables of the source can be cut, including those of an earlier run's
/// parts.
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
        // Saved before the first write, since the cuts of the table and the time of the writes must
        // not change from now on.
        self.save(1).await?;
        let parts = self.checkpoint().parts;
        let open = parts.iter().enumerate().filter(|(_, part)| !part.finished);
        let jobs: Vec<_> = open.map(|(index, _)| index).collect();
        let jobs = jobs.into_iter().map(|index| copy_part(self.clone(), index));
        side_by_side(self.job.parallelism, jobs).await.map(drop)
    }
}
