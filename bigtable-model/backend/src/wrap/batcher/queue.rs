//! The entries that wait to be sent.

use std::collections::VecDeque;

use bytes::Bytes;
use futures::channel::oneshot as outcome;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::BatcherSettings;
use super::flushes::Flushes;
use crate::EntryOutcome;
use crate::backend::row_order::RowOrder;
use crate::data::{RowMutations, limits};

/// An entry, and what it holds until it is done.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) row: RowMutations,
    /// The row's size on the wire.
    pub(super) bytes: usize,
    /// Not tokio's channel: an available outcome is returned at the first poll, however many were
    /// polled before.
    pub(super) answer: outcome::Sender<EntryOutcome>,
    /// Its share of what may be outstanding.
    pub(super) room: (OwnedSemaphorePermit, OwnedSemaphorePermit),
}

/// An entry that was taken.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) item: Item,
    /// What it adds to a request.
    size: Size,
    /// The first flush that waits for it.
    pub(super) flush: usize,
}

/// The total size of entries.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    bytes: usize,
    mutations: usize,
}

impl Size {
    fn of(item: &Item) -> Self {
        Self {
            bytes: item.bytes,
            mutations: item.row.mutations.len(),
        }
    }

    fn with(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_add(other.bytes),
            mutations: self.mutations.saturating_add(other.mutations),
        }
    }

    fn without(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_sub(other.bytes),
            mutations: self.mutations.saturating_sub(other.mutations),
        }
    }

    /// Whether a request may have this size.
    fn fits(self, settings: &BatcherSettings) -> bool {
        self.bytes <= settings.bytes && self.mutations <= limits::MUTATIONS
    }

    /// Whether a request of this size is full.
    fn is_enough(self, settings: &BatcherSettings) -> bool {
        self.bytes >= settings.bytes || self.mutations >= limits::MUTATIONS
    }
}

/// Entries in order. Of each row, at most one may be sent; the others wait until it is done.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// Entries that may be sent.
    ready: VecDeque<Taken>,
    ready_size: Size,
    /// How many of them a flush waits for.
    ready_wanted: usize,
    /// Which rows have an entry in `ready` or in flight, and their later ones.
    order: RowOrder<Taken>,
    /// Dropped last: callers that wait for a flush then find every outcome ready.
    flushes: Flushes,
}

impl Queue {
    pub(super) fn push(&mut self, item: Item) {
        let taken = Taken {
            size: Size::of(&item),
            flush: self.flushes.count(),
            item,
        };
        let key = taken.item.row.key.clone();
        if let Some(taken) = self.order.begin(&key, taken) {
            self.make_ready(taken);
        }
    }

    /// A caller waits until every entry taken so far is done.
    pub(super) fn flush(&mut self, done: oneshot::Sender<()>) {
        self.flushes.add(done);
        self.ready_wanted = self.ready.len();
    }

    fn make_ready(&mut self, taken: Taken) {
        self.ready_size = self.ready_size.with(taken.size);
        self.ready_wanted += usize::from(self.flushes.want(taken.flush));
        self.ready.push_back(taken);
    }

    /// Whether there is enough for a full request.
    pub(super) fn is_full(&self, settings: &BatcherSettings) -> bool {
        self.ready.len() >= settings.entries || self.ready_size.is_enough(settings)
    }

    pub(super) fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Whether a flush waits for entries that may be sent.
    pub(super) fn has_wanted(&self) -> bool {
        self.ready_wanted > 0
    }

    /// Whether nothing waits and nothing is in flight.
    pub(super) fn is_idle(&self) -> bool {
        self.order.is_idle()
    }

    /// The entries of the next request; they are in flight until [`Queue::done`] is called.
    pub(super) fn take(&mut self, settings: &BatcherSettings) -> Vec<Taken> {
        let mut taken: Vec<Taken> = Vec::new();
        let mut size = Size::default();
        while taken.len() < settings.entries
            && let Some(next) = self.ready.front()
            && (taken.is_empty() || size.with(next.size).fits(settings))
        {
            size = size.with(next.size);
            let wanted = usize::from(self.flushes.want(next.flush));
            self.ready_wanted = self.ready_wanted.saturating_sub(wanted);
            taken.extend(self.ready.pop_front());
        }
        self.ready_size = self.ready_size.without(size);
        taken
    }

    /// A row's entry is answered; the next one may be sent.
    pub(super) fn done(&mut self, key: &Bytes, flush: usize) {
        if let Some(next) = self.order.done(key) {
            self.make_ready(next);
        }
        self.flushes.done(flush);
    }
}
