//! Many events, written one after another.

use std::mem;

use bytes::{Bytes, BytesMut};

use super::{Change, EventWriter, column_error};
use crate::data::RowMutations;
use crate::model::{Model, ModelSchema};
use crate::{Error, Timestamp};

/// The first block; each next one is twice as large.
const FIRST_BLOCK_BYTES: usize = 512;

/// The largest block. It is small, since it lives as long as any of its events, which a backend may
/// keep.
const BLOCK_BYTES: usize = 16 << 10;

/// An event of at least this size has its own memory.
const LARGE_BYTES: usize = BLOCK_BYTES / 4;

/// Makes the mutations of many events, as [`insert_mutations`](super::insert_mutations) does of
/// one.
///
/// Events share blocks for their bytes, and buffers are reused: allocating and freeing memory for
/// each event takes longer than writing one.
#[derive(Debug, Default)]
pub(crate) struct InsertWriter(Buffers);

/// The buffers in which an event is collected.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    pub(super) bytes: Vec<u8>,
    pub(super) changes: Vec<Change>,
    pub(super) block: Option<Block>,
}

/// The memory to which the bytes of complete events are moved.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// What is left of it.
    rest: BytesMut,
    size: usize,
}

impl Block {
    fn hold(&mut self, bytes: &mut Vec<u8>) -> Bytes {
        if bytes.len() >= LARGE_BYTES {
            return hold_alone(bytes);
        }
        if self.rest.capacity() < bytes.len() {
            self.size = (self.size * 2).clamp(FIRST_BLOCK_BYTES, BLOCK_BYTES);
            self.rest = BytesMut::with_capacity(self.size.max(bytes.len()));
        }
        self.rest.extend_from_slice(bytes);
        self.rest.split().freeze()
    }
}

/// Gives the buffer away and leaves one for an event of about the same size; if it is much too
/// large, its bytes are copied instead.
fn hold_alone(bytes: &mut Vec<u8>) -> Bytes {
    let len = bytes.len();
    if bytes.capacity() - len > len / 8 {
        let held = Bytes::copy_from_slice(bytes);
        *bytes = Vec::with_capacity(len + len / 16);
        return held;
    }
    mem::replace(bytes, Vec::with_capacity(len + len / 16)).into()
}

impl Buffers {
    pub(super) fn for_one(schema: &ModelSchema) -> Self {
        Self {
            bytes: Vec::with_capacity(256),
            changes: Vec::with_capacity(schema.columns.len() + 1),
            block: None,
        }
    }
}

impl InsertWriter {
    /// The mutations that write an event. After an error the next one can be written.
    pub(crate) fn insert<M: Model>(
        &mut self,
        event: &M,
        now: Timestamp,
    ) -> Result<RowMutations, Error> {
        let mut buffers = mem::take(&mut self.0);
        buffers.bytes.clear();
        buffers.changes.clear();
        buffers.block.get_or_insert_default();
        let key = |out: &mut Vec<u8>| event.encode_key(out);
        let described = || event.key().to_string();
        let mut writer = EventWriter::begin_in(buffers, M::SCHEMA, event.time(), key, described)?;
        let row = writer.insert(event, now);
        self.0 = Buffers {
            bytes: writer.bytes,
            changes: writer.changes,
            block: writer.block,
        };
        row
    }
}

impl EventWriter {
    /// The mutations that write an event whose key is written.
    pub(super) fn insert<M: Model>(
        &mut self,
        event: &M,
        now: Timestamp,
    ) -> Result<RowMutations, Error> {
        self.mark();
        let written = event.write_columns(self);
        written.map_err(|error| column_error(self, error))?;
        self.insertion(now)
    }

    /// The bytes, to be shared by key, qualifiers and values.
    pub(super) fn share_bytes(&mut self) -> Bytes {
        match &mut self.block {
            Some(block) => block.hold(&mut self.bytes),
            None => Bytes::from(mem::take(&mut self.bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::data::Mutation;
    use crate::model::insert_mutations;

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
        let mut writer = InsertWriter::default();
        // Blocks fill up, an event has one of its own, and one can't be written.
        let sizes = [
            0,
            300,
            1_000,
            LARGE_BYTES,
            20,
            BLOCK_BYTES,
            15_000,
            15_000,
            15_100,
        ];
        for (number, bytes) in (0..).zip(sizes.repeat(8)) {
            let good = note("ann", number, bytes);
            let alone = insert_mutations(&good, now).unwrap();
            assert_eq!(writer.insert(&good, now).unwrap(), alone);
            let bad = note("a#b", number, bytes);
            let alone = insert_mutations(&bad, now).unwrap_err();
            let error = writer.insert(&bad, now).unwrap_err();
            assert_eq!(error.to_string(), alone.to_string());
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
