//! Joins the cells of a row of many events by time.

use crate::Timestamp;
use crate::model::Entry;

use super::columns::ABSENT;

/// A cell of one event's column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    /// The event's time.
    pub(super) time: Timestamp,
    /// The column's slot.
    pub(super) slot: u32,
    /// The cell's index in the row.
    pub(super) cell: u32,
}

/// An event of a row: the cell that marks it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    /// The event's time.
    pub(super) time: Timestamp,
    /// The marking cell's index in the row.
    pub(super) cell: u32,
    pub(super) marks: Marks,
}

impl Mark {
    /// The mark of cells outside the bucket that begins at `start`: no event of the row has this
    /// time, and no earlier row of the series has a later event.
    pub(super) fn outside(start: Timestamp, cell: u32) -> Self {
        Self {
            time: Timestamp::from_micros(start.as_micros().saturating_sub(1)),
            cell,
            marks: Marks::Outside,
        }
    }
}

/// What a mark denotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marks {
    Event,
    /// A time off the grid of the model's times, where no event can be.
    Between,
    /// Cells of another bucket, or without a time, reported together, before all of the row's
    /// events.
    Outside,
    /// A deleted event, which another source may still have.
    Deleted,
}

/// The events marked by points of the slot `presence`, or by all points if it is `None`, ascending
/// in time; events at the same time are in the order of the points.
pub(super) fn marks(points: &[Point], presence: Option<u32>, marks: &mut Vec<Mark>) {
    let of_presence = points
        .iter()
        .filter(|point| presence.is_none_or(|presence| point.slot == presence));
    marks.extend(of_presence.map(|point| Mark {
        time: point.time,
        cell: point.cell,
        marks: Marks::Event,
    }));
    // A column's cells come newest first, or by offsets that sort with time or against it: only
    // other offsets need sorting.
    if marks.is_sorted_by(|one, next| one.time > next.time) {
        marks.reverse();
    } else if !marks.is_sorted_by_key(|mark| mark.time) {
        marks.sort_by_key(|mark| mark.time);
    }
}

/// Marks the wanted times that only have columns named at run time.
pub(super) fn mark_entries(
    entries: &[Entry],
    wanted: impl Fn(Timestamp) -> bool,
    marks: &mut Vec<Mark>,
) {
    for entry in entries.iter().filter(|entry| wanted(entry.time)) {
        if let Err(place) = marks.binary_search_by_key(&entry.time, |mark| mark.time) {
            let mark = Mark {
                time: entry.time,
                cell: entry.cell,
                marks: Marks::Event,
            };
            marks.insert(place, mark);
        }
    }
}

/// Puts every point into the slot of its event: `width` slots for each of `marks`. If a slot has
/// several points, the first stays.
pub(super) fn fill(points: &[Point], marks: &[Mark], width: usize, slots: &mut [u32]) {
    let mut near = 0;
    for point in points {
        let Some(event) = event_at(marks, near, point.time) else {
            continue;
        };
        near = event;
        let slot = usize::try_from(point.slot)
            .ok()
            .map(|slot| event * width + slot);
        if let Some(slot) = slot.and_then(|slot| slots.get_mut(slot))
            && *slot == ABSENT
        {
            *slot = point.cell;
        }
    }
}

/// The event at a time, searched from the last one found: the points of a column pass the events in
/// one direction.
#[inline]
fn event_at(marks: &[Mark], near: usize, time: Timestamp) -> Option<usize> {
    let is = |event: &usize| marks.get(*event).is_some_and(|mark| mark.time == time);
    let around = [near.wrapping_sub(1), near + 1, near];
    around
        .into_iter()
        .find(is)
        .or_else(|| marks.binary_search_by_key(&time, |mark| mark.time).ok())
}
