//! Entries as mutations again.

use std::ops::Range;
use std::slice;

use bytes::Bytes;
use bytestring::ByteString;

use super::encoded::MUTATIONS;
use super::{EntryAt, EntryBatch, Part};
use crate::Status;
use crate::data::mutation::fields;
use crate::data::{Mutation, MutationRef, RowMutations, RowOnce, ValueRef};
use crate::fields::read::{Malformed, bytes, number};

/// The bytes of a few entries are copied together, which is faster than copying each. They are few,
/// since the copy lives as long as any of its rows, which a backend may keep.
const COPIED_BYTES: usize = 16 << 10;

impl EntryBatch {
    /// The entries as rows, in the same order. Their bytes are copies.
    ///
    /// # Errors
    /// None for entries that were added here.
    pub fn to_rows(&self) -> Result<Vec<RowMutations>, Status> {
        let mut kept = self.keep();
        let mut families = Vec::new();
        let mut rows = Vec::with_capacity(self.len());
        for index in 0..self.len() {
            let entry = kept.entry(index);
            let mutations = entry.mutations();
            let mutations = mutations.map(|one| {
                let one = one?;
                let family = one.family().unwrap_or_default();
                Ok(entry.owned(&one, named(family, &mut families)))
            });
            rows.push(RowMutations {
                key: entry.key(),
                mutations: mutations.collect::<Result<_, Malformed>>()?,
            });
        }
        Ok(rows)
    }

    /// The same with their tokens.
    ///
    /// # Errors
    /// None for entries that were added here.
    pub fn to_rows_once(&self) -> Result<Vec<RowOnce>, Status> {
        let rows = self.to_rows()?.into_iter().enumerate();
        let once = rows.map(|(index, row)| RowOnce {
            row,
            idempotency: self.token(index).cloned(),
        });
        Ok(once.collect())
    }

    /// The mutations of the entry at an index.
    pub(crate) fn mutations(&self, index: usize) -> Mutations<'_> {
        Mutations::of(self.entries.get(index), &self.bytes, 0)
    }

    /// The entries one after another, for callers that keep some of their bytes.
    pub(crate) fn keep(&self) -> Kept<'_> {
        Kept {
            batch: self,
            copied: Bytes::new(),
            start: 0,
        }
    }

    /// Whether it is safe to send the entry at an index twice, including all additions to it.
    pub(super) fn repeats_as_a_whole(&self, index: usize) -> bool {
        let mut is_whole = true;
        let mutations = self.mutations(index);
        let mutations = mutations.map_while(|one| one.inspect_err(|_| is_whole = false).ok());
        MutationRef::repeat(mutations) && is_whole
    }
}

/// A family's name, which its mutations share.
fn named(name: &str, families: &mut Vec<ByteString>) -> ByteString {
    if let Some(known) = families.iter().find(|known| **known == *name) {
        return known.clone();
    }
    let name = ByteString::from(name);
    families.push(name.clone());
    name
}

/// The entries of a batch, for a caller that keeps their bytes.
pub(crate) struct Kept<'a> {
    batch: &'a EntryBatch,
    /// A copy of some entries, which begin at a place in the batch.
    copied: Bytes,
    start: usize,
}

impl Kept<'_> {
    /// The entry at an index; asking for entries in order is fastest.
    pub(crate) fn entry(&mut self, index: usize) -> KeptEntry<'_> {
        let entries = self.batch.entries.get(index..).unwrap_or_default();
        let entry = entries.first();
        let end = self.start + self.copied.len();
        let is_copied = |entry: &EntryAt| entry.start >= self.start && entry.first.end <= end;
        if let Some(first) = entry
            && !is_copied(first)
        {
            let in_copy = |entry: &&EntryAt| {
                entry.more.is_empty() && entry.first.end - first.start <= COPIED_BYTES
            };
            let last = entries.iter().take_while(in_copy).last();
            let end = last.map_or(first.start, |last| last.first.end);
            self.start = first.start;
            let bytes = self.batch.bytes.get(first.start..end);
            self.copied = Bytes::copy_from_slice(bytes.unwrap_or_default());
        }
        let copied = (!self.copied.is_empty()).then_some(&self.copied);
        let (bytes, start) = match copied {
            Some(copied) => (&**copied, self.start),
            None => (&*self.batch.bytes, 0),
        };
        KeptEntry {
            entry,
            bytes,
            start,
            copied,
        }
    }
}

/// One entry, for a caller that keeps its bytes.
#[derive(Clone, Copy)]
pub(crate) struct KeptEntry<'a> {
    entry: Option<&'a EntryAt>,
    /// The bytes in which it lies, and where in the batch they begin.
    bytes: &'a [u8],
    start: usize,
    /// The same bytes to share. `None` for an entry that is long or in several parts, which are
    /// copied one by one: then the rest of a row does not keep a long value that was replaced.
    copied: Option<&'a Bytes>,
}

impl<'a> KeptEntry<'a> {
    pub(crate) fn key(&self) -> Bytes {
        let key = self.entry.map(|entry| entry.key.clone());
        self.share(part(self.bytes, self.start, &key.unwrap_or_default()))
    }

    /// How many mutations it has.
    #[cfg(feature = "memory")]
    pub(crate) fn count(&self) -> usize {
        self.entry.map_or(0, |entry| entry.mutations)
    }

    /// The maximum number of bytes in its cells.
    #[cfg(feature = "memory")]
    pub(crate) fn most_bytes(&self) -> usize {
        self.entry.map_or(0, |entry| entry.len)
    }

    pub(crate) fn mutations(&self) -> Mutations<'a> {
        Mutations::of(self.entry, self.bytes, self.start)
    }

    /// A mutation of it, with its own bytes.
    pub(crate) fn owned(&self, mutation: &MutationRef<'_>, family: ByteString) -> Mutation {
        match *mutation {
            MutationRef::SetCell {
                qualifier,
                timestamp_micros,
                value,
                ..
            } => Mutation::SetCell {
                family,
                qualifier: self.share(qualifier),
                timestamp_micros,
                value: self.value(value),
            },
            MutationRef::AddToCell {
                qualifier,
                timestamp_micros,
                input,
                ..
            } => Mutation::AddToCell {
                family,
                qualifier: self.share(qualifier),
                timestamp_micros,
                input,
            },
            MutationRef::MergeToCell {
                qualifier,
                timestamp_micros,
                input,
                ..
            } => Mutation::MergeToCell {
                family,
                qualifier: self.share(qualifier),
                timestamp_micros,
                input: self.share(input),
            },
            MutationRef::DeleteFromColumn {
                qualifier,
                start_micros,
                end_micros,
                ..
            } => Mutation::DeleteFromColumn {
                family,
                qualifier: self.share(qualifier),
                start_micros,
                end_micros,
            },
            MutationRef::DeleteFromFamily { .. } => Mutation::DeleteFromFamily { family },
            MutationRef::DeleteFromRow => Mutation::DeleteFromRow,
        }
    }

    /// The value of one of its cells.
    #[inline]
    pub(crate) fn value(&self, value: ValueRef<'_>) -> Bytes {
        match value {
            ValueRef::Copied(value) => self.share(value),
            ValueRef::Shared(value) => value.clone(),
        }
    }

    /// Some of its bytes.
    #[inline]
    pub(crate) fn share(&self, bytes: &[u8]) -> Bytes {
        match self.copied {
            Some(copied) => copied.slice_ref(bytes),
            None => Bytes::copy_from_slice(bytes),
        }
    }
}

/// A part of a batch, taken from bytes that begin at `start` in the batch.
#[inline]
fn part<'a>(bytes: &'a [u8], start: usize, part: &Range<usize>) -> &'a [u8] {
    let range = part.start.saturating_sub(start)..part.end.saturating_sub(start);
    bytes.get(range).unwrap_or_default()
}

/// The mutations of an entry, one after another.
#[derive(Clone)]
pub(crate) struct Mutations<'a> {
    bytes: &'a [u8],
    start: usize,
    rest: &'a [u8],
    later: slice::Iter<'a, Part>,
}

impl<'a> Mutations<'a> {
    fn of(entry: Option<&'a EntryAt>, bytes: &'a [u8], start: usize) -> Self {
        Self {
            bytes,
            start,
            rest: entry.map_or(&[], |entry| part(bytes, start, &entry.first)),
            later: entry.map_or(&[][..], |entry| &entry.more).iter(),
        }
    }

    /// Takes a mutation; a long value is the next of the later parts. The fields are in the order
    /// in which they are written.
    #[inline]
    fn take(&mut self) -> Result<MutationRef<'a>, Malformed> {
        begun(MUTATIONS, &mut self.rest)?;
        let Some(&[tag]) = self.rest.first_chunk() else {
            return Err(Malformed("a mutation without a kind"));
        };
        let kind = tag >> 3;
        let len = begun(kind, &mut self.rest)?;
        let (mut body, after) = self.rest.split_at_checked(len).unwrap_or((self.rest, &[]));
        self.rest = after;
        let body = &mut body;
        if kind == fields::DELETE_FROM_ROW {
            return Ok(MutationRef::DeleteFromRow);
        }
        let family = std::str::from_utf8(optional(fields::FAMILY, body)?);
        let family = family.map_err(|_| Malformed("a family whose name is not UTF-8"))?;
        if kind == fields::DELETE_FROM_FAMILY {
            return Ok(MutationRef::DeleteFromFamily { family });
        }
        let qualifier = optional(fields::QUALIFIER, body)?;
        if kind == fields::SET_CELL {
            return Ok(MutationRef::SetCell {
                family,
                qualifier,
                timestamp_micros: integer(fields::TIME, body)?,
                value: self.value(body)?,
            });
        }
        let time = &mut optional(fields::TIME, body)?;
        if kind == fields::DELETE_FROM_COLUMN {
            return Ok(MutationRef::DeleteFromColumn {
                family,
                qualifier,
                start_micros: integer(1, time)?,
                end_micros: integer(2, time)?,
            });
        }
        let value = &mut optional(fields::VALUE, body)?;
        let qualifier = optional(fields::RAW_VALUE, &mut &*qualifier)?;
        let timestamp_micros = integer(fields::RAW_TIMESTAMP, time)?;
        match kind {
            fields::ADD_TO_CELL => Ok(MutationRef::AddToCell {
                family,
                qualifier,
                timestamp_micros,
                input: integer(fields::INT_VALUE, value)?,
            }),
            fields::MERGE_TO_CELL => Ok(MutationRef::MergeToCell {
                family,
                qualifier,
                timestamp_micros,
                input: optional(fields::RAW_VALUE, value)?,
            }),
            _ => Err(Malformed("a mutation of another kind")),
        }
    }

    /// The value of a cell, which ends the body of its mutation.
    #[inline]
    fn value(&mut self, body: &mut &'a [u8]) -> Result<ValueRef<'a>, Malformed> {
        match (optional(fields::VALUE, body), self.later.as_slice()) {
            (Ok(value), _) => Ok(ValueRef::Copied(value)),
            (Err(_), [Part::Value(value), ..]) => {
                self.later.next();
                Ok(ValueRef::Shared(value))
            }
            (Err(short), _) => Err(short),
        }
    }
}

impl<'a> Iterator for Mutations<'a> {
    type Item = Result<MutationRef<'a>, Malformed>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        while self.rest.is_empty() {
            match self.later.next()? {
                Part::Own(range) => self.rest = part(self.bytes, self.start, range),
                Part::Value(_) => return Some(Err(Malformed("a value without a cell"))),
            }
        }
        let taken = self.take();
        if taken.is_err() {
            // After an error it ends.
            (self.rest, self.later) = (&[], [].iter());
        }
        Some(taken)
    }
}

/// Takes a tag, which must be that of a message, and a length.
#[inline]
fn begun(field: u8, rest: &mut &[u8]) -> Result<usize, Malformed> {
    match *rest {
        [tag, after @ ..] if *tag == field << 3 | 2 => {
            *rest = after;
            Ok(usize::try_from(number(rest)?).unwrap_or(usize::MAX))
        }
        _ => Err(Malformed("another field where a mutation belongs")),
    }
}

/// Takes a field of bytes, if it is next; an empty one is absent.
#[inline]
fn optional<'a>(field: u8, rest: &mut &'a [u8]) -> Result<&'a [u8], Malformed> {
    match *rest {
        [tag, after @ ..] if *tag == field << 3 | 2 => {
            *rest = after;
            bytes(rest)
        }
        _ => Ok(&[]),
    }
}

/// Takes a number, if it is next; 0 is absent.
#[inline]
fn integer(field: u8, rest: &mut &[u8]) -> Result<i64, Malformed> {
    match *rest {
        [tag, after @ ..] if *tag == field << 3 => {
            *rest = after;
            Ok(number(rest)?.cast_signed())
        }
        _ => Ok(0),
    }
}
