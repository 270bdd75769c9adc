//! The rows of one read, as a stream.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::vec;

use futures::future::BoxFuture;
use futures::{Stream, StreamExt};
use tonic::Streaming;

use super::assemble::RowAssembler;
use super::client::Client;
use super::status;
use super::wire::{CellChunk, ReadRowsRequest, ReadRowsResponse};
use crate::Status;
use crate::data::Row;

type Opening = BoxFuture<'static, Result<Streaming<ReadRowsResponse>, Status>>;

/// Rows as the server sends them. At most one message and one row in progress are held.
///
/// Nothing is sent before the first poll; dropping the stream cancels the call.
pub(crate) struct Rows {
    state: State,
    assembler: RowAssembler,
    chunks: vec::IntoIter<CellChunk>,
    /// Of the message whose chunks are being taken.
    scanned: bytes::Bytes,
}

enum State {
    Opening(Opening),
    Open(Box<Streaming<ReadRowsResponse>>),
    Ended,
}

impl Rows {
    pub(crate) fn new(client: Arc<Client>, table: String, request: ReadRowsRequest) -> Self {
        Self {
            assembler: RowAssembler::new(request.reversed),
            state: State::Opening(Box::pin(
                async move { client.read_rows(&table, request).await },
            )),
            chunks: Vec::new().into_iter(),
            scanned: bytes::Bytes::new(),
        }
    }

    /// The next row of the message at hand.
    fn next_in_message(&mut self) -> Result<Option<Row>, Status> {
        for chunk in self.chunks.by_ref() {
            if let Some(row) = self.assembler.push(chunk)? {
                return Ok(Some(row));
            }
        }
        if !self.scanned.is_empty() {
            let key = std::mem::take(&mut self.scanned);
            self.assembler.scanned(key)?;
        }
        Ok(None)
    }

    /// Waits for another message; false at the end of the stream.
    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Result<bool, Status>> {
        loop {
            match &mut self.state {
                State::Opening(opening) => {
                    let stream = ready!(opening.as_mut().poll(cx))?;
                    self.state = State::Open(Box::new(stream));
                }
                State::Open(stream) => {
                    return Poll::Ready(match ready!(stream.poll_next_unpin(cx)) {
                        Some(Ok(message)) => {
                            self.chunks = message.chunks.into_iter();
                            self.scanned = message.last_scanned_row_key;
                            Ok(true)
                        }
                        Some(Err(error)) => Err(status::from_tonic(&error)),
                        None => self.assembler.finish().map(|()| false),
                    });
                }
                State::Ended => return Poll::Ready(Ok(false)),
            }
        }
    }

    fn poll_row(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Row>, Status>> {
        loop {
            if let Some(row) = self.next_in_message()? {
                return Poll::Ready(Ok(Some(row)));
            }
            if !ready!(self.poll_message(cx))? {
                return Poll::Ready(Ok(None));
            }
        }
    }
}

impl Stream for Rows {
    type Item = Result<Row, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if matches!(self.state, State::Ended) {
            return Poll::Ready(None);
        }
        let next = ready!(self.poll_row(cx)).transpose();
        if !matches!(next, Some(Ok(_))) {
            self.state = State::Ended;
        }
        Poll::Ready(next)
    }
}
