//! Writes that a server applies once, however often they are sent.

use std::time::Duration;

use bytes::Bytes;

use super::RowMutations;
use crate::Timestamp;

/// By what a server knows a write that is sent again: `google.bigtable.v2.Idempotency`.
///
/// It is for additions to aggregates, which sent twice are added twice. A server that keeps tokens
/// applies a write with one at most once within [`WINDOW`](Idempotency::WINDOW); one that does not
/// know of them applies it each time.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Idempotency {
    /// Unique to the write: 8 bytes or more.
    pub token: Bytes,
    /// When it was sent for the first time. The server refuses it after the window; without a time
    /// it is taken however late it comes, and then may be applied once more.
    pub start_time: Option<Timestamp>,
}

impl Idempotency {
    /// For how long a server keeps a token: 15 minutes.
    pub const WINDOW: Duration = Duration::from_secs(15 * 60);

    /// The fewest bytes of a token.
    pub const LEAST_BYTES: usize = 8;
}

/// One entry of a bulk write that is applied once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RowOnce {
    /// What is written.
    pub row: RowMutations,
    /// By what it is known when it comes again; none is a write as others are.
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
    /// Whether all that makes a retry unsafe are additions to aggregates, which a server that keeps
    /// tokens applies once.
    #[must_use]
    pub fn is_idempotent_by_token(&self) -> bool {
        use super::Mutation::{AddToCell, MergeToCell};
        let is_added = |one| matches!(one, &AddToCell { .. } | &MergeToCell { .. });
        let mut mutations = self.mutations.iter();
        mutations.all(|one| one.is_idempotent() || is_added(one))
    }
}
