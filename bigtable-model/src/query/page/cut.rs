//! Rows whose events the pages before have returned: a plan leaves them out.

use std::cmp::Ordering;
use std::ops::Bound;

use bytes::Bytes;

use crate::data::{RowRange, RowSet, prefix_end};
use crate::key::KeyLayout;
use crate::model::ModelSchema;
use crate::query::plan::gather::rows_from;
use crate::query::{Part, Plan};

/// Leaves out the rows before the position of a plan in order of keys.
pub(super) fn before(plan: &mut Plan, from: &Bound<Bytes>) {
    let reversed = plan.reversed;
    for scan in &mut plan.scans {
        scan.parts.retain_mut(|part| cut_part(part, from, reversed));
    }
}

/// Narrows the rows of a part, and returns whether any are left.
fn cut_part(part: &mut Part, from: &Bound<Bytes>, reversed: bool) -> bool {
    let rows = rows_from(&part.rows, from.clone(), reversed);
    let is_left = rows.is_some();
    part.rows = rows.unwrap_or_default();
    is_left
}

/// Leaves out the rows of the position's time whose events were delivered, of a plan in order of
/// time: each page would read them again.
pub(super) fn same_time(schema: &ModelSchema, plan: &mut Plan, key: &[u8], descending: bool) {
    let key_layout = &schema.key;
    let Some((time, segment)) = key_layout.time_segment() else {
        return;
    };
    let ties = key_layout.first_tie_breaker();
    let in_rows = ties.filter(|_| !key_layout.has_ties_in_cells());
    let Some(ties) = in_rows.filter(|_| segment.format.sorts() && !schema.is_united()) else {
        return;
    };
    skip_own(key_layout, plan, key);
    // With another identifier between them, rows of a series at one time are not adjacent.
    if ties != time + 1 {
        return;
    }
    if let Some((names, from_time)) = key_layout.split_at(time, key)
        && let Some((to_ties, _)) = key_layout.split_at(ties, key)
        && let Some(at) = to_ties.get(names.len()..)
    {
        let position = Position {
            key,
            time: at,
            from_time,
            descending,
        };
        skip_others(key_layout, plan, time, &position);
    }
}

/// The event after which results are wanted.
struct Position<'k> {
    key: &'k [u8],
    /// The time in its key.
    time: &'k [u8],
    /// The time and all after it.
    from_time: &'k [u8],
    descending: bool,
}

/// Leaves out the rows before the position in its own series.
fn skip_own(key_layout: &KeyLayout, plan: &mut Plan, key: &[u8]) {
    let reversed = plan.reversed;
    // A salt may put events of one time into any shard; each shard has the same order.
    for key in key_layout.in_each_shard(key) {
        let key = Bytes::from(key);
        let itself = (Bound::Included(key.clone()), Bound::Included(key.clone())).into();
        let after = Bound::Excluded(key);
        for scan in &mut plan.scans {
            scan.parts.retain_mut(|part| {
                let is_there = part.rows.within(&itself).is_some();
                !is_there || cut_part(part, &after, reversed)
            });
        }
    }
}

/// Leaves out the rows of the position's time in other series, if these come first at each time.
/// `time` is the place of the time in the key.
fn skip_others(key_layout: &KeyLayout, plan: &mut Plan, time: usize, position: &Position<'_>) {
    let reversed = plan.reversed;
    for scan in &mut plan.scans {
        scan.parts.retain_mut(|part| {
            let names = names_of_all(key_layout, time, &part.rows);
            let at = names.and_then(|names| position.delivered(key_layout, names));
            let after = at.and_then(|at| match reversed {
                true => Some(Bound::Excluded(at.into())),
                false => Some(Bound::Included(prefix_end(&at)?.into())),
            });
            after.is_none_or(|after| cut_part(part, &after, reversed))
        });
    }
}

/// The part of keys before the time, if all rows have the same.
fn names_of_all<'r>(key_layout: &KeyLayout, time: usize, rows: &'r RowSet) -> Option<&'r [u8]> {
    let start = rows.ranges.iter().find_map(|range| match &range.start {
        Bound::Included(key) | Bound::Excluded(key) => Some(key),
        Bound::Unbounded => None,
    });
    let (names, _) = key_layout.split_at(time, rows.keys.first().or(start)?)?;
    let of_names = RowRange::prefix(names.to_vec());
    (rows.within(&of_names).as_ref() == Some(rows)).then_some(names)
}

impl Position<'_> {
    /// The beginning of all keys of a series at the position's time, if its events of that time
    /// come before the position.
    fn delivered(&self, key_layout: &KeyLayout, names: &[u8]) -> Option<Vec<u8>> {
        let same = [names, self.from_time].concat();
        let first = match self.descending {
            true => Ordering::Greater,
            false => Ordering::Less,
        };
        let is_first = key_layout.compare_ties(&same, self.key) == first;
        is_first.then(|| [names, self.time].concat())
    }
}
