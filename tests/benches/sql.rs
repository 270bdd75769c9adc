//! A SQL query compared with a typed read of the same data: 100,000 rows of five columns.
//!
//! `cargo bench -p bigtable-model-tests --bench sql`
//!
//! The server is a separate process that sends messages encoded in advance, so the benchmark
//! measures the client: this process, with one thread and one connection for each client.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::panic,
    reason = "a benchmark may panic"
)]

#[path = "client/events.rs"]
#[allow(dead_code, reason = "another benchmark writes events too")]
mod events;
mod support;

use std::env;
use std::hint::black_box;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};

use bigtable_model::SqlExt as _;
use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings, wire};
use bigtable_model_tests::canned::{Canned, message};
use bigtable_rs::bigtable::{BigTable, BigTableConnection};
use bigtable_rs::google::bigtable::v2 as published;
use bytes::Bytes;
use criterion::Criterion;
use events::{Event, Trade, canned};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use prost::Message as _;
use serde::Deserialize;
use support::{compare, measuring, timed, way};
use tokio::runtime::{Builder, Runtime};

/// Set if this program runs as the server.
const SERVE: &str = "BIGTABLE_MODEL_BENCH_SERVE";

const ROWS: u32 = 100_000;
const ROWS_A_MESSAGE: usize = 1_000;
const ROUNDS: usize = 21;

const SQL: &str = "SELECT _key, ask, ask_size, bid, bid_size, condition FROM TRADE";

/// A trade as a row of the query: values of SQL types, and the raw row key.
#[derive(Debug, Deserialize)]
struct Row {
    #[serde(rename = "_key")]
    key: String,
    ask: f64,
    ask_size: u32,
    bid: f64,
    bid_size: u32,
    condition: String,
}

impl Row {
    /// A number computed from all columns, so none is optimized away.
    fn checksum(&self) -> u64 {
        let sizes = u64::from(self.ask_size) + u64::from(self.bid_size);
        let lengths = self.key.len() + self.condition.len();
        sizes + lengths as u64 + (self.ask + self.bid) as u64
    }
}

fn plan() -> Bytes {
    use wire::SqlTypeKind as Kind;
    let empty = wire::Empty {};
    let columns = [
        ("_key", Kind::Bytes(empty)),
        ("ask", Kind::Float64(empty)),
        ("ask_size", Kind::Int64(empty)),
        ("bid", Kind::Float64(empty)),
        ("bid_size", Kind::Int64(empty)),
        ("condition", Kind::String(empty)),
    ];
    let column = |(name, kind): (&str, Kind)| wire::ColumnMetadata {
        name: name.to_owned(),
        r#type: Some(wire::SqlType { kind: Some(kind) }),
    };
    let schema = wire::ProtoSchema {
        columns: columns.into_iter().map(column).collect(),
    };
    let metadata = wire::ResultSetMetadata {
        proto_schema: Some(schema),
    };
    let plan = wire::PrepareQueryResponse {
        metadata: metadata.encode_to_vec().into(),
        prepared_query: "plan".into(),
        valid_until: None,
    };
    plan.encode_to_vec().into()
}

/// A row's values, from an event.
fn values(event: &Trade) -> impl Iterator<Item = wire::SqlValue> {
    use wire::SqlValueKind as Kind;
    let eight = |value: &[u8]| -> [u8; 8] { value.try_into().unwrap() };
    let cells = event
        .cells()
        .into_iter()
        .map(move |(name, value)| match name {
            "ASK" | "BID" => Kind::Float(f64::from_be_bytes(eight(&value))),
            "CONDITION" => Kind::String(String::from_utf8(value).unwrap()),
            _ => Kind::Int(i64::from_be_bytes(eight(&value))),
        });
    let key = Kind::Bytes(canned(event).key);
    let kinds = [key].into_iter().chain(cells);
    kinds.map(|kind| wire::SqlValue {
        r#type: None,
        kind: Some(kind),
    })
}

/// A batch in one message with its token.
fn batch(trades: &[Trade]) -> Bytes {
    let values = trades.iter().flat_map(values).collect();
    let data: Bytes = wire::ProtoRows { values }.encode_to_vec().into();
    let part = wire::PartialResultSet {
        batch_checksum: Some(crc32c::crc32c(&data)),
        proto_rows_batch: Some(wire::ProtoRowsBatch { batch_data: data }),
        resume_token: "token".into(),
        ..wire::PartialResultSet::default()
    };
    let response = wire::ExecuteQueryResponse {
        response: Some(wire::ExecuteQueryAnswer::Results(part)),
    };
    response.encode_to_vec().into()
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// Serves until the standard input ends, which it does with the parent process.
fn serve() {
    std::thread::spawn(|| {
        runtime().block_on(async {
            let trades: Vec<_> = (0..ROWS).map(|number| Trade::sample(number, 100)).collect();
            let parts = || trades.chunks(ROWS_A_MESSAGE);
            let reads: Vec<_> = parts()
                .map(|rows| message("MD", rows.iter().map(canned)))
                .collect();
            let queries: Vec<_> = parts().map(batch).collect();
            let server = Canned::new(move || stream::iter(reads.clone()).boxed())
                .with_queries(plan(), move || stream::iter(queries.clone()).boxed());
            println!("{}", server.start());
            std::future::pending::<()>().await;
        });
    });
    let _ = std::io::stdin().read(&mut [0]);
}

struct Served {
    process: Child,
    address: String,
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
            address: lines.next().unwrap().unwrap(),
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

async fn read(db: &GrpcBackend) -> u64 {
    let mut trades = Trade::stream(db);
    let (mut count, mut sum) = (0, 0);
    while let Some(trade) = trades.try_next().await.unwrap() {
        count += 1;
        sum += black_box(trade).checksum();
    }
    assert_eq!(count, ROWS);
    sum
}

async fn query(db: &GrpcBackend) -> u64 {
    let mut rows = db.sql(SQL).stream::<Row>();
    let (mut count, mut sum) = (0, 0);
    while let Some(row) = rows.try_next().await.unwrap() {
        count += 1;
        sum += black_box(row).checksum();
    }
    assert_eq!(count, ROWS);
    sum
}

async fn query_untyped(db: &GrpcBackend) -> u64 {
    let mut rows = db.sql(SQL).rows().await.unwrap();
    let mut count = 0;
    while let Some(row) = rows.try_next().await.unwrap() {
        count += 1;
        black_box(row);
    }
    assert_eq!(count, ROWS);
    u64::from(count)
}

/// Code with bigtable_rs, which returns the messages as they arrive, without checking checksums or
/// tokens.
async fn by_hand(client: &mut BigTable) -> u64 {
    use published::value::Kind;
    let request = published::ExecuteQueryRequest {
        instance_name: "projects/p/instances/i".to_owned(),
        #[allow(deprecated, reason = "that is how it is asked for")]
        query: SQL.to_owned(),
        ..published::ExecuteQueryRequest::default()
    };
    let mut messages = client.execute_query(request).await.unwrap();
    let (mut count, mut sum) = (0, 0);
    while let Some(message) = messages.message().await.unwrap() {
        use published::execute_query_response::Response;
        use published::partial_result_set::PartialRows;
        let Some(Response::Results(part)) = message.response else {
            continue;
        };
        let Some(PartialRows::ProtoRowsBatch(batch)) = part.partial_rows else {
            continue;
        };
        let rows = published::ProtoRows::decode(&*batch.batch_data).unwrap();
        let mut values = rows.values.into_iter().map(|value| value.kind);
        while let Some(Some(Kind::BytesValue(key))) = values.next() {
            let mut next = || values.next().flatten();
            let (Some(Kind::FloatValue(ask)), Some(Kind::IntValue(ask_size))) = (next(), next())
            else {
                panic!("no ask")
            };
            let (Some(Kind::FloatValue(bid)), Some(Kind::IntValue(bid_size))) = (next(), next())
            else {
                panic!("no bid")
            };
            let Some(Kind::StringValue(condition)) = next() else {
                panic!("no condition")
            };
            count += 1;
            let row = Row {
                key: String::from_utf8(key).unwrap(),
                ask,
                ask_size: ask_size.try_into().unwrap(),
                bid,
                bid_size: bid_size.try_into().unwrap(),
                condition,
            };
            sum += black_box(row).checksum();
        }
    }
    assert_eq!(count, ROWS);
    sum
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
    let _inside = runtime.enter();
    let db = GrpcBackend::new(&GrpcSettings::new("p", "i").emulator(&served.address)).unwrap();
    let theirs = BigTableConnection::new_with_emulator(&served.address, "p", "i", false, 1, None);
    let mut theirs = theirs.unwrap().client();
    theirs.configure_inner_client(|client| client.max_decoding_message_size(256 << 20));
    let [read_rows, by_hand, _, typed] = compare(
        "a scan of five columns, 100 bytes a row",
        ROWS,
        ROUNDS,
        [
            way("typed ReadRows", || timed(|| runtime.block_on(read(&db)))),
            way("bigtable_rs, execute_query mapped by hand", || {
                timed(|| runtime.block_on(by_hand(&mut theirs)))
            }),
            way("SQL, rows", || {
                timed(|| runtime.block_on(query_untyped(&db)))
            }),
            way("SQL, structs", || timed(|| runtime.block_on(query(&db)))),
        ],
    );
    println!(
        "  structs: {:.2} of the time of ReadRows (at most 2), {:.2} of bigtable_rs",
        typed / read_rows,
        typed / by_hand
    );
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    let mut group = criterion.benchmark_group("sql");
    group.bench_function("typed ReadRows", |bencher| {
        bencher.iter(|| runtime.block_on(read(&db)));
    });
    group.bench_function("SQL, structs", |bencher| {
        bencher.iter(|| runtime.block_on(query(&db)));
    });
    group.finish();
    criterion.final_summary();
}
