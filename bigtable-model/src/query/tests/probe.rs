//! A backend around another that records reads and fails on request.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures::{Stream, StreamExt};

use crate::MemoryBackend;
use crate::backend::{Backend, Code, RowBatches, Rows, Status, Wrapper};
use crate::data::{FamilySchema, Mutation, ReadRows, Row, RowMutations, TableSchema};

#[derive(Debug, Clone, Default)]
pub(super) struct Probe {
    inner: MemoryBackend,
    log: Arc<Log>,
}

/// What was read.
#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) requests: Mutex<Vec<ReadRows>>,
    /// Rows delivered, over all reads.
    pub(super) rows: AtomicUsize,
    /// Reads that have neither ended nor been dropped.
    pub(super) open: AtomicUsize,
    /// An error replaces this row.
    pub(super) fail_at: Mutex<Option<Bytes>>,
    /// The first row of each read waits until this many reads run.
    pub(super) wait_for: AtomicUsize,
    /// This many reads pass first.
    pub(super) wait_from: AtomicUsize,
}

impl Probe {
    /// Has a table QUOTE; each row is its key and the qualifiers of its cells, in family MD.
    pub(super) async fn with_rows<'a>(
        rows: impl IntoIterator<Item = (String, &'a [&'a str])>,
    ) -> Self {
        let probe = Self::split_at(Vec::new()).await;
        for (key, qualifiers) in rows {
            let cells = qualifiers.iter().map(|qualifier| Mutation::SetCell {
                family: "MD".into(),
                qualifier: Bytes::copy_from_slice(qualifier.as_bytes()),
                timestamp_micros: 0,
                value: "1".into(),
            });
            let row = RowMutations {
                key: key.into(),
                mutations: cells.collect(),
            };
            probe.inner.mutate_row("QUOTE", row).await.unwrap();
        }
        probe
    }

    /// Has a table QUOTE without rows, in parts that end before the keys.
    pub(super) async fn split_at(splits: Vec<Bytes>) -> Self {
        let probe = Self::default();
        let families = ["MD", "X-1"].map(|name| (name.to_owned(), FamilySchema::default()));
        let schema = TableSchema {
            table: "QUOTE".to_owned(),
            families: families.into(),
            ..TableSchema::default()
        };
        probe.inner.tables().create(schema, splits).await.unwrap();
        probe
    }

    /// The backend inside, which reads in batches of several rows.
    pub(super) fn memory(&self) -> &MemoryBackend {
        &self.inner
    }

    pub(super) fn log(&self) -> &Log {
        &self.log
    }

    pub(super) fn fail_at(&self, key: &str) {
        *self.log.fail_at.lock().unwrap() = Some(Bytes::copy_from_slice(key.as_bytes()));
    }
}

impl Log {
    /// Forgets all reads so far.
    pub(super) fn forget(&self) {
        self.requests.lock().unwrap().clear();
        self.rows.store(0, SeqCst);
    }

    pub(super) fn requests(&self) -> Vec<ReadRows> {
        self.requests.lock().unwrap().clone()
    }

    pub(super) fn rows(&self) -> usize {
        self.rows.load(SeqCst)
    }

    pub(super) fn open(&self) -> usize {
        self.open.load(SeqCst)
    }
}

struct Watched {
    rows: Rows,
    log: Arc<Log>,
}

impl Stream for Watched {
    type Item = Result<Row, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let waits = self.log.wait_from.load(SeqCst) + 1..self.log.wait_for.load(SeqCst);
        if waits.contains(&self.log.requests.lock().unwrap().len()) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let next = ready!(self.rows.poll_next_unpin(context));
        if let Some(Ok(row)) = &next {
            if self.log.fail_at.lock().unwrap().as_ref() == Some(&row.key) {
                return Poll::Ready(Some(Err(Status::new(Code::Unavailable, "lost"))));
            }
            self.log.rows.fetch_add(1, SeqCst);
        }
        Poll::Ready(next)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.log.open.fetch_sub(1, SeqCst);
    }
}

impl Wrapper for Probe {
    fn inner(&self) -> &dyn Backend {
        &self.inner
    }

    fn read_rows(&self, request: ReadRows) -> RowBatches {
        self.log.requests.lock().unwrap().push(request.clone());
        self.log.open.fetch_add(1, SeqCst);
        let log = self.log.clone();
        self.inner.read_rows(request).through(|batches| {
            RowBatches::of_rows(Watched {
                rows: batches.rows(),
                log,
            })
        })
    }
}
