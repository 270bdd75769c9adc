//! One bulk-write request being built.

use crate::Timestamp;
use crate::data::{EncodedEntry, EntryBatch, RowMutations, limits};
use crate::model::{Made, ModelSchema};
use crate::send::places::Places;

/// The maximum number of rows in one bulk-write request.
const ROWS_PER_REQUEST: usize = 1_000;

/// The maximum size of one bulk-write request, in bytes.
const BYTES_PER_REQUEST: usize = 8 << 20;

/// The size from which a request of encoded entries takes no further row, in bytes, as that of
/// Google's client for HBase: in a larger one, what was written has left the processor's caches by
/// the time it is sent. Further events of its rows may follow, since a row is written once then.
const BYTES_FOR_ROWS: usize = 1 << 20;

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
    pub(crate) writes: Writes,
    /// The index of each key's row: the service may apply entries for one row in any order, so a
    /// request has at most one, with the changes of the row in order.
    pub(crate) places: Places,
    pub(super) entries: Vec<Entered>,
    size: Size,
    /// Memory for an entry that is encoded here.
    buffer: EncodedEntry,
}

/// What a request writes.
#[allow(clippy::large_enum_variant, reason = "there are a few of them")]
#[derive(Debug)]
pub(crate) enum Writes {
    Rows(Vec<RowMutations>),
    Entries(EntryBatch),
}

/// How large an entry is.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Size {
    /// Bytes on the wire.
    pub(crate) bytes: usize,
    pub(crate) mutations: usize,
}

impl Default for Writes {
    fn default() -> Self {
        Self::Rows(Vec::new())
    }
}

impl Writes {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Rows(rows) => rows.len(),
            Self::Entries(entries) => entries.len(),
        }
    }

    /// Empty ones of the same form; those of entries in memory that was used before, if there is
    /// some.
    fn next(&self, spare: impl FnOnce() -> Option<EntryBatch>) -> Self {
        match self {
            Self::Rows(rows) => Self::Rows(Vec::with_capacity(rows.len())),
            Self::Entries(_) => Self::Entries(spare().unwrap_or_default()),
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
            writes: self.writes.next(spare),
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
        let most = match (&self.writes, place) {
            (Writes::Entries(_), None) => BYTES_FOR_ROWS,
            _ => BYTES_PER_REQUEST,
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
        if let (Writes::Rows(rows), Made::Event(_)) = (&self.writes, &entry)
            && rows.is_empty()
        {
            self.writes = Writes::Entries(EntryBatch::default());
        }
        self.size.bytes += size.bytes;
        self.size.mutations += match &mut self.writes {
            Writes::Rows(rows) => {
                let mut row = entry.into_row();
                if place.is_some() {
                    row.mutations.retain(|one| !schema.is_written_once(one));
                }
                let mutations = row.mutations.len();
                match place.and_then(|place| rows.get_mut(place)) {
                    Some(before) => before.mutations.append(&mut row.mutations),
                    None => rows.push(row),
                }
                mutations
            }
            Writes::Entries(entries) => {
                let encoded = entry.encoded(schema, place.is_some(), &mut self.buffer);
                match place {
                    Some(place) => entries.extend_entry(place, encoded),
                    None => entries.push_entry(encoded),
                }
                encoded.size().mutations
            }
        };
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
        let all = [Writes::default(), Writes::Entries(EntryBatch::default())];
        let all = all.map(|writes| {
            let mut batch = Batch {
                writes,
                ..Batch::default()
            };
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
            match batch.writes {
                Writes::Rows(rows) => rows,
                Writes::Entries(entries) => entries.to_rows().unwrap(),
            }
        });
        let [rows, encoded] = all;
        assert_eq!(rows, encoded);
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
    fn encoded_events_of_a_row_become_the_entry_that_rows_become() {
        let mut writers = [
            InsertWriter::of_rows(Reading::SCHEMA),
            InsertWriter::of_entries(Reading::SCHEMA),
        ];
        let written = writers.each_mut().map(|writer| {
            let mut batch = Batch::default();
            for number in 0..100 {
                let reading = Reading {
                    machine: format!("machine-{}", number % 7),
                    at: at(number),
                    watts: 5.0,
                    note: (number % 5 == 0).then(|| "note".repeat(20)),
                };
                let entry = writer.write(&reading, Timestamp::UNIX_EPOCH).unwrap();
                let place = batch.place(entry.key());
                let index = batch.entries.len();
                batch.add(Reading::SCHEMA, place, index, entry, Size::default());
            }
            assert_eq!((batch.writes.len(), batch.entries.len()), (7, 100));
            let mutations = batch.size.mutations;
            match batch.writes {
                Writes::Rows(rows) => (rows, mutations),
                Writes::Entries(entries) => (entries.to_rows().unwrap(), mutations),
            }
        });
        let [(rows, mutations), encoded] = written;
        let of_rows: usize = rows.iter().map(|row| row.mutations.len()).sum();
        assert_eq!(of_rows, mutations);
        assert_eq!(encoded, (rows, mutations));
        // Two columns of each event, and the name once a row.
        assert_eq!(mutations, 2 * 100 + 7);
    }

    #[test]
    fn a_request_of_entries_ends_before_one_of_rows() {
        let megabyte = Size {
            bytes: 1_000_000,
            mutations: 1,
        };
        for (writes, most) in [
            (Writes::default(), 8),
            (Writes::Entries(EntryBatch::default()), 1),
        ] {
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
                writes: writes.next(|| None),
                ..Batch::default()
            };
            assert!(batch(most - 1).has_room_for(None, megabyte));
            assert!(!batch(most).has_room_for(None, megabyte));
            // Further events of a row that it has.
            assert!(batch(7).has_room_for(Some(0), megabyte));
            assert!(!batch(8).has_room_for(Some(0), megabyte));
        }
    }
}
