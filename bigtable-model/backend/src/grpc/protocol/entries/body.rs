//! A `MutateRowsRequest` that is encoded while it is sent.
//!
//! It is encoded a frame at a time, when there is room on the connection. So a request of many
//! megabytes is never in memory a second time, and the memory of its frames is reused while it is
//! in the processor's caches: to allocate and free a buffer for the whole request took longer than
//! everything else that is done for an entry.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::Frame;

use super::{Entries, Written, bytes_len, write_bytes};
use crate::grpc::protocol::names::Target;
use crate::{Code, Status};

/// Bytes of a frame, unless one entry is larger: two of HTTP/2's frames.
const FRAME_BYTES: usize = 32 << 10;

/// The fields of a request beside its entries.
const TABLE_NAME: u8 = 1;
const APP_PROFILE: u8 = 3;
const AUTHORIZED_VIEW_NAME: u8 = 5;

/// Bytes before a gRPC message: whether it is compressed, and its length.
const PREFIX_BYTES: usize = 5;

/// The body of one request; on the wire it is the published message.
#[derive(Debug)]
pub(crate) struct EntriesBody {
    entries: Entries,
    /// The number of the next entry.
    next: usize,
    app_profile: String,
    view_name: String,
    written: Written,
    /// Bytes not sent yet.
    rest: usize,
}

impl EntriesBody {
    pub(crate) fn new(
        entries: Entries,
        target: &Target,
        app_profile: &str,
    ) -> Result<Self, Status> {
        let len = bytes_len(target.table.as_bytes())
            + bytes_len(target.view.as_bytes())
            + bytes_len(app_profile.as_bytes())
            + entries.iter().map(super::Entry::len).sum::<usize>();
        let Ok(prefix) = u32::try_from(len) else {
            let why = format!("a request of {len} bytes; gRPC has messages of up to 4 GiB");
            return Err(Status::new(Code::ResourceExhausted, why));
        };
        let mut body = Self {
            entries,
            next: 0,
            app_profile: app_profile.to_owned(),
            view_name: target.view.clone(),
            written: Written::default(),
            rest: PREFIX_BYTES + len,
        };
        let buffer = body.begin_frame();
        buffer.push(0);
        buffer.extend_from_slice(&prefix.to_be_bytes());
        write_bytes(TABLE_NAME, target.table.as_bytes(), buffer);
        Ok(body)
    }

    fn begin_frame(&mut self) -> &mut Vec<u8> {
        let buffer = &mut self.written.buffer;
        if buffer.capacity() == 0 {
            buffer.reserve_exact(self.rest.min(FRAME_BYTES));
        }
        buffer
    }

    /// Writes entries until a frame is full; the other fields of the request follow the last entry.
    fn write_frame(&mut self) {
        self.begin_frame();
        while let Some(entry) = self.entries.get(self.next) {
            let written = &mut self.written;
            if !written.buffer.is_empty() && written.buffer.len() + entry.len() > FRAME_BYTES {
                break;
            }
            entry.write(written);
            self.next += 1;
            if !written.frames.is_empty() {
                return;
            }
        }
        if self.next >= self.entries.chosen.len() {
            let app_profile = std::mem::take(&mut self.app_profile);
            let view_name = std::mem::take(&mut self.view_name);
            let buffer = &mut self.written.buffer;
            write_bytes(APP_PROFILE, app_profile.as_bytes(), buffer);
            write_bytes(AUTHORIZED_VIEW_NAME, view_name.as_bytes(), buffer);
        }
        let frame = std::mem::take(&mut self.written.buffer);
        self.written.frames.push_back(frame.into());
    }
}

impl http_body::Body for EntriesBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.rest > 0 && self.written.frames.is_empty() {
            self.write_frame();
        }
        let frame = self.written.frames.pop_front();
        let len = frame.as_ref().map_or(self.rest, Bytes::len);
        self.rest = self.rest.saturating_sub(len);
        Poll::Ready(frame.map(|frame| Ok(Frame::data(frame))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest == 0
    }
}
