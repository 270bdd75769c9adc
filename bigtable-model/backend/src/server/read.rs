//! The answer of a read: rows cut into chunks, chunks gathered into messages.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures::{Stream, StreamExt};

use super::chunks::{RowChunks, size};
use super::cuts::Cuts;
use crate::RowStream;
use crate::Status;
use crate::grpc::protocol::wire::{CellChunk, ReadRowsResponse};

/// A message goes out where [`Cuts`] says, and earlier when the next row is not there yet.
///
/// What is held is one message and one row.
pub(super) struct ReadAnswer {
    rows: RowStream,
    row: Option<RowChunks>,
    cuts: Cuts,
    chunks: Vec<CellChunk>,
    bytes: usize,
    end: Option<Result<(), Status>>,
}

impl ReadAnswer {
    pub(super) fn new(rows: RowStream, cuts: Cuts) -> Self {
        Self {
            rows,
            row: None,
            cuts,
            chunks: Vec::new(),
            bytes: 0,
            end: None,
        }
    }

    /// Fills the message with chunks of the row at hand; true when the message is full.
    fn fill(&mut self) -> bool {
        while let Some(row) = &mut self.row {
            let Some(chunk) = row.next(&mut self.cuts) else {
                self.row = None;
                return false;
            };
            self.bytes += size(&chunk);
            let inside = chunk.row_status.is_none();
            self.chunks.push(chunk);
            if self.cuts.message(self.bytes, inside) {
                return true;
            }
        }
        false
    }

    fn message(&mut self) -> ReadRowsResponse {
        self.bytes = 0;
        ReadRowsResponse {
            chunks: std::mem::take(&mut self.chunks),
            ..ReadRowsResponse::default()
        }
    }
}

impl Stream for ReadAnswer {
    type Item = Result<ReadRowsResponse, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        while !self.fill() {
            if self.end.is_some() {
                if !self.chunks.is_empty() {
                    break;
                }
                let end = self.end.replace(Ok(()));
                return Poll::Ready(end.and_then(Result::err).map(Err));
            }
            match self.rows.poll_next_unpin(cx) {
                Poll::Ready(Some(Ok(row))) => self.row = Some(RowChunks::new(row)),
                Poll::Ready(Some(Err(status))) => self.end = Some(Err(status)),
                Poll::Ready(None) => self.end = Some(Ok(())),
                Poll::Pending if self.chunks.is_empty() => return Poll::Pending,
                Poll::Pending => break,
            }
        }
        Poll::Ready(Some(Ok(self.message())))
    }
}
