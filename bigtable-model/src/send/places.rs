//! The rows of a bulk-write request, each only once.

use std::hash::{BuildHasher as _, RandomState};

use hashbrown::HashTable;

/// The keys of rows and their indexes.
///
/// A series is mostly written in order. While keys ascend nothing is hashed: hashing would take
/// longer than all other work on a row before it is sent. Keys are copied: they are short, and
/// counting references takes longer.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// The keys, one after another.
    bytes: Vec<u8>,
    /// Where each key begins and ends, in the order of the indexes.
    spans: Vec<(usize, usize)>,
    /// The indexes by the hash of their keys; empty while keys ascend.
    hashed: HashTable<usize>,
    hasher: RandomState,
}

impl Places {
    /// With room for as many keys as these.
    pub(crate) fn with_room_of(other: &Self) -> Self {
        Self {
            bytes: Vec::with_capacity(other.bytes.len()),
            spans: Vec::with_capacity(other.spans.len()),
            ..Self::default()
        }
    }

    /// The index of the row with this key.
    pub(crate) fn get(&self, key: &[u8]) -> Option<usize> {
        if !self.hashed.is_empty() {
            let hash = self.hasher.hash_one(key);
            let found = self
                .hashed
                .find(hash, |place| self.key(*place) == Some(key));
            return found.copied();
        }
        match self.spans.last() {
            Some(last) if self.at(last) >= key => {
                let found = self.spans.binary_search_by(|span| self.at(span).cmp(key));
                found.ok()
            }
            _ => None,
        }
    }

    /// Adds a row with a new key.
    pub(crate) fn push(&mut self, key: &[u8]) {
        let ascends = (self.spans.last()).is_none_or(|last| self.at(last) < key);
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        self.spans.push((start, self.bytes.len()));
        if !self.hashed.is_empty() {
            self.hash(self.spans.len() - 1);
        } else if !ascends {
            (0..self.spans.len()).for_each(|place| self.hash(place));
        }
    }

    fn hash(&mut self, place: usize) {
        let Self {
            bytes,
            spans,
            hashed,
            hasher,
        } = self;
        let hash = |place: &usize| {
            let span = spans.get(*place).copied().unwrap_or_default();
            hasher.hash_one(bytes.get(span.0..span.1).unwrap_or_default())
        };
        hashed.insert_unique(hash(&place), place, hash);
    }

    /// Whether both have a common row.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        let ascend = self.hashed.is_empty() && other.hashed.is_empty();
        let apart = |one: &Self, next: &Self| match (one.spans.last(), next.spans.first()) {
            (Some(last), Some(first)) => one.at(last) < next.at(first),
            _ => true,
        };
        if ascend && (apart(self, other) || apart(other, self)) {
            return false;
        }
        self.keys().any(|key| other.get(key).is_some())
    }

    /// The key at an index.
    pub(crate) fn key(&self, place: usize) -> Option<&[u8]> {
        self.spans.get(place).map(|span| self.at(span))
    }

    /// The keys in the order of their indexes.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &[u8]> {
        self.spans.iter().map(|span| self.at(span))
    }

    fn at(&self, &(start, end): &(usize, usize)) -> &[u8] {
        self.bytes.get(start..end).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_key_has_the_place_at_which_it_came(
            keys in proptest::collection::vec("[a-c]{0,2}", 0..20),
            sorted in any::<bool>(),
        ) {
            let mut keys: Vec<_> = keys.into_iter().map(String::into_bytes).collect();
            if sorted {
                keys.sort_unstable();
            }
            let mut places = Places::default();
            let mut expected: Vec<Vec<u8>> = Vec::new();
            for key in keys {
                let place = expected.iter().position(|one| *one == key);
                prop_assert_eq!(places.get(&key), place);
                if place.is_none() {
                    places.push(&key);
                    expected.push(key);
                }
            }
            for (place, key) in expected.iter().enumerate() {
                prop_assert_eq!(places.get(key), Some(place));
            }
            prop_assert_eq!(places.keys().collect::<Vec<_>>(), expected);
        }
    }
}
