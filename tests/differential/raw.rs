//! Requests as bytes, intact and damaged, handled by the server over a memory backend: none may
//! panic.
//!
//! `tests/fuzz/corpus/requests` holds what fuzzing (`cargo +nightly fuzz run requests`) kept; this
//! test replays it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bigtable_model::backend::grpc::wire;
use bigtable_model::data::{FamilySchema, Mutation, ReadRows, RowMutations, TableSchema};
use bigtable_model::server::RawServer;
use bigtable_model::{Backend, MemoryBackend};
use prost::Message;

use crate::generator::Case;
use crate::operation::{Operation, Outcome};
use crate::random::Random;

const TABLE: &str = "projects/p/instances/i/tables/t";

/// The number of damaged requests in one run.
const DAMAGED: u64 = 2_000;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/requests")
}

/// A server with the table that the requests name.
async fn server(case: Option<&Case>) -> RawServer {
    let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    let plain = || ["f", "g"].map(|name| (name.to_owned(), FamilySchema::default()));
    let schema = TableSchema {
        table: "t".to_owned(),
        families: case.map_or_else(|| plain().into(), |case| case.families.clone()),
        ..TableSchema::default()
    };
    let _ = db.tables().create(schema, Vec::new()).await;
    RawServer::new(db)
}

#[tokio::test]
async fn calls_reach_the_backend() {
    let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    let schema = TableSchema {
        table: "t".to_owned(),
        families: [("f".to_owned(), FamilySchema::default())].into(),
        ..TableSchema::default()
    };
    db.tables().create(schema, Vec::new()).await.unwrap();
    let write = Operation::MutateRow(RowMutations {
        key: "k".into(),
        mutations: vec![Mutation::SetCell {
            family: "f".into(),
            qualifier: "q".into(),
            timestamp_micros: 1_000,
            value: "v".into(),
        }],
    });
    RawServer::new(db.clone()).call_all(&encode(&write)).await;
    let read = Operation::Read(ReadRows::default()).run(&*db, "t").await;
    assert!(matches!(read, Outcome::Rows(rows, Ok(())) if rows.len() == 1));
}

#[tokio::test]
async fn the_corpus_is_handled() {
    let mut files = 0;
    for file in fs::read_dir(corpus()).unwrap() {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        server(None).await.call_all(&bytes).await;
        files += 1;
    }
    assert!(files > 0, "the corpus is missing");
}

#[tokio::test]
async fn damaged_requests_are_handled() {
    for seed in 0..DAMAGED {
        let case = Case::draw(seed, 6);
        let mut bytes: Vec<u8> = case.operations.iter().flat_map(encode).collect();
        let server = server(Some(&case)).await;
        server.call_all(&bytes).await;
        let mut random = Random::new(seed);
        for _ in 0..random.length(1, 4) {
            damage(&mut bytes, &mut random);
        }
        server.call_all(&bytes).await;
    }
}

/// Rewrites the corpus from which fuzzing begins.
#[test]
#[ignore = "writes files of the repository"]
fn write_corpus() {
    fs::create_dir_all(corpus()).unwrap();
    for seed in 0..100 {
        let case = Case::draw(seed, 4);
        let bytes: Vec<u8> = case.operations.iter().flat_map(encode).collect();
        fs::write(corpus().join(format!("drawn-{seed:03}")), bytes).unwrap();
    }
}

fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    let at = random.below(bytes.len());
    match random.below(4) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = random.pick(&[0, 1, 0x7f, 0x80, 0xff]),
        2 => drop(bytes.remove(at)),
        _ => bytes.insert(at, random.pick(&[0, 0x0a, 0x80, 0xff])),
    }
}

/// The operation as a call in the form of `RawServer`; some rare kinds become a call for samples.
fn encode(operation: &Operation) -> Vec<u8> {
    let (method, message) = message(operation);
    let mut call = vec![method];
    call.extend(u16::try_from(message.len()).unwrap().to_be_bytes());
    call.extend(message);
    call
}

/// The number of the method and the message.
fn message(operation: &Operation) -> (u8, Vec<u8>) {
    let table_name = TABLE.to_owned();
    match operation.clone() {
        Operation::Read(request) => {
            let message = wire::ReadRowsRequest {
                table_name,
                rows: Some(request.rows.into()),
                filter: request.filter.map(Into::into),
                rows_limit: request.rows_limit,
                reversed: request.reversed,
                ..Default::default()
            };
            (0, message.encode_to_vec())
        }
        Operation::MutateRow(row) => {
            let message = wire::MutateRowRequest {
                table_name,
                row_key: row.key,
                mutations: mutations(row.mutations),
                ..Default::default()
            };
            (2, message.encode_to_vec())
        }
        Operation::MutateRows(rows) => {
            let message = wire::MutateRowsRequest {
                table_name,
                entries: rows.into_iter().map(Into::into).collect(),
                ..Default::default()
            };
            (3, message.encode_to_vec())
        }
        Operation::Check(request) => {
            let message = wire::CheckAndMutateRowRequest {
                table_name,
                row_key: request.key,
                predicate_filter: request.predicate.map(Into::into),
                true_mutations: mutations(request.if_true),
                false_mutations: mutations(request.if_false),
                ..Default::default()
            };
            (4, message.encode_to_vec())
        }
        Operation::Modify(request) => {
            let message = wire::ReadModifyWriteRowRequest {
                table_name,
                row_key: request.key,
                rules: request.rules.into_iter().map(Into::into).collect(),
                ..Default::default()
            };
            (5, message.encode_to_vec())
        }
        Operation::Families(changes) => {
            let message = wire::ModifyColumnFamiliesRequest {
                name: table_name,
                modifications: changes.into_iter().map(Into::into).collect(),
            };
            (11, message.encode_to_vec())
        }
        _ => {
            let message = wire::SampleRowKeysRequest {
                table_name,
                ..Default::default()
            };
            (1, message.encode_to_vec())
        }
    }
}

fn mutations(mutations: Vec<Mutation>) -> Vec<wire::Mutation> {
    mutations.into_iter().map(Into::into).collect()
}
