//! The entries of a bulk write, and the message of a request with some of them.

mod body;
mod outcomes;

use std::sync::Arc;

use bytes::Bytes;
use prost::Message;

use crate::Timestamp;
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
    /// One for each entry; empty if no entry has a token.
    tokens: Arc<Vec<Token>>,
}

/// An entry's token.
#[derive(Debug, Default)]
struct Token {
    /// As a field of its entry; empty if there is no token.
    field: Bytes,
    /// When it was first sent.
    start: Option<Timestamp>,
}

impl Entries {
    pub(crate) fn new(batch: Arc<EntryBatch>) -> Self {
        if batch.has_tokens() {
            return Self::with_tokens(batch, |_| None);
        }
        Self {
            batch,
            tokens: Arc::default(),
        }
    }

    /// The entries with their tokens; entries without one get a token from `new`, if it returns
    /// one.
    pub(crate) fn with_tokens(
        batch: Arc<EntryBatch>,
        new: impl Fn(usize) -> Option<Idempotency>,
    ) -> Self {
        let of_entry = |index| batch.token(index).cloned().or_else(|| new(index));
        let tokens = (0..batch.len()).map(of_entry);
        let tokens = tokens.map(|token| token.map_or_else(Token::default, Token::new));
        let tokens: Vec<_> = tokens.collect();
        let none = tokens.iter().all(|token| token.field.is_empty());
        let tokens = if none { Vec::new() } else { tokens };
        Self {
            batch,
            tokens: tokens.into(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.batch.len()
    }

    /// Whether each entry is known to have a row of its own, without a search.
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
        let token = self.tokens.get(index);
        token.map(|token| &*token.field).unwrap_or_default()
    }

    /// When an entry's token was first sent, if it has one.
    pub(crate) fn start(&self, index: usize) -> Option<Timestamp> {
        self.tokens.get(index)?.start
    }
}

impl Token {
    fn new(token: Idempotency) -> Self {
        let start = token.start_time;
        let message = wire::Idempotency::from(token);
        let mut field = Vec::new();
        write::begin(3, message.encoded_len(), &mut field);
        message.encode_raw(&mut field);
        Self {
            field: field.into(),
            start,
        }
    }
}
