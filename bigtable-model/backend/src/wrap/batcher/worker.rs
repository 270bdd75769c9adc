//! The task behind a batcher.

use std::sync::Arc;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::BatcherSettings;
use super::queue::{Item, Queue};
use crate::{Backend, EntryOutcome};
use crate::{Code, Status};

/// What callers tell the task.
#[derive(Debug)]
pub(super) enum Message {
    Write(Item),
    /// Send everything; answered once nothing is left.
    Flush(oneshot::Sender<()>),
}

/// Runs until every caller is gone and everything is done.
pub(super) async fn run(
    backend: Arc<dyn Backend>,
    table: String,
    settings: BatcherSettings,
    mut receiver: mpsc::UnboundedReceiver<Message>,
) {
    let mut worker = Worker {
        backend,
        table: table.into(),
        settings,
        queue: Queue::default(),
        requests: FuturesUnordered::new(),
        flushes: Vec::new(),
        deadline: None,
    };
    let mut open = true;
    while open || !worker.queue.is_idle() {
        worker.send(!open);
        let deadline = worker.deadline;
        tokio::select! {
            message = receiver.recv(), if open => match message {
                Some(message) => worker.take(message),
                None => open = false,
            },
            Some(keys) = worker.requests.next() => worker.finish(keys),
            () = wait(deadline), if deadline.is_some() => worker.send(true),
        }
    }
}

/// Rows whose entries were answered.
type Answered = Vec<Bytes>;

struct Worker {
    backend: Arc<dyn Backend>,
    table: Arc<str>,
    settings: BatcherSettings,
    queue: Queue,
    requests: FuturesUnordered<BoxFuture<'static, Answered>>,
    /// Callers who wait until nothing is left.
    flushes: Vec<oneshot::Sender<()>>,
    /// When what is ready goes out even if there is little of it.
    deadline: Option<Instant>,
}

impl Worker {
    fn take(&mut self, message: Message) {
        match message {
            Message::Write(item) => self.queue.push(item),
            Message::Flush(done) => {
                self.flushes.push(done);
                self.answer_flushes();
            }
        }
    }

    fn finish(&mut self, keys: Answered) {
        for key in keys {
            self.queue.done(&key);
        }
        self.answer_flushes();
    }

    fn answer_flushes(&mut self) {
        if self.queue.is_idle() {
            for done in self.flushes.drain(..) {
                // Nobody waits any more.
                let _ = done.send(());
            }
        }
    }

    /// Sends full requests, and with `now` or for a flush also what does not fill one.
    fn send(&mut self, now: bool) {
        let now = now || !self.flushes.is_empty();
        while self.queue.is_full(&self.settings) || (now && self.queue.has_ready()) {
            let items = self.queue.take(&self.settings);
            let (backend, table) = (Arc::clone(&self.backend), Arc::clone(&self.table));
            self.requests.push(Box::pin(request(backend, table, items)));
        }
        self.deadline = match self.queue.has_ready() {
            true => (self.deadline).or_else(|| Instant::now().checked_add(self.settings.delay)),
            false => None,
        };
    }
}

async fn wait(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// One bulk write: every entry's outcome goes to its caller.
async fn request(backend: Arc<dyn Backend>, table: Arc<str>, items: Vec<Item>) -> Answered {
    let mut rows = Vec::with_capacity(items.len());
    let mut callers = Vec::with_capacity(items.len());
    let mut keys = Vec::with_capacity(items.len());
    for item in items {
        keys.push(item.row.key.clone());
        rows.push(item.row);
        callers.push((item.answer, item.room));
    }
    let mut outcomes: Vec<EntryOutcome> = match backend.mutate_rows(&table, rows).await {
        Ok(outcomes) => outcomes,
        Err(status) => vec![Err(status); callers.len()],
    };
    let unanswered = Status::new(Code::Internal, "the entry was not answered");
    outcomes.resize(callers.len(), Err(unanswered));
    for ((caller, room), outcome) in callers.into_iter().zip(outcomes) {
        drop(room);
        // A caller who does not want to know has dropped the outcome.
        let _ = caller.send(outcome);
    }
    keys
}
