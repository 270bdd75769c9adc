//! One row as it is stored.

use bytes::Bytes;

pub(in crate::memory) use super::columns::ColumnName;
use super::columns::{Columns, Iter};
pub(in crate::memory) use super::versions::{Version, VersionRef};
use crate::data::Row;
use crate::memory::sink::{OneRow, Sink};

/// A row's key, so that a read that shares the row needs nothing else, and its columns. Every
/// column has a version.
#[derive(Debug, Clone)]
pub(in crate::memory) struct StoredRow {
    key: Bytes,
    columns: Columns,
    cells: usize,
    bytes: usize,
}

impl StoredRow {
    /// A row without columns.
    pub(in crate::memory) fn new(key: Bytes) -> Self {
        Self {
            key,
            columns: Columns::default(),
            cells: 0,
            bytes: 0,
        }
    }

    pub(in crate::memory) fn key(&self) -> &Bytes {
        &self.key
    }

    pub(in crate::memory) fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The sum of the first bytes of the key and of the first value: reading them fetches the row's
    /// memory. If they will be shared, it also reads their reference counts, which are stored
    /// apart.
    #[inline]
    pub(in crate::memory) fn first_bytes(&self, shares: bool) -> usize {
        let first = |bytes: &Bytes| {
            let first = bytes.first().copied().map_or(0, usize::from);
            first + usize::from(shares && bytes.is_unique())
        };
        let value = self
            .columns()
            .next()
            .and_then(|(_, versions)| versions.iter().next());
        first(&self.key) + value.map_or(0, |version| first(version.value))
    }

    pub(in crate::memory) fn cell_count(&self) -> usize {
        self.cells
    }

    /// The bytes of qualifiers and values, counted for every cell.
    pub(in crate::memory) fn bytes(&self) -> usize {
        self.bytes
    }

    /// What a read of the whole row counts; see [`ReadCounts::bytes`](crate::ReadCounts::bytes).
    pub(in crate::memory) fn bytes_read(&self) -> usize {
        self.key.len() + self.bytes + self.cells * size_of::<i64>()
    }

    /// The columns in order, each with its versions, oldest first.
    pub(in crate::memory) fn columns(&self) -> Iter<'_> {
        self.columns.iter()
    }

    /// Every cell, as an unfiltered read returns them.
    pub(in crate::memory) fn to_row(&self) -> Row {
        let mut row = OneRow::default();
        self.deliver(&mut row);
        row.take().unwrap_or_default()
    }

    /// Adds every cell to what a read delivers, as an unfiltered read returns them.
    pub(in crate::memory) fn deliver(&self, sink: &mut impl Sink) {
        sink.begin_row(self.cells);
        for (name, versions) in self.columns() {
            let column = sink.column(&name.family, &name.qualifier);
            for version in versions.iter().rev() {
                sink.cell(column, version.timestamp, version.value, Vec::new());
            }
        }
        sink.end(&self.key);
    }

    /// Prepares for this many new cells.
    pub(in crate::memory) fn reserve(&mut self, cells: usize) {
        if self.is_empty() {
            self.columns.reserve(cells);
        }
    }

    pub(in crate::memory) fn newest(&self, column: &ColumnName) -> Option<VersionRef<'_>> {
        self.columns.get(column)?.newest()
    }

    pub(in crate::memory) fn get(&self, column: &ColumnName, timestamp: i64) -> Option<&Bytes> {
        self.columns.get(column)?.get(timestamp)
    }

    pub(in crate::memory) fn set(&mut self, column: ColumnName, timestamp: i64, value: Bytes) {
        let (qualifier, added) = (column.qualifier.len(), value.len());
        let version = Version { timestamp, value };
        let replaced = match self.columns.get_mut(&column) {
            Some(versions) => versions.set(version),
            None => {
                self.columns.insert(column, version);
                None
            }
        };
        self.bytes += added;
        match replaced {
            Some(old) => self.bytes -= old.len(),
            None => {
                self.cells += 1;
                self.bytes += qualifier;
            }
        }
    }

    /// Deletes the versions of a column with timestamps in `start..end`; an end of 0 is no end.
    pub(in crate::memory) fn delete_from_column(
        &mut self,
        column: &ColumnName,
        start: i64,
        end: i64,
    ) {
        let Some(versions) = self.columns.get_mut(column) else {
            return;
        };
        let qualifier = column.qualifier.len();
        versions.delete(start, end, |value| {
            self.cells -= 1;
            self.bytes -= value.len() + qualifier;
        });
        if versions.len() == 0 {
            self.columns.remove(column);
        }
    }

    /// Deletes every column.
    pub(in crate::memory) fn clear(&mut self) {
        *self = Self::new(std::mem::take(&mut self.key));
    }

    pub(in crate::memory) fn delete_family(&mut self, family: &str) {
        for (name, versions) in self.columns.remove_family(family) {
            for version in versions.iter() {
                self.cells -= 1;
                self.bytes -= version.value.len() + name.qualifier.len();
            }
        }
    }

    pub(in crate::memory) fn has_family(&self, family: &str) -> bool {
        self.columns().any(|(name, _)| name.family == *family)
    }

    /// Keeps the cells for which `keep` is true; it gets the column, the number of newer versions
    /// in that column, and the version.
    pub(in crate::memory) fn retain(
        &mut self,
        mut keep: impl FnMut(&ColumnName, usize, VersionRef<'_>) -> bool,
    ) {
        let (mut cells, mut bytes) = (0, 0);
        self.columns.retain(|name, versions| {
            versions.retain(|newer, version| {
                let keeps = keep(name, newer, version);
                if keeps {
                    cells += 1;
                    bytes += version.value.len() + name.qualifier.len();
                }
                keeps
            });
            versions.len() > 0
        });
        self.cells = cells;
        self.bytes = bytes;
    }
}
