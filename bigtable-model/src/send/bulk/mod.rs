//! Bulk writes: entries are collected into requests, several of which are in flight at once.

mod batch;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use futures::{Stream, StreamExt as _};

use super::added::Added;
use super::by_table::ByTable;
use super::marks::{as_status, mark_or_status};
use super::places::Places;
use super::row::at_row;
use crate::backend::{Backend, Code, EntryOutcome, Method, Status};
use crate::data::RowMutations;
use crate::error::NotAdded;
use crate::model::{EventRow, ModelSchema};
use crate::{Error, Timestamp};
pub(crate) use batch::Batch;
pub(super) use batch::Entered;

/// The RPC of a bulk write.
const WRITE: Method = Method::MutateRows;

/// How many requests are in flight at once, by default.
pub(crate) const REQUESTS_IN_FLIGHT: usize = 4;

/// The maximum number of tables by period for which requests are built at once.
const TABLES_AT_ONCE: usize = 16;

/// The row to write for an entry; `None` if there is nothing to write, or why it cannot be written.
pub(crate) type Entry = Result<Option<EventRow>, Error>;

/// Counts the outcomes of entries.
pub(crate) trait Tally {
    /// An entry that is not sent: it needs no mutations, or they could not be made.
    fn unsent(&mut self, index: usize, why: Result<(), Error>);

    /// The answers to one request.
    fn answered(&mut self, answers: Answers);
}

/// The answers to one request.
#[derive(Debug)]
pub(crate) struct Answers {
    schema: &'static ModelSchema,
    table: Cow<'static, str>,
    rows: Arc<Places>,
    outcomes: Vec<EntryOutcome>,
    /// Rows that were written and that roll-ups may lack, by their places.
    not_added: BTreeMap<usize, NotAdded>,
    pub(crate) entries: Vec<Entered>,
}

impl Answers {
    /// The key of the row at an index in the request.
    pub(crate) fn key(&self, place: usize) -> &[u8] {
        self.rows.key(place).unwrap_or_default()
    }

    /// The outcome of the row at an index in the request. With a time, the error names one of its
    /// events.
    pub(crate) fn row(&self, place: usize, time: Option<Timestamp>) -> Result<(), Error> {
        let source = match self.outcomes.get(place) {
            Some(Ok(())) => {
                return match self.not_added.get(&place) {
                    Some(missing) => Err(Error::NotAdded(Box::new(missing.clone()))),
                    None => Ok(()),
                };
            }
            Some(Err(status)) => status.clone(),
            None => Status::new(Code::Internal, "the entry was not answered"),
        };
        let place = (self.key(place), time);
        Err(at_row(self.schema, &self.table, WRITE, place, source))
    }
}

/// Writes entries in requests of up to 1,000 rows. Entries of one row are sent in their order:
/// together, or in requests one after another.
pub(crate) struct Bulk<'a, B: ?Sized, T> {
    backend: &'a B,
    schema: &'static ModelSchema,
    /// How many requests may be in flight: at least one.
    most: usize,
    batches: ByTable<Batch>,
    requests: FuturesUnordered<BoxFuture<'a, Answers>>,
    /// The rows of the requests in flight.
    rows: Vec<Arc<Places>>,
    tally: T,
}

impl ByTable<Batch> {
    /// The entries collected for the row's table, with the table, if there is no room for the row.
    fn make_room(
        &mut self,
        schema: &'static ModelSchema,
        row: &RowMutations,
        bytes: usize,
    ) -> Result<Option<(Cow<'static, str>, Batch)>, Error> {
        let (table, batch) = self.at(schema, &row.key)?;
        if batch.has_room_for(row, bytes) {
            return Ok(None);
        }
        let table = match schema.table.fixed() {
            Some(table) => Cow::Borrowed(table),
            None => Cow::Owned(table.to_owned()),
        };
        Ok(Some((table, batch.take())))
    }

    /// Takes the entries collected for a table, if there are any.
    fn take_first(&mut self, schema: &'static ModelSchema) -> Option<(Cow<'static, str>, Batch)> {
        self.take_any(schema, |batch| !batch.is_empty())
    }
}

impl<'a, B: Backend + ?Sized, T: Tally> Bulk<'a, B, T> {
    pub(crate) fn new(backend: &'a B, schema: &'static ModelSchema, tally: T) -> Self {
        Self {
            backend,
            schema,
            most: REQUESTS_IN_FLIGHT,
            batches: ByTable::default(),
            requests: FuturesUnordered::new(),
            rows: Vec::new(),
            tally,
        }
    }

    pub(crate) fn requests_in_flight(mut self, most: usize) -> Self {
        self.most = most;
        self
    }

    /// Writes all entries. No entry is taken from the source while the maximum number of requests
    /// is in flight and the next one is full.
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
        while let Some((table, batch)) = self.batches.take_first(self.schema) {
            self.send(table, batch).await;
        }
        while !self.requests.is_empty() {
            self.answer().await;
        }
        self.tally
    }

    /// The next entry. While there is none, requests continue, and if none is in flight, the
    /// collected entries are sent: they do not wait for a slow source.
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
                None => match self.batches.take_first(self.schema) {
                    Some((table, batch)) => self.start(table, batch),
                    None => return Poll::Pending,
                },
            }
        }
    }

    async fn add(&mut self, index: usize, EventRow { row, time }: EventRow) {
        // An entry that cannot be written must not fail the others.
        let bytes = match self.backend.check_entry(&row) {
            Ok(bytes) => bytes,
            Err(refused) => {
                let error = refused_entry(self.schema, (row.key.as_ref(), time), refused);
                return self.tally.unsent(index, Err(error));
            }
        };
        match self.batches.make_room(self.schema, &row, bytes) {
            Ok(None) => {}
            Ok(Some((table, full))) => self.send(table, full).await,
            Err(error) => return self.tally.unsent(index, Err(error)),
        }
        if let Ok((_, batch)) = self.batches.at(self.schema, &row.key) {
            batch.add(self.schema, (index, time), row, bytes);
        }
        if self.batches.len() > TABLES_AT_ONCE
            && let Some((table, batch)) = self.batches.take_largest(|batch| batch.rows.len())
        {
            self.send(table.into(), batch).await;
        }
    }

    /// Sends the entries collected for a table, once there is room for a request and none of its
    /// rows is in flight.
    async fn send(&mut self, table: Cow<'static, str>, batch: Batch) {
        while self.requests.len() >= self.most || self.is_held_up(&batch) {
            self.answer().await;
        }
        self.start(table, batch);
        // A request begins when it is polled; answers that are already available are taken too.
        std::future::poll_fn(|context| {
            while let Poll::Ready(Some(answers)) = self.requests.poll_next_unpin(context) {
                self.take(answers);
            }
            Poll::Ready(())
        })
        .await;
    }

    fn is_held_up(&self, batch: &Batch) -> bool {
        self.rows.iter().any(|rows| rows.meets(&batch.places))
    }

    fn start(&mut self, table: Cow<'static, str>, mut batch: Batch) {
        let rows = Arc::new(std::mem::take(&mut batch.places));
        self.rows.push(Arc::clone(&rows));
        let request = request(self.backend, self.schema, table, batch, rows);
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

/// The error of an entry that was refused before it was sent.
#[cold]
fn refused_entry(
    schema: &'static ModelSchema,
    place: (&[u8], Option<Timestamp>),
    refused: Status,
) -> Error {
    match schema.table_of_row(place.0) {
        Ok(table) => at_row(schema, &table, WRITE, place, refused),
        Err(error) => error,
    }
}

async fn request<B: Backend + ?Sized>(
    backend: &B,
    schema: &'static ModelSchema,
    table: Cow<'static, str>,
    batch: Batch,
    rows: Arc<Places>,
) -> Answers {
    let count = batch.rows.len();
    let marked = mark_or_status(backend, schema, batch.events()).await;
    let added = marked.and_then(|()| Added::of(schema, &batch.rows).map_err(as_status));
    let (sent, added) = match added {
        Ok(added) => (backend.mutate_rows(&table, batch.rows).await, added),
        Err(status) => (Err(status), Added::default()),
    };
    let outcomes = match sent {
        Ok(outcomes) => outcomes,
        Err(status) => vec![Err(status); count],
    };
    let is_written = |place: usize| matches!(outcomes.get(place), Some(Ok(())));
    Answers {
        schema,
        table,
        rows,
        not_added: added.send(backend, schema, is_written).await,
        outcomes,
        entries: batch.entries,
    }
}
