//! The time range of a query's first page, which sealed tokens keep.

use std::ops::Bound;

#[cfg(feature = "page_key")]
use super::token::{take, take_time};
use crate::Timestamp;
use crate::key::SegmentValue;
use crate::model::ModelSchema;
use crate::query::{SegmentSelection, Selection};

/// A selected range of times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TimeRange {
    start: Bound<Timestamp>,
    end: Bound<Timestamp>,
}

impl TimeRange {
    /// The range of a query; `None` if it selects no times, or individual ones.
    pub(super) fn of(schema: &ModelSchema, selection: &Selection) -> Option<Self> {
        let place = schema.key.place_of_time()?;
        match selection.segments.get(place)? {
            SegmentSelection::Range(start, end) => Some(Self {
                start: time(start)?,
                end: time(end)?,
            }),
            _ => None,
        }
    }

    /// The query with this range instead of its own.
    pub(super) fn put_into(self, schema: &ModelSchema, selection: &mut Selection) {
        let value = |bound: Bound<Timestamp>| bound.map(SegmentValue::Time);
        let place = schema.key.place_of_time();
        if let Some(asked) = place.and_then(|at| selection.segments.get_mut(at)) {
            *asked = SegmentSelection::Range(value(self.start), value(self.end));
        }
    }

    /// The query with a standard range that is open at the same ends, so that pages of such ranges
    /// have the same query: the token of a range with an open end does not fit a closed one.
    pub(super) fn taken_out(self, schema: &ModelSchema, selection: &Selection) -> Selection {
        let any = |end: Bound<Timestamp>| end.map(|_| Timestamp::UNIX_EPOCH);
        let form = Self {
            start: any(self.start),
            end: any(self.end),
        };
        let mut selection = selection.clone();
        form.put_into(schema, &mut selection);
        selection
    }

    /// Appends the range, or a mark that there is none.
    #[cfg(feature = "page_key")]
    pub(super) fn write(range: Option<Self>, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(range.is_some()));
        let ends = range.into_iter().flat_map(|range| [range.start, range.end]);
        for end in ends {
            let (kind, time) = match end {
                Bound::Unbounded => (0, None),
                Bound::Included(time) => (1, Some(time)),
                Bound::Excluded(time) => (2, Some(time)),
            };
            bytes.push(kind);
            bytes.extend(time.iter().flat_map(|time| time.as_micros().to_be_bytes()));
        }
    }

    /// Reads the output of [`write`](TimeRange::write) from the front; `None` for anything else.
    #[cfg(feature = "page_key")]
    #[allow(clippy::option_option, reason = "two things can be absent")]
    pub(super) fn read(bytes: &mut &[u8]) -> Option<Option<Self>> {
        match take(bytes)? {
            [0] => Some(None),
            [1] => Some(Some(Self {
                start: read_end(bytes)?,
                end: read_end(bytes)?,
            })),
            _ => None,
        }
    }

    #[cfg(all(test, feature = "page_key"))]
    pub(super) fn any() -> impl proptest::prelude::Strategy<Value = Self> {
        use proptest::prelude::*;
        let end = || {
            let time = any::<i64>().prop_map(Timestamp::from_micros);
            (0..3, time).prop_map(|(kind, time)| match kind {
                0 => Bound::Unbounded,
                1 => Bound::Included(time),
                _ => Bound::Excluded(time),
            })
        };
        (end(), end()).prop_map(|(start, end)| Self { start, end })
    }
}

#[cfg(feature = "page_key")]
fn read_end(bytes: &mut &[u8]) -> Option<Bound<Timestamp>> {
    match take(bytes)? {
        [0] => Some(Bound::Unbounded),
        [1] => take_time(bytes).map(Bound::Included),
        [2] => take_time(bytes).map(Bound::Excluded),
        _ => None,
    }
}

fn time(bound: &Bound<SegmentValue>) -> Option<Bound<Timestamp>> {
    match bound {
        Bound::Unbounded => Some(Bound::Unbounded),
        Bound::Included(SegmentValue::Time(time)) => Some(Bound::Included(*time)),
        Bound::Excluded(SegmentValue::Time(time)) => Some(Bound::Excluded(*time)),
        _ => None,
    }
}
