//! Writes of many events.

use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;

use futures::{Stream, stream};

use crate::Error;
use crate::backend::setting::at_least_one;
use crate::backend::{Backend, InvalidSetting};
use crate::mirror;
use crate::model::{InsertWriter, Made, Model};
use crate::send::limits::REQUESTS_IN_FLIGHT;
use crate::send::{Bulk, InsertOutcome, InsertProgress, Inserted, Make, OnProgress, Stamps};

/// A write of many events, to be configured and run; see
/// [`BackendExt::inserts`](super::BackendExt::inserts).
#[must_use = "nothing is written before `run` or `run_stream`"]
pub struct Inserts<'a, B: ?Sized, M> {
    pub(super) backend: &'a B,
    pub(super) requests: usize,
    pub(super) progress: Option<OnProgress<'a>>,
    model: PhantomData<fn() -> M>,
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

    /// How many requests may be in flight at once: 4 by default, at least 1. For a model with
    /// mirrors it applies to each of their tables.
    ///
    /// # Errors
    /// [`InvalidSetting`] for 0.
    pub fn requests_in_flight(mut self, requests: usize) -> Result<Self, InvalidSetting> {
        at_least_one("Inserts::requests_in_flight", requests)?;
        self.requests = requests;
        Ok(self)
    }

    /// Calls a function with the numbers so far: after the answers to each request, and after
    /// each event that the model refuses. For a model with mirrors, an event counts as written once
    /// its copies are, so the calls come after up to 1,000 events at a time.
    pub fn on_progress(mut self, progress: impl FnMut(InsertProgress) + Send + 'a) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }

    /// Writes the events of an iterator, owned or borrowed, one after another as there is room for
    /// them.
    pub async fn run<I>(self, events: I) -> InsertOutcome
    where
        I: IntoIterator<Item: Borrow<M>>,
    {
        self.run_stream(stream::iter(events)).await
    }

    /// Writes the events of a stream, owned or borrowed. The stream is not polled while there is no
    /// room; while it has no event ready and no request is in flight, the events taken so far are
    /// sent without waiting for more.
    pub async fn run_stream<S>(self, events: S) -> InsertOutcome
    where
        S: Stream<Item: Borrow<M>>,
    {
        let tally = Inserted {
            outcome: InsertOutcome::default(),
            progress: self.progress,
        };
        if !M::MIRRORS.is_empty() {
            let rows = |_, event: S::Item, now| mirror::EventRows::new::<M>(event.borrow(), now);
            let (backend, requests) = (self.backend, self.requests);
            let written = mirror::insert_many::<_, M, _, _>(backend, requests, events, rows, tally);
            return written.await.outcome.sorted();
        }
        let bulk = Bulk::new(self.backend, M::SCHEMA, tally).requests_in_flight(self.requests);
        bulk.run(events, Events::<M>::new()).await.outcome.sorted()
    }
}

/// Makes the entries of a model's events.
pub(super) struct Events<M> {
    stamps: Stamps,
    writer: InsertWriter,
    model: PhantomData<fn() -> M>,
}

impl<M: Model> Events<M> {
    pub(super) fn new() -> Self {
        Self {
            stamps: Stamps::new([&**M::SCHEMA]),
            writer: InsertWriter::new(M::SCHEMA),
            model: PhantomData,
        }
    }
}

impl<M: Model, E: Borrow<M>> Make<E> for Events<M> {
    fn make(&mut self, event: E) -> Result<Option<Made<'_>>, Error> {
        let now = self.stamps.next();
        self.writer.write(event.borrow(), now).map(Some)
    }
}

impl<B: fmt::Debug + ?Sized, M> fmt::Debug for Inserts<'_, B, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inserts")
            .field("backend", &self.backend)
            .field("requests", &self.requests)
            .finish_non_exhaustive()
    }
}
