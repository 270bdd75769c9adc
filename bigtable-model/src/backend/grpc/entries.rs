//! The entries of a bulk write, and some of them as the message of one request.
//!
//! Entries are written to the wire from what the caller gave, without messages in between, and what an entry takes there is worked out
//! once: a request's size is asked for before it is made, when its buffer is, and for each level of nesting.

use std::sync::Arc;

use bytes::{Buf, BufMut, Bytes};
use prost::encoding::{
    DecodeContext, WireType, encode_varint, encoded_len_varint, skip_field, string,
};
use prost::{DecodeError, Message};

use super::wire;
use crate::data::{Mutation, RowMutations};

#[cfg(test)]
mod tests;

/// The changes of one row: `MutateRowsRequest.Entry`.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    row: RowMutations,
    /// What it takes on the wire, without its own tag and length.
    len: usize,
}

impl Entry {
    pub(crate) fn new(row: RowMutations) -> Self {
        let mutations = row
            .mutations
            .iter()
            .map(|one| framed_len(mutation_len(one)));
        let len = bytes_len(&row.key) + mutations.sum::<usize>();
        Self { row, len }
    }

    pub(crate) fn key(&self) -> &Bytes {
        &self.row.key
    }

    /// How many bytes of a request it takes.
    pub(crate) fn len(&self) -> usize {
        framed_len(self.len)
    }

    /// `scratch` is a buffer to use again.
    fn write(&self, scratch: &mut Vec<u8>, out: &mut impl BufMut) {
        scratch.clear();
        frame(ENTRIES, self.len, scratch);
        write_bytes(1, &self.row.key, scratch);
        for mutation in &self.row.mutations {
            match Plain::of(mutation) {
                Some(plain) => {
                    let len = plain.len();
                    frame(2, framed_len(len), scratch);
                    frame(plain.field, len, scratch);
                    plain.write(scratch, out);
                }
                None => {
                    let message = wire::Mutation::from(mutation.clone());
                    frame(2, message.encoded_len(), scratch);
                    message.encode_raw(scratch);
                }
            }
        }
        out.put_slice(scratch);
    }
}

fn mutation_len(mutation: &Mutation) -> usize {
    match Plain::of(mutation) {
        Some(plain) => framed_len(plain.len()),
        None => wire::Mutation::from(mutation.clone()).encoded_len(),
    }
}

/// A mutation as inserts are made of: `SetCell`, or a `DeleteFromColumn` of all times.
struct Plain<'a> {
    /// Which kind of mutation it is on the wire.
    field: u8,
    family: &'a [u8],
    qualifier: &'a [u8],
    timestamp_micros: i64,
    value: &'a [u8],
}

impl<'a> Plain<'a> {
    fn of(mutation: &'a Mutation) -> Option<Self> {
        match mutation {
            Mutation::SetCell {
                family,
                qualifier,
                timestamp_micros,
                value,
            } => Some(Self {
                field: 1,
                family: family.as_bytes(),
                qualifier,
                timestamp_micros: *timestamp_micros,
                value,
            }),
            Mutation::DeleteFromColumn {
                family,
                qualifier,
                start_micros: 0,
                end_micros: 0,
            } => Some(Self {
                field: 2,
                family: family.as_bytes(),
                qualifier,
                timestamp_micros: 0,
                value: &[],
            }),
            _ => None,
        }
    }

    fn len(&self) -> usize {
        let time = match self.timestamp_micros {
            0 => 0,
            micros => 1 + encoded_len_varint(micros.cast_unsigned()),
        };
        bytes_len(self.family) + bytes_len(self.qualifier) + time + bytes_len(self.value)
    }

    /// Writes its fields behind what is in `scratch`, which goes out before a value that is not worth another copy.
    fn write(&self, scratch: &mut Vec<u8>, out: &mut impl BufMut) {
        write_bytes(1, self.family, scratch);
        write_bytes(2, self.qualifier, scratch);
        if self.timestamp_micros != 0 {
            scratch.push(3 << 3 | VARINT);
            encode_varint(self.timestamp_micros.cast_unsigned(), scratch);
        }
        if self.value.len() < WORTH_A_COPY {
            write_bytes(4, self.value, scratch);
            return;
        }
        frame(4, self.value.len(), scratch);
        out.put_slice(scratch);
        out.put_slice(self.value);
        scratch.clear();
    }
}

/// Shorter values are gathered with what is around them.
const WORTH_A_COPY: usize = 64;

/// The types of fields on the wire.
const VARINT: u8 = 0;
const LENGTH_DELIMITED: u8 = 2;

/// A tag and a length, of fields up to 15.
fn frame(field: u8, len: usize, out: &mut Vec<u8>) {
    out.push(field << 3 | LENGTH_DELIMITED);
    encode_varint(wide(len), out);
}

/// What takes `len` bytes, with a tag and a length.
fn framed_len(len: usize) -> usize {
    1 + encoded_len_varint(wide(len)) + len
}

/// A field of bytes, which is left out when it is empty.
fn write_bytes(field: u8, bytes: &[u8], out: &mut Vec<u8>) {
    if !bytes.is_empty() {
        frame(field, bytes.len(), out);
        out.extend_from_slice(bytes);
    }
}

fn bytes_len(bytes: &[u8]) -> usize {
    match bytes.len() {
        0 => 0,
        len => framed_len(len),
    }
}

fn wide(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

/// Entries chosen from all of a bulk write, in the order in which they go out.
#[derive(Debug, Clone)]
pub(crate) struct Entries {
    pub(crate) all: Arc<Vec<Entry>>,
    pub(crate) chosen: Arc<Vec<usize>>,
}

impl Entries {
    pub(crate) fn into_request(self, table_name: String, app_profile_id: String) -> EntriesRequest {
        EntriesRequest {
            table_name,
            app_profile_id,
            entries: self,
        }
    }

    fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.chosen.iter().filter_map(|index| self.all.get(*index))
    }
}

/// `MutateRowsRequest` for sending only: on the wire the same bytes.
#[derive(Debug)]
pub(crate) struct EntriesRequest {
    table_name: String,
    app_profile_id: String,
    entries: Entries,
}

const TABLE_NAME: u32 = 1;
const ENTRIES: u8 = 2;
const APP_PROFILE_ID: u32 = 3;

impl Message for EntriesRequest {
    fn encode_raw(&self, buffer: &mut impl BufMut) {
        if !self.table_name.is_empty() {
            string::encode(TABLE_NAME, &self.table_name, buffer);
        }
        let mut scratch = Vec::with_capacity(1 << 10);
        for entry in self.entries.iter() {
            entry.write(&mut scratch, buffer);
        }
        if !self.app_profile_id.is_empty() {
            string::encode(APP_PROFILE_ID, &self.app_profile_id, buffer);
        }
    }

    fn encoded_len(&self) -> usize {
        let text = |tag, text: &String| match text.is_empty() {
            true => 0,
            false => string::encoded_len(tag, text),
        };
        text(TABLE_NAME, &self.table_name)
            + text(APP_PROFILE_ID, &self.app_profile_id)
            + self.entries.iter().map(Entry::len).sum::<usize>()
    }

    /// Nobody decodes this message; a field of it is passed over.
    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buffer: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        skip_field(wire_type, tag, buffer, context)
    }

    fn clear(&mut self) {
        self.entries.chosen = Arc::default();
    }
}
