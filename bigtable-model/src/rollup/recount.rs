//! Recomputes buckets of a roll-up that the server adds.

use std::collections::BTreeSet;
use std::marker::PhantomData;

use bytes::Bytes;
use futures::TryStreamExt as _;

use super::Rollup;
use super::cover::Span;
use super::fill::{Fill, Names, bucket, is_asked, segments, times};
use super::marking::keys_alone;
use super::tier::{Tier, tiers};
use super::windows::{names, rolled, span};
use crate::Timestamp;
use crate::backend::{Backend, Method};
use crate::data::{Mutation, RowMutations};
use crate::error::Error;
use crate::model::{Model, insert_mutations};
use crate::query::{BadRows, Order, Part, Query, QueryState, Selection, plan};
use crate::send::at_table;

/// How many buckets one request writes.
const BUCKETS_PER_REQUEST: usize = 1_000;

/// Recomputes buckets of a roll-up that the server adds from events, in all of its tables. They are
/// the buckets of the query's series that hold a time of the query; the query's other parts are
/// ignored. Returns the number of buckets.
///
/// Use it for events from before the model had the roll-up, after writes that ended with
/// [`NotAdded`](super::NotAdded) without tokens, and after events were written or deleted without
/// the model. **No events of these buckets may be written meanwhile**: an event that is written
/// while its bucket is computed may be counted twice, or not at all.
///
/// It can be repeated. All buckets of the time are held in memory; if they are many, split the
/// time.
///
/// # Errors
/// [`Error::Query`] if the query cannot be planned or its time has an open end, [`Error::Rollup`]
/// if a column cannot hold its aggregate, [`Error::Backend`] if events cannot be read or buckets
/// cannot be written: then repeat the call.
pub async fn recount<R: Rollup, S: QueryState<R::Source>>(
    query: &Query<R::Source, S, R::Source>,
    backend: &dyn Backend,
) -> Result<u64, Error> {
    const {
        assert!(
            R::ADDED,
            "the buckets of this roll-up are computed by `RollupJob`, once `mark_events` marks them"
        );
    }
    let selection = query.selection();
    let schema = R::Source::SCHEMA;
    let asked = span(schema, &selection).map_err(|source| Error::Query {
        table: schema.table.to_string(),
        source,
    })?;
    let names = names(schema, &selection);
    let mut count = 0;
    for tier in tiers(R::LEVELS)? {
        count += level::<R>(backend, &tier, &names, whole(&tier, asked)?).await?;
    }
    Ok(count)
}

/// The buckets of a level that hold a time of a span.
fn whole(Tier { grid, .. }: &Tier, (from, to): Span) -> Result<Span, Error> {
    if from >= to {
        return Ok((from, from));
    }
    let first = grid.cell(Timestamp::from_micros(from))?;
    let last = grid.cell(Timestamp::from_micros(to - 1))?;
    Ok((first.start.as_micros(), last.end.as_micros()))
}

/// Computes buckets of a level, and deletes those that hold no event.
async fn level<R: Rollup>(
    backend: &dyn Backend,
    tier: &Tier,
    names: &Names,
    span: Span,
) -> Result<u64, Error> {
    let fill = Fill::<R> {
        backend,
        rolled: rolled::<R>(),
        levels: &[],
        window: &tier.grid,
        base: &Selection {
            max_scans: usize::MAX,
            ..Selection::default()
        },
        bad_rows: &BadRows::fail(),
        rollup: PhantomData,
    };
    let mut rows = Vec::new();
    for window in fill.windows(names.clone(), span).await? {
        rows.push(insert_mutations(&window, Timestamp::UNIX_EPOCH)?);
    }
    let held: BTreeSet<Bytes> = rows.iter().map(|row| row.key.clone()).collect();
    let stored = stored::<R>(backend, tier, names, span).await?;
    let empty = stored.into_iter().filter(|key| !held.contains(key));
    rows.extend(empty.map(|key| RowMutations {
        key,
        mutations: vec![Mutation::DeleteFromRow],
    }));
    let count = u64::try_from(rows.len()).unwrap_or(u64::MAX);
    write(backend, rolled::<R>().table(&tier.level), rows).await?;
    Ok(count)
}

/// The rows of a level's table that hold buckets of some series in a span.
async fn stored<R: Rollup>(
    backend: &dyn Backend,
    tier: &Tier,
    names: &Names,
    span: Span,
) -> Result<Vec<Bytes>, Error> {
    let table = rolled::<R>().table(&tier.level);
    let selection = Selection {
        segments: segments(R::SCHEMA, names, times(span)),
        order: Order::Any,
        max_scans: usize::MAX,
        full_scan: true,
        ..Selection::default()
    };
    let plan = plan(R::SCHEMA, &selection)?;
    let mut keys = Vec::new();
    for Part { rows, .. } in plan.scans.into_iter().flat_map(|scan| scan.parts) {
        let mut rows = backend.read_rows(keys_alone(table, rows)).rows();
        let read = |source| at_table(table, Method::ReadRows, source);
        while let Some(row) = rows.try_next().await.map_err(read)? {
            let (found, start) = bucket(R::SCHEMA, table, &row)?;
            let is_in = (span.0..span.1).contains(&start.as_micros());
            if is_in && is_asked(names, &found) {
                keys.push(row.key);
            }
        }
    }
    Ok(keys)
}

async fn write(backend: &dyn Backend, table: &str, rows: Vec<RowMutations>) -> Result<(), Error> {
    let failed = |source| at_table(table, Method::MutateRows, source);
    for rows in rows.chunks(BUCKETS_PER_REQUEST) {
        let outcomes = backend.mutate_rows(table, rows.to_vec()).await;
        let outcomes = outcomes.map_err(failed)?.into_iter();
        outcomes.collect::<Result<(), _>>().map_err(failed)?;
    }
    Ok(())
}
