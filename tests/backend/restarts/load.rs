//! Tasks that keep calling one client, and their outcomes.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bigtable_model::backend::grpc::{CallOptions, GrpcBackend};
use bigtable_model::data::{
    CheckAndMutateRow, EntryBatch, ReadModifyWriteRow, ReadModifyWriteRule, ReadRows, RowMutations,
    RuleAction,
};
use bigtable_model::{Backend, Code, Status};
use futures::TryStreamExt;
use tokio::task::JoinHandle;

use crate::fixture::{TABLE, all, row, set};

/// The deadline of an operation, including all attempts.
const DEADLINE: Duration = Duration::from_secs(5);

/// Practically never.
const PATIENCE: Duration = Duration::from_secs(60);

const KINDS: [Kind; 5] = [
    Kind::Read,
    Kind::Write,
    Kind::Bulk,
    Kind::Check,
    Kind::Count,
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Read,
    Write,
    Bulk,
    Check,
    Count,
}

/// Whether a row's cell was incremented.
pub(super) fn is_counter(key: &str) -> bool {
    key.starts_with("Count#")
}

/// For each kind of call, one task that retries and one that does not.
#[derive(Debug)]
pub(super) struct Load {
    shared: Arc<Shared>,
    tasks: Vec<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    /// Whether the server comes back without the table.
    forgets: bool,
    done: AtomicBool,
    /// Odd while the server is being killed, when the answering server is unknown.
    generation: AtomicU64,
    /// By task, with the number of its server.
    acknowledged: Mutex<Vec<(u64, String)>>,
    succeeded: Mutex<BTreeMap<(Kind, bool), u64>>,
    failed: Mutex<BTreeMap<Kind, u64>>,
    /// The outcomes, for inspection.
    met: Mutex<BTreeMap<String, u64>>,
}

/// The outcome of a call: rows that were certainly written, and its error.
type Outcome = (Vec<String>, Result<(), Status>);

impl Load {
    pub(super) fn start(backend: &GrpcBackend, forgets: bool) -> Self {
        let shared = Arc::new(Shared {
            forgets,
            ..Shared::default()
        });
        let patient = CallOptions::new().deadline(DEADLINE);
        let tasks = KINDS.into_iter().flat_map(|kind| {
            [
                (kind, true, patient.clone()),
                (kind, false, patient.clone().without_retries()),
            ]
        });
        let tasks = tasks.map(|(kind, tries_again, options)| {
            let backend = backend.with_options(options).unwrap();
            tokio::spawn(Arc::clone(&shared).keep_calling(kind, tries_again, backend))
        });
        Self {
            tasks: tasks.collect(),
            shared,
        }
    }

    /// Waits until every task has succeeded again.
    pub(super) async fn has_succeeded(&self) {
        let before = self.shared.succeeded.lock().unwrap().clone();
        self.grows("calls succeed", || {
            let now = self.shared.succeeded.lock().unwrap();
            let grown = |kind, tries_again| {
                let key = (kind, tries_again);
                now.get(&key).copied().unwrap_or(0) > before.get(&key).copied().unwrap_or(0) + 2
            };
            KINDS
                .iter()
                .all(|kind| grown(*kind, true) && grown(*kind, false))
        })
        .await;
    }

    /// Waits until calls of every kind have failed again.
    pub(super) async fn has_failed(&self) {
        let before = self.shared.failed.lock().unwrap().clone();
        self.grows("calls fail", || {
            let now = self.shared.failed.lock().unwrap();
            KINDS.iter().all(|kind| now.get(kind) > before.get(kind))
        })
        .await;
    }

    async fn grows(&self, what: &str, has_grown: impl Fn() -> bool) {
        let begun = Instant::now();
        while !has_grown() {
            let stopped = self.tasks.iter().any(JoinHandle::is_finished);
            assert!(!stopped, "a task has met what it should not");
            assert!(begun.elapsed() < PATIENCE, "{what}: {:?}", self.shared);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// The rows that this server has acknowledged so far.
    pub(super) fn acknowledged(&self) -> Vec<String> {
        let generation = self.shared.generation.load(Ordering::SeqCst);
        let acknowledged = self.shared.acknowledged.lock().unwrap();
        let of_this = acknowledged.iter().filter(|(by, _)| *by == generation);
        of_this.map(|(_, key)| key.clone()).collect()
    }

    pub(super) fn server_ends(&self) {
        self.shared.generation.fetch_add(1, Ordering::SeqCst);
    }

    pub(super) fn server_ended(&self) {
        self.shared.generation.fetch_add(1, Ordering::SeqCst);
    }

    pub(super) async fn stop(self) {
        self.shared.done.store(true, Ordering::SeqCst);
        for task in self.tasks {
            task.await.unwrap();
        }
        println!("{:#?}", self.shared.met.lock().unwrap());
    }
}

impl Shared {
    async fn keep_calling(self: Arc<Self>, kind: Kind, tries_again: bool, backend: GrpcBackend) {
        let mut turn = 0;
        while !self.done.load(Ordering::SeqCst) {
            turn += 1;
            let key = format!("{kind:?}#{tries_again}#{turn:07}");
            let generation = self.generation.load(Ordering::SeqCst);
            let call = tokio::time::timeout(PATIENCE, call(kind, &backend, key)).await;
            let (keys, result) = call.unwrap_or_else(|_| panic!("{kind:?} has no end"));
            if generation.is_multiple_of(2) && self.generation.load(Ordering::SeqCst) == generation
            {
                let mut acknowledged = self.acknowledged.lock().unwrap();
                acknowledged.extend(keys.into_iter().map(|key| (generation, key)));
            }
            match result {
                Ok(()) => {
                    let mut succeeded = self.succeeded.lock().unwrap();
                    *succeeded.entry((kind, tries_again)).or_default() += 1;
                }
                Err(status) => self.judge(kind, &status),
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// Only transient errors, or a missing table.
    fn judge(&self, kind: Kind, status: &Status) {
        let gone = self.forgets && status.code == Code::NotFound && status.message.contains(TABLE);
        assert!(status.is_retryable() || gone, "{kind:?}: {status}");
        let unreached = status.code == Code::Unavailable;
        let says_where = status.message.starts_with("127.0.0.1:");
        assert!(says_where || !unreached, "{kind:?}: {status}");
        *self.failed.lock().unwrap().entry(kind).or_default() += 1;
        *self
            .met
            .lock()
            .unwrap()
            .entry(status.to_string())
            .or_default() += 1;
    }
}

async fn call(kind: Kind, backend: &GrpcBackend, key: String) -> Outcome {
    let written = |result: Result<(), Status>| match result {
        Ok(()) => (vec![key.clone()], Ok(())),
        Err(status) => (Vec::new(), Err(status)),
    };
    match kind {
        Kind::Read => (Vec::new(), read(backend).await),
        Kind::Write => written(backend.mutate_row(TABLE, cell(&key)).await),
        Kind::Bulk => bulk(backend, &key).await,
        Kind::Check => {
            let RowMutations {
                key: row,
                mutations,
            } = cell(&key);
            let answer = backend.check_and_mutate_row(CheckAndMutateRow {
                table: TABLE.to_owned(),
                key: row,
                predicate: None,
                if_true: Vec::new(),
                if_false: mutations,
            });
            written(answer.await.map(drop))
        }
        Kind::Count => written(count(backend, &key).await),
    }
}

fn cell(key: &str) -> RowMutations {
    row(key, vec![set("f", "q", 1000, key)])
}

async fn read(backend: &GrpcBackend) -> Result<(), Status> {
    let rows = backend
        .read_rows(ReadRows {
            rows_limit: 50,
            ..all()
        })
        .rows();
    rows.try_for_each(|_| async { Ok(()) }).await
}

/// Twenty rows; returns those that were written even if others failed.
async fn bulk(backend: &GrpcBackend, key: &str) -> Outcome {
    let keys: Vec<_> = (0..20).map(|number| format!("{key}#{number:02}")).collect();
    let rows = keys.iter().map(|key| cell(key));
    match backend.mutate_rows(TABLE, EntryBatch::of(rows)).await {
        Err(status) => (Vec::new(), Err(status)),
        Ok(outcomes) => {
            let failed = outcomes.iter().find_map(|one| one.clone().err());
            let written = keys.into_iter().zip(outcomes);
            let written = written.filter_map(|(key, outcome)| outcome.ok().map(|()| key));
            (written.collect(), failed.map_or(Ok(()), Err))
        }
    }
}

async fn count(backend: &GrpcBackend, key: &str) -> Result<(), Status> {
    let request = ReadModifyWriteRow {
        table: TABLE.to_owned(),
        key: key.to_owned().into(),
        rules: vec![ReadModifyWriteRule {
            family: "f".into(),
            qualifier: "q".into(),
            action: RuleAction::Increment(1),
        }],
    };
    backend.read_modify_write_row(request).await.map(drop)
}
