//! The order of writes to one row.

use std::collections::{HashMap, VecDeque};

use bytes::Bytes;

/// Writes that wait for earlier writes of their rows: each row has at most one write in flight.
///
/// A server applies the entries of a request in any order, even if they are for one row, and
/// requests in flight at the same time too
/// ([MutateRows](https://cloud.google.com/bigtable/docs/reference/data/rpc/google.bigtable.v2#mutaterowsrequest)).
#[derive(Debug)]
pub(crate) struct RowOrder<T> {
    /// The rows with a write in flight, each with its later writes.
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

    /// Whether no write is in flight.
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
