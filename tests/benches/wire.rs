//! Our server compared with Google's emulator over the wire: one client, the same requests, rows
//! with one cell of 100 bytes.
//!
//! `cargo bench -p bigtable-model-tests --bench wire`
//!
//! Each server is a separate process and holds its tables in memory. Ours is this program, started
//! again with as many threads as the example `server`: half of the cores. The client is one thread
//! of this process. A ratio is our speed relative to the emulator, including the client's own work.
//!
//! Finally one client reads a row repeatedly while another sends the worst requests within the
//! limits. It measures what the limits are for: the first client's waiting time and the server's
//! peak memory.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a benchmark may panic"
)]

mod support;
#[path = "wire/waits.rs"]
mod waits;

use std::env;
use std::io::{BufRead as _, BufReader, Read as _};
use std::num::NonZero;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::data::{
    EntryBatch, FamilySchema, Mutation, ReadRows, RowMutations, TableSchema,
};
use bigtable_model::server::{Instances, Server, ServerOptions};
use bigtable_model::{Backend, MemoryBackend};
use bigtable_model_tests::emulator::Emulator;
use bytes::Bytes;
use bytestring::ByteString;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use support::{compare, measuring, timed, way};
use tokio::runtime::{Builder, Runtime};

/// Set if this program runs as the server: how answers are cut, `cut` at random points as by
/// default, or `uncut`.
const SERVE: &str = "BIGTABLE_MODEL_BENCH_SERVE";

const ROWS: u32 = 100_000;
/// Rows written one by one.
const SINGLES: u32 = 20_000;
const BATCH: usize = 1_000;

const TABLE: &str = "QUOTE";
const FAMILY: ByteString = ByteString::from_static("MD");
const QUALIFIER: Bytes = Bytes::from_static(b"BID");

/// Serves until the standard input ends, which it does with the parent process.
fn serve(cuts: &str) {
    let options = match cuts {
        "uncut" => ServerOptions::default().chunk_seed(None),
        _ => ServerOptions::default(),
    };
    let cores = available_parallelism().map_or(1, NonZero::get);
    let runtime = Builder::new_multi_thread()
        .worker_threads((cores / 2).max(1))
        .enable_all()
        .build()
        .unwrap();
    let instances = Instances::new(|_| Arc::new(MemoryBackend::new()));
    let server = runtime.block_on(Server::bind("127.0.0.1:0", instances, &options));
    let server = server.unwrap();
    println!("{}", server.local_addr());
    runtime.spawn(server.serve());
    let _ = std::io::stdin().read(&mut [0]);
}

struct Ours {
    process: Child,
    address: String,
}

impl Ours {
    fn start(cuts: &str) -> Self {
        let mut process = Command::new(env::current_exe().unwrap())
            .env(SERVE, cuts)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut address = String::new();
        let stdout = process.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut address).unwrap();
        Self {
            process,
            address: address.trim().to_owned(),
        }
    }
}

impl Ours {
    fn address(&self) -> &str {
        &self.address
    }

    /// The peak memory so far in megabytes; 0 if unknown.
    fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()));
        let status = status.unwrap_or_default();
        let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = most.and_then(|most| most.trim().strip_suffix(" kB")?.parse().ok());
        kilobytes.unwrap_or(0_u64) / 1_000
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

fn entry(number: u32) -> RowMutations {
    let symbol = number / 1_000;
    let time = 1_426_535_612_156_u64 + u64::from(number) * 17;
    let set = Mutation::SetCell {
        family: FAMILY,
        qualifier: QUALIFIER,
        timestamp_micros: 1_426_535_612_156_000,
        value: number.to_be_bytes().repeat(25).into(),
    };
    RowMutations {
        key: format!("NASDAQ#S{symbol:04}#{time:013}").into(),
        mutations: vec![set],
    }
}

fn entries(count: u32) -> Vec<RowMutations> {
    (0..count).map(entry).collect()
}

/// A client of one server.
struct Client<'a> {
    runtime: &'a Runtime,
    db: GrpcBackend,
}

impl<'a> Client<'a> {
    fn new(runtime: &'a Runtime, address: &str) -> Self {
        let settings = GrpcSettings::new("p", "i").emulator(address);
        Self {
            runtime,
            db: GrpcBackend::new(&settings).unwrap(),
        }
    }

    async fn create(&self, table: &str) {
        let families = [(FAMILY.to_string(), FamilySchema::default())].into();
        let table = table.to_owned();
        let schema = TableSchema {
            table,
            families,
            ..TableSchema::default()
        };
        self.db.tables().create(schema, Vec::new()).await.unwrap();
    }

    async fn write_in_bulk(&self, table: &str, entries: Vec<RowMutations>) {
        let mut entries = entries.into_iter();
        loop {
            let batch: Vec<_> = entries.by_ref().take(BATCH).collect();
            if batch.is_empty() {
                break;
            }
            let outcomes = self
                .db
                .mutate_rows(table, EntryBatch::of(batch))
                .await
                .unwrap();
            assert!(outcomes.iter().all(Result::is_ok));
        }
    }

    /// Keeps this many calls in flight.
    async fn write_one_by_one(&self, table: &str, entries: Vec<RowMutations>, calls: usize) {
        let writes = stream::iter(entries).map(|entry| self.db.mutate_row(table, entry));
        let writes = writes.buffer_unordered(calls);
        writes.try_for_each(|()| async { Ok(()) }).await.unwrap();
    }

    /// Writes to its own table, which is created and deleted outside the measured time; in bulk
    /// unless `calls` sets the number of parallel single writes.
    fn timed_write(&self, entries: Vec<RowMutations>, calls: Option<usize>) -> Duration {
        const TABLE: &str = "WRITTEN";
        self.runtime.block_on(self.create(TABLE));
        let time = timed(|| {
            self.runtime.block_on(async {
                match calls {
                    Some(calls) => self.write_one_by_one(TABLE, entries, calls).await,
                    None => self.write_in_bulk(TABLE, entries).await,
                }
            });
        });
        self.runtime
            .block_on(self.db.tables().delete(TABLE))
            .unwrap();
        time
    }

    fn timed_scan(&self) -> Duration {
        timed(|| self.runtime.block_on(self.scan()))
    }

    /// Reads in batches, as queries do.
    async fn scan(&self) {
        let mut batches = self.db.read_rows(ReadRows {
            table: TABLE.to_owned(),
            ..ReadRows::default()
        });
        let (mut count, mut bytes) = (0, 0);
        while let Some(batch) = batches.try_next().await.unwrap() {
            for row in batch.rows() {
                count += 1;
                bytes += row.cells().map(|cell| cell.value().len()).sum::<usize>();
            }
        }
        assert_eq!((count, bytes), (ROWS, 100 * 100_000));
    }
}

fn main() {
    if let Ok(cuts) = env::var(SERVE) {
        return serve(&cuts);
    }
    if !measuring() {
        return;
    }
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    if let Some(emulator) = Emulator::start() {
        beside_the_emulator(&runtime, &emulator);
    }
    waits::measure(&runtime, &Ours::start("cut"));
}

fn beside_the_emulator(runtime: &Runtime, emulator: &Emulator) {
    let (cut, uncut) = (Ours::start("cut"), Ours::start("uncut"));
    let clients = [emulator.address(), &cut.address, &uncut.address];
    let clients = clients.map(|address| Client::new(runtime, address));
    let [emulator, cut, uncut] = &clients;
    compare(
        "mutate_rows, 1,000 rows a call, a row",
        ROWS,
        9,
        [
            way("emulator", || emulator.timed_write(entries(ROWS), None)),
            way("ours (at least 2)", || cut.timed_write(entries(ROWS), None)),
        ],
    );
    for calls in [32, 128] {
        let write = |client: &Client<'_>| client.timed_write(entries(SINGLES), Some(calls));
        compare(
            &format!("mutate_row, {calls} calls at a time, a row"),
            SINGLES,
            15,
            [
                way("emulator", || write(emulator)),
                way("ours", || write(cut)),
            ],
        );
    }
    for client in &clients {
        runtime.block_on(async {
            client.create(TABLE).await;
            client.write_in_bulk(TABLE, entries(ROWS)).await;
        });
    }
    compare(
        "read_rows, the whole table, a row",
        ROWS,
        15,
        [
            way("emulator", || emulator.timed_scan()),
            way("ours, answers cut at random (at least 4)", || {
                cut.timed_scan()
            }),
            way("ours, answers not cut (at least 4)", || uncut.timed_scan()),
        ],
    );
}
