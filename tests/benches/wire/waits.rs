//! The waiting time of a client that reads one row while another sends the worst requests within
//! the limits, one after another.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use bigtable_model::backend::grpc::{CallOptions, GrpcBackend, GrpcSettings, RequestLimits};
use bigtable_model::data::{
    CheckAndMutateRow, EntryBatch, Mutation, ReadRows, RowFilter, RowMutations, RowSet,
};
use bigtable_model::{Backend, Status};
use bytes::Bytes;
use futures::TryStreamExt as _;
use futures::future::BoxFuture;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;

use crate::{Client, FAMILY, Ours, QUALIFIER, TABLE};

/// The time for which each kind of request is sent.
const SPAN: Duration = Duration::from_secs(4);
/// The pause between two measured reads.
const PAUSE: Duration = Duration::from_millis(2);

const COLUMNS: u32 = 500_000;
const MUTATIONS: u32 = 100_000;
const KEYS: u32 = 260_000;

type Heavy = fn(GrpcBackend) -> BoxFuture<'static, Result<(), Status>>;

const REQUESTS: [(&str, Option<Heavy>); 11] = [
    ("nothing", None),
    ("a cell doubled 16 times, 900 regexes", Some(doubled)),
    ("the same as a predicate", Some(predicate)),
    (
        "900 regexes over 500,000 columns",
        Some(|db| read(db, "wide", Some(regexes()))),
    ),
    (
        "500,000 columns twice",
        Some(|db| read(db, "wide", Some(both()))),
    ),
    ("500,000 columns", Some(|db| read(db, "wide", None))),
    (
        "a regex of 1,800 states over 20 MB",
        Some(|db| read(db, "long", Some(states()))),
    ),
    (
        "regexes as large as they may be",
        Some(|db| read(db, "small", Some(large()))),
    ),
    ("260,000 keys", Some(keys)),
    ("a bulk write of 100,000 rows", Some(bulk)),
    ("100,000 changes of a row", Some(changes)),
];

fn both() -> RowFilter {
    RowFilter::Interleave(vec![RowFilter::PassAll; 2])
}

fn regexes() -> RowFilter {
    let regexes = (0..900).map(|number| RowFilter::ValueRegex(format!("a+{number}").into()));
    RowFilter::Interleave(regexes.collect())
}

fn doubling() -> RowFilter {
    let mut filters = vec![both(); 16];
    filters.push(regexes());
    RowFilter::Chain(filters)
}

fn states() -> RowFilter {
    RowFilter::ValueRegex("(a|b)*a(a|b){900}".into())
}

/// The last one is too much, which is known only after the others were compiled.
fn large() -> RowFilter {
    let one = RowFilter::ValueRegex(Bytes::from_static(b"(.a){499}"));
    RowFilter::Interleave(vec![one; 500])
}

fn read(
    db: GrpcBackend,
    key: &'static str,
    filter: Option<RowFilter>,
) -> BoxFuture<'static, Result<(), Status>> {
    let request = ReadRows {
        table: TABLE.to_owned(),
        rows: RowSet::key(key),
        filter,
        ..ReadRows::default()
    };
    Box::pin(async move {
        db.read_rows(request)
            .rows()
            .try_for_each(|_| async { Ok(()) })
            .await
    })
}

fn doubled(db: GrpcBackend) -> BoxFuture<'static, Result<(), Status>> {
    read(db, "small", Some(doubling()))
}

fn predicate(db: GrpcBackend) -> BoxFuture<'static, Result<(), Status>> {
    let request = CheckAndMutateRow {
        table: TABLE.to_owned(),
        key: "small".into(),
        predicate: Some(doubling()),
        if_true: Vec::new(),
        if_false: vec![set(QUALIFIER, Bytes::new())],
    };
    Box::pin(async move { db.check_and_mutate_row(request).await.map(|_| ()) })
}

fn number(at: u32) -> Bytes {
    // In random order.
    format!("{:06}", at.wrapping_mul(7_919) % 1_000_003).into()
}

fn keys(db: GrpcBackend) -> BoxFuture<'static, Result<(), Status>> {
    let rows = RowSet {
        keys: (0..KEYS).map(number).collect(),
        ..RowSet::default()
    };
    let request = ReadRows {
        table: TABLE.to_owned(),
        rows,
        ..ReadRows::default()
    };
    Box::pin(async move {
        db.read_rows(request)
            .rows()
            .try_for_each(|_| async { Ok(()) })
            .await
    })
}

fn set(qualifier: Bytes, value: Bytes) -> Mutation {
    Mutation::SetCell {
        family: FAMILY,
        qualifier,
        timestamp_micros: 0,
        value,
    }
}

fn bulk(db: GrpcBackend) -> BoxFuture<'static, Result<(), Status>> {
    let entry = |at| RowMutations {
        key: number(at),
        mutations: vec![set(QUALIFIER, Bytes::new())],
    };
    let rows = (0..MUTATIONS).map(entry);
    Box::pin(async move {
        db.mutate_rows(TABLE, EntryBatch::of(rows))
            .await
            .map(|_| ())
    })
}

fn changes(db: GrpcBackend) -> BoxFuture<'static, Result<(), Status>> {
    let mutations = (0..MUTATIONS).map(|at| set(number(at), Bytes::new()));
    let row = RowMutations {
        key: "changed".into(),
        mutations: mutations.collect(),
    };
    Box::pin(async move { db.mutate_row(TABLE, row).await })
}

/// A client that sends anything.
fn careless(address: &str) -> GrpcBackend {
    let limits = RequestLimits {
        checked: false,
        row_set_bytes: usize::MAX,
        ..RequestLimits::default()
    };
    let settings = GrpcSettings::new("p", "i").emulator(address).limits(limits);
    let patience = Duration::from_secs(600);
    let options = CallOptions::new()
        .deadline(patience)
        .attempt_deadline(patience)
        .read_rows_idle(patience);
    let db = GrpcBackend::new(&settings).unwrap();
    db.with_options(options.without_retries()).unwrap()
}

async fn fill(db: &GrpcBackend) {
    for first in (0..COLUMNS).step_by(100_000) {
        let names = first..first + 100_000;
        let cells = names.map(|at| set(format!("{at:06}").into(), Bytes::new()));
        write(db, "wide", cells.collect()).await;
    }
    write(db, "small", vec![set(QUALIFIER, "aaaaaaaaaa0".into())]).await;
    write(db, "asked", vec![set(QUALIFIER, "x".into())]).await;
    let mut state = 1_u32;
    let mixed = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if state >> 31 == 0 { b'a' } else { b'b' }
    });
    let long: Vec<_> = mixed.take(20 << 20).collect();
    write(db, "long", vec![set(QUALIFIER, long.into())]).await;
}

async fn write(db: &GrpcBackend, key: &'static str, mutations: Vec<Mutation>) {
    let key = key.into();
    let row = RowMutations { key, mutations };
    db.mutate_row(TABLE, row).await.unwrap();
}

/// Sends requests of one kind from its own thread until it is dropped.
struct Sender {
    stop: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
    ended: Arc<AtomicU32>,
}

impl Sender {
    fn start(address: &str, request: Heavy) -> Self {
        let db = careless(address);
        let (stop, mut stopped) = oneshot::channel();
        let ended = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&ended);
        let thread = thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                loop {
                    tokio::select! {
                        // Refused requests were processed too.
                        _ = request(db.clone()) => count.fetch_add(1, Ordering::Relaxed),
                        _ = &mut stopped => break,
                    };
                }
            });
        });
        Self {
            stop: Some(stop),
            thread: Some(thread),
            ended,
        }
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Prints for each kind of request the time of a concurrent read of one row.
pub(crate) fn measure(runtime: &Runtime, server: &Ours) {
    let client = Client::new(runtime, server.address());
    runtime.block_on(async {
        client.create(TABLE).await;
        fill(&careless(server.address())).await;
    });
    println!("\nread_rows of one row beside another client's requests (at most 100 ms)");
    for (name, request) in REQUESTS {
        let sender = request.map(|request| Sender::start(server.address(), request));
        let mut waits = runtime.block_on(waits(&client.db));
        let ended = sender
            .as_ref()
            .map_or(0, |sender| sender.ended.load(Ordering::Relaxed));
        drop(sender);
        waits.sort_unstable();
        let at = |share: usize| waits.get((waits.len() - 1) * share / 100).copied();
        let millis = |share| at(share).unwrap_or_default().as_secs_f64() * 1e3;
        println!(
            "  {name:<38} median {:>6.1} ms, 99 % {:>6.1} ms, most {:>6.1} ms   {ended} ended, memory {} MB",
            millis(50),
            millis(99),
            millis(100),
            server.memory()
        );
    }
}

async fn waits(db: &GrpcBackend) -> Vec<Duration> {
    let begun = Instant::now();
    let mut waits = Vec::new();
    while begun.elapsed() < SPAN {
        let request = ReadRows {
            table: TABLE.to_owned(),
            rows: RowSet::key("asked"),
            ..ReadRows::default()
        };
        let sent = Instant::now();
        let rows: Vec<_> = db.read_rows(request).rows().try_collect().await.unwrap();
        waits.push(sent.elapsed());
        assert_eq!(rows.len(), 1);
        tokio::time::sleep(PAUSE).await;
    }
    waits
}
