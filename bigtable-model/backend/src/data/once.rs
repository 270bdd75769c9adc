//! Writes that a server applies once, however often they are sent.

use std::time::Duration;

use bytes::Bytes;

use super::{MutationRef, RowMutations};
use crate::Timestamp;

/// How a server recognises a repeated write: `google.bigtable.v2.Idempotency`.
///
/// It is for additions to aggregates, which would otherwise be added twice if sent twice. A server
/// that keeps tokens applies a write with a token at most once within
/// [`WINDOW`](Idempotency::WINDOW); a server that does not know tokens applies it each time.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Idempotency {
    /// Unique to the write: 8 bytes or more.
    pub token: Bytes,
    /// When it was first sent. The server refuses it after the window. Without a time the write is
    /// accepted at any age, and may then be applied once more.
    pub start_time: Option<Timestamp>,
}

impl Idempotency {
    /// How long a server keeps a token: 15 minutes.
    pub const WINDOW: Duration = Duration::from_secs(15 * 60);

    /// The minimum size of a token, in bytes.
    pub const LEAST_BYTES: usize = 8;
}

/// One entry of a bulk write that is applied once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RowOnce {
    /// What is written.
    pub row: RowMutations,
    /// How the server recognises it when it is repeated; `None` for an ordinary write.
    pub idempotency: Option<Idempotency>,
}

impl From<RowMutations> for RowOnce {
    fn from(row: RowMutations) -> Self {
        Self {
            row,
            idempotency: None,
        }
    }
}

impl RowMutations {
    /// Whether a retry is unsafe only because of additions to aggregates, which a server that keeps
    /// tokens applies once.
    #[must_use]
    pub fn is_idempotent_by_token(&self) -> bool {
        let mut mutations = self.mutations.iter().map(MutationRef::from);
        mutations.all(|one| one.is_idempotent() || one.is_addition())
    }
}
