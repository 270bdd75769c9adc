//! How much work is done before other tasks get their turn, and how much for one row in total.
//!
//! A step is about the work for one cell, or for 8 bytes of a value.

use crate::memory::turns::Turn;
pub(super) use crate::memory::turns::{TURN, steps_of_copy};

/// The number of steps of a row that takes too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooMany(pub(super) usize);

/// The steps that are left.
#[derive(Debug, Clone)]
pub(super) struct Steps {
    turn: Turn,
    /// For this row.
    row: usize,
    most: usize,
}

impl Default for Steps {
    fn default() -> Self {
        Self {
            turn: Turn::default(),
            row: usize::MAX,
            most: usize::MAX,
        }
    }
}

impl Steps {
    /// Steps that never end a turn.
    pub(super) fn of_one_turn() -> Self {
        Self {
            turn: Turn::endless(),
            ..Self::default()
        }
    }

    /// Begins a row that may take this many steps.
    pub(super) fn begin_row(&mut self, most: usize) {
        (self.row, self.most) = (most, most);
    }

    /// Whether others should have their turn before something is begun.
    pub(super) fn are_few(&self) -> bool {
        self.turn.is_ending()
    }

    /// Takes steps before they are done, and pauses first if this turn has too few left. At most
    /// [`TURN`] should be taken at once.
    #[inline]
    pub(super) async fn take(&mut self, count: usize) -> Result<(), TooMany> {
        self.row = self.row.checked_sub(count).ok_or(TooMany(self.most))?;
        self.take_of_turn(count).await;
        Ok(())
    }

    /// Begins a turn: others had theirs.
    pub(super) fn begin_turn(&mut self) {
        self.turn = Turn::default();
    }

    /// Takes steps of this turn that were done.
    #[inline]
    pub(super) fn spend(&mut self, count: usize) {
        self.turn.spend(count);
        #[cfg(test)]
        taken::add(count);
    }

    /// The same without counting for a row.
    #[inline]
    pub(super) async fn take_of_turn(&mut self, count: usize) {
        self.turn.take(count).await;
        #[cfg(test)]
        taken::add(count);
    }
}

/// For tests: the steps that this thread took.
#[cfg(test)]
pub(super) mod taken {
    use std::cell::Cell;

    thread_local! {
        static TAKEN: Cell<usize> = const { Cell::new(0) };
    }

    pub(super) fn add(count: usize) {
        TAKEN.set(TAKEN.get() + count);
    }

    pub(in crate::memory) fn so_far() -> usize {
        TAKEN.get()
    }
}
