//! The entries of a bulk write, encoded as they are sent.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use bytestring::ByteString;

use super::{Idempotency, MutationRef, RowMutations, RowOnce};
use crate::fields::{lengths, write};

mod encoded;
mod read;
#[cfg(feature = "grpc")]
mod send;
mod size;
#[cfg(test)]
mod tests;

pub use encoded::EncodedEntry;
use encoded::Encoding;
#[cfg(feature = "memory")]
pub(crate) use read::{Kept, KeptEntry};
#[cfg(feature = "grpc")]
pub(crate) use send::Unsent;
pub use size::EntrySize;

/// The entries of a bulk write, each with the changes of one row, encoded once in the form in which
/// they are sent, so that the changes of an entry need no memory of their own. An entry may have a
/// [token](Idempotency), so that it is applied once.
///
/// [`to_rows`](Self::to_rows) gives them back as [`RowMutations`], and
/// [`to_rows_once`](Self::to_rows_once) with their tokens.
///
/// ```
/// use bigtable_backend::data::{EntryBatch, Mutation, RowMutations};
///
/// # fn main() -> Result<(), bigtable_backend::Status> {
/// let row = RowMutations { key: "s1".into(), mutations: vec![Mutation::DeleteFromRow] };
/// let entries: EntryBatch = [row.clone()].iter().collect();
/// assert_eq!(entries.key(0), Some(&b"s1"[..]));
/// assert_eq!(entries.to_rows()?, [row]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct EntryBatch {
    /// The entries one after another, each as a field of `google.bigtable.v2.MutateRowsRequest`,
    /// and between them later additions to earlier entries.
    bytes: Vec<u8>,
    entries: Vec<EntryAt>,
    /// Whether a key was added that is not above the previous key, so that entries may share rows.
    mixed: bool,
    /// Whether an entry was added that lacks a key or mutations.
    hollow: bool,
    /// The families of rows that were added, each once.
    families: Vec<ByteString>,
    /// Whether `families` lacks the families of some entries, or some entries add to aggregates.
    #[cfg_attr(not(feature = "memory"), allow(dead_code, reason = "for memory"))]
    unnoted: bool,
    size: EntrySize,
    /// The tokens of entries that a server applies once, by their indexes.
    tokens: Vec<(usize, Idempotency)>,
    /// The encoding of the last entry; its memory is reused.
    encoding: Encoding,
}

/// The place of an entry in its batch.
#[derive(Debug, Clone)]
struct EntryAt {
    /// Where its field begins.
    start: usize,
    /// The length of its message.
    len: usize,
    key: Range<usize>,
    /// Its mutations, which follow its key.
    first: Range<usize>,
    /// Mutations added later, and long values. Without any, the whole entry lies together in the
    /// form in which it is sent.
    more: Vec<Part>,
    /// How many mutations it has.
    #[cfg_attr(not(feature = "memory"), allow(dead_code, reason = "for memory"))]
    mutations: usize,
    repeats: bool,
    repeats_by_token: bool,
}

/// A part of an entry.
#[derive(Debug, Clone)]
enum Part {
    /// Bytes of the batch.
    Own(Range<usize>),
    /// The value that ends the part before it.
    Value(Bytes),
}

/// Splits own bytes at the values, each of which comes after this many bytes from `base` on.
fn in_parts(
    own: Range<usize>,
    base: usize,
    values: &[(usize, Bytes)],
) -> (Range<usize>, Vec<Part>) {
    let mut first = None;
    let mut parts = Vec::new();
    let mut at = own.start;
    for (after, value) in values {
        let part = at..base + after;
        at = part.end;
        match first {
            None => first = Some(part),
            Some(_) => parts.push(Part::Own(part)),
        }
        parts.push(Part::Value(value.clone()));
    }
    match first {
        Some(first) => {
            if at < own.end {
                parts.push(Part::Own(at..own.end));
            }
            (first, parts)
        }
        None => (own, parts),
    }
}

/// The field of a request with its entries.
const ENTRIES: u8 = 2;

/// The field of an entry with its key.
const KEY: u8 = 1;

impl EntryBatch {
    /// Rows, encoded for [`mutate_rows`](crate::Backend::mutate_rows).
    pub fn of(rows: impl IntoIterator<Item = RowMutations>) -> Arc<Self> {
        Arc::new(rows.into_iter().collect())
    }

    /// How many entries it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it has no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The row key of the entry at an index.
    #[must_use]
    pub fn key(&self, index: usize) -> Option<&[u8]> {
        let entry = self.entries.get(index)?;
        self.bytes.get(entry.key.clone())
    }

    /// The size of its entries: the longest key, qualifier and value, and sums of the rest. It does
    /// not show whether an entry lacks a key or mutations.
    #[must_use]
    pub fn size(&self) -> &EntrySize {
        &self.size
    }

    /// Adds an entry after the others.
    pub fn push(&mut self, row: &RowMutations) {
        let (start, key) = self.begin_entry(&row.key, row.wire_bytes());
        let own = self.bytes.len();
        self.encoding.begin(&row.key);
        for mutation in &row.mutations {
            let borrowed = MutationRef::from(mutation);
            self.encoding.add(&borrowed, &mut self.bytes);
            self.unnoted |= borrowed.is_addition();
            if let Some(family) = mutation.family() {
                note(family, &mut self.families);
            }
        }
        let own = own..self.bytes.len();
        let (first, more) = match self.encoding.values.as_slice() {
            [] => (own, Vec::new()),
            values => in_parts(own, 0, values),
        };
        let size = self.encoding.size;
        self.end_entry((start, key), (first, more), &size);
    }

    /// Adds an entry that a server applies once.
    pub fn push_once(&mut self, once: &RowOnce) {
        if let Some(token) = &once.idempotency {
            self.tokens.push((self.len(), token.clone()));
        }
        self.push(&once.row);
    }

    /// Whether an entry has a token, so that a server applies it once.
    #[must_use]
    pub fn has_tokens(&self) -> bool {
        !self.tokens.is_empty()
    }

    /// The token of the entry at an index.
    #[must_use]
    pub fn token(&self, index: usize) -> Option<&Idempotency> {
        let at = self
            .tokens
            .binary_search_by_key(&index, |(entry, _)| *entry);
        self.tokens.get(at.ok()?).map(|(_, token)| token)
    }

    /// Adds an encoded entry after the others.
    #[doc(hidden)]
    pub fn push_entry(&mut self, entry: &EncodedEntry) {
        let size = entry.size();
        self.unnoted = true;
        let (start, key) = self.begin_entry(entry.key(), size.wire_bytes);
        let mutations = self.copy(entry);
        self.end_entry((start, key), mutations, size);
    }

    /// Writes the part of an entry before its mutations. Returns where the entry begins, and where
    /// its key is.
    #[inline]
    fn begin_entry(&mut self, key: &[u8], wire_bytes: usize) -> (usize, Range<usize>) {
        let before = self.entries.last();
        let before = before.and_then(|before| self.bytes.get(before.key.clone()));
        self.mixed |= before.is_some_and(|before| before >= key);
        let start = self.bytes.len();
        write::begin(ENTRIES, wire_bytes, &mut self.bytes);
        write::bytes(KEY, key, &mut self.bytes);
        let end = self.bytes.len();
        (start, end - key.len()..end)
    }

    #[inline]
    fn end_entry(
        &mut self,
        (start, key): (usize, Range<usize>),
        (first, more): (Range<usize>, Vec<Part>),
        size: &EntrySize,
    ) {
        self.hollow |= key.is_empty() || size.mutations == 0;
        self.size.add(size);
        self.entries.push(EntryAt {
            start,
            len: size.wire_bytes,
            key,
            first,
            more,
            mutations: size.mutations,
            repeats: size.repeats,
            repeats_by_token: size.repeats_by_token,
        });
    }

    /// Adds the mutations of an entry to the entry at an index, which has the same key.
    #[doc(hidden)]
    pub fn extend_entry(&mut self, index: usize, entry: &EncodedEntry) {
        let (first, mut values) = self.copy(entry);
        self.unnoted = true;
        let Some(known) = self.entries.get_mut(index) else {
            return;
        };
        let size = EntrySize {
            wire_bytes: entry.size().wire_bytes - lengths::text(known.key.len()),
            ..*entry.size()
        };
        known.len += size.wire_bytes;
        known.mutations += size.mutations;
        match known.more.last_mut() {
            // The last addition to it lies directly before.
            Some(Part::Own(last)) if last.end == first.start => last.end = first.end,
            _ => known.more.push(Part::Own(first)),
        }
        known.more.append(&mut values);
        known.repeats_by_token &= size.repeats_by_token;
        // An addition that is not repeatable alone is repeatable if the entry deletes its cell
        // first.
        let is_open = known.repeats && !size.repeats;
        self.size.add(&size);
        if is_open {
            let repeats = self.repeats_as_a_whole(index);
            if let Some(known) = self.entries.get_mut(index) {
                known.repeats = repeats;
            }
        }
    }

    /// Copies the mutations of an entry. Returns where the first of them lie, and the parts that
    /// follow.
    #[inline]
    fn copy(&mut self, entry: &EncodedEntry) -> (Range<usize>, Vec<Part>) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(entry.mutations());
        let end = self.bytes.len();
        match entry.values() {
            [] => (start..end, Vec::new()),
            values => in_parts(start..end, start, values),
        }
    }

    /// Whether an entry lacks a key or mutations, which is refused.
    #[cfg(any(feature = "grpc", feature = "memory"))]
    pub(crate) fn has_hollow(&self) -> bool {
        self.hollow
    }

    /// The families of its entries; `None` if some entries add to aggregates, or if each entry has
    /// to be searched for its families.
    #[cfg(feature = "memory")]
    pub(crate) fn plain_families(&self) -> Option<&[ByteString]> {
        (!self.unnoted).then_some(&self.families)
    }

    /// How many mutations the entry at an index has.
    #[cfg(feature = "memory")]
    pub(crate) fn count(&self, index: usize) -> usize {
        self.entries.get(index).map_or(0, |entry| entry.mutations)
    }

    /// Notes that each entry has a row of its own, which the caller must know.
    #[doc(hidden)]
    pub fn rows_differ(&mut self) {
        self.mixed = false;
    }

    /// The memory for entries, in bytes.
    #[doc(hidden)]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// Removes all entries. The memory is kept for later entries.
    #[doc(hidden)]
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
        self.families.clear();
        self.tokens.clear();
        self.mixed = false;
        self.hollow = false;
        self.unnoted = false;
        self.size = EntrySize::default();
    }
}

/// Notes the family of a mutation, mostly the same as the previous one's.
fn note(family: &ByteString, families: &mut Vec<ByteString>) {
    if families.last() == Some(family) {
        return;
    }
    match families.iter().position(|known| known == family) {
        Some(at) => {
            let last = families.len() - 1;
            families.swap(at, last);
        }
        None => families.push(family.clone()),
    }
}

impl EntryBatch {
    /// Rows that `push` adds. After the first there is memory for as many of its size as will come
    /// at least: a batch that grows is copied again and again.
    fn of_each<T>(rows: impl IntoIterator<Item = T>, push: impl Fn(&mut Self, T)) -> Self {
        const RESERVED_BYTES: usize = 1 << 20;
        let mut rows = rows.into_iter();
        let mut entries = Self::default();
        if let Some(first) = rows.next() {
            push(&mut entries, first);
            let len = entries.bytes.len().max(1);
            let more = rows.size_hint().0.min(RESERVED_BYTES / len);
            entries.bytes.reserve(more * len);
            entries.entries.reserve(more);
        }
        rows.for_each(|row| push(&mut entries, row));
        entries
    }
}

impl<'a> FromIterator<&'a RowMutations> for EntryBatch {
    fn from_iter<I: IntoIterator<Item = &'a RowMutations>>(rows: I) -> Self {
        Self::of_each(rows, Self::push)
    }
}

impl FromIterator<RowMutations> for EntryBatch {
    fn from_iter<I: IntoIterator<Item = RowMutations>>(rows: I) -> Self {
        // Each row is dropped once it is encoded, so no row is in memory twice.
        Self::of_each(rows, |entries, row| entries.push(&row))
    }
}

impl FromIterator<RowOnce> for EntryBatch {
    fn from_iter<I: IntoIterator<Item = RowOnce>>(rows: I) -> Self {
        Self::of_each(rows, |entries, once| entries.push_once(&once))
    }
}

impl fmt::Debug for EntryBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EntryBatch")
            .field("entries", &self.len())
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}
