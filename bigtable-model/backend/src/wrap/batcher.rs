//! Single writes, sent together.

mod flushes;
mod queue;
mod request;
mod settings;
mod shared;
#[cfg(test)]
mod tests;
mod worker;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::channel::oneshot;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::data::RowMutations;
use crate::{Backend, Code, EntryOutcome, InvalidSetting, Status};
pub use settings::BatcherSettings;
use shared::{Shared, closed};
use worker::Worker;

/// Collects writes to one table and sends them in bulk. Clones share what they collect.
///
/// An entry that [`add`](Batcher::add) accepts is written, or its outcome says why not. Each entry
/// has its own outcome: an entry that every table would refuse is not sent with others, and if
/// Bigtable refuses a request because of one entry, the others are sent again without it. A refused
/// request was not applied, so this is safe also for entries that are not
/// [idempotent](RowMutations::is_idempotent).
///
/// Entries of one row are sent in the order in which they were taken, never two at a time: the next
/// is sent when the one before has succeeded or failed permanently. A request has at most 100,000
/// mutations.
///
/// A task of the runtime in which the batcher was created does the work. When every clone is
/// dropped, it sends what was taken, and the outcomes still arrive. Call [`close`](Batcher::close)
/// before the runtime ends; otherwise the outcomes say what was not sent: none of them stays
/// pending.
///
/// ```
/// use bigtable_backend::batcher::{Batcher, BatcherSettings};
/// use bigtable_backend::data::{Mutation, RowMutations};
/// # use bigtable_backend::{Backend, MemoryBackend, data::{FamilySchema, TableSchema}};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), bigtable_backend::Status> {
/// # let db = MemoryBackend::new();
/// # let families = [("f".to_owned(), FamilySchema::default())].into();
/// # db.tables().create(TableSchema { table: "t".to_owned(), families, ..TableSchema::default() }, Vec::new()).await?;
///
/// let batcher = Batcher::new(db.handle(), "t", BatcherSettings::default())?;
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
#[derive(Clone)]
pub struct Batcher {
    callers: Arc<Callers>,
    settings: BatcherSettings,
}

/// What all clones share. When the last is dropped, no more entries come.
struct Callers {
    backend: Arc<dyn Backend>,
    shared: Arc<Shared>,
    entries: Arc<Semaphore>,
    bytes: Arc<Semaphore>,
}

impl Drop for Callers {
    fn drop(&mut self) {
        self.shared.close();
    }
}

impl fmt::Debug for Batcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batcher")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// The outcome of one entry. It need not be awaited: the entry is written all the same.
///
/// It is `CANCELLED` if the batcher ended before the outcome was known.
#[derive(Debug)]
pub struct Outcome(oneshot::Receiver<EntryOutcome>);

impl Future for Outcome {
    type Output = EntryOutcome;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<EntryOutcome> {
        Pin::new(&mut self.0).poll(cx).map(|outcome| {
            outcome.unwrap_or_else(|_| {
                Err(Status::new(
                    Code::Cancelled,
                    "the batcher ended before the outcome of this entry was known: by the end of its runtime, or a panic of its backend",
                ))
            })
        })
    }
}

/// An entry's share of what may be outstanding.
type Room = (OwnedSemaphorePermit, OwnedSemaphorePermit);

impl Batcher {
    /// Creates a batcher, inside a Tokio runtime.
    ///
    /// # Errors
    ///
    /// [`InvalidSetting`] for a number that is 0.
    ///
    /// # Panics
    ///
    /// Outside a runtime.
    pub fn new(
        backend: Arc<dyn Backend>,
        table: impl Into<String>,
        settings: BatcherSettings,
    ) -> Result<Self, InvalidSetting> {
        settings.check()?;
        let shared = Arc::new(Shared::default());
        let table: String = table.into();
        let worker = Worker::new(
            Arc::clone(&backend),
            table.into(),
            settings,
            Arc::clone(&shared),
        );
        tokio::spawn(worker.run());
        let semaphore = |permits: usize| Arc::new(Semaphore::new(permits.min(MOST_PERMITS)));
        let callers = Callers {
            backend,
            shared,
            entries: semaphore(settings.outstanding_entries),
            bytes: semaphore(settings.outstanding_bytes),
        };
        Ok(Self {
            callers: Arc::new(callers),
            settings,
        })
    }

    /// Takes an entry, as soon as there is room. Until this returns, the entry is not taken; nor is
    /// it if the future is dropped.
    ///
    /// An entry that every table would refuse, such as one without mutations, is not sent; its
    /// outcome is ready at once.
    ///
    /// # Errors
    ///
    /// `FAILED_PRECONDITION` if the batcher is closed, or its runtime has ended.
    pub async fn add(&self, row: RowMutations) -> Result<Outcome, Status> {
        let (answer, outcome) = oneshot::channel();
        let Callers {
            backend, shared, ..
        } = &*self.callers;
        let limits = backend.capabilities().limits;
        if let Some(Err(refused)) = limits.map(|limits| limits.check(&row)) {
            shared.check_open()?;
            // The receiver is in this function.
            let _ = answer.send(Err(refused));
            return Ok(Outcome(outcome));
        }
        let bytes = row.wire_bytes();
        let room = self.room(row.held_bytes()).await?;
        shared.write(queue::Item {
            row,
            bytes,
            answer,
            room,
        })?;
        Ok(Outcome(outcome))
    }

    /// Waits until this many bytes may be taken.
    async fn room(&self, bytes: usize) -> Result<Room, Status> {
        let Callers {
            entries,
            bytes: room,
            shared,
            ..
        } = &*self.callers;
        let bytes = bytes.min(self.settings.outstanding_bytes).min(MOST_PERMITS);
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        if let Ok(entry) = Arc::clone(entries).try_acquire_owned()
            && let Ok(bytes) = Arc::clone(room).try_acquire_many_owned(bytes)
        {
            return Ok((entry, bytes));
        }
        let _waiting = shared.wait_for_room();
        let closed = |_| closed();
        let entry = Arc::clone(entries).acquire_owned().await.map_err(closed)?;
        let bytes = Arc::clone(room).acquire_many_owned(bytes);
        Ok((entry, bytes.await.map_err(closed)?))
    }

    /// Sends what was taken so far without waiting for more, and waits until it is done, but not
    /// for what is taken meanwhile.
    ///
    /// Entries are sent even if the future is dropped.
    pub async fn flush(&self) {
        // An error means that the runtime has ended; the outcomes say so.
        let _ = self.callers.shared.flush().await;
    }

    /// Takes no more entries, not even from clones, sends what was taken and waits until it is
    /// done. Then every outcome is ready, including those of clones.
    ///
    /// The batcher is closed from the first poll of this future on, even if it is dropped. It may
    /// be closed more than once.
    pub async fn close(&self) {
        self.callers.shared.close();
        self.callers.entries.close();
        self.callers.bytes.close();
        self.flush().await;
    }
}

/// A semaphore cannot have more permits.
const MOST_PERMITS: usize = Semaphore::MAX_PERMITS;
