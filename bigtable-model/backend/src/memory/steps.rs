//! How much work is done before other tasks get their turn, and how much for one row in total.
//!
//! A step is about the work for one cell, or for 8 bytes of a value: ten or twenty nanoseconds.

/// Steps between two turns of other tasks: about half a millisecond, so that even many such tasks
/// keep nobody waiting long.
pub(super) const TURN: usize = 1 << 15;

/// If fewer are left, nothing new is begun in this turn.
const FEW: usize = TURN / 16;

/// The number of steps of a row that takes too many.
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

    /// Takes steps before they are done, and yields to other tasks first if this turn has too few
    /// left. At most [`TURN`] should be taken at once.
    #[inline]
    pub(super) async fn take(&mut self, count: usize) -> Result<(), TooMany> {
        self.row = self.row.checked_sub(count).ok_or(TooMany(self.most))?;
        self.take_of_turn(count).await;
        Ok(())
    }

    /// The same without counting for a row.
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
