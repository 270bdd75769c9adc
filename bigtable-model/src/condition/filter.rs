//! Conditions as filters of the server.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use bytes::{Bytes, BytesMut};

use super::{ColumnTest, ConditionError};
use crate::data::{ByteRange, RowFilter, united};
use crate::model::{ColumnId, EventPlace, ModelSchema, ending_in};
use crate::re2::any_of;

/// Values, or qualifiers, by their bytes.
pub(crate) type ValueRange = ByteRange;

/// A filter that lets a cell of an existing row through if the condition holds. For a missing row
/// it lets nothing through.
pub(crate) fn predicate(schema: &ModelSchema, place: &EventPlace, test: &ColumnTest) -> RowFilter {
    let predicate = |test| predicate(schema, place, test);
    match test {
        ColumnTest::Exists => present(schema, place, schema.presence_names()),
        ColumnTest::AnyColumn => any_column(schema, place),
        ColumnTest::Present(column) => present(schema, place, column.names(schema)),
        ColumnTest::OneOf(column, _) | ColumnTest::Within(column, ..) => {
            valued(schema, place, column, ranges(test))
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
        // Already refused.
        ColumnTest::Refused { .. } => RowFilter::BlockAll,
    }
}

/// The second half is evaluated if the first holds, since filters may be at most 20 levels deep.
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

/// Lets the event's cell of a column through, under any of its names. A write of one name deletes
/// the others, so that an event has a value under only one of them.
fn present(
    schema: &ModelSchema,
    place: &EventPlace,
    names: Option<(&str, Vec<&[u8]>)>,
) -> RowFilter {
    let Some((family, names)) = names else {
        return RowFilter::BlockAll;
    };
    let names = names.into_iter();
    let filters = names.map(|name| present_by_name(schema, place, family, name));
    RowFilter::interleave(filters).unwrap_or(RowFilter::BlockAll)
}

fn present_by_name(
    schema: &ModelSchema,
    place: &EventPlace,
    family: &str,
    name: &[u8],
) -> RowFilter {
    let qualifiers = match schema.in_layout().value_is_qualifier() {
        true => (Bound::Unbounded, Bound::Unbounded),
        false => exactly(qualifier(schema, place, name)),
    };
    chain(
        [column(family, qualifiers)]
            .into_iter()
            .chain(newest(place)),
    )
}

/// Lets the event's cells through, in every column that the model declares for its events. A family
/// of run-time columns belongs to the model with all its columns, and so does the family of values
/// that are qualifiers.
///
/// Names are joined into a pattern, since ranges would take twice their size in the filter.
fn any_column(schema: &ModelSchema, place: &EventPlace) -> RowFilter {
    let mut families: BTreeMap<&str, BTreeSet<Bytes>> = BTreeMap::new();
    for (family, name) in schema.of_event() {
        let names = families.entry(family).or_default();
        names.insert(qualifier(schema, place, name.as_bytes()));
    }
    for family in schema.maps() {
        families.entry(family).or_default();
    }
    let stamps = match place {
        EventPlace::Stamps(..) => newest(place),
        EventPlace::Row | EventPlace::Offset(_) => None,
    };
    let families = families.iter().map(|(family, names)| {
        let is_map = schema.maps().any(|one| one == *family);
        let is_whole = is_map || schema.in_layout().value_is_qualifier();
        let family = pattern([family.as_bytes()]);
        let family = RowFilter::FamilyRegex(String::from_utf8_lossy(&family).into_owned());
        let names = names.iter().map(Bytes::as_ref);
        let names = match place {
            // The rest of the family has the columns of other events.
            EventPlace::Offset(offset) if is_map => Some(ending_in(offset)),
            _ => (!is_whole).then(|| RowFilter::QualifierRegex(pattern(names))),
        };
        chain([family].into_iter().chain(names).chain(stamps.clone()))
    });
    RowFilter::interleave(families).unwrap_or(RowFilter::BlockAll)
}

/// A pattern that matches each of these and nothing else.
fn pattern<'a>(literals: impl IntoIterator<Item = &'a [u8]>) -> Bytes {
    let mut pattern = BytesMut::new();
    any_of(literals, "", &mut pattern);
    pattern.freeze()
}

/// Lets the event's cell of a column through if its value lies in one of these ranges.
fn valued(
    schema: &ModelSchema,
    place: &EventPlace,
    id: &ColumnId,
    ranges: Vec<ValueRange>,
) -> RowFilter {
    let Some((family, names)) = id.names(schema).filter(|_| !ranges.is_empty()) else {
        return RowFilter::BlockAll;
    };
    if schema.in_layout().value_is_qualifier() {
        let values = ranges.into_iter().map(|range| column(family, range));
        return chain(
            RowFilter::interleave(values)
                .into_iter()
                .chain(newest(place)),
        );
    }
    let present = present(schema, place, Some((family, names)));
    let values = ranges
        .into_iter()
        .map(|(start, end)| RowFilter::ValueRange { start, end });
    match (present, RowFilter::interleave(values)) {
        (RowFilter::Chain(filters), values) => chain(filters.into_iter().chain(values)),
        (present, values) => chain([present].into_iter().chain(values)),
    }
}

/// The values that a test of one column asks for, as disjoint ranges.
fn ranges(test: &ColumnTest) -> Vec<ValueRange> {
    match test {
        ColumnTest::OneOf(_, values) => united(values.iter().cloned().map(exactly)),
        ColumnTest::Within(_, start, end) => united([(start.clone(), end.clone())]),
        _ => Vec::new(),
    }
}

impl ColumnTest {
    /// The columns that must have certain values for the condition to hold, with these values.
    pub(crate) fn wanted_values(&self) -> Vec<(&ColumnId, Vec<ValueRange>)> {
        match self {
            Self::OneOf(column, _) | Self::Within(column, ..) => vec![(column, ranges(self))],
            Self::All(tests) => tests.iter().flat_map(Self::wanted_values).collect(),
            Self::Any(tests) => of_one_column(tests).into_iter().collect(),
            _ => Vec::new(),
        }
    }
}

/// The single column whose values all of the tests ask for, with all of these values.
fn of_one_column(tests: &[ColumnTest]) -> Option<(&ColumnId, Vec<ValueRange>)> {
    let mut all: Option<(&ColumnId, Vec<ValueRange>)> = None;
    for test in tests {
        let [(column, mut ranges)] = <[_; 1]>::try_from(test.wanted_values()).ok()?;
        match &mut all {
            Some((known, _)) if *known != column => return None,
            Some((_, known)) => known.append(&mut ranges),
            None => all = Some((column, ranges)),
        }
    }
    // A cell whose value two tests ask for must not pass twice.
    all.map(|(column, ranges)| (column, united(ranges)))
}

/// A filter for the event's cell among those of its column.
fn newest(place: &EventPlace) -> Option<RowFilter> {
    Some(match place {
        EventPlace::Row | EventPlace::Offset(_) => RowFilter::CellsPerColumnLimit(1),
        EventPlace::Stamps(start_micros, end_micros) => RowFilter::TimestampRange {
            start_micros: *start_micros,
            end_micros: *end_micros,
        },
    })
}

fn qualifier(schema: &ModelSchema, place: &EventPlace, name: &[u8]) -> Bytes {
    let offset = match place {
        EventPlace::Offset(offset) => offset.as_ref(),
        EventPlace::Row | EventPlace::Stamps(..) => &[],
    };
    schema.in_layout().qualifier(name, offset)
}

fn exactly(bytes: Bytes) -> ValueRange {
    (Bound::Included(bytes.clone()), Bound::Included(bytes))
}

fn column(family: &str, (start, end): ValueRange) -> RowFilter {
    RowFilter::QualifierRange {
        family: family.to_owned(),
        start,
        end,
    }
}

fn chain(filters: impl IntoIterator<Item = RowFilter>) -> RowFilter {
    RowFilter::chain(filters).unwrap_or(RowFilter::BlockAll)
}

/// Refuses a filter that is larger or deeper than Bigtable allows.
pub(crate) fn fits(filter: &RowFilter) -> Result<(), ConditionError> {
    if filter.levels() > RowFilter::MAX_LEVELS {
        return Err(ConditionError::TooDeep);
    }
    match filter.wire_size() {
        bytes if bytes > RowFilter::MAX_BYTES => Err(ConditionError::TooLarge { bytes }),
        _ => Ok(()),
    }
}
