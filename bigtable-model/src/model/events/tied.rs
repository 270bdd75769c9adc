//! Joins the cells of a row by time and tie-breaker: several events have one time.

use bytes::Bytes;

use super::RowEvents;
use super::columns::ABSENT;
use super::held::Held;
use super::join::{self, Mark, Marks};
use crate::Timestamp;
use crate::key::KeyLayout;

impl RowEvents {
    /// One event for each time and tie-breaker that has a marking cell, in this order. Events of
    /// one time come like the rows of a layout with the tie-breakers in its key: in reverse if the
    /// time is reversed.
    pub(super) fn join_ties(
        &mut self,
        (held, start): (&Held, Timestamp),
        presence: Option<u32>,
        layout: &KeyLayout,
    ) {
        let Self {
            row,
            points,
            marks,
            strays,
            slots,
            ties,
            width,
            ..
        } = self;
        let row = row.get();
        let time = layout.time_segment();
        let reversed = time.is_some_and(|(_, time)| time.format.is_reversed());
        let tie = |cell: u32| {
            let cell = usize::try_from(cell).unwrap_or(usize::MAX);
            let qualifier = row.cell(cell).map_or(&[][..], |cell| cell.qualifier());
            let len = ties.lens.get(cell).copied().unwrap_or_default();
            let start = qualifier.len().saturating_sub(len);
            qualifier.get(start..).unwrap_or_default()
        };
        let order = |a: &(Timestamp, &[u8]), b: &(Timestamp, &[u8])| {
            let ties = match reversed {
                true => b.1.cmp(a.1),
                false => a.1.cmp(b.1),
            };
            a.0.cmp(&b.0).then(ties)
        };
        let of_points = points.iter().map(|point| (point.time, tie(point.cell)));
        let of_strays = strays
            .between
            .iter()
            .map(|mark| (mark.time, tie(mark.cell)));
        let mut events: Vec<_> = of_points.chain(of_strays).collect();
        events.sort_unstable_by(order);
        events.dedup();
        // Joining takes the event's number for its time.
        let number = |time: Timestamp, cell: u32| {
            let event = (time, tie(cell));
            let found = events.binary_search_by(|one| order(one, &event));
            Timestamp::from_micros(i64::try_from(found.unwrap_or_default()).unwrap_or_default())
        };
        for point in points.iter_mut() {
            point.time = number(point.time, point.cell);
        }
        join::marks(points, presence, marks);
        let of_strays = strays.between.drain(..).map(|mark| Mark {
            time: number(mark.time, mark.cell),
            ..mark
        });
        marks.extend(of_strays);
        marks.sort_by_key(|mark| mark.time);
        marks.dedup_by_key(|mark| mark.time);
        slots.resize(marks.len() * *width, ABSENT);
        join::fill(points, marks, *width, slots);
        let mut keys = Vec::with_capacity(marks.len());
        for mark in marks.iter_mut() {
            let event = usize::try_from(mark.time.as_micros()).ok();
            let Some((time, tie)) = event.and_then(|event| events.get(event)) else {
                continue;
            };
            mark.time = *time;
            if !held.is_on_grid(*time) {
                mark.marks = Marks::Between;
            }
            let mut key = Vec::with_capacity(row.key().len() + tie.len() + layout.separator.len());
            layout.with_ties(row.key(), tie, &mut key);
            keys.push((mark.cell, Bytes::from(key)));
        }
        keys.sort_unstable_by_key(|(cell, _)| *cell);
        ties.keys = keys;
        if let Some((cell, _)) = strays.outside {
            marks.insert(0, Mark::outside(start, cell));
            slots.splice(0..0, std::iter::repeat_n(ABSENT, *width));
        }
    }
}
