//! The tables that a query reads, for a model with tables by period.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::asked::{Asks, without_open_end};
use super::buckets::half_open;
use crate::Timestamp;
use crate::error::QueryError;
use crate::key::SegmentValue;
use crate::key::time::civil::END_MICROS;
use crate::model::{ModelSchema, PeriodTable, PeriodTables};
use crate::query::{MAX_COMBINATIONS, SegmentSelection, Selection};

/// The selection in one table.
pub(in crate::query) struct InTable {
    pub(in crate::query) table: String,
    pub(in crate::query) selection: Selection,
}

/// The times of a selection.
enum Times {
    /// These, as stored.
    In(Vec<Timestamp>),
    /// From the first time to before the second.
    Between(Option<Timestamp>, Option<Timestamp>),
}

/// Whether the tables have to be listed, since the range of time is open at an end. Not if no row
/// can match, or if the query is refused.
pub(in crate::query) fn need_list(schema: &ModelSchema, selection: &Selection) -> bool {
    schema.table.by_period().is_some()
        && matches!(
            times(schema, selection),
            Times::Between(None, _) | Times::Between(_, None)
        )
        && Asks::new(&schema.key, selection).is_ok_and(|asks| !asks.nothing)
}

/// The tables that hold the selected times, oldest first, each with the selection narrowed to its
/// period. If tables were listed, a range of times uses only those in `live`; a range that is open
/// at an end needs that list.
pub(in crate::query) fn touched(
    schema: &ModelSchema,
    tables: &PeriodTables,
    selection: &Selection,
    live: Option<&[String]>,
) -> Result<Vec<InTable>, QueryError> {
    let found = match (times(schema, selection), live) {
        (Times::In(times), _) => of_times(tables, &times),
        (Times::Between(start, end), Some(live)) => among(tables, start, end, live),
        (Times::Between(Some(start), Some(end)), None) => of_range(tables, start, end)?,
        (Times::Between(..), None) => {
            let segment = schema.key.time_segment();
            return Err(QueryError::OpenPeriods {
                segment: segment.map_or_else(String::new, |(_, one)| one.name.to_string()),
            });
        }
    };
    let in_table = |period: PeriodTable| InTable {
        selection: narrowed(schema, selection, &period),
        table: period.table,
    };
    Ok(found.into_iter().map(in_table).collect())
}

/// The listed tables that hold selected times, oldest first.
pub(in crate::query) fn in_times_of(
    schema: &ModelSchema,
    tables: &PeriodTables,
    selection: &Selection,
    live: &[String],
) -> Vec<PeriodTable> {
    match times(schema, selection) {
        Times::In(times) => of_times(tables, &times),
        Times::Between(start, end) => among(tables, start, end, live),
    }
}

/// The selection without any time, if times are selected: planning it finds errors even if there is
/// no table.
pub(in crate::query) fn of_no_table(schema: &ModelSchema, selection: &Selection) -> Selection {
    let mut selection = selection.clone();
    if let Some(time) = asked_time(schema, &mut selection) {
        *time = SegmentSelection::Values(Vec::new());
    }
    selection
}

/// The selection of the time, unless neither it nor a later segment is selected.
fn asked_time<'s>(
    schema: &ModelSchema,
    selection: &'s mut Selection,
) -> Option<&'s mut SegmentSelection> {
    let place = schema.key.place_of_time()?;
    let asked = without_open_end(&selection.segments).len();
    selection.segments.get_mut(place).filter(|_| place < asked)
}

fn times(schema: &ModelSchema, selection: &Selection) -> Times {
    let asked = schema
        .key
        .place_of_time()
        .and_then(|place| selection.segments.get(place));
    match asked {
        Some(SegmentSelection::Values(values)) => {
            let times = values.iter().filter_map(|value| schema.stored_value(value));
            Times::In(times.collect())
        }
        Some(SegmentSelection::Range(start, end)) => {
            // A bound that is not a time is refused when it is encoded.
            let (start, end) = half_open(start, end).unwrap_or_default();
            Times::Between(start, end)
        }
        _ => Times::Between(None, None),
    }
}

fn of_times(tables: &PeriodTables, times: &[Timestamp]) -> Vec<PeriodTable> {
    let periods = times.iter().filter_map(|time| tables.holding(*time).ok());
    let by_start: BTreeMap<_, _> = periods.map(|period| (period.start, period)).collect();
    by_start.into_values().collect()
}

fn of_range(
    tables: &PeriodTables,
    start: Timestamp,
    end: Timestamp,
) -> Result<Vec<PeriodTable>, QueryError> {
    let most = MAX_COMBINATIONS + 1;
    let found: Vec<_> = tables.between(start, end).take(most).collect();
    match found.len() {
        combinations if combinations == most => {
            Err(QueryError::TooManyCombinations { combinations })
        }
        _ => Ok(found),
    }
}

/// The listed tables that are the model's and hold times of the range.
fn among(
    tables: &PeriodTables,
    start: Option<Timestamp>,
    end: Option<Timestamp>,
    live: &[String],
) -> Vec<PeriodTable> {
    let mut found: Vec<_> = live
        .iter()
        .filter_map(|table| tables.parse(table))
        .filter(|period| {
            let begins = end.is_none_or(|end| period.start < end);
            let ends = start.zip(period.end).is_none_or(|(start, end)| start < end);
            begins && ends
        })
        .collect();
    found.sort_unstable_by_key(|period| period.start);
    found
}

/// The selection with its times, if any, narrowed to a period.
fn narrowed(schema: &ModelSchema, selection: &Selection, period: &PeriodTable) -> Selection {
    let mut selection = selection.clone();
    if has_keys_first(schema, &selection) {
        return selection;
    }
    match asked_time(schema, &mut selection) {
        Some(SegmentSelection::Values(values)) => {
            values.retain(|value| {
                schema
                    .stored_value(value)
                    .is_some_and(|time| period.holds(time))
            });
        }
        Some(SegmentSelection::Range(start, end)) => {
            let (from, to) = half_open(start, end).unwrap_or_default();
            let from = from.map_or(period.start, |from| from.max(period.start));
            // The last period ends with the calendar.
            let last = Timestamp::from_micros(END_MICROS);
            let last = period.end.unwrap_or(last);
            let to = to.map_or(last, |to| to.min(last));
            *start = Bound::Included(SegmentValue::Time(from));
            *end = Bound::Excluded(SegmentValue::Time(to));
        }
        _ => {}
    }
    selection
}

/// Whether the keys of buckets are read instead of listing the buckets, since an open range has too
/// many. Without this check the ends of a period would close the range. If only the time narrows
/// the rows, the buckets are still listed.
fn has_keys_first(schema: &ModelSchema, selection: &Selection) -> bool {
    let Some(place) = schema.key.place_of_time() else {
        return false;
    };
    let segments = without_open_end(&selection.segments);
    let sorts = schema.key.bucket().is_none_or(|bucket| bucket.sorts());
    let is_last = segments.len() <= place + 1 && (selection.full_scan || place > 0);
    let is_open = matches!(
        times(schema, selection),
        Times::Between(None, _) | Times::Between(_, None)
    );
    !sorts && is_last && is_open
}
