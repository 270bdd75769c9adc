//! The chunks of a `ReadRowsResponse`, decoded one by one from the received bytes.
//!
//! A scan spends most of its time here. A general decoder makes a list of all chunks, each with
//! fields that count references to the bytes, before the first is used; a [`Chunk`] borrows, and
//! only what is kept is counted, once. It accepts the same bytes with the same meaning as prost,
//! except groups, which the protocol does not use.

use bytes::Bytes;

use crate::Status;
use crate::grpc::protocol::fields::{Value, field, low_half, malformed};
use crate::grpc::protocol::wire::RowStatus;

#[cfg(test)]
mod tests;

/// The chunks of one message that have not been taken yet.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chunks {
    message: Bytes,
    /// Where the next field begins.
    at: usize,
    scanned: Bytes,
}

/// A cell or a part of one: the wire's `CellChunk`, borrowed from its message.
#[derive(Debug, Clone)]
pub(crate) struct Chunk<'a> {
    message: &'a Bytes,
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
            scanned: Bytes::new(),
        }
    }

    /// The next chunk; `None` at the message's end. Malformed bytes fail when they are reached.
    pub(crate) fn next(&mut self) -> Result<Option<Chunk<'_>>, Status> {
        let mut rest = self.message.get(self.at..).unwrap_or_default();
        while !rest.is_empty() {
            match field(&mut rest)? {
                (1, Value::Bytes(body)) => {
                    self.at = self.message.len() - rest.len();
                    return Chunk::read(&self.message, body).map(Some);
                }
                (2, Value::Bytes(key)) => self.scanned = self.message.slice_ref(key),
                (1 | 2, value) => return Err(value.is_unexpected()),
                _ => {}
            }
        }
        self.at = self.message.len();
        Ok(None)
    }

    /// Ends the message, and drops its bytes. Returns the last key scanned, empty if the message
    /// names none.
    pub(crate) fn finish(&mut self) -> Bytes {
        std::mem::take(self).scanned
    }
}

impl<'a> Chunk<'a> {
    fn read(message: &'a Bytes, mut body: &'a [u8]) -> Result<Self, Status> {
        let mut chunk = Self {
            message,
            row_key: &[],
            family: None,
            qualifier: None,
            timestamp_micros: 0,
            labels: Vec::new(),
            value: &[],
            value_size: 0,
            row_status: None,
        };
        while !body.is_empty() {
            match field(&mut body)? {
                (1, Value::Bytes(key)) => chunk.row_key = key,
                (2, Value::Bytes(wrapped)) => wrapper(wrapped, &mut chunk.family)?,
                (3, Value::Bytes(wrapped)) => wrapper(wrapped, &mut chunk.qualifier)?,
                (4, Value::Number(micros)) => chunk.timestamp_micros = micros.cast_signed(),
                (5, Value::Bytes(label)) => chunk.labels.push(text(label)?),
                (6, Value::Bytes(value)) => chunk.value = value,
                (7, Value::Number(size)) => chunk.value_size = low_half(size),
                (8, Value::Number(is)) => chunk.row_status = Some(RowStatus::ResetRow(is != 0)),
                (9, Value::Number(is)) => chunk.row_status = Some(RowStatus::CommitRow(is != 0)),
                (1..=9, value) => return Err(value.is_unexpected()),
                _ => {}
            }
        }
        Ok(chunk)
    }

    /// Bytes of this chunk to keep; they share the message's memory.
    pub(crate) fn keep(&self, bytes: &[u8]) -> Bytes {
        self.message.slice_ref(bytes)
    }
}

/// `StringValue` or `BytesValue`. A repeated one is merged into the first: it replaces it if it has
/// a value.
#[inline]
fn wrapper<'a>(mut body: &'a [u8], merged: &mut Option<&'a [u8]>) -> Result<(), Status> {
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

fn text(bytes: &[u8]) -> Result<String, Status> {
    let text = std::str::from_utf8(bytes).map_err(malformed)?;
    Ok(text.to_owned())
}
