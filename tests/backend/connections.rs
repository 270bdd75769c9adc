//! Broken connections and restarted servers.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bigtable_model::backend::grpc::{CallOptions, GrpcBackend, GrpcSettings};
use bigtable_model::{Backend, Code};
use futures::{FutureExt, StreamExt};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::fixture::{TABLE, all, row, set};
use crate::scripted::{Scripted, Step, serve};
use crate::scripted_calls::{begin, commit, read, send};

/// A proxy between a client and a server that cuts every connection on demand.
struct Wire {
    address: SocketAddr,
    cut: watch::Sender<usize>,
    connections: Arc<AtomicUsize>,
}

impl Wire {
    async fn to(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (cut, seen) = watch::channel(0);
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                let mut far = TcpStream::connect(&server).await.unwrap();
                let mut seen = seen.clone();
                seen.mark_unchanged();
                tokio::spawn(async move {
                    tokio::select! {
                        _ = copy_bidirectional(&mut near, &mut far) => {}
                        _ = seen.changed() => {}
                    }
                });
            }
        });
        Self {
            address,
            cut,
            connections,
        }
    }

    fn cut(&self) {
        self.cut.send_modify(|cuts| *cuts += 1);
    }
}

async fn start() -> (Arc<Scripted>, Wire, GrpcBackend) {
    let server = Arc::new(Scripted::default());
    let wire = Wire::to(serve(&server)).await;
    let settings = GrpcSettings::new("p", "i").emulator(wire.address.to_string());
    (server, wire, GrpcBackend::new(&settings).unwrap())
}

#[tokio::test]
async fn a_broken_connection_is_unavailable() {
    let (server, wire, backend) = start().await;
    let backend = backend
        .with_options(CallOptions::new().without_retries())
        .unwrap();
    server
        .read_rows
        .script([send([commit(begin("a", "1", 0))]), Step::Hang]);
    let mut rows = backend.read_rows(all()).rows();
    assert!(rows.next().await.unwrap().is_ok());
    wire.cut();
    let error = rows.next().await.unwrap().unwrap_err();
    assert_eq!(error.code, Code::Unavailable, "{error}");

    server.mutate_row.script([Step::Hang]);
    let one = row("k", vec![set("f", "q", 1000, "v")]);
    let write = backend.mutate_row(TABLE, one);
    let cut = async {
        while server.mutate_row.seen().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        wire.cut();
    };
    let (result, ()) = tokio::join!(write, cut);
    let error = result.unwrap_err();
    assert_eq!(error.code, Code::Unavailable, "{error}");
}

#[tokio::test]
async fn operations_survive_broken_connections() {
    let (server, wire, backend) = start().await;
    server
        .read_rows
        .script([send([commit(begin("a", "1", 0))]), Step::Hang]);
    server
        .read_rows
        .script([send([commit(begin("b", "1", 0))])]);
    let mut rows = backend.read_rows(all()).rows();
    assert_eq!(rows.next().await.unwrap().unwrap().key, "a");
    wire.cut();
    assert_eq!(rows.next().await.unwrap().unwrap().key, "b");
    assert!(rows.next().await.is_none());
    assert_eq!(server.read_rows.seen().len(), 2);
    assert_eq!(wire.connections.load(Ordering::SeqCst), 2);

    wire.cut();
    tokio::time::sleep(Duration::from_millis(20)).await;
    server.read_rows.script([]);
    assert!(read(&backend).await.unwrap().is_empty());
    assert_eq!(wire.connections.load(Ordering::SeqCst), 3);
}

/// The process need not be restarted after its server was.
#[tokio::test]
async fn a_server_that_was_restarted_is_found_again() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let settings = GrpcSettings::new("p", "i").emulator(address.to_string());
    let backend = GrpcBackend::new(&settings).unwrap();
    for _ in 0..3 {
        // The server's tasks and connections end with its runtime.
        let (stop, stopped) = std::sync::mpsc::channel::<()>();
        let serving = std::thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            let server = runtime.block_on(async { Scripted::start_at(address) });
            stopped.recv().unwrap();
            server.mutate_row.seen().len()
        });
        for _ in 0..3 {
            let one = row("k", vec![set("f", "q", 1000, "v")]);
            backend.mutate_row(TABLE, one).await.unwrap();
        }
        stop.send(()).unwrap();
        assert_eq!(serving.join().unwrap(), 3);
    }
}

/// Its timers and its connections are gone.
#[test]
fn a_read_whose_runtime_has_ended_is_an_error() {
    let begun = || {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let (server, backend) = Scripted::start().await;
            let row = send([commit(begin("a", "1", 0))]);
            server.read_rows.script([row, Step::Hang]);
            let mut rows = backend.read_rows(all()).rows();
            rows.next().await.unwrap().unwrap();
            rows
        })
    };
    let (mut one, mut other) = (begun(), begun());
    let ended = [
        one.next().now_or_never().unwrap(),
        tokio::runtime::Runtime::new()
            .unwrap()
            .block_on(other.next()),
    ];
    for ended in ended {
        let error = ended.unwrap().unwrap_err();
        assert_eq!(error.code, Code::FailedPrecondition, "{error}");
        assert!(error.message.contains("has ended"), "{error}");
    }
}
