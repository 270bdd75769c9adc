//! Whether a call was sent.
//!
//! A call without an answer may have been processed, so a write that must not be applied twice is
//! not repeated. But often it was not even sent: its channel was still connecting, or could not.
//! The body of a request knows: a server does nothing before its first bytes. So the body asks
//! before it gives them, and code that gives up a call asks as well. The first one decides.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// The state of an attempt whose body was sent; smaller ones count how often it was recalled.
const SENT: u32 = u32::MAX;

/// One attempt of a call, which is sent at most once, over whatever channel. Clones share the
/// attempt.
#[derive(Debug, Clone, Default)]
pub(crate) struct Departure(Arc<AtomicU32>);

impl Departure {
    /// For the next body of the attempt.
    pub(crate) fn ticket(&self) -> Ticket {
        Ticket {
            departure: self.clone(),
            recalls: self.0.load(Ordering::Acquire),
        }
    }

    /// Whether the attempt was certainly not sent, and with its current body never will be.
    pub(crate) fn recall(&self) -> bool {
        let next = |recalls: u32| (recalls != SENT).then(|| (recalls + 1) % SENT);
        let changed = self
            .0
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, next);
        changed.is_ok()
    }

    pub(crate) fn is_sent(&self) -> bool {
        self.0.load(Ordering::Acquire) == SENT
    }
}

/// Lets one body be sent, unless it was recalled before.
#[derive(Debug)]
pub(crate) struct Ticket {
    departure: Departure,
    recalls: u32,
}

impl Ticket {
    fn departs(&self) -> bool {
        let state = &self.departure.0;
        let left = state.compare_exchange(self.recalls, SENT, Ordering::AcqRel, Ordering::Acquire);
        left.is_ok()
    }
}

/// A body that is sent with a ticket.
#[derive(Debug)]
pub(crate) struct Ticketed<B> {
    body: B,
    /// `None` once the first bytes were asked for.
    ticket: Option<Ticket>,
}

impl<B> Ticketed<B> {
    pub(crate) fn new(body: B, ticket: Ticket) -> Self {
        Self {
            body,
            ticket: Some(ticket),
        }
    }
}

impl<B: Body<Data = Bytes, Error = Infallible> + Unpin> Body for Ticketed<B> {
    type Data = Bytes;
    type Error = tonic::Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, tonic::Status>>> {
        if let Some(ticket) = self.ticket.take()
            && !ticket.departs()
        {
            let recalled = tonic::Status::cancelled("the call was recalled before it was sent");
            return Poll::Ready(Some(Err(recalled)));
        }
        Pin::new(&mut self.body)
            .poll_frame(cx)
            .map_err(|never| match never {})
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grpc::protocol::frame::OneFrame;

    /// The bytes that the body gives; `None` for an error.
    fn polled(body: &mut Ticketed<OneFrame>) -> Option<usize> {
        let mut cx = Context::from_waker(std::task::Waker::noop());
        match Pin::new(body).poll_frame(&mut cx) {
            Poll::Ready(Some(Ok(frame))) => frame.data_ref().map(Bytes::len),
            _ => None,
        }
    }

    fn body(departure: &Departure) -> Ticketed<OneFrame> {
        let frame = OneFrame::new(Bytes::from_static(b"call"));
        Ticketed::new(frame, departure.ticket())
    }

    #[test]
    fn a_call_that_was_recalled_is_never_sent() {
        let departure = Departure::default();
        let mut first = body(&departure);
        assert!(departure.recall());
        let mut second = body(&departure);
        assert_eq!(polled(&mut first), None);
        assert!(!departure.is_sent());
        assert_eq!(polled(&mut second), Some(4));
        assert!(departure.is_sent());
    }

    #[test]
    fn a_call_that_was_sent_cannot_be_recalled() {
        let departure = Departure::default();
        let (mut first, mut second) = (body(&departure), body(&departure));
        assert_eq!(polled(&mut first), Some(4));
        assert!(!departure.recall());
        assert_eq!(polled(&mut second), None);
    }
}
