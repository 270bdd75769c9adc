//! One bulk-write request being built.

use crate::Timestamp;
use crate::data::{EncodedEntry, EntryBatch, EntrySize, RowMutations, limits};
use crate::model::{Made, ModelSchema};
use crate::send::places::Places;

/// The maximum number of rows in one bulk-write request.
const ROWS_PER_REQUEST: usize = 1_000;

/// The maximum size of one bulk-write request, in bytes.
const BYTES_PER_REQUEST: usize = 8 << 20;

/// The size from which a request takes no further row, in bytes, as that of Google's client for
/// HBase: in a larger one, what was written has left the processor's caches by the time it is sent.
/// Further events of its rows may follow, since a row is written once then.
const BYTES_FOR_ROWS: usize = 1 << 20;

/// Whether a row of its own may be sent with others.
pub(crate) fn has_room(entries: &EntryBatch, row: &RowMutations) -> bool {
    let size = entries.size();
    entries.is_empty()
        || entries.len() < ROWS_PER_REQUEST
            && size.wire_bytes + row.wire_bytes() <= BYTES_FOR_ROWS
            && size.mutations + row.mutations.len() <= limits::MUTATIONS
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
    size: Size,
    /// Memory for an entry that is encoded here.
    buffer: EncodedEntry,
}

/// How large an entry is.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Size {
    /// Bytes on the wire.
    pub(crate) bytes: usize,
    pub(crate) mutations: usize,
}

impl Size {
    pub(crate) fn of(size: &EntrySize) -> Self {
        Self {
            bytes: size.wire_bytes,
            mutations: size.mutations,
        }
    }
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
            size: Size::default(),
        };
        std::mem::replace(self, next)
    }

    /// The index of the row with this key, if an earlier entry writes to it.
    pub(crate) fn place(&self, key: &[u8]) -> Option<usize> {
        self.places.get(key)
    }

    /// Whether an entry for the row at a place may be sent with the others.
    pub(crate) fn has_room_for(&self, place: Option<usize>, size: Size) -> bool {
        let most = match place {
            None => BYTES_FOR_ROWS,
            Some(_) => BYTES_PER_REQUEST,
        };
        self.is_empty()
            || (self.size.bytes + size.bytes <= most
                && self.size.mutations + size.mutations <= limits::MUTATIONS
                && (self.writes.len() < ROWS_PER_REQUEST || place.is_some()))
    }

    /// The events that it writes: the row key and the time of each.
    pub(crate) fn events(&self) -> impl Iterator<Item = (&[u8], Option<Timestamp>)> {
        events(&self.entries, &self.places)
    }

    /// Adds an entry for the row at a place, with its position and size.
    pub(crate) fn add(
        &mut self,
        schema: &ModelSchema,
        place: Option<usize>,
        index: usize,
        entry: Made<'_>,
        size: Size,
    ) {
        let time = entry.time();
        let new = self.writes.len();
        if place.is_none() {
            self.places.push(entry.key());
        }
        let encoded = entry.encoded(schema, place.is_some(), &mut self.buffer);
        match place {
            Some(place) => self.writes.extend_entry(place, encoded),
            None => self.writes.push_entry(encoded),
        }
        self.size.bytes += size.bytes;
        self.size.mutations += encoded.size().mutations;
        let place = place.unwrap_or(new);
        self.entries.push(Entered { index, place, time });
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
    use crate::data::Mutation;
    use crate::model::{EventRow, InsertWriter, Model, insert_mutations};
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
        update.to_mutations()
    }

    /// Whether the one entry of a row that these become may be sent again.
    fn repeats(entries: &[Result<RowMutations, Error>]) -> bool {
        let mut batch = Batch::default();
        for (index, entry) in entries.iter().enumerate() {
            let row = entry.as_ref().unwrap().clone();
            let entry = Made::Row(EventRow { row, time: None });
            let place = batch.place(entry.key());
            batch.add(Rollup::SCHEMA, place, index, entry, Size::default());
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
        // What is added to is replaced each time.
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
            let place = batch.place(entry.key());
            let index = batch.entries.len();
            batch.add(Reading::SCHEMA, place, index, entry, Size::default());
        }
        assert_eq!((batch.writes.len(), batch.entries.len()), (7, 100));
        assert_eq!(batch.writes.to_rows().unwrap(), alone);
        // Two columns of each event, and the name once a row.
        assert_eq!(batch.size.mutations, 2 * 100 + 7);
    }

    #[test]
    fn a_request_takes_events_of_its_rows_for_longer_than_other_rows() {
        let megabyte = Size {
            bytes: 1_000_000,
            mutations: 1,
        };
        let batch = |megabytes| Batch {
            entries: vec![Entered {
                index: 0,
                place: 0,
                time: None,
            }],
            size: Size {
                bytes: megabytes * megabyte.bytes,
                mutations: 1,
            },
            ..Batch::default()
        };
        assert!(batch(0).has_room_for(None, megabyte));
        assert!(!batch(1).has_room_for(None, megabyte));
        assert!(batch(7).has_room_for(Some(0), megabyte));
        assert!(!batch(8).has_room_for(Some(0), megabyte));
    }
}
