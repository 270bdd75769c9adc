//! The tables of one backend and their locks.

pub(super) mod columns;
pub(super) mod gc;
#[cfg(feature = "server")]
pub(super) mod revision;
pub(super) mod row;
pub(super) mod tokens;
pub(super) mod versions;

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use bytes::Bytes;
use bytestring::ByteString;

use super::Profile;
use super::clock::Clock;
use super::refusal::table_not_found;
use super::store::row::StoredRow;
use super::store::tokens::Tokens;
use crate::Status;
use crate::data::FamilySchema;

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

/// One table. Its lock is held for one write, or to take a few rows for a read, and never over an
/// await.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) id: String,
    content: RwLock<Content>,
}

/// A table's rows by their keys.
pub(super) type Rows = BTreeMap<Bytes, Arc<StoredRow>>;

/// What a table holds.
#[derive(Default)]
pub(super) struct Content {
    pub(super) families: BTreeMap<ByteString, FamilySchema>,
    /// A row is shared with the reads that took it; a write then changes a copy. No row is without
    /// cells.
    pub(super) rows: Rows,
    /// The keys at which tablets begin.
    pub(super) splits: BTreeSet<Bytes>,
    /// Set when the table is deleted, for reads that still hold it.
    pub(super) deleted: bool,
    /// Whether the families were ever modified, before which the emulator collects no garbage.
    pub(super) modified: bool,
    /// How often it may have been changed.
    pub(super) changes: u64,
    /// The idempotency tokens of the last writes.
    pub(super) tokens: Tokens,
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

impl Table {
    pub(super) fn new(id: String, content: Content) -> Self {
        Self {
            id,
            content: RwLock::new(content),
        }
    }

    /// Locks for reading; fails if the table was deleted meanwhile.
    pub(super) fn read(&self) -> Result<RwLockReadGuard<'_, Content>, Status> {
        let content = self.content.read().unwrap_or_else(PoisonError::into_inner);
        if content.deleted {
            return Err(table_not_found(&self.id));
        }
        Ok(content)
    }

    /// Locks for writing; fails if the table was deleted meanwhile.
    pub(super) fn write(&self) -> Result<RwLockWriteGuard<'_, Content>, Status> {
        let mut content = self.content.write().unwrap_or_else(PoisonError::into_inner);
        if content.deleted {
            return Err(table_not_found(&self.id));
        }
        content.changes += 1;
        Ok(content)
    }
}

/// The families and how many rows there are: a table's data is too much for a log line.
impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Content")
            .field("families", &self.families)
            .field("rows", &self.rows.len())
            .finish_non_exhaustive()
    }
}

impl Content {
    /// The family's own name, to share its bytes among cells, and its schema.
    pub(super) fn family(&self, name: &str) -> Option<(&ByteString, &FamilySchema)> {
        self.families.get_key_value(name)
    }
}

/// Changes one row in place, creates it if it does not exist, and removes it if no cell is left.
pub(super) fn change_row<T>(
    rows: &mut Rows,
    key: Bytes,
    change: impl FnOnce(&mut StoredRow) -> T,
) -> T {
    match rows.entry(key) {
        Entry::Occupied(mut held) => {
            let row = Arc::make_mut(held.get_mut());
            let result = change(row);
            if row.is_empty() {
                held.remove();
            }
            result
        }
        Entry::Vacant(place) => {
            let mut row = StoredRow::new(place.key().clone());
            let result = change(&mut row);
            if !row.is_empty() {
                place.insert(Arc::new(row));
            }
            result
        }
    }
}
