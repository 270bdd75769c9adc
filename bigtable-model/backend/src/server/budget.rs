//! How many bytes wait to be sent, for all calls of a server together.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

use crate::{Code, Status};

/// The bytes that may wait, and those that do.
#[derive(Debug)]
pub(super) struct Budget {
    most: usize,
    held: AtomicUsize,
}

impl Budget {
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            held: AtomicUsize::new(0),
        })
    }

    /// The answer to a call that exceeds it.
    pub(super) fn exceeded(&self) -> Status {
        Status::new(
            Code::ResourceExhausted,
            format!(
                "over {} bytes wait to be sent, for all calls to this server together: clients read slower than it answers",
                self.most
            ),
        )
    }
}

/// Bytes that are counted until it is dropped.
#[derive(Debug)]
pub(super) struct Held {
    budget: Arc<Budget>,
    bytes: usize,
}

impl Held {
    /// No bytes yet.
    pub(super) fn of(budget: &Arc<Budget>) -> Self {
        Self {
            budget: Arc::clone(budget),
            bytes: 0,
        }
    }

    /// Counts this many in all; fails if they exceed the budget.
    pub(super) fn grow_to(&mut self, bytes: usize) -> Result<(), Status> {
        let more = bytes.saturating_sub(self.bytes);
        if more == 0 {
            return Ok(());
        }
        let before = self.budget.held.fetch_add(more, Ordering::Relaxed);
        self.bytes += more;
        match before.saturating_add(more) <= self.budget.most {
            true => Ok(()),
            false => Err(self.budget.exceeded()),
        }
    }

    /// The bytes, which are counted until the last part of them is dropped.
    pub(super) fn until_dropped(mut self, bytes: Bytes) -> Result<Bytes, Status> {
        self.grow_to(bytes.len())?;
        Ok(Bytes::from_owner(Counted { bytes, _held: self }))
    }

    /// What is held so far; nothing is held here any more.
    pub(super) fn take(&mut self) -> Self {
        let nothing = Self::of(&self.budget);
        std::mem::replace(self, nothing)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.budget.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

struct Counted {
    bytes: Bytes,
    _held: Held,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn bytes_are_counted_until_their_last_part_is_dropped() {
        let budget = Budget::new(100);
        let hold = |count: usize| Held::of(&budget).until_dropped(vec![0; count].into());
        let mut first = hold(60).unwrap();
        assert_eq!(hold(41).unwrap_err().code, Code::ResourceExhausted);
        let second = hold(40).unwrap();
        let part = first.split_to(10);
        drop((first, second));
        assert!(hold(41).is_err());
        drop(part);
        assert!(hold(100).is_ok());
    }

    #[test]
    fn what_grows_is_counted_once() {
        let budget = Budget::new(100);
        let mut held = Held::of(&budget);
        held.grow_to(60).unwrap();
        held.grow_to(50).unwrap();
        held.grow_to(100).unwrap();
        assert!(held.grow_to(101).is_err());
        let taken = held.take();
        assert!(held.grow_to(1).is_err());
        drop((held, taken));
        assert!(Held::of(&budget).grow_to(100).is_ok());
    }
}
