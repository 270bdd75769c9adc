//! Bulk writes: entries are collected into requests, several of which are under way at once.

mod batch;

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use futures::{Stream, StreamExt as _};

use super::places::Places;
use super::row::at_row;
use super::{Backend, Code, EntryOutcome, Status};
use crate::Error;
use crate::data::RowMutations;
use crate::model::ModelSchema;
pub(crate) use batch::Batch;

/// How many requests are under way at once, unless told otherwise.
pub(crate) const REQUESTS_IN_FLIGHT: usize = 4;

/// What is to be written for one entry: none when there is nothing to write, or why it can't be.
pub(crate) type Entry = Result<Option<RowMutations>, Error>;

/// Counts what becomes of entries.
pub(crate) trait Tally {
    /// An entry of which nothing is sent: it took no mutations, or none could be made.
    fn unsent(&mut self, index: usize, why: Result<(), Error>);

    /// The answers to one request.
    fn answered(&mut self, answers: Answers);
}

/// The answers to one request.
#[derive(Debug)]
pub(crate) struct Answers {
    schema: &'static ModelSchema,
    rows: Arc<Places>,
    outcomes: Vec<EntryOutcome>,
    /// The position of each entry, and its row's place in the request.
    pub(super) entries: Vec<(usize, usize)>,
}

impl Answers {
    /// The key of the row at a place in the request.
    pub(super) fn key(&self, place: usize) -> &[u8] {
        self.rows.key(place).map(Bytes::as_ref).unwrap_or_default()
    }

    /// What became of the row at a place in the request.
    pub(super) fn row(&self, place: usize) -> Result<(), Error> {
        let source = match self.outcomes.get(place) {
            Some(Ok(())) => return Ok(()),
            Some(Err(status)) => status.clone(),
            None => Status::new(Code::Internal, "the entry was not answered"),
        };
        Err(at_row(self.schema, "MutateRows", self.key(place), source))
    }
}

/// Writes entries in requests of up to 1,000 rows. Entries of one row go out in their order: together, or in requests that
/// follow one another.
pub(crate) struct Bulk<'a, B: ?Sized, T> {
    backend: &'a B,
    schema: &'static ModelSchema,
    /// How many requests may be under way.
    most: usize,
    batch: Batch,
    requests: FuturesUnordered<BoxFuture<'a, Answers>>,
    /// The rows of the requests under way.
    rows: Vec<Arc<Places>>,
    tally: T,
}

impl<'a, B: Backend + ?Sized, T: Tally> Bulk<'a, B, T> {
    pub(crate) fn new(backend: &'a B, schema: &'static ModelSchema, tally: T) -> Self {
        Self {
            backend,
            schema,
            most: REQUESTS_IN_FLIGHT,
            batch: Batch::default(),
            requests: FuturesUnordered::new(),
            rows: Vec::new(),
            tally,
        }
    }

    pub(super) fn requests_in_flight(mut self, most: usize) -> Self {
        self.most = most.max(1);
        self
    }

    /// Writes all entries. None is asked for while as many requests are under way as may be and the next one is full.
    pub(crate) async fn run(mut self, entries: impl Stream<Item = Entry>) -> T {
        let mut entries = pin!(entries);
        let mut index = 0;
        loop {
            let next = std::future::poll_fn(|context| self.poll_entry(entries.as_mut(), context));
            match next.await {
                Some(Ok(Some(row))) => self.add(index, row).await,
                Some(Ok(None)) => self.tally.unsent(index, Ok(())),
                Some(Err(error)) => self.tally.unsent(index, Err(error)),
                None => break,
            }
            index += 1;
        }
        self.send().await;
        while !self.requests.is_empty() {
            self.answer().await;
        }
        self.tally
    }

    /// The next entry. While there is none requests go on, and when none is under way what was collected goes out: a slow
    /// source is not waited for.
    fn poll_entry(
        &mut self,
        mut entries: Pin<&mut impl Stream<Item = Entry>>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Entry>> {
        loop {
            if let Poll::Ready(next) = entries.as_mut().poll_next(context) {
                return Poll::Ready(next);
            }
            match ready!(self.requests.poll_next_unpin(context)) {
                Some(answers) => self.take(answers),
                None if self.batch.is_empty() => return Poll::Pending,
                None => self.start(),
            }
        }
    }

    async fn add(&mut self, index: usize, row: RowMutations) {
        if !self.batch.has_room_for(&row) {
            self.send().await;
        }
        self.batch.add(self.schema, index, row);
    }

    /// Sends what was collected, as soon as there is room for a request and none of its rows is under way.
    async fn send(&mut self) {
        while self.requests.len() >= self.most || self.is_held_up() {
            self.answer().await;
        }
        if !self.batch.is_empty() {
            self.start();
        }
        // A request begins when it is polled; the answers that are there already are taken with it.
        std::future::poll_fn(|context| {
            while let Poll::Ready(Some(answers)) = self.requests.poll_next_unpin(context) {
                self.take(answers);
            }
            Poll::Ready(())
        })
        .await;
    }

    fn is_held_up(&self) -> bool {
        let collected = &self.batch.places;
        self.rows.iter().any(|rows| rows.meets(collected))
    }

    fn start(&mut self) {
        let mut batch = std::mem::take(&mut self.batch);
        let rows = Arc::new(std::mem::take(&mut batch.places));
        self.rows.push(Arc::clone(&rows));
        let request = request(self.backend, self.schema, batch, rows);
        self.requests.push(Box::pin(request));
    }

    /// Waits for the answers to one request.
    async fn answer(&mut self) {
        if let Some(answers) = self.requests.next().await {
            self.take(answers);
        }
    }

    fn take(&mut self, answers: Answers) {
        self.rows.retain(|rows| !Arc::ptr_eq(rows, &answers.rows));
        self.tally.answered(answers);
    }
}

async fn request<B: Backend + ?Sized>(
    backend: &B,
    schema: &'static ModelSchema,
    batch: Batch,
    rows: Arc<Places>,
) -> Answers {
    let count = batch.rows.len();
    let sent = backend.mutate_rows(&schema.table, batch.rows).await;
    let outcomes = match sent {
        Ok(outcomes) => outcomes,
        Err(status) => vec![Err(status); count],
    };
    Answers {
        schema,
        rows,
        outcomes,
        entries: batch.entries,
    }
}
