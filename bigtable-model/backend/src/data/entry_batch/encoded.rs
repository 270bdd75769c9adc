//! One entry, while it is encoded.

use bytes::Bytes;

use super::{EntrySize, MUTATIONS};
use crate::data::mutation::fields::VALUE;
use crate::data::{MutationRef, ValueRef};
use crate::fields::{lengths, write};

/// The key and the encoded mutations of one entry. Its memory is used for the next one again.
#[derive(Debug, Clone, Default)]
pub struct EncodedEntry {
    key: Vec<u8>,
    mutations: Vec<u8>,
    /// Long values, each with how many of the bytes of mutations are before it.
    values: Vec<(usize, Bytes)>,
    size: EntrySize,
}

impl EncodedEntry {
    /// A value of at least this size stays where it is in memory; shorter ones are copied, which
    /// takes less time than another frame.
    pub const WORTH_SHARING: usize = 32 << 10;

    /// Begins an entry, in place of the one before.
    #[inline]
    pub fn begin(&mut self, key: &[u8]) {
        self.key.clear();
        self.key.extend_from_slice(key);
        self.mutations.clear();
        self.values.clear();
        self.size = EntrySize::of_key(key);
    }

    /// Adds a mutation after the others.
    #[inline]
    pub fn add(&mut self, mutation: &MutationRef<'_>) {
        let out = &mut self.mutations;
        let (kind, len) = mutation.kind();
        let framed = lengths::message(1, len);
        write::begin(MUTATIONS, framed, out);
        write::begin(kind, len, out);
        match mutation.write(out) {
            Some(ValueRef::Shared(value)) if value.len() >= Self::WORTH_SHARING => {
                write::begin(VALUE, value.len(), out);
                self.values.push((out.len(), value.clone()));
            }
            Some(value) => write::bytes(VALUE, &value, out),
            None => {}
        }
        self.size.take(mutation, lengths::message(1, framed));
    }

    /// The row key.
    #[must_use]
    #[inline]
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// What limits compare of it.
    #[must_use]
    #[inline]
    pub fn size(&self) -> &EntrySize {
        &self.size
    }

    pub(super) fn mutations(&self) -> &[u8] {
        &self.mutations
    }

    pub(super) fn values(&self) -> &[(usize, Bytes)] {
        &self.values
    }
}
