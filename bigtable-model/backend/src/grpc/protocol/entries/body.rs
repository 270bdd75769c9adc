//! A `MutateRowsRequest` whose entries are encoded already.
//!
//! Entries that lie together in the form in which they are sent go out from where they are: the
//! message of a request is not built a second time. The others are assembled a frame at a time,
//! when there is room on the connection.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::Frame;

use super::Entries;
use crate::Status;
use crate::data::{EntryBatch, Unsent};
use crate::fields::{lengths, write};
use crate::grpc::protocol::frame::prefix;
use crate::grpc::protocol::names::Target;

/// Bytes of an assembled frame: two of HTTP/2's frames.
const FRAME_BYTES: usize = 32 << 10;

/// Entries that lie together are copied into a frame up to this size, which is faster than another
/// frame.
const COPIED_BYTES: usize = 4 << 10;

/// The fields of a request besides its entries.
const TABLE_NAME: u8 = 1;
const APP_PROFILE: u8 = 3;
const AUTHORIZED_VIEW_NAME: u8 = 5;

/// The body of one request; on the wire it is the published message.
#[derive(Debug)]
pub(crate) struct EntriesBody {
    entries: Entries,
    /// The bytes of the batch.
    own: Bytes,
    /// The entries of the request, in order.
    chosen: Arc<Vec<usize>>,
    /// How many of them are written.
    next: usize,
    app_profile: String,
    view_name: String,
    unsent: Unsent,
    /// Bytes not sent yet.
    rest: usize,
}

/// Keeps a batch in memory.
struct Kept(Arc<EntryBatch>);

impl AsRef<[u8]> for Kept {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes()
    }
}

impl EntriesBody {
    pub(crate) fn new(
        entries: Entries,
        chosen: Arc<Vec<usize>>,
        target: &Target,
    ) -> Result<Self, Status> {
        let len = lengths::text(target.table.len())
            + lengths::text(target.view.len())
            + lengths::text(target.app_profile.len())
            + chosen.iter().map(|at| entries.bytes(*at)).sum::<usize>();
        let prefix = prefix(len)?;
        let mut unsent = Unsent::default();
        unsent.buffer.extend_from_slice(&prefix);
        write::bytes(TABLE_NAME, target.table.as_bytes(), &mut unsent.buffer);
        Ok(Self {
            own: Bytes::from_owner(Kept(Arc::clone(&entries.batch))),
            entries,
            chosen,
            next: 0,
            app_profile: target.app_profile.clone(),
            view_name: target.view.clone(),
            unsent,
            rest: prefix.len() + len,
        })
    }

    /// Writes entries until there is a frame; the other fields of the request follow the last
    /// entry.
    fn write_frames(&mut self) {
        while let Some(index) = self.chosen.get(self.next).copied() {
            let together = self.together();
            if together.len() > COPIED_BYTES {
                self.unsent.end_frame();
                self.unsent.frames.push_back(together);
            } else if together.is_empty() {
                let token = self.entries.token(index);
                self.entries
                    .batch
                    .write_entry(index, token, &mut self.unsent);
                self.next += 1;
            } else {
                self.unsent.buffer.extend_from_slice(&together);
            }
            if self.unsent.buffer.len() >= FRAME_BYTES {
                self.unsent.end_frame();
            }
            if !self.unsent.frames.is_empty() {
                return;
            }
        }
        let buffer = &mut self.unsent.buffer;
        write::bytes(APP_PROFILE, self.app_profile.as_bytes(), buffer);
        write::bytes(AUTHORIZED_VIEW_NAME, self.view_name.as_bytes(), buffer);
        self.unsent.end_frame();
    }

    /// Takes the next entries that lie together.
    fn together(&mut self) -> Bytes {
        let mut range = 0..0;
        while let Some(index) = self.chosen.get(self.next)
            && self.entries.token(*index).is_empty()
            && let Some(whole) = self.entries.batch.whole(*index)
            && (range.is_empty() || range.end == whole.start)
        {
            range.start = if range.is_empty() {
                whole.start
            } else {
                range.start
            };
            range.end = whole.end;
            self.next += 1;
        }
        self.own.slice(range)
    }
}

impl http_body::Body for EntriesBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.rest > 0 && self.unsent.frames.is_empty() {
            self.write_frames();
        }
        let frame = self.unsent.frames.pop_front();
        let len = frame.as_ref().map_or(self.rest, Bytes::len);
        self.rest = self.rest.saturating_sub(len);
        Poll::Ready(frame.map(|frame| Ok(Frame::data(frame))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest == 0
    }
}
