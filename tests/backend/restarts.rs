//! Servers that are killed and restarted under load, always at the same address.
//!
//! Each call ends in time; it succeeds, or its error says that a retry may help. Once the server is
//! back, calls of the same client succeed.

mod load;
mod saving;
mod served;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bigtable_model::Backend;
use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::data::{FamilySchema, TableSchema};
use bigtable_model_tests::emulator::{Emulator, lasting_port};
use bigtable_model_tests::runs::nightly;
use futures::TryStreamExt;

use crate::fixture::{TABLE, all};
use load::{Load, is_counter};
use served::{Folder, Served};

/// The downtime of a server: long enough for attempts of every kind to fail.
const AWAY: Duration = Duration::from_millis(300);

fn rounds() -> usize {
    nightly(50, 5)
}

fn client(port: u16) -> GrpcBackend {
    let settings = GrpcSettings::new("p", "i").emulator(format!("127.0.0.1:{port}"));
    GrpcBackend::new(&settings).unwrap()
}

async fn create_table(backend: &GrpcBackend) {
    let schema = TableSchema {
        table: TABLE.to_owned(),
        families: [("f".to_owned(), FamilySchema::default())].into(),
        ..TableSchema::default()
    };
    backend.tables().create(schema, Vec::new()).await.unwrap();
}

/// It loses its tables, which are created again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn google_emulator() {
    let port = lasting_port();
    let Some(mut emulator) = Emulator::start_at(port) else {
        return;
    };
    let backend = client(port);
    create_table(&backend).await;
    let load = Load::start(&backend, true);
    for _ in 0..rounds() {
        load.has_succeeded().await;
        load.server_ends();
        drop(emulator);
        load.server_ended();
        load.has_failed().await;
        tokio::time::sleep(AWAY).await;
        emulator = Emulator::start_at(port).unwrap();
        assert_eq!(backend.tables().list().await, Ok(Vec::new()));
        create_table(&backend).await;
    }
    load.has_succeeded().await;
    load.stop().await;
}

/// It restores what was acknowledged before the last save, and counters that were incremented once
/// are 1.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn our_server() {
    let port = lasting_port();
    let folder = Folder::new("load");
    let mut server = Served::start(port, &folder).await;
    let backend = client(port);
    create_table(&backend).await;
    server.save().await;
    let load = Load::start(&backend, false);
    let mut saved = BTreeSet::new();
    for _ in 0..rounds() {
        load.has_succeeded().await;
        saved.extend(load.acknowledged());
        server.save().await;
        load.has_succeeded().await;
        load.server_ends();
        server.kill().await;
        load.server_ended();
        load.has_failed().await;
        tokio::time::sleep(AWAY).await;
        server = Served::start(port, &folder).await;
        let rows = read(&backend).await;
        let lost = saved.iter().find(|key| !rows.contains_key(*key));
        assert_eq!(lost, None, "it was acknowledged and saved");
        let counters = rows.iter().filter(|(key, _)| is_counter(key));
        for (key, value) in counters {
            assert_eq!(value, &1_u64.to_be_bytes(), "{key} was sent once");
        }
    }
    load.has_succeeded().await;
    load.stop().await;
    println!("{} rows were acknowledged before a save", saved.len());
}

/// The newest value of each row.
async fn read(backend: &GrpcBackend) -> BTreeMap<String, Vec<u8>> {
    let mut rows = backend.read_rows(all()).rows();
    let mut read = BTreeMap::new();
    while let Some(row) = rows.try_next().await.unwrap() {
        let key = String::from_utf8(row.key.to_vec()).unwrap();
        read.insert(key, row.cells[0].value.to_vec());
    }
    read
}
