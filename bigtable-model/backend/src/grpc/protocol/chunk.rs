//! The chunks of a `ReadRowsResponse`, decoded one by one from the received bytes.
//!
//! A scan spends most of its time here. A general decoder makes a list of all chunks, each with
//! fields that count references to the bytes, before the first is used; a [`Chunk`] borrows, and
//! only what is kept is counted, once. It accepts the same bytes with the same meaning as prost,
//! except groups, which the protocol does not use.

use bytes::Bytes;

use crate::Status;
use crate::fields::read::{Value, bytes, field, low_half, malformed, number};
use crate::grpc::protocol::wire::RowStatus;

#[cfg(test)]
mod tests;

/// The maximum number of labels of a cell: more than a filter of Bigtable's size can put on one. A
/// label that takes two bytes on the wire takes many times that in memory.
const MOST_LABELS: usize = 4096;

/// The chunks of one message that have not been taken yet.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chunks {
    message: Bytes,
    /// Where the next field begins.
    at: usize,
    /// Bytes after the last chunk.
    tail: usize,
    scanned: Bytes,
}

/// A cell or a part of one: the wire's `CellChunk`, borrowed from its message.
#[derive(Debug, Clone)]
pub(crate) struct Chunk<'a> {
    /// The message that it is a part of.
    pub(crate) message: &'a Bytes,
    /// The bytes of the message that are no other chunk's: this one and what was skipped before it.
    pub(crate) encoded: usize,
    pub(crate) row_key: &'a [u8],
    pub(crate) family: Option<&'a [u8]>,
    pub(crate) qualifier: Option<&'a [u8]>,
    pub(crate) timestamp_micros: i64,
    pub(crate) labels: Vec<String>,
    pub(crate) value: &'a [u8],
    pub(crate) value_size: i32,
    pub(crate) row_status: Option<RowStatus>,
}

impl Chunks {
    pub(crate) fn new(message: Bytes) -> Self {
        Self {
            message,
            at: 0,
            tail: 0,
            scanned: Bytes::new(),
        }
    }

    /// The next chunk; `None` at the message's end. Malformed bytes fail when they are reached.
    pub(crate) fn next(&mut self) -> Result<Option<Chunk<'_>>, Status> {
        let mut rest = self.message.get(self.at..).unwrap_or_default();
        loop {
            let body = match rest {
                [] => break,
                // A chunk, as all of them are written.
                [0x0a, after @ ..] => {
                    rest = after;
                    bytes(&mut rest)?
                }
                _ => match field(&mut rest)? {
                    (1, Value::Bytes(body)) => body,
                    (2, Value::Bytes(key)) => {
                        self.scanned = self.message.slice_ref(key);
                        continue;
                    }
                    (1 | 2, value) => return Err(value.is_unexpected()),
                    _ => continue,
                },
            };
            let from = std::mem::replace(&mut self.at, self.message.len() - rest.len());
            return Chunk::read(&self.message, self.at - from, body).map(Some);
        }
        self.tail = self.message.len() - self.at;
        self.at = self.message.len();
        Ok(None)
    }

    /// Ends the message, and drops its bytes. Returns the last key scanned, empty if the message
    /// names none, and how many bytes came after the last chunk.
    pub(crate) fn finish(&mut self) -> (Bytes, usize) {
        let Self { scanned, tail, .. } = std::mem::take(self);
        (scanned, tail)
    }
}

impl<'a> Chunk<'a> {
    fn read(message: &'a Bytes, encoded: usize, mut body: &'a [u8]) -> Result<Self, Status> {
        let mut chunk = Self {
            message,
            encoded,
            row_key: &[],
            family: None,
            qualifier: None,
            timestamp_micros: 0,
            labels: Vec::new(),
            value: &[],
            value_size: 0,
            row_status: None,
        };
        while let [key, after @ ..] = body {
            let mut rest = after;
            match key {
                0x0a => chunk.row_key = bytes(&mut rest)?,
                0x12 => wrapper(bytes(&mut rest)?, &mut chunk.family)?,
                0x1a => wrapper(bytes(&mut rest)?, &mut chunk.qualifier)?,
                0x20 => chunk.timestamp_micros = number(&mut rest)?.cast_signed(),
                0x32 => chunk.value = bytes(&mut rest)?,
                0x48 => {
                    let is = number(&mut rest)? != 0;
                    chunk.row_status = Some(RowStatus::CommitRow(is));
                }
                _ => {
                    rest = body;
                    chunk.other(&mut rest)?;
                }
            }
            body = rest;
        }
        Ok(chunk)
    }

    /// Takes any field: fields that few chunks have, and field keys written in more bytes than
    /// necessary.
    fn other(&mut self, body: &mut &'a [u8]) -> Result<(), Status> {
        match field(body)? {
            (1, Value::Bytes(key)) => self.row_key = key,
            (2, Value::Bytes(wrapped)) => wrapper(wrapped, &mut self.family)?,
            (3, Value::Bytes(wrapped)) => wrapper(wrapped, &mut self.qualifier)?,
            (4, Value::Number(micros)) => self.timestamp_micros = micros.cast_signed(),
            (5, Value::Bytes(label)) => self.label(label)?,
            (6, Value::Bytes(value)) => self.value = value,
            (7, Value::Number(size)) => self.value_size = low_half(size),
            (8, Value::Number(is)) => self.row_status = Some(RowStatus::ResetRow(is != 0)),
            (9, Value::Number(is)) => self.row_status = Some(RowStatus::CommitRow(is != 0)),
            (1..=9, value) => return Err(value.is_unexpected()),
            _ => {}
        }
        Ok(())
    }

    fn label(&mut self, label: &[u8]) -> Result<(), Status> {
        if self.labels.len() >= MOST_LABELS {
            return Err(malformed(format_args!(
                "a cell has over {MOST_LABELS} labels"
            )));
        }
        let text = std::str::from_utf8(label).map_err(malformed)?;
        self.labels.push(text.to_owned());
        Ok(())
    }
}

/// `StringValue` or `BytesValue`. A repeated one is merged into the first: it replaces it if it has
/// a value.
#[inline]
fn wrapper<'a>(mut body: &'a [u8], merged: &mut Option<&'a [u8]>) -> Result<(), Status> {
    if let [0x0a, len @ ..0x80, value @ ..] = body
        && value.len() == usize::from(*len)
    {
        *merged = Some(value);
        return Ok(());
    }
    let mut value = merged.unwrap_or_default();
    while !body.is_empty() {
        match field(&mut body)? {
            (1, Value::Bytes(bytes)) => value = bytes,
            (1, other) => return Err(other.is_unexpected()),
            _ => {}
        }
    }
    *merged = Some(value);
    Ok(())
}
