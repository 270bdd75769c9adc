//! Marks buckets whose events were not written through their model.

use std::ops::Bound;

use bytes::Bytes;
use futures::TryStreamExt as _;

use super::fill::{bucket, scans};
use super::windows::names;
use crate::Timestamp;
use crate::backend::{Backend, Method};
use crate::data::{ReadRows, RowFilter, RowSet};
use crate::error::Error;
use crate::key::SegmentValue;
use crate::model::{Level, Model, ModelSchema, RolledUp, Schema};
use crate::query::{
    AsQuery, Order, QueryState, SegmentSelection, Selection, found_events, one_cell, planned,
};
use crate::send::limits::EVENTS_AT_ONCE;
use crate::send::{at_table, mark, mark_buckets};

/// Marks buckets in all roll-ups of a model: the buckets of the query's events, and the stored
/// buckets of its series and time. Returns the number of events. Until a job has run, windows are
/// computed from events.
///
/// Roll-ups that the server adds have no marks: compute them with [`recount`](super::recount).
///
/// Call it once for events older than the roll-up, and after events were written or deleted without
/// the model: by a restored backup, [`drop_rows`](crate::backend::Tables::drop_rows) or another
/// program. Windows are correct again when it returns. Buckets whose events have expired, or whose
/// table by period is missing, keep their values.
///
/// # Errors
/// [`Error::Query`] if the query cannot be planned, [`Error::Backend`] if events or buckets cannot
/// be read or buckets cannot be marked: then repeat the call.
pub async fn mark_events<Q: AsQuery>(query: &Q, backend: &dyn Backend) -> Result<u64, Error>
where
    Q::State: QueryState<Q::Model>,
{
    let asked = query.as_query().selection();
    let schema = Q::Model::SCHEMA;
    let rollups = schema.rollups.iter().enumerate();
    for (place, rolled) in rollups.filter(|(_, rolled)| !rolled.is_added()) {
        for (at, level) in rolled.levels().iter().enumerate() {
            mark_stored(backend, schema, (place, at), (rolled, level), &asked).await?;
        }
    }
    let selection = Selection {
        keys_only: true,
        order: match asked.limit {
            Some(_) => asked.order,
            None => Order::Any,
        },
        ..asked
    };
    let plan = planned(backend, schema, &selection).await?;
    let mut found = found_events(backend, schema, plan)?;
    let mut events: Vec<(Bytes, Option<Timestamp>)> = Vec::new();
    let mut count = 0;
    loop {
        let next = found.advance().await.transpose()?;
        if next.is_some()
            && let Some((row, index)) = found.current()
        {
            events.push((row.shared_key_at(index), row.time(index)?));
            count += 1;
        }
        if events.len() == EVENTS_AT_ONCE || next.is_none() {
            let marked = events.iter().map(|(key, time)| (&**key, *time));
            mark(backend, schema, marked).await?;
            events.clear();
        }
        if next.is_none() {
            return Ok(count);
        }
    }
}

/// Marks the stored buckets of a level for the selected series and time: only this finds buckets
/// whose events are gone.
async fn mark_stored(
    backend: &dyn Backend,
    schema: &Schema,
    place: (usize, usize),
    (rolled, level): (&RolledUp, &Level),
    asked: &Selection,
) -> Result<(), Error> {
    let table = rolled.table(level);
    let names = names(schema, asked);
    let time = time(schema, level, asked);
    let scans = scans(rolled.schema(), &names, time, asked.max_scans)?;
    let read = |source| at_table(table, Method::ReadRows, source);
    for rows in &scans.rows {
        let rows = backend
            .read_rows(keys_alone(table, rows.clone(), scans.keys.clone()))
            .rows();
        let mut chunks = rows.try_ready_chunks(EVENTS_AT_ONCE);
        while let Some(rows) = chunks.try_next().await.map_err(|error| read(error.1))? {
            let mut keys = Vec::new();
            for row in rows {
                let (_, start) = bucket(rolled.schema(), table, &row)?;
                if scans.hold(&row.key) {
                    keys.push((row.key.to_vec(), level.end(start)));
                }
            }
            mark_buckets(backend, schema, place, keys).await?;
        }
    }
    Ok(())
}

/// The selection of bucket starts: the buckets of a level that contain a time of the query.
fn time(schema: &ModelSchema, level: &Level, asked: &Selection) -> SegmentSelection {
    let mut segments = schema.key.valued().zip(&asked.segments);
    let time = segments.find(|((_, segment), _)| segment.role.is_time());
    let Some((_, SegmentSelection::Range(start, end))) = time else {
        return SegmentSelection::ALL;
    };
    let start = match start {
        Bound::Included(SegmentValue::Time(time)) | Bound::Excluded(SegmentValue::Time(time)) => {
            level.start(*time).ok()
        }
        _ => None,
    };
    let start = start.map(|start| Bound::Included(SegmentValue::Time(start)));
    SegmentSelection::Range(start.unwrap_or(Bound::Unbounded), end.clone())
}

/// A read of the keys of rows: one cell of each row that passes the filter, without its value.
pub(super) fn keys_alone(table: &str, rows: RowSet, filter: Option<RowFilter>) -> ReadRows {
    ReadRows {
        table: table.to_owned(),
        rows,
        filter: one_cell(filter),
        ..ReadRows::default()
    }
}
