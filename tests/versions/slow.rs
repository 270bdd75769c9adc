//! A backend whose calls yield, so other tasks run in between.

use std::sync::Arc;

use bigtable_model::backend::{EntryOutcome, RowBatches, Wrapper};
use bigtable_model::data::{CheckAndMutateRow, EntryBatch, ReadRows};
use bigtable_model::{Backend, Status};
use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _};

/// Yields before and after each write, and before each row of a read.
#[derive(Debug, Clone)]
pub struct Slow(pub Arc<dyn Backend>);

impl Wrapper for Slow {
    fn inner(&self) -> &dyn Backend {
        &*self.0
    }

    fn read_rows(&self, request: ReadRows) -> RowBatches {
        let rows = self.0.read_rows(request).rows();
        let slow = rows.then(|row| async move {
            tokio::task::yield_now().await;
            row
        });
        RowBatches::of_rows(slow)
    }

    fn mutate_rows<'a>(
        &'a self,
        table: &'a str,
        entries: Arc<EntryBatch>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        async move {
            tokio::task::yield_now().await;
            let outcomes = self.0.mutate_rows(table, entries).await;
            tokio::task::yield_now().await;
            outcomes
        }
        .boxed()
    }

    fn check_and_mutate_row(
        &self,
        request: CheckAndMutateRow,
    ) -> BoxFuture<'_, Result<bool, Status>> {
        async move {
            tokio::task::yield_now().await;
            let outcome = self.0.check_and_mutate_row(request).await;
            tokio::task::yield_now().await;
            outcome
        }
        .boxed()
    }
}
