//! The task of a batcher.

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use tokio::time::Instant;

use super::BatcherSettings;
use super::queue::Queue;
use super::request::{self, Answered};
use super::shared::{Message, Shared};
use crate::Backend;

/// Sends what callers hand over. If it is dropped before it is done, for instance by the end of its
/// runtime, all missing outcomes are cancelled; then callers that wait for a flush continue.
#[derive(Debug)]
pub(super) struct Worker {
    requests: FuturesUnordered<BoxFuture<'static, Answered>>,
    /// Dropped after the requests, which hold outcomes: the queue holds the callers that wait for
    /// them.
    queue: Queue,
    backend: Arc<dyn Backend>,
    table: Arc<str>,
    settings: BatcherSettings,
    shared: Arc<Shared>,
    /// When ready entries are sent even if they do not fill a request.
    deadline: Option<Instant>,
}

impl Worker {
    pub(super) fn new(
        backend: Arc<dyn Backend>,
        table: Arc<str>,
        settings: BatcherSettings,
        shared: Arc<Shared>,
    ) -> Self {
        Self {
            requests: FuturesUnordered::new(),
            queue: Queue::default(),
            backend,
            table,
            settings,
            shared,
            deadline: None,
        }
    }

    /// Runs until no more entries can come and everything is done.
    pub(super) async fn run(mut self) {
        let shared = Arc::clone(&self.shared);
        loop {
            let open = self.receive();
            self.send(!open);
            if !open && self.queue.is_idle() {
                return;
            }
            let deadline = self.deadline;
            tokio::select! {
                () = shared.news() => {}
                Some(answered) = self.requests.next() => self.finish(answered),
                () = wait(deadline), if deadline.is_some() => self.send(true),
            }
        }
    }

    /// Takes what callers handed over; returns whether there may be more.
    fn receive(&mut self) -> bool {
        let (messages, open) = self.shared.take();
        for message in messages {
            match message {
                Message::Write(item) => self.queue.push(item),
                Message::Flush(done) => self.queue.flush(done),
            }
        }
        open
    }

    fn finish(&mut self, answered: Answered) {
        for (key, flush) in answered {
            self.queue.done(&key, flush);
        }
    }

    /// Sends full requests, and with `all` or for a flush also partial ones; also if callers wait
    /// for room that no request in flight will free.
    fn send(&mut self, all: bool) {
        let stuck = self.requests.is_empty() && self.shared.is_waited_for();
        let all = all || stuck || self.queue.has_wanted();
        while self.queue.is_full(&self.settings) || (all && self.queue.has_ready()) {
            let entries = self.queue.take(&self.settings);
            let (backend, table) = (Arc::clone(&self.backend), Arc::clone(&self.table));
            self.requests.push(Box::pin(async move {
                request::send(&*backend, &table, entries).await
            }));
        }
        self.deadline = match self.queue.has_ready() {
            true => (self.deadline).or_else(|| Instant::now().checked_add(self.settings.delay)),
            false => None,
        };
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        for message in self.shared.end() {
            match message {
                Message::Write(item) => drop(item),
                Message::Flush(done) => self.queue.flush(done),
            }
        }
    }
}

async fn wait(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
