//! A backend whose reads and writes are watched.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::{fmt, iter};

use futures::future::BoxFuture;
use futures::stream::{Stream, StreamExt as _};

use crate::data::{
    CheckAndMutateRow, EntryBatch, ReadModifyWriteRow, ReadRows, Row, RowBatch, RowMutations,
};
use crate::{Backend, EntryOutcome, ReadCounts, RowBatches, Status, Wrapper};

/// Watches the rows that a program reads and writes, through an [`ObservedBackend`]. Each method is
/// called while the program waits, so it should be quick.
pub trait Observer: fmt::Debug + Send + Sync + 'static {
    /// A read is sent.
    fn asks(&self, request: &ReadRows) {
        let _ = request;
    }

    /// A read delivered rows.
    fn reads(&self, table: &str, rows: &RowBatch) {
        let _ = (table, rows);
    }

    /// A read ended or was dropped: what it looked at, from backends that count.
    fn scanned(&self, table: &str, counts: &ReadCounts) {
        let _ = (table, counts);
    }

    /// Rows are sent to be written, under whatever condition.
    fn writes(&self, table: &str, keys: &mut dyn Iterator<Item = &[u8]>) {
        let _ = (table, keys);
    }
}

/// Forwards to a backend, and says to an [`Observer`] which rows are read and written.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use bigtable_backend::data::{Mutation, RowMutations, TableSchema};
/// use bigtable_backend::observed::{ObservedBackend, Observer};
/// use bigtable_backend::{Backend, MemoryBackend};
///
/// /// Remembers the keys that are written.
/// #[derive(Debug, Default)]
/// struct Keys(Mutex<Vec<Vec<u8>>>);
///
/// impl Observer for Keys {
///     fn writes(&self, _: &str, keys: &mut dyn Iterator<Item = &[u8]>) {
///         self.0.lock().unwrap().extend(keys.map(<[u8]>::to_vec));
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), bigtable_backend::Status> {
/// let keys = Arc::new(Keys::default());
/// let db = ObservedBackend::new(MemoryBackend::new().handle(), keys.clone());
/// # let families = [("m".to_owned(), Default::default())].into();
/// # let schema = TableSchema { table: "SENSOR".to_owned(), families, ..Default::default() };
/// # db.tables().create(schema, Vec::new()).await?;
/// let row = RowMutations { key: "attic".into(), mutations: vec![Mutation::DeleteFromRow] };
/// Backend::mutate_row(&db, "SENSOR", row).await?;
/// assert_eq!(*keys.0.lock().unwrap(), [b"attic"]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ObservedBackend {
    inner: Arc<dyn Backend>,
    observer: Arc<dyn Observer>,
}

impl ObservedBackend {
    /// Watches the reads and writes of `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn Backend>, observer: Arc<dyn Observer>) -> Self {
        Self { inner, observer }
    }
}

impl Wrapper for ObservedBackend {
    fn inner(&self) -> &dyn Backend {
        &*self.inner
    }

    fn read_rows(&self, request: ReadRows) -> RowBatches {
        let (observer, table) = (Arc::clone(&self.observer), request.table.clone());
        observer.asks(&request);
        let batches = self.inner.read_rows(request);
        let counts = batches.counts().cloned();
        batches.through(|batches| Watched {
            batches,
            observer,
            table,
            counts,
        })
    }

    fn mutate_row<'a>(
        &'a self,
        table: &'a str,
        row: RowMutations,
    ) -> BoxFuture<'a, Result<(), Status>> {
        self.observer.writes(table, &mut iter::once(&*row.key));
        self.inner.mutate_row(table, row)
    }

    fn mutate_rows<'a>(
        &'a self,
        table: &'a str,
        entries: Arc<EntryBatch>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        let mut keys = (0..entries.len()).filter_map(|index| entries.key(index));
        self.observer.writes(table, &mut keys);
        self.inner.mutate_rows(table, entries)
    }

    fn check_and_mutate_row(
        &self,
        request: CheckAndMutateRow,
    ) -> BoxFuture<'_, Result<bool, Status>> {
        self.observer
            .writes(&request.table, &mut iter::once(&*request.key));
        self.inner.check_and_mutate_row(request)
    }

    fn read_modify_write_row(
        &self,
        request: ReadModifyWriteRow,
    ) -> BoxFuture<'_, Result<Row, Status>> {
        self.observer
            .writes(&request.table, &mut iter::once(&*request.key));
        self.inner.read_modify_write_row(request)
    }
}

/// The rows of a read that is watched.
struct Watched {
    batches: RowBatches,
    observer: Arc<dyn Observer>,
    table: String,
    counts: Option<Arc<ReadCounts>>,
}

impl Stream for Watched {
    type Item = Result<RowBatch, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = ready!(self.batches.poll_next_unpin(cx));
        if let Some(Ok(rows)) = &next {
            self.observer.reads(&self.table, rows);
        }
        Poll::Ready(next)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some(counts) = &self.counts {
            self.observer.scanned(&self.table, counts);
        }
    }
}
