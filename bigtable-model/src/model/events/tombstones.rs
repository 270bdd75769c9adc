//! Marks of deleted events, while the model's events have sources other than its own rows.
//!
//! Such an event may still be stored there, so its delete leaves a tombstone in its own row: a cell
//! named by the event's time, in a separate family that no garbage-collection rule touches.

use bytes::Bytes;
use bytestring::ByteString;

use super::RowEvents;
use super::join::{Mark, Marks};
use crate::Timestamp;
use crate::data::{CellRef, Mutation, RowFilter};
use crate::model::ModelSchema;
use crate::model::packed::names::packed_cells;
use crate::table::TOMBSTONES;

/// The name of the tombstone of an entity, which has no time.
const OF_ENTITY: &str = "entity";

impl ModelSchema {
    /// The tombstone that a delete of the event with this time leaves, so that it does not reappear
    /// from another source.
    pub(crate) fn tombstone(&self, time: Option<Timestamp>) -> Option<Mutation> {
        self.is_united().then(|| Mutation::SetCell {
            family: ByteString::from_static(TOMBSTONES),
            qualifier: tombstone_name(self.stored_time(time)).into(),
            timestamp_micros: 0,
            value: Bytes::new(),
        })
    }

    /// The filter, extended to let through the rows' tombstones, and the cells that packing adds.
    pub(crate) fn with_tombstones(&self, filter: Option<RowFilter>) -> Option<RowFilter> {
        let tombstones = self.is_united().then(tombstones);
        let packed = self.is_packed().then(packed_cells);
        RowFilter::interleave([Some(filter?), tombstones, packed].into_iter().flatten())
    }
}

impl RowEvents {
    /// Marks the deleted events of a row at wanted times: those with a tombstone but no event. An
    /// event that was written again takes precedence over its tombstone.
    pub(super) fn mark_deleted(&mut self, wanted: impl Fn(Timestamp) -> bool) {
        let found = self.marks.len();
        for (index, cell) in (0_u32..).zip(self.row.get().cells()) {
            let Some(time) = of_tombstone(cell) else {
                continue;
            };
            // A row that is one event has its time in the key.
            let time = time.unwrap_or_default();
            let place = if self.holds_one {
                Timestamp::default()
            } else {
                time
            };
            let events = self.marks.get(..found).unwrap_or_default();
            let is_there = events
                .binary_search_by_key(&place, |mark| mark.time)
                .is_ok();
            if (self.holds_one || wanted(time)) && !is_there {
                self.marks.push(Mark {
                    time: place,
                    cell: index,
                    marks: Marks::Deleted,
                });
            }
        }
        if self.marks.len() > found {
            self.marks.sort_by_key(|mark| mark.time);
            self.marks.dedup_by_key(|mark| mark.time);
        }
    }
}

/// Lets through the tombstones of a row.
pub(crate) fn tombstones() -> RowFilter {
    RowFilter::FamilyRegex(TOMBSTONES.to_owned())
}

/// The qualifier of the tombstone of an event with this stored time.
pub(in crate::model) fn tombstone_name(time: Option<Timestamp>) -> String {
    time.map_or_else(|| OF_ENTITY.to_owned(), |time| time.as_micros().to_string())
}

/// The time of the event whose tombstone a cell is; `None` if it is no tombstone.
#[allow(
    clippy::option_option,
    reason = "the tombstone of an entity has no time"
)]
fn of_tombstone(cell: CellRef<'_>) -> Option<Option<Timestamp>> {
    if cell.family() != TOMBSTONES {
        return None;
    }
    if cell.qualifier() == OF_ENTITY.as_bytes() {
        return Some(None);
    }
    let micros = std::str::from_utf8(cell.qualifier()).ok()?.parse().ok()?;
    Some(Some(Timestamp::from_micros(micros)))
}
