//! A backend and a checkpoint that stop forever after a number of steps, as if the process had been
//! killed.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bigtable_model::backend::{EntryOutcome, RowBatches, Tables, Wrapper};
use bigtable_model::copy::{CheckpointStore, MemoryCheckpoint};
use bigtable_model::data::{
    EntryBatch, FamilyChange, ReadRows, Row, RowDeletion, RowKeySample, TableSchema,
};
use bigtable_model::{Backend, Status};
use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{StreamExt, future, stream};
use tokio::sync::Notify;

/// The number of remaining steps, shared by all users.
#[derive(Debug)]
pub struct Life {
    left: AtomicU64,
    ended: Notify,
    pub rows_written: AtomicU64,
}

impl Life {
    pub fn of(steps: u64) -> Arc<Self> {
        Arc::new(Self {
            left: AtomicU64::new(steps),
            ended: Notify::new(),
            rows_written: AtomicU64::new(0),
        })
    }

    /// Takes a step, or never returns.
    async fn step(&self) {
        let fewer = |left: u64| left.checked_sub(1);
        let relaxed = Ordering::Relaxed;
        if self.left.fetch_update(relaxed, relaxed, fewer).is_err() {
            self.ended.notify_one();
            future::pending::<()>().await;
        }
        // Tasks take turns.
        tokio::task::yield_now().await;
    }

    /// A call that may be killed before it or after it.
    async fn between<T>(&self, what: impl Future<Output = T>) -> T {
        self.step().await;
        let done = what.await;
        self.step().await;
        done
    }

    /// The result, or `None` if the life ended first; calls in progress are then dropped.
    pub async fn outlived_by<T>(&self, what: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            outcome = what => Some(outcome),
            () = self.ended.notified() => None,
        }
    }
}

#[derive(Debug, Clone)]
pub struct Mortal {
    pub inner: Arc<dyn Backend>,
    pub life: Arc<Life>,
}

impl Wrapper for Mortal {
    fn inner(&self) -> &dyn Backend {
        &*self.inner
    }

    fn read_rows(&self, request: ReadRows) -> RowBatches {
        let rows = self.inner.read_rows(request).rows();
        let life = self.life.clone();
        RowBatches::of_rows(stream::unfold((rows, life), |(mut rows, life)| async {
            let row: Result<Row, Status> = life.between(rows.next()).await?;
            Some((row, (rows, life)))
        }))
    }

    fn mutate_rows<'a>(
        &'a self,
        table: &'a str,
        entries: Arc<EntryBatch>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        Box::pin(async move {
            // A request may be partly applied before the end.
            let mut outcomes = Vec::new();
            for row in entries.to_rows()? {
                let written = self.inner.mutate_rows(table, EntryBatch::of([row]));
                outcomes.extend(self.life.between(written).await?);
                self.life.rows_written.fetch_add(1, Ordering::Relaxed);
            }
            Ok(outcomes)
        })
    }

    fn sample_row_keys<'a>(
        &'a self,
        table: &'a str,
    ) -> BoxFuture<'a, Result<Vec<RowKeySample>, Status>> {
        Box::pin(self.life.between(self.inner.sample_row_keys(table)))
    }

    fn tables(&self) -> &dyn Tables {
        self
    }
}

impl Tables for Mortal {
    fn create(&self, schema: TableSchema, splits: Vec<Bytes>) -> BoxFuture<'_, Result<(), Status>> {
        Box::pin(
            self.life
                .between(self.inner.tables().create(schema, splits)),
        )
    }

    fn get<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<TableSchema, Status>> {
        Box::pin(self.life.between(self.inner.tables().get(table)))
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<String>, Status>> {
        self.inner.tables().list()
    }

    fn delete<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<(), Status>> {
        self.inner.tables().delete(table)
    }

    fn modify_families<'a>(
        &'a self,
        table: &'a str,
        changes: Vec<FamilyChange>,
    ) -> BoxFuture<'a, Result<TableSchema, Status>> {
        self.inner.tables().modify_families(table, changes)
    }

    fn drop_rows<'a>(
        &'a self,
        table: &'a str,
        rows: RowDeletion,
    ) -> BoxFuture<'a, Result<(), Status>> {
        self.inner.tables().drop_rows(table, rows)
    }
}

#[derive(Debug, Clone)]
pub struct MortalCheckpoint {
    pub inner: MemoryCheckpoint,
    pub life: Arc<Life>,
}

impl CheckpointStore for MortalCheckpoint {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn load(&self) -> BoxFuture<'_, io::Result<Option<Vec<u8>>>> {
        Box::pin(self.life.between(self.inner.load()))
    }

    fn save(&self, checkpoint: Vec<u8>) -> BoxFuture<'_, io::Result<()>> {
        Box::pin(self.life.between(self.inner.save(checkpoint)))
    }
}
