//! The columns of a row in order: a single one in the row itself, a few in a vector, many in a
//! tree.
//!
//! Most rows have a handful of columns, and a tree's node for one is a kilobyte. A row of a layout
//! with one column per event has thousands, and inserting among them must not move them all. A
//! single column needs no further allocation, which every read of the row would have to follow.

use std::collections::{BTreeMap, btree_map};
use std::slice;

use bytes::Bytes;
use bytestring::ByteString;

use super::versions::{Version, Versions};

/// The maximum number of columns in a vector; in tests so few that both forms occur.
const FEW: usize = if cfg!(test) { 3 } else { 32 };

/// For more columns than this no room is reserved: the cells may be versions of one column.
const EXPECTED: usize = 8;

/// A column's place in a row: families by name, qualifiers by their bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::memory) struct ColumnName {
    pub(in crate::memory) family: ByteString,
    pub(in crate::memory) qualifier: Bytes,
}

/// A stored column.
pub(in crate::memory) type Column = (ColumnName, Versions);

/// Columns by name.
#[derive(Debug, Clone)]
pub(in crate::memory) enum Columns {
    One(Column),
    Few(Vec<Column>),
    Many(BTreeMap<ColumnName, Versions>),
}

impl Default for Columns {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl Columns {
    /// Reserves exactly the room for columns that may be inserted, if there is none yet.
    pub(in crate::memory) fn reserve(&mut self, count: usize) {
        if let Self::Few(columns) = self
            && (2..=EXPECTED).contains(&count)
        {
            columns.reserve_exact(count);
        }
    }

    pub(in crate::memory) fn is_empty(&self) -> bool {
        match self {
            Self::One(_) => false,
            Self::Few(columns) => columns.is_empty(),
            Self::Many(columns) => columns.is_empty(),
        }
    }

    pub(in crate::memory) fn iter(&self) -> Iter<'_> {
        match self {
            Self::One(column) => Iter::Few(slice::from_ref(column).iter()),
            Self::Few(columns) => Iter::Few(columns.iter()),
            Self::Many(columns) => Iter::Many(columns.iter()),
        }
    }

    pub(in crate::memory) fn get(&self, name: &ColumnName) -> Option<&Versions> {
        match self {
            Self::One((held, versions)) => (held == name).then_some(versions),
            Self::Few(columns) => {
                let at = find(columns, name).ok()?;
                columns.get(at).map(|(_, versions)| versions)
            }
            Self::Many(columns) => columns.get(name),
        }
    }

    pub(in crate::memory) fn get_mut(&mut self, name: &ColumnName) -> Option<&mut Versions> {
        match self {
            Self::One((held, versions)) => (held == name).then_some(versions),
            Self::Few(columns) => {
                let at = find(columns, name).ok()?;
                columns.get_mut(at).map(|(_, versions)| versions)
            }
            Self::Many(columns) => columns.get_mut(name),
        }
    }

    /// Adds a column that does not exist yet.
    pub(in crate::memory) fn insert(&mut self, name: ColumnName, version: Version) {
        let versions = Versions::One(version);
        if let Self::Few(columns) = self
            && columns.capacity() == 0
        {
            *self = Self::One((name, versions));
            return;
        }
        self.make_room();
        match self {
            Self::One(_) => {}
            Self::Few(columns) if columns.len() < FEW => {
                let at = find(columns, &name).unwrap_or_else(|at| at);
                columns.insert(at, (name, versions));
            }
            Self::Few(columns) => {
                let mut tree: BTreeMap<_, _> = std::mem::take(columns).into_iter().collect();
                tree.insert(name, versions);
                *self = Self::Many(tree);
            }
            Self::Many(columns) => {
                columns.insert(name, versions);
            }
        }
    }

    /// Moves a single column to where others can be added.
    fn make_room(&mut self) {
        match std::mem::take(self) {
            Self::One(column) => {
                let mut columns = Vec::with_capacity(2);
                columns.push(column);
                *self = Self::Few(columns);
            }
            other => *self = other,
        }
    }

    pub(in crate::memory) fn remove(&mut self, name: &ColumnName) {
        match self {
            Self::One((held, _)) if held == name => *self = Self::default(),
            Self::One(_) => {}
            Self::Few(columns) => {
                if let Ok(at) = find(columns, name) {
                    columns.remove(at);
                }
            }
            Self::Many(columns) => {
                columns.remove(name);
            }
        }
    }

    /// Removes the columns of a family. In a tree, only those are visited.
    pub(in crate::memory) fn remove_family(&mut self, family: &str) -> Vec<Column> {
        match self {
            Self::One((name, _)) if name.family != *family => Vec::new(),
            Self::One(_) => match std::mem::take(self) {
                Self::One(column) => vec![column],
                _ => Vec::new(),
            },
            Self::Few(columns) => {
                let is_of_family = |(name, _): &mut Column| name.family == *family;
                columns.extract_if(.., is_of_family).collect()
            }
            Self::Many(columns) => {
                let first = ColumnName {
                    family: family.into(),
                    qualifier: Bytes::new(),
                };
                let found = columns.range(first..).map(|(name, _)| name);
                let found = found.take_while(|name| name.family == *family).cloned();
                let found: Vec<_> = found.collect();
                found
                    .into_iter()
                    .filter_map(|name| columns.remove_entry(&name))
                    .collect()
            }
        }
    }

    pub(in crate::memory) fn retain(
        &mut self,
        mut keep: impl FnMut(&ColumnName, &mut Versions) -> bool,
    ) {
        match self {
            Self::One((name, versions)) => {
                if !keep(name, versions) {
                    *self = Self::default();
                }
            }
            Self::Few(columns) => columns.retain_mut(|(name, versions)| keep(name, versions)),
            Self::Many(columns) => columns.retain(keep),
        }
    }
}

fn find(columns: &[Column], name: &ColumnName) -> Result<usize, usize> {
    columns.binary_search_by(|(held, _)| held.cmp(name))
}

/// The columns in order.
pub(in crate::memory) enum Iter<'a> {
    Few(slice::Iter<'a, Column>),
    Many(btree_map::Iter<'a, ColumnName, Versions>),
}

impl<'a> Iterator for Iter<'a> {
    type Item = (&'a ColumnName, &'a Versions);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Few(columns) => columns.next().map(|(name, versions)| (name, versions)),
            Self::Many(columns) => columns.next(),
        }
    }
}
