//! What a job did.

use crate::Error;

/// How many errors are listed.
const MOST_LISTED: usize = 100;

/// What became of the marked buckets that a [`RollupJob`](super::RollupJob) found.
#[derive(Debug, Default)]
#[must_use = "it tells which buckets are still marked"]
pub struct RollupReport {
    /// How many were computed; their marks are gone.
    pub computed: u64,
    /// How many were marked again while they were computed: they stay marked, as they were.
    pub marked_again: u64,
    /// How many were left alone since their mark is too young.
    pub young: u64,
    /// How many could not be computed: they stay marked.
    pub failed: u64,
    /// Why; the first 100.
    pub errors: Vec<Error>,
}

/// What became of one bucket.
pub(super) enum Done {
    Computed,
    MarkedAgain,
    Young,
}

impl RollupReport {
    pub(super) fn add(&mut self, done: Result<Done, Error>) {
        match done {
            Ok(Done::Computed) => self.computed += 1,
            Ok(Done::MarkedAgain) => self.marked_again += 1,
            Ok(Done::Young) => self.young += 1,
            Err(error) => {
                self.failed += 1;
                if self.errors.len() < MOST_LISTED {
                    self.errors.push(error);
                }
            }
        }
    }

    /// The number of buckets computed, or the first failure.
    ///
    /// # Errors
    /// The first error of a bucket.
    pub fn into_result(self) -> Result<u64, Error> {
        match self.errors.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(self.computed),
        }
    }
}
