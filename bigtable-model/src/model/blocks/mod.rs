//! The events of a row that has only blocks, column by column as they were packed.

pub(super) mod cellular;

use std::ops::Range;
use std::sync::OnceLock;

use bigtable_pack::{Column, Values};
use bytes::Bytes;

use cellular::Cellular;

/// The bytes of a float of 32 bits.
const SINGLE: usize = 4;

/// Events by column, without making cells of their values.
#[derive(Debug, Default)]
pub(crate) struct BlockEvents {
    /// In the order of time.
    blocks: Vec<Part>,
}

/// A block among others.
#[derive(Debug)]
struct Part {
    /// How many events earlier blocks have.
    first: usize,
    events: usize,
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
    /// How many events there are.
    pub(crate) fn len(&self) -> usize {
        self.blocks
            .last()
            .map_or(0, |part| part.first + part.events)
    }

    /// Adds the columns of a block's events, which come after all others.
    pub(crate) fn push(&mut self, events: usize, columns: Vec<Option<BlockColumn>>) {
        self.blocks.push(Part {
            first: self.len(),
            events,
            columns,
        });
    }

    /// The column of an event's part, and the event's index in the part.
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

    /// The same, as shared bytes.
    pub(crate) fn shared_value(&self, event: u32, slot: usize) -> Option<Bytes> {
        let (column, at) = self.find(usize::try_from(event).ok()?, slot)?;
        let place = column.place(at)?;
        if let Values::Bytes(values) = &column.column.values {
            return values.get(place).cloned();
        }
        // Only this value is converted, since others may not be wanted.
        let mut bytes = Vec::with_capacity(column.width);
        let is_there = Cellular::of(&column.column).write(place, &mut bytes);
        is_there.then(|| bytes.into())
    }

    /// The column of some consecutive events, and their indexes in it, if all of them are in one
    /// block.
    pub(crate) fn column(&self, events: Range<usize>, slot: usize) -> Option<InBlock<'_>> {
        let mut parts = self.blocks.iter();
        let part = parts.find(|part| {
            part.first <= events.start && events.end <= part.first.saturating_add(part.events)
        })?;
        let column = part.columns.get(slot).and_then(Option::as_ref);
        Some((column, events.start - part.first..events.end - part.first))
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
