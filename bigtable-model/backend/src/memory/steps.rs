//! How much work is done before others get their turn, and how much for one row at all.
//!
//! A step is about what it takes to look at one cell, or at 8 bytes of a value: ten or twenty
//! nanoseconds.

/// Steps from one turn of other tasks to the next: about half a millisecond, so that nobody waits
/// long for many such tasks either.
pub(super) const TURN: usize = 1 << 15;

/// When fewer are left, nothing new is begun in this turn.
const FEW: usize = TURN / 16;

/// A row takes more steps than it may: so many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooMany(pub(super) usize);

/// The steps that are left.
#[derive(Debug, Clone)]
pub(super) struct Steps {
    /// Of this turn.
    turn: usize,
    /// For this row.
    row: usize,
    most: usize,
}

impl Default for Steps {
    fn default() -> Self {
        Self {
            turn: TURN,
            row: usize::MAX,
            most: usize::MAX,
        }
    }
}

impl Steps {
    /// Begins a row that may take so many.
    pub(super) fn begin_row(&mut self, most: usize) {
        (self.row, self.most) = (most, most);
    }

    /// Begins a turn: others had theirs.
    pub(super) fn begin_turn(&mut self) {
        self.turn = TURN;
    }

    /// Whether others should have their turn before something is begun.
    pub(super) fn are_few(&self) -> bool {
        self.turn < FEW
    }

    /// Takes steps that are about to be done, after a turn of others where there are not so many
    /// left of this one. No more than [`TURN`] should be taken at once.
    #[inline]
    pub(super) async fn take(&mut self, count: usize) -> Result<(), TooMany> {
        self.row = self.row.checked_sub(count).ok_or(TooMany(self.most))?;
        self.take_of_turn(count).await;
        Ok(())
    }

    /// The same where no row is counted.
    #[inline]
    pub(super) async fn take_of_turn(&mut self, count: usize) {
        match self.turn.checked_sub(count) {
            Some(left) => self.turn = left,
            None => {
                tokio::task::yield_now().await;
                self.turn = TURN.saturating_sub(count);
            }
        }
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
