//! The tables of one backend and their locks.

pub(super) mod columns;
mod content;
pub(super) mod gc;
#[cfg(feature = "server")]
pub(super) mod revision;
pub(super) mod row;
pub(super) mod tokens;
pub(super) mod versions;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use bytes::Bytes;

use super::Profile;
use super::check::table_not_found;
use super::clock::Clock;
use crate::Status;
pub(super) use content::{Content, Families, Rows, Table, change_row};
use row::StoredRow;

/// The state that all clones of a backend share.
#[derive(Debug, Default)]
pub(super) struct Store {
    pub(super) profile: Profile,
    pub(super) clock: Clock,
    pub(super) mask_expired: bool,
    tables: RwLock<BTreeMap<String, Arc<Table>>>,
    /// How often the map of tables may have been changed.
    pub(super) changes: AtomicU64,
}

impl Store {
    pub(super) fn new(profile: Profile, clock: Clock, mask_expired: bool) -> Self {
        Self {
            profile,
            clock,
            mask_expired,
            ..Self::default()
        }
    }

    pub(super) fn tables(&self) -> RwLockReadGuard<'_, BTreeMap<String, Arc<Table>>> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn tables_mut(&self) -> RwLockWriteGuard<'_, BTreeMap<String, Arc<Table>>> {
        let tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        self.changes.fetch_add(1, Ordering::Relaxed);
        tables
    }

    pub(super) fn table(&self, id: &str) -> Result<Arc<Table>, Status> {
        let table = self.tables().get(id).cloned();
        table.ok_or_else(|| table_not_found(id))
    }

    /// Shares rows of a table with a read.
    pub(super) fn share<'c>(
        &self,
        content: &Content,
        rows: impl Iterator<Item = (&'c Bytes, &'c Arc<StoredRow>)> + Clone,
        look: impl Fn(&StoredRow) -> usize,
    ) -> impl Iterator<Item = Arc<StoredRow>> {
        // A reference count that is not in the cache makes each row wait for the one before, and so
        // does the memory that is read next, which `look` touches. Touched beforehand, they are
        // fetched in parallel.
        let looked_at = rows
            .clone()
            .map(|(_, row)| Arc::strong_count(row) + look(row))
            .max();
        std::hint::black_box(looked_at);
        rows.map(|(_, row)| self.visible(content, row))
    }

    /// The row without the cells that its table's rules would delete, if this store masks them.
    #[inline]
    pub(super) fn visible(&self, content: &Content, row: &Arc<StoredRow>) -> Arc<StoredRow> {
        if !self.mask_expired {
            return row.clone();
        }
        let mut masked = row.clone();
        let now = self.clock.now().as_micros();
        gc::collect(&mut masked, &content.families, now, self.profile);
        masked
    }
}
