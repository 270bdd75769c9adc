//! The label of a row's bucket, read once for all events of the row.
//!
//! Generated code decodes a key for each event. In a bucket with many events, reading and checking
//! the label takes longer than everything else for the event.

use std::cell::Cell;

use crate::Timestamp;

/// A label in memory, and the start of its bucket.
#[derive(Debug, Clone, Copy)]
struct Label {
    address: usize,
    len: usize,
    start: Timestamp,
}

thread_local! {
    static READ: Cell<Option<Label>> = const { Cell::new(None) };
}

/// Decodes a key whose label was already read. `label` is a part of that key, and `start` the time
/// that the bucket's format reads from it.
pub(crate) fn with_label<T>(label: &[u8], start: Timestamp, decode: impl FnOnce() -> T) -> T {
    /// Forgets the label: after the key is decoded, other bytes may have the same address.
    struct Forget(Option<Label>);
    impl Drop for Forget {
        fn drop(&mut self) {
            READ.set(self.0.take());
        }
    }
    let read = Label {
        address: label.as_ptr().addr(),
        len: label.len(),
        start,
    };
    let _forget = Forget(READ.replace(Some(read)));
    decode()
}

/// The start of the bucket with this label, if these very bytes were already read.
#[inline]
pub(super) fn start_of(label: &[u8]) -> Option<Timestamp> {
    READ.get()
        .filter(|read| read.address == label.as_ptr().addr() && read.len == label.len())
        .map(|read| read.start)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "tests")]

    use super::*;

    const START: Timestamp = Timestamp::from_seconds(1_426_464_000);

    #[test]
    fn only_these_very_bytes_are_known_and_only_meanwhile() {
        let key = b"IBM#20150316#20150316".as_slice();
        let (label, same) = (&key[4..12], &key[13..]);
        let known = with_label(label, START, || {
            [label, same, &label[..4], &key[..12]].map(start_of)
        });
        assert_eq!(known, [Some(START), None, None, None]);
        assert_eq!(start_of(label), None);
    }

    #[test]
    fn a_label_is_forgotten_when_decoding_panics() {
        let label = b"20150316".as_slice();
        let panicked = std::panic::catch_unwind(|| {
            with_label(label, START, || std::panic::resume_unwind(Box::new(())));
        });
        assert!(panicked.is_err());
        assert_eq!(start_of(label), None);
    }

    #[test]
    fn a_label_inside_of_another_hides_it_for_a_while() {
        let (outer, inner) = (b"20150316".as_slice(), b"2016".as_slice());
        with_label(outer, START, || {
            with_label(inner, Timestamp::UNIX_EPOCH, || {
                assert_eq!(start_of(outer), None)
            });
            assert_eq!(start_of(outer), Some(START));
        });
    }
}
