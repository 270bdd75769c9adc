//! Counts and checksums of events.

use std::borrow::Cow;

use xxhash_rust::xxh64::{Xxh64, xxh64};

use crate::data::{CellRef, Mutation, RowBatch, RowMutations};
use crate::model::{EventReader, PACKED, RowEvents, Schema};
use crate::query::EventTimes;

/// The number of events, and the sum of the hashes of their cells, which does not depend on order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// The events.
    pub events: u64,
    /// The sum, modulo 2⁶⁴, of the XXH64 of every cell with its key, family, qualifier, timestamp
    /// and value. A cell that belongs to the row counts once for each of the row's events.
    pub checksum: u64,
}

impl Tally {
    pub(super) fn add(&mut self, other: Self) {
        self.events = self.events.saturating_add(other.events);
        self.checksum = self.checksum.wrapping_add(other.checksum);
    }
}

impl std::iter::Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(tallies: I) -> Self {
        tallies.fold(Self::default(), |mut sum, tally| {
            sum.add(tally);
            sum
        })
    }
}

/// The tally of one event to be written, and the size of its key and cells.
pub(super) fn of_event(event: &RowMutations) -> (Tally, u64) {
    let row = RowHash::new(&event.key);
    let mut bytes = event.key.len();
    let mut checksum = 0_u64;
    for mutation in &event.mutations {
        if let Mutation::SetCell {
            family,
            qualifier,
            timestamp_micros,
            value,
        } = mutation
            && *family != PACKED
        {
            bytes += family.len() + qualifier.len() + value.len();
            let cell = row.cell(family, qualifier, *timestamp_micros, value);
            checksum = checksum.wrapping_add(cell);
        }
    }
    let events = 1;
    let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
    (Tally { events, checksum }, bytes)
}

/// Makes tallies of rows that are read.
#[derive(Debug)]
pub(super) struct RowReader {
    events: EventReader,
    /// Family and qualifier of the columns that belong to rows: every event writes them.
    of_row: Vec<(Cow<'static, str>, Cow<'static, str>)>,
}

impl RowReader {
    pub(super) fn new(schema: &Schema) -> Self {
        let columns = schema.columns.iter();
        let of_row = columns.filter(|column| schema.is_of_row(column));
        Self {
            events: EventReader::new(schema),
            of_row: of_row
                .map(|column| (column.family.clone(), column.qualifier.clone()))
                .collect(),
        }
    }

    /// Makes the tally of each row, over all its cells, even those that do not belong to an event.
    /// A row whose key is not the model's has no events.
    pub(super) fn tallies(
        &self,
        rows: RowBatch,
        events: &mut RowEvents,
        mut note: impl FnMut(&RowEvents, Tally),
    ) {
        events.put(rows);
        while let Some(found) = self.events.load_next(&EventTimes::All, events) {
            let found = found.map_or(0, |()| events.len());
            note(events, self.tally(events, found));
        }
    }

    fn tally(&self, events: &RowEvents, found: usize) -> Tally {
        let found = u64::try_from(found).unwrap_or(u64::MAX);
        let hash = RowHash::new(events.key());
        let cells = events.row().cells().filter(|cell| cell.family() != PACKED);
        let cells = cells.map(|cell| {
            let own = hash.of(cell);
            match self.is_of_row(cell) {
                // Without an event it is a stray cell that counts once.
                true => own.wrapping_mul(found.max(1)),
                false => own,
            }
        });
        Tally {
            events: found,
            checksum: cells.fold(0, u64::wrapping_add),
        }
    }

    /// The tally of an event that was read, with the columns that belong to its row and without the
    /// row's other cells.
    pub(super) fn of_read(&self, events: &RowEvents, index: usize) -> Tally {
        let hash = RowHash::new(events.key());
        let of_row = events.row().cells().filter(|cell| self.is_of_row(*cell));
        let cells = events.event_cells(index).chain(of_row);
        let cells = cells.map(|cell| hash.of(cell));
        Tally {
            events: 1,
            checksum: cells.fold(0, u64::wrapping_add),
        }
    }

    fn is_of_row(&self, cell: CellRef<'_>) -> bool {
        let mut columns = self.of_row.iter();
        columns.any(|(family, name)| cell.is_of(family, name.as_bytes()))
    }
}

/// The hash of a row's key, which the hashes of its cells continue.
struct RowHash(u64);

impl RowHash {
    fn new(key: &[u8]) -> Self {
        Self(xxh64(key, 0))
    }

    fn of(&self, cell: CellRef<'_>) -> u64 {
        let stamp = cell.timestamp_micros();
        self.cell(cell.family(), cell.qualifier(), stamp, cell.value())
    }

    fn cell(&self, family: &str, qualifier: &[u8], timestamp: i64, value: &[u8]) -> u64 {
        let mut hash = Xxh64::new(self.0);
        for part in [family.as_bytes(), qualifier] {
            let length = u64::try_from(part.len()).unwrap_or(u64::MAX);
            hash.update(&length.to_le_bytes());
            hash.update(part);
        }
        hash.update(&timestamp.to_le_bytes());
        hash.update(value);
        hash.digest()
    }
}

#[cfg(test)]
mod tests {
    use super::RowHash;

    #[test]
    fn every_part_of_a_cell_counts() {
        let hash = |key: &str, family, qualifier: &str, timestamp, value: &str| {
            let row = RowHash::new(key.as_bytes());
            row.cell(family, qualifier.as_bytes(), timestamp, value.as_bytes())
        };
        let mut hashes = vec![
            hash("k", "f", "q", 1_000, "v"),
            hash("l", "f", "q", 1_000, "v"),
            hash("k", "g", "q", 1_000, "v"),
            hash("k", "fq", "", 1_000, "v"),
            hash("k", "", "fq", 1_000, "v"),
            hash("k", "f", "r", 1_000, "v"),
            hash("k", "f", "q", 2_000, "v"),
            hash("k", "f", "q", 1_000, "w"),
            hash("k", "f", "q", 1_000, ""),
        ];
        let all = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), all);
        // Hashes saved in a checkpoint must keep their meaning.
        let known = 1_221_279_007_090_027_205;
        assert_eq!(hash("k", "f", "q", 1_000, "v"), known);
    }
}
