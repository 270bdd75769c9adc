//! A client with several channels, one of which cannot connect.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bigtable_model::Backend;
use bigtable_model::backend::grpc::{CallOptions, GrpcBackend, GrpcSettings, PoolSettings, wire};
use bigtable_model::data::{EntryBatch, SERVER_TIME};
use futures::StreamExt;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinHandle;

use crate::fixture::{TABLE, all, row, set};
use crate::http2::Call;
use crate::scripted::{Scripted, Step, serve};
use crate::scripted_calls::{begin, commit, send};

const CHANNELS: usize = 4;
const CALLERS: usize = 12;
const CALLS: usize = 10;

/// Connects this many clients to a server. The listener is returned when they are.
fn connect(listener: TcpListener, server: String, count: usize) -> JoinHandle<TcpListener> {
    tokio::spawn(async move {
        for _ in 0..count {
            let (mut near, _) = listener.accept().await.unwrap();
            let mut far = TcpStream::connect(&server).await.unwrap();
            tokio::spawn(async move { copy_bidirectional(&mut near, &mut far).await });
        }
        listener
    })
}

/// A client whose channels are all connected but one, by reads that go on.
async fn start(listener: TcpListener) -> (Arc<Scripted>, GrpcBackend, TcpListener) {
    let server = Arc::new(Scripted::default());
    let address = listener.local_addr().unwrap().to_string();
    let listener = connect(listener, serve(&server), CHANNELS - 1);
    let pool = PoolSettings {
        channels: CHANNELS,
        ..PoolSettings::plaintext()
    };
    let settings = GrpcSettings::new("p", "i").emulator(address).pool(pool);
    let backend = GrpcBackend::new(&settings).unwrap();
    for _ in 1..CHANNELS {
        let script = [send([commit(begin("k", "1", 0))]), Step::Hang];
        server.read_rows.script(script);
        let mut rows = backend.read_rows(all()).rows();
        rows.next().await.unwrap().unwrap();
        tokio::spawn(async move { rows.next().await });
    }
    (server, backend, listener.await.unwrap())
}

/// Every call is answered, and none was sent twice or counts as an attempt that was not sent.
async fn all_succeed(server: &Scripted, backend: &GrpcBackend) {
    for _ in 0..CALLERS * CALLS {
        let answer = wire::ReadModifyWriteRowResponse::default();
        server.modify.script([Step::Send(answer)]);
    }
    let callers = (0..CALLERS).map(|_| async {
        for _ in 0..CALLS {
            Call::ReadModifyWriteRow.make(backend).await.unwrap();
        }
    });
    futures::future::join_all(callers).await;
    let seen = server.modify.seen();
    assert_eq!(seen.len(), CALLERS * CALLS);
    for call in seen {
        assert_eq!(call.headers.get("bigtable-attempt").unwrap(), "0");
    }
}

#[tokio::test]
async fn a_channel_that_is_refused_takes_no_call() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (server, backend, listener) = start(listener).await;
    drop(listener);
    let once = CallOptions::new().without_retries();
    all_succeed(&server, &backend.with_options(once).unwrap()).await;
}

/// The connections that nobody accepts fill the listener's queue, so the system lets the next one
/// wait.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_channel_that_waits_for_its_connection_holds_up_no_call() {
    let socket = TcpSocket::new_v4().unwrap();
    let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
    socket.bind(any).unwrap();
    let (server, backend, listener) = start(socket.listen(1).unwrap()).await;
    let address = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    while let Ok(stream) =
        tokio::time::timeout(Duration::from_millis(50), TcpStream::connect(address)).await
    {
        waiting.push(stream.unwrap());
    }
    all_succeed(&server, &backend).await;
}

#[tokio::test]
async fn a_channel_takes_calls_again_when_it_can_connect() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (server, backend, listener) = start(listener).await;
    let address = listener.local_addr().unwrap();
    drop(listener);
    all_succeed(&server, &backend).await;
    let listener = TcpListener::bind(address).await.unwrap();
    let mut again = connect(listener, serve(&server), 1);
    let calls = async {
        loop {
            Call::MutateRow.make(&backend).await.unwrap();
        }
    };
    let connected = tokio::time::timeout(Duration::from_secs(60), async {
        tokio::select! {
            () = calls => {}
            listener = &mut again => drop(listener),
        }
    });
    connected.await.unwrap();
}

/// Nothing listens: writes that must not be sent twice wait like all others, and say that they were
/// not sent.
#[tokio::test]
async fn what_was_not_sent_is_tried_until_the_deadline_and_says_so() {
    let settings = GrpcSettings::new("p", "i").emulator("127.0.0.1:1");
    let short = CallOptions::new().deadline(Duration::from_millis(300));
    let backend = GrpcBackend::new(&settings).unwrap();
    let backend = backend.with_options(short).unwrap();
    let began = std::time::Instant::now();
    let error = Call::ReadModifyWriteRow.make(&backend).await.unwrap_err();
    assert!(began.elapsed() >= Duration::from_millis(100), "{error}");
    assert!(error.message.contains("refused"), "{error}");
    let once = row("k", vec![set("f", "q", SERVER_TIME, "v")]);
    let error = backend
        .mutate_rows(TABLE, EntryBatch::of([once]))
        .await
        .unwrap_err();
    for words in ["was not sent", "may be sent again", "refused"] {
        assert!(error.message.contains(words), "{error}");
    }
}
