//! Which keys a read goes through: the row set as disjoint ranges in order.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::{Bound, RangeBounds};

use bytes::Bytes;

use crate::Status;
use crate::data::{RowRange, RowSet};
use crate::memory::refusal::invalid;
use crate::memory::steps::Steps;
use crate::memory::{Profile, emulator};

/// A range of bytes that may be empty or inverted, and then holds nothing.
#[derive(Debug, Clone)]
pub(in crate::memory) struct Span {
    pub(in crate::memory) start: Bound<Bytes>,
    pub(in crate::memory) end: Bound<Bytes>,
}

impl Span {
    /// The bytes of both ends, which is as far as anything is compared with it.
    pub(in crate::memory) fn len(&self) -> usize {
        [&self.start, &self.end]
            .into_iter()
            .filter_map(key)
            .map(Bytes::len)
            .sum()
    }

    pub(in crate::memory) fn contains(&self, bytes: &[u8]) -> bool {
        let start = self.start.as_ref().map(|start| start.as_ref());
        let end = self.end.as_ref().map(|end| end.as_ref());
        RangeBounds::<[u8]>::contains(&(start, end), bytes)
    }
}

/// As many keys and ranges are united at once.
pub(in crate::memory) const AT_ONCE: usize = 1 << 12;

/// Steps that one of them takes where there are more.
const STEPS: usize = 16;

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
    for range in checked(rows, profile) {
        ranges.extend(range?);
    }
    ranges.sort_by(|a, b| compare_starts(&a.start, &b.start));
    let mut united = Vec::with_capacity(ranges.len());
    ranges
        .into_iter()
        .for_each(|range| join(&mut united, range));
    Ok(united)
}

/// The same for many, in turns.
pub(in crate::memory) async fn unite_many(
    rows: RowSet,
    profile: Profile,
) -> Result<Vec<RowRange>, Status> {
    let mut steps = Steps::default();
    let mut ends: BTreeMap<Start, Bound<Bytes>> = BTreeMap::new();
    for range in checked(rows, profile) {
        steps.take_of_turn(STEPS).await;
        let Some(RowRange { start, end }) = range? else {
            continue;
        };
        match ends.entry(Start(start)) {
            Entry::Vacant(place) => drop(place.insert(end)),
            Entry::Occupied(mut held) => {
                if compare_ends(held.get(), &end) == Ordering::Less {
                    held.insert(end);
                }
            }
        }
    }
    let mut united = Vec::with_capacity(ends.len());
    for (Start(start), end) in ends {
        steps.take_of_turn(STEPS).await;
        join(&mut united, RowRange { start, end });
    }
    Ok(united)
}

/// Where a range begins, in the order of keys.
struct Start(Bound<Bytes>);

impl Ord for Start {
    fn cmp(&self, other: &Self) -> Ordering {
        compare_starts(&self.0, &other.0)
    }
}

impl PartialOrd for Start {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Start {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Start {}

/// Ranges and keys one by one; none for a range that is empty where that is no error.
fn checked(
    rows: RowSet,
    profile: Profile,
) -> impl Iterator<Item = Result<Option<RowRange>, Status>> {
    let ranges = rows.ranges.into_iter().enumerate().map(move |(at, range)| {
        let range = range.normal();
        if !range.is_empty() {
            Ok(Some(range))
        } else if profile == Profile::Emulator {
            emulator::check_range(at, &range).map(|()| None)
        } else {
            Err(invalid(format!(
                "Error in field 'row_ranges' : the range {range} is empty or inverted"
            )))
        }
    });
    ranges.chain(rows.keys.into_iter().map(|key| Ok(Some(only(key)))))
}

/// Adds a range that begins no earlier than those before.
fn join(united: &mut Vec<RowRange>, range: RowRange) {
    match united.last_mut() {
        Some(last) if overlap(&last.end, &range.start) => {
            if compare_ends(&last.end, &range.end) == Ordering::Less {
                last.end = range.end;
            }
        }
        _ => united.push(range),
    }
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
