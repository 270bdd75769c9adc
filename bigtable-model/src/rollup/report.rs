//! The report of a job.

use crate::Error;
use crate::send::limits::list;

/// The outcome for the marked buckets that a [`RollupJob`](super::RollupJob) found.
#[derive(Debug, Default)]
#[must_use = "it tells which buckets are still marked"]
pub struct RollupReport {
    /// Buckets that were computed, those left without events among them; their marks are gone.
    pub computed: u64,
    /// Buckets that were marked again while they were computed: they stay marked and unchanged.
    pub marked_again: u64,
    /// Buckets that were skipped because their mark is too young.
    pub young: u64,
    /// Buckets that keep their values, unmarked, because their sources are no longer all stored:
    /// see `incomplete`.
    pub kept: u64,
    /// Buckets that could not be computed: they stay marked.
    pub failed: u64,
    /// The errors of failed buckets; at most 100.
    pub errors: Vec<Error>,
    /// Buckets whose events were no longer all stored, each an [`Error::Rollup`] that says why; at
    /// most 100. A bucket that had values keeps them; another is computed from the rest.
    pub incomplete: Vec<Error>,
}

/// The outcome of one bucket.
pub(super) enum Done {
    Computed,
    /// Computed from the sources that are left.
    ComputedInPart(Error),
    /// It has values that cannot be recomputed.
    Kept(Error),
    MarkedAgain,
    Young,
}

impl RollupReport {
    pub(super) fn add(&mut self, done: Result<Done, Error>) {
        match done {
            Ok(Done::Computed) => self.computed += 1,
            Ok(Done::ComputedInPart(why)) => {
                self.computed += 1;
                list(&mut self.incomplete, [why]);
            }
            Ok(Done::Kept(why)) => {
                self.kept += 1;
                list(&mut self.incomplete, [why]);
            }
            Ok(Done::MarkedAgain) => self.marked_again += 1,
            Ok(Done::Young) => self.young += 1,
            Err(error) => {
                self.failed += 1;
                list(&mut self.errors, [error]);
            }
        }
    }

    /// The number of buckets computed, or the first failure. Buckets that keep their values are not
    /// failures.
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
