//! Writes of rows, with tokens by which a server applies additions once.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use super::protocol::entries::Entries;
use super::protocol::wire;
use super::retry::operation::Retry;
use super::retry::window::within_window;
use super::{GrpcBackend, calls, mutations};
use crate::data::{EntryBatch, Idempotency, RowMutations, RowOnce};
use crate::{EntryOutcome, Status, Timestamp};

impl GrpcBackend {
    /// Writes one row.
    pub(super) async fn write_row(&self, table: &str, row: RowMutations) -> Result<(), Status> {
        self.options.limits.entry(&row)?;
        let RowOnce { row, idempotency } = self.by_token(row);
        let by_token = idempotency.is_some();
        let retry = match by_token || row.is_idempotent() {
            true => Retry::Transient,
            false => Retry::Never,
        };
        let timeout = self.options.timeout(self.options.timeouts.mutate_row);
        let timeout = match by_token {
            true => within_window(timeout, Timestamp::now()),
            false => timeout,
        };
        let target = self.instance.target(table, &self.options);
        let request = wire::MutateRowRequest {
            table_name: target.table,
            authorized_view_name: target.view,
            app_profile_id: target.app_profile,
            row_key: row.key,
            mutations: mutations(row.mutations),
            idempotency: idempotency.map(Into::into),
        };
        let wire::MutateRowResponse {} = self.call(table, retry, timeout, request).await?;
        Ok(())
    }

    /// Writes many rows. Entries with a token are sent again if the answer was lost, whatever the
    /// settings say: the caller knows that the server keeps tokens.
    pub(super) async fn write_rows(
        &self,
        table: &str,
        entries: Arc<EntryBatch>,
    ) -> Result<Vec<EntryOutcome>, Status> {
        self.options.limits.mutate_rows(&entries)?;
        let entries = match self.options.repeat_adds {
            false => Entries::new(entries),
            true => {
                let batch = Arc::clone(&entries);
                let needed = |at| !batch.repeats(at) && batch.repeats_by_token(at);
                Entries::with_tokens(entries, |at| needed(at).then(Idempotency::new))
            }
        };
        let _pass = self.instance.enter()?;
        calls::bulk::mutate_rows(&self.instance, &self.options, table, entries).await
    }

    /// Gives additions a token, if the server keeps tokens.
    fn by_token(&self, row: RowMutations) -> RowOnce {
        let tokens = self.options.repeat_adds;
        let needed = tokens && !row.is_idempotent() && row.is_idempotent_by_token();
        RowOnce {
            row,
            idempotency: needed.then(Idempotency::new),
        }
    }
}

impl Idempotency {
    /// The token of a write that is sent now.
    fn new() -> Self {
        Self {
            token: token(),
            start_time: Some(Timestamp::now()),
        }
    }
}

/// A token that no other write has: a number for the process, and a count of writes.
fn token() -> Bytes {
    static PROCESS: OnceLock<u64> = OnceLock::new();
    static WRITES: AtomicU64 = AtomicU64::new(0);
    let process = PROCESS.get_or_init(|| RandomState::new().hash_one(std::process::id()));
    let write = WRITES.fetch_add(1, Ordering::Relaxed);
    let token = [process.to_be_bytes(), write.to_be_bytes()].concat();
    token.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_writes_have_one_token() {
        let tokens: std::collections::HashSet<_> = (0..1_000).map(|_| token()).collect();
        assert_eq!(tokens.len(), 1_000);
        assert!(
            tokens
                .iter()
                .all(|one| one.len() >= Idempotency::LEAST_BYTES)
        );
    }
}
