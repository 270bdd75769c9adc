//! Connections that are cut after every byte, on the way up and on the way down.
//!
//! Every 97th byte, or every one with `BIGTABLE_MODEL_NIGHTLY=1`.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings, RetrySettings};
use bigtable_model::data::{
    EntryBatch, FamilySchema, ReadModifyWriteRow, ReadModifyWriteRule, ReadRows, RowRange, RowSet,
    RuleAction, TableSchema,
};
use bigtable_model::server::{Server, ServerOptions};
use bigtable_model::{Backend, MemoryBackend};
use bigtable_model_tests::runs::nightly;
use futures::TryStreamExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::fixture::{TABLE, row, set};

/// Where the first connection is cut.
#[derive(Debug, Clone, Copy)]
struct Cut {
    up: usize,
    down: usize,
}

/// Passes bytes on, and cuts the first connection.
struct Wire {
    address: SocketAddr,
    /// Bytes of the first connection, up and down.
    passed: Arc<[AtomicUsize; 2]>,
    connections: Arc<AtomicUsize>,
}

impl Wire {
    async fn to(server: SocketAddr, cut: Cut) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let passed: Arc<[AtomicUsize; 2]> = Arc::default();
        let connections = Arc::new(AtomicUsize::new(0));
        let (count, bytes) = (Arc::clone(&connections), Arc::clone(&passed));
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let first = count.fetch_add(1, Ordering::SeqCst) == 0;
                let far = TcpStream::connect(server).await.unwrap();
                let none = usize::MAX;
                let most = if first {
                    [cut.up, cut.down]
                } else {
                    [none, none]
                };
                let bytes = Arc::clone(&bytes);
                tokio::spawn(async move {
                    let (near, far) = (near.into_split(), far.into_split());
                    // Both ends are closed as soon as one way has passed its bytes.
                    tokio::select! {
                        () = pass(near.0, far.1, most[0], &bytes[0], first) => {}
                        () = pass(far.0, near.1, most[1], &bytes[1], first) => {}
                    }
                });
            }
        });
        Self {
            address,
            passed,
            connections,
        }
    }
}

async fn pass(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    most: usize,
    passed: &AtomicUsize,
    counted: bool,
) {
    let mut left = most;
    let mut buffer = vec![0; 16 << 10];
    while left > 0 {
        let Ok(read @ 1..) = from.read(&mut buffer).await else {
            return;
        };
        let now = read.min(left);
        if counted {
            passed.fetch_add(now, Ordering::SeqCst);
        }
        if to.write_all(&buffer[..now]).await.is_err() {
            return;
        }
        left -= now;
    }
}

fn client(address: SocketAddr) -> GrpcBackend {
    let hasty = RetrySettings {
        first_delay: Duration::from_millis(1),
        max_delay: Duration::from_millis(2),
        ..RetrySettings::default()
    };
    let settings = GrpcSettings::new("p", "i").emulator(address.to_string());
    GrpcBackend::new(&settings.retry(hasty)).unwrap()
}

/// A write, a read and an increment over one client, all in rows with this prefix.
async fn exercise(db: &GrpcBackend, memory: &MemoryBackend, name: &str) {
    let keys: Vec<_> = (0..3).map(|number| format!("{name}#{number}")).collect();
    let rows = keys
        .iter()
        .map(|key| row(key, vec![set("f", "q", 1000, "v")]));
    let outcomes = db.mutate_rows(TABLE, EntryBatch::of(rows)).await.unwrap();
    assert!(outcomes.iter().all(Result::is_ok), "{name}: {outcomes:?}");
    let request = ReadRows {
        table: TABLE.to_owned(),
        rows: RowSet::range(RowRange::prefix(format!("{name}#"))),
        ..ReadRows::default()
    };
    let read: Vec<_> = db.read_rows(request).rows().try_collect().await.unwrap();
    let read: Vec<_> = read.iter().map(|row| &*row.key).collect();
    let expected: Vec<_> = keys.iter().map(String::as_bytes).collect();
    assert_eq!(read, expected, "{name}");
    let counter = format!("{name}+");
    let increment = ReadModifyWriteRow {
        table: TABLE.to_owned(),
        key: counter.clone().into(),
        rules: vec![ReadModifyWriteRule {
            family: "f".into(),
            qualifier: "n".into(),
            action: RuleAction::Increment(1),
        }],
    };
    // It is sent once: it may be lost, and is never applied twice.
    let answer = db.read_modify_write_row(increment).await;
    let request = ReadRows {
        table: TABLE.to_owned(),
        rows: RowSet::key(counter),
        ..ReadRows::default()
    };
    // A request that the client has given up may still arrive.
    let stored: Vec<_> = memory
        .read_rows(request)
        .rows()
        .try_collect()
        .await
        .unwrap();
    let stored = stored.first().map(|row| row.cells[0].value.clone());
    let one = 1_i64.to_be_bytes().to_vec().into();
    match answer {
        Ok(_) => assert_eq!(stored, Some(one), "{name}"),
        Err(_) => assert!(stored.is_none_or(|stored| stored == one), "{name}"),
    }
}

#[tokio::test]
async fn operations_survive_a_cut_after_every_byte() {
    let memory = MemoryBackend::new();
    let families = [("f".to_owned(), FamilySchema::default())].into();
    let schema = TableSchema {
        table: TABLE.to_owned(),
        families,
        ..TableSchema::default()
    };
    memory.tables().create(schema, Vec::new()).await.unwrap();
    let shared: Arc<dyn Backend> = Arc::new(memory.clone());
    let options = ServerOptions::default();
    let server = Server::bind("127.0.0.1:0", shared, &options).await.unwrap();
    let address = server.local_addr();
    tokio::spawn(server.serve());

    let never = usize::MAX;
    let whole = Wire::to(
        address,
        Cut {
            up: never,
            down: never,
        },
    )
    .await;
    exercise(&client(whole.address), &memory, "whole").await;
    assert_eq!(whole.connections.load(Ordering::SeqCst), 1);
    let [up, down] = [0, 1].map(|way: usize| whole.passed[way].load(Ordering::SeqCst));
    let step = nightly(1, 97);
    let cuts_up = (0..up).step_by(step).map(|up| Cut { up, down: never });
    let cuts_down = (0..down).step_by(step).map(|down| Cut { up: never, down });
    let mut again = 0;
    for (number, cut) in cuts_up.chain(cuts_down).enumerate() {
        let wire = Wire::to(address, cut).await;
        exercise(&client(wire.address), &memory, &format!("cut-{number}")).await;
        again += usize::from(wire.connections.load(Ordering::SeqCst) > 1);
    }
    let cuts = up.div_ceil(step) + down.div_ceil(step);
    eprintln!("{cuts} cuts in {up} bytes up and {down} bytes down, {again} connected again");
    assert!(again > cuts / 2, "{again} of {cuts}");
}
