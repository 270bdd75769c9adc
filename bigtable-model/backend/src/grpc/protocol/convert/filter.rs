use std::ops::Bound;

use bytes::Bytes;

use super::{invalid, text};
use crate::Status;
use crate::data::RowFilter;
use crate::grpc::protocol::wire::{
    self, QualifierEnd, QualifierStart, RowFilterKind, ValueEnd, ValueStart,
};

impl From<RowFilter> for wire::RowFilter {
    fn from(filter: RowFilter) -> Self {
        Self {
            kind: Some(filter.into()),
        }
    }
}

impl From<RowFilter> for RowFilterKind {
    fn from(filter: RowFilter) -> Self {
        match filter {
            RowFilter::Chain(filters) => Self::Chain(members(filters)),
            RowFilter::Interleave(filters) => Self::Interleave(members(filters)),
            RowFilter::Condition {
                predicate,
                if_true,
                if_false,
            } => Self::Condition(Box::new(wire::Condition {
                predicate_filter: Some(boxed(predicate)),
                true_filter: if_true.map(boxed),
                false_filter: if_false.map(boxed),
            })),
            RowFilter::Sink => Self::Sink(true),
            RowFilter::PassAll => Self::PassAll(true),
            RowFilter::BlockAll => Self::BlockAll(true),
            RowFilter::RowKeyRegex(regex) => Self::RowKeyRegex(regex),
            RowFilter::RowSample(probability) => Self::RowSample(probability),
            RowFilter::FamilyRegex(regex) => Self::FamilyNameRegex(regex.into()),
            RowFilter::QualifierRegex(regex) => Self::ColumnQualifierRegex(regex),
            RowFilter::QualifierRange { family, start, end } => {
                Self::ColumnRange(qualifier_range(family, start, end))
            }
            RowFilter::TimestampRange {
                start_micros,
                end_micros,
            } => Self::TimestampRange(wire::TimestampRange {
                start_timestamp_micros: start_micros,
                end_timestamp_micros: end_micros,
            }),
            RowFilter::ValueRegex(regex) => Self::ValueRegex(regex),
            RowFilter::ValueRange { start, end } => Self::ValueRange(value_range(start, end)),
            RowFilter::ValueBitmask(mask) => Self::ValueBitmask(wire::ValueBitmask { mask }),
            RowFilter::CellsPerRowOffset(count) => Self::CellsPerRowOffset(count),
            RowFilter::CellsPerRowLimit(count) => Self::CellsPerRowLimit(count),
            RowFilter::CellsPerColumnLimit(count) => Self::CellsPerColumnLimit(count),
            RowFilter::StripValue => Self::StripValue(true),
            RowFilter::Label(label) => Self::ApplyLabel(label),
        }
    }
}

fn members(filters: Vec<RowFilter>) -> wire::Filters {
    wire::Filters {
        filters: filters.into_iter().map(Into::into).collect(),
    }
}

#[allow(clippy::boxed_local, reason = "the box is what the value holds")]
fn boxed(filter: Box<RowFilter>) -> Box<wire::RowFilter> {
    Box::new((*filter).into())
}

fn qualifier_range(family: String, start: Bound<Bytes>, end: Bound<Bytes>) -> wire::ColumnRange {
    wire::ColumnRange {
        family_name: family.into(),
        start_qualifier: match start {
            Bound::Included(bytes) => Some(QualifierStart::Closed(bytes)),
            Bound::Excluded(bytes) => Some(QualifierStart::Open(bytes)),
            Bound::Unbounded => None,
        },
        end_qualifier: match end {
            Bound::Included(bytes) => Some(QualifierEnd::Closed(bytes)),
            Bound::Excluded(bytes) => Some(QualifierEnd::Open(bytes)),
            Bound::Unbounded => None,
        },
    }
}

fn value_range(start: Bound<Bytes>, end: Bound<Bytes>) -> wire::ValueRange {
    wire::ValueRange {
        start_value: match start {
            Bound::Included(bytes) => Some(ValueStart::Closed(bytes)),
            Bound::Excluded(bytes) => Some(ValueStart::Open(bytes)),
            Bound::Unbounded => None,
        },
        end_value: match end {
            Bound::Included(bytes) => Some(ValueEnd::Closed(bytes)),
            Bound::Excluded(bytes) => Some(ValueEnd::Open(bytes)),
            Bound::Unbounded => None,
        },
    }
}

impl TryFrom<wire::RowFilter> for RowFilter {
    type Error = Status;

    /// A filter without a kind passes everything, as the protocol says.
    fn try_from(filter: wire::RowFilter) -> Result<Self, Status> {
        match filter.kind {
            Some(kind) => kind.try_into(),
            None => Ok(Self::PassAll),
        }
    }
}

impl TryFrom<RowFilterKind> for RowFilter {
    type Error = Status;

    fn try_from(kind: RowFilterKind) -> Result<Self, Status> {
        Ok(match kind {
            RowFilterKind::Chain(filters) => Self::Chain(from_members(filters)?),
            RowFilterKind::Interleave(filters) => Self::Interleave(from_members(filters)?),
            RowFilterKind::Condition(condition) => from_condition(*condition)?,
            RowFilterKind::Sink(set) => flag(set, "sink", Self::Sink)?,
            RowFilterKind::PassAll(set) => flag(set, "pass_all_filter", Self::PassAll)?,
            RowFilterKind::BlockAll(set) => flag(set, "block_all_filter", Self::BlockAll)?,
            RowFilterKind::StripValue(set) => {
                flag(set, "strip_value_transformer", Self::StripValue)?
            }
            RowFilterKind::RowKeyRegex(regex) => Self::RowKeyRegex(regex),
            RowFilterKind::RowSample(probability) => Self::RowSample(probability),
            RowFilterKind::FamilyNameRegex(regex) => Self::FamilyRegex(text(&regex)?),
            RowFilterKind::ColumnQualifierRegex(regex) => Self::QualifierRegex(regex),
            RowFilterKind::ColumnRange(range) => from_qualifier_range(range)?,
            RowFilterKind::TimestampRange(range) => Self::TimestampRange {
                start_micros: range.start_timestamp_micros,
                end_micros: range.end_timestamp_micros,
            },
            RowFilterKind::ValueRegex(regex) => Self::ValueRegex(regex),
            RowFilterKind::ValueRange(range) => from_value_range(range),
            RowFilterKind::ValueBitmask(bitmask) => Self::ValueBitmask(bitmask.mask),
            RowFilterKind::CellsPerRowOffset(count) => Self::CellsPerRowOffset(count),
            RowFilterKind::CellsPerRowLimit(count) => Self::CellsPerRowLimit(count),
            RowFilterKind::CellsPerColumnLimit(count) => Self::CellsPerColumnLimit(count),
            RowFilterKind::ApplyLabel(label) => Self::Label(label),
        })
    }
}

fn from_members(filters: wire::Filters) -> Result<Vec<RowFilter>, Status> {
    (filters.filters.into_iter())
        .map(TryInto::try_into)
        .collect()
}

/// The protocol's flags have no meaning if they are false; the service refuses them.
fn flag(set: bool, name: &str, filter: RowFilter) -> Result<RowFilter, Status> {
    match set {
        true => Ok(filter),
        false => Err(invalid(format!("{name} is there but false"))),
    }
}

fn from_condition(condition: wire::Condition) -> Result<RowFilter, Status> {
    let branch = |filter: Option<Box<wire::RowFilter>>| -> Result<Option<Box<RowFilter>>, Status> {
        filter
            .map(|filter| (*filter).try_into().map(Box::new))
            .transpose()
    };
    Ok(RowFilter::Condition {
        predicate: branch(condition.predicate_filter)?
            .ok_or_else(|| invalid("a condition has no predicate"))?,
        if_true: branch(condition.true_filter)?,
        if_false: branch(condition.false_filter)?,
    })
}

fn from_qualifier_range(range: wire::ColumnRange) -> Result<RowFilter, Status> {
    Ok(RowFilter::QualifierRange {
        family: text(&range.family_name)?,
        start: match range.start_qualifier {
            Some(QualifierStart::Closed(bytes)) => Bound::Included(bytes),
            Some(QualifierStart::Open(bytes)) => Bound::Excluded(bytes),
            None => Bound::Unbounded,
        },
        end: match range.end_qualifier {
            Some(QualifierEnd::Closed(bytes)) => Bound::Included(bytes),
            Some(QualifierEnd::Open(bytes)) => Bound::Excluded(bytes),
            None => Bound::Unbounded,
        },
    })
}

fn from_value_range(range: wire::ValueRange) -> RowFilter {
    RowFilter::ValueRange {
        start: match range.start_value {
            Some(ValueStart::Closed(bytes)) => Bound::Included(bytes),
            Some(ValueStart::Open(bytes)) => Bound::Excluded(bytes),
            None => Bound::Unbounded,
        },
        end: match range.end_value {
            Some(ValueEnd::Closed(bytes)) => Bound::Included(bytes),
            Some(ValueEnd::Open(bytes)) => Bound::Excluded(bytes),
            None => Bound::Unbounded,
        },
    }
}
