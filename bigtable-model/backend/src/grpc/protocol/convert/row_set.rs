use std::ops::Bound;

use crate::data::{RowRange, RowSet};
use crate::grpc::protocol::wire::{self, RowKeyEnd, RowKeyStart};

impl From<RowSet> for wire::RowSet {
    fn from(set: RowSet) -> Self {
        Self {
            row_keys: set.keys,
            row_ranges: set.ranges.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<wire::RowSet> for RowSet {
    fn from(set: wire::RowSet) -> Self {
        Self {
            keys: set.row_keys,
            ranges: set.row_ranges.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<RowRange> for wire::RowRange {
    fn from(range: RowRange) -> Self {
        Self {
            start_key: match range.start {
                Bound::Included(key) => Some(RowKeyStart::Closed(key)),
                Bound::Excluded(key) => Some(RowKeyStart::Open(key)),
                Bound::Unbounded => None,
            },
            end_key: match range.end {
                Bound::Included(key) => Some(RowKeyEnd::Closed(key)),
                Bound::Excluded(key) => Some(RowKeyEnd::Open(key)),
                Bound::Unbounded => None,
            },
        }
    }
}

impl From<wire::RowRange> for RowRange {
    fn from(range: wire::RowRange) -> Self {
        Self {
            start: match range.start_key {
                Some(RowKeyStart::Closed(key)) => Bound::Included(key),
                Some(RowKeyStart::Open(key)) => Bound::Excluded(key),
                None => Bound::Unbounded,
            },
            end: match range.end_key {
                Some(RowKeyEnd::Closed(key)) => Bound::Included(key),
                Some(RowKeyEnd::Open(key)) => Bound::Excluded(key),
                None => Bound::Unbounded,
            },
        }
    }
}
