//! Streams and connections that a server ends within the rules of HTTP/2, but without a status.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bigtable_model::Status;
use bigtable_model::backend::grpc::{CallOptions, GrpcBackend, GrpcSettings, wire};
use bigtable_model::{Backend, Code};
use bytes::{BufMut, Bytes, BytesMut};
use futures::TryStreamExt;
use h2::Reason;
use h2::server::SendResponse;
use prost::Message;
use tokio::net::{TcpListener, TcpStream};

use crate::fixture::all;
use crate::scripted_calls::{begin, commit};

/// How the first call ends, after a row.
#[derive(Debug, Clone, Copy)]
enum End {
    Reset(Reason),
    GoAway(Reason),
    /// The stream ends normally, but without the call's status.
    WithoutStatus,
    /// The message is incomplete too.
    InsideMessage,
    /// With a status whose details are not base64.
    UnreadableDetails,
    /// The same before the first message.
    UnreadableDetailsAtOnce,
}

fn message(key: &'static str) -> Bytes {
    let message = wire::ReadRowsResponse {
        chunks: vec![commit(begin(key, "1", 0))],
        ..wire::ReadRowsResponse::default()
    };
    let mut framed = BytesMut::new();
    framed.put_u8(0);
    framed.put_u32(u32::try_from(message.encoded_len()).unwrap());
    message.encode(&mut framed).unwrap();
    framed.freeze()
}

fn headers() -> http::Response<()> {
    let response = http::Response::builder().header("content-type", "application/grpc");
    response.body(()).unwrap()
}

/// Answers with row `a`, and then ends as requested.
fn fail(mut respond: SendResponse<Bytes>, end: End) {
    if matches!(end, End::UnreadableDetailsAtOnce) {
        let mut response = headers();
        *response.headers_mut() = unreadable();
        respond.send_response(response, true).unwrap();
        return;
    }
    let mut stream = respond.send_response(headers(), false).unwrap();
    let mut bytes = message("a");
    if matches!(end, End::InsideMessage) {
        let more = message("b");
        bytes = [bytes, more.slice(..more.len() - 1)].concat().into();
    }
    if matches!(end, End::UnreadableDetails) {
        stream.send_data(bytes, false).unwrap();
        stream.send_trailers(unreadable()).unwrap();
        return;
    }
    let ends = matches!(end, End::WithoutStatus | End::InsideMessage);
    stream.send_data(bytes, ends).unwrap();
    if let End::Reset(reason) = end {
        // The row is sent before the reset.
        tokio::spawn(async move {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            stream.send_reset(reason);
        });
    } else if !ends {
        tokio::spawn(async move {
            let _held = stream;
            std::future::pending::<()>().await;
        });
    }
}

/// A transient failure with unreadable details.
fn unreadable() -> http::HeaderMap {
    let mut trailers = http::HeaderMap::new();
    for (name, value) in [
        ("content-type", "application/grpc"),
        ("grpc-status", "14"),
        ("grpc-message", "on%20purpose"),
        ("grpc-status-details-bin", "%%%"),
    ] {
        trailers.insert(name, http::HeaderValue::from_static(value));
    }
    trailers
}

fn succeed(mut respond: SendResponse<Bytes>) {
    let mut stream = respond.send_response(headers(), false).unwrap();
    stream.send_data(message("b"), false).unwrap();
    let mut trailers = http::HeaderMap::new();
    trailers.insert("grpc-status", http::HeaderValue::from_static("0"));
    stream.send_trailers(trailers).unwrap();
}

async fn connection(socket: TcpStream, end: End, calls: Arc<AtomicUsize>) {
    let mut connection = h2::server::handshake(socket).await.unwrap();
    while let Some(Ok((_, respond))) = connection.accept().await {
        if calls.fetch_add(1, Ordering::SeqCst) > 0 {
            succeed(respond);
            continue;
        }
        fail(respond, end);
        if let End::GoAway(reason) = end {
            let soon = tokio::time::sleep(std::time::Duration::from_millis(50));
            tokio::select! {
                _ = connection.accept() => {}
                () = soon => {}
            }
            connection.abrupt_shutdown(reason);
        }
    }
}

async fn read(end: End, options: CallOptions) -> (Result<Vec<Bytes>, Status>, usize) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let calls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&calls);
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            tokio::spawn(connection(socket, end, Arc::clone(&count)));
        }
    });
    let settings = GrpcSettings::new("p", "i").emulator(address);
    let backend = GrpcBackend::new(&settings)
        .unwrap()
        .with_options(options)
        .unwrap();
    let rows = backend
        .read_rows(all())
        .rows()
        .map_ok(|row| row.key)
        .try_collect()
        .await;
    (rows, calls.load(Ordering::SeqCst))
}

#[tokio::test]
async fn a_read_goes_on_after_any_of_them_with_one_new_request() {
    for end in [
        End::Reset(Reason::INTERNAL_ERROR),
        End::Reset(Reason::REFUSED_STREAM),
        End::Reset(Reason::NO_ERROR),
        End::GoAway(Reason::NO_ERROR),
        End::GoAway(Reason::INTERNAL_ERROR),
        End::GoAway(Reason::ENHANCE_YOUR_CALM),
        End::WithoutStatus,
        End::InsideMessage,
        End::UnreadableDetails,
    ] {
        let (rows, calls) = read(end, CallOptions::new()).await;
        assert_eq!(rows, Ok(vec!["a".into(), "b".into()]), "{end:?}");
        assert_eq!(calls, 2, "{end:?}");
    }
}

#[tokio::test]
async fn each_has_a_code_that_says_what_it_is() {
    for (end, code) in [
        (End::Reset(Reason::INTERNAL_ERROR), Code::Internal),
        (End::Reset(Reason::REFUSED_STREAM), Code::Unavailable),
        (End::Reset(Reason::CANCEL), Code::Cancelled),
        (End::GoAway(Reason::NO_ERROR), Code::Unavailable),
        (End::GoAway(Reason::INTERNAL_ERROR), Code::Unavailable),
        (End::WithoutStatus, Code::Unavailable),
        (End::InsideMessage, Code::Unavailable),
    ] {
        let (rows, _) = read(end, CallOptions::new().without_retries()).await;
        let error = rows.unwrap_err();
        assert_eq!(error.code, code, "{end:?}: {error}");
    }
}

/// tonic would panic on them.
#[tokio::test]
async fn details_that_nobody_can_read_leave_the_status_as_it_is() {
    for end in [End::UnreadableDetails, End::UnreadableDetailsAtOnce] {
        let (rows, _) = read(end, CallOptions::new().without_retries()).await;
        let error = rows.unwrap_err();
        assert_eq!(
            error,
            Status::new(Code::Unavailable, "on purpose"),
            "{end:?}"
        );
    }
}
