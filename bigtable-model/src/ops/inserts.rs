//! Writes of many events.

use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;

use futures::{Stream, StreamExt as _, stream};

use crate::backend::setting::at_least_one;
use crate::backend::{Backend, InvalidSetting};
use crate::mirror;
use crate::model::{EventRow, InsertWriter, Model};
use crate::send::{
    Bulk, InsertOutcome, InsertProgress, Inserted, OnProgress, REQUESTS_IN_FLIGHT, Stamps,
};

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

impl<B: fmt::Debug + ?Sized, M> fmt::Debug for Inserts<'_, B, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inserts")
            .field("backend", &self.backend)
            .field("requests", &self.requests)
            .finish_non_exhaustive()
    }
}
