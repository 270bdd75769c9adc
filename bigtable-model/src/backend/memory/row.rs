//! One row as it is stored.

use std::collections::BTreeMap;

use bytes::Bytes;
use bytestring::ByteString;

use crate::data::{Cell, Row};

/// A column's place in a row: families by name, qualifiers by their bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ColumnName {
    pub(super) family: ByteString,
    pub(super) qualifier: Bytes,
}

/// One version of a column.
#[derive(Debug, Clone)]
pub(super) struct Version {
    pub(super) timestamp: i64,
    pub(super) value: Bytes,
}

/// The columns of a row. A column that is there has a version.
///
/// Versions are held oldest first, since writes mostly come in the order of time; reads turn them round.
#[derive(Debug, Clone, Default)]
pub(super) struct StoredRow {
    columns: BTreeMap<ColumnName, Vec<Version>>,
    cells: usize,
    bytes: usize,
}

impl StoredRow {
    pub(super) fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    pub(super) fn cell_count(&self) -> usize {
        self.cells
    }

    /// The bytes of qualifiers and values, counted for every cell.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The columns in order, each with its versions, oldest first.
    pub(super) fn columns(&self) -> impl Iterator<Item = (&ColumnName, &[Version])> {
        self.columns
            .iter()
            .map(|(name, versions)| (name, versions.as_slice()))
    }

    /// Every cell, as an unfiltered read gives them.
    pub(super) fn to_row(&self, key: Bytes) -> Row {
        let mut cells = Vec::with_capacity(self.cells);
        for (name, versions) in &self.columns {
            cells.extend(versions.iter().rev().map(|version| Cell {
                family: name.family.clone(),
                qualifier: name.qualifier.clone(),
                timestamp_micros: version.timestamp,
                value: version.value.clone(),
                labels: Vec::new(),
            }));
        }
        Row { key, cells }
    }

    pub(super) fn newest(&self, column: &ColumnName) -> Option<&Version> {
        self.columns.get(column)?.last()
    }

    pub(super) fn get(&self, column: &ColumnName, timestamp: i64) -> Option<&Bytes> {
        let versions = self.columns.get(column)?;
        let at = versions
            .binary_search_by_key(&timestamp, |version| version.timestamp)
            .ok()?;
        versions.get(at).map(|version| &version.value)
    }

    pub(super) fn set(&mut self, column: ColumnName, timestamp: i64, value: Bytes) {
        self.bytes += value.len();
        let qualifier_len = column.qualifier.len();
        let versions = self.columns.entry(column).or_default();
        match versions.binary_search_by_key(&timestamp, |version| version.timestamp) {
            Ok(at) => {
                if let Some(version) = versions.get_mut(at) {
                    self.bytes -= version.value.len();
                    version.value = value;
                }
            }
            Err(at) => {
                self.bytes += qualifier_len;
                self.cells += 1;
                versions.insert(at, Version { timestamp, value });
            }
        }
    }

    /// Deletes the versions of a column with timestamps in `start..end`; an end of 0 is none.
    pub(super) fn delete_from_column(&mut self, column: &ColumnName, start: i64, end: i64) {
        let Some(versions) = self.columns.get_mut(column) else {
            return;
        };
        let from = versions.partition_point(|version| version.timestamp < start);
        let to = match end {
            0 => versions.len(),
            end => versions.partition_point(|version| version.timestamp < end),
        };
        if from >= to {
            return;
        }
        for version in versions.drain(from..to) {
            self.cells -= 1;
            self.bytes -= version.value.len() + column.qualifier.len();
        }
        if versions.is_empty() {
            self.columns.remove(column);
        }
    }

    pub(super) fn delete_family(&mut self, family: &str) {
        self.retain(|name, _, _| name.family != *family);
    }

    pub(super) fn has_family(&self, family: &str) -> bool {
        self.columns.keys().any(|name| name.family == *family)
    }

    /// Keeps the cells for which `keep` says so; it is given the column, how many newer versions that column has,
    /// and the version.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(&ColumnName, usize, &Version) -> bool) {
        let (mut cells, mut bytes) = (0, 0);
        self.columns.retain(|name, versions| {
            let mut newer = versions.len();
            versions.retain(|version| {
                newer -= 1;
                keep(name, newer, version)
            });
            cells += versions.len();
            bytes += versions
                .iter()
                .map(|version| version.value.len() + name.qualifier.len())
                .sum::<usize>();
            !versions.is_empty()
        });
        self.cells = cells;
        self.bytes = bytes;
    }
}
