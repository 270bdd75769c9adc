//! The spans that a program can collect.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use bigtable_model::Backend;
use tracing::field::{Field, Visit};
use tracing::instrument::WithSubscriber;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::fixture::{TABLE, row, set};
use crate::scripted::{Scripted, Step};
use crate::scripted_calls::{begin, commit, read, send};

type Fields = BTreeMap<String, String>;

/// Keeps the fields of every span by name.
#[derive(Debug, Default)]
struct Spans {
    next: AtomicU64,
    spans: Mutex<BTreeMap<u64, (&'static str, Fields)>>,
}

struct Into<'a>(&'a mut Fields);

impl Visit for Into<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let text = format!("{value:?}").trim_matches('"').to_owned();
        self.0.insert(field.name().to_owned(), text);
    }
}

#[derive(Debug, Clone, Default)]
struct Collector(Arc<Spans>);

impl Subscriber for Collector {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "bigtable_backend::grpc"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let id = self.0.next.fetch_add(1, Ordering::SeqCst) + 1;
        let mut fields = Fields::new();
        span.record(&mut Into(&mut fields));
        let name = span.metadata().name();
        self.0.spans.lock().unwrap().insert(id, (name, fields));
        Id::from_u64(id)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let mut spans = self.0.spans.lock().unwrap();
        let (_, fields) = spans.get_mut(&span.into_u64()).unwrap();
        values.record(&mut Into(fields));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

impl Collector {
    /// The spans of this name, as `method status attempt`.
    fn of(&self, name: &str) -> Vec<String> {
        let spans = self.0.spans.lock().unwrap();
        let of_name = spans.values().filter(|(one, _)| *one == name);
        let field = |fields: &Fields, name| fields.get(name).cloned().unwrap_or_default();
        of_name
            .map(|(_, fields)| {
                let names = ["method", "table", "app_profile", "attempt", "status"];
                names.map(|name| field(fields, name)).join(",")
            })
            .collect()
    }
}

#[tokio::test]
async fn operations_and_attempts_are_spans() {
    let (server, backend) = Scripted::start().await;
    let lost = || tonic::Status::unavailable("lost");
    server.mutate_row.script([Step::Fail(lost())]);
    let row_a = send([commit(begin("a", "1", 0))]);
    server.read_rows.script([row_a, Step::Fail(lost())]);
    server
        .read_rows
        .script([Step::Fail(tonic::Status::not_found("gone"))]);
    let collector = Collector::default();
    // With a single subscriber, tracing asks only the thread that first meets a span whether it is
    // wanted.
    let _another = tracing::Dispatch::new(Collector::default());
    let calls = async {
        // Parallel tests may have created spans before any subscriber existed, which tracing
        // caches.
        tracing::callsite::rebuild_interest_cache();
        let one = row("k", vec![set("f", "q", 1000, "v")]);
        backend.mutate_row(TABLE, one).await.unwrap();
        read(&backend).await.unwrap_err();
    };
    calls.with_subscriber(collector.clone()).await;
    assert_eq!(
        collector.of("bigtable.operation"),
        [
            "MutateRow,t,my profile,,OK",
            "ReadRows,t,my profile,,NOT_FOUND"
        ]
    );
    assert_eq!(
        collector.of("bigtable.attempt"),
        [
            "MutateRow,,,0,UNAVAILABLE",
            "MutateRow,,,1,OK",
            "ReadRows,,,0,UNAVAILABLE",
            "ReadRows,,,1,NOT_FOUND",
        ]
    );
}
