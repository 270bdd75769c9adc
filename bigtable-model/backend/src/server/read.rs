//! The answer of a read: rows cut into chunks, chunks collected into messages.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::BytesMut;
use futures::{Stream, StreamExt, stream};
use prost::Message as _;
use prost::encoding::message;

use super::budget::Held;
use super::chunks::{RowChunks, size};
use super::cuts::Cuts;
use super::stats::Stats;
use crate::data::Row;
use crate::grpc::server::Encoded;
use crate::memory::turns::{Pause, Turn, steps_of_copy};
use crate::{RowBatches, Rows, Status};

/// The number of the field `chunks` in a `ReadRowsResponse`.
const CHUNKS: u32 = 1;

/// Steps of a chunk without its bytes, which are assembled, copied into a frame and sent.
const STEPS: usize = 16;

/// The maximum room that is reserved for a message.
const EXPECTED: usize = 1 << 20;

/// A message ends where [`Cuts`] says, or earlier if the next row is not available yet.
///
/// It holds one encoded message and one row. Other tasks have their turn after some chunks, within
/// a message too: one that may not end inside a row is as large as the row.
pub(super) struct ReadAnswer {
    rows: Rows,
    row: Option<RowChunks>,
    cuts: Cuts,
    message: BytesMut,
    /// The message's part of what all answers together may hold.
    held: Held,
    /// The approximate size of the message's chunks, which decides where it is cut.
    bytes: usize,
    /// The size of the previous message, which the next will have too.
    expected: usize,
    end: Option<Result<(), Status>>,
    turn: Turn,
    /// The end of a turn, before which nothing is done.
    pause: Option<Pause>,
    /// The statistics after the last row, if they were asked for.
    stats: Option<Stats>,
}

/// Why filling a message stopped.
enum Filled {
    /// It is cut here.
    Full,
    /// Other tasks have their turn.
    Turn,
    /// The current row has ended.
    Row,
    /// Too much waits to be sent.
    Refused(Status),
}

impl ReadAnswer {
    pub(super) fn new(rows: Rows, cuts: Cuts, held: Held, stats: Option<Stats>) -> Self {
        Self {
            rows,
            row: None,
            cuts,
            message: BytesMut::new(),
            held,
            bytes: 0,
            expected: 0,
            end: None,
            turn: Turn::default(),
            pause: None,
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
            self.turn.spend(STEPS + steps_of_copy(size));
            let inside = chunk.row_status.is_none();
            message::encode(CHUNKS, &chunk, &mut self.message);
            if let Err(status) = self.held.grow_to(self.message.len()) {
                return Filled::Refused(status);
            }
            if self.cuts.message(self.bytes, inside) {
                return Filled::Full;
            }
            if self.turn.is_ending() {
                return Filled::Turn;
            }
        }
        Filled::Row
    }

    fn message(&mut self) -> Result<Encoded, Status> {
        self.bytes = 0;
        self.expected = self.message.len().min(EXPECTED);
        let message = std::mem::take(&mut self.message).freeze();
        Ok(Encoded(self.held.take().until_dropped(message)?))
    }

    /// Gives back all memory; nothing follows.
    fn refuse(&mut self) {
        self.rows = RowBatches::new(stream::empty()).rows();
        (self.row, self.message, self.stats) = (None, BytesMut::new(), None);
        self.end = Some(Ok(()));
        drop(self.held.take());
    }
}

impl Stream for ReadAnswer {
    type Item = Result<Encoded, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if self.pause.is_none() && self.turn.is_ending() {
                self.pause = Some(Pause::begin());
            }
            if let Some(pause) = &mut self.pause {
                ready!(Pin::new(pause).poll(cx));
                (self.pause, self.turn) = (None, Turn::default());
            }
            match self.fill() {
                Filled::Full => break,
                Filled::Turn => continue,
                Filled::Row => {}
                Filled::Refused(status) => {
                    self.refuse();
                    return Poll::Ready(Some(Err(status)));
                }
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
        Poll::Ready(Some(self.message()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::future::poll_fn;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::data::Cell;
    use crate::memory::turns::TURN;
    use crate::server::budget::Budget;

    fn answer(rows: impl Stream<Item = Row> + Send + 'static, budget: usize) -> ReadAnswer {
        let rows = RowBatches::of_rows(rows.map(Ok)).rows();
        let held = Held::of(&Budget::new(budget));
        ReadAnswer::new(rows, Cuts::new(None, false), held, None)
    }

    fn row(bytes: usize) -> Row {
        let cell = Cell {
            value: vec![0; bytes].into(),
            ..Cell::default()
        };
        Row {
            key: "k".into(),
            cells: vec![cell],
        }
    }

    /// tonic and hyper poll again at once, since they have something to send.
    #[tokio::test]
    async fn rows_that_never_wait_are_answered_in_turns() {
        const ROWS: usize = 20_000;
        let taken = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&taken);
        let rows = stream::iter(std::iter::repeat_with(|| row(4)).take(ROWS));
        let rows = rows.inspect(move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
        });
        let mut answer = answer(rows, usize::MAX);
        let mut turns = 0;
        poll_fn(|cx| {
            let before = taken.load(Ordering::Relaxed);
            let mut pending = 0;
            while pending < 10 {
                match answer.poll_next_unpin(cx) {
                    Poll::Ready(Some(message)) => drop(message.unwrap()),
                    Poll::Ready(None) => return Poll::Ready(()),
                    Poll::Pending => pending += 1,
                }
            }
            assert!(taken.load(Ordering::Relaxed) - before <= TURN / STEPS);
            turns += 1;
            Poll::Pending
        })
        .await;
        assert_eq!(taken.load(Ordering::Relaxed), ROWS);
        assert!(turns >= ROWS / (TURN / STEPS), "{turns}");
    }

    #[tokio::test]
    async fn the_first_rows_are_sent_before_the_rest_is_found() {
        let mut answer = answer(stream::iter((0..1_000).map(|_| row(1_000))), usize::MAX);
        let mut sizes = Vec::new();
        while let Some(message) = answer.next().await {
            sizes.push(message.unwrap().0.len());
        }
        let _of_the_rest = sizes.pop();
        let first = sizes.first();
        assert!(
            first.is_some_and(|first| (2_000..8_000).contains(first)),
            "{sizes:?}"
        );
        assert!(sizes.is_sorted(), "{sizes:?}");
        assert!(
            sizes.last().is_some_and(|last| *last > 128 << 10),
            "{sizes:?}"
        );
    }

    #[tokio::test]
    async fn a_message_over_the_budget_is_refused_and_given_back() {
        let mut answer = answer(stream::iter([row(10), row(5_000_000)]), 1 << 20);
        let mut seen = 0;
        let status = loop {
            match answer.next().await.unwrap() {
                Ok(message) => seen += message.0.len(),
                Err(status) => break status,
            }
        };
        assert_eq!(status.code, crate::Code::ResourceExhausted);
        assert!(seen < 1 << 20);
        assert!(answer.next().await.is_none());
        assert!(answer.held.grow_to(1 << 20).is_ok());
    }
}
