//! The entries of a bulk write that are sent next.

use bytes::Bytes;

use crate::backend::row_order::RowOrder;
use crate::grpc::protocol::entries::Entries;

/// Bytes of one request; a server takes 256 MiB.
const REQUEST_BYTES: usize = 200 << 20;

/// The entries that are not done: the first of each row may be sent, the others wait.
#[derive(Debug)]
pub(super) struct Pending {
    /// Entries that may be sent, in any order.
    ready: Vec<usize>,
    /// The entries that wait for others of their rows; `None` if each row has one entry.
    order: Option<RowOrder<usize>>,
    /// A bulk write without entries is one request, for the server to judge.
    empty: bool,
}

impl Pending {
    pub(super) fn new(entries: &Entries, unordered: bool) -> Self {
        let apart = unordered || entries.are_apart();
        let mut order = (!apart).then(RowOrder::default);
        let ready = (0..entries.len()).filter_map(|index| match &mut order {
            Some(order) => order.begin(&Bytes::copy_from_slice(entries.key(index)), index),
            None => Some(index),
        });
        Self {
            ready: ready.collect(),
            order,
            empty: entries.len() == 0,
        }
    }

    /// Takes the entries of the next request, in order; `None` if no entry is left.
    pub(super) fn next_request(&mut self, entries: &Entries) -> Option<Vec<usize>> {
        self.ready.sort_unstable();
        let mut bytes = 0;
        let fits = |index: &&usize| {
            let first = bytes == 0;
            bytes += entries.bytes(**index);
            first || bytes <= REQUEST_BYTES
        };
        let fitting = self.ready.iter().take_while(fits).count();
        let later = self.ready.split_off(fitting);
        let chosen = std::mem::replace(&mut self.ready, later);
        let some = !chosen.is_empty() || std::mem::take(&mut self.empty);
        some.then_some(chosen)
    }

    /// An entry will not be resent: the next one of its row may be sent.
    pub(super) fn done(&mut self, index: usize, entries: &Entries) {
        if let Some(order) = &mut self.order {
            self.ready.extend(order.done(entries.key(index)));
        }
    }

    /// These entries will be resent.
    pub(super) fn again(&mut self, indexes: Vec<usize>) {
        self.ready.extend(indexes);
    }
}
