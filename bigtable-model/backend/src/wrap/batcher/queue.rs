//! The entries that wait to be sent.

use std::collections::{HashMap, VecDeque};

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::BatcherSettings;
use crate::EntryOutcome;
use crate::data::RowMutations;

/// An entry, and what it holds until it is done.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) row: RowMutations,
    pub(super) size: usize,
    pub(super) answer: oneshot::Sender<EntryOutcome>,
    pub(super) room: (OwnedSemaphorePermit, OwnedSemaphorePermit),
}

/// Entries in their order. Of each row one at most may go out; the others wait behind it.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// Those that may go out.
    ready: VecDeque<Item>,
    ready_bytes: usize,
    /// For each row that has an entry in `ready` or under way, those behind it.
    rows: HashMap<Bytes, VecDeque<Item>>,
}

impl Queue {
    pub(super) fn push(&mut self, item: Item) {
        match self.rows.get_mut(&item.row.key) {
            Some(behind) => behind.push_back(item),
            None => {
                self.rows.insert(item.row.key.clone(), VecDeque::new());
                self.make_ready(item);
            }
        }
    }

    fn make_ready(&mut self, item: Item) {
        self.ready_bytes += item.size;
        self.ready.push_back(item);
    }

    /// Whether there is enough for a request of full size.
    pub(super) fn is_full(&self, settings: &BatcherSettings) -> bool {
        self.ready.len() >= settings.entries.max(1) || self.ready_bytes >= settings.bytes
    }

    pub(super) fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Whether nothing waits and nothing is under way.
    pub(super) fn is_idle(&self) -> bool {
        self.rows.is_empty()
    }

    /// The entries of the next request; they are under way until [`Queue::done`] is told.
    pub(super) fn take(&mut self, settings: &BatcherSettings) -> Vec<Item> {
        let mut taken: Vec<Item> = Vec::new();
        let mut bytes = 0;
        while taken.len() < settings.entries.max(1)
            && let Some(next) = self.ready.front()
            && (taken.is_empty() || bytes + next.size <= settings.bytes)
        {
            bytes += next.size;
            taken.extend(self.ready.pop_front());
        }
        self.ready_bytes -= bytes;
        taken
    }

    /// A row's entry is done; the next one may go out.
    pub(super) fn done(&mut self, key: &Bytes) {
        match self.rows.get_mut(key).and_then(VecDeque::pop_front) {
            Some(next) => self.make_ready(next),
            None => {
                self.rows.remove(key);
            }
        }
    }
}
