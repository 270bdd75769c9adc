//! The state of every series at a time.

use std::ops::Bound;

use bytes::Bytes;

use super::ask::state::QueryState;
use super::newest::{Asked, Keep, Slots, time_in_order};
use super::plan::planner::plan_known;
use super::run::start::live_tables;
use super::series::{identifier_after_time, keys_of_series, series_of};
use super::{BadRows, Query, SegmentSelection, Selection};
use crate::Timestamp;
use crate::backend::Backend;
use crate::error::{Error, QueryError};
use crate::key::SegmentValue;
use crate::model::{Model, ModelSchema, Projection, RowEvents, Schema};

impl<M: Model, S, P: Projection<Model = M>> Query<M, S, P> {
    pub(crate) async fn latest_before(
        &self,
        time: Timestamp,
        backend: &dyn Backend,
    ) -> Result<Vec<(M::Series, P)>, Error>
    where
        S: QueryState<M>,
    {
        let (selection, bad_rows) = (self.selection(), self.bad_rows());
        let slots = Slots::new(RowEvents::read::<P>);
        let keep = |free, row: &RowEvents, index| slots.keep(free, row, index);
        let state = state_before(backend, M::SCHEMA, selection, time, bad_rows, &keep).await?;
        let mut each = Vec::with_capacity(state.len());
        for (key, newest) in &state {
            let series = series_of::<M>(key)?;
            each.extend(slots.take(newest).pop().map(|event| (series, event)));
        }
        Ok(each)
    }
}

/// The key of one row of each series, and the slot of its newest event before a time.
pub(super) async fn state_before(
    backend: &dyn Backend,
    schema: &Schema,
    selection: Selection,
    time: Timestamp,
    bad_rows: &BadRows,
    keep: &Keep<'_>,
) -> Result<Vec<(Bytes, Vec<usize>)>, Error> {
    let before = narrowed(schema, &selection, time).map_err(|source| Error::Query {
        table: schema.table.to_string(),
        source,
    })?;
    let sought = match stand_together(schema) && selection.limit.is_none() {
        true => any_time(schema, &selection),
        false => before.clone(),
    };
    // The tables for the widest range of time that any read needs.
    let mut live = live_tables(backend, schema, &selection).await?;
    if live.is_none() {
        live = live_tables(backend, schema, &sought).await?;
    }
    let live = live.as_deref();
    // A query that `series` refuses is refused here too, although the time would narrow it.
    if plan_known(schema, &selection.clone().of_keys(), live)?
        .scans
        .is_empty()
    {
        return Ok(Vec::new());
    }
    let keys = keys_of_series(backend, schema, sought, live, bad_rows).await?;
    let asked = Asked {
        backend,
        schema: schema.clone(),
        selection: before,
        n: 1,
        live,
        bad_rows,
        keep,
    };
    let newest = asked.newest(&keys).await?;
    let state = keys.into_iter().zip(newest);
    Ok(state.filter(|(_, newest)| !newest.is_empty()).collect())
}

/// Whether the rows of each series are adjacent in one table, in order of time: then seeking finds
/// its newest event before a time, and the first row of each series, at any time, shows the order
/// of the series.
fn stand_together(schema: &ModelSchema) -> bool {
    identifier_after_time(&schema.key).is_none() && time_in_order(schema).is_some()
}

/// The selection with events of all times; one row of each series is read.
fn any_time(schema: &ModelSchema, selection: &Selection) -> Selection {
    let mut open = Selection {
        full_scan: true,
        ..selection.clone()
    };
    let place = schema.key.place_of_time();
    if let Some(time) = place.and_then(|at| open.segments.get_mut(at)) {
        *time = SegmentSelection::ALL;
    }
    open
}

/// The selection with only events before a time.
fn narrowed(
    schema: &ModelSchema,
    selection: &Selection,
    time: Timestamp,
) -> Result<Selection, QueryError> {
    let model = || schema.model.to_string();
    let place = schema.key.place_of_time();
    let place = place.ok_or_else(|| QueryError::NoTime { model: model() })?;
    if schema.holds_the_newest() {
        return Err(QueryError::NewestOnly { model: model() });
    }
    let mut narrowed = Selection {
        // If identifiers before the time are left open, rows are compared with the time.
        full_scan: true,
        ..selection.clone()
    };
    if let Some(times) = narrowed.segment_mut(place) {
        *times = before(schema, times, time);
    }
    Ok(narrowed)
}

/// The selected times that are before `time`.
fn before(schema: &ModelSchema, times: &SegmentSelection, time: Timestamp) -> SegmentSelection {
    let value = SegmentValue::Time(time);
    match times {
        SegmentSelection::Values(values) => {
            let is_before = |value: &&SegmentValue| {
                let stored = schema.stored_value(value);
                stored.is_none_or(|one| one < time)
            };
            SegmentSelection::Values(values.iter().filter(is_before).cloned().collect())
        }
        SegmentSelection::Range(start, end) => {
            let is_earlier = match end {
                Bound::Included(SegmentValue::Time(end)) => *end < time,
                Bound::Excluded(SegmentValue::Time(end)) => *end <= time,
                _ => false,
            };
            let end = match is_earlier {
                true => end.clone(),
                false => Bound::Excluded(value),
            };
            SegmentSelection::Range(start.clone(), end)
        }
        // The planner refuses a prefix of a time.
        other @ SegmentSelection::Prefix(_) => other.clone(),
    }
}
