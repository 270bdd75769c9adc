//! The rows of a bulk-write request, each at most once.

use std::collections::HashMap;

use bytes::Bytes;

/// The keys of rows and their indexes.
///
/// A series is mostly written in order. While keys ascend nothing is hashed, since that would take
/// longer than everything else that is done for a row before it is sent.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// In the order of the indexes.
    keys: Vec<Bytes>,
    /// The index of each key; empty while keys ascend.
    hashed: HashMap<Bytes, usize>,
}

impl Places {
    /// The index of the row with this key.
    pub(crate) fn get(&self, key: &Bytes) -> Option<usize> {
        if !self.hashed.is_empty() {
            return self.hashed.get(key).copied();
        }
        match self.keys.last() {
            Some(last) if last >= key => self.keys.binary_search(key).ok(),
            _ => None,
        }
    }

    /// The index of the row with this key; `None` if it was new, and is now the last.
    pub(crate) fn get_or_push(&mut self, key: &Bytes) -> Option<usize> {
        let ascends = self.keys.last().is_none_or(|last| last < key);
        if !ascends || !self.hashed.is_empty() {
            let place = self.get(key);
            if place.is_some() {
                return place;
            }
            if self.hashed.is_empty() {
                self.hashed = self.keys.iter().cloned().zip(0..).collect();
            }
            self.hashed.insert(key.clone(), self.keys.len());
        }
        self.keys.push(key.clone());
        None
    }

    /// Whether both have a common row.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        let ascend = self.hashed.is_empty() && other.hashed.is_empty();
        let apart = |one: &Self, next: &Self| match (one.keys.last(), next.keys.first()) {
            (Some(last), Some(first)) => last < first,
            _ => true,
        };
        if ascend && (apart(self, other) || apart(other, self)) {
            return false;
        }
        self.keys.iter().any(|key| other.get(key).is_some())
    }

    /// The key at an index.
    pub(crate) fn key(&self, place: usize) -> Option<&Bytes> {
        self.keys.get(place)
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
            let mut keys: Vec<_> = keys.into_iter().map(Bytes::from).collect();
            if sorted {
                keys.sort_unstable();
            }
            let mut places = Places::default();
            let mut expected: Vec<Bytes> = Vec::new();
            for key in keys {
                let place = expected.iter().position(|one| *one == key);
                prop_assert_eq!(places.get(&key), place);
                prop_assert_eq!(places.get_or_push(&key), place);
                if place.is_none() {
                    expected.push(key);
                }
            }
            for (place, key) in expected.iter().enumerate() {
                prop_assert_eq!(places.get(key), Some(place));
            }
            prop_assert_eq!(places.keys, expected);
        }
    }
}
