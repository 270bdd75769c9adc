//! Which entries a batcher joins in one request: compatible ones, within the limits of a request.

use std::sync::Arc;

use bigtable_model::backend::batcher::{Batcher, BatcherSettings, Outcome};
use bigtable_model::backend::faults::FaultyBackend;
use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings, RequestLimits};
use bigtable_model::data::{FamilySchema, Mutation, RowMutations, TableSchema};
use bigtable_model::server::{Server, ServerOptions};
use bigtable_model::{Backend, Code};

use crate::batching::{entry, memory, requests, settings, slow};
use crate::fixture::{TABLE, row, set};

fn together() -> BatcherSettings {
    BatcherSettings {
        entries: 100,
        ..settings()
    }
}

/// The code of each outcome.
async fn codes(outcomes: Vec<Outcome>) -> Vec<Code> {
    let mut codes = Vec::new();
    for outcome in outcomes {
        codes.push(outcome.await.err().map_or(Code::Ok, |status| status.code));
    }
    codes
}

/// Adds all entries to one request, and returns the code of each outcome.
async fn written(db: &Arc<FaultyBackend>, rows: Vec<RowMutations>) -> Vec<Code> {
    let batcher = Batcher::new(db.clone(), TABLE, together()).unwrap();
    let mut outcomes = Vec::new();
    for row in rows {
        outcomes.push(batcher.add(row).await.unwrap());
    }
    batcher.close().await;
    codes(outcomes).await
}

#[tokio::test]
async fn a_request_has_a_hundred_thousand_mutations_at_most() {
    let db = slow(Vec::new()).await;
    let rows = (0..100).map(|number| {
        let mutations = vec![set("f", "q", 1000, "v"); 1_001];
        row(&format!("{number:03}"), mutations)
    });
    let codes = written(&db, rows.collect()).await;
    assert_eq!(codes, [Code::Ok; 100]);
    assert_eq!(requests(&db), 2);
}

/// 10 KB each, whatever the kind of mutation that holds them.
#[tokio::test]
async fn all_mutations_count_with_their_bytes() {
    let long = "q".repeat(10_000);
    let (family, qualifier) = (|| "sum".into(), || long.clone().into());
    let kinds = [
        set("f", &long, 1000, ""),
        set("f", "", 1000, long.clone()),
        Mutation::DeleteFromColumn {
            family: "f".into(),
            qualifier: qualifier(),
            start_micros: 0,
            end_micros: 0,
        },
        Mutation::AddToCell {
            family: family(),
            qualifier: qualifier(),
            timestamp_micros: 0,
            input: 1,
        },
        Mutation::MergeToCell {
            family: family(),
            qualifier: qualifier(),
            timestamp_micros: 0,
            input: 1_i64.to_be_bytes().to_vec().into(),
        },
    ];
    for kind in kinds {
        let db = slow(Vec::new()).await;
        let sums = FamilySchema {
            aggregate: Some(bigtable_model::data::AggregateKind::Sum),
            ..FamilySchema::default()
        };
        db.tables().delete(TABLE).await.unwrap();
        let schema = TableSchema {
            table: TABLE.to_owned(),
            families: [
                ("f".to_owned(), FamilySchema::default()),
                ("sum".to_owned(), sums),
            ]
            .into(),
            ..TableSchema::default()
        };
        db.tables().create(schema, Vec::new()).await.unwrap();
        let bounded = BatcherSettings {
            bytes: 100_000,
            ..together()
        };
        let batcher = Batcher::new(db.clone(), TABLE, bounded).unwrap();
        let mut outcomes = Vec::new();
        for number in 0..45 {
            let row = row(&number.to_string(), vec![kind.clone()]);
            outcomes.push(batcher.add(row).await.unwrap());
        }
        batcher.close().await;
        assert_eq!(codes(outcomes).await, [Code::Ok; 45], "{kind:?}");
        assert_eq!(requests(&db), 5, "{kind:?}");
    }
}

/// Entries that every table refuses, one of each kind.
fn invalid() -> Vec<RowMutations> {
    let delete = Mutation::DeleteFromColumn {
        family: "f".into(),
        qualifier: "q".into(),
        start_micros: 2_000,
        end_micros: 1_000,
    };
    vec![
        entry("", "no key"),
        entry(&"k".repeat(4_097), "v"),
        row("none", Vec::new()),
        row("many", vec![Mutation::DeleteFromRow; 100_001]),
        row("q", vec![set("f", &"q".repeat(16_385), 1000, "v")]),
        row("micros", vec![set("f", "q", 1_001, "v")]),
        row("negative", vec![set("f", "q", -1_000, "v")]),
        row("inverted", vec![delete]),
    ]
}

#[tokio::test]
async fn an_entry_that_no_table_takes_fails_alone() {
    let served: Arc<dyn Backend> = memory().await.handle();
    let options = ServerOptions::default();
    let server = Server::bind("127.0.0.1:0", served, &options).await.unwrap();
    let address = server.local_addr().to_string();
    tokio::spawn(server.serve());
    let settings = GrpcSettings::new("p", "i").emulator(address);
    let unchecked = RequestLimits {
        checked: false,
        ..RequestLimits::default()
    };
    let backends: [Arc<dyn Backend>; 3] = [
        memory().await.handle(),
        Arc::new(GrpcBackend::new(&settings).unwrap()),
        Arc::new(GrpcBackend::new(&settings.limits(unchecked)).unwrap()),
    ];
    for backend in backends {
        let db = Arc::new(FaultyBackend::new(backend, 1, Vec::new()).unwrap());
        let mut rows = Vec::new();
        for (number, one) in invalid().into_iter().enumerate() {
            rows.push(entry(&format!("before {number}"), "v"));
            rows.push(one);
        }
        let count = rows.len();
        let codes = written(&db, rows).await;
        let expected = [Code::Ok, Code::InvalidArgument].repeat(count / 2);
        assert_eq!(codes, expected, "{db:?}");
    }
}

/// An entry that is refused before it is sent costs no request, and its outcome is immediate.
#[tokio::test]
async fn an_entry_that_no_table_takes_is_not_sent() {
    let db = slow(Vec::new()).await;
    let batcher = Batcher::new(db.clone(), TABLE, together()).unwrap();
    for one in invalid() {
        let error = batcher.add(one).await.unwrap().await.unwrap_err();
        assert_eq!(error.code, Code::InvalidArgument, "{error}");
    }
    batcher.close().await;
    assert_eq!(requests(&db), 0);
    let error = batcher.add(entry("", "v")).await.unwrap_err();
    assert_eq!(error.code, Code::FailedPrecondition);
}

/// The service refuses a request with an unknown family as a whole.
#[tokio::test]
async fn an_entry_of_an_unknown_family_fails_alone() {
    let db = slow(Vec::new()).await;
    let rows = (0..100).map(|number| {
        let family = if number == 37 { "absent" } else { "f" };
        let mutation = set(family, "q", 1000, "v");
        row(&format!("{number:03}"), vec![mutation])
    });
    let codes = written(&db, rows.collect()).await;
    let failed: Vec<_> = (0..100)
        .filter(|number| codes[*number] != Code::Ok)
        .collect();
    assert_eq!(failed, [37]);
    assert_eq!(codes[37], Code::NotFound);
    // One request for each half that contains it.
    assert!(requests(&db) <= 15, "{}", requests(&db));
}

#[tokio::test]
async fn without_a_table_a_request_is_made_once() {
    let db = slow(Vec::new()).await;
    db.tables().delete(TABLE).await.unwrap();
    let rows = (0..100).map(|number| entry(&format!("{number:03}"), "v"));
    let codes = written(&db, rows.collect()).await;
    assert_eq!(codes, [Code::NotFound; 100]);
    assert_eq!(requests(&db), 1);
}
