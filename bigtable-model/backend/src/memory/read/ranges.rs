//! Which keys a read goes through: the row set as disjoint ranges in order.

use std::cmp::Ordering;
use std::ops::{Bound, RangeBounds};

use bytes::Bytes;

use crate::Status;
use crate::data::{RowRange, RowSet};
use crate::memory::refusal::invalid;
use crate::memory::{Profile, emulator};

/// A range of bytes that may be empty or inverted, and then holds nothing.
#[derive(Debug, Clone)]
pub(in crate::memory) struct Span {
    pub(in crate::memory) start: Bound<Bytes>,
    pub(in crate::memory) end: Bound<Bytes>,
}

impl Span {
    pub(in crate::memory) fn contains(&self, bytes: &[u8]) -> bool {
        let start = self.start.as_ref().map(|start| start.as_ref());
        let end = self.end.as_ref().map(|end| end.as_ref());
        RangeBounds::<[u8]>::contains(&(start, end), bytes)
    }
}

/// The keys and ranges united: ascending, without overlap, none of them empty.
pub(in crate::memory) fn unite(rows: RowSet, profile: Profile) -> Result<Vec<RowRange>, Status> {
    if rows.is_all() {
        return Ok(vec![RowRange::all()]);
    }
    // The read of one row is the most frequent one.
    if let ([key], []) = (rows.keys.as_slice(), rows.ranges.as_slice()) {
        return Ok(vec![only(key.clone())]);
    }
    let mut ranges = Vec::with_capacity(rows.keys.len() + rows.ranges.len());
    for (at, range) in rows.ranges.into_iter().enumerate() {
        let range = range.normal();
        if !range.is_empty() {
            ranges.push(range);
        } else if profile == Profile::Emulator {
            emulator::check_range(at, &range)?;
        } else {
            return Err(invalid(format!(
                "Error in field 'row_ranges' : the range {range} is empty or inverted"
            )));
        }
    }
    ranges.extend(rows.keys.into_iter().map(only));
    ranges.sort_by(|a, b| compare_starts(&a.start, &b.start));
    let mut united: Vec<RowRange> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match united.last_mut() {
            Some(last) if overlap(&last.end, &range.start) => {
                if compare_ends(&last.end, &range.end) == Ordering::Less {
                    last.end = range.end;
                }
            }
            _ => united.push(range),
        }
    }
    Ok(united)
}

fn only(key: Bytes) -> RowRange {
    RowRange {
        start: Bound::Included(key.clone()),
        end: Bound::Included(key),
    }
}

/// The key of a range that holds no more than one.
pub(in crate::memory) fn only_key(range: &RowRange) -> Option<&Bytes> {
    match (&range.start, &range.end) {
        (Bound::Included(start), Bound::Included(end)) if start == end => Some(start),
        _ => None,
    }
}

fn compare_starts(a: &Bound<Bytes>, b: &Bound<Bytes>) -> Ordering {
    let rank = |bound: &Bound<Bytes>| matches!(bound, Bound::Excluded(_));
    match (key(a), key(b)) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Less,
        (Some(_), None) => Ordering::Greater,
        (Some(one), Some(other)) => one.cmp(other).then_with(|| rank(a).cmp(&rank(b))),
    }
}

fn compare_ends(a: &Bound<Bytes>, b: &Bound<Bytes>) -> Ordering {
    let rank = |bound: &Bound<Bytes>| matches!(bound, Bound::Included(_));
    match (key(a), key(b)) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(one), Some(other)) => one.cmp(other).then_with(|| rank(a).cmp(&rank(b))),
    }
}

/// Whether a range with this end and one with this later start have a key in common.
fn overlap(end: &Bound<Bytes>, start: &Bound<Bytes>) -> bool {
    match (end, start) {
        (Bound::Unbounded, _) | (_, Bound::Unbounded) => true,
        (Bound::Included(end), Bound::Included(start)) => start <= end,
        (Bound::Included(end) | Bound::Excluded(end), Bound::Excluded(start))
        | (Bound::Excluded(end), Bound::Included(start)) => start < end,
    }
}

fn key(bound: &Bound<Bytes>) -> Option<&Bytes> {
    match bound {
        Bound::Included(key) | Bound::Excluded(key) => Some(key),
        Bound::Unbounded => None,
    }
}
