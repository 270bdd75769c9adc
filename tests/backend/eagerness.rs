//! A client does not add load to a server in trouble.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bigtable_model::backend::grpc::{CallOptions, GrpcBackend, GrpcSettings};
use bigtable_model::data::EntryBatch;
use bigtable_model::{Backend, Code};
use futures::TryStreamExt;
use futures::future::join_all;
use tokio::net::TcpListener;
use tonic::Code as Grpc;

use crate::fixture::{all, row, set};
use crate::http2::Call;
use crate::scripted::{Scripted, Step, advised};
use crate::scripted_calls::read;

#[tokio::test]
async fn advice_to_come_back_at_once_is_no_reason_to_hammer() {
    let (server, backend) = Scripted::start().await;
    for _ in 0..1000 {
        let now = advised(Grpc::ResourceExhausted, "come back", Duration::ZERO);
        server.read_rows.script([Step::Fail(now)]);
    }
    let backend = backend
        .with_options(CallOptions::new().deadline(Duration::from_secs(2)))
        .unwrap();
    let error = read(&backend).await.unwrap_err();
    assert_eq!(error.code, Code::ResourceExhausted);
    // Pauses of at least 10, 20, 40 ms and so on.
    let calls = server.read_rows.seen().len();
    assert!((2..=9).contains(&calls), "{calls} calls in 2 s");
}

/// Closes each connection at once, until it may serve.
async fn closing() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    (listener, address)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_come_to_nothing_are_not_made_as_fast_as_possible() {
    let (listener, address) = closing().await;
    let connects = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&connects);
    let closing = tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::SeqCst);
            drop(socket);
        }
    });
    let settings = GrpcSettings::new("p", "i").emulator(&address);
    let backend = GrpcBackend::new(&settings).unwrap();
    let busy = backend
        .with_options(CallOptions::new().deadline(Duration::from_secs(3)))
        .unwrap();
    let calls = (0..20).flat_map(|_| Call::ALL).map(|call| call.make(&busy));
    for ended in join_all(calls).await {
        let error = ended.unwrap_err();
        assert!(error.is_retryable(), "{error}");
        if error.code == Code::Unavailable {
            assert!(error.message.starts_with(&address), "{error}");
        }
    }
    // Two at once, then after at least 10, 20, 40 ms and so on.
    let connects = connects.load(Ordering::SeqCst);
    assert!((2..=11).contains(&connects), "{connects} connects in 3 s");

    // The same client finds the server once it is up.
    closing.abort();
    assert!(closing.await.unwrap_err().is_cancelled());
    let server = Scripted::start_at(address.parse().unwrap());
    Call::MutateRow.make(&backend).await.unwrap();
    assert_eq!(server.mutate_row.seen().len(), 1);
}

#[tokio::test]
async fn a_table_whose_name_no_header_holds_is_refused_at_once() {
    let (server, backend) = Scripted::start().await;
    let long = "T".repeat(100_000);
    let write = || row("k", vec![set("f", "q", 1000, "v")]);
    let mut request = all();
    request.table.clone_from(&long);
    let reads = backend.read_rows(request).rows().try_collect::<Vec<_>>();
    let errors = [
        reads.await.map(drop),
        backend.sample_row_keys(&long).await.map(drop),
        backend.mutate_row(&long, write()).await,
        backend
            .mutate_rows(&long, EntryBatch::of([write()]))
            .await
            .map(drop),
        backend.tables().get(&long).await.map(drop),
        backend.tables().delete(&long).await,
    ]
    .map(Result::unwrap_err);
    for error in errors {
        assert_eq!(error.code, Code::InvalidArgument, "{error}");
        for words in ["table \"TTTT", "100000 bytes", "nothing was sent"] {
            assert!(error.message.contains(words), "{error}");
        }
    }
    let seen = server.read_rows.seen().len()
        + server.sample_row_keys.seen().len()
        + server.mutate_row.seen().len()
        + server.mutate_rows.seen().len()
        + server.get_table.seen().len();
    assert_eq!(seen, 0);
}
