//! The entries of a bulk write, and the message of a request with some of them.
//!
//! Entries are encoded from the caller's values, without messages in between. The size of an entry
//! is computed once, since it is needed before the request is made and for each level of nesting.

mod body;
mod outcomes;

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use prost::Message;
use prost::encoding::{encode_varint, encoded_len_varint};

use crate::data::{Mutation, RowMutations, RowOnce};
use crate::grpc::protocol::wire;
pub(crate) use body::EntriesBody;
pub(crate) use outcomes::Outcomes;

#[cfg(test)]
mod tests;

/// The changes of one row: `MutateRowsRequest.Entry`.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    row: RowMutations,
    idempotency: Option<wire::Idempotency>,
    /// Its size on the wire, without its own tag and length.
    len: usize,
}

impl Entry {
    /// Of a row that takes so many bytes on the wire.
    pub(crate) fn new(row: RowOnce, len: usize) -> Self {
        let idempotency = row.idempotency.map(wire::Idempotency::from);
        let token = idempotency
            .as_ref()
            .map(|one| framed_len(one.encoded_len()));
        Self {
            len: len + token.unwrap_or_default(),
            row: row.row,
            idempotency,
        }
    }

    pub(crate) fn has_token(&self) -> bool {
        self.idempotency.is_some()
    }

    /// Whether it is safe to send twice.
    pub(crate) fn is_repeatable(&self) -> bool {
        self.idempotency.is_some() || self.row.is_idempotent()
    }

    pub(crate) fn key(&self) -> &Bytes {
        &self.row.key
    }

    /// How many bytes of a request it takes.
    pub(crate) fn len(&self) -> usize {
        framed_len(self.len)
    }

    fn write(&self, out: &mut Written) {
        let buffer = &mut out.buffer;
        frame(ENTRIES, self.len, buffer);
        write_bytes(1, &self.row.key, buffer);
        for mutation in &self.row.mutations {
            match Plain::of(mutation) {
                Some(plain) => {
                    let len = plain.len();
                    frame(2, framed_len(len), &mut out.buffer);
                    frame(plain.field, len, &mut out.buffer);
                    plain.write(out);
                }
                None => {
                    let message = wire::Mutation::from(mutation.clone());
                    frame(2, message.encoded_len(), &mut out.buffer);
                    message.encode_raw(&mut out.buffer);
                }
            }
        }
        if let Some(message) = &self.idempotency {
            frame(3, message.encoded_len(), &mut out.buffer);
            message.encode_raw(&mut out.buffer);
        }
    }
}

/// A mutation that inserts consist of: `SetCell`, or a `DeleteFromColumn` of all times.
struct Plain<'a> {
    /// Which kind of mutation it is on the wire.
    field: u8,
    family: &'a [u8],
    qualifier: &'a [u8],
    timestamp_micros: i64,
    /// `None` is encoded like an empty value.
    value: Option<&'a Bytes>,
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
                value: Some(value),
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
                value: None,
            }),
            _ => None,
        }
    }

    fn len(&self) -> usize {
        let time = match self.timestamp_micros {
            0 => 0,
            micros => 1 + encoded_len_varint(micros.cast_unsigned()),
        };
        let value = self.value.map_or(0, |value| bytes_len(value));
        bytes_len(self.family) + bytes_len(self.qualifier) + time + value
    }

    fn write(&self, out: &mut Written) {
        let buffer = &mut out.buffer;
        write_bytes(1, self.family, buffer);
        write_bytes(2, self.qualifier, buffer);
        if self.timestamp_micros != 0 {
            write_number(3, self.timestamp_micros.cast_unsigned(), buffer);
        }
        match self.value {
            Some(value) if value.len() >= WORTH_A_FRAME => {
                frame(4, value.len(), buffer);
                out.frames.push_back(std::mem::take(buffer).into());
                out.frames.push_back(value.clone());
            }
            Some(value) => write_bytes(4, value, buffer),
            None => {}
        }
    }
}

/// Bytes that are written and not yet sent.
#[derive(Debug, Default)]
struct Written {
    /// Complete frames.
    frames: VecDeque<Bytes>,
    /// The bytes after them.
    buffer: Vec<u8>,
}

/// A value of at least this size is sent from where it is in memory; shorter ones are copied, which
/// takes less time than another frame.
const WORTH_A_FRAME: usize = 32 << 10;

/// The field of a request with its entries.
const ENTRIES: u8 = 2;

/// The types of fields on the wire.
const VARINT: u8 = 0;
const LENGTH_DELIMITED: u8 = 2;

/// A tag and a length, of fields up to 15.
#[inline]
fn frame(field: u8, len: usize, out: &mut Vec<u8>) {
    let tag = field << 3 | LENGTH_DELIMITED;
    match u8::try_from(len) {
        Ok(len @ ..0x80) => out.extend_from_slice(&[tag, len]),
        _ => {
            out.push(tag);
            encode_varint(wide(len), out);
        }
    }
}

/// A tag and a number, of fields up to 15. It is assembled before it is appended: checking for room
/// at each byte takes longer.
fn write_number(field: u8, mut number: u64, out: &mut Vec<u8>) {
    let mut bytes = [0; 11];
    let [tag, digits @ ..] = &mut bytes;
    *tag = field << 3 | VARINT;
    let mut len = 1;
    for digit in digits {
        let [low, ..] = number.to_le_bytes();
        number >>= 7;
        len += 1;
        if number == 0 {
            *digit = low;
            break;
        }
        *digit = low | 0x80;
    }
    out.extend_from_slice(bytes.get(..len).unwrap_or_default());
}

/// The size of a field of `len` bytes, with its tag and length.
fn framed_len(len: usize) -> usize {
    1 + encoded_len_varint(wide(len)) + len
}

/// A field of bytes, left out if it is empty.
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

/// Entries chosen from a bulk write, in the order in which they are sent.
#[derive(Debug, Clone)]
pub(crate) struct Entries {
    pub(crate) all: Arc<Vec<Entry>>,
    pub(crate) chosen: Arc<Vec<usize>>,
}

impl Entries {
    fn get(&self, number: usize) -> Option<&Entry> {
        self.all.get(*self.chosen.get(number)?)
    }

    fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.chosen.iter().filter_map(|index| self.all.get(*index))
    }
}
