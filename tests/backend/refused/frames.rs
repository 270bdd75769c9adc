//! An HTTP/2 server frame by frame: h2's own server always names each stream that it has seen in
//! its goodbye.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bytes::{BufMut, Bytes};
use h2::Reason;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::http2::message;

const PREFACE: usize = 24;
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const ACK: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// What happens to the first call, once its message has arrived. Later calls are answered.
#[derive(Debug, Clone, Copy)]
pub(super) enum Goodbye {
    /// `GOAWAY`, whose last stream is the call's or the one before it; then the connection closes.
    Goes { names_it: bool, reason: Reason },
    /// The connection closes.
    Silent,
}

impl Goodbye {
    pub(super) fn before(reason: Reason) -> Self {
        Self::Goes {
            names_it: false,
            reason,
        }
    }

    pub(super) fn naming(reason: Reason) -> Self {
        Self::Goes {
            names_it: true,
            reason,
        }
    }
}

/// The server, and a client of it.
pub(super) struct Frames {
    pub(super) backend: GrpcBackend,
    calls: Arc<AtomicUsize>,
}

impl Frames {
    pub(super) async fn start(goodbye: Goodbye) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let calls = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&calls);
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                // It ends with the connection.
                let _ = connection(socket, goodbye, &count).await;
            }
        });
        let settings = GrpcSettings::new("p", "i").emulator(address);
        Self {
            backend: GrpcBackend::new(&settings).unwrap(),
            calls,
        }
    }

    pub(super) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

async fn connection(
    mut socket: TcpStream,
    goodbye: Goodbye,
    calls: &AtomicUsize,
) -> std::io::Result<()> {
    socket.read_exact(&mut [0; PREFACE]).await?;
    socket.write_all(&frame(SETTINGS, 0, 0, b"")).await?;
    loop {
        let (kind, flags, stream, payload) = read(&mut socket).await?;
        match kind {
            SETTINGS | PING if flags & ACK == 0 => {
                let payload = if kind == PING { &payload[..] } else { b"" };
                socket.write_all(&frame(kind, ACK, 0, payload)).await?;
            }
            // The request is complete.
            DATA if flags & END_STREAM != 0 => {
                if calls.fetch_add(1, Ordering::SeqCst) > 0 {
                    socket.write_all(&answer(stream)).await?;
                    continue;
                }
                if let Goodbye::Goes { names_it, reason } = goodbye {
                    let last = if names_it { stream } else { stream - 1 };
                    let mut payload = Vec::new();
                    payload.put_u32(last);
                    payload.put_u32(reason.into());
                    socket.write_all(&frame(GOAWAY, 0, 0, &payload)).await?;
                }
                socket.shutdown().await?;
                return Ok(());
            }
            _ => {}
        }
    }
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = Vec::new();
    frame.put_uint(payload.len() as u64, 3);
    frame.put_u8(kind);
    frame.put_u8(flags);
    frame.put_u32(stream);
    frame.put_slice(payload);
    frame
}

async fn read(socket: &mut TcpStream) -> std::io::Result<(u8, u8, u32, Bytes)> {
    let len = socket.read_u16().await?;
    let len = usize::from(len) << 8 | usize::from(socket.read_u8().await?);
    let (kind, flags) = (socket.read_u8().await?, socket.read_u8().await?);
    let stream = socket.read_u32().await?;
    let mut payload = vec![0; len];
    socket.read_exact(&mut payload).await?;
    Ok((kind, flags, stream, payload.into()))
}

/// Headers, a message and trailers.
fn answer(stream: u32) -> Vec<u8> {
    // `:status` 200 is number 8 of the static table.
    let mut headers = vec![0x88];
    headers.extend(field("content-type", "application/grpc"));
    let trailers = field("grpc-status", "0");
    let message = message("ReadModifyWriteRow");
    [
        frame(HEADERS, END_HEADERS, stream, &headers),
        frame(DATA, 0, stream, &message),
        frame(HEADERS, END_HEADERS | END_STREAM, stream, &trailers),
    ]
    .concat()
}

/// A header that is not compressed.
fn field(name: &str, value: &str) -> Vec<u8> {
    let mut field = vec![0];
    for text in [name, value] {
        field.push(u8::try_from(text.len()).unwrap());
        field.extend(text.as_bytes());
    }
    field
}
