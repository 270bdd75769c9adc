//! The report of a job.

use crate::Error;

/// The maximum number of listed errors.
const MOST_LISTED: usize = 100;

/// What happened to the marked buckets that a [`RollupJob`](super::RollupJob) found.
#[derive(Debug, Default)]
#[must_use = "it tells which buckets are still marked"]
pub struct RollupReport {
    /// Buckets that were computed; their marks are gone.
    pub computed: u64,
    /// Buckets that were marked again while they were computed: they stay marked and unchanged.
    pub marked_again: u64,
    /// Buckets that were skipped because their mark is too young.
    pub young: u64,
    /// Buckets that could not be computed: they stay marked.
    pub failed: u64,
    /// The errors of failed buckets; at most 100.
    pub errors: Vec<Error>,
}

/// The outcome of one bucket.
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
