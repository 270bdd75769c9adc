//! Finds the events of a row.

use std::borrow::Cow;
use std::sync::atomic::AtomicBool;

use bigtable_pack::{Block, Column};

use crate::data::{CellRef, Row, RowBatch};
use crate::key::KeyLayout;
use crate::key::time::bucket::Bucket;
use crate::model::blocks::{BlockColumn, BlockEvents};
use crate::model::layout::TimeIn;
use crate::model::packed::{Stored, names};
use crate::model::{Entry, EventTimes, Holds, NamedBy, PackedColumns, Schema, stamp_of};
use crate::{Error, Timestamp};

use super::columns::{ABSENT, Columns};
use super::held::Held;
use super::join::{self, Mark, Marks, Point};
use super::{RowEvents, foreign};

/// Finds the events of rows. A query makes one reader.
///
/// An event exists if its row has the cell that marks it: the marker, or a cell of a column that
/// every event has. Cells that do not belong to the model are ignored.
///
/// Cells of the model's own columns that cannot belong to an event are ignored too: their time is
/// outside the row's bucket or off the grid of the model's times, or their offset is invalid.
/// Queries report them.
#[derive(Debug)]
pub struct EventReader {
    schema: Schema,
    /// The layout of the keys of rows, if it is not that of events' keys: tie-breakers in
    /// qualifiers distinguish events at the same time.
    rows: Option<KeyLayout>,
    columns: Columns,
    /// Which events a row holds.
    holds: Holds,
    /// Whether values distinguish events at the same time.
    by_value: bool,
    /// Whether cells that cannot belong to an event are reported.
    judges: bool,
    /// Whether deleted events that another source may have are reported.
    unites: bool,
    /// Whether columns without an event are reported, as events that may lack all other columns.
    marks_all: bool,
    /// Whether rows may hold blocks; their events are left out if a rule would have deleted them by
    /// `expiry`.
    unpacks: bool,
    expiry: Option<Timestamp>,
    /// Whether only values are wanted, not their cells: values of blocks need none.
    of_values: bool,
    /// The wanted columns of blocks, or all.
    wanted: Option<PackedColumns>,
}

impl EventReader {
    /// A reader of a model's rows.
    #[must_use]
    pub fn new(schema: &Schema) -> Self {
        Self {
            schema: schema.clone(),
            rows: match schema.key.of_rows() {
                Cow::Borrowed(_) => None,
                Cow::Owned(rows) => Some(rows),
            },
            columns: Columns::new(schema),
            holds: schema.holds(),
            by_value: schema.in_layout().value_is_qualifier(),
            judges: false,
            unites: false,
            marks_all: false,
            unpacks: schema.is_packed(),
            expiry: None,
            of_values: false,
            wanted: None,
        }
    }

    /// Whether rows contain the names of columns. If not, names in blocks may be former ones, under
    /// which no column is found.
    fn names_columns(&self) -> bool {
        self.schema.in_layout().named_by() != NamedBy::Family
    }

    /// A reader that reads only some columns of blocks.
    pub(crate) fn of_columns(self, wanted: Option<PackedColumns>) -> Self {
        Self {
            wanted: wanted.filter(|_| self.names_columns()),
            ..self
        }
    }

    /// A reader whose events are asked only for values, not for cells.
    pub(crate) fn of_values(self) -> Self {
        Self {
            of_values: self.names_columns(),
            ..self
        }
    }

    /// A reader that leaves out the cells of packed rows that a rule would have deleted by a time:
    /// for other rows, filters of the server do so.
    pub(crate) fn without_expired(self, expiry: Option<Timestamp>) -> Self {
        Self { expiry, ..self }
    }

    /// Like [`telling`](EventReader::telling), and also reports cells of the model's own columns
    /// that cannot belong to an event: each of their times is found as an event that cannot be
    /// read.
    pub(crate) fn judging(schema: &Schema) -> Self {
        Self {
            judges: true,
            ..Self::telling(schema)
        }
    }

    /// A reader that also reports tombstones, if deleted events may have another source: each has
    /// its place among the events.
    pub(crate) fn telling(schema: &Schema) -> Self {
        Self {
            unites: schema.is_united(),
            ..Self::new(schema)
        }
    }

    /// A reader that also finds columns without an event in rows of many events, since conditions
    /// can be about them.
    pub(crate) fn marking_all(self) -> Self {
        Self {
            marks_all: true,
            ..self
        }
    }

    /// Finds the events of a row, in ascending order of time. Events outside `times` are left out.
    /// In layout `latest` it finds only the newest event, if its time is in `times`. The contents
    /// of `events` are replaced, and its buffers reused.
    ///
    /// # Errors
    /// [`Error::ForeignKey`] if the time or the bucket in the row's key cannot be decoded; `events`
    /// is then empty. In layout `row` with [`EventTimes::All`] the key is not checked.
    pub fn load(&self, row: Row, times: &EventTimes, events: &mut RowEvents) -> Result<(), Error> {
        events.put(RowBatch::from(row));
        self.load_next(times, events).unwrap_or(Ok(()))
    }

    /// Finds the events of the next row of the batch that was [put](RowEvents::put) there, like
    /// [`load`](EventReader::load); `None` after the last row.
    pub fn load_next(
        &self,
        times: &EventTimes,
        events: &mut RowEvents,
    ) -> Option<Result<(), Error>> {
        events.advance().then(|| self.find(times, events))
    }

    /// Finds the events of the current row of `events`, like [`load`](EventReader::load).
    pub(crate) fn find(&self, times: &EventTimes, events: &mut RowEvents) -> Result<(), Error> {
        self.begin(events);
        if self.unpacks
            && let Some(stored) = Stored::read(&self.schema, events.row(), self.wanted.as_ref())?
        {
            if self.of_values && stored.is_alone() && self.has_all_in(&stored) {
                let blocks = stored.into_blocks();
                self.label_in_key(events)?;
                self.take_blocks(blocks, times, events);
                return Ok(());
            }
            let row = stored.in_cells(&self.schema, times, self.expiry)?;
            row.into_iter().for_each(|row| events.row.replace(row));
        }
        match (self.schema.in_layout().time_in(), self.schema.key.bucket()) {
            (TimeIn::Key, _) | (_, None) => self.load_one(times, events),
            (TimeIn::Stamp, Some(bucket)) => {
                self.load_bucket(bucket, times, events, |cell, _, _| Some((cell.time(), 0)))
            }
            (TimeIn::Qualifier(offset), Some(bucket)) if self.rows.is_some() => {
                let mut scratch = Vec::new();
                self.load_bucket(bucket, times, events, |_, rest, start| {
                    let (rest, ties) = offset.before_ties(rest)?;
                    let time = offset.time_of_offset(bucket, start, rest, &mut scratch)?;
                    Some((time, ties.len()))
                })
            }
            (TimeIn::Qualifier(offset), Some(bucket)) => {
                let mut scratch = Vec::new();
                self.load_bucket(bucket, times, events, |_, rest, start| {
                    let time = offset.time_of_offset(bucket, start, rest, &mut scratch)?;
                    Some((time, 0))
                })
            }
        }
    }

    /// Clears the events of another row.
    fn begin(&self, events: &mut RowEvents) {
        events.schema = Some(self.schema.clone());
        events.holds_one = self.holds == Holds::One;
        events.width = self.columns.slots(&self.schema);
        events.passed_over = false;
        events.key_is_good = AtomicBool::new(false);
        events.clear();
        events.slots.clear();
        events.points.clear();
        events.entries.clear();
        events.strays.clear();
        events.ties.clear();
        events.label = None;
    }

    /// Loads a row that is one event.
    fn load_one(&self, times: &EventTimes, events: &mut RowEvents) -> Result<(), Error> {
        let wanted = match times {
            EventTimes::All => true,
            times => self
                .time_in_key(events.key())?
                .is_none_or(|time| times.contain(time)),
        };
        if !wanted {
            return Ok(());
        }
        events.slots.resize(events.width, ABSENT);
        let row = events.row.get();
        self.columns.newest(row, &mut events.slots);
        let presence = events.slots.get(self.columns.presence());
        if let Some(&cell) = presence.filter(|slot| **slot != ABSENT) {
            let time = Timestamp::default();
            let marks = Marks::Event;
            events.marks.push(Mark { time, cell, marks });
        } else if self.unites {
            events.mark_deleted(|_| true);
        }
        Ok(())
    }

    /// Loads a row with the events of a bucket. `time_of` returns a cell's time, and the length of
    /// the tie-breakers that end its qualifier, from the cell, the part of its qualifier after the
    /// column's name, and the bucket's start.
    #[inline]
    fn load_bucket(
        &self,
        bucket: &Bucket,
        times: &EventTimes,
        events: &mut RowEvents,
        mut time_of: impl FnMut(CellRef<'_>, &[u8], Timestamp) -> Option<(Timestamp, usize)>,
    ) -> Result<(), Error> {
        let start = self.label_in_key(events)?;
        let held = Held::new(bucket, start);
        let is_latest = self.holds == Holds::Newest;
        let has_maps = self.schema.has_maps();
        let mut expected = 0;
        // If a slot has several points, the first stays.
        let mut former = Vec::new();
        for (index, cell) in (0_u32..).zip(events.row.get().cells()) {
            let mut time_of = |rest: &[u8]| time_of(cell, rest, start);
            let found = self.columns.find(cell, &mut expected, &mut time_of);
            let Some((slot, is_alias, (time, ties))) = found else {
                let entry = has_maps.then(|| self.schema.entry_of(cell.family(), cell.qualifier()));
                let entry = entry.flatten();
                if let Some((time, _)) = entry.and_then(|entry| time_of(entry.offset)) {
                    if !is_latest && !times.contain(time) {
                        continue;
                    }
                    match held.holds(time) {
                        true => events.entries.push(Entry { time, cell: index }),
                        false if self.judges => events.strays.add_entry(&held, time, index),
                        false => {}
                    }
                } else if self.judges && self.columns.could_be(&self.schema, cell) {
                    events.strays.add_outside(index, None);
                }
                continue;
            };
            if !is_latest && !times.contain(time) {
                continue;
            }
            if self.rows.is_some() {
                events.ties.note(index, ties);
            }
            let slot = u32::try_from(slot).unwrap_or(ABSENT);
            let point = Point {
                time,
                slot,
                cell: index,
            };
            if held.holds(time) && is_alias {
                former.push(point);
            } else if held.holds(time) {
                events.points.push(point);
            } else if self.judges {
                events.strays.add(&held, point, &mut events.points);
            }
        }
        events.points.append(&mut former);
        events.entries.sort_unstable();
        let presence = u32::try_from(self.columns.presence()).unwrap_or(ABSENT);
        let presence = (!self.marks_all).then_some(presence);
        if self.rows.is_some() {
            events.join_ties((&held, start), presence, &self.schema.key);
            return Ok(());
        }
        join::marks(&events.points, presence, &mut events.marks);
        if self.marks_all {
            let wanted = |time| times.contain(time) && held.holds(time);
            join::mark_entries(&events.entries, wanted, &mut events.marks);
        }
        if !events.strays.is_empty() {
            events.mark_strays(&held, start, self.by_value);
        }
        if self.unites {
            events.mark_deleted(|time| times.contain(time) && held.holds(time));
        }
        if is_latest {
            events.keep_newest(times);
        }
        match self.by_value {
            true => events.slots_of_marks(self.columns.presence()),
            false => events.join(),
        }
        Ok(())
    }

    /// The start of the row's bucket. The label is kept for the events of the row.
    fn label_in_key(&self, events: &mut RowEvents) -> Result<Timestamp, Error> {
        let key = events.key();
        let rows = self.rows.as_ref().unwrap_or(&self.schema.key);
        let label = rows.label_of(key);
        let label = label.map_err(|source| foreign(&self.schema, key, source))?;
        let Some((label, start)) = label else {
            return Ok(Timestamp::default());
        };
        let first = label.as_ptr().addr().wrapping_sub(key.as_ptr().addr());
        events.label = (!label.is_empty()).then(|| (first..first + label.len(), start));
        Ok(start)
    }

    fn time_in_key(&self, key: &[u8]) -> Result<Option<Timestamp>, Error> {
        self.schema
            .key
            .time_of(key)
            .map_err(|source| foreign(&self.schema, key, source))
    }
}

/// Reading rows of blocks.
impl EventReader {
    /// Whether all events of the blocks can be taken as they are: no rule has deleted some, all
    /// times fit the bucket and ascend, and no column has a former name. If not, reading takes the
    /// cells that the row would have without blocks.
    fn has_all_in(&self, stored: &Stored<'_>) -> bool {
        let Some(bucket) = self.schema.key.bucket() else {
            return false;
        };
        let held = Held::new(bucket, stored.start());
        let mut last = None;
        stored.blocks().all(|block| {
            let follows = has_times_of(&held, last, &block.times);
            last = block.times.last().copied().or(last);
            follows && self.is_usual(block)
        })
    }

    /// Whether the columns of a block have their own names, and none of its events is too old.
    fn is_usual(&self, block: &Block) -> bool {
        let oldest = block.times.first().copied().unwrap_or_default();
        let oldest = stamp_of(Timestamp::from_micros(oldest));
        block.columns.iter().all(|column| {
            let is_own = match (self.slot_of(column), names(column)) {
                (Some((_, is_alias)), _) => !is_alias,
                // A column named at run time has no slot, only cells.
                (None, Some((family, name))) => self.schema.map_of(family, name).is_none(),
                // No name is like this: the cells of the row are refused.
                (None, None) => false,
            };
            let family = names(column).map(|(family, _)| family);
            let is_old = |now| family.is_some_and(|one| self.schema.is_too_old(one, oldest, now));
            is_own && !self.expiry.is_some_and(is_old)
        })
    }

    /// Finds the events at `times` in the blocks, which are all that the row has.
    fn take_blocks(&self, blocks: Vec<Block>, times: &EventTimes, events: &mut RowEvents) {
        let mut found = BlockEvents::default();
        for block in blocks {
            found.push(block.times, self.in_slots(block.columns));
        }
        let is_wanted = |time| times.contain(time);
        let is_wanted: Option<&dyn Fn(Timestamp) -> bool> = match times {
            EventTimes::All => None,
            _ => Some(&is_wanted),
        };
        found.choose(self.columns.presence(), is_wanted);
        events.blocks = Some(found);
    }

    fn in_slots(&self, columns: Vec<Column>) -> Vec<Option<BlockColumn>> {
        let mut slots: Vec<Option<BlockColumn>> = Vec::new();
        slots.resize_with(self.columns.slots(&self.schema), || None);
        for column in columns {
            let slot = self.slot_of(&column);
            if let Some(slot) = slot.and_then(|(slot, _)| slots.get_mut(slot)) {
                *slot = Some(BlockColumn::of(column));
            }
        }
        slots
    }

    fn slot_of(&self, column: &Column) -> Option<(usize, bool)> {
        let (family, name) = names(column)?;
        self.columns.slot_of(family, name)
    }
}

/// Whether the times of a block are a bucket's, and each is after the one before it; `last` is the
/// last of the blocks before.
fn has_times_of(held: &Held, last: Option<i64>, times: &[i64]) -> bool {
    let (Some(&first), Some(&end)) = (times.first(), times.last()) else {
        return true;
    };
    let is_of_bucket = last.is_none_or(|last| last < first)
        && held.holds(Timestamp::from_micros(first))
        && held.is_within(Timestamp::from_micros(end));
    is_of_bucket && (are_regular(held, first, times) || rise(held, first, times))
}

/// Whether all steps are the same. It does not stop at the first that is not, so that several are
/// compared at once.
fn are_regular(held: &Held, first: i64, times: &[i64]) -> bool {
    let step = times.get(1).map_or(0, |second| second.wrapping_sub(first));
    let others = times.iter().zip(times.iter().skip(1));
    let differ = others.fold(0, |differ, (one, next)| {
        differ | (next.wrapping_sub(*one) ^ step)
    });
    // The last one shows that no time went beyond the largest.
    let steps = i64::try_from(times.len().saturating_sub(1)).ok();
    let end = steps.and_then(|steps| step.checked_mul(steps)?.checked_add(first));
    step > 0
        && differ == 0
        && end == times.last().copied()
        && held.is_on_grid(Timestamp::from_micros(step))
}

/// Whether each time is after the one before it, and on the grid.
fn rise(held: &Held, first: i64, times: &[i64]) -> bool {
    // A step often equals the previous one, so that few need a division.
    let (mut step, mut before) = (0, first);
    times.iter().skip(1).all(|&time| {
        let of_this = time.wrapping_sub(before);
        let is_on_grid = of_this == step || held.is_on_grid(Timestamp::from_micros(time));
        let rises = before < time;
        (step, before) = (of_this, time);
        rises && is_on_grid
    })
}
