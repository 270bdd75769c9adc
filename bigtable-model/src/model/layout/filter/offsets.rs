//! Times of events as qualifiers.

use std::ops::Bound;

use bytes::Bytes;

use super::{MAX_PATTERN_BYTES, event_columns, family};
use crate::Timestamp;
use crate::data::{RowFilter, prefix_end};
use crate::key::KeyLayout;
use crate::key::time::bucket::{Bucket, Offset};
use crate::model::{EventTimes, ModelSchema, Named};

/// Two offsets in byte order; `None` is an open end.
type FirstAndLast = (Option<Vec<u8>>, Option<Vec<u8>>);

/// The offsets of the wanted times, if all of them are in one bucket.
#[derive(Debug)]
pub(in crate::model::layout) struct Offsets {
    /// `None` if all offsets are wanted, or if the wanted ones are not a range.
    range: Option<FirstAndLast>,
    /// Whether a column's name precedes the offset.
    named: bool,
    /// Whether tie-breakers follow the offset, after a colon.
    tied: bool,
}

impl Offsets {
    pub(in crate::model::layout) fn new(
        key: &KeyLayout,
        offset: &Offset,
        named: bool,
        times: &EventTimes,
    ) -> Self {
        let range = key
            .bucket()
            .filter(|_| offset.sorts())
            .and_then(|bucket| range(bucket, offset, times));
        Self {
            range,
            named,
            tied: key.has_ties_in_cells(),
        }
    }

    /// Lets through the offsets, in these columns or in all, each by a chain that ends in `rest`.
    /// `None` if there is no range, or if it takes too many bytes.
    ///
    /// Any name may precede an offset in the families of maps, so they have no range: `stamps`
    /// narrow them.
    pub(in crate::model::layout) fn filter(
        &self,
        schema: &ModelSchema,
        columns: Option<&Named<'_>>,
        stamps: Option<&RowFilter>,
        rest: &[RowFilter],
    ) -> Option<RowFilter> {
        let (first, last) = self.range.as_ref()?;
        let is_map = |family: &str| schema.maps().any(|one| one == family);
        let (wanted, maps): (Vec<_>, Vec<_>) = match columns.filter(|_| self.named) {
            Some(columns) => {
                let named = columns.iter();
                let named =
                    named.flat_map(|(family, names)| names.iter().map(|name| (*family, *name)));
                (named.collect(), Vec::new())
            }
            None => {
                let all = event_columns(schema).filter(|(family, _)| !is_map(family));
                let all = all.map(|(family, name)| (family, name.as_bytes()));
                (all.collect(), schema.maps().collect())
            }
        };
        let mut bytes = 0;
        let ranges = wanted.into_iter().map(|(family, name)| {
            let name = match self.named {
                true => [name, b":"].concat(),
                false => Vec::new(),
            };
            let (start, end) = ends(&name, first.as_deref(), last.as_deref(), self.tied);
            bytes += 64 + family.len() + 2 * (name.len() + 32);
            RowFilter::QualifierRange {
                family: family.to_owned(),
                start,
                end,
            }
        });
        let of_maps = maps
            .into_iter()
            .filter_map(|name| RowFilter::chain([family(name)].into_iter().chain(stamps.cloned())));
        let ranges: Vec<RowFilter> = ranges.chain(of_maps).collect();
        if bytes > MAX_PATTERN_BYTES {
            return None;
        }
        let ranges = RowFilter::interleave(ranges)?;
        RowFilter::chain([ranges].into_iter().chain(rest.iter().cloned()))
    }
}

fn ends(
    name: &[u8],
    first: Option<&[u8]>,
    last: Option<&[u8]>,
    tied: bool,
) -> (Bound<Bytes>, Bound<Bytes>) {
    let after = |offset: &[u8]| Bytes::from([name, offset].concat());
    let start = match (first, name) {
        (Some(first), _) => Bound::Included(after(first)),
        (None, []) => Bound::Unbounded,
        (None, name) => Bound::Included(Bytes::copy_from_slice(name)),
    };
    let end = match last {
        // A semicolon follows a colon.
        Some(last) if tied => Bound::Excluded(Bytes::from([name, last, b";"].concat())),
        Some(last) => Bound::Included(after(last)),
        None => prefix_end(name).map_or(Bound::Unbounded, |end| Bound::Excluded(end.into())),
    };
    (start, end)
}

/// The first and the last offset in byte order.
fn range(bucket: &Bucket, offset: &Offset, times: &EventTimes) -> Option<FirstAndLast> {
    let (start, end) = times.ends();
    let first = start.map(|start| bucket.ceil(start));
    let last = match end {
        Some(end) => Some(last_before(bucket, end)?),
        None => None,
    };
    let in_one = match (first, last) {
        (Some(first), Some(last)) => {
            first <= last && bucket.start_of(first).ok()? == bucket.start_of(last).ok()?
        }
        (None, None) => false,
        _ => bucket.is_endless(),
    };
    if !in_one {
        return None;
    }
    let encode = |time: Option<Timestamp>| -> Option<Option<Vec<u8>>> {
        let Some(time) = time else {
            return Some(None);
        };
        let mut bytes = Vec::new();
        offset.encode(bucket, time, &mut bytes).ok()?;
        Some(Some(bytes))
    };
    let (first, last) = (encode(first)?, encode(last)?);
    Some(match offset.is_reversed() {
        true => (last, first),
        false => (first, last),
    })
}

/// The last time on the grid before `end`.
fn last_before(bucket: &Bucket, end: Timestamp) -> Option<Timestamp> {
    let before = end.as_micros().checked_sub(1)?;
    let grid = bucket.grid_micros.max(1);
    let last = before.checked_sub(before.rem_euclid(grid))?;
    Some(Timestamp::from_micros(last))
}
