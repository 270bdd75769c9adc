//! Modified requests from the fuzzers' corpus, sent to a server over the wire: each gets an answer,
//! and the server survives.
//!
//! 4,000 requests, or 100,000 with `BIGTABLE_MODEL_NIGHTLY=1`. A failure prints its seed, which
//! `BIGTABLE_MODEL_SEED` replays.

use std::env;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bigtable_model::backend::grpc::wire;
use bigtable_model::data::{AggregateKind, FamilySchema, TableSchema};
use bigtable_model::{Backend, MemoryBackend};
use bigtable_model_tests::runs::nightly;
use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use prost::Message as _;

use crate::fixture::{all, row, set};
use crate::server::{ADMIN, DATA, TABLE, backend, call, channel, is_answered, serve};

/// Calls in flight.
const AT_ONCE: usize = 16;
/// The maximum number of changes to a request; half of the requests have one change.
const CHANGES: u64 = 6;

/// The methods by their index in the corpus.
const METHODS: [(&str, &str); 15] = [
    (DATA, "ReadRows"),
    (DATA, "SampleRowKeys"),
    (DATA, "MutateRow"),
    (DATA, "MutateRows"),
    (DATA, "CheckAndMutateRow"),
    (DATA, "ReadModifyWriteRow"),
    (DATA, "PingAndWarm"),
    (ADMIN, "CreateTable"),
    (ADMIN, "GetTable"),
    (ADMIN, "ListTables"),
    (ADMIN, "DeleteTable"),
    (ADMIN, "ModifyColumnFamilies"),
    (ADMIN, "DropRowRange"),
    (ADMIN, "GenerateConsistencyToken"),
    (ADMIN, "CheckConsistency"),
];

/// The field with the table's name, with which most requests begin.
fn named() -> Vec<u8> {
    let request = wire::GetTableRequest {
        name: TABLE.to_owned(),
        view: 0,
    };
    request.encode_to_vec()
}

/// The calls of the corpus that begin like requests for a table: a byte for the method, two for the
/// length, the message.
fn recorded() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/requests");
    let files = fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    let mut calls = Vec::new();
    for file in files {
        let input = fs::read(file).unwrap();
        let mut rest = input.as_slice();
        while let Some((&[method, high, low], after)) = rest.split_first_chunk() {
            let length = usize::from(u16::from_be_bytes([high, low])).min(after.len());
            let (message, after) = after.split_at(length);
            if let Some((service, method)) = METHODS.get(usize::from(method))
                && message.starts_with(&named())
            {
                calls.push((format!("{service}{method}"), message.to_vec()));
            }
            rest = after;
        }
    }
    calls
}

/// splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).unwrap();
        usize::try_from(self.next() % bound).unwrap()
    }

    fn byte(&mut self) -> u8 {
        let [byte, ..] = self.next().to_le_bytes();
        byte
    }

    /// A random position in a message, and a later one nearby.
    fn range(&mut self, len: usize) -> (usize, usize) {
        let from = self.below(len + 1);
        (from, from + self.below(16).min(len - from))
    }
}

/// One of the calls, with bytes changed, removed, inserted, duplicated, or taken from another call.
fn mutated(calls: &[(String, Vec<u8>)], seed: u64) -> (String, Bytes) {
    let mut random = Random(seed);
    let (path, message) = &calls[random.below(calls.len())];
    // Most of a request is the name of its table, which seven of eight requests keep.
    let kept = if random.below(8) == 0 {
        0
    } else {
        named().len()
    };
    let (name, message) = message.split_at(kept);
    let mut message = message.to_vec();
    let most = if random.below(2) == 0 { 1 } else { CHANGES };
    for _ in 0..=random.next() % most {
        let (from, to) = random.range(message.len());
        match random.below(6) {
            0 if from < message.len() => message[from] ^= 1 << random.below(8),
            1 if from < message.len() => message[from] = random.byte(),
            2 => drop(message.drain(from..to)),
            3 => {
                let put: Vec<_> = (0..random.below(4)).map(|_| random.byte()).collect();
                drop(message.splice(from..from, put));
            }
            4 => {
                let twice = message[from..to].to_vec();
                drop(message.splice(from..from, twice));
            }
            _ => {
                let (_, other) = &calls[random.below(calls.len())];
                let (start, end) = random.range(other.len());
                drop(message.splice(from..to, other[start..end].iter().copied()));
            }
        }
    }
    (path.clone(), [name, &message].concat().into())
}

/// The table that the corpus was made for.
fn families() -> TableSchema {
    let plain = ["f", "g"].map(|name| (name, None));
    let kinds = [AggregateKind::Sum, AggregateKind::Min, AggregateKind::Max];
    let aggregates = ["sum", "min", "max"].into_iter().zip(kinds.map(Some));
    let families = plain
        .into_iter()
        .chain(aggregates)
        .map(|(name, aggregate)| {
            let schema = FamilySchema {
                aggregate,
                ..FamilySchema::default()
            };
            (name.to_owned(), schema)
        });
    TableSchema {
        table: "t".to_owned(),
        families: families.collect(),
        ..TableSchema::default()
    }
}

fn seeds() -> Vec<u64> {
    if let Ok(seed) = env::var("BIGTABLE_MODEL_SEED") {
        return vec![seed.parse().unwrap()];
    }
    (0..nightly(100_000, 4_000)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_with_bytes_changed_are_answered() {
    let calls = Arc::new(recorded());
    assert!(calls.len() > 300, "{} calls are recorded", calls.len());
    let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    let address = serve(&db).await;
    let channel = channel(address);
    let seeds = seeds();
    let count = seeds.len();
    let families = families();
    let sent = stream::iter(seeds).map(|seed| {
        let (calls, channel, db) = (Arc::clone(&calls), channel.clone(), Arc::clone(&db));
        let schema = families.clone();
        tokio::spawn(async move {
            // Whatever earlier requests did, the table with these families usually exists.
            if seed.is_multiple_of(64) {
                let _ = db.tables().delete("t").await;
            }
            let _ = db.tables().create(schema, Vec::new()).await;
            let (path, bytes) = mutated(&calls, seed);
            let answer = call(&channel, &path, bytes.clone());
            let answer = tokio::time::timeout(Duration::from_secs(60), answer).await;
            let told = || format!("seed {seed}: {path} with {}", bytes.escape_ascii());
            let answer = answer.unwrap_or_else(|_| panic!("{} is not answered", told()));
            assert!(is_answered(&answer), "{}: {answer:?}", told());
            answer.is_ok()
        })
    });
    let sent = sent.buffer_unordered(AT_ONCE);
    let fine: usize = sent
        .map(|answered| usize::from(answered.unwrap()))
        .fold(0, |sum, one| async move { sum + one })
        .await;
    // Both kinds must occur, or the test is too weak.
    if count > 1 {
        assert!(
            (count / 50..count).contains(&fine),
            "{fine} of {count} were taken"
        );
    }

    let client = backend(address, "q", "fresh");
    let _ = client.tables().create(families, Vec::new()).await;
    let written = row("last", vec![set("f", "q", 0, "v")]);
    client.mutate_row("t", written).await.unwrap();
    let rows: Vec<_> = client.read_rows(all()).rows().try_collect().await.unwrap();
    assert!(rows.iter().any(|row| row.key == "last"));
}
