//! The memory of a long scan: the client is a separate process, whose memory is measured.
//!
//! A million rows of 100 bytes, or ten million with `BIGTABLE_MODEL_NIGHTLY=1`.

use std::fs;
use std::process::Stdio;

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::data::{EntryBatch, ReadRows, RowFilter, RowMutations};
use bigtable_model::{Backend, BackendExt, Model, Timestamp};
use bigtable_model_tests::canned::{Canned, CannedRow, message};
use bigtable_model_tests::runs::nightly;
use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use tokio::process::Command;

/// Where the client finds its server, its task, and the number of rows.
const ADDRESS: &str = "TEST_ADDRESS";
const TASK: &str = "TEST_TASK";
const ROWS: &str = "TEST_ROWS";

/// The size of a payload in bytes, in tests with many rows.
const SMALL: usize = 100;

/// The maximum memory of a scan.
const MOST_KIB: u64 = 64 << 10;

/// Rows with small payloads in a message; with larger payloads, as many as have the same total
/// size.
const ROWS_A_MESSAGE: u64 = 1_000;

/// One in this many rows is kept, if only some are: fewer than a message has.
const KEPT: u64 = 20;

#[derive(Debug, Model)]
#[bigtable(table = "TICK", family = "T")]
struct Tick {
    #[bigtable(key)]
    feed: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    payload: Bytes,
}

fn row(number: u64, bytes: usize) -> CannedRow {
    let tick = Tick {
        feed: "NASDAQ".to_owned(),
        at: Timestamp::from_millis(i64::try_from(number).unwrap()),
        payload: Bytes::copy_from_slice(&number.to_be_bytes().repeat(bytes / 8 + 1)[..bytes]),
    };
    CannedRow {
        key: tick.key().encode().unwrap().into(),
        timestamp_micros: tick.at.as_micros(),
        cells: vec![(Bytes::from_static(b"payload"), tick.payload)],
    }
}

/// A server whose every read returns this many encoded rows with payloads of a size.
fn server(rows: u64, bytes: usize) -> Canned {
    let in_message = ROWS_A_MESSAGE * SMALL as u64 / bytes as u64;
    Canned::new(move || {
        let messages = (0..rows / in_message).map(move |number| {
            let first = number * in_message;
            message(
                "T",
                (first..first + in_message).map(|number| row(number, bytes)),
            )
        });
        stream::iter(messages).boxed()
    })
}

/// Runs the client. Returns by how many KiB its peak memory exceeds that of a client that has made
/// one call.
async fn measured(task: &str, rows: u64, bytes: usize) -> Option<u64> {
    if fs::metadata("/proc/self/status").is_err() {
        eprintln!("skipped: there is no /proc/self/status that tells the memory of a process");
        return None;
    }
    let mut client = Command::new(std::env::current_exe().unwrap());
    client.args(["--exact", "scan_memory::client", "--ignored", "--nocapture"]);
    client.env(ADDRESS, server(rows, bytes).start());
    client.env(TASK, task).env(ROWS, rows.to_string());
    client.stdout(Stdio::piped()).kill_on_drop(true);
    let output = client.output().await.unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let grown = printed.lines().find_map(|line| line.split_once("grown: "));
    let (_, grown) = grown.unwrap_or_else(|| panic!("the client failed: {printed}"));
    println!("{task}, {rows} rows: {grown} KiB above a client at rest");
    Some(grown.parse().unwrap())
}

fn rows() -> u64 {
    nightly(10_000_000, 1_000_000)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_long_read_of_rows_holds_little() {
    if let Some(grown) = measured("rows", rows(), SMALL).await {
        assert!(grown < MOST_KIB, "{grown} KiB");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_long_query_holds_little() {
    if let Some(grown) = measured("query", rows(), SMALL).await {
        assert!(grown < MOST_KIB, "{grown} KiB");
    }
}

/// Rows that are kept would show up in other tests.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn rows_that_are_kept_are_seen() {
    if let Some(grown) = measured("keep", 500_000, SMALL).await {
        assert!(grown > MOST_KIB, "{grown} KiB");
    }
}

/// A key holds no message that it came in: these rows have 400 MB.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn keys_that_are_kept_hold_nothing_else() {
    if let Some(grown) = measured("keys", 4_000, 100_000).await {
        assert!(grown < MOST_KIB, "{grown} KiB");
    }
}

/// Nor does a value under 4 KiB: these rows have 300 MB.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn values_that_are_kept_hold_nothing_else() {
    if let Some(grown) = measured("some", 99_000, 3_000).await {
        assert!(grown < MOST_KIB, "{grown} KiB");
    }
}

#[test]
#[ignore = "a process of its own, which the other tests start"]
fn client() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let settings = GrpcSettings::new("p", "i").emulator(std::env::var(ADDRESS).unwrap());
        let db = GrpcBackend::new(&settings).unwrap();
        // A first call, so the memory of a connection is not counted.
        let entry = RowMutations {
            key: "k".into(),
            mutations: vec![bigtable_model::data::Mutation::DeleteFromRow],
        };
        db.mutate_rows("TICK", EntryBatch::of([entry]))
            .await
            .unwrap();
        let idle = status_kib("VmRSS:");
        let rows = match std::env::var(TASK).unwrap().as_str() {
            "rows" => read(&db).await,
            "query" => query(&db).await,
            "keys" => keep_keys(&db).await,
            "some" => keep_some(&db).await,
            _ => keep(&db).await,
        };
        assert_eq!(rows.to_string(), std::env::var(ROWS).unwrap());
        println!("grown: {}", status_kib("VmHWM:").saturating_sub(idle));
    });
}

fn request() -> ReadRows {
    ReadRows {
        table: "TICK".to_owned(),
        filter: Some(RowFilter::CellsPerColumnLimit(1)),
        ..ReadRows::default()
    }
}

async fn read(db: &GrpcBackend) -> u64 {
    let mut rows = db.read_rows(request()).rows();
    let mut count = 0;
    while let Some(row) = rows.try_next().await.unwrap() {
        count += u64::from(row.cells[0].value.len() == 100);
    }
    count
}

async fn query(db: &GrpcBackend) -> u64 {
    let mut ticks = db.stream(&Tick::query().feed("NASDAQ"));
    let mut count = 0;
    while let Some(tick) = ticks.try_next().await.unwrap() {
        count += u64::from(tick.payload.len() == 100);
    }
    count
}

async fn keep(db: &GrpcBackend) -> u64 {
    let rows: Vec<_> = db.read_rows(request()).rows().try_collect().await.unwrap();
    rows.len() as u64
}

async fn keep_keys(db: &GrpcBackend) -> u64 {
    let keys = db.read_rows(request()).rows().map_ok(|row| row.key);
    keys.try_collect::<Vec<_>>().await.unwrap().len() as u64
}

async fn keep_some(db: &GrpcBackend) -> u64 {
    let mut ticks = db.stream(&Tick::query().feed("NASDAQ"));
    let (mut count, mut kept) = (0, Vec::new());
    while let Some(tick) = ticks.try_next().await.unwrap() {
        if count % KEPT == 0 {
            kept.push(tick.payload);
        }
        count += 1;
    }
    assert_eq!(kept.len() as u64, count.div_ceil(KEPT));
    count
}

/// A line of the system's status of this process, such as `VmRSS:     5120 kB`.
fn status_kib(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.unwrap().split_whitespace().next();
    number.unwrap().parse().unwrap()
}
