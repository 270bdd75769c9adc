//! The entries of a bulk write, and the message of a request with some of them.

mod body;
mod outcomes;

use std::sync::Arc;

use bytes::Bytes;
use prost::Message;

use crate::data::{EntryBatch, Idempotency};
use crate::fields::write;
use crate::grpc::protocol::wire;
pub(crate) use body::EntriesBody;
pub(crate) use outcomes::Outcomes;

#[cfg(test)]
mod tests;

/// The entries of a bulk write, some of them with a token.
#[derive(Debug, Clone)]
pub(crate) struct Entries {
    batch: Arc<EntryBatch>,
    /// The field of each entry's token, empty if it has none. Without any token there is no field.
    tokens: Arc<Vec<Bytes>>,
}

impl Entries {
    pub(crate) fn new(batch: Arc<EntryBatch>) -> Self {
        Self {
            batch,
            tokens: Arc::default(),
        }
    }

    /// With a token for each entry for which there is one.
    pub(crate) fn with_tokens(
        batch: Arc<EntryBatch>,
        tokens: impl Iterator<Item = Option<Idempotency>>,
    ) -> Self {
        let fields: Vec<_> = tokens
            .map(|token| token.map_or_else(Bytes::new, field))
            .collect();
        let none = fields.iter().all(Bytes::is_empty);
        let tokens = if none { Vec::new() } else { fields };
        Self {
            batch,
            tokens: tokens.into(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.batch.len()
    }

    pub(crate) fn have_tokens(&self) -> bool {
        !self.tokens.is_empty()
    }

    /// Whether each has a row of its own, as far as that is known without a search.
    pub(crate) fn are_apart(&self) -> bool {
        self.batch.is_apart()
    }

    pub(crate) fn key(&self, index: usize) -> &[u8] {
        self.batch.key(index).unwrap_or_default()
    }

    /// Whether an entry is safe to send twice.
    pub(crate) fn is_repeatable(&self, index: usize) -> bool {
        !self.token(index).is_empty() || self.batch.repeats(index)
    }

    /// How many bytes of a request an entry takes.
    pub(crate) fn bytes(&self, index: usize) -> usize {
        self.batch.bytes_in_request(index, self.token(index).len())
    }

    fn token(&self, index: usize) -> &[u8] {
        self.tokens
            .get(index)
            .map(Bytes::as_ref)
            .unwrap_or_default()
    }
}

/// A token as a field of its entry.
fn field(token: Idempotency) -> Bytes {
    let message = wire::Idempotency::from(token);
    let mut field = Vec::new();
    write::begin(3, message.encoded_len(), &mut field);
    message.encode_raw(&mut field);
    field.into()
}
