//! The state that the callers of a batcher and its task share.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, oneshot};

use super::queue::Item;
use crate::{Code, Status};

/// Messages from callers to the task.
#[derive(Debug)]
pub(super) enum Message {
    Write(Item),
    /// Send what was written before; answered once all of it is done.
    Flush(oneshot::Sender<()>),
}

/// The messages that the task has not taken yet, and whether there may be more.
///
/// One lock guards both: an entry is either handed over before the end, and is processed, or it is
/// refused.
#[derive(Debug, Default)]
pub(super) struct Shared {
    state: Mutex<State>,
    /// Wakes the task.
    news: Notify,
    /// How many callers wait for room.
    waiting: AtomicUsize,
}

#[derive(Debug, Default)]
struct State {
    messages: Vec<Message>,
    /// No entry is taken any more.
    closed: bool,
    /// The task has ended: nobody would take a message.
    ended: bool,
}

impl State {
    fn refusal(&self) -> Result<(), Status> {
        match (self.closed, self.ended) {
            (false, false) => Ok(()),
            (true, _) => Err(closed()),
            (false, true) => Err(Status::new(
                Code::FailedPrecondition,
                "the batcher has ended, with its runtime or by a panic of its backend: the entry was not taken",
            )),
        }
    }
}

/// Why a closed batcher takes no entry.
pub(super) fn closed() -> Status {
    Status::new(
        Code::FailedPrecondition,
        "the batcher is closed: the entry was not taken",
    )
}

impl Shared {
    /// Refuses if no more entries are taken.
    pub(super) fn check_open(&self) -> Result<(), Status> {
        self.lock().refusal()
    }

    /// Hands over an entry, unless no more are taken.
    pub(super) fn write(&self, item: Item) -> Result<(), Status> {
        let mut state = self.lock();
        state.refusal()?;
        state.messages.push(Message::Write(item));
        self.news.notify_one();
        Ok(())
    }

    /// Asks for everything handed over to be done. The answer is an error if the task has ended,
    /// with all its entries.
    pub(super) fn flush(&self) -> oneshot::Receiver<()> {
        let (done, flushed) = oneshot::channel();
        let mut state = self.lock();
        if !state.ended {
            state.messages.push(Message::Flush(done));
            self.news.notify_one();
        }
        flushed
    }

    /// Takes no more entries.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.news.notify_one();
    }

    /// The messages until now, and whether more entries may come.
    pub(super) fn take(&self) -> (Vec<Message>, bool) {
        let mut state = self.lock();
        (std::mem::take(&mut state.messages), !state.closed)
    }

    /// The task has ended; returns the messages that it did not take.
    pub(super) fn end(&self) -> Vec<Message> {
        let mut state = self.lock();
        state.ended = true;
        std::mem::take(&mut state.messages)
    }

    /// Waits for messages.
    pub(super) async fn news(&self) {
        self.news.notified().await;
    }

    /// A caller begins to wait for room, and notifies the task.
    pub(super) fn wait_for_room(&self) -> WaitForRoom<'_> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        self.news.notify_one();
        WaitForRoom(self)
    }

    /// Whether callers wait for room.
    pub(super) fn is_waited_for(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A caller that waits for room, until this is dropped.
#[derive(Debug)]
pub(super) struct WaitForRoom<'a>(&'a Shared);

impl Drop for WaitForRoom<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}
