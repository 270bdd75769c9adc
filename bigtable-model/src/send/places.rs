//! The rows of a bulk-write request, each at most once.

use std::collections::HashMap;

use bytes::Bytes;

/// The keys of rows and their indexes.
///
/// A series is mostly written in order. While keys ascend nothing is hashed, since that would take
/// longer than everything else that is done for a row before it is sent. Keys are copied: they are
/// short, and counting references takes longer.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// The keys, one after another.
    bytes: Vec<u8>,
    /// Where each key begins and ends, in the order of the indexes.
    spans: Vec<(usize, usize)>,
    /// The index of each key; empty while keys ascend.
    hashed: HashMap<Bytes, usize>,
}

impl Places {
    /// With room for as many keys as these.
    pub(crate) fn with_room_of(other: &Self) -> Self {
        Self {
            bytes: Vec::with_capacity(other.bytes.len()),
            spans: Vec::with_capacity(other.spans.len()),
            hashed: HashMap::new(),
        }
    }

    /// The index of the row with this key.
    pub(crate) fn get(&self, key: &[u8]) -> Option<usize> {
        if !self.hashed.is_empty() {
            return self.hashed.get(key).copied();
        }
        match self.spans.last() {
            Some(last) if self.at(last) >= key => {
                let found = self.spans.binary_search_by(|span| self.at(span).cmp(key));
                found.ok()
            }
            _ => None,
        }
    }

    /// The index of the row with this key; `None` if it was new, and is now the last.
    pub(crate) fn get_or_push(&mut self, key: &Bytes) -> Option<usize> {
        let ascends = (self.spans.last()).is_none_or(|last| self.at(last) < &**key);
        if !ascends || !self.hashed.is_empty() {
            let place = self.get(key);
            if place.is_some() {
                return place;
            }
            if self.hashed.is_empty() {
                let keys = self.keys().map(Bytes::copy_from_slice);
                self.hashed = keys.zip(0..).collect();
            }
            self.hashed.insert(key.clone(), self.spans.len());
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        self.spans.push((start, self.bytes.len()));
        None
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

    fn keys(&self) -> impl Iterator<Item = &[u8]> {
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
            prop_assert_eq!(places.keys().collect::<Vec<_>>(), expected);
        }
    }
}
