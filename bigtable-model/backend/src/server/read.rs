//! The answer of a read: rows cut into chunks, chunks collected into messages.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::BytesMut;
use futures::{Stream, StreamExt};
use prost::Message as _;
use prost::encoding::message;

use super::chunks::{RowChunks, size};
use super::cuts::Cuts;
use super::stats::Stats;
use crate::Rows;
use crate::Status;
use crate::data::Row;
use crate::grpc::server::Encoded;
use crate::turns::give_way;

/// The number of the field `chunks` in a `ReadRowsResponse`.
const CHUNKS: u32 = 1;

/// Chunks and bytes that are assembled before other tasks have their turn. Most messages are
/// shorter, but a message that may not end inside a row is as large as the row.
const TURN: (usize, usize) = (4 << 10, 1 << 20);

/// The maximum room that is reserved for a message.
const EXPECTED: usize = 1 << 20;

/// A message ends where [`Cuts`] says, or earlier if the next row is not available yet.
///
/// It holds one encoded message and one row.
pub(super) struct ReadAnswer {
    rows: Rows,
    row: Option<RowChunks>,
    cuts: Cuts,
    message: BytesMut,
    /// The approximate size of the message's chunks, which decides where it is cut.
    bytes: usize,
    /// The size of the previous message, which the next will have too.
    expected: usize,
    end: Option<Result<(), Status>>,
    /// The statistics after the last row, if they were asked for.
    stats: Option<Stats>,
}

/// Why filling a message stopped.
enum Filled {
    /// It is to be cut here.
    Full,
    /// Other tasks have their turn.
    Turn,
    /// The current row has ended.
    Row,
}

impl ReadAnswer {
    pub(super) fn new(rows: Rows, cuts: Cuts, stats: Option<Stats>) -> Self {
        Self {
            rows,
            row: None,
            cuts,
            message: BytesMut::new(),
            bytes: 0,
            expected: 0,
            end: None,
            stats,
        }
    }

    fn begin(&mut self, row: Row) {
        if let Some(stats) = &mut self.stats {
            stats.add(&row);
        }
        self.row = Some(RowChunks::new(row));
    }

    /// What follows the last row: the statistics, or the error of the read, once.
    fn finish(&mut self) -> Option<Result<Encoded, Status>> {
        match self.end.replace(Ok(())) {
            Some(Err(status)) => Some(Err(status)),
            _ => {
                let stats = self.stats.take()?;
                Some(Ok(Encoded(stats.message().encode_to_vec().into())))
            }
        }
    }

    /// Fills the message with chunks of the current row.
    fn fill(&mut self) -> Filled {
        let (mut chunks, mut bytes) = TURN;
        if self.row.is_some() && self.message.is_empty() {
            self.message.reserve(self.expected);
        }
        while let Some(row) = &mut self.row {
            let Some(chunk) = row.next(&mut self.cuts) else {
                self.row = None;
                break;
            };
            let size = size(&chunk);
            self.bytes += size;
            let inside = chunk.row_status.is_none();
            message::encode(CHUNKS, &chunk, &mut self.message);
            if self.cuts.message(self.bytes, inside) {
                return Filled::Full;
            }
            (chunks, bytes) = (chunks - 1, bytes.saturating_sub(size));
            if chunks == 0 || bytes == 0 {
                return Filled::Turn;
            }
        }
        Filled::Row
    }

    fn message(&mut self) -> Encoded {
        self.bytes = 0;
        self.expected = self.message.len().min(EXPECTED);
        Encoded(std::mem::take(&mut self.message).freeze())
    }
}

impl Stream for ReadAnswer {
    type Item = Result<Encoded, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            match self.fill() {
                Filled::Full => break,
                Filled::Turn => {
                    give_way(cx);
                    return Poll::Pending;
                }
                Filled::Row => {}
            }
            if self.end.is_some() {
                if !self.message.is_empty() {
                    break;
                }
                return Poll::Ready(self.finish());
            }
            match self.rows.poll_next_unpin(cx) {
                Poll::Ready(Some(Ok(row))) => self.begin(row),
                Poll::Ready(Some(Err(status))) => {
                    self.stats = None;
                    self.end = Some(Err(status));
                }
                Poll::Ready(None) => self.end = Some(Ok(())),
                Poll::Pending if self.message.is_empty() => return Poll::Pending,
                Poll::Pending => break,
            }
        }
        Poll::Ready(Some(Ok(self.message())))
    }
}
