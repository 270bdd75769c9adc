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
use crate::Status;
use crate::grpc::protocol::frame::prefix;
use crate::grpc::protocol::names::Target;

/// Bytes of a frame, unless one entry is larger: two of HTTP/2's frames.
const FRAME_BYTES: usize = 32 << 10;

/// The fields of a request beside its entries.
const TABLE_NAME: u8 = 1;
const APP_PROFILE: u8 = 3;
const AUTHORIZED_VIEW_NAME: u8 = 5;

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
    pub(crate) fn new(entries: Entries, target: &Target) -> Result<Self, Status> {
        let len = bytes_len(target.table.as_bytes())
            + bytes_len(target.view.as_bytes())
            + bytes_len(target.app_profile.as_bytes())
            + entries.iter().map(super::Entry::len).sum::<usize>();
        let prefix = prefix(len)?;
        let mut body = Self {
            entries,
            next: 0,
            app_profile: target.app_profile.clone(),
            view_name: target.view.clone(),
            written: Written::default(),
            rest: prefix.len() + len,
        };
        let buffer = body.begin_frame();
        buffer.extend_from_slice(&prefix);
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
