//! Which entries of a bulk write go out next.

use std::collections::{BTreeSet, HashMap};

use prost::Message;

use crate::backend::grpc::wire::MutateRowsEntry;

/// Bytes of one request; a server takes 256 MiB.
const REQUEST_BYTES: usize = 200 << 20;

/// The entries that are not done: of each row, the first one may go out and the others wait.
#[derive(Debug)]
pub(super) struct Pending {
    /// Those that may go out, in their order.
    ready: BTreeSet<usize>,
    /// The next entry of the same row.
    following: Vec<Option<usize>>,
    /// A bulk write without entries is one request, for the server to judge.
    empty: bool,
}

impl Pending {
    pub(super) fn new(entries: &[MutateRowsEntry]) -> Self {
        let mut following = vec![None; entries.len()];
        let mut last_of_row = HashMap::with_capacity(entries.len());
        let mut ready = BTreeSet::new();
        for (index, entry) in entries.iter().enumerate() {
            match last_of_row.insert(&entry.row_key, index) {
                None => {
                    ready.insert(index);
                }
                Some(earlier) => {
                    if let Some(next) = following.get_mut(earlier) {
                        *next = Some(index);
                    }
                }
            }
        }
        Self {
            ready,
            following,
            empty: entries.is_empty(),
        }
    }

    /// Takes the entries of the next request, in their order; none when no entry is left.
    pub(super) fn next_request(&mut self, entries: &[MutateRowsEntry]) -> Option<Vec<usize>> {
        let mut bytes = 0;
        let mut chosen = Vec::with_capacity(self.ready.len());
        while let Some(index) = self.ready.pop_first() {
            let size = entries.get(index).map_or(0, Message::encoded_len);
            if bytes > 0 && bytes + size > REQUEST_BYTES {
                self.ready.insert(index);
                break;
            }
            bytes += size;
            chosen.push(index);
        }
        let some = !chosen.is_empty() || std::mem::take(&mut self.empty);
        some.then_some(chosen)
    }

    /// An entry will not be sent again: the next one of its row may go out.
    pub(super) fn done(&mut self, index: usize) {
        let next = self.following.get(index).copied().flatten();
        self.ready.extend(next);
    }

    /// These go out again.
    pub(super) fn again(&mut self, indexes: Vec<usize>) {
        self.ready.extend(indexes);
    }
}
