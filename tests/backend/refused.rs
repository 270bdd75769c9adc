//! Calls that, by the rules of HTTP/2, a server has not begun to process: they are sent once more,
//! even those that must not be sent twice.

mod frames;

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bigtable_model::backend::grpc::server::{Answer, GrpcServer, GrpcService};
use bigtable_model::backend::grpc::{CallOptions, GrpcBackend, GrpcSettings, wire};
use bigtable_model::{Code, Status};
use futures::future::join_all;
use h2::Reason;
use tonic::transport::server::{Server, TcpIncoming};
use tonic::{Request, Response};

use crate::http2::{Call, Served, Stream};
use frames::{Frames, Goodbye};

/// Refuses the first attempts of each call.
async fn refusing(attempts: u32) -> Served {
    Served::start(move |mut stream: Stream| async move {
        match stream.attempt < attempts {
            true => stream.reset(Reason::REFUSED_STREAM),
            false => stream.answer(),
        }
    })
    .await
}

#[tokio::test]
async fn a_stream_that_is_refused_is_opened_once_more() {
    let server = refusing(1).await;
    for call in Call::ALL {
        assert_eq!(call.make_once(&server.backend).await, Ok(()), "{call:?}");
        assert_eq!(server.calls(), 2, "{call:?}");
    }
    let once = CallOptions::new().without_retries();
    let backend = server.backend.with_options(once).unwrap();
    for call in Call::ALL {
        let error = call.make_once(&backend).await.unwrap_err();
        assert_eq!(error.code, Code::Unavailable, "{call:?}: {error}");
        assert_eq!(server.calls(), 1, "{call:?}");
    }
}

#[tokio::test]
async fn but_not_for_ever() {
    let server = refusing(2).await;
    for call in Call::ALL {
        let error = call.make_once(&server.backend).await.err();
        let expected = match call {
            Call::ReadRow | Call::ReadRows | Call::SampleRowKeys => (None, 3),
            _ => (Some(Code::Unavailable), 2),
        };
        assert_eq!(error.map(|error| error.code), expected.0, "{call:?}");
        assert_eq!(server.calls(), expected.1, "{call:?}");
    }
}

/// The answer has begun, so the server has processed the call, whatever it says.
#[tokio::test]
async fn a_stream_that_is_refused_too_late_is_not_opened_again() {
    let soon = Duration::from_millis(20);
    let late = move |stream: Stream| stream.reset_late(Reason::REFUSED_STREAM, soon);
    let server = Served::start(late).await;
    for call in [
        Call::MutateRow,
        Call::MutateRows,
        Call::CheckAndMutateRow,
        Call::ReadModifyWriteRow,
    ] {
        let error = call.make_once(&server.backend).await.unwrap_err();
        assert_eq!(error.code, Code::Unavailable, "{call:?}: {error}");
        assert_eq!(server.calls(), 1, "{call:?}");
    }
}

async fn after(goodbye: Goodbye) -> (Result<(), Status>, usize) {
    let server = Frames::start(goodbye).await;
    let ended = Call::ReadModifyWriteRow.make(&server.backend).await;
    (ended, server.calls())
}

#[tokio::test]
async fn a_goodbye_that_leaves_a_stream_out_is_as_good_as_a_refusal() {
    assert_eq!(after(Goodbye::before(Reason::NO_ERROR)).await, (Ok(()), 2));
    for goodbye in [
        Goodbye::before(Reason::INTERNAL_ERROR),
        Goodbye::before(Reason::ENHANCE_YOUR_CALM),
        // The stream is among those that may have been processed.
        Goodbye::naming(Reason::NO_ERROR),
        Goodbye::Silent,
    ] {
        let (ended, calls) = after(goodbye).await;
        let error = ended.unwrap_err();
        assert_eq!(error.code, Code::Unavailable, "{goodbye:?}: {error}");
        assert_eq!(calls, 1, "{goodbye:?}");
    }
}

/// Counts increments, and the connections that they use.
#[derive(Debug, Default)]
struct Counter {
    increments: AtomicUsize,
    clients: Mutex<BTreeSet<SocketAddr>>,
}

impl GrpcServer for Counter {
    fn read_modify_write_row(
        &self,
        request: Request<wire::ReadModifyWriteRowRequest>,
    ) -> Answer<wire::ReadModifyWriteRowResponse> {
        self.increments.fetch_add(1, Ordering::SeqCst);
        let client = request.remote_addr().unwrap();
        self.clients.lock().unwrap().insert(client);
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            Ok(Response::new(wire::ReadModifyWriteRowResponse::default()))
        })
    }
}

/// Bigtable does this to each connection after an hour; here it is a fraction of a second.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_often_says_goodbye_loses_no_call_and_gets_none_twice() {
    const TIME: Duration = Duration::from_secs(2);
    let counter = Arc::new(Counter::default());
    let incoming = TcpIncoming::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = incoming.local_addr().unwrap().to_string();
    let server = Server::builder().max_connection_age(TIME / 10);
    let service = GrpcService::new(Arc::clone(&counter));
    tokio::spawn(server.serve_with_incoming(service, incoming.with_nodelay(Some(true))));
    let settings = GrpcSettings::new("p", "i").emulator(address);
    let backend = GrpcBackend::new(&settings).unwrap();
    let end = Instant::now() + TIME;
    let tasks = (0..20).map(|_| {
        let backend = backend.clone();
        tokio::spawn(async move {
            let (mut calls, mut unknown) = (0, 0);
            while Instant::now() < end {
                match Call::ReadModifyWriteRow.make(&backend).await {
                    Ok(()) => calls += 1,
                    Err(error) => {
                        // The socket was closed before the goodbye was read: nothing proves that
                        // the server has not seen the call.
                        assert_eq!(error.code, Code::Unavailable, "{error}");
                        assert!(error.message.contains("broken pipe"), "{error}");
                        unknown += 1;
                    }
                }
            }
            (calls, unknown)
        })
    });
    let ended = join_all(tasks).await.into_iter().map(Result::unwrap);
    let (calls, unknown): (Vec<usize>, Vec<usize>) = ended.unzip();
    let (calls, unknown): (usize, usize) = (calls.iter().sum(), unknown.iter().sum());
    let increments = counter.increments.load(Ordering::SeqCst);
    assert!((calls..=calls + unknown).contains(&increments));
    assert!(unknown <= calls / 20, "{unknown} of {calls} calls");
    let connections = counter.clients.lock().unwrap().len();
    assert!(connections > 2, "{connections} connections");
}
