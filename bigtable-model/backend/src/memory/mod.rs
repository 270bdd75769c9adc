//! Tables in this process, with the semantics of the service.
//!
//! [`MemoryBackend`] answers like Bigtable, refusals included, so a program and its tests run
//! without a server. Families are read in the order of their names (Bigtable does not specify the
//! order). What the service does in its own time happens here on request: garbage collection by
//! [`MemoryBackend::run_gc`], the passing of time by a [`ManualClock`].
//!
//! The service's answers to these cases could not be verified, and were chosen: `INVALID_ARGUMENT`
//! for a write that does not fit an aggregate family and for timestamps of a delete that are not
//! whole milliseconds, `FAILED_PRECONDITION` for a row over 256 MiB, sums that wrap, an empty range
//! of qualifiers or values that lets nothing through.
//!
//! A filter of a few bytes can ask for a lot of work: interleaves in sequence multiply cells, and
//! each may have a regex for all of them. So memory and time are bounded: a filter is refused with
//! `INVALID_ARGUMENT` if it makes more than 100,000 cells of a row and more than twice the row's
//! cells, or if it takes more than 268,435,456 steps for a row and more than 100 for each cell and
//! every 8 bytes. Calls yield to other tasks after 32,768 steps, about half a millisecond, reads
//! and predicates even within a row, and stop there if they are dropped. Only a few things take
//! longer: one row's 100,000 mutations, or dropping a family from many rows. The regexes of a
//! filter may take 2 MiB in compiled form.

mod admin;
mod apply;
mod check;
mod clock;
mod emulator;
mod filter;
mod limits;
mod profile;
mod read;
mod regex;
mod sink;
mod snapshot;
mod steps;
mod store;
mod table;
#[cfg(test)]
mod tests;
pub(crate) mod turns;
mod write;

use std::sync::Arc;

use bytes::Bytes;
use futures::future::BoxFuture;

pub use clock::{Clock, ManualClock};
pub use profile::Profile;
pub use snapshot::SnapshotError;
#[cfg(feature = "server")]
pub(crate) use store::revision::Revision;
pub use table::{MemoryCell, MemoryRow, MemoryRows, MemoryTable};

use super::{Backend, Capabilities, EntryOutcome, RowBatches, Status, Tables};
use crate::Timestamp;
use crate::data::{
    CheckAndMutateRow, EntryBatch, EntryLimits, FamilyChange, ReadModifyWriteRow, ReadRows, Row,
    RowBatch, RowDeletion, RowKeySample, RowMutations, TableSchema,
};
use read::scan::Scan;
use store::Store;

/// An instance in memory. Clones share its tables.
///
/// A write is done by the first poll of its future, unless it takes long and yields to other tasks:
/// bulk writes and the deletion of many rows yield between rows, conditional writes while a
/// predicate takes many steps, read-modify-writes while many rules or large values are computed. A
/// read takes small batches of rows as it is polled; it sees each row at one moment and holds no
/// lock in between.
///
/// ```
/// use bigtable_backend::{Backend, memory::MemoryBackend};
/// use bigtable_backend::data::{FamilySchema, ReadRows, TableSchema};
/// use futures::TryStreamExt;
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let db = MemoryBackend::new();
/// let families = [("f".to_owned(), FamilySchema::default())].into();
/// let schema = TableSchema { table: "t".to_owned(), families, ..TableSchema::default() };
/// db.tables().create(schema, Vec::new()).await?;
/// let request = ReadRows { table: "t".to_owned(), ..ReadRows::default() };
/// let rows: Vec<_> = db.read_rows(request).rows().try_collect().await?;
/// assert!(rows.is_empty());
/// # Ok::<(), bigtable_backend::Status>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone, Default)]
pub struct MemoryBackend {
    store: Arc<Store>,
}

/// Settings of a [`MemoryBackend`].
#[derive(Debug, Clone, Default)]
pub struct MemoryBackendBuilder {
    profile: Profile,
    clock: Clock,
    mask_expired: bool,
}

impl MemoryBackendBuilder {
    /// Which server it imitates; the service by default.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// The source of the server's time; the system by default. It also says what typed reads and
    /// writes take for expired ([`Backend::expiry_time`]).
    #[must_use]
    pub fn clock(mut self, clock: impl Into<Clock>) -> Self {
        self.clock = clock.into();
        self
    }

    /// Whether reads leave out cells that garbage collection would delete now. Off by default:
    /// Bigtable returns expired cells until it has collected them.
    #[must_use]
    pub fn mask_expired(mut self, mask: bool) -> Self {
        self.mask_expired = mask;
        self
    }

    /// An instance without tables.
    #[must_use]
    pub fn build(self) -> MemoryBackend {
        MemoryBackend {
            store: Arc::new(Store::new(self.profile, self.clock, self.mask_expired)),
        }
    }
}

impl MemoryBackend {
    /// An instance without tables that imitates the service and runs on the system's clock.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The default settings.
    #[must_use]
    pub fn builder() -> MemoryBackendBuilder {
        MemoryBackendBuilder::default()
    }

    /// The source of its time.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.store.clock
    }

    /// Which server it imitates.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.store.profile
    }

    /// Collects garbage: deletes from every table the cells that its rules delete at `now`.
    ///
    /// This blocks, but locks a table for a few rows at a time only, so calls to it continue
    /// meanwhile; in asynchronous programs with large tables, run it with
    /// `tokio::task::spawn_blocking`. Nothing calls it on its own.
    pub fn run_gc(&self, now: Timestamp) {
        let tables: Vec<_> = self.store.tables().values().cloned().collect();
        for table in tables {
            // A table deleted meanwhile has nothing to collect.
            let _ = store::gc::run(&table, now.as_micros(), self.store.profile);
        }
    }
}

impl Backend for MemoryBackend {
    fn handle(&self) -> Arc<dyn Backend> {
        Arc::new(self.clone())
    }

    /// The time of its own clock, which garbage collection uses.
    fn expiry_time(&self) -> Timestamp {
        self.store.clock.now()
    }

    fn read_rows(&self, request: ReadRows) -> RowBatches {
        let counts = Arc::default();
        let scan = Scan::<RowBatch>::new(self.store.clone(), request, Some(Arc::clone(&counts)));
        RowBatches::new(scan).counted(counts)
    }

    fn mutate_row<'a>(
        &'a self,
        table: &'a str,
        row: RowMutations,
    ) -> BoxFuture<'a, Result<(), Status>> {
        Box::pin(async move { self.store.mutate_row(table, row) })
    }

    fn mutate_rows<'a>(
        &'a self,
        table: &'a str,
        entries: Arc<EntryBatch>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        Box::pin(async move { self.store.mutate_rows(table, &entries).await })
    }

    /// The emulator knows no tokens, and checks each entry itself.
    fn capabilities(&self) -> Capabilities {
        let is_service = self.store.profile == Profile::Service;
        Capabilities {
            tokens: is_service,
            limits: is_service.then(EntryLimits::default),
        }
    }

    fn check_and_mutate_row(
        &self,
        request: CheckAndMutateRow,
    ) -> BoxFuture<'_, Result<bool, Status>> {
        Box::pin(async move { self.store.check_and_mutate(&request).await })
    }

    fn read_modify_write_row(
        &self,
        request: ReadModifyWriteRow,
    ) -> BoxFuture<'_, Result<Row, Status>> {
        Box::pin(async move { self.store.read_modify_write(&request).await })
    }

    fn sample_row_keys<'a>(
        &'a self,
        table: &'a str,
    ) -> BoxFuture<'a, Result<Vec<RowKeySample>, Status>> {
        Box::pin(self.store.sample_row_keys(table))
    }

    fn tables(&self) -> &dyn Tables {
        self
    }
}

impl Tables for MemoryBackend {
    fn create(&self, schema: TableSchema, splits: Vec<Bytes>) -> BoxFuture<'_, Result<(), Status>> {
        Box::pin(async move { self.store.create_table(schema, splits) })
    }

    fn get<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<TableSchema, Status>> {
        Box::pin(async move { self.store.get_table(table) })
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<String>, Status>> {
        Box::pin(async move { Ok(self.store.tables().keys().cloned().collect()) })
    }

    fn delete<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<(), Status>> {
        Box::pin(self.store.delete_table(table))
    }

    fn modify_families<'a>(
        &'a self,
        table: &'a str,
        changes: Vec<FamilyChange>,
    ) -> BoxFuture<'a, Result<TableSchema, Status>> {
        Box::pin(async move { self.store.modify_families(table, changes) })
    }

    fn drop_rows<'a>(
        &'a self,
        table: &'a str,
        rows: RowDeletion,
    ) -> BoxFuture<'a, Result<(), Status>> {
        Box::pin(self.store.drop_rows(table, rows))
    }
}
