//! Reports of repairs.

use std::fmt;

use crate::Error;
use crate::model::{Schema, TableRepair};
use crate::send::limits::list;

/// What [`repair`](crate::BackendExt::repair) did. Its `Display` has a line for each table.
#[derive(Debug, Default)]
#[must_use = "it tells which copies are still wrong"]
pub struct RepairReport {
    /// How many events of the source were read.
    pub events: u64,
    /// The first 100 rows of the source that are not events of the model.
    pub unreadable: Vec<Error>,
    /// The tables of copies, as the model names them.
    pub tables: Vec<TableRepair>,
}

impl RepairReport {
    /// Whether every copy is right now.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.unreadable.is_empty() && self.tables.iter().all(|table| table.failed == 0)
    }

    /// How many copies were written.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.tables.iter().map(|table| table.written).sum()
    }

    /// How many copies were deleted.
    #[must_use]
    pub fn deleted(&self) -> u64 {
        self.tables.iter().map(|table| table.deleted).sum()
    }

    /// Records a row of the source that cannot be read.
    pub(super) fn unreadable(&mut self, error: Error) {
        list(&mut self.unreadable, [error]);
    }
}

impl TableRepair {
    pub(super) fn new(schema: &Schema) -> Self {
        Self {
            table: schema.table.to_string(),
            checked: 0,
            written: 0,
            deleted: 0,
            unknown: 0,
            failed: 0,
            errors: Vec::new(),
        }
    }

    /// Records copies that an error affects.
    pub(super) fn failed(&mut self, copies: usize, error: Error) {
        self.failed += count(copies);
        list(&mut self.errors, [error]);
    }

    pub(super) fn add(&mut self, other: Self) {
        self.checked += other.checked;
        self.written += other.written;
        self.deleted += other.deleted;
        self.unknown += other.unknown;
        self.failed += other.failed;
        list(&mut self.errors, other.errors);
    }
}

impl fmt::Display for RepairReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} events", self.events)?;
        for table in &self.tables {
            write!(f, "\n{table}")?;
        }
        Ok(())
    }
}

impl fmt::Display for TableRepair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            table,
            checked,
            written,
            deleted,
            failed,
            ..
        } = self;
        write!(
            f,
            "table {table}: {checked} copies checked, {written} written, {deleted} deleted, {failed} failed"
        )
    }
}

/// A number of copies.
pub(super) fn count(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}
