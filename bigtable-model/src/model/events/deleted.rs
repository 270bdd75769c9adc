//! Events that were deleted while they have other sources.

use crate::Timestamp;
use crate::model::tombstones::of_tombstone;

use super::RowEvents;
use super::join::{Mark, Marks};

impl RowEvents {
    /// Marks the places of deleted events of a row, of wanted times: those of which the row holds a
    /// tombstone and no event. An event that was written again goes before its tombstone.
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
