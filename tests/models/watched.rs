//! A memory backend that records its requests.

use std::collections::HashSet;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bigtable_model::backend::{EntryOutcome, RowBatches, Wrapper};
use bigtable_model::data::{CheckAndMutateRow, EntryBatch, ReadRows, Row, RowMutations};
use bigtable_model::{Backend, MemoryBackend, Status};
use bytes::Bytes;
use futures::TryStreamExt as _;
use futures::future::BoxFuture;
use tokio::sync::Semaphore;

/// Counts reads, their rows, and bulk writes.
#[derive(Clone)]
pub struct Watched {
    pub inner: MemoryBackend,
    pub reads: Arc<AtomicUsize>,
    pub rows: Arc<AtomicUsize>,
    pub bulk: Arc<BulkWrites>,
    /// Called before each conditional write.
    pub before_conditional: Option<Arc<Conditional>>,
}

type Conditional = dyn Fn(&CheckAndMutateRow) + Send + Sync;

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watched").finish_non_exhaustive()
    }
}

/// The bulk writes of a backend.
#[derive(Debug)]
pub struct BulkWrites {
    /// Each write takes a permit, and waits if there is none.
    pub permits: Semaphore,
    pub requests: AtomicUsize,
    /// The maximum number of bulk writes in flight.
    pub most: AtomicUsize,
    under_way: Mutex<Vec<HashSet<Bytes>>>,
}

impl Watched {
    pub fn new(inner: MemoryBackend) -> Self {
        let bulk = BulkWrites {
            permits: Semaphore::new(Semaphore::MAX_PERMITS),
            requests: AtomicUsize::default(),
            most: AtomicUsize::default(),
            under_way: Mutex::default(),
        };
        Self {
            inner,
            reads: Arc::default(),
            rows: Arc::default(),
            bulk: Arc::new(bulk),
            before_conditional: None,
        }
    }
}

impl BulkWrites {
    /// # Panics
    /// If a write with one of these rows is in flight, or if it contains one of them twice.
    async fn begin(&self, rows: &[RowMutations]) -> HashSet<Bytes> {
        let keys: HashSet<Bytes> = rows.iter().map(|row| row.key.clone()).collect();
        assert_eq!(keys.len(), rows.len(), "a row stands in a request twice");
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        {
            let mut under_way = self.under_way.lock().unwrap();
            assert!(
                under_way.iter().all(|other| other.is_disjoint(&keys)),
                "a row is in two requests at once"
            );
            under_way.push(keys.clone());
            self.most.fetch_max(under_way.len(), Ordering::Relaxed);
        }
        self.permits.acquire().await.unwrap().forget();
        // Later requests overtake earlier ones.
        for _ in 0..(7 - number % 7) {
            tokio::task::yield_now().await;
        }
        keys
    }

    fn end(&self, keys: &HashSet<Bytes>) {
        self.under_way.lock().unwrap().retain(|one| one != keys);
    }
}

impl Wrapper for Watched {
    fn inner(&self) -> &dyn Backend {
        &self.inner
    }

    fn read_rows(&self, request: ReadRows) -> RowBatches {
        self.reads.fetch_add(1, Ordering::Relaxed);
        let rows = self.rows.clone();
        let count = move |_: &Row| {
            rows.fetch_add(1, Ordering::Relaxed);
        };
        RowBatches::of_rows(self.inner.read_rows(request).rows().inspect_ok(count))
    }

    fn mutate_rows<'a>(
        &'a self,
        table: &'a str,
        entries: Arc<EntryBatch>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        Box::pin(async move {
            let keys = self.bulk.begin(&entries.to_rows()?).await;
            let answer = self.inner.mutate_rows(table, entries).await;
            self.bulk.end(&keys);
            answer
        })
    }

    fn check_and_mutate_row(
        &self,
        request: CheckAndMutateRow,
    ) -> BoxFuture<'_, Result<bool, Status>> {
        if let Some(before) = &self.before_conditional {
            before(&request);
        }
        self.inner.check_and_mutate_row(request)
    }
}
