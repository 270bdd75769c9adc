//! Rows to events, in every layout.

mod at_hand;
mod columns;
mod deleted;
mod deletion;
mod join;
mod strays;

use std::ops::Range;

use bytes::Bytes;

use crate::data::{CellRef, RowBatch, RowRef};
use crate::key::time::bucket::Bucket;
use crate::key::{KeyError, with_label};
use crate::{Error, Timestamp};

pub(crate) use at_hand::AtHand;
use columns::{ABSENT, Columns};
pub(crate) use deleted::TOMBSTONES;
pub(in crate::model) use deleted::tombstone_name;
use join::{Mark, Marks, Point};
use strays::Strays;

use super::describe::with_place;
use super::layout::TimeIn;
use super::{EventCells, EventTimes, Holds, Model, ModelSchema, Projection, ReadError};

/// Finds the events of rows. A query makes one reader.
///
/// An event exists if its row has the cell that marks it: the marker, or a cell of the column that
/// every event has. Cells that do not belong to the model are ignored.
///
/// Cells of the model's own columns that cannot belong to an event are ignored too: their time is
/// outside the row's bucket or off the grid of the model's times, or their offset is invalid.
/// Queries report them.
#[derive(Debug)]
pub struct EventReader {
    schema: &'static ModelSchema,
    columns: Columns,
    times: TimeIn<'static>,
    /// Which events a row holds.
    holds: Holds,
    /// Whether values distinguish events at the same time.
    by_value: bool,
    /// Whether cells that cannot belong to an event are reported.
    judges: bool,
    /// Whether events that were deleted and have a former self are told.
    unites: bool,
}

impl EventReader {
    /// A reader of a model's rows.
    #[must_use]
    pub fn new(schema: &'static ModelSchema) -> Self {
        Self {
            schema,
            columns: Columns::new(schema),
            times: schema.in_layout().time_in(),
            holds: schema.holds(),
            by_value: schema.in_layout().value_is_qualifier(),
            judges: false,
            unites: false,
        }
    }

    /// A reader that reports cells of the model's own columns that cannot belong to an event: each
    /// of their times is found as an event that cannot be read.
    pub(crate) fn judging(schema: &'static ModelSchema) -> Self {
        Self {
            judges: true,
            ..Self::new(schema)
        }
    }

    /// A reader of one event, which tells too that it was deleted, while events of a former layout
    /// are read.
    pub(crate) fn of_one(schema: &'static ModelSchema) -> Self {
        Self {
            unites: schema.former.is_some(),
            ..Self::new(schema)
        }
    }

    /// As [`judging`](EventReader::judging), and events that were deleted while events of a former
    /// layout are read are told: each has its place among the others.
    pub(crate) fn uniting(schema: &'static ModelSchema) -> Self {
        Self {
            unites: true,
            ..Self::judging(schema)
        }
    }

    /// Finds the events of a row, or of the first row of a [`RowBatch`]: ascending in time, those
    /// whose time is in `times`; in layout `latest` the newest of the row, if its time is in
    /// `times`. The contents of `events` are replaced, and its buffers reused.
    ///
    /// # Errors
    /// [`Error::ForeignKey`] if the time or the bucket in the row's key cannot be decoded; `events`
    /// is then empty. In layout `row` with [`EventTimes::All`] the key is not checked.
    pub fn load(
        &self,
        rows: impl Into<RowBatch>,
        times: &EventTimes,
        events: &mut RowEvents,
    ) -> Result<(), Error> {
        events.put(rows.into());
        self.find(times, events)
    }

    /// Finds the events of the next row of the batch, like [`load`](EventReader::load); `None`
    /// after the last.
    pub fn load_next(
        &self,
        times: &EventTimes,
        events: &mut RowEvents,
    ) -> Option<Result<(), Error>> {
        events.advance().then(|| self.find(times, events))
    }

    /// Finds the events of the row at hand, like [`load`](EventReader::load).
    pub(crate) fn find(&self, times: &EventTimes, events: &mut RowEvents) -> Result<(), Error> {
        events.start(self);
        match (self.times, self.schema.key.bucket()) {
            (TimeIn::Key, _) | (_, None) => self.load_one(times, events),
            (TimeIn::Stamp, Some(bucket)) => {
                self.load_bucket(bucket, times, events, |cell, _, _| Some(cell.time()))
            }
            (TimeIn::Qualifier(offset), Some(bucket)) => {
                let mut scratch = Vec::new();
                self.load_bucket(bucket, times, events, |_, rest, start| {
                    offset.time_of_offset(start, rest, &mut scratch)
                })
            }
        }
    }

    /// A row that is one event.
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
        let row = events.at_hand.row();
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

    /// A row that holds the events of a bucket. `time_of` returns the time of a cell from the cell,
    /// the part of its qualifier after the column's name, and the bucket's beginning.
    #[inline]
    fn load_bucket(
        &self,
        bucket: &Bucket,
        times: &EventTimes,
        events: &mut RowEvents,
        mut time_of: impl FnMut(CellRef<'_>, &[u8], Timestamp) -> Option<Timestamp>,
    ) -> Result<(), Error> {
        let start = self.label_in_key(events)?;
        let held = Held::new(bucket, start);
        let is_latest = self.holds == Holds::Newest;
        let mut expected = 0;
        // If a slot has several points, the first stays.
        let mut former = Vec::new();
        for (index, cell) in (0_u32..).zip(events.at_hand.row().cells()) {
            let time_of = |rest: &[u8]| time_of(cell, rest, start);
            let found = self.columns.find(cell, &mut expected, time_of);
            let Some((slot, is_alias, time)) = found else {
                if self.judges && self.columns.could_be(self.schema, cell) {
                    events.strays.add_outside(index, None);
                }
                continue;
            };
            if !is_latest && !times.contain(time) {
                continue;
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
        let presence = u32::try_from(self.columns.presence()).unwrap_or(ABSENT);
        join::marks(&events.points, presence, &mut events.marks);
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

    /// The beginning of the row's bucket. The label is kept for the events of the row.
    fn label_in_key(&self, events: &mut RowEvents) -> Result<Timestamp, Error> {
        let key = events.key();
        let label = self.schema.key.label_of(key);
        let label = label.map_err(|source| foreign(self.schema, key, source))?;
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
            .map_err(|source| foreign(self.schema, key, source))
    }
}

/// The times that a row's events can have.
struct Held {
    /// From the first on, before the second.
    between: Option<(Timestamp, Option<Timestamp>)>,
    /// The times are multiples of this, in microseconds.
    grid: i64,
}

impl Held {
    fn new(bucket: &Bucket, start: Timestamp) -> Self {
        let between = (!bucket.is_endless()).then(|| (start, bucket.next(start)));
        Self {
            between,
            grid: bucket.grid_micros.max(1),
        }
    }

    #[inline]
    fn holds(&self, time: Timestamp) -> bool {
        self.is_within(time) && self.is_on_grid(time)
    }

    #[inline]
    fn is_within(&self, time: Timestamp) -> bool {
        self.between
            .is_none_or(|(start, end)| start <= time && end.is_none_or(|end| time < end))
    }

    #[inline]
    fn is_on_grid(&self, time: Timestamp) -> bool {
        time.as_micros() % self.grid == 0
    }
}

/// The events of one row, found by [`EventReader::load`]. Its buffers are reused for the next row.
#[derive(Debug, Default)]
pub struct RowEvents {
    schema: Option<&'static ModelSchema>,
    at_hand: AtHand,
    /// Whether the row is the event.
    holds_one: bool,
    /// One for each event.
    marks: Vec<Mark>,
    /// Whether the row has an event at a time that was not asked for.
    passed_over: bool,
    /// The number of slots of an event.
    width: usize,
    /// For each event and column the index of its cell, or [`ABSENT`].
    slots: Vec<u32>,
    /// The cells of a row of many events before they are joined.
    points: Vec<Point>,
    /// Cells that cannot belong to an event.
    strays: Strays,
    /// The place of the label in the row's key, if the row holds a bucket's events, and when its
    /// bucket begins.
    label: Option<(Range<usize>, Timestamp)>,
}


impl RowEvents {
    /// How many events were found.
    #[must_use]
    pub fn len(&self) -> usize {
        self.marks.len()
    }

    /// Whether no event was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// Whether the row's newest event is known: it was found, or its time was not asked for.
    pub(crate) fn knows_newest(&self) -> bool {
        self.passed_over || self.events() > 0
    }

    /// How many events were found, without cells that cannot belong to one.
    pub(crate) fn events(&self) -> usize {
        let marks = self.marks.iter();
        marks.filter(|mark| mark.marks == Marks::Event).count()
    }

    /// The row's key.
    #[must_use]
    #[inline]
    pub fn key(&self) -> &[u8] {
        self.row().key()
    }

    /// The row's key to keep.
    pub(crate) fn shared_key(&self) -> Bytes {
        self.row().shared_key()
    }

    /// The time of the event at `index`; `None` for an entity. In layout `row` it is decoded from
    /// the key.
    ///
    /// # Errors
    /// [`Error::ForeignKey`] if it cannot be decoded from the key.
    #[inline]
    pub fn time(&self, index: usize) -> Result<Option<Timestamp>, Error> {
        match self.schema {
            Some(schema) if self.holds_one => schema
                .key
                .time_at_end_of(self.key())
                .map_err(|source| foreign(schema, self.key(), source)),
            _ => Ok(self.marks.get(index).map(|mark| mark.time)),
        }
    }

    /// In layout `qualifiers` the qualifier of the event at `index`, which distinguishes it from
    /// others at its time; `None` in other layouts.
    pub(crate) fn qualifier(&self, index: usize) -> Option<&[u8]> {
        self.schema
            .filter(|schema| schema.in_layout().value_is_qualifier())?;
        let cell = usize::try_from(self.marks.get(index)?.cell).ok()?;
        Some(self.row().cell(cell)?.qualifier())
    }

    /// The event at `index`, which is below [`len`](RowEvents::len), as a value of the model or of
    /// a projection of it.
    ///
    /// # Errors
    /// [`Error::ForeignKey`] when the key is not the model's, [`Error::MissingColumn`] and
    /// [`Error::Value`] when the event's columns are not what the model writes. The row's other
    /// events can still be read.
    pub fn read<P: Projection>(&self, index: usize) -> Result<P, Error> {
        self.check_place(index)?;
        let schema = P::Model::SCHEMA;
        let time = self.time_in_row(index);
        let row_key = self.key();
        let decode = || P::Model::decode_key(row_key);
        let label = self.label.as_ref();
        let label = label.and_then(|(label, start)| Some((row_key.get(label.clone())?, *start)));
        let key = match label {
            Some((label, start)) => with_label(label, start, decode),
            None => decode(),
        };
        key.map_err(ReadError::Key)
            .and_then(|mut key| {
                if let Some(time) = time {
                    P::Model::set_time(&mut key, time);
                }
                P::read(&key, &self.cells(schema, index))
            })
            .map_err(|error| with_place(schema, row_key, time, error))
    }

    /// Checks that the key is the model's, for callers that read nothing else; once for each row.
    ///
    /// # Errors
    /// [`Error::ForeignKey`] if it is not, and [`Error::ForeignCell`] for cells that do not belong
    /// to an event.
    pub(crate) fn check_key<M: Model>(&self, index: usize) -> Result<(), Error> {
        self.check_place(index)?;
        if index > 0 && index + 1 < self.len() {
            return Ok(());
        }
        match M::decode_key(self.key()) {
            Ok(_) => Ok(()),
            Err(source) => Err(foreign(M::SCHEMA, self.key(), source)),
        }
    }

    /// Whether the event at `index` is there and a condition holds of its cells.
    pub(crate) fn holds_at(&self, index: usize, holds: impl Fn(&EventCells<'_>) -> bool) -> bool {
        match (self.schema, self.marks.get(index)) {
            (Some(schema), Some(mark)) => match mark.marks {
                Marks::Event | Marks::Between => holds(&self.cells(schema, index)),
                Marks::Outside => true,
                Marks::Deleted => false,
            },
            _ => false,
        }
    }

    /// Whether at `index` is an event that was deleted.
    pub(crate) fn is_deleted(&self, index: usize) -> bool {
        let mark = self.marks.get(index);
        mark.is_some_and(|mark| mark.marks == Marks::Deleted)
    }

    /// The row, with all cells that were read.
    #[inline]
    pub(crate) fn row(&self) -> RowRef<'_> {
        self.at_hand.row()
    }

    /// Goes to the first row of a batch, whose events are to be found. Returns what was at hand.
    pub(crate) fn put(&mut self, batch: RowBatch) -> AtHand {
        self.put_back(AtHand::first_of(batch))
    }

    /// Goes to a row that was at hand before.
    pub(crate) fn put_back(&mut self, row: AtHand) -> AtHand {
        self.marks.clear();
        std::mem::replace(&mut self.at_hand, row)
    }

    /// Goes to the next row of the batch, whose events are to be found; false if there is none.
    #[inline]
    pub(crate) fn advance(&mut self) -> bool {
        let is_there = self.at_hand.advance();
        if is_there {
            self.marks.clear();
        }
        is_there
    }

    /// The cells of one event.
    pub(super) fn cells(&self, schema: &'static ModelSchema, index: usize) -> EventCells<'_> {
        let start = index * self.width;
        let slots = self.slots.get(start..start + self.width);
        let time = self.time_in_row(index);
        EventCells::new(schema, self.row(), slots.unwrap_or_default(), time)
    }

    /// The time of an event, if rows hold many.
    pub(super) fn time_in_row(&self, index: usize) -> Option<Timestamp> {
        match self.holds_one {
            true => None,
            false => self.marks.get(index).map(|mark| mark.time),
        }
    }

    /// The model's schema, once a row was loaded.
    #[cfg(any(test, feature = "testing"))]
    pub(super) fn schema(&self) -> Option<&'static ModelSchema> {
        self.schema
    }

    fn start(&mut self, reader: &EventReader) {
        self.schema = Some(reader.schema);
        self.holds_one = reader.holds == Holds::One;
        self.width = reader.columns.slots(reader.schema);
        self.passed_over = false;
        self.marks.clear();
        self.slots.clear();
        self.points.clear();
        self.strays.clear();
        self.label = None;
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

    /// Removes the events for whose cells a condition does not hold.
    pub(crate) fn retain(&mut self, holds: impl Fn(&EventCells<'_>) -> bool) {
        let Some(schema) = self.schema else { return };
        // Cells outside the bucket have no columns to compare.
        let is_outside = |index: usize| {
            let mark = self.marks.get(index);
            mark.is_some_and(|mark| mark.marks == Marks::Outside)
        };
        let holds = |index| is_outside(index) || holds(&self.cells(schema, index));
        let kept: Vec<bool> = (0..self.len()).map(holds).collect();
        if kept.iter().all(|kept| *kept) {
            return;
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

fn foreign(schema: &ModelSchema, key: &[u8], source: KeyError) -> Error {
    Error::ForeignKey {
        table: schema.table.to_string(),
        key: Bytes::copy_from_slice(key),
        source,
    }
}
