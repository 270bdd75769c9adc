//! Columns named at run time: to the oracle they are columns like others.

use std::collections::BTreeSet;

use bytes::Bytes;

use super::model::Model;
use crate::condition::ColumnId;

/// The stored values of an event's run-time columns: the index of the map, name and value.
pub(super) type Entries = Vec<(usize, Bytes, Bytes)>;

/// The columns of a model as the library names them.
pub(super) trait Named {
    /// The families whose other columns are named at run time.
    fn map_families(&self) -> Vec<&'static str>;

    /// The library's name of a column.
    fn id(&self, column: usize) -> ColumnId;

    /// The library's names of columns: of declared ones, and of those in maps.
    fn ids(&self, columns: &[usize]) -> (Vec<usize>, Vec<(usize, Bytes)>);

    /// The stored values of an event's columns, parted.
    fn parted(&self, cells: Vec<Option<Bytes>>) -> (Vec<Option<Bytes>>, Entries);

    /// The stored values of an event's columns, joined.
    fn joined(&self, declared: &[Option<Bytes>], entries: &Entries) -> Vec<Option<Bytes>>;
}

impl Named for Model {
    fn map_families(&self) -> Vec<&'static str> {
        let in_map = self.columns.iter().filter(|one| one.in_map);
        let families: BTreeSet<_> = in_map.map(|one| one.family).collect();
        families.into_iter().collect()
    }

    fn id(&self, column: usize) -> ColumnId {
        let one = &self.columns[column];
        if !one.in_map {
            let before = self.columns[..column].iter();
            return ColumnId::Declared(before.filter(|one| !one.in_map).count());
        }
        let families = self.map_families();
        let map = families.iter().position(|family| *family == one.family);
        ColumnId::Entry(map.expect("its map"), one.name.into())
    }

    fn ids(&self, columns: &[usize]) -> (Vec<usize>, Vec<(usize, Bytes)>) {
        let (mut declared, mut entries) = (Vec::new(), Vec::new());
        for column in columns {
            match self.id(*column) {
                ColumnId::Declared(index) => declared.push(index),
                ColumnId::Entry(map, name) => entries.push((map, name)),
            }
        }
        (declared, entries)
    }

    fn parted(&self, cells: Vec<Option<Bytes>>) -> (Vec<Option<Bytes>>, Entries) {
        let (mut declared, mut entries) = (Vec::new(), Vec::new());
        for (column, cell) in cells.into_iter().enumerate() {
            match (self.id(column), cell) {
                (ColumnId::Declared(_), cell) => declared.push(cell),
                (ColumnId::Entry(map, name), Some(cell)) => entries.push((map, name, cell)),
                (ColumnId::Entry(..), None) => {}
            }
        }
        (declared, entries)
    }

    fn joined(&self, declared: &[Option<Bytes>], entries: &Entries) -> Vec<Option<Bytes>> {
        let cells = (0..self.columns.len()).map(|column| match self.id(column) {
            ColumnId::Declared(index) => declared[index].clone(),
            ColumnId::Entry(map, name) => {
                let mut entries = entries.iter();
                let found = entries.find(|(of, other, _)| (*of, other) == (map, &name));
                found.map(|(_, _, value)| value.clone())
            }
        });
        cells.collect()
    }
}
