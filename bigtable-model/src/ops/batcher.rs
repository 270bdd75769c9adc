//! Single events of many tasks, written together.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::future::join_all;

use crate::backend::batcher::{Batcher, BatcherSettings, Outcome};
use crate::backend::{Backend, Code, InvalidSetting, Method, Status};
use crate::model::{Batched, EventRow, Schema, insert_row};
use crate::send::{Stamps, at_row};
use crate::{Error, Timestamp};

/// Collects events of a model from many tasks and writes them in bulk, each with its own outcome;
/// see [`BackendExt::batcher`](super::BackendExt::batcher). Clones share what they collect.
///
/// It is a [`Batcher`] for each table that its events go to, with these settings for each. Events
/// of one row are written in the order in which they were taken.
pub struct EventBatcher<M> {
    backend: Arc<dyn Backend>,
    settings: BatcherSettings,
    state: Arc<Mutex<State>>,
    model: PhantomData<fn() -> M>,
}

struct State {
    /// By the tables' IDs; with tables by period, those that were written to.
    tables: BTreeMap<String, Batcher>,
    stamps: Stamps,
    closed: bool,
}

impl<M: Batched> EventBatcher<M> {
    pub(super) fn new(
        backend: Arc<dyn Backend>,
        settings: BatcherSettings,
    ) -> Result<Self, InvalidSetting> {
        settings.check()?;
        let state = State {
            tables: BTreeMap::new(),
            stamps: Stamps::new(&[M::SCHEMA]),
            closed: false,
        };
        Ok(Self {
            backend,
            settings,
            state: Arc::new(Mutex::new(state)),
            model: PhantomData,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes an event as soon as there is room. The event is not taken before this returns, nor if
    /// the future is dropped.
    ///
    /// It returns the event's outcome, which need not be awaited. The event is written in any case,
    /// like by [`insert`](super::BackendExt::insert).
    ///
    /// # Errors
    /// [`Error::Key`] or [`Error::Value`] if the event cannot be stored unchanged;
    /// [`Error::Backend`] with `FAILED_PRECONDITION` when the batcher is closed, or its runtime has
    /// ended.
    ///
    /// # Panics
    /// Outside a Tokio runtime.
    pub async fn add(&self, event: &M) -> Result<EventOutcome, Error> {
        let now = self.state().stamps.next();
        let EventRow { row, time } = insert_row(event, now)?;
        let place = EventPlace {
            schema: M::SCHEMA.clone(),
            table: M::SCHEMA.table_of_row(&row.key)?.into_owned(),
            key: row.key.clone(),
            time,
        };
        let batcher = match self.of_table(&place.table) {
            Ok(batcher) => batcher,
            Err(status) => return Err(place.error(status)),
        };
        match batcher.add(row).await {
            Ok(outcome) => Ok(EventOutcome { outcome, place }),
            Err(status) => Err(place.error(status)),
        }
    }

    fn of_table(&self, table: &str) -> Result<Batcher, Status> {
        let mut state = self.state();
        if state.closed {
            return Err(Status::new(
                Code::FailedPrecondition,
                "the batcher is closed: the event was not taken",
            ));
        }
        if let Some(batcher) = state.tables.get(table) {
            return Ok(batcher.clone());
        }
        let batcher = Batcher::new(Arc::clone(&self.backend), table, self.settings)?;
        state.tables.insert(table.to_owned(), batcher.clone());
        Ok(batcher)
    }

    fn batchers(&self) -> Vec<Batcher> {
        self.state().tables.values().cloned().collect()
    }

    /// Sends the events taken so far without waiting for more, and waits until they are written,
    /// but not for events taken meanwhile.
    pub async fn flush(&self) {
        let batchers = self.batchers();
        join_all(batchers.iter().map(Batcher::flush)).await;
    }

    /// Takes no more events, not even from clones, sends those already taken, and waits until every
    /// outcome is ready.
    pub async fn close(&self) {
        self.state().closed = true;
        let batchers = self.batchers();
        join_all(batchers.iter().map(Batcher::close)).await;
    }
}

impl<M> Clone for EventBatcher<M> {
    fn clone(&self) -> Self {
        Self {
            backend: Arc::clone(&self.backend),
            settings: self.settings,
            state: Arc::clone(&self.state),
            model: PhantomData,
        }
    }
}

impl<M> fmt::Debug for EventBatcher<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventBatcher")
            .field("backend", &self.backend)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// Where an event goes, to name it in errors.
#[derive(Debug)]
struct EventPlace {
    schema: Schema,
    table: String,
    key: Bytes,
    time: Option<Timestamp>,
}

impl EventPlace {
    #[cold]
    fn error(&self, source: Status) -> Error {
        let place = (&*self.key, self.time);
        at_row(&self.schema, &self.table, Method::MutateRows, place, source)
    }
}

/// The outcome of one event of an [`EventBatcher`].
///
/// It is an [`Error::Backend`] with `CANCELLED` if the batcher ended before the outcome was known,
/// and an [`Error::MissingTable`] if there is no table for the event's period.
#[derive(Debug)]
pub struct EventOutcome {
    outcome: Outcome,
    place: EventPlace,
}

impl Future for EventOutcome {
    type Output = Result<(), Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let outcome = Pin::new(&mut self.outcome).poll(context);
        outcome.map_err(|status| self.place.error(status))
    }
}
