//! How long one client waits while others send the longest requests within the limits: reads of one
//! row, one after another, during each of them. The server has two threads; the clients have
//! others, in the same process. Google's emulator is measured too if it is installed.
//!
//! `cargo bench -p bigtable-model-tests --bench waits`; with `-- alone` without the emulator, which
//! takes minutes for the regexes.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark may panic"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use bigtable_model::MemoryBackend;
use bigtable_model::backend::Backend;
use bigtable_model::backend::grpc::{CallOptions, GrpcBackend, GrpcSettings};
use bigtable_model::data::{
    EntryBatch, FamilySchema, Mutation, ReadModifyWriteRow, ReadModifyWriteRule, ReadRows,
    RowFilter, RowMutations, RowSet, RuleAction, TableSchema,
};
use bigtable_model::server::{Instances, Server, ServerOptions};
use bigtable_model_tests::emulator::Emulator;
use bytes::Bytes;
use futures::StreamExt as _;
use futures::future::{BoxFuture, join_all};
use tokio::runtime::{Builder, Runtime};

/// Rows of the table that is scanned, each with one cell.
const ROWS: u32 = 100_000;
/// Rows of the table that is dropped.
const DROPPED: u32 = 1_000_000;
/// The value of every cell.
const VALUE: &[u8] = b"aaaaaaaaaa0";
/// Measured when nothing else runs.
const IDLE: Duration = Duration::from_secs(2);

type Load = fn(GrpcBackend) -> BoxFuture<'static, ()>;

/// The requests: how many of them at once, after what preparation.
const LOADS: &[(&str, usize, Load, Load)] = &[
    ("700 regexes that pass", 1, nothing, chain),
    ("700 regexes that pass", 4, nothing, chain),
    ("scan", 4, nothing, scan),
    ("scan of keys", 4, nothing, keys_only),
    ("scan by a regex", 4, nothing, by_regex),
    ("MutateRow of 250 MB", 1, nothing, large_row),
    ("read of 250 MB", 1, nothing, read_large_row),
    ("100,000 appends of 1 KB", 1, nothing, appends),
    ("delete a table of 1,000,000", 1, fill_dropped, delete_table),
    ("drop 1,000,000 rows", 1, fill_dropped, drop_rows),
];

fn main() {
    println!("waits of a second client in ms, median and maximum");
    println!("{:30} {:>16} {:>16}", "beside", "this server", "emulator");
    let (server, address) = serve();
    let alone = std::env::args().any(|argument| argument == "alone");
    let emulator = (!alone).then(Emulator::start).flatten();
    let addresses = [
        Some(address),
        emulator.as_ref().map(|one| one.address().to_owned()),
    ];
    let runtime = two_threads();
    for address in addresses.iter().flatten() {
        runtime.block_on(prepare(client(address)));
    }
    print(&runtime, &addresses, "nothing", 1, nothing, idle);
    for (name, count, before, load) in LOADS {
        print(&runtime, &addresses, name, *count, *before, *load);
    }
    drop(server);
}

/// One line of the table.
fn print(
    runtime: &Runtime,
    addresses: &[Option<String>],
    name: &str,
    count: usize,
    before: Load,
    load: Load,
) {
    let waits = addresses.iter().map(|address| {
        let Some(address) = address else {
            return "-".to_owned();
        };
        runtime.block_on(before(client(address)));
        let mut waits = measured(runtime, address, count, load);
        waits.sort();
        let ms = |wait: Duration| wait.as_secs_f64() * 1e3;
        let (median, most) = (waits[waits.len() / 2], waits[waits.len() - 1]);
        format!("{:.1} {:.1}", ms(median), ms(most))
    });
    let waits: Vec<_> = waits.collect();
    println!(
        "{:30} {:>16} {:>16}",
        format!("{count} x {name}"),
        waits[0],
        waits[1]
    );
}

/// The waits of the second client, which has a thread of its own, until the load ends.
fn measured(runtime: &Runtime, address: &str, count: usize, load: Load) -> Vec<Duration> {
    let is_over = Arc::new(AtomicBool::new(false));
    let (told, second) = (Arc::clone(&is_over), client(address));
    let measuring = thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut waits = Vec::new();
            while !told.load(Ordering::Relaxed) || waits.is_empty() {
                let start = Instant::now();
                read(&second, "s", RowSet::key("r"), None).await;
                waits.push(start.elapsed());
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            waits
        })
    });
    // Its connection is open by then.
    thread::sleep(Duration::from_millis(300));
    let clients = (0..count).map(|_| load(client(address)));
    runtime.block_on(join_all(clients));
    is_over.store(true, Ordering::Relaxed);
    measuring.join().unwrap()
}

fn two_threads() -> Runtime {
    let mut runtime = Builder::new_multi_thread();
    runtime.enable_all().worker_threads(2).build().unwrap()
}

fn serve() -> (Runtime, String) {
    let runtime = two_threads();
    let instances = Instances::new(|_name| Arc::new(MemoryBackend::new()));
    let options = ServerOptions::default();
    let server = runtime.block_on(Server::bind("127.0.0.1:0", instances, &options));
    let server = server.unwrap();
    let address = server.local_addr().to_string();
    runtime.spawn(server.serve());
    (runtime, address)
}

fn client(address: &str) -> GrpcBackend {
    let settings = GrpcSettings::new("p", "i").emulator(address);
    let patience = Duration::from_secs(300);
    let options = CallOptions::new()
        .deadline(patience)
        .attempt_deadline(patience)
        .read_rows_idle(patience);
    let client = GrpcBackend::new(&settings).unwrap();
    client.with_options(options.without_retries()).unwrap()
}

/// A table to scan, one row to read, and a table for large rows.
async fn prepare(db: GrpcBackend) {
    for table in ["t", "s", "large"] {
        create(&db, table).await;
    }
    fill(&db, "t", ROWS).await;
    fill(&db, "s", 1).await;
    let row = entry("r".into(), VALUE.into());
    db.mutate_row("s", row).await.unwrap();
}

async fn create(db: &GrpcBackend, table: &str) {
    let schema = TableSchema {
        table: table.to_owned(),
        families: [("f".to_owned(), FamilySchema::default())].into(),
        ..TableSchema::default()
    };
    db.tables().create(schema, Vec::new()).await.unwrap();
}

fn entry(key: Bytes, value: Bytes) -> RowMutations {
    let set = Mutation::SetCell {
        family: "f".into(),
        qualifier: "q".into(),
        timestamp_micros: 0,
        value,
    };
    RowMutations {
        key,
        mutations: vec![set],
    }
}

async fn fill(db: &GrpcBackend, table: &str, rows: u32) {
    let keys = (0..rows).map(|number| format!("p{number:08}"));
    let rows: Vec<_> = keys.map(|key| entry(key.into(), VALUE.into())).collect();
    for rows in rows.chunks(10_000) {
        let outcomes = db
            .mutate_rows(table, EntryBatch::of(rows.iter().cloned()))
            .await
            .unwrap();
        assert!(outcomes.iter().all(Result::is_ok));
    }
}

/// Reads without keeping anything.
async fn read(db: &GrpcBackend, table: &str, rows: RowSet, filter: Option<RowFilter>) {
    let mut rows = db
        .read_rows(ReadRows {
            table: table.to_owned(),
            rows,
            filter,
            ..ReadRows::default()
        })
        .rows();
    while let Some(row) = rows.next().await {
        row.unwrap();
    }
}

fn nothing(_: GrpcBackend) -> BoxFuture<'static, ()> {
    Box::pin(async {})
}

fn idle(_: GrpcBackend) -> BoxFuture<'static, ()> {
    Box::pin(async { tokio::time::sleep(IDLE).await })
}

fn chain(db: GrpcBackend) -> BoxFuture<'static, ()> {
    let regexes = (0..700).map(|number| RowFilter::ValueRegex(format!("a+0|b{number}").into()));
    let filter = RowFilter::Chain(regexes.collect());
    Box::pin(async move { read(&db, "t", RowSet::all(), Some(filter)).await })
}

fn scan(db: GrpcBackend) -> BoxFuture<'static, ()> {
    Box::pin(async move { read(&db, "t", RowSet::all(), None).await })
}

fn keys_only(db: GrpcBackend) -> BoxFuture<'static, ()> {
    let filters = vec![RowFilter::CellsPerRowLimit(1), RowFilter::StripValue];
    let filter = RowFilter::Chain(filters);
    Box::pin(async move { read(&db, "t", RowSet::all(), Some(filter)).await })
}

fn by_regex(db: GrpcBackend) -> BoxFuture<'static, ()> {
    let filter = RowFilter::ValueRegex("a+0".into());
    Box::pin(async move { read(&db, "t", RowSet::all(), Some(filter)).await })
}

/// The emulator takes it too: its limit is on a message.
fn large_row(db: GrpcBackend) -> BoxFuture<'static, ()> {
    Box::pin(async move {
        let part = Bytes::from(vec![b'x'; 83_000_000]);
        let set = |qualifier: &'static str| Mutation::SetCell {
            family: "f".into(),
            qualifier: qualifier.into(),
            timestamp_micros: 0,
            value: part.clone(),
        };
        let row = RowMutations {
            key: "r".into(),
            mutations: vec![set("a"), set("b"), set("c")],
        };
        if let Err(status) = db.mutate_row("large", row).await {
            println!("  refused: {status}");
        }
    })
}

fn read_large_row(db: GrpcBackend) -> BoxFuture<'static, ()> {
    Box::pin(async move {
        let mut rows = db
            .read_rows(ReadRows {
                table: "large".to_owned(),
                rows: RowSet::key("r"),
                ..ReadRows::default()
            })
            .rows();
        if let Some(Err(status)) = rows.next().await {
            println!("  refused: {status}");
        }
    })
}

fn appends(db: GrpcBackend) -> BoxFuture<'static, ()> {
    let rule = ReadModifyWriteRule {
        family: "f".into(),
        qualifier: "q".into(),
        action: RuleAction::Append(vec![b'x'; 1_000].into()),
    };
    let request = ReadModifyWriteRow {
        table: "large".to_owned(),
        key: "appended".into(),
        rules: vec![rule; 100_000],
    };
    Box::pin(async move {
        if let Err(status) = db.read_modify_write_row(request).await {
            println!("  refused: {status}");
        }
    })
}

fn fill_dropped(db: GrpcBackend) -> BoxFuture<'static, ()> {
    Box::pin(async move {
        if !db
            .tables()
            .list()
            .await
            .unwrap()
            .contains(&"dropped".to_owned())
        {
            create(&db, "dropped").await;
        }
        fill(&db, "dropped", DROPPED).await;
    })
}

fn delete_table(db: GrpcBackend) -> BoxFuture<'static, ()> {
    Box::pin(async move { db.tables().delete("dropped").await.unwrap() })
}

fn drop_rows(db: GrpcBackend) -> BoxFuture<'static, ()> {
    let rows = bigtable_model::data::RowDeletion::Prefix("p".into());
    Box::pin(async move { db.tables().drop_rows("dropped", rows).await.unwrap() })
}
