//! One bulk-write request being built.

use crate::Timestamp;
use crate::data::limits::MUTATIONS;
use crate::data::{EncodedEntry, EntryBatch};
use crate::model::{Made, ModelSchema};
use crate::send::limits::{BYTES_FOR_ROWS, BYTES_PER_REQUEST, ROWS_PER_REQUEST};
use crate::send::places::Places;

/// Whether an entry of this size, in bytes on the wire and mutations, may be sent with others. If a
/// place is given, the entry belongs to the row there.
#[inline]
pub(crate) fn has_room(
    entries: &EntryBatch,
    place: Option<usize>,
    (bytes, mutations): (usize, usize),
) -> bool {
    let (most_rows, most_bytes) = match place {
        None => (ROWS_PER_REQUEST, BYTES_FOR_ROWS),
        Some(_) => (usize::MAX, BYTES_PER_REQUEST),
    };
    let size = entries.size();
    entries.is_empty()
        || entries.len() < most_rows
            && size.wire_bytes + bytes <= most_bytes
            && size.mutations + mutations <= MUTATIONS
}

/// An entry that was taken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entered {
    /// Its position among the entries.
    pub(crate) index: usize,
    /// The index of its row in the request.
    pub(crate) place: usize,
    /// The time of its event, if it belongs to one.
    pub(crate) time: Option<Timestamp>,
}

/// Entries that are sent together.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) writes: EntryBatch,
    /// The index of each key's row: the service may apply entries for one row in any order, so a
    /// request has at most one, with the changes of the row in order.
    pub(crate) places: Places,
    pub(super) entries: Vec<Entered>,
    /// Memory for an entry that is encoded here.
    buffer: EncodedEntry,
}

impl Batch {
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Takes the entries, and leaves room for as many: growing takes longer than adding them.
    pub(super) fn take(&mut self, spare: impl FnOnce() -> Option<EntryBatch>) -> Self {
        let next = Self {
            writes: spare().unwrap_or_default(),
            places: Places::with_room_of(&self.places),
            entries: Vec::with_capacity(self.entries.len()),
            buffer: std::mem::take(&mut self.buffer),
        };
        std::mem::replace(self, next)
    }

    /// The events that it writes: the row key and the time of each.
    pub(crate) fn events(&self) -> impl Iterator<Item = (&[u8], Option<Timestamp>)> {
        events(&self.entries, &self.places)
    }

    /// Adds an entry with its position; gives it back if there is no room for it.
    pub(crate) fn add<'e>(
        &mut self,
        schema: &ModelSchema,
        index: usize,
        entry: Made<'e>,
    ) -> Option<Made<'e>> {
        let place = self.places.get(entry.key());
        let encoded = entry.encoded(schema, place.is_some(), &mut self.buffer);
        let size = encoded.size();
        if !has_room(&self.writes, place, (size.wire_bytes, size.mutations)) {
            return Some(entry);
        }
        let time = entry.time();
        let new = self.writes.len();
        match place {
            Some(place) => self.writes.extend_entry(place, encoded),
            None => {
                self.places.push(entry.key());
                self.writes.push_entry(encoded);
            }
        }
        let place = place.unwrap_or(new);
        self.entries.push(Entered { index, place, time });
        None
    }
}

/// The row key and the time of each event.
pub(super) fn events<'a>(
    entries: &'a [Entered],
    rows: &'a Places,
) -> impl Iterator<Item = (&'a [u8], Option<Timestamp>)> {
    entries
        .iter()
        .filter_map(|entered| Some((rows.key(entered.place)?, entered.time)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::data::{Mutation, RowMutations};
    use crate::model::{EventRow, InsertWriter, IntoUpdate, Model, insert_mutations};
    use crate::{Error, Timestamp};

    /// A roll-up of a day in a row.
    #[derive(Debug, bigtable_derive::Model)]
    #[bigtable(crate = crate, table = "ROLLUP", family = "SUM", layout = "cells")]
    struct Rollup {
        #[bigtable(key)]
        host: String,
        #[bigtable(time, bucket = "day", unit = "s")]
        at: Timestamp,
        #[bigtable(aggregate = "sum")]
        count: i64,
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_seconds(second)
    }

    fn whole(second: i64) -> Result<RowMutations, Error> {
        let (host, count) = ("a".to_owned(), 5);
        let at = at(second);
        insert_mutations(&Rollup { host, at, count }, Timestamp::UNIX_EPOCH)
    }

    fn added(second: i64) -> Result<RowMutations, Error> {
        let (host, at) = ("a".to_owned(), at(second));
        let update = Rollup::update(&RollupKey { host, at }).add_count(1);
        update.into_update().to_mutations(Timestamp::now())
    }

    /// Merges these into the one entry of their row, and returns whether it may be sent again.
    fn repeats(entries: &[Result<RowMutations, Error>]) -> bool {
        let mut batch = Batch::default();
        for (index, entry) in entries.iter().enumerate() {
            let row = entry.as_ref().unwrap().clone();
            let entry = Made::Row(EventRow { row, time: None });
            assert!(batch.add(Rollup::SCHEMA, index, entry).is_none());
        }
        assert_eq!(
            (batch.writes.len(), batch.entries.len()),
            (1, entries.len())
        );
        let rows = batch.writes.to_rows().unwrap();
        rows.iter().all(RowMutations::is_idempotent)
    }

    #[test]
    fn entries_that_share_a_row_repeat_when_all_of_them_do() {
        assert!(repeats(&[whole(1)]));
        assert!(repeats(&[whole(1), whole(2), whole(1)]));
        assert!(!repeats(&[added(1)]));
        assert!(!repeats(&[whole(2), added(1)]));
        assert!(!repeats(&[added(1), whole(1)]));
        // Each time, the cell that is added to is replaced first.
        assert!(repeats(&[whole(1), added(1)]));
    }

    /// A day of readings in a row, which has the machine's name once.
    #[derive(Debug, bigtable_derive::Model)]
    #[bigtable(crate = crate, table = "READING", family = "R", layout = "columns")]
    struct Reading {
        #[bigtable(key, column = "ID")]
        machine: String,
        #[bigtable(time, bucket = "day", unit = "s")]
        at: Timestamp,
        watts: f64,
        note: Option<String>,
    }

    #[test]
    fn events_of_a_row_become_one_entry() {
        let mut writer = InsertWriter::new(Reading::SCHEMA);
        let mut batch = Batch::default();
        let mut alone: Vec<RowMutations> = Vec::new();
        for number in 0..100 {
            let reading = Reading {
                machine: format!("machine-{}", number % 7),
                at: at(number),
                watts: 5.0,
                note: (number % 5 == 0).then(|| "note".repeat(20)),
            };
            let mut row = insert_mutations(&reading, Timestamp::UNIX_EPOCH).unwrap();
            match alone.iter_mut().find(|one| one.key == row.key) {
                // The name is written once.
                Some(one) => one.mutations.extend(row.mutations.drain(..).filter(|mutation| {
                    !matches!(mutation, Mutation::SetCell { qualifier, .. } if qualifier == "ID")
                })),
                None => alone.push(row),
            }
            let entry = writer.write(&reading, Timestamp::UNIX_EPOCH).unwrap();
            let index = batch.entries.len();
            assert!(batch.add(Reading::SCHEMA, index, entry).is_none());
        }
        assert_eq!((batch.writes.len(), batch.entries.len()), (7, 100));
        assert_eq!(batch.writes.to_rows().unwrap(), alone);
        // Two columns for each event, and the name once for each row.
        assert_eq!(batch.writes.size().mutations, 2 * 100 + 7);
    }

    #[test]
    fn a_request_takes_events_of_its_rows_for_longer_than_other_rows() {
        let mut batch = Batch::default();
        let mut add = |key: &'static str, bytes: usize| {
            let cell = Mutation::SetCell {
                family: "SUM".into(),
                qualifier: "q".into(),
                timestamp_micros: 0,
                value: vec![0; bytes].into(),
            };
            let row = RowMutations {
                key: key.into(),
                mutations: vec![cell],
            };
            let entry = Made::Row(EventRow { row, time: None });
            batch.add(Rollup::SCHEMA, 0, entry).is_none()
        };
        let megabyte = 1_000_000;
        assert!(add("a", 1) && add("b", megabyte));
        assert!(!add("c", megabyte));
        assert!((1..8).all(|_| add("b", megabyte)));
        assert!(!add("b", megabyte));
    }
}
