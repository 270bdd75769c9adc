//! The report of a job that packs rows.

use crate::Error;
use crate::send::limits::list;

use super::compact::Rewritten;

/// What a [`PackJob`](super::PackJob) did.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct PackReport {
    /// The rows that needed a change.
    pub rows: u64,
    /// The rows that were changed.
    pub changed: u64,
    /// The rows that have not settled yet, which stay unchanged.
    pub unsettled: u64,
    /// The rows to which others wrote at each attempt; the next run changes them.
    pub contended: u64,
    /// The rows that could not be changed.
    pub refused: u64,
    /// The events of the rows that were changed.
    pub events: u64,
    /// The cells of these rows before.
    pub cells_before: u64,
    /// Their cells after.
    pub cells_after: u64,
    /// The bytes of these cells before: qualifiers, values, and eight for a timestamp.
    pub bytes_before: u64,
    /// Their bytes after.
    pub bytes_after: u64,
    errors: Vec<Error>,
}

impl PackReport {
    /// Why rows were refused, up to 100 of them: each names its row.
    #[must_use]
    pub fn errors(&self) -> &[Error] {
        &self.errors
    }

    pub(super) fn changed(&mut self, row: Rewritten) {
        self.changed += u64::from(row.changed);
        self.contended += u64::from(row.contended);
        if row.changed {
            self.events += row.events;
            self.cells_before += row.cells.0;
            self.cells_after += row.cells.1;
            self.bytes_before += row.bytes.0;
            self.bytes_after += row.bytes.1;
        }
    }

    pub(super) fn refused(&mut self, error: Error) {
        self.refused += 1;
        list(&mut self.errors, [error]);
    }
}
