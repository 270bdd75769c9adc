//! Conditions as filters that the server looks at.

use std::ops::Bound;

use bytes::Bytes;

use super::{ColumnTest, ConditionError};
use crate::data::RowFilter;
use crate::model::{Layout, ModelSchema};

/// The most bytes of a filter on the wire.
pub(super) const MAX_FILTER_BYTES: usize = 20_480;

/// The most levels of a filter.
pub(super) const MAX_FILTER_LEVELS: usize = 20;

/// What one filter takes on the wire beside names and values, at most: its own tags and lengths, and those of the lists around it.
const OVERHEAD: usize = 32;

/// Values by their bytes.
type Range = (Bound<Bytes>, Bound<Bytes>);

/// Where the cells of one event stand in its row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum EventPlace {
    /// The row is the event: the newest cell of each column.
    Row,
    /// At these timestamps, from the first on, before the second.
    Stamps(i64, i64),
    /// In columns that end in this offset.
    Offset(Bytes),
}

/// A filter that lets a cell through when the condition holds, of a row that is there; of one that is not there it lets nothing through.
pub(crate) fn predicate(schema: &ModelSchema, place: &EventPlace, test: &ColumnTest) -> RowFilter {
    let predicate = |test| predicate(schema, place, test);
    match test {
        ColumnTest::Exists => present(schema, place, schema.presence_column()),
        ColumnTest::Present(column) => present(schema, place, names(schema, *column)),
        ColumnTest::OneOf(column, values) => {
            let ranges = values.iter().map(|value| {
                let end = Bound::Included(value.clone());
                (end.clone(), end)
            });
            valued(schema, place, *column, ranges.collect())
        }
        ColumnTest::Within(column, start, end) => {
            valued(schema, place, *column, vec![(start.clone(), end.clone())])
        }
        ColumnTest::All(tests) => all(schema, place, tests),
        ColumnTest::Any(tests) => {
            RowFilter::interleave(tests.iter().map(predicate)).unwrap_or(RowFilter::BlockAll)
        }
        ColumnTest::Not(test) => RowFilter::Condition {
            predicate: Box::new(predicate(test)),
            if_true: None,
            if_false: Some(Box::new(RowFilter::PassAll)),
        },
        // It was refused before.
        ColumnTest::Refused { .. } => RowFilter::BlockAll,
    }
}

/// The second half is looked at where the first holds: filters may be no more than 20 levels deep.
fn all(schema: &ModelSchema, place: &EventPlace, tests: &[ColumnTest]) -> RowFilter {
    match tests {
        [] => RowFilter::PassAll,
        [test] => predicate(schema, place, test),
        tests => {
            let (first, second) = tests.split_at(tests.len() / 2);
            RowFilter::Condition {
                predicate: Box::new(all(schema, place, first)),
                if_true: Some(Box::new(all(schema, place, second))),
                if_false: None,
            }
        }
    }
}

/// Family and name of a column.
fn names(schema: &ModelSchema, index: usize) -> Option<(&str, &str)> {
    let column = schema.columns.get(index)?;
    Some((&column.family, &column.qualifier))
}

/// Lets the event's cell of a column through.
fn present(schema: &ModelSchema, place: &EventPlace, names: Option<(&str, &str)>) -> RowFilter {
    let Some((family, name)) = names else {
        return RowFilter::BlockAll;
    };
    let qualifiers = match schema.layout {
        Layout::Qualifiers => (Bound::Unbounded, Bound::Unbounded),
        _ => exactly(qualifier(schema, place, name)),
    };
    chain(
        [column(family, qualifiers)]
            .into_iter()
            .chain(newest(place)),
    )
}

/// Lets the event's cell of a column through if its value lies in one of these ranges.
fn valued(
    schema: &ModelSchema,
    place: &EventPlace,
    index: usize,
    mut ranges: Vec<Range>,
) -> RowFilter {
    ranges.retain(|range| !is_empty(range));
    let Some((family, _)) = names(schema, index).filter(|_| !ranges.is_empty()) else {
        return RowFilter::BlockAll;
    };
    if schema.layout == Layout::Qualifiers {
        let values = ranges.into_iter().map(|range| column(family, range));
        return chain(
            RowFilter::interleave(values)
                .into_iter()
                .chain(newest(place)),
        );
    }
    let present = present(schema, place, names(schema, index));
    let values = ranges
        .into_iter()
        .map(|(start, end)| RowFilter::ValueRange { start, end });
    match (present, RowFilter::interleave(values)) {
        (RowFilter::Chain(filters), values) => chain(filters.into_iter().chain(values)),
        (present, values) => chain([present].into_iter().chain(values)),
    }
}

/// The event's cell among those of its column.
fn newest(place: &EventPlace) -> Option<RowFilter> {
    Some(match place {
        EventPlace::Row | EventPlace::Offset(_) => RowFilter::CellsPerColumnLimit(1),
        EventPlace::Stamps(start_micros, end_micros) => RowFilter::TimestampRange {
            start_micros: *start_micros,
            end_micros: *end_micros,
        },
    })
}

fn qualifier(schema: &ModelSchema, place: &EventPlace, name: &str) -> Bytes {
    match (place, &schema.layout) {
        (EventPlace::Offset(offset), Layout::Columns { named: true, .. }) => {
            [name.as_bytes(), b":", offset].concat().into()
        }
        (EventPlace::Offset(offset), _) => offset.clone(),
        _ => Bytes::copy_from_slice(name.as_bytes()),
    }
}

/// Whether no bytes lie between; Bigtable refuses such ranges.
fn is_empty(range: &Range) -> bool {
    match range {
        (Bound::Included(start), Bound::Included(end)) => start > end,
        (
            Bound::Included(start) | Bound::Excluded(start),
            Bound::Included(end) | Bound::Excluded(end),
        ) => start >= end,
        _ => false,
    }
}

fn exactly(bytes: Bytes) -> Range {
    (Bound::Included(bytes.clone()), Bound::Included(bytes))
}

fn column(family: &str, (start, end): Range) -> RowFilter {
    RowFilter::QualifierRange {
        family: family.to_owned(),
        start,
        end,
    }
}

fn chain(filters: impl IntoIterator<Item = RowFilter>) -> RowFilter {
    RowFilter::chain(filters).unwrap_or(RowFilter::BlockAll)
}

/// Refuses a filter that is larger or deeper than Bigtable allows. Its size is reckoned a little above what it is.
pub(crate) fn fits(filter: &RowFilter) -> Result<(), ConditionError> {
    if levels(filter) > MAX_FILTER_LEVELS {
        return Err(ConditionError::TooDeep);
    }
    match size(filter) {
        bytes if bytes > MAX_FILTER_BYTES => Err(ConditionError::TooLarge { bytes }),
        _ => Ok(()),
    }
}

fn size(filter: &RowFilter) -> usize {
    OVERHEAD
        + match filter {
            RowFilter::QualifierRange { family, start, end } => {
                family.len() + length(start) + length(end)
            }
            RowFilter::ValueRange { start, end } => length(start) + length(end),
            RowFilter::RowKeyRegex(pattern)
            | RowFilter::QualifierRegex(pattern)
            | RowFilter::ValueRegex(pattern)
            | RowFilter::ValueBitmask(pattern) => pattern.len(),
            RowFilter::FamilyRegex(pattern) | RowFilter::Label(pattern) => pattern.len(),
            other => below(other).map(size).sum(),
        }
}

fn levels(filter: &RowFilter) -> usize {
    1 + below(filter).map(levels).max().unwrap_or_default()
}

/// The filters that a filter is made of.
fn below(filter: &RowFilter) -> impl Iterator<Item = &RowFilter> {
    let (list, branches) = match filter {
        RowFilter::Chain(filters) | RowFilter::Interleave(filters) => {
            (filters.as_slice(), [None; 3])
        }
        RowFilter::Condition {
            predicate,
            if_true,
            if_false,
        } => {
            let branches = [Some(&**predicate), if_true.as_deref(), if_false.as_deref()];
            ([].as_slice(), branches)
        }
        _ => ([].as_slice(), [None; 3]),
    };
    list.iter().chain(branches.into_iter().flatten())
}

fn length(bound: &Bound<Bytes>) -> usize {
    match bound {
        Bound::Included(bytes) | Bound::Excluded(bytes) => bytes.len(),
        Bound::Unbounded => 0,
    }
}
