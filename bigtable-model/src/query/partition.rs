//! Queries cut into partitions, for parallel reads: in one process, or by engines that distribute
//! work.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use futures::TryStreamExt as _;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::ask::state::{ByKey, QueryState};
use super::run::execute::events;
use super::run::results::EventStream;
use super::run::start::planned;
use super::split::{KeySpan, Samples, TableSamples, lots};
use super::verbs::{Fetched, Streamed};
use super::{BadRows, Order, Part, Plan, Query, Scan, Selection};
use crate::Error;
use crate::backend::Backend;
use crate::data::RowSet;
use crate::error::QueryError;
use crate::model::{Model, ModelSchema, Projection};

/// A part of a query's results: those in some ranges of keys. See
/// [`partitions`](crate::BackendExt::partitions).
///
/// It is plain data that serde can write and read, so another process can run it.
#[derive(Serialize, Deserialize)]
#[serde(transparent, bound = "")]
pub struct Partition<P> {
    plan: Plan,
    /// How the original query handles bad rows; in another process each is an error.
    #[serde(skip)]
    bad_rows: BadRows,
    #[serde(skip)]
    reads: PhantomData<fn() -> P>,
}

impl<M: Model, S: QueryState<M>, P: Projection<Model = M>> Query<M, S, P> {
    pub(crate) async fn partitions(
        &self,
        n: usize,
        backend: &dyn Backend,
    ) -> Result<Vec<Partition<P>>, Error> {
        let selection = Selection {
            order: Order::Key,
            ..self.selection()
        };
        M::SCHEMA.has_one_layout("`partitions`", "stream the query, which reads both layouts")?;
        if selection.limit.is_some() {
            return Err(Error::Query {
                table: M::SCHEMA.table.to_string(),
                source: QueryError::LimitOfPartitions,
            });
        }
        let plan = planned(backend, M::SCHEMA, &selection).await?;
        let samples = sampled(backend, M::SCHEMA, &plan).await?;
        let plans = cut(&plan, &samples, n).into_iter();
        let partition = |plan| Partition {
            plan,
            bad_rows: self.bad_rows().clone(),
            reads: PhantomData,
        };
        Ok(plans.map(partition).collect())
    }
}

impl<P: Projection> Partition<P> {
    /// Its plan.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }
}

impl<P: Projection> Streamed for Partition<P> {
    type Output = EventStream<P, ByKey>;

    fn streamed(&self, backend: &dyn Backend) -> EventStream<P, ByKey> {
        let plan = self.plan.clone();
        EventStream::of_events(events(backend, P::Model::SCHEMA, plan, &self.bad_rows))
    }
}

impl<P: Projection> Fetched for Partition<P> {
    type Output = Vec<P>;

    fn fetched(&self, backend: Arc<dyn Backend>) -> BoxFuture<'static, Result<Vec<P>, Error>> {
        Box::pin(self.streamed(&*backend).try_collect())
    }
}

impl<P> Clone for Partition<P> {
    fn clone(&self) -> Self {
        Self {
            plan: self.plan.clone(),
            bad_rows: self.bad_rows.clone(),
            reads: PhantomData,
        }
    }
}

impl<P> fmt::Debug for Partition<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Partition").field(&self.plan).finish()
    }
}

/// How many scans of an unordered query run at once.
const AT_ONCE: usize = 8;

/// The plan of a query; if it is unordered, its rows are cut into scans that run at once.
pub(super) async fn started(
    backend: &dyn Backend,
    schema: &ModelSchema,
    selection: &Selection,
) -> Result<Plan, Error> {
    let plan = planned(backend, schema, selection).await?;
    let most = AT_ONCE.min(selection.max_scans);
    let ranges = plan.scans.iter().flat_map(|scan| &scan.parts);
    let has_ranges = ranges
        .clone()
        .any(|part| part.is_all() || !part.ranges.is_empty());
    // A limit is reached soon.
    if plan.order != Order::Any || plan.limit.is_some() || !has_ranges || plan.scans.len() >= most {
        return Ok(plan);
    }
    // A table that cannot be cut is read as a whole, and that read reports the error.
    let Ok(samples) = sampled(backend, schema, &plan).await else {
        return Ok(plan);
    };
    let mut lots = cut(&plan, &samples, most);
    let scans = lots
        .iter_mut()
        .flat_map(|lot| std::mem::take(&mut lot.scans));
    let scans = scans.collect();
    Ok(Plan { scans, ..plan })
}

async fn sampled(
    backend: &dyn Backend,
    schema: &ModelSchema,
    plan: &Plan,
) -> Result<TableSamples, Error> {
    let may_lack = schema.table.by_period().is_some();
    TableSamples::of(backend, plan.tables(), may_lack).await
}

/// Keys of one table.
type TableSpan<'p> = (&'p str, KeySpan);

/// At most `most` plans, which together read each row of a plan once.
fn cut(plan: &Plan, samples: &TableSamples, most: usize) -> Vec<Plan> {
    let parts = plan.scans.iter().flat_map(|scan| &scan.parts);
    let mut rows: BTreeMap<&str, Vec<RowSet>> = BTreeMap::new();
    for part in parts {
        rows.entry(&part.table).or_default().push(part.rows.clone());
    }
    let unknown = Samples::default();
    let pieces = rows.iter().flat_map(|(table, rows)| {
        let samples = samples.0.get(*table).unwrap_or(&unknown);
        let pieces = samples.pieces(rows).into_iter();
        pieces.map(move |(span, weight)| ((*table, span), weight))
    });
    let (pieces, weights): (Vec<TableSpan<'_>>, Vec<u64>) = pieces.unzip();
    let mut joined: BTreeMap<u128, Vec<TableSpan<'_>>> = BTreeMap::new();
    for ((table, span), lot) in pieces.into_iter().zip(lots(&weights, most)) {
        let spans = joined.entry(lot).or_default();
        match spans.last_mut() {
            // No row of the plan is between the two spans.
            Some((last, joined)) if *last == table => joined.to = span.to,
            _ => spans.push((table, span)),
        }
    }
    joined
        .into_values()
        .map(|spans| within(plan, &spans))
        .collect()
}

/// The plan restricted to its rows in some spans; one scan if it is unordered.
fn within(plan: &Plan, spans: &[TableSpan<'_>]) -> Plan {
    let parts = |part: &Part| {
        let spans = spans.iter().filter(|(table, _)| *table == part.table);
        let rows =
            spans.flat_map(|(_, span)| span.rows_after(None, std::slice::from_ref(&part.rows)));
        let parts = rows.map(|rows| Part {
            table: part.table.clone(),
            rows,
        });
        parts.collect::<Vec<_>>()
    };
    let scans = plan.scans.iter().map(|scan| Scan {
        parts: scan.parts.iter().flat_map(parts).collect(),
    });
    let mut scans: Vec<_> = scans.filter(|scan| !scan.parts.is_empty()).collect();
    if plan.order == Order::Any {
        let parts = scans.into_iter().flat_map(|scan| scan.parts).collect();
        scans = vec![Scan { parts }];
    }
    let mut parts = scans.iter().flat_map(|scan| &scan.parts);
    Plan {
        full_scan: parts.any(|part| part.is_all()),
        scans,
        ..plan.clone()
    }
}
