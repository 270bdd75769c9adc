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
    // Behind another identifier a series has its events of one time in no single place.
    if ties == time + 1 {
        skip_others(key_layout, plan, key, descending);
    }
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
fn skip_others(key_layout: &KeyLayout, plan: &mut Plan, key: &[u8], descending: bool) {
    let reversed = plan.reversed;
    for scan in &mut plan.scans {
        scan.parts.retain_mut(|part| {
            let names = names_of_all(key_layout, &part.rows);
            let at = names.and_then(|names| delivered(key_layout, names, key, descending));
            let after = at.and_then(|at| match reversed {
                true => Some(Bound::Excluded(at.into())),
                false => Some(Bound::Included(prefix_end(&at)?.into())),
            });
            after.is_none_or(|after| cut_part(part, &after, reversed))
        });
    }
}

/// The part of keys before the time, if all rows have the same.
fn names_of_all<'r>(key_layout: &KeyLayout, rows: &'r RowSet) -> Option<&'r [u8]> {
    let start = rows.ranges.iter().find_map(|range| match &range.start {
        Bound::Included(key) | Bound::Excluded(key) => Some(key),
        Bound::Unbounded => None,
    });
    let (time, _) = key_layout.time_segment()?;
    let (names, _) = key_layout.split_at(time, rows.keys.first().or(start)?)?;
    let of_names = RowRange::prefix(names.to_vec());
    (rows.within(&of_names).as_ref() == Some(rows)).then_some(names)
}

/// The beginning of all keys of a series at the position's time, if its events of that time come
/// before the position.
fn delivered(
    key_layout: &KeyLayout,
    names: &[u8],
    position: &[u8],
    descending: bool,
) -> Option<Vec<u8>> {
    let (time, _) = key_layout.time_segment()?;
    let (own, rest) = key_layout.split_at(time, position)?;
    let (to_ties, _) = key_layout.split_at(time + 1, position)?;
    let place = key_layout.compare_ties(&[names, rest].concat(), position);
    let first = match descending {
        true => Ordering::Greater,
        false => Ordering::Less,
    };
    let at = to_ties.get(own.len()..)?;
    (place == first).then(|| [names, at].concat())
}
