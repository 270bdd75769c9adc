//! Many events, written one after another.

use std::borrow::Cow;

use bytes::Bytes;

use super::EventWriter;
use super::finish::Settled;
use super::made::Made;
use crate::data::{EncodedEntry, Mutation, MutationRef, RowMutations};
use crate::model::{Holds, Schema, shared};
use crate::{Error, Timestamp};

/// Writes many events, each as [`insert_mutations`](crate::model::insert_mutations) does one, in
/// buffers that are reused: allocating and freeing memory for each takes longer than writing it.
#[derive(Debug)]
pub(crate) struct InsertWriter {
    pub(in crate::model) writer: EventWriter,
    settled: Settled,
    encoded: EncodedEntry,
}

/// An event in the writer, not yet part of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WrittenEvent<'a> {
    writer: &'a EventWriter,
    settled: &'a Settled,
    /// Its entry, if no other event writes to its row.
    pub(crate) encoded: &'a EncodedEntry,
}

impl InsertWriter {
    pub(crate) fn new(schema: &Schema) -> Self {
        Self {
            writer: EventWriter {
                // Other bytes are copied in any case.
                worth_sharing: EncodedEntry::WORTH_SHARING,
                ..EventWriter::new(schema)
            },
            settled: Settled::default(),
            encoded: EncodedEntry::default(),
        }
    }

    /// The insert of the event in the writer.
    pub(in crate::model) fn made(&mut self, now: Timestamp) -> Result<Made<'_>, Error> {
        let Self {
            writer,
            settled,
            encoded,
        } = self;
        writer.settle(now, settled)?;
        writer.encode(settled, false, encoded);
        Ok(Made::Event(WrittenEvent {
            writer,
            settled,
            encoded,
        }))
    }
}

impl EventWriter {
    /// The families whose cells an insert deletes first: those of run-time columns. A row that is
    /// not one event may also have those of others.
    fn emptied(&self) -> &[Cow<'static, str>] {
        match self.schema.holds() {
            Holds::One => &self.schema.map_families,
            Holds::Many | Holds::Newest => &[],
        }
    }

    /// The mutations that write the event, replacing one with the same key and time.
    pub(in crate::model) fn insertion(&mut self, now: Timestamp) -> Result<RowMutations, Error> {
        let emptied = self.deletion_of_emptied();
        self.finish(now, emptied)
    }

    /// Encodes a complete event; with `again` for a row to which an earlier one is written.
    fn encode(&self, settled: &Settled, again: bool, out: &mut EncodedEntry) {
        out.begin(self.key());
        for family in self.emptied() {
            out.add(&MutationRef::DeleteFromFamily { family });
        }
        let mutations = self.mutations(settled, again);
        mutations.for_each(|mutation| out.add(&mutation));
    }

    fn deletion_of_emptied(&self) -> Vec<Mutation> {
        let emptied = self
            .emptied()
            .iter()
            .map(|name| Mutation::DeleteFromFamily {
                family: shared(name),
            });
        emptied.collect()
    }
}

impl WrittenEvent<'_> {
    /// Its time; `None` for an entity.
    pub(crate) fn time(&self) -> Option<Timestamp> {
        self.writer.time
    }

    /// Encodes it for a row to which an earlier event of the request is written.
    pub(crate) fn encode_again(&self, encoded: &mut EncodedEntry) {
        self.writer.encode(self.settled, true, encoded);
    }

    /// The same as a separate row.
    pub(crate) fn row(&self) -> RowMutations {
        let bytes = Bytes::copy_from_slice(&self.writer.bytes);
        let emptied = self.writer.deletion_of_emptied();
        self.writer.row(self.settled, bytes, emptied)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::data::EntryBatch;
    use crate::model::{Model as _, insert_mutations};

    #[derive(Debug, bigtable_derive::Model)]
    #[bigtable(crate = crate, table = "NOTE", family = "N")]
    struct Note {
        #[bigtable(key)]
        author: String,
        #[bigtable(time)]
        at: Timestamp,
        text: String,
        title: Option<String>,
        file: Option<Bytes>,
    }

    fn note(author: &str, number: i64, bytes: usize) -> Note {
        Note {
            author: author.to_owned(),
            at: Timestamp::from_seconds(number),
            text: "x".repeat(bytes),
            title: (number % 2 == 0).then(|| "t".to_owned()),
            file: (number % 3 == 0).then(|| vec![7; bytes].into()),
        }
    }

    #[test]
    fn many_are_written_as_each_alone() {
        let now = Timestamp::from_seconds(1);
        let mut entries = InsertWriter::new(Note::SCHEMA);
        // Values are separate, and one cannot be written.
        let sizes = [
            0, 300, 1_000, 4_096, 20, 16_384, 15_000, 15_000, 15_100, 40_000,
        ];
        for (number, bytes) in (0..).zip(sizes.repeat(8)) {
            let good = note("ann", number, bytes);
            let alone = insert_mutations(&good, now).unwrap();
            let Made::Event(entry) = entries.write(&good, now).unwrap() else {
                unreachable!("it makes entries");
            };
            assert_eq!(entry.row(), alone);
            let mut batch = EntryBatch::default();
            batch.push_entry(entry.encoded);
            assert_eq!(batch.to_rows().unwrap(), [alone]);
            let bad = note("a#b", number, bytes);
            let alone = insert_mutations(&bad, now).unwrap_err().to_string();
            assert_eq!(entries.write(&bad, now).unwrap_err().to_string(), alone);
        }
    }

    #[test]
    fn long_bytes_are_shared_and_short_ones_are_not() {
        for (bytes, shared) in [(0, false), (255, false), (256, true), (100_000, true)] {
            let event = note("ann", 3, bytes);
            let file = event.file.clone().unwrap();
            let row = insert_mutations(&event, Timestamp::from_seconds(1)).unwrap();
            let of_file = row.mutations.iter().find_map(|mutation| match mutation {
                Mutation::SetCell {
                    qualifier, value, ..
                } if qualifier == "file" => Some(value),
                _ => None,
            });
            let written = of_file.unwrap();
            assert_eq!(*written, file);
            assert_eq!(written.as_ptr() == file.as_ptr(), shared, "{bytes}");
        }
    }
}
