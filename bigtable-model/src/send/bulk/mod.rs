//! Bulk writes: entries are collected into requests, several of which are in flight at once.

mod batch;
mod make;
mod requests;

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
use super::call::at_row;
use super::limits::{BYTES_FOR_ROWS, REQUESTS_IN_FLIGHT, TABLES_AT_ONCE};
use super::marks::{as_status, mark_or_status};
use super::places::Places;
use crate::backend::{Backend, Code, EntryOutcome, Method, Status};
use crate::data::{EntryBatch, EntryLimits};
use crate::error::NotAdded;
use crate::model::{EventRow, Made, RolledUp, Schema};
use crate::{Error, Timestamp};
pub(crate) use batch::Batch;
pub(super) use batch::Entered;
pub(crate) use make::{Make, Ready};
pub(crate) use requests::write_ready;

/// The RPC of a bulk write.
const WRITE: Method = Method::MutateRows;

/// The maximum memory of a request that is kept for the next one, in bytes: twice the usual size.
const SPARE_BYTES: usize = 2 * BYTES_FOR_ROWS;

/// The row to write for an entry; `None` if there is nothing to write, or why it cannot be written.
pub(crate) type Entry = Result<Option<EventRow>, Error>;

/// Counts the outcomes of entries.
pub(crate) trait Tally: Send {
    /// Counts the entry at an index: it is written, needs no mutations, or why it is not written.
    fn count(&mut self, index: usize, outcome: Result<(), Error>);

    /// Reports what was counted: after the answers to a request, and after an entry that was not
    /// sent.
    fn report(&mut self) {}

    /// Counts the entries of one request.
    fn answered(&mut self, answers: &Answers) {
        for entry in &answers.entries {
            self.count(entry.index, answers.row(entry.place, entry.time));
        }
    }
}

/// The answers to one request.
#[derive(Debug)]
pub(crate) struct Answers {
    schema: Schema,
    table: Cow<'static, str>,
    rows: Arc<Places>,
    /// The entries that were sent; their memory is reused.
    sent: Option<EntryBatch>,
    answer: Answer,
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
        match (outcome_of(&self.answer, place), self.not_added.get(&place)) {
            (Ok(()), None) => Ok(()),
            (Ok(()), Some(missing)) => Err(Error::NotAdded(Box::new(missing.clone()))),
            (Err(source), _) => {
                let place = (self.key(place), time);
                Err(at_row(&self.schema, &self.table, WRITE, place, source))
            }
        }
    }
}

/// Writes entries in requests of up to 1,000 rows. Entries of one row are sent in their order:
/// together, or in requests one after another.
pub(crate) struct Bulk<'a, T> {
    backend: &'a dyn Backend,
    schema: Schema,
    limits: Option<EntryLimits>,
    /// Why every event is refused: the name of a family is invalid.
    refused: Option<Status>,
    /// How many requests may be in flight: at least one.
    most: usize,
    batches: ByTable<Batch>,
    requests: FuturesUnordered<BoxFuture<'a, Answers>>,
    /// The rows of the requests in flight.
    rows: Vec<Arc<Places>>,
    /// Memory for the next requests.
    spare: Vec<EntryBatch>,
    tally: T,
}

impl ByTable<Batch> {
    /// Takes the entries collected for a table, if there are any.
    fn take_first(&mut self, schema: &Schema) -> Option<(Cow<'static, str>, Batch)> {
        self.take_any(schema, |batch| !batch.is_empty())
    }
}

impl<'a, T: Tally> Bulk<'a, T> {
    pub(crate) fn new(backend: &'a dyn Backend, schema: &Schema, tally: T) -> Self {
        let limits = backend.capabilities().limits;
        let families = schema.families().into_iter();
        let checked = families.map(|name| limits.map_or(Ok(()), |limits| limits.family(name)));
        Self {
            backend,
            schema: schema.clone(),
            limits,
            refused: checked.filter_map(Result::err).next(),
            most: REQUESTS_IN_FLIGHT,
            batches: ByTable::default(),
            requests: FuturesUnordered::new(),
            rows: Vec::new(),
            spare: Vec::new(),
            tally,
        }
    }

    pub(crate) fn requests_in_flight(mut self, most: usize) -> Self {
        self.most = most;
        self
    }

    /// Writes the entries that are made of all items. No item is taken from the source while the
    /// maximum number of requests is in flight and the next one is full.
    pub(crate) async fn run<I>(
        mut self,
        items: impl Stream<Item = I>,
        mut make: impl Make<I>,
    ) -> T {
        let mut items = pin!(items);
        let mut index = 0;
        loop {
            let next = std::future::poll_fn(|context| self.poll_item(items.as_mut(), context));
            let Some(item) = next.await else {
                break;
            };
            match make.make(item) {
                Ok(Some(entry)) => self.add(index, entry).await,
                Ok(None) => self.unsent(index, Ok(())),
                Err(error) => self.unsent(index, Err(error)),
            }
            index += 1;
        }
        while let Some((table, batch)) = self.batches.take_first(&self.schema) {
            self.send(table, batch).await;
        }
        while !self.requests.is_empty() {
            self.answer().await;
        }
        self.tally
    }

    /// The next item. While no item is ready, requests continue; if none is in flight, the
    /// collected entries are sent rather than wait for a slow source.
    fn poll_item<I>(
        &mut self,
        mut items: Pin<&mut impl Stream<Item = I>>,
        context: &mut Context<'_>,
    ) -> Poll<Option<I>> {
        loop {
            if let Poll::Ready(next) = items.as_mut().poll_next(context) {
                return Poll::Ready(next);
            }
            match ready!(self.requests.poll_next_unpin(context)) {
                Some(answers) => self.take(answers),
                None => match self.batches.take_first(&self.schema) {
                    Some((table, batch)) => self.start(table, batch),
                    None => return Poll::Pending,
                },
            }
        }
    }

    async fn add(&mut self, index: usize, entry: Made<'_>) {
        // An entry that cannot be written must not fail the others.
        let checked = self.check(&entry);
        let mut added = checked.and_then(|()| self.try_add(index, entry));
        if let Ok(Some(entry)) = added {
            added = match self.make_room(entry.key()).await {
                Ok(()) => self.try_add(index, entry),
                Err(error) => Err(error),
            };
        }
        if let Err(error) = added {
            self.unsent(index, Err(error));
        }
        if self.batches.len() > TABLES_AT_ONCE
            && let Some((table, batch)) = self.batches.take_largest(|batch| batch.writes.len())
        {
            self.send(table.into(), batch).await;
        }
    }

    /// Refuses an entry that every table would refuse.
    fn check(&self, entry: &Made<'_>) -> Result<(), Error> {
        let Some(limits) = &self.limits else {
            return Ok(());
        };
        match entry {
            Made::Event(event) if self.refused.is_none() && limits.take(event.encoded.size()) => {
                Ok(())
            }
            _ => limits
                .check(&entry.row())
                .map_err(|status| refused_entry(&self.schema, (entry.key(), entry.time()), status)),
        }
    }

    /// Adds an entry to those of its table; gives it back if there is no room for it.
    fn try_add<'e>(&mut self, index: usize, entry: Made<'e>) -> Result<Option<Made<'e>>, Error> {
        let (_, batch) = self.batches.at(&self.schema, entry.key())?;
        Ok(batch.add(&self.schema, index, entry))
    }

    /// Sends the entries collected for the table of a row.
    async fn make_room(&mut self, key: &[u8]) -> Result<(), Error> {
        let (table, batch) = self.batches.at(&self.schema, key)?;
        let table = match self.schema.table.fixed_id() {
            Some(table) => table,
            None => Cow::Owned(table.to_owned()),
        };
        let full = batch.take(|| self.spare.pop());
        self.send(table, full).await;
        Ok(())
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
        let request = request(self.backend, self.schema.clone(), table, batch, rows);
        self.requests.push(Box::pin(request));
    }

    /// Waits for the answers to one request.
    async fn answer(&mut self) {
        if let Some(answers) = self.requests.next().await {
            self.take(answers);
        }
    }

    fn take(&mut self, mut answers: Answers) {
        if let Some(mut sent) = answers.sent.take()
            && self.spare.len() < self.most
            && sent.capacity() <= SPARE_BYTES
        {
            sent.clear();
            self.spare.push(sent);
        }
        self.rows.retain(|rows| !Arc::ptr_eq(rows, &answers.rows));
        self.tally.answered(&answers);
        self.tally.report();
    }

    /// Counts an entry that is not sent.
    fn unsent(&mut self, index: usize, outcome: Result<(), Error>) {
        self.tally.count(index, outcome);
        self.tally.report();
    }
}

/// The error of an entry that is refused before it is sent.
#[cold]
fn refused_entry(schema: &Schema, place: (&[u8], Option<Timestamp>), refused: Status) -> Error {
    match schema.table_of_row(place.0) {
        Ok(table) => at_row(schema, &table, WRITE, place, refused),
        Err(error) => error,
    }
}

async fn request(
    backend: &dyn Backend,
    schema: Schema,
    table: Cow<'static, str>,
    batch: Batch,
    rows: Arc<Places>,
) -> Answers {
    let events = batch::events(&batch.entries, &rows);
    let marked = mark_or_status(backend, &schema, events).await;
    let added = marked.and_then(|()| added(&schema, &batch.writes));
    let (written, added) = match added {
        Ok(added) => (write(backend, &table, batch.writes).await, added),
        Err(status) => ((Err(status), None), Added::default()),
    };
    let (answer, sent) = written;
    let is_written = |place| outcome_of(&answer, place).is_ok();
    Answers {
        not_added: added.send(backend, &schema, is_written).await,
        schema,
        table,
        rows,
        answer,
        entries: batch.entries,
        sent,
    }
}

/// The answer to a bulk write.
type Answer = Result<Vec<EntryOutcome>, Status>;

/// The outcome of the entry at an index of a bulk write.
pub(crate) fn outcome_of(answer: &Answer, index: usize) -> EntryOutcome {
    match answer {
        Ok(outcomes) => outcomes
            .get(index)
            .cloned()
            .unwrap_or_else(|| Err(Status::new(Code::Internal, "the entry was not answered"))),
        Err(status) => Err(status.clone()),
    }
}

/// Writes the entries of a request; returns their memory.
pub(crate) async fn write(
    backend: &dyn Backend,
    table: &str,
    mut entries: EntryBatch,
) -> (Answer, Option<EntryBatch>) {
    entries.rows_differ();
    let entries = Arc::new(entries);
    let answer = backend.mutate_rows(table, Arc::clone(&entries)).await;
    (answer, Arc::into_inner(entries))
}

/// The server's additions to roll-ups for the events of a request.
fn added<'s>(schema: &'s Schema, writes: &EntryBatch) -> Result<Added<'s>, Status> {
    if !schema.rollups.iter().any(RolledUp::is_added) {
        return Ok(Added::default());
    }
    Added::of(schema, &writes.to_rows()?).map_err(as_status)
}
