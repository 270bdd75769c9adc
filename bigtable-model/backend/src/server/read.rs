//! The answer of a read: rows cut into chunks, chunks gathered into messages.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::BytesMut;
use futures::{Stream, StreamExt};
use prost::Message as _;
use prost::encoding::message;

use super::chunks::{RowChunks, size};
use super::cuts::Cuts;
use super::stats::Stats;
use crate::RowStream;
use crate::Status;
use crate::data::Row;
use crate::grpc::server::Encoded;
use crate::turns::give_way;

/// The number of the field `chunks` in a `ReadRowsResponse`.
const CHUNKS: u32 = 1;

/// Chunks and bytes that are put together before other tasks have their turn. Most messages are
/// shorter; but one that may not end inside a row has as much as the row.
const TURN: (usize, usize) = (4 << 10, 1 << 20);

/// The most room that is made for a message beforehand.
const EXPECTED: usize = 1 << 20;

/// A message goes out where [`Cuts`] says, and earlier when the next row is not there yet.
///
/// What is held is one message, encoded, and one row.
pub(super) struct ReadAnswer {
    rows: RowStream,
    row: Option<RowChunks>,
    cuts: Cuts,
    message: BytesMut,
    /// About what the message's chunks take, which decides where it is cut.
    bytes: usize,
    /// How long the message before was, which the next will be too.
    expected: usize,
    end: Option<Result<(), Status>>,
    /// What goes out after the last row, if it is asked for.
    stats: Option<Stats>,
}

/// How far a message came.
enum Filled {
    /// Up to where it is to be cut.
    Full,
    /// Up to where others have their turn.
    Turn,
    /// Up to the end of the row at hand.
    Row,
}

impl ReadAnswer {
    pub(super) fn new(rows: RowStream, cuts: Cuts, stats: Option<Stats>) -> Self {
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

    /// What comes when all rows are out: the statistics, or what the read failed with, once.
    fn finish(&mut self) -> Option<Result<Encoded, Status>> {
        match self.end.replace(Ok(())) {
            Some(Err(status)) => Some(Err(status)),
            _ => {
                let stats = self.stats.take()?;
                Some(Ok(Encoded(stats.message().encode_to_vec().into())))
            }
        }
    }

    /// Fills the message with chunks of the row at hand.
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
