//! The keys of a read: the row set as disjoint ranges in order.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Bound;

use bytes::Bytes;

use crate::Status;
use crate::data::{RowRange, RowSet, Start, compare_ends, join, united};
use crate::memory::check::invalid;
use crate::memory::steps::Steps;
use crate::memory::{Profile, emulator};

/// The number of keys and ranges that are united at once.
pub(in crate::memory) const AT_ONCE: usize = 1 << 12;

/// Steps for each if there are more.
const STEPS: usize = 16;

/// The keys and ranges united: ascending, without overlap, none of them empty.
pub(in crate::memory) fn unite(rows: RowSet, profile: Profile) -> Result<Vec<RowRange>, Status> {
    if rows.is_all() {
        return Ok(vec![RowRange::all()]);
    }
    // Reads of one row are the most frequent.
    if let ([key], []) = (rows.keys.as_slice(), rows.ranges.as_slice()) {
        return Ok(vec![RowRange::key(key.clone())]);
    }
    let ranges: Result<Vec<_>, _> = checked(rows, profile)
        .filter_map(Result::transpose)
        .collect();
    let united = united(ranges?.into_iter().map(RowRange::into_ends));
    Ok(united.into_iter().map(RowRange::from).collect())
}

/// The same for many, in several turns.
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
        join(&mut united, (start, end));
    }
    Ok(united.into_iter().map(RowRange::from).collect())
}

/// Ranges and keys one by one; `None` for an empty range that is not an error.
fn checked(
    rows: RowSet,
    profile: Profile,
) -> impl Iterator<Item = Result<Option<RowRange>, Status>> {
    let ranges = rows.ranges.into_iter().enumerate().map(move |(at, range)| {
        let range = range.normal();
        match profile {
            Profile::Service if ends_where_it_begins(&range) => Err(invalid(format!(
                "Error in field 'row_ranges' : the range {range} is empty or inverted"
            ))),
            Profile::Emulator if range.is_empty() => {
                emulator::check_range(at, &range).map(|()| None)
            }
            _ => Ok((!range.is_empty()).then_some(range)),
        }
    });
    ranges.chain(
        rows.keys
            .into_iter()
            .map(|key| Ok(Some(RowRange::key(key)))),
    )
}

/// Whether the end of a range is at its start or before it. A range such as `(k, k\0)` ends after
/// it, though no key is between the two; it holds no rows.
fn ends_where_it_begins(range: &RowRange) -> bool {
    match (&range.start, &range.end) {
        (Bound::Included(start), Bound::Included(end)) => start > end,
        (
            Bound::Included(start) | Bound::Excluded(start),
            Bound::Included(end) | Bound::Excluded(end),
        ) => start >= end,
        _ => false,
    }
}
