//! Mutations, while they are encoded.

use std::ops::Range;

use bytes::Bytes;

use super::EntrySize;
use crate::data::mutation::fields::VALUE;
use crate::data::{MutationRef, RowMutations, ValueRef};
use crate::fields::{lengths, write};

/// The field of an entry with a mutation.
pub(super) const MUTATIONS: u8 = 2;

/// The key and the encoded mutations of one entry. Its memory is reused for the next entry.
#[derive(Debug, Clone, Default)]
pub struct EncodedEntry {
    key: Vec<u8>,
    mutations: Vec<u8>,
    encoding: Encoding,
}

/// What is known about the mutations of one entry while they are encoded one after another.
#[derive(Debug, Clone, Default)]
pub(super) struct Encoding {
    /// Long values, each with the number of encoded bytes before it.
    pub(super) values: Vec<(usize, Bytes)>,
    pub(super) size: EntrySize,
    /// The last delete of cells of a column.
    emptied: Option<Emptied>,
}

/// A delete of cells of a column; its names are parts of the encoded bytes.
#[derive(Debug, Clone)]
struct Emptied {
    family: Range<usize>,
    qualifier: Range<usize>,
    start_micros: i64,
    end_micros: i64,
}

/// Memory beyond this size is released after an entry that needed far less.
const KEPT_BYTES: usize = 1 << 20;

impl EncodedEntry {
    /// A value of at least this size stays where it is in memory; shorter ones are copied, which
    /// takes less time than another frame.
    pub const WORTH_SHARING: usize = 32 << 10;

    /// Begins an entry, in place of the one before.
    #[inline]
    pub fn begin(&mut self, key: &[u8]) {
        self.key.clear();
        self.key.extend_from_slice(key);
        if self.mutations.capacity() > KEPT_BYTES.max(4 * self.mutations.len()) {
            self.mutations = Vec::new();
        }
        self.mutations.clear();
        self.encoding.begin(key);
    }

    /// Adds a mutation after the others.
    #[inline]
    pub fn add(&mut self, mutation: &MutationRef<'_>) {
        self.encoding.add(mutation, &mut self.mutations);
    }

    /// The row key.
    #[must_use]
    #[inline]
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// The sizes that limits compare.
    #[must_use]
    #[inline]
    pub fn size(&self) -> &EntrySize {
        &self.encoding.size
    }

    pub(super) fn mutations(&self) -> &[u8] {
        &self.mutations
    }

    pub(super) fn values(&self) -> &[(usize, Bytes)] {
        &self.encoding.values
    }
}

impl Encoding {
    /// Begins an entry, in place of the one before.
    #[inline]
    pub(super) fn begin(&mut self, key: &[u8]) {
        self.values.clear();
        self.emptied = None;
        self.size = EntrySize::of_key(key);
    }

    /// Appends a mutation, except for a long value.
    #[inline]
    pub(super) fn add(&mut self, mutation: &MutationRef<'_>, out: &mut Vec<u8>) {
        let (kind, len) = mutation.kind();
        let framed = lengths::message(1, len);
        write::begin(MUTATIONS, framed, out);
        write::begin(kind, len, out);
        let start = out.len();
        match mutation.write(out) {
            Some(ValueRef::Shared(value)) if value.len() >= EncodedEntry::WORTH_SHARING => {
                write::begin(VALUE, value.len(), out);
                self.values.push((out.len(), value.clone()));
            }
            Some(value) => write::bytes(VALUE, &value, out),
            None => {}
        }
        self.size.take(mutation, lengths::message(1, framed));
        if let MutationRef::DeleteFromColumn {
            family,
            qualifier,
            start_micros,
            end_micros,
        } = *mutation
        {
            let family_end = start + lengths::text(family.len());
            let qualifier_end = family_end + lengths::text(qualifier.len());
            self.emptied = Some(Emptied {
                family: family_end - family.len()..family_end,
                qualifier: qualifier_end - qualifier.len()..qualifier_end,
                start_micros,
                end_micros,
            });
        }
        if !mutation.is_idempotent() {
            self.size.repeats &= self.begins_anew(mutation, out);
            self.size.repeats_by_token &= mutation.is_addition();
        }
    }

    /// Whether a mutation adds to a cell that the last delete deletes.
    fn begins_anew(&self, mutation: &MutationRef<'_>, encoded: &[u8]) -> bool {
        let Some(emptied) = &self.emptied else {
            return false;
        };
        let part = |range: &Range<usize>| encoded.get(range.clone()).unwrap_or_default();
        let Ok(family) = std::str::from_utf8(part(&emptied.family)) else {
            return false;
        };
        mutation.begins_anew(&MutationRef::DeleteFromColumn {
            family,
            qualifier: part(&emptied.qualifier),
            start_micros: emptied.start_micros,
            end_micros: emptied.end_micros,
        })
    }
}

impl From<&RowMutations> for EncodedEntry {
    fn from(row: &RowMutations) -> Self {
        let mut entry = Self::default();
        entry.begin(&row.key);
        row.mutations.iter().for_each(|one| entry.add(&one.into()));
        entry
    }
}
