//! A table's content and its lock.

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use bytes::Bytes;
use bytestring::ByteString;

use super::row::StoredRow;
use super::tokens::Tokens;
use crate::Status;
use crate::data::FamilySchema;
use crate::memory::check::table_not_found;

/// One table. Its lock is held for one write, or to take a few rows for a read, and never over an
/// await.
#[derive(Debug)]
pub(in crate::memory) struct Table {
    pub(in crate::memory) id: String,
    content: RwLock<Content>,
}

/// A table's rows by their keys.
pub(in crate::memory) type Rows = BTreeMap<Bytes, Arc<StoredRow>>;

/// A table's families by name.
pub(in crate::memory) type Families = BTreeMap<ByteString, FamilySchema>;

/// What a table holds.
#[derive(Default)]
pub(in crate::memory) struct Content {
    /// Shared with writes in progress, which can thus see whether the families are still the same.
    pub(in crate::memory) families: Arc<Families>,
    /// A row is shared with the reads that took it; a write then changes a copy. Every row has a
    /// cell.
    pub(in crate::memory) rows: Rows,
    /// The keys at which tablets begin.
    pub(in crate::memory) splits: BTreeSet<Bytes>,
    /// Set when the table is deleted, for reads that still hold it.
    pub(in crate::memory) deleted: bool,
    /// Whether the families were ever modified, before which the emulator collects no garbage.
    pub(in crate::memory) modified: bool,
    /// How often it may have been changed.
    pub(in crate::memory) changes: u64,
    /// The idempotency tokens of the last writes.
    pub(in crate::memory) tokens: Tokens,
}

impl Table {
    pub(in crate::memory) fn new(id: String, content: Content) -> Self {
        Self {
            id,
            content: RwLock::new(content),
        }
    }

    /// Locks for reading; fails if the table was deleted meanwhile.
    pub(in crate::memory) fn read(&self) -> Result<RwLockReadGuard<'_, Content>, Status> {
        let content = self.content.read().unwrap_or_else(PoisonError::into_inner);
        if content.deleted {
            return Err(table_not_found(&self.id));
        }
        Ok(content)
    }

    /// Locks for writing; fails if the table was deleted meanwhile.
    pub(in crate::memory) fn write(&self) -> Result<RwLockWriteGuard<'_, Content>, Status> {
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
    pub(in crate::memory) fn family(&self, name: &str) -> Option<(&ByteString, &FamilySchema)> {
        self.families.get_key_value(name)
    }
}

/// Changes one row in place, creates it if it does not exist, and removes it if no cell is left.
pub(in crate::memory) fn change_row<T>(
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
