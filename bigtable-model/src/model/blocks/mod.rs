//! The events of a row that has only blocks, column by column as they were packed.

pub(super) mod cellular;

use std::ops::Range;
use std::sync::OnceLock;

use bigtable_pack::{Column, Values};
use bytes::Bytes;

use crate::Timestamp;

use cellular::Cellular;

/// The bytes of a float of 32 bits.
const SINGLE: usize = 4;

/// Events by column, without making cells of their values.
#[derive(Debug, Default)]
pub(crate) struct BlockEvents {
    /// In the order of time.
    blocks: Vec<Part>,
    /// The numbers of the wanted events among those of all blocks, if some are not.
    wanted: Option<Vec<usize>>,
}

/// A block among others.
#[derive(Debug)]
struct Part {
    /// How many events earlier blocks have.
    first: usize,
    /// The times of its events, in microseconds.
    times: Vec<i64>,
    /// The columns by slot.
    columns: Vec<Option<BlockColumn>>,
}

/// The values of a column.
#[derive(Debug)]
pub(crate) struct BlockColumn {
    column: Column,
    /// The index of each event's value among the values, if not all events have one.
    places: Option<Vec<Option<u32>>>,
    /// Numbers as the bytes of cells of length `width`, once they are wanted.
    bytes: OnceLock<Vec<u8>>,
    width: usize,
}

/// The column of a block, if the block has it, and the indexes of some events there.
pub(crate) type InBlock<'a> = (Option<&'a BlockColumn>, Range<usize>);

/// The values of a column by their type in cells.
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
    /// How many wanted events there are.
    pub(crate) fn len(&self) -> usize {
        match &self.wanted {
            Some(wanted) => wanted.len(),
            None => self.all(),
        }
    }

    /// How many events all blocks have.
    fn all(&self) -> usize {
        self.blocks
            .last()
            .map_or(0, |part| part.first + part.times.len())
    }

    /// Adds a block's events, which come after all others.
    pub(crate) fn push(&mut self, times: Vec<i64>, columns: Vec<Option<BlockColumn>>) {
        self.blocks.push(Part {
            first: self.all(),
            times,
            columns,
        });
    }

    /// Keeps the events that have the column in `slot`, at wanted times or at all.
    pub(crate) fn choose(&mut self, slot: usize, is_wanted: Option<&dyn Fn(Timestamp) -> bool>) {
        let is_full = |part: &Part| part.column(slot).is_some_and(BlockColumn::is_full);
        if is_wanted.is_none() && self.blocks.iter().all(is_full) {
            return;
        }
        let wanted = self.blocks.iter().flat_map(|part| {
            let column = part.column(slot);
            let numbered = part.times.iter().enumerate().filter(move |(at, time)| {
                let time = Timestamp::from_micros(**time);
                column.is_some_and(|column| column.place(*at).is_some())
                    && is_wanted.is_none_or(|is_wanted| is_wanted(time))
            });
            numbered.map(|(at, _)| part.first + at)
        });
        self.wanted = Some(wanted.collect());
    }

    /// Keeps the events for which `kept` has true.
    pub(crate) fn retain(&mut self, kept: &[bool]) {
        let events = (0..self.len()).zip(kept).filter(|(_, kept)| **kept);
        let numbers = events.filter_map(|(index, _)| self.number(index));
        self.wanted = Some(numbers.collect());
    }

    /// The number of the wanted event at `index` among the events of all blocks.
    #[inline]
    pub(crate) fn number(&self, index: usize) -> Option<usize> {
        match &self.wanted {
            Some(wanted) => wanted.get(index).copied(),
            None => (index < self.all()).then_some(index),
        }
    }

    /// The part that has an event, and the event's index there.
    #[inline]
    fn part(&self, number: usize) -> Option<(&Part, usize)> {
        let after = match self.blocks.len() {
            1 => 1,
            _ => self.blocks.partition_point(|part| part.first <= number),
        };
        let part = self.blocks.get(after.checked_sub(1)?)?;
        Some((part, number.checked_sub(part.first)?))
    }

    /// The time of the wanted event at `index`.
    #[inline]
    pub(crate) fn time(&self, index: usize) -> Option<Timestamp> {
        let (part, at) = self.part(self.number(index)?)?;
        part.times.get(at).copied().map(Timestamp::from_micros)
    }

    /// Adds the times of some wanted events to a list.
    pub(crate) fn add_times(&self, events: Range<usize>, list: &mut Vec<Timestamp>) {
        if self.wanted.is_some() {
            return list.extend(events.filter_map(|index| self.time(index)));
        }
        for part in &self.blocks {
            let at = |event: usize| event.saturating_sub(part.first).min(part.times.len());
            let times = part.times.get(at(events.start)..at(events.end));
            let times = times.unwrap_or_default().iter().copied();
            list.extend(times.map(Timestamp::from_micros));
        }
    }

    /// The column of an event's part, and the event's index in the part.
    #[inline]
    fn find(&self, number: usize, slot: usize) -> Option<(&BlockColumn, usize)> {
        let (part, at) = self.part(number)?;
        Some((part.column(slot)?, at))
    }

    /// The bytes of a column of the event with this number.
    #[inline]
    pub(crate) fn value(&self, number: usize, slot: usize) -> Option<&[u8]> {
        let (column, at) = self.find(number, slot)?;
        column.value(at)
    }

    /// The same, as shared bytes.
    pub(crate) fn shared_value(&self, number: usize, slot: usize) -> Option<Bytes> {
        let (column, at) = self.find(number, slot)?;
        let place = column.place(at)?;
        if let Values::Bytes(values) = &column.column.values {
            return values.get(place).cloned();
        }
        // Only this value is converted, since others may not be wanted.
        let mut bytes = Vec::with_capacity(column.width);
        let is_there = Cellular::of(&column.column).write(place, &mut bytes);
        is_there.then(|| bytes.into())
    }

    /// The column of some consecutive wanted events, and their indexes in it, if no other event of
    /// the blocks is between them and all of them are in one block.
    pub(crate) fn column(&self, events: Range<usize>, slot: usize) -> Option<InBlock<'_>> {
        let last = self.number(events.end.checked_sub(1)?)?;
        let (part, first) = self.part(self.number(events.start)?)?;
        let last = last.checked_sub(part.first)?;
        let follow = last.checked_sub(first)? + 1 == events.len() && last < part.times.len();
        follow.then(|| (part.column(slot), first..last + 1))
    }
}

impl Part {
    #[inline]
    fn column(&self, slot: usize) -> Option<&BlockColumn> {
        self.columns.get(slot)?.as_ref()
    }
}

impl BlockColumn {
    pub(crate) fn of(column: Column) -> Self {
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

    /// The column's values, for the events that have it.
    pub(crate) fn values(&self) -> Packed<'_> {
        match &self.column.values {
            Values::Integers(values) => Packed::Integers(values),
            Values::Floats(values) if self.width == SINGLE => Packed::Singles(values),
            Values::Floats(values) => Packed::Doubles(values),
            Values::Bools(values) => Packed::Bools(values),
            Values::Bytes(values) => Packed::Others(values),
        }
    }

    /// The index of an event's value among the values.
    #[inline]
    pub(crate) fn place(&self, event: usize) -> Option<usize> {
        match &self.places {
            None => Some(event),
            Some(places) => usize::try_from((*places.get(event)?)?).ok(),
        }
    }

    /// Whether all events have the column.
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
