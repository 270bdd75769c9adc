//! Rows to events, in every layout.

mod columns;
mod deletion;
mod held;
mod join;
mod reader;
mod row_in_batch;
mod strays;
mod tied;
mod ties;
mod tombstones;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use bytes::Bytes;

use crate::data::{CellRef, RowBatch, RowRef};
use crate::key::{KeyError, with_label};
use crate::{Error, Timestamp};

use columns::ABSENT;
use held::Strays;
use join::{Mark, Marks, Point};
pub use reader::EventReader;
pub(crate) use row_in_batch::RowInBatch;
use ties::Ties;
pub(in crate::model) use tombstones::tombstone_name;
pub(crate) use tombstones::tombstones;

use super::blocks::{BlockEvents, InBlock};
use super::describe::{foreign, with_place};
use super::{
    Entry, EventCells, EventTimes, FoundEvent, Model, ModelSchema, Projection, ReadError, Schema,
};

/// The events of one row, found by [`EventReader::load`]. Its buffers are reused for the next row.
#[derive(Debug, Default)]
pub struct RowEvents {
    schema: Option<Schema>,
    row: RowInBatch,
    /// Whether the row is the event.
    holds_one: bool,
    /// One mark for each event that has cells.
    marks: Vec<Mark>,
    /// Whether the row has an event at an unwanted time.
    passed_over: bool,
    /// Whether the row's key was checked and is the model's.
    key_is_good: AtomicBool,
    /// The number of slots of an event.
    width: usize,
    /// The index of the cell of each event and column, or [`ABSENT`].
    slots: Vec<u32>,
    /// The cells of a row of many events before they are joined.
    points: Vec<Point>,
    /// The cells of run-time columns, by the times of their events.
    entries: Vec<Entry>,
    /// Cells that cannot belong to an event.
    strays: Strays,
    /// The tie-breakers in qualifiers, if the model has some.
    ties: Ties,
    /// The position of the label in the row's key and the start of its bucket, if the row holds a
    /// bucket's events.
    label: Option<(Range<usize>, Timestamp)>,
    /// The events, if the row has only blocks and only values are wanted; then there are no marks
    /// and no slots.
    blocks: Option<BlockEvents>,
}

impl FoundEvent<'_> {
    /// The event as a value of the model or of a projection of it.
    ///
    /// # Errors
    /// Those of [`RowEvents::read`].
    #[inline]
    pub(super) fn read<P: Projection>(&self) -> Result<P, Error> {
        let decode = || P::Model::decode_key(self.key);
        let key = match self.label {
            Some((label, start)) => with_label(label, start, decode),
            None => decode(),
        };
        key.map_err(ReadError::Key)
            .and_then(|mut key| {
                if let Some(time) = self.time {
                    P::Model::set_time(&mut key, time);
                }
                P::read(&key, &self.cells)
            })
            .map_err(|error| with_place(P::Model::SCHEMA, self.key, self.time, error))
    }
}

impl RowEvents {
    /// How many events were found.
    #[must_use]
    pub fn len(&self) -> usize {
        let in_cells = self.marks.len();
        self.blocks.as_ref().map_or(in_cells, BlockEvents::len)
    }

    /// Whether no event was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the row's newest event is known: it was found, or its time is unwanted.
    pub(crate) fn knows_newest(&self) -> bool {
        self.passed_over || self.events() > 0
    }

    /// How many events were found, without cells that cannot belong to one.
    pub(crate) fn events(&self) -> usize {
        (0..self.len())
            .filter(|index| self.is_event(*index))
            .count()
    }

    /// Whether there is an event at `index`, not stray cells or a tombstone.
    pub(crate) fn is_event(&self, index: usize) -> bool {
        self.marks_at(index) == Some(Marks::Event)
    }

    /// Whether an event, stray cells or a tombstone is at `index`.
    #[inline]
    fn marks_at(&self, index: usize) -> Option<Marks> {
        match &self.blocks {
            Some(blocks) => blocks.number(index).map(|_| Marks::Event),
            None => self.marks.get(index).map(|mark| mark.marks),
        }
    }

    /// The row's key.
    #[must_use]
    #[inline]
    pub fn key(&self) -> &[u8] {
        self.row().key()
    }

    /// The row's key, as shared bytes.
    pub(crate) fn shared_key(&self) -> Bytes {
        self.row().shared_key()
    }

    /// The key of the event at `index`, without its time if that is not in the row's key: the row's
    /// key, and the tie-breakers if they are in qualifiers.
    #[must_use]
    #[inline]
    pub fn key_at(&self, index: usize) -> &[u8] {
        match self.own_key(index) {
            Some(key) => key,
            None => self.key(),
        }
    }

    /// The same, as shared bytes.
    pub(crate) fn shared_key_at(&self, index: usize) -> Bytes {
        self.own_key(index)
            .cloned()
            .unwrap_or_else(|| self.shared_key())
    }

    /// Whether the events of the row have keys that are more than the row's.
    pub(crate) fn has_keys_of_events(&self) -> bool {
        !self.ties.is_empty()
    }

    /// The key of an event that is more than the row's.
    #[inline]
    fn own_key(&self, index: usize) -> Option<&Bytes> {
        if self.ties.is_empty() {
            return None;
        }
        self.ties.key(self.marks.get(index)?.cell)
    }

    /// The time of the event at `index`; `None` for an entity. In layout `row` it is decoded from
    /// the key.
    ///
    /// # Errors
    /// [`Error::ForeignKey`] if it cannot be decoded from the key.
    #[inline]
    pub fn time(&self, index: usize) -> Result<Option<Timestamp>, Error> {
        match &self.schema {
            Some(schema) if self.holds_one => schema
                .key
                .time_at_end_of(self.key())
                .map_err(|source| foreign(schema, self.key(), source)),
            _ => Ok(self.time_in_many(index)),
        }
    }

    /// In layout `qualifiers` the qualifier of the event at `index`, which distinguishes it from
    /// others at its time; `None` in other layouts.
    pub(crate) fn qualifier(&self, index: usize) -> Option<&[u8]> {
        self.schema
            .as_ref()
            .filter(|schema| schema.in_layout().value_is_qualifier())?;
        let cell = usize::try_from(self.marks.get(index)?.cell).ok()?;
        Some(self.row().cell(cell)?.qualifier())
    }

    /// The event at `index`, which is below [`len`](RowEvents::len), as a value of the model or of
    /// a projection of it.
    ///
    /// # Errors
    /// [`Error::ForeignKey`] when the key is not the model's, [`Error::MissingColumn`] and
    /// [`Error::BadCell`] when the event's columns are not as the model writes them. The row's
    /// other events can still be read.
    #[inline]
    pub fn read<P: Projection>(&self, index: usize) -> Result<P, Error> {
        self.event(P::Model::SCHEMA, index)?.read()
    }

    /// The event at `index`, to be read.
    ///
    /// # Errors
    /// [`Error::ForeignCell`] for cells that do not belong to an event.
    #[inline]
    pub(super) fn event<'r>(
        &'r self,
        schema: &'r ModelSchema,
        index: usize,
    ) -> Result<FoundEvent<'r>, Error> {
        self.check_place(index)?;
        let key = self.key_at(index);
        let label = self.label.as_ref();
        Ok(FoundEvent {
            key,
            label: label.and_then(|(label, start)| Some((key.get(label.clone())?, *start))),
            time: self.time_in_row(index),
            cells: self.cells(schema, index),
        })
    }

    /// Checks that the key is the model's, for callers that read nothing else.
    ///
    /// # Errors
    /// [`Error::ForeignKey`] if it is not, and [`Error::ForeignCell`] for cells that do not belong
    /// to an event.
    pub(crate) fn check_key<M: Model>(&self, index: usize) -> Result<(), Error> {
        self.check_key_by(M::SCHEMA, index, |key| M::decode_key(key).map(drop))
    }

    /// The same for a model without a type.
    pub(crate) fn check_key_of(&self, schema: &ModelSchema, index: usize) -> Result<(), Error> {
        self.check_key_by(schema, index, |key| schema.key.decode(key).map(drop))
    }

    #[inline]
    fn check_key_by(
        &self,
        schema: &ModelSchema,
        index: usize,
        decode: impl FnOnce(&[u8]) -> Result<(), KeyError>,
    ) -> Result<(), Error> {
        self.check_place(index)?;
        // Without tie-breakers in qualifiers all events of a row have one key.
        if !self.key_is_good.load(Relaxed) {
            let key = self.key_at(index);
            decode(key).map_err(|source| foreign(schema, key, source))?;
            self.key_is_good.store(self.ties.is_empty(), Relaxed);
        }
        Ok(())
    }

    /// Whether the event at `index` exists and a condition holds for its cells.
    pub(crate) fn holds_at(&self, index: usize, holds: impl Fn(&EventCells<'_>) -> bool) -> bool {
        match (self.schema.as_ref(), self.marks_at(index)) {
            (Some(schema), Some(marks)) => match marks {
                Marks::Event | Marks::Between => holds(&self.cells(schema, index)),
                Marks::Outside => true,
                Marks::Deleted => false,
            },
            _ => false,
        }
    }

    /// Whether the event at `index` was deleted.
    pub(crate) fn is_deleted(&self, index: usize) -> bool {
        self.marks_at(index) == Some(Marks::Deleted)
    }

    /// The row, with all cells that were read.
    #[inline]
    pub(crate) fn row(&self) -> RowRef<'_> {
        self.row.get()
    }

    /// Moves to before the first row of a batch; [`EventReader::load_next`] finds that row's
    /// events.
    pub fn put(&mut self, rows: RowBatch) {
        self.put_back(RowInBatch::before(rows));
    }

    /// Moves to another row, whose events have yet to be found. Returns the previous row.
    pub(crate) fn put_back(&mut self, row: RowInBatch) -> RowInBatch {
        self.clear();
        std::mem::replace(&mut self.row, row)
    }

    /// Puts the batch aside, with its position.
    pub(crate) fn put_aside(&mut self) -> RowInBatch {
        self.put_back(RowInBatch::default())
    }

    /// Moves to the next row of the batch, whose events have yet to be found; false if there is
    /// none.
    #[inline]
    pub(crate) fn advance(&mut self) -> bool {
        let is_there = self.row.advance();
        if is_there {
            self.clear();
        }
        is_there
    }

    /// Forgets the events of the row.
    #[inline]
    fn clear(&mut self) {
        self.marks.clear();
        self.ties.clear();
        self.blocks = None;
    }

    /// The cells of one event.
    pub(super) fn cells<'r>(&'r self, schema: &'r ModelSchema, index: usize) -> EventCells<'r> {
        let start = index * self.width;
        let slots = self.slots.get(start..start + self.width);
        let entries = self.time_in_row(index).map(|time| self.entries_at(time));
        let cells = EventCells::new(schema, self.row(), slots.unwrap_or_default(), entries);
        let blocks = self.blocks.as_ref();
        match blocks.and_then(|blocks| Some((blocks, blocks.number(index)?))) {
            Some((blocks, number)) => cells.of_blocks(blocks, number),
            None => cells,
        }
    }

    /// The cells of run-time columns of the event at a time.
    fn entries_at(&self, time: Timestamp) -> &[Entry] {
        let from = self.entries.partition_point(|one| one.time < time);
        let after = self.entries.get(from..).unwrap_or_default();
        let count = after.partition_point(|one| one.time == time);
        after.get(..count).unwrap_or_default()
    }

    /// How many cells the event at `index` has, and the sum of what they weigh.
    pub(crate) fn size(&self, index: usize, weight: fn(&CellRef<'_>) -> u64) -> (u64, u64) {
        let schema = self.schema.as_ref();
        schema.map_or((0, 0), |schema| self.cells(schema, index).size(weight))
    }

    /// The time of an event, if rows hold many.
    pub(super) fn time_in_row(&self, index: usize) -> Option<Timestamp> {
        match self.holds_one {
            true => None,
            false => self.time_in_many(index),
        }
    }

    /// The time of an event of a row of many.
    #[inline]
    fn time_in_many(&self, index: usize) -> Option<Timestamp> {
        match &self.blocks {
            Some(blocks) => blocks.time(index),
            None => self.marks.get(index).map(|mark| mark.time),
        }
    }

    /// The model's schema, once a row was loaded.
    pub(super) fn schema(&self) -> Option<&Schema> {
        self.schema.as_ref()
    }

    /// Keeps only the newest event, if its time was asked for. Cells that cannot belong to an event
    /// are reported if they are newer.
    fn keep_newest(&mut self, times: &EventTimes) {
        let is_event = |mark: &Mark| mark.marks == Marks::Event;
        let newest = self.marks.iter().rposition(is_event);
        self.marks.drain(..newest.unwrap_or(0));
        let marked = self.events();
        self.marks.retain(|mark| times.contain(mark.time));
        self.passed_over = self.events() < marked;
    }

    /// The column of some consecutive events, if they are in one block and the row has only blocks.
    pub(crate) fn in_block(&self, events: Range<usize>, slot: usize) -> Option<InBlock<'_>> {
        self.blocks.as_ref()?.column(events, slot)
    }

    /// Whether the row has nothing but blocks, which were taken as they are.
    pub(crate) fn has_only_blocks(&self) -> bool {
        self.blocks.is_some()
    }

    /// Whether all of these are events.
    pub(crate) fn are_events(&self, events: Range<usize>) -> bool {
        if self.has_only_blocks() {
            return true;
        }
        let marks = self.marks.get(events).unwrap_or_default();
        marks.iter().all(|mark| mark.marks == Marks::Event)
    }

    /// Adds the times of some events of a row of many to a list.
    pub(crate) fn add_times(&self, events: Range<usize>, list: &mut Vec<Timestamp>) {
        if let Some(blocks) = &self.blocks {
            return blocks.add_times(events, list);
        }
        let marks = self.marks.get(events).unwrap_or_default();
        list.extend(marks.iter().map(|mark| mark.time));
    }

    /// Removes the events for whose cells a condition does not hold.
    pub(crate) fn retain(&mut self, holds: impl Fn(&EventCells<'_>) -> bool) {
        let Some(schema) = self.schema.as_ref() else {
            return;
        };
        // Cells outside the bucket have no columns to compare.
        let is_outside = |index: usize| self.marks_at(index) == Some(Marks::Outside);
        let holds = |index| is_outside(index) || holds(&self.cells(schema, index));
        let kept = (0..self.len()).map(holds).collect();
        self.keep(kept);
    }

    /// Removes the events for whose keys a condition does not hold, if they have keys of their own.
    pub(crate) fn retain_keys(&mut self, holds: impl Fn(&[u8]) -> bool) {
        if !self.ties.is_empty() {
            let holds = |index| self.own_key(index).is_none_or(|key| holds(key));
            let kept = (0..self.len()).map(holds).collect();
            self.keep(kept);
        }
    }

    /// Keeps some of the events.
    fn keep(&mut self, kept: Vec<bool>) {
        if kept.iter().all(|kept| *kept) {
            return;
        }
        if let Some(blocks) = &mut self.blocks {
            return blocks.retain(&kept);
        }
        let events = self.slots.chunks(self.width.max(1)).zip(&kept);
        let slots = events
            .filter(|(_, kept)| **kept)
            .flat_map(|(slots, _)| slots);
        self.slots = slots.copied().collect();
        let mut kept = kept.into_iter();
        self.marks.retain(|_| kept.next().unwrap_or_default());
    }

    /// One event for each time that has a marking cell.
    fn join(&mut self) {
        self.marks.dedup_by_key(|mark| mark.time);
        self.slots.resize(self.marks.len() * self.width, ABSENT);
        join::fill(&self.points, &self.marks, self.width, &mut self.slots);
    }

    /// One event for each marking cell, which has the event's one column.
    fn slots_of_marks(&mut self, presence: usize) {
        self.slots.resize(self.marks.len() * self.width, ABSENT);
        let events = self.slots.chunks_mut(self.width.max(1));
        for (slots, mark) in events.zip(&self.marks) {
            if let Some(slot) = slots.get_mut(presence) {
                *slot = mark.cell;
            }
        }
    }
}
