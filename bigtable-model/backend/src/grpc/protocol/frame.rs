//! A message of gRPC as bytes of a body.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::Frame;

use crate::{Code, Status};

/// The prefix of a message of this many bytes: whether it is compressed, and its length.
pub(crate) fn prefix(len: usize) -> Result<[u8; 5], Status> {
    let Ok(len) = u32::try_from(len) else {
        let why = format!("a request of {len} bytes; gRPC has messages of up to 4 GiB");
        return Err(Status::new(Code::ResourceExhausted, why));
    };
    let [a, b, c, d] = len.to_be_bytes();
    Ok([0, a, b, c, d])
}

/// A body of one frame, which is empty once it has been sent.
#[derive(Debug)]
pub(crate) struct OneFrame(Bytes);

impl OneFrame {
    pub(crate) fn new(frame: Bytes) -> Self {
        Self(frame)
    }
}

impl http_body::Body for OneFrame {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let frame = std::mem::take(&mut self.0);
        Poll::Ready((!frame.is_empty()).then(|| Ok(Frame::data(frame))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }
}
