//! Forgetting: deletes all rows under some keys from every table to which their models write.

use std::collections::BTreeSet;
use std::fmt;

use bytes::Bytes;
use futures::TryStreamExt as _;
use futures::future::BoxFuture;

use super::ask::state::QueryState;
use super::ask::typed::AsQuery;
use super::delete::delete_with_copies;
use super::marked::mark_rows;
use super::plan::planner::plan_known;
use super::plan::united::{of_source, refused};
use super::run::check::KeyCheck;
use super::run::keys_first::one_cell;
use super::run::start::live_tables;
use super::{Order, Part, Plan, SegmentSelection, Selection};
use crate::Error;
use crate::backend::{Backend, Method};
use crate::data::{Mutation, ReadRows, RowMutations};
use crate::error::QueryError;
use crate::model::{Mirror, Model, ModelSchema, RolledUp, Schema};
use crate::send::limits::{ROWS_PER_REQUEST, list};
use crate::send::{DeleteOutcome, at_row, at_table, lacks_table, write_ready};

/// What `db.forget(..)` takes: a query for the rows to forget, or a tuple of up to twelve such
/// queries.
pub trait Forgotten {
    /// Adds the rows to forget of each model.
    #[doc(hidden)]
    fn add_to(&self, all: &mut Vec<ForgottenModel>);
}

/// The rows to forget of one model.
#[doc(hidden)]
#[derive(Debug)]
pub struct ForgottenModel {
    schema: &'static Schema,
    mirrors: Vec<&'static Schema>,
    selection: Selection,
    delete: Delete,
}

/// Deletes events with their copies.
type Delete = for<'a> fn(&'a dyn Backend, Selection) -> BoxFuture<'a, DeleteOutcome>;

impl<Q: AsQuery> Forgotten for Q
where
    Q::State: QueryState<Q::Model>,
{
    fn add_to(&self, all: &mut Vec<ForgottenModel>) {
        let mirrors = Q::Model::MIRRORS.iter().map(Mirror::schema);
        all.push(ForgottenModel {
            schema: Q::Model::SCHEMA,
            mirrors: mirrors.collect(),
            selection: Selection {
                columns: None,
                with_expired: true,
                max_seeks: 0,
                ..self.as_query().selection()
            },
            delete: |backend, selection| {
                Box::pin(delete_with_copies::<Q::Model>(backend, selection, false))
            },
        });
    }
}

macro_rules! tuples {
    ($($first:ident $($other:ident)*),*) => {$(
        impl<$first: Forgotten, $($other: Forgotten),*> Forgotten for ($first, $($other,)*) {
            #[allow(non_snake_case, reason = "the types name the values")]
            fn add_to(&self, all: &mut Vec<ForgottenModel>) {
                let ($first, $($other,)*) = self;
                $first.add_to(all);
                $($other.add_to(all);)*
            }
        }
    )*};
}

tuples!(A, A B, A B C, A B C D, A B C D E, A B C D E F, A B C D E F G, A B C D E F G H);
tuples!(A B C D E F G H I, A B C D E F G H I J, A B C D E F G H I J K, A B C D E F G H I J K L);

/// What [`forget`](crate::BackendExt::forget) did, and what it cannot reach. Its `Display` has a
/// line for each table, each error and each limit of its reach.
#[derive(Debug, Default)]
#[must_use = "it tells what is still there"]
pub struct ForgetReport {
    /// The tables, in the order in which rows were deleted.
    pub tables: Vec<ForgottenTable>,
    /// How many events of models with mirrors were deleted one by one, to find their copies. Rows
    /// that become empty by this are not counted again.
    pub events: u64,
    /// How many deletes of their copies were sent to tables of mirrors; a repeated call sends them
    /// again.
    pub copies: u64,
    /// How many events, rows and reads failed.
    pub failed: u64,
    /// The first 100 errors.
    pub errors: Vec<Error>,
    /// What was not read, in words.
    pub beyond: Vec<String>,
}

/// What was done in one table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForgottenTable {
    /// The table's ID.
    pub table: String,
    /// How many rows were deleted.
    pub deleted: u64,
    /// How many rows were still there when the table was read again.
    pub left: u64,
}

impl ForgetReport {
    /// Whether nothing failed, and no row was left when all tables were read again. It does not
    /// cover what is [`beyond`](Self::beyond) its reach.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.failed == 0 && self.tables.iter().all(|table| table.left == 0)
    }

    fn failed(&mut self, errors: impl IntoIterator<Item = Error>) {
        for error in errors {
            self.failed += 1;
            list(&mut self.errors, [error]);
        }
    }

    /// Counts rows of a table.
    fn count(&mut self, table: &str, deleted: u64, left: u64) {
        match self.tables.iter_mut().find(|known| known.table == table) {
            Some(known) => {
                known.deleted += deleted;
                known.left += left;
            }
            None => self.tables.push(ForgottenTable {
                table: table.to_owned(),
                deleted,
                left,
            }),
        }
    }
}

impl fmt::Display for ForgetReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ForgottenTable {
            table,
            deleted,
            left,
        } in &self.tables
        {
            writeln!(f, "table {table}: {deleted} rows deleted, {left} left")?;
        }
        let (events, copies) = (self.events, self.copies);
        writeln!(
            f,
            "{events} events deleted with {copies} copies, {} failed",
            self.failed
        )?;
        self.errors
            .iter()
            .try_for_each(|one| writeln!(f, "failed: {one}"))?;
        self.beyond
            .iter()
            .try_for_each(|one| writeln!(f, "not looked at: {one}"))
    }
}

/// Forgets the rows asked for: first the copies of all models, since deletes of copies may mark
/// roll-ups of a mirror, then the rows.
pub(crate) async fn forget(
    backend: &dyn Backend,
    asked: Vec<ForgottenModel>,
) -> Result<ForgetReport, Error> {
    let mut targets = Vec::with_capacity(asked.len());
    for one in &asked {
        one.check()?;
        targets.push(one.targets(backend).await?);
    }
    let mut report = ForgetReport::default();
    let mut ready = Vec::new();
    for (one, targets) in asked.iter().zip(&targets) {
        // Copies are found from their events, which therefore stay while a copy may exist.
        if one.delete_copies(backend, &mut report).await {
            ready.extend(targets);
        }
    }
    for target in ready {
        target.pass(backend, true, &mut report).await;
    }
    for one in &asked {
        // There may be new tables since.
        match one.targets(backend).await {
            Ok(targets) => {
                for target in targets {
                    target.pass(backend, false, &mut report).await;
                }
            }
            Err(error) => report.failed([error]),
        }
    }
    report.beyond = beyond(&asked);
    Ok(report)
}

/// What no call can reach, or what was not asked for.
fn beyond(asked: &[ForgottenModel]) -> Vec<String> {
    let named: BTreeSet<String> = asked
        .iter()
        .map(|one| one.schema.table.to_string())
        .collect();
    let mirrors = || asked.iter().flat_map(|one| &one.mirrors);
    let in_blocks = mirrors().filter(|one| one.is_packed()).map(|one| {
        format!(
            "table {}: what its blocks hold of copies that were deleted before this call, which the next `PackJob` removes",
            one.table
        )
    });
    let mirrors = mirrors().filter(|one| !named.contains(&one.table.to_string()));
    let of_mirrors = mirrors.map(|one| {
        let roll_ups = match one.rollups.is_empty() {
            true => "",
            false => " and its roll-ups",
        };
        format!(
            "table {}{roll_ups}: nothing but the copies of these events; a query of {} in the same call looks for the rest",
            one.table, one.model
        )
    });
    let always = [
        "tables of models that were not named",
        "backups, exports and other copies of the tables",
        "keys at which tablets are split, which samples of row keys show",
        "materialised views and change streams",
        "what programs hold: batches, caches, writes under way",
    ];
    let shared = asked.iter().flat_map(|one| one.shared());
    let of_rollups = shared.flat_map(|rolled| {
        let instead = match rolled.is_added() {
            true => "`recount` computes them again",
            false => "they are marked, and the next `RollupJob` computes those again whose events are all stored",
        };
        let tables = rolled.levels().iter().map(|level| rolled.table(level));
        tables.map(move |table| {
            format!("table {table}: its buckets hold events of others too; {instead}")
        })
    });
    let always = always.map(str::to_owned);
    of_mirrors
        .chain(in_blocks)
        .chain(of_rollups)
        .chain(always)
        .collect()
}

impl ForgottenModel {
    /// Refuses a query that asks for only some rows of its keys, or for all keys.
    fn check(&self) -> Result<(), Error> {
        let Selection {
            limit,
            condition,
            segments,
            ..
        } = &self.selection;
        let set = self.schema.key.valued().zip(segments);
        let mut set = set.filter(|(_, asked)| **asked != SegmentSelection::ALL);
        let in_row = self.schema.key.of_rows().segments.len();
        let timed = set.find(|((at, segment), _)| segment.role.is_time() || *at >= in_row);
        let part = match (limit, condition, timed) {
            (Some(_), ..) => "the limit".to_owned(),
            (_, Some(_), _) => "the condition".to_owned(),
            (.., Some(((_, segment), _))) => format!("`{}`", segment.name),
            (None, None, None) if segments.iter().all(|one| *one == SegmentSelection::ALL) => {
                return Err(refused(self.schema, QueryError::ForgetsAll));
            }
            (None, None, None) => return Ok(()),
        };
        Err(refused(self.schema, QueryError::ForgetsPart { part }))
    }

    /// The rows of the model: first those of its other sources, whose events would otherwise
    /// reappear, and last those of its roll-ups, which deletes mark.
    async fn targets(&self, backend: &dyn Backend) -> Result<Vec<Target>, Error> {
        let asked = Selection {
            keys_only: true,
            order: Order::Any,
            descending: false,
            ..self.selection.clone()
        };
        let live = live_tables(backend, self.schema, &asked).await?;
        let mut plan = plan_known(self.schema, &asked, live.as_deref())?;
        let sources = std::mem::take(&mut plan.sources);
        let mut own = Target::new(self.schema, plan, true);
        own.marks = !self.shared().all(RolledUp::is_added);
        if own.full_scan && own.segments.is_empty() {
            return Err(refused(self.schema, QueryError::ForgetsAll));
        }
        let sources = self.schema.sources().zip(sources);
        let sources =
            sources.map(|(source, found)| Target::new(source.schema(), found.plan, false));
        let mut targets: Vec<_> = sources.collect();
        targets.push(own);
        targets.append(&mut rolled_up(self.schema, &asked)?);
        Ok(targets)
    }

    /// The roll-ups whose buckets also hold other series, since they leave out a selected
    /// identifier.
    fn shared(&self) -> impl Iterator<Item = &RolledUp> {
        let rollups = self.schema.rollups.iter();
        rollups.filter(|rolled| self.selection.is_beyond(self.schema, &rolled.schema().key))
    }

    /// Deletes the events with their copies, if the model has mirrors. Returns whether every copy
    /// that can be found from an event is deleted: a row that is no event of the model has none.
    async fn delete_copies(&self, backend: &dyn Backend, report: &mut ForgetReport) -> bool {
        if self.mirrors.is_empty() {
            return true;
        }
        let outcome = (self.delete)(backend, self.selection.clone()).await;
        report.events += outcome.deleted();
        report.copies += outcome.copies();
        let errors = outcome.into_errors();
        let errors: Vec<_> = errors
            .filter(|one| !matches!(one, Error::ForeignKey { .. }))
            .collect();
        let found = errors.is_empty();
        report.failed(errors);
        found
    }
}

/// The rows of a model's roll-ups, at all levels, except roll-ups that also hold other series.
fn rolled_up(schema: &ModelSchema, asked: &Selection) -> Result<Vec<Target>, Error> {
    let mut targets = Vec::new();
    let rollups = schema.rollups.iter();
    for rolled in rollups.filter(|rolled| !asked.is_beyond(schema, &rolled.schema().key)) {
        let asked = of_source(schema, rolled.schema(), asked);
        let plan = plan_known(rolled.schema(), &asked, None)?;
        for level in rolled.levels() {
            let mut target = Target::new(rolled.schema(), plan.clone(), false);
            for part in &mut target.parts {
                part.table = rolled.table(level).to_owned();
            }
            targets.push(target);
        }
    }
    Ok(targets)
}

/// Rows to delete, with all of their cells.
struct Target {
    schema: Schema,
    parts: Vec<Part>,
    /// The selections with which keys are compared.
    segments: Vec<SegmentSelection>,
    full_scan: bool,
    /// Whether a missing table is an error.
    needed: bool,
    /// Whether to mark buckets first, since other series share them.
    marks: bool,
}

impl Target {
    fn new(schema: &Schema, plan: Plan, is_own: bool) -> Self {
        Self {
            schema: schema.clone(),
            parts: plan.scans.into_iter().flat_map(|scan| scan.parts).collect(),
            segments: plan.segments,
            full_scan: plan.full_scan,
            needed: is_own && schema.table.by_period().is_none(),
            marks: false,
        }
    }

    /// Deletes the rows, or counts those that are left.
    async fn pass(&self, backend: &dyn Backend, delete: bool, report: &mut ForgetReport) {
        let check = match KeyCheck::new(&self.schema, &self.segments) {
            Ok(check) => check,
            Err(error) => return report.failed([error]),
        };
        for part in &self.parts {
            if let Err(error) = self
                .part(backend, part, check.as_ref(), delete, report)
                .await
            {
                report.failed([error]);
            }
        }
    }

    async fn part(
        &self,
        backend: &dyn Backend,
        part: &Part,
        check: Option<&KeyCheck>,
        delete: bool,
        report: &mut ForgetReport,
    ) -> Result<(), Error> {
        report.count(&part.table, 0, 0);
        let mut batches = backend.read_rows(ReadRows {
            table: part.table.clone(),
            rows: part.rows.clone(),
            filter: one_cell(None),
            ..ReadRows::default()
        });
        let mut held = Vec::new();
        loop {
            let batch = match batches.try_next().await {
                Ok(batch) => batch,
                // A missing table has nothing to forget.
                Err(status) if !self.needed && lacks_table(&status) => return Ok(()),
                Err(status) => return Err(at_table(&part.table, Method::ReadRows, status)),
            };
            let is_last = batch.is_none();
            for row in batch.iter().flat_map(|batch| batch.rows()) {
                let key = row.shared_key();
                match self.schema.key.decode_row(&key) {
                    Ok(_) if check.is_some_and(|check| !check.lets_through(&key)) => {}
                    Ok(_) => held.push(key),
                    // In a scan of the whole table, a foreign key cannot be attributed to anyone.
                    Err(_) if self.full_scan || delete => {}
                    Err(source) => {
                        report.count(&part.table, 0, 1);
                        let table = part.table.clone();
                        report.failed([Error::ForeignKey { table, key, source }]);
                    }
                }
            }
            if held.len() >= ROWS_PER_REQUEST || is_last {
                let keys = std::mem::take(&mut held);
                match delete {
                    true => self.delete(backend, &part.table, keys, report).await,
                    false => report.count(&part.table, 0, len(&keys)),
                }
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// Deletes rows. Buckets that are deleted too are not marked, since their marks would leave
    /// rows.
    async fn delete(
        &self,
        backend: &dyn Backend,
        table: &str,
        keys: Vec<Bytes>,
        report: &mut ForgetReport,
    ) {
        // The marks come just before the deletes: a job may compute a bucket as soon as its mark is
        // old enough.
        if self.marks
            && let Err(error) = mark_rows(backend, &self.schema, table, &keys).await
        {
            return report.failed([error]);
        }
        let rows = keys.iter().map(|key| {
            let row = RowMutations {
                key: key.clone(),
                mutations: vec![Mutation::DeleteFromRow],
            };
            (table, row)
        });
        let outcomes = write_ready(backend, rows).await;
        let failed = keys.iter().zip(outcomes).filter_map(|(key, outcome)| {
            let source = outcome.err()?;
            Some(at_row(
                &self.schema,
                table,
                Method::MutateRows,
                (key, None),
                source,
            ))
        });
        let failed: Vec<_> = failed.collect();
        report.count(table, len(&keys) - len(&failed), 0);
        report.failed(failed);
    }
}

fn len<T>(of: &[T]) -> u64 {
    u64::try_from(of.len()).unwrap_or(u64::MAX)
}
