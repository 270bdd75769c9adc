//! The versions of one column: a single one in the column itself, several in a vector while they
//! come in order of time, in a tree if there are many and they do not.
//!
//! Most columns have one, and that needs no allocation. Writes mostly come in order of time, and
//! are appended. But a request may hold a hundred thousand in any order: inserting each among so
//! many others must not move them.

use std::collections::{BTreeMap, btree_map};
use std::slice;

use bytes::Bytes;

/// If an insert would move more versions than this, they become a tree; in tests so few that all
/// forms occur.
const MANY: usize = if cfg!(test) { 3 } else { 1 << 10 };

/// One version of a column.
#[derive(Debug, Clone)]
pub(in crate::memory) struct Version {
    pub(in crate::memory) timestamp: i64,
    pub(in crate::memory) value: Bytes,
}

/// A reference to a stored version.
#[derive(Debug, Clone, Copy)]
pub(in crate::memory) struct VersionRef<'a> {
    pub(in crate::memory) timestamp: i64,
    pub(in crate::memory) value: &'a Bytes,
}

/// All versions of a column.
#[derive(Debug, Clone)]
pub(in crate::memory) enum Versions {
    One(Version),
    /// Oldest first.
    Several(Vec<Version>),
    Many(BTreeMap<i64, Bytes>),
}

impl Version {
    pub(in crate::memory) fn as_ref(&self) -> VersionRef<'_> {
        VersionRef {
            timestamp: self.timestamp,
            value: &self.value,
        }
    }
}

impl Versions {
    pub(in crate::memory) fn len(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Several(versions) => versions.len(),
            Self::Many(versions) => versions.len(),
        }
    }

    /// Oldest first.
    #[inline]
    pub(in crate::memory) fn iter(&self) -> Iter<'_> {
        match self {
            Self::One(version) => Iter::Several(slice::from_ref(version).iter()),
            Self::Several(versions) => Iter::Several(versions.iter()),
            Self::Many(versions) => Iter::Many(versions.iter()),
        }
    }

    pub(in crate::memory) fn newest(&self) -> Option<VersionRef<'_>> {
        self.iter().next_back()
    }

    pub(in crate::memory) fn get(&self, timestamp: i64) -> Option<&Bytes> {
        let search = |versions: &[Version]| {
            versions.binary_search_by_key(&timestamp, |version| version.timestamp)
        };
        match self {
            Self::One(version) => (version.timestamp == timestamp).then_some(&version.value),
            Self::Several(versions) => {
                let at = search(versions).ok()?;
                versions.get(at).map(|version| &version.value)
            }
            Self::Many(versions) => versions.get(&timestamp),
        }
    }

    /// Adds a version, or replaces the one with its timestamp, and returns the old value.
    pub(in crate::memory) fn set(&mut self, version: Version) -> Option<Bytes> {
        match self {
            Self::One(held) if held.timestamp == version.timestamp => {
                return Some(std::mem::replace(&mut held.value, version.value));
            }
            Self::One(held) => {
                let mut versions = vec![held.clone(), version];
                versions.sort_by_key(|version| version.timestamp);
                *self = Self::Several(versions);
                return None;
            }
            Self::Many(versions) => return versions.insert(version.timestamp, version.value),
            Self::Several(_) => {}
        }
        self.set_of_several(version)
    }

    fn set_of_several(&mut self, version: Version) -> Option<Bytes> {
        let Self::Several(versions) = self else {
            return None;
        };
        // Usually it is the newest.
        if versions
            .last()
            .is_none_or(|last| last.timestamp < version.timestamp)
        {
            versions.push(version);
            return None;
        }
        match versions.binary_search_by_key(&version.timestamp, |held| held.timestamp) {
            Ok(at) => {
                let held = versions.get_mut(at)?;
                Some(std::mem::replace(&mut held.value, version.value))
            }
            Err(at) if versions.len() - at > MANY => {
                self.as_tree(|tree| tree.insert(version.timestamp, version.value))
            }
            Err(at) => {
                versions.insert(at, version);
                None
            }
        }
    }

    /// Deletes versions with timestamps in `start..end`, where an end of 0 is no end; `deleted`
    /// gets the value of each. If none is left, the column must be removed.
    pub(in crate::memory) fn delete(
        &mut self,
        start: i64,
        end: i64,
        mut deleted: impl FnMut(&Bytes),
    ) {
        let is_in = |timestamp: i64| timestamp >= start && (end == 0 || timestamp < end);
        match self {
            Self::One(version) => {
                if is_in(version.timestamp) {
                    deleted(&version.value);
                    *self = Self::Several(Vec::new());
                }
            }
            Self::Several(versions) => {
                let from = versions.partition_point(|version| version.timestamp < start);
                let to = match end {
                    0 => versions.len(),
                    end => versions.partition_point(|version| version.timestamp < end),
                };
                if from >= to {
                    return;
                }
                if versions.len() - to > MANY {
                    return self.as_tree(|tree| delete_of_tree(tree, start, end, deleted));
                }
                for version in versions.drain(from..to) {
                    deleted(&version.value);
                }
            }
            Self::Many(versions) => delete_of_tree(versions, start, end, deleted),
        }
    }

    /// Keeps versions for which `keep` is true; it gets the number of newer ones. If none is left,
    /// the column must be removed.
    pub(in crate::memory) fn retain(
        &mut self,
        mut keep: impl FnMut(usize, VersionRef<'_>) -> bool,
    ) {
        let mut newer = self.len();
        let mut keep = |version: VersionRef<'_>| {
            newer -= 1;
            keep(newer, version)
        };
        match self {
            Self::One(version) => {
                if !keep(version.as_ref()) {
                    *self = Self::Several(Vec::new());
                }
            }
            Self::Several(versions) => versions.retain(|version| keep(version.as_ref())),
            Self::Many(versions) => versions.retain(|timestamp, value| {
                keep(VersionRef {
                    timestamp: *timestamp,
                    value,
                })
            }),
        }
    }

    /// Makes the versions a tree, and works on it.
    fn as_tree<T>(&mut self, work: impl FnOnce(&mut BTreeMap<i64, Bytes>) -> T) -> T {
        let mut tree = match std::mem::replace(self, Self::Several(Vec::new())) {
            Self::One(version) => BTreeMap::from([(version.timestamp, version.value)]),
            Self::Several(versions) => {
                let versions = versions.into_iter();
                versions
                    .map(|version| (version.timestamp, version.value))
                    .collect()
            }
            Self::Many(versions) => versions,
        };
        let done = work(&mut tree);
        *self = Self::Many(tree);
        done
    }
}

fn delete_of_tree(
    versions: &mut BTreeMap<i64, Bytes>,
    start: i64,
    end: i64,
    mut deleted: impl FnMut(&Bytes),
) {
    let found: Vec<_> = match end {
        0 => versions.range(start..).map(|(at, _)| *at).collect(),
        end if start < end => versions.range(start..end).map(|(at, _)| *at).collect(),
        _ => Vec::new(),
    };
    for timestamp in found {
        if let Some(value) = versions.remove(&timestamp) {
            deleted(&value);
        }
    }
}

/// Versions, oldest first.
#[derive(Debug, Clone)]
pub(in crate::memory) enum Iter<'a> {
    Several(slice::Iter<'a, Version>),
    Many(btree_map::Iter<'a, i64, Bytes>),
}

impl<'a> Iterator for Iter<'a> {
    type Item = VersionRef<'a>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Several(versions) => versions.next().map(Version::as_ref),
            Self::Many(versions) => versions.next().map(of_tree),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::Several(versions) => versions.size_hint(),
            Self::Many(versions) => versions.size_hint(),
        }
    }
}

impl DoubleEndedIterator for Iter<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        match self {
            Self::Several(versions) => versions.next_back().map(Version::as_ref),
            Self::Many(versions) => versions.next_back().map(of_tree),
        }
    }
}

impl ExactSizeIterator for Iter<'_> {}

fn of_tree<'a>((timestamp, value): (&'a i64, &'a Bytes)) -> VersionRef<'a> {
    VersionRef {
        timestamp: *timestamp,
        value,
    }
}
