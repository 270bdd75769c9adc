//! Our client compared with bigtable_rs and with plain tonic and prost.
//!
//! `cargo bench -p bigtable-model-tests --bench client`
//!
//! The server is a separate process that sends messages encoded in advance, so the benchmark
//! measures the client: this process, with one thread and one connection for each client. The
//! second part runs on Google's emulator. An argument selects the comparisons whose title contains
//! it.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a benchmark may panic"
)]

#[path = "client/clients.rs"]
mod clients;
#[path = "client/events.rs"]
mod events;
#[path = "client/floor.rs"]
mod floor;
mod support;

use std::env;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};

use bigtable_model::BackendExt as _;
use bigtable_model::backend::Backend as _;
use bigtable_model::data::RowDeletion;
use bigtable_model_tests::canned::{Canned, message};
use bigtable_model_tests::emulator::Emulator;
use clients::Clients;
use events::{Event, Payload, Trade, canned};
use futures::{StreamExt as _, stream};
use support::{compare, measuring, way};
use tokio::runtime::{Builder, Runtime};

/// Set if this program runs as the server.
const SERVE: &str = "BIGTABLE_MODEL_BENCH_SERVE";

const ROWS_A_MESSAGE: usize = 1_000;

/// The number of rows of 100 bytes, and of 1,000.
const SMALL: u32 = 100_000;
const LARGE: u32 = 30_000;

const ROUNDS: usize = 21;

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn samples<E: Event>(rows: u32, bytes: usize) -> Vec<E> {
    (0..rows).map(|number| E::sample(number, bytes)).collect()
}

/// A server of these events.
fn server<E: Event>(rows: u32, bytes: usize) -> Canned {
    let events = samples::<E>(rows, bytes);
    let messages = events.chunks(ROWS_A_MESSAGE);
    let messages: Vec<_> = messages
        .map(|rows| message("MD", rows.iter().map(canned)))
        .collect();
    Canned::new(move || stream::iter(messages.clone()).boxed())
}

/// Serves until the standard input ends, which it does with the parent process.
fn serve() {
    std::thread::spawn(|| {
        runtime().block_on(async {
            println!("{}", server::<Payload>(SMALL, 100).start());
            println!("{}", server::<Trade>(SMALL, 100).start());
            println!("{}", server::<Payload>(LARGE, 1_000).start());
            std::future::pending::<()>().await;
        });
    });
    let _ = std::io::stdin().read(&mut [0]);
}

struct Served {
    process: Child,
    addresses: [String; 3],
}

impl Served {
    fn start() -> Self {
        let mut process = Command::new(env::current_exe().unwrap())
            .env(SERVE, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        Self {
            addresses: [(); 3].map(|()| lines.next().unwrap().unwrap()),
            process,
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// Whether the arguments select this comparison.
fn wanted(title: &str) -> bool {
    let mut words = env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'));
    let first = words.next();
    first.is_none_or(|word| title.contains(&word))
}

fn scans<E: Event>(title: &str, clients: &Clients<'_>, rows: u32, floor: f64) {
    if !wanted(title) {
        return;
    }
    let chunks = rows as usize * E::sample(0, 100).cells().len();
    let [theirs, bare, sharing, _, _, typed] = compare(
        title,
        rows,
        ROUNDS,
        [
            way("bigtable_rs, mapped by hand", || clients.by_hand::<E>(rows)),
            way("tonic and prost alone", || clients.bare::<E>(chunks)),
            way("tonic and prost alone, bytes shared", || {
                clients.bare_sharing::<E>(chunks)
            }),
            way("ours, rows", || clients.rows::<E>(rows)),
            way("ours, batches", || clients.batches::<E>(rows)),
            way("ours, typed", || clients.typed::<E>(rows)),
        ],
    );
    println!(
        "  typed: {:.2} of bigtable_rs (at least {floor}), {:.2} of tonic alone (at least 0.9), {:.2} with bytes shared",
        theirs / typed,
        bare / typed,
        sharing / typed
    );
}

fn writes<E: Event>(title: &str, goal: f64, clients: &Clients<'_>, events: &[E]) {
    if !wanted(title) {
        return;
    }
    let requests = floor::requests(events);
    let [theirs, _, ours] = compare(
        title,
        events.len() as u32,
        ROUNDS,
        [
            way("bigtable_rs, made by hand", || {
                clients.insert_by_hand(events)
            }),
            way("tonic alone, encoded in advance", || {
                clients.send_encoded(&requests)
            }),
            way("ours, insert_many", || clients.insert(events)),
        ],
    );
    println!("  {:.2} of bigtable_rs (at least {goal})", theirs / ours);
}

/// Writes and scans on a server with real tables, which take most of the time.
fn on_the_emulator(runtime: &Runtime) {
    let Some(emulator) = Emulator::start() else {
        return;
    };
    let clients = Clients::new(runtime, emulator.address());
    let events = samples::<Payload>(20_000, 100);
    let table = clients.ours.ensure_tables::<Payload>();
    clients.block_on(table).unwrap();
    let empty = |clients: &Clients<'_>| {
        let all = clients.ours.tables().drop_rows("PAYLOAD", RowDeletion::All);
        clients.block_on(all).unwrap();
    };
    compare(
        "on the emulator: insert, an event of 100 bytes",
        20_000,
        9,
        [
            way("bigtable_rs, made by hand", || {
                empty(&clients);
                clients.insert_by_hand(&events)
            }),
            way("ours, insert_many (at least 1)", || {
                empty(&clients);
                clients.insert(&events)
            }),
        ],
    );
    compare(
        "on the emulator: scan, an event of 100 bytes",
        20_000,
        15,
        [
            way("bigtable_rs, mapped by hand", || {
                clients.by_hand::<Payload>(20_000)
            }),
            way("ours, typed (at least 1)", || {
                clients.typed::<Payload>(20_000)
            }),
        ],
    );
}

fn main() {
    if env::var_os(SERVE).is_some() {
        return serve();
    }
    if !measuring() {
        return;
    }
    let served = Served::start();
    let runtime = runtime();
    let clients = served.addresses.each_ref();
    let [small, columns, large] = clients.map(|address| Clients::new(&runtime, address));
    scans::<Payload>("scan, 100 bytes in one column", &small, SMALL, 1.8);
    scans::<Trade>("scan, 100 bytes in five columns", &columns, SMALL, 2.0);
    scans::<Payload>("scan, 1,000 bytes in one column", &large, LARGE, 1.4);
    let events = samples::<Payload>(SMALL, 100);
    writes("insert, 100 bytes in one column", 1.5, &small, &events);
    let events = samples::<Trade>(SMALL, 100);
    writes("insert, 100 bytes in five columns", 2.0, &columns, &events);
    let events = samples::<Payload>(LARGE, 1_000);
    writes("insert, 1,000 bytes in one column", 1.2, &large, &events);
    if wanted("on the emulator") {
        on_the_emulator(&runtime);
    }
}
