//! The events of a row that has nothing but blocks, column by column as they were packed.

use std::ops::Range;
use std::sync::OnceLock;

use bigtable_pack::{Block, Column, Values};
use bytes::Bytes;

use crate::Timestamp;
use crate::model::EventTimes;
use crate::model::packed::{Cellular, Stored, names};
use crate::model::times::stamp_of;

use super::join::{Mark, Marks};
use super::reader::Held;
use super::{EventReader, RowEvents};

/// The bytes of a float of 32 bits.
const SINGLE: usize = 4;

/// Events column by column: no cell is made of any value.
#[derive(Debug)]
pub(crate) struct BlockEvents {
    /// In the order of time.
    blocks: Vec<Part>,
}

/// A block among others.
#[derive(Debug)]
struct Part {
    /// How many events the blocks before have.
    first: usize,
    events: usize,
    /// By slot.
    columns: Vec<Option<BlockColumn>>,
}

/// The values of a column.
#[derive(Debug)]
pub(crate) struct BlockColumn {
    column: Column,
    /// Where each event's value is among the values, if not all events have one.
    places: Option<Vec<Option<u32>>>,
    /// The values of numbers as the bytes of cells, once they are wanted, of this length each.
    bytes: OnceLock<Vec<u8>>,
    width: usize,
}

/// The column of a block, if it has it, and the numbers of some events there.
type InBlock<'a> = (Option<&'a BlockColumn>, Range<usize>);

/// The values of a column by what their bytes are in cells.
pub(crate) enum Packed<'a> {
    /// Eight bytes.
    Integers(&'a [i64]),
    Doubles(&'a [f64]),
    /// Four bytes.
    Singles(&'a [f64]),
    Bools(&'a [bool]),
    Others(&'a [Bytes]),
}

impl BlockEvents {
    /// Part and column of an event, and its number in the part.
    #[inline]
    fn find(&self, event: usize, slot: usize) -> Option<(&BlockColumn, usize)> {
        let after = match self.blocks.len() {
            1 => 1,
            _ => self.blocks.partition_point(|part| part.first <= event),
        };
        let part = self.blocks.get(after.checked_sub(1)?)?;
        let column = part.columns.get(slot)?.as_ref()?;
        Some((column, event.checked_sub(part.first)?))
    }

    /// The bytes of a column of an event.
    #[inline]
    pub(crate) fn value(&self, event: u32, slot: usize) -> Option<&[u8]> {
        let (column, at) = self.find(usize::try_from(event).ok()?, slot)?;
        column.value(at)
    }

    /// The same, to keep.
    pub(crate) fn shared_value(&self, event: u32, slot: usize) -> Option<Bytes> {
        let (column, at) = self.find(usize::try_from(event).ok()?, slot)?;
        let place = column.place(at)?;
        if let Values::Bytes(values) = &column.column.values {
            return values.get(place).cloned();
        }
        // Of one value, which says nothing of whether others are wanted.
        let mut bytes = Vec::with_capacity(column.width);
        let is_there = Cellular::of(&column.column).write(place, &mut bytes);
        is_there.then(|| bytes.into())
    }

    /// The column of some events that follow each other, and their numbers in it, if all of them
    /// are in one block.
    fn column(&self, events: Range<usize>, slot: usize) -> Option<InBlock<'_>> {
        let mut parts = self.blocks.iter();
        let part = parts.find(|part| {
            part.first <= events.start && events.end <= part.first.saturating_add(part.events)
        })?;
        let column = part.columns.get(slot).and_then(Option::as_ref);
        Some((column, events.start - part.first..events.end - part.first))
    }
}

impl BlockColumn {
    fn of(column: Column) -> Self {
        let places = (column.present.len() != column.values.len()).then(|| {
            let mut next = 0_u32;
            let places = column.present.iter().map(|present| {
                let place = next;
                next += u32::from(*present);
                present.then_some(place)
            });
            places.collect()
        });
        Self {
            places,
            bytes: OnceLock::new(),
            width: Cellular::width(&column),
            column,
        }
    }

    /// Its values, of the events that have it.
    pub(crate) fn values(&self) -> Packed<'_> {
        match &self.column.values {
            Values::Integers(values) => Packed::Integers(values),
            Values::Floats(values) if self.width == SINGLE => Packed::Singles(values),
            Values::Floats(values) => Packed::Doubles(values),
            Values::Bools(values) => Packed::Bools(values),
            Values::Bytes(values) => Packed::Others(values),
        }
    }

    /// Where the value of an event is among the values.
    #[inline]
    pub(crate) fn place(&self, event: usize) -> Option<usize> {
        match &self.places {
            None => Some(event),
            Some(places) => usize::try_from((*places.get(event)?)?).ok(),
        }
    }

    /// Whether all events have it.
    pub(crate) fn is_full(&self) -> bool {
        self.places.is_none()
    }

    #[inline]
    fn value(&self, event: usize) -> Option<&[u8]> {
        let place = self.place(event)?;
        if let Values::Bytes(values) = &self.column.values {
            return values.get(place).map(|value| &**value);
        }
        let bytes = self.bytes.get_or_init(|| {
            let mut bytes = Vec::with_capacity(self.width * self.column.values.len());
            let mut values = Cellular::of(&self.column);
            while values.next(&mut bytes) {}
            bytes
        });
        let start = place * self.width;
        bytes.get(start..start + self.width)
    }
}

impl EventReader {
    /// Whether the events of blocks are these and nothing else: no rule has deleted some, all times
    /// are those of the bucket, and no column has a former name. Otherwise it takes the cells that
    /// would be there without the blocks.
    pub(super) fn has_all_in(&self, stored: &Stored<'_>) -> bool {
        let Some(bucket) = self.schema.key.bucket() else {
            return false;
        };
        let held = Held::new(bucket, stored.start());
        let mut times = stored.blocks().flat_map(|block| &block.times).copied();
        let Some(mut last) = times.next() else {
            return true;
        };
        // A step is often that before, so not each takes a division.
        let mut step = 0;
        held.holds(Timestamp::from_micros(last))
            && times.all(|time| {
                let of_this = time.wrapping_sub(last);
                let is_on_grid = of_this == step || held.is_on_grid(Timestamp::from_micros(time));
                let rises = last < time;
                (step, last) = (of_this, time);
                rises && is_on_grid
            })
            && held.is_within(Timestamp::from_micros(last))
            && stored.blocks().all(|block| self.is_usual(block))
    }

    /// Whether the columns of a block have their own names, and none of its events is too old.
    fn is_usual(&self, block: &Block) -> bool {
        let oldest = block.times.first().copied().unwrap_or_default();
        let oldest = stamp_of(Timestamp::from_micros(oldest));
        block.columns.iter().all(|column| {
            let is_own = self.slot_of(column).is_none_or(|(_, is_alias)| !is_alias);
            let family = names(column).map(|(family, _)| family);
            let is_old = |now| family.is_some_and(|one| self.schema.is_too_old(one, oldest, now));
            is_own && !self.expiry.is_some_and(is_old)
        })
    }

    /// Finds the events of blocks at `times`, which are all that the row has.
    pub(super) fn take_blocks(
        &self,
        blocks: Vec<Block>,
        times: &EventTimes,
        events: &mut RowEvents,
    ) {
        let mut parts = Vec::with_capacity(blocks.len());
        let mut first = 0_usize;
        for block in blocks {
            let columns = self.in_slots(block.columns);
            let marking = columns.get(self.columns.presence());
            let marking = marking.and_then(Option::as_ref);
            let numbered = block.times.iter().enumerate().filter(|(number, time)| {
                let is_marked = marking.is_some_and(|one| one.place(*number).is_some());
                is_marked && times.contain(Timestamp::from_micros(**time))
            });
            events.marks.extend(numbered.map(|(number, time)| Mark {
                time: Timestamp::from_micros(*time),
                cell: u32::try_from(first + number).unwrap_or(u32::MAX),
                marks: Marks::Event,
            }));
            let count = block.times.len();
            parts.push(Part {
                first,
                events: count,
                columns,
            });
            first += count;
        }
        events.blocks = Some(BlockEvents { blocks: parts });
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

impl RowEvents {
    /// The column of some events that follow each other, if they are in one block and nothing else
    /// is in the row.
    pub(crate) fn in_block(&self, events: Range<usize>, slot: usize) -> Option<InBlock<'_>> {
        let blocks = self.blocks.as_ref()?;
        let marks = self.marks.get(events)?;
        let number = |mark: &Mark| usize::try_from(mark.cell).ok();
        let (first, last) = (number(marks.first()?)?, number(marks.last()?)?);
        let follow = last - first + 1 == marks.len();
        follow.then(|| blocks.column(first..last + 1, slot))?
    }

    /// Whether all of these are events.
    pub(crate) fn are_events(&self, events: Range<usize>) -> bool {
        let marks = self.marks.get(events).unwrap_or_default();
        marks.iter().all(|mark| mark.marks == Marks::Event)
    }

    /// The times of some events of a row that holds many.
    pub(crate) fn times(&self, events: Range<usize>) -> impl Iterator<Item = Timestamp> + '_ {
        let marks = self.marks.get(events).unwrap_or_default();
        marks.iter().map(|mark| mark.time)
    }
}
