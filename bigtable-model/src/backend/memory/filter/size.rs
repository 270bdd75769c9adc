//! How many bytes a filter takes on the wire, which is what the service limits.

use std::ops::Bound;

use bytes::Bytes;

use crate::data::RowFilter;

/// The length of the filter as a protobuf message `google.bigtable.v2.RowFilter`.
pub(super) fn wire_size(filter: &RowFilter) -> usize {
    // Every field number of RowFilter above 15 has a tag of two bytes.
    match filter {
        RowFilter::Chain(filters) | RowFilter::Interleave(filters) => message(
            1,
            filters.iter().map(|one| message(1, wire_size(one))).sum(),
        ),
        RowFilter::Condition {
            predicate,
            if_true,
            if_false,
        } => {
            let parts = [Some(predicate), if_true.as_ref(), if_false.as_ref()];
            let size = parts
                .into_iter()
                .flatten()
                .map(|one| message(1, wire_size(one)));
            message(1, size.sum())
        }
        RowFilter::Sink | RowFilter::PassAll | RowFilter::BlockAll | RowFilter::StripValue => 3,
        RowFilter::RowKeyRegex(regex)
        | RowFilter::QualifierRegex(regex)
        | RowFilter::ValueRegex(regex) => message(1, regex.len()),
        RowFilter::FamilyRegex(regex) => message(1, regex.len()),
        RowFilter::Label(label) => message(2, label.len()),
        RowFilter::RowSample(_) => 9,
        RowFilter::QualifierRange { family, start, end } => {
            message(1, message(1, family.len()) + bound(start) + bound(end))
        }
        RowFilter::ValueRange { start, end } => message(1, bound(start) + bound(end)),
        RowFilter::TimestampRange {
            start_micros,
            end_micros,
        } => message(1, integer(1, *start_micros) + integer(1, *end_micros)),
        RowFilter::ValueBitmask(mask) => message(2, message(1, mask.len())),
        RowFilter::CellsPerRowOffset(n)
        | RowFilter::CellsPerRowLimit(n)
        | RowFilter::CellsPerColumnLimit(n) => 1 + varint(i64::from(*n).cast_unsigned()),
    }
}

fn message(tag: usize, len: usize) -> usize {
    tag + varint(u64::try_from(len).unwrap_or(u64::MAX)) + len
}

fn bound(bound: &Bound<Bytes>) -> usize {
    match bound {
        Bound::Included(bytes) | Bound::Excluded(bytes) => message(1, bytes.len()),
        Bound::Unbounded => 0,
    }
}

/// A field of a plain integer, left out when it is 0.
fn integer(tag: usize, value: i64) -> usize {
    match value {
        0 => 0,
        value => tag + varint(value.cast_unsigned()),
    }
}

fn varint(value: u64) -> usize {
    let bits = usize::try_from(u64::BITS - value.leading_zeros()).unwrap_or(64);
    bits.div_ceil(7).max(1)
}
