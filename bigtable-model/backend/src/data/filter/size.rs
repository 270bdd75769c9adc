//! The two sizes of a filter that the service limits: its levels, and its bytes on the wire.

use std::ops::Bound;

use bytes::Bytes;

use super::RowFilter;
use crate::fields::lengths::{integer, message, text, varint};

impl RowFilter {
    /// The maximum size of a filter on the wire, in bytes.
    pub const MAX_BYTES: usize = 20_480;

    /// The maximum number of levels of a filter, including the outermost.
    pub const MAX_LEVELS: usize = 20;

    /// The filters directly inside this one.
    pub(crate) fn children(&self) -> impl Iterator<Item = &RowFilter> {
        let (listed, parts): (&[RowFilter], _) = match self {
            Self::Chain(filters) | Self::Interleave(filters) => (filters, [None; 3]),
            Self::Condition {
                predicate,
                if_true,
                if_false,
            } => (
                &[],
                [Some(&**predicate), if_true.as_deref(), if_false.as_deref()],
            ),
            _ => (&[], [None; 3]),
        };
        listed.iter().chain(parts.into_iter().flatten())
    }

    /// The levels of a filter. Their limit bounds all other recursion over filters.
    #[must_use]
    pub fn levels(&self) -> usize {
        let mut deepest = 0;
        let mut open = vec![(self, 1)];
        while let Some((filter, level)) = open.pop() {
            deepest = deepest.max(level);
            open.extend(filter.children().map(|child| (child, level + 1)));
        }
        deepest
    }

    /// The length of the filter as a protobuf message `google.bigtable.v2.RowFilter`.
    #[must_use]
    pub fn wire_size(&self) -> usize {
        wire_size(self)
    }
}

fn wire_size(filter: &RowFilter) -> usize {
    // Every field number of RowFilter above 15 has a tag of two bytes.
    match filter {
        RowFilter::Chain(_) | RowFilter::Interleave(_) | RowFilter::Condition { .. } => {
            let sizes = filter.children().map(|one| message(1, wire_size(one)));
            message(1, sizes.sum())
        }
        RowFilter::StripValue => 2,
        RowFilter::Sink | RowFilter::PassAll | RowFilter::BlockAll => 3,
        RowFilter::RowKeyRegex(regex)
        | RowFilter::QualifierRegex(regex)
        | RowFilter::ValueRegex(regex) => message(1, regex.len()),
        RowFilter::FamilyRegex(regex) => message(1, regex.len()),
        RowFilter::Label(label) => message(2, label.len()),
        RowFilter::RowSample(_) => 9,
        RowFilter::QualifierRange { family, start, end } => {
            message(1, text(family.len()) + bound(start) + bound(end))
        }
        RowFilter::ValueRange { start, end } => message(1, bound(start) + bound(end)),
        RowFilter::TimestampRange {
            start_micros,
            end_micros,
        } => message(1, integer(1, *start_micros) + integer(1, *end_micros)),
        RowFilter::ValueBitmask(mask) => message(2, text(mask.len())),
        RowFilter::CellsPerRowOffset(n)
        | RowFilter::CellsPerRowLimit(n)
        | RowFilter::CellsPerColumnLimit(n) => 1 + varint(i64::from(*n).cast_unsigned()),
    }
}

fn bound(bound: &Bound<Bytes>) -> usize {
    match bound {
        Bound::Included(bytes) | Bound::Excluded(bytes) => message(1, bytes.len()),
        Bound::Unbounded => 0,
    }
}
