//! A single-threaded server during long requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bigtable_model::backend::grpc::CallOptions;
use bigtable_model::backend::{RowBatches, Wrapper};
use bigtable_model::data::{
    CheckAndMutateRow, Mutation, ReadRows, Row, RowFilter, RowMutations, RowSet,
};
use bigtable_model::{Backend, MemoryBackend, Status};
use futures::future::BoxFuture;
use futures::{StreamExt as _, TryStreamExt as _};

use crate::fixture::{all, row, set};
use crate::server::{backend, schema, serve};

/// The time limit for something immediate.
const PATIENCE: Duration = Duration::from_secs(30);

/// Counts the calls in progress.
#[derive(Debug, Clone)]
struct Counting {
    inner: MemoryBackend,
    under_way: Arc<AtomicUsize>,
}

/// Counts until it is dropped.
struct Call(Arc<AtomicUsize>);

impl Drop for Call {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Counting {
    fn call(&self) -> Call {
        self.under_way.fetch_add(1, Ordering::SeqCst);
        Call(Arc::clone(&self.under_way))
    }
}

impl Wrapper for Counting {
    fn inner(&self) -> &dyn Backend {
        &self.inner
    }

    fn read_rows(&self, request: ReadRows) -> RowBatches {
        let call = self.call();
        let rows = self.inner.read_rows(request).rows();
        let rows = rows.inspect(move |_: &Result<Row, Status>| {
            let _held = &call;
        });
        RowBatches::of_rows(rows)
    }

    fn check_and_mutate_row(
        &self,
        request: CheckAndMutateRow,
    ) -> BoxFuture<'_, Result<bool, Status>> {
        let call = self.call();
        Box::pin(async move {
            let answer = self.inner.check_and_mutate_row(request).await;
            drop(call);
            answer
        })
    }
}

/// A filter that takes long for a row with one cell: it doubles the cells again and again, and
/// matches all of them.
fn long() -> RowFilter {
    let both = RowFilter::Interleave(vec![RowFilter::PassAll; 2]);
    let regexes = (0..900).map(|number| RowFilter::ValueRegex(format!("a+{number}").into()));
    let mut filters = vec![both; 16];
    filters.push(RowFilter::Interleave(regexes.collect()));
    RowFilter::Chain(filters)
}

#[tokio::test]
async fn others_are_served_and_a_call_that_is_given_up_ends() {
    let under_way = Arc::new(AtomicUsize::new(0));
    let inner = MemoryBackend::new();
    inner
        .tables()
        .create(schema("t"), Vec::new())
        .await
        .unwrap();
    for key in ["a", "b"] {
        let written = row(key, vec![set("f", "q", 0, "aaaaaaaaaa0")]);
        inner.mutate_row("t", written).await.unwrap();
    }
    let db: Arc<dyn Backend> = Arc::new(Counting {
        inner,
        under_way: Arc::clone(&under_way),
    });
    let address = serve(&db).await;
    let patience = Duration::from_secs(600);
    let patient = CallOptions::new()
        .deadline(patience)
        .attempt_deadline(patience)
        .read_rows_idle(patience);
    let client = backend(address, "p", "i")
        .with_options(patient.without_retries())
        .unwrap();

    let calls: [BoxFuture<'static, ()>; 2] = [
        {
            let client = client.clone();
            Box::pin(async move {
                let request = ReadRows {
                    rows: RowSet::key("a"),
                    filter: Some(long()),
                    ..all()
                };
                let rows: Result<Vec<_>, _> = client.read_rows(request).rows().try_collect().await;
                rows.unwrap();
            })
        },
        {
            let client = client.clone();
            Box::pin(async move {
                let request = CheckAndMutateRow {
                    table: "t".to_owned(),
                    key: "a".into(),
                    predicate: Some(long()),
                    if_true: vec![Mutation::DeleteFromRow],
                    if_false: Vec::new(),
                };
                client.check_and_mutate_row(request).await.unwrap();
            })
        },
    ];
    for call in calls {
        let calling = tokio::spawn(call);
        until(|| under_way.load(Ordering::SeqCst) == 1).await;
        for number in 0..20 {
            let write = row("b", vec![set("f", "n", number * 1_000, "v")]);
            client.mutate_row("t", write).await.unwrap();
        }
        assert!(!calling.is_finished(), "it took long");
        calling.abort();
        until(|| under_way.load(Ordering::SeqCst) == 0).await;
    }
    let rows: Vec<_> = client.read_rows(all()).rows().try_collect().await.unwrap();
    assert_eq!(rows.len(), 2, "nothing was written of what was given up");
}

async fn until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < PATIENCE);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// For Google's clients a row is one message, however many cells it has; it is assembled over many
/// turns.
#[tokio::test]
async fn a_row_of_many_cells_is_one_message_as_it_was() {
    let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    db.tables().create(schema("t"), Vec::new()).await.unwrap();
    let cells = (0..20_000).map(|number| set("f", &format!("{number:05}"), 0, "v"));
    let written = RowMutations {
        key: "wide".into(),
        mutations: cells.collect(),
    };
    db.mutate_row("t", written).await.unwrap();
    let client = backend(serve(&db).await, "p", "i");
    let there: Vec<_> = db.read_rows(all()).rows().try_collect().await.unwrap();
    let read: Vec<_> = client.read_rows(all()).rows().try_collect().await.unwrap();
    assert_eq!(read, there);
    assert_eq!(read[0].cells.len(), 20_000);
}
