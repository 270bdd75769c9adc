//! A backend on which something happens before one of its calls.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bigtable_model::backend::{EntryOutcome, RowBatches, Wrapper};
use bigtable_model::data::{CheckAndMutateRow, EntryBatch, ReadRows, RowMutations};
use bigtable_model::{Backend, Code, Status};
use futures::future::{BoxFuture, FutureExt as _};

/// What happens at one of the calls.
pub enum Act {
    /// This runs to its end before the call.
    Run(BoxFuture<'static, ()>),
    /// The call fails and is not executed.
    Refuse,
    /// The call is executed, and its answer is lost.
    Lose,
}

impl fmt::Debug for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Run(_) => "Run",
            Self::Refuse => "Refuse",
            Self::Lose => "Lose",
        })
    }
}

/// Counts calls, and acts at one of them. Clones share their state.
#[derive(Clone)]
pub struct Between {
    inner: Arc<dyn Backend>,
    shared: Arc<Shared>,
}

struct Shared {
    calls: AtomicU64,
    at: u64,
    act: Mutex<Option<Act>>,
    /// Whether writes to this table are looked for.
    is_sought: fn(&str) -> bool,
    /// Whether one was executed.
    written: AtomicBool,
    /// Whether one under a condition was executed.
    checked: AtomicBool,
}

enum Fate {
    Answered,
    Refused,
    Lost,
}

fn killed() -> Status {
    Status::new(Code::Internal, "killed here")
}

impl Between {
    /// Acts at the nth call, counted from 0. Writes are looked for in some tables.
    pub fn new(inner: Arc<dyn Backend>, at: u64, act: Act, is_sought: fn(&str) -> bool) -> Self {
        let shared = Shared {
            calls: AtomicU64::new(0),
            at,
            act: Mutex::new(Some(act)),
            is_sought,
            written: AtomicBool::new(false),
            checked: AtomicBool::new(false),
        };
        Self {
            inner,
            shared: Arc::new(shared),
        }
    }

    /// Whether the call came at which something happened.
    #[must_use]
    pub fn has_acted(&self) -> bool {
        self.shared
            .act
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_none()
    }

    /// Whether a write to a sought table was executed.
    #[must_use]
    pub fn has_written(&self) -> bool {
        self.shared.written.load(Ordering::SeqCst)
    }

    /// Whether a write under a condition was executed there.
    #[must_use]
    pub fn has_checked(&self) -> bool {
        self.shared.checked.load(Ordering::SeqCst)
    }

    async fn next(&self) -> Fate {
        if self.shared.calls.fetch_add(1, Ordering::SeqCst) != self.shared.at {
            return Fate::Answered;
        }
        let act = self
            .shared
            .act
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        match act {
            Some(Act::Run(run)) => {
                run.await;
                Fate::Answered
            }
            Some(Act::Refuse) => Fate::Refused,
            Some(Act::Lose) => Fate::Lost,
            None => Fate::Answered,
        }
    }

    async fn call<T>(
        &self,
        (table, executed): (&str, &AtomicBool),
        call: impl Future<Output = Result<T, Status>>,
    ) -> Result<T, Status> {
        let fate = self.next().await;
        if matches!(fate, Fate::Refused) {
            return Err(killed());
        }
        let answer = call.await;
        if answer.is_ok() && (self.shared.is_sought)(table) {
            executed.store(true, Ordering::SeqCst);
        }
        match fate {
            Fate::Lost => Err(killed()),
            _ => answer,
        }
    }
}

impl fmt::Debug for Between {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Between")
    }
}

impl Wrapper for Between {
    fn inner(&self) -> &dyn Backend {
        &*self.inner
    }

    fn read_rows(&self, request: ReadRows) -> RowBatches {
        let this = self.clone();
        let rows = async move {
            match this.next().await {
                Fate::Answered => this.inner.read_rows(request),
                _ => RowBatches::failed(killed()),
            }
        };
        RowBatches::new(rows.flatten_stream())
    }

    fn mutate_row<'a>(
        &'a self,
        table: &'a str,
        row: RowMutations,
    ) -> BoxFuture<'a, Result<(), Status>> {
        let written = (table, &self.shared.written);
        self.call(written, self.inner.mutate_row(table, row))
            .boxed()
    }

    fn mutate_rows<'a>(
        &'a self,
        table: &'a str,
        entries: Arc<EntryBatch>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        let written = (table, &self.shared.written);
        self.call(written, self.inner.mutate_rows(table, entries))
            .boxed()
    }

    fn check_and_mutate_row(
        &self,
        request: CheckAndMutateRow,
    ) -> BoxFuture<'_, Result<bool, Status>> {
        async move {
            let table = request.table.clone();
            let checked = (&*table, &self.shared.checked);
            self.call(checked, self.inner.check_and_mutate_row(request))
                .await
        }
        .boxed()
    }
}
