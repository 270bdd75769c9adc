//! Writes of many events.

use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;

use futures::{Stream, StreamExt as _, stream};

use super::Backend;
use super::bulk::{Answers, Bulk, REQUESTS_IN_FLIGHT, Tally};
use crate::model::{EventRow, InsertWriter, Model, ModelSchema};
use crate::{Error, Timestamp, mirror};

/// A write of many events in the making; see [`BackendExt::inserts`](super::BackendExt::inserts).
#[must_use = "nothing is written before `run` or `run_stream`"]
pub struct Inserts<'a, B: ?Sized, M> {
    backend: &'a B,
    requests: usize,
    progress: Option<OnProgress<'a>>,
    model: PhantomData<fn() -> M>,
}

type OnProgress<'a> = Box<dyn FnMut(InsertProgress) + Send + 'a>;

/// How far a write of many events is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct InsertProgress {
    /// Events that are written.
    pub written: u64,
    /// Events that were refused, by the model or by the backend.
    pub failed: u64,
}

/// What became of the events of [`BackendExt::insert_many`](super::BackendExt::insert_many) or of [`Inserts`].
#[derive(Debug, Default)]
#[must_use = "it tells which events were not written"]
pub struct InsertOutcome {
    written: u64,
    failed: Vec<FailedInsert>,
}

/// An event that was not written.
#[derive(Debug)]
pub struct FailedInsert {
    /// Its position among the events.
    pub index: usize,
    /// Why; the error names the event by its key and time.
    pub error: Error,
}

impl<'a, B: Backend + ?Sized, M: Model> Inserts<'a, B, M> {
    pub(super) fn new(backend: &'a B) -> Self {
        Self {
            backend,
            requests: REQUESTS_IN_FLIGHT,
            progress: None,
            model: PhantomData,
        }
    }

    /// How many requests may be under way at once: 4 unless told otherwise, at least 1. Of a model with mirrors it holds for each
    /// of their tables.
    pub fn requests_in_flight(mut self, requests: usize) -> Self {
        self.requests = requests;
        self
    }

    /// Calls a function with the numbers so far: behind the answers to each request, and behind each event that the model refuses.
    /// Of a model with mirrors an event is written when its copies are, so that the calls come behind up to 1,000 events at a time.
    pub fn on_progress(mut self, progress: impl FnMut(InsertProgress) + Send + 'a) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }

    /// Writes the events of an iterator, owned or borrowed, one after another as there is room for them.
    pub async fn run<I>(self, events: I) -> InsertOutcome
    where
        I: IntoIterator<Item: Borrow<M>>,
    {
        self.run_stream(stream::iter(events)).await
    }

    /// Writes the events of a stream, owned or borrowed. It is not polled while there is no room; when it has none to give and
    /// no request is under way, those that it gave before go out and wait for no more.
    pub async fn run_stream<S>(self, events: S) -> InsertOutcome
    where
        S: Stream<Item: Borrow<M>>,
    {
        if !M::MIRRORS.is_empty() {
            let mut progress = self.progress;
            let report = |outcome: &InsertOutcome| {
                if let Some(progress) = &mut progress {
                    progress(outcome.progress());
                }
            };
            return mirror::insert_many::<B, M, S>(self.backend, events, self.requests, report)
                .await;
        }
        let mut stamps = Stamps::new([M::SCHEMA]);
        let mut writer = InsertWriter::default();
        let entries = events.map(|event| {
            let event = event.borrow();
            let row = writer.insert(event, stamps.next())?;
            let time = event.time();
            Ok(Some(EventRow { row, time }))
        });
        let tally = Inserted {
            outcome: InsertOutcome::default(),
            progress: self.progress,
        };
        let bulk = Bulk::new(self.backend, M::SCHEMA, tally).requests_in_flight(self.requests);
        bulk.run(entries).await.outcome.sorted()
    }
}

/// Writes rows in bulk, each with a number that names it; gives those that failed.
pub(crate) async fn write_rows<B: Backend + ?Sized>(
    backend: &B,
    schema: &'static ModelSchema,
    rows: Vec<(usize, impl Into<EventRow>)>,
    requests: usize,
) -> Vec<FailedInsert> {
    let (numbers, rows): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
    let tally = Inserted {
        outcome: InsertOutcome::default(),
        progress: None,
    };
    let entries = stream::iter(rows.into_iter().map(|row| Ok(Some(row.into()))));
    let bulk = Bulk::new(backend, schema, tally).requests_in_flight(requests);
    let mut failed = bulk.run(entries).await.outcome.failed;
    for one in &mut failed {
        one.index = numbers.get(one.index).copied().unwrap_or(one.index);
    }
    failed
}

impl<B: fmt::Debug + ?Sized, M> fmt::Debug for Inserts<'_, B, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inserts")
            .field("backend", &self.backend)
            .field("requests", &self.requests)
            .finish_non_exhaustive()
    }
}

impl InsertOutcome {
    /// Adds what became of some events.
    pub(crate) fn add(&mut self, written: usize, failed: Vec<FailedInsert>) {
        self.written += u64::try_from(written).unwrap_or(u64::MAX);
        self.failed.extend(failed);
    }

    /// With the failures in the order of the events.
    pub(crate) fn sorted(mut self) -> Self {
        self.failed.sort_by_key(|failed| failed.index);
        self
    }

    fn progress(&self) -> InsertProgress {
        InsertProgress {
            written: self.written,
            failed: u64::try_from(self.failed.len()).unwrap_or(u64::MAX),
        }
    }

    /// How many events were written.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.written
    }

    /// The events that were not, in their order.
    #[must_use]
    pub fn failed(&self) -> &[FailedInsert] {
        &self.failed
    }

    /// The number written, or the first failure.
    ///
    /// # Errors
    /// The error of the first event that was not written.
    pub fn into_result(self) -> Result<u64, Error> {
        match self.failed.into_iter().next() {
            Some(failed) => Err(failed.error),
            None => Ok(self.written),
        }
    }
}

/// Stamps of writes: never one below the one before, whatever the clock does, so that of two writes to a cell the last one
/// stays the newest. Where cells have the event's time the clock is not asked.
#[derive(Debug)]
pub(crate) struct Stamps {
    last: Timestamp,
    needed: bool,
}

impl Stamps {
    pub(crate) fn new<'a>(schemas: impl IntoIterator<Item = &'a ModelSchema>) -> Self {
        let mut schemas = schemas.into_iter();
        Self {
            last: Timestamp::UNIX_EPOCH,
            needed: schemas.any(ModelSchema::is_stamped_by_clock),
        }
    }

    pub(crate) fn next(&mut self) -> Timestamp {
        if self.needed {
            self.last = self.last.max(Timestamp::now());
        }
        self.last
    }
}

/// Counts inserts.
struct Inserted<'a> {
    outcome: InsertOutcome,
    progress: Option<OnProgress<'a>>,
}

impl Inserted<'_> {
    fn count(&mut self, index: usize, became: Result<(), Error>) {
        match became {
            Ok(()) => self.outcome.written += 1,
            Err(error) => self.outcome.failed.push(FailedInsert { index, error }),
        }
    }

    fn report(&mut self) {
        if let Some(report) = &mut self.progress {
            report(self.outcome.progress());
        }
    }
}

impl Tally for Inserted<'_> {
    fn unsent(&mut self, index: usize, why: Result<(), Error>) {
        self.count(index, why);
        self.report();
    }

    fn answered(&mut self, answers: Answers) {
        for entry in &answers.entries {
            self.count(entry.index, answers.row(entry.place, entry.time));
        }
        self.report();
    }
}
