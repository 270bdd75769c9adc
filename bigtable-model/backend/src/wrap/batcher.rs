//! Single writes, sent together.

mod queue;
mod worker;

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc, oneshot};

use crate::data::RowMutations;
use crate::{Backend, EntryOutcome};
use crate::{Code, Status};
use worker::Message;

/// When a [`Batcher`] sends, and how much it takes before callers wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatcherSettings {
    /// Entries that are sent at once: 100.
    pub entries: usize,
    /// Bytes that are sent at once: 20 MiB.
    pub bytes: usize,
    /// How long an entry waits for others: 1 s.
    pub delay: Duration,
    /// Entries that are taken and not done yet: 20,000. Past that, [`Batcher::add`] waits.
    pub outstanding_entries: usize,
    /// The same in bytes: 100 MiB. An entry larger than that is taken when there is no other.
    pub outstanding_bytes: usize,
}

impl Default for BatcherSettings {
    fn default() -> Self {
        Self {
            entries: 100,
            bytes: 20 << 20,
            delay: Duration::from_secs(1),
            outstanding_entries: 20_000,
            outstanding_bytes: 100 << 20,
        }
    }
}

/// Collects writes to one table and sends them in bulk. Clones share what they collect.
///
/// Each entry has its own outcome. Entries of one row are sent in the order in which they were taken, and never two
/// at a time: the next one goes out when the one before has succeeded or failed for good.
///
/// A task of the runtime in which the batcher was made does the work. When every clone is dropped it sends what was taken, and
/// the outcomes still arrive; a program that ends its runtime before calls [`close`](Batcher::close), or learns from the
/// outcomes what was not sent.
///
/// ```
/// use bigtable_backend::batcher::{Batcher, BatcherSettings};
/// use bigtable_backend::data::{Mutation, RowMutations};
/// # use bigtable_backend::{Backend, MemoryBackend, data::{FamilySchema, TableSchema}};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), bigtable_backend::Status> {
/// # let db = MemoryBackend::new();
/// # let families = [("f".to_owned(), FamilySchema::default())].into();
/// # db.create_table(TableSchema { table: "t".to_owned(), families }, Vec::new()).await?;
///
/// let batcher = Batcher::new(db.handle(), "t", BatcherSettings::default());
/// let row = RowMutations {
///     key: "k".into(),
///     mutations: vec![Mutation::SetCell {
///         family: "f".into(),
///         qualifier: "q".into(),
///         timestamp_micros: 1000,
///         value: "v".into(),
///     }],
/// };
/// let outcome = batcher.add(row).await?;
/// batcher.close().await;
/// assert_eq!(outcome.await, Ok(()));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Batcher {
    sender: mpsc::UnboundedSender<Message>,
    entries: Arc<Semaphore>,
    bytes: Arc<Semaphore>,
    settings: BatcherSettings,
}

/// What becomes of one entry. It need not be awaited: the entry is written all the same.
#[derive(Debug)]
pub struct Outcome(oneshot::Receiver<EntryOutcome>);

impl Future for Outcome {
    type Output = EntryOutcome;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<EntryOutcome> {
        Pin::new(&mut self.0).poll(cx).map(|outcome| {
            outcome.unwrap_or_else(|_| {
                Err(Status::new(
                    Code::Cancelled,
                    "the runtime ended before the outcome of this entry was known",
                ))
            })
        })
    }
}

impl Batcher {
    /// Begins to collect. Made inside a Tokio runtime.
    ///
    /// # Panics
    ///
    /// Outside a runtime.
    #[must_use]
    pub fn new(
        backend: Arc<dyn Backend>,
        table: impl Into<String>,
        settings: BatcherSettings,
    ) -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        tokio::spawn(worker::run(backend, table.into(), settings, receiver));
        Self {
            sender,
            entries: Arc::new(Semaphore::new(permits(settings.outstanding_entries))),
            bytes: Arc::new(Semaphore::new(permits(settings.outstanding_bytes))),
            settings,
        }
    }

    /// Takes an entry, as soon as there is room. Before this returns, and when its future is dropped, the entry is not taken.
    ///
    /// # Errors
    ///
    /// `FAILED_PRECONDITION` when the batcher is closed.
    pub async fn add(&self, row: RowMutations) -> Result<Outcome, Status> {
        let size = row.wire_bytes();
        let room = size.min(permits(self.settings.outstanding_bytes)).max(1);
        let room = u32::try_from(room).unwrap_or(u32::MAX);
        let closed = |_| closed();
        let entry = Arc::clone(&self.entries).acquire_owned();
        let entry = entry.await.map_err(closed)?;
        let bytes = Arc::clone(&self.bytes).acquire_many_owned(room);
        let bytes = bytes.await.map_err(closed)?;
        let (answer, outcome) = oneshot::channel();
        let item = queue::Item {
            row,
            size,
            answer,
            room: (entry, bytes),
        };
        match self.sender.send(Message::Write(item)) {
            Ok(()) => Ok(Outcome(outcome)),
            Err(_) => Err(self::closed()),
        }
    }

    /// Sends what was taken so far without waiting for more, and waits until it is done.
    pub async fn flush(&self) {
        let (done, flushed) = oneshot::channel();
        if self.sender.send(Message::Flush(done)).is_ok() {
            // An error is the end of the runtime; the outcomes tell.
            let _ = flushed.await;
        }
    }

    /// Takes no more entries, not from clones either, sends what was taken and waits until it is done.
    pub async fn close(&self) {
        self.entries.close();
        self.bytes.close();
        self.flush().await;
    }
}

fn closed() -> Status {
    Status::new(
        Code::FailedPrecondition,
        "the batcher is closed: the entry was not taken",
    )
}

/// A semaphore has at most so many, and at least one lets something through.
fn permits(count: usize) -> usize {
    const MOST: usize = (u32::MAX >> 3) as usize;
    count.clamp(1, MOST)
}
