//! Whether new operations are accepted, and how many are in flight.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::sync::Notify;

use crate::{Code, Status};

/// Admits operations until it is closed. Clones share one gate.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gate(Arc<State>);

#[derive(Debug, Default)]
struct State {
    closed: AtomicBool,
    inside: AtomicUsize,
    left: Notify,
}

/// An operation in flight; dropping this ends it.
#[derive(Debug)]
pub(crate) struct Pass(Arc<State>);

impl Gate {
    /// Refuses if the gate is closed, and outside a runtime, where there are no timers and no
    /// connections.
    pub(crate) fn enter(&self) -> Result<Pass, Status> {
        if tokio::runtime::Handle::try_current().is_err() {
            return Err(Status::new(
                Code::FailedPrecondition,
                "the gRPC backend works inside a Tokio runtime only",
            ));
        }
        self.0.inside.fetch_add(1, Ordering::SeqCst);
        let pass = Pass(Arc::clone(&self.0));
        match self.0.closed.load(Ordering::SeqCst) {
            false => Ok(pass),
            true => Err(Status::new(
                Code::FailedPrecondition,
                "the client is closed: nothing was sent",
            )),
        }
    }

    pub(crate) fn close(&self) {
        self.0.closed.store(true, Ordering::SeqCst);
    }

    /// Waits until every operation has left.
    pub(crate) async fn empty(&self) {
        loop {
            let left = self.0.left.notified();
            if self.0.inside.load(Ordering::SeqCst) == 0 {
                return;
            }
            left.await;
        }
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        if self.0.inside.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.0.left.notify_waiters();
        }
    }
}
