//! Returns events that were not written.

use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::bulk::Tally;
use super::{Expired, InsertProgress, OnProgress};
use crate::Error;

/// An event that was not written, returned to be kept elsewhere or written later.
#[derive(Debug)]
pub struct DeadLetter<M> {
    /// Its position among the events.
    pub index: usize,
    /// The event.
    pub event: M,
    /// Why it was not written; the error names the event by its key and time.
    pub error: Error,
}

/// The events in flight, by position.
#[derive(Debug)]
pub(crate) struct UnderWay<M>(Arc<Mutex<HashMap<usize, M>>>);

impl<M> Clone for UnderWay<M> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<M> Default for UnderWay<M> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<M> UnderWay<M> {
    fn events(&self) -> MutexGuard<'_, HashMap<usize, M>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, index: usize, event: M) {
        self.events().insert(index, event);
    }

    fn take(&self, index: usize) -> Option<M> {
        self.events().remove(&index)
    }
}

/// Counts inserts, and returns the events that failed.
pub(crate) struct GivenBack<'a, M, F> {
    pub(crate) under_way: UnderWay<M>,
    pub(crate) failed: F,
    pub(crate) outcome: InsertProgress,
    pub(crate) expired: Expired,
    pub(crate) progress: Option<OnProgress<'a>>,
}

impl<M, F> GivenBack<'_, M, F> {
    /// The numbers so far.
    pub(crate) fn counts(&self) -> InsertProgress {
        InsertProgress {
            expired: self.expired.load(Relaxed),
            ..self.outcome
        }
    }
}

impl<M: Send, F: FnMut(DeadLetter<M>) + Send> Tally for GivenBack<'_, M, F> {
    /// An event is returned once, with the first error.
    fn count(&mut self, index: usize, outcome: Result<(), Error>) {
        let Some(event) = self.under_way.take(index) else {
            return;
        };
        match outcome {
            Ok(()) => self.outcome.written += 1,
            Err(error) => {
                self.outcome.failed += 1;
                (self.failed)(DeadLetter {
                    index,
                    event,
                    error,
                });
            }
        }
    }

    fn report(&mut self) {
        let counts = self.counts();
        if let Some(report) = &mut self.progress {
            report(counts);
        }
    }
}
