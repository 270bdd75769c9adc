//! The order of writes to one row.

use std::collections::{HashMap, VecDeque};

use bytes::Bytes;

/// Writes that wait for others of their rows: of each row, at most one is on its way.
///
/// A server applies the entries of a request in any order, also those of one row, and so it does
/// with requests that are sent side by side
/// ([MutateRows](https://cloud.google.com/bigtable/docs/reference/data/rpc/google.bigtable.v2#mutaterowsrequest)).
#[derive(Debug)]
pub(crate) struct RowOrder<T> {
    /// The rows that have a write on its way, each with the later ones.
    rows: HashMap<Bytes, VecDeque<T>>,
}

impl<T> Default for RowOrder<T> {
    fn default() -> Self {
        Self {
            rows: HashMap::new(),
        }
    }
}

impl<T> RowOrder<T> {
    /// Takes a write, and gives it back if it may be sent now.
    pub(crate) fn begin(&mut self, key: &Bytes, write: T) -> Option<T> {
        match self.rows.get_mut(key) {
            Some(later) => {
                later.push_back(write);
                None
            }
            None => {
                self.rows.insert(key.clone(), VecDeque::new());
                Some(write)
            }
        }
    }

    /// The row's write is done: the next one may be sent.
    pub(crate) fn done(&mut self, key: &[u8]) -> Option<T> {
        let next = self.rows.get_mut(key).and_then(VecDeque::pop_front);
        if next.is_none() {
            self.rows.remove(key);
        }
        next
    }

    /// Whether no write is on its way.
    pub(crate) fn is_idle(&self) -> bool {
        self.rows.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_one_write_on_its_way() {
        let (a, b) = (Bytes::from("a"), Bytes::from("b"));
        let mut order = RowOrder::default();
        assert!(order.is_idle());
        assert_eq!(order.begin(&a, 1), Some(1));
        assert_eq!(order.begin(&a, 2), None);
        assert_eq!(order.begin(&b, 3), Some(3));
        assert_eq!(order.begin(&a, 4), None);
        assert_eq!(order.done(&a), Some(2));
        assert_eq!(order.done(&b), None);
        assert_eq!(order.done(&a), Some(4));
        assert!(!order.is_idle());
        assert_eq!(order.done(&a), None);
        assert!(order.is_idle());
        assert_eq!(order.begin(&a, 5), Some(5));
    }
}
