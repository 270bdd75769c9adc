//! Writes to a connection, gathered into few.
//!
//! HTTP/2 sends a bulk write in frames of 16 KiB, and its library writes and flushes each frame on
//! its own. For every write the system makes a packet and wakes the receiver, which takes longer
//! than copying the bytes. So after a flush of a frame or more we wait for more bytes: another
//! flush without new bytes shows that there are none, and so does a read by the task. Smaller
//! writes, such as those of most other calls, go out at once.

use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hyper::rt::{Read, ReadBufCursor, Write};

/// The most bytes of one write.
const MOST_BYTES: usize = 128 << 10;

/// After at least this many bytes more may follow: HTTP/2's usual frame.
const FRAME_BYTES: usize = 16 << 10;

/// A connection whose writes are gathered.
#[derive(Debug)]
pub(crate) struct Gathered<T, K = ()> {
    inner: T,
    /// Dropped with the connection.
    _kept: K,
    /// Bytes to be written.
    bytes: Vec<u8>,
    /// How many of the bytes are written.
    written: usize,
    /// How many of the bytes were there at the last flush.
    flushed: usize,
}

impl<T: Write + Unpin, K> Gathered<T, K> {
    pub(crate) fn new(inner: T, kept: K) -> Self {
        Self {
            inner,
            _kept: kept,
            bytes: Vec::new(),
            written: 0,
            flushed: 0,
        }
    }

    /// Writes all gathered bytes.
    fn poll_written(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(rest @ [_, ..]) = self.bytes.get(self.written..) {
            match ready!(Pin::new(&mut self.inner).poll_write(cx, rest))? {
                0 => return Poll::Ready(Err(ErrorKind::WriteZero.into())),
                count => self.written += count,
            }
        }
        self.bytes.clear();
        self.written = 0;
        self.flushed = 0;
        Poll::Ready(Ok(()))
    }
}

impl<T: Write + Unpin, K: Unpin> Write for Gathered<T, K> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let len = parts.iter().map(|part| part.len()).sum::<usize>();
        if self.bytes.len() + len > MOST_BYTES {
            ready!(self.poll_written(cx))?;
        }
        let is_small = len < FRAME_BYTES && self.bytes.is_empty();
        if len > MOST_BYTES || is_small {
            return Pin::new(&mut self.inner).poll_write_vectored(cx, parts);
        }
        for part in parts {
            self.bytes.extend_from_slice(part);
        }
        Poll::Ready(Ok(len))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let count = self.bytes.len();
        if count >= FRAME_BYTES && count > self.flushed {
            // The task may have no more to write, and not know that it has to flush again.
            if self.flushed == 0 {
                cx.waker().wake_by_ref();
            }
            self.flushed = count;
            return Poll::Ready(Ok(()));
        }
        ready!(self.poll_written(cx))?;
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_written(cx))?;
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

impl<T: Read + Write + Unpin, K: Unpin> Read for Gathered<T, K> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        out: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.bytes.is_empty() {
            // If it fails, so does the next flush.
            let _ = self.poll_written(cx);
        }
        Pin::new(&mut self.inner).poll_read(cx, out)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::task::Waker;

    use hyper::rt::ReadBuf;
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// A connection that takes this many bytes at a time; at 0 it is blocked once.
    #[derive(Debug, Default)]
    struct Pipe {
        sent: Vec<u8>,
        writes: usize,
        room: Vec<usize>,
    }

    impl Write for Pipe {
        fn poll_write(
            mut self: Pin<&mut Self>,
            cx: &mut Context<'_>,
            bytes: &[u8],
        ) -> Poll<io::Result<usize>> {
            let room = self.room.pop().unwrap_or(usize::MAX).min(bytes.len());
            if room == 0 {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            self.writes += 1;
            self.sent.extend(bytes.iter().take(room));
            Poll::Ready(Ok(room))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    impl Read for Pipe {
        fn poll_read(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
            _: ReadBufCursor<'_>,
        ) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    type Done<T> = Poll<io::Result<T>>;

    impl Gathered<Pipe> {
        fn with<T>(
            &mut self,
            act: impl Fn(Pin<&mut Self>, &mut Context<'_>) -> Done<T>,
        ) -> Done<T> {
            act(Pin::new(self), &mut Context::from_waker(Waker::noop()))
        }

        fn write(&mut self, bytes: &[u8]) -> Done<usize> {
            self.with(|io, cx| io.poll_write(cx, bytes))
        }

        fn flush(&mut self) -> Done<()> {
            self.with(|io, cx| io.poll_flush(cx))
        }

        fn read(&mut self) -> Done<()> {
            self.with(|io, cx| io.poll_read(cx, ReadBuf::new(&mut [0]).unfilled()))
        }

        fn shut_down(&mut self) -> Done<()> {
            self.with(|io, cx| io.poll_shutdown(cx))
        }
    }

    #[test]
    fn a_small_write_goes_out_at_once() {
        let mut io = Gathered::new(Pipe::default(), ());
        for count in 1..=3 {
            assert!(io.write(&[7; 100]).is_ready());
            assert_eq!((io.inner.writes, io.inner.sent.len()), (count, count * 100));
        }
    }

    #[test]
    fn frames_are_gathered_until_there_are_no_more() {
        for ends in [Gathered::flush, Gathered::read, Gathered::shut_down] {
            let mut io = Gathered::new(Pipe::default(), ());
            for _ in 0..4 {
                assert!(io.write(&[7; 16 << 10]).is_ready());
                assert!(io.flush().is_ready());
            }
            assert_eq!(io.inner.writes, 0);
            assert!(ends(&mut io).is_ready());
            assert_eq!((io.inner.writes, io.inner.sent.len()), (1, 64 << 10));
        }
    }

    #[test]
    fn it_holds_a_bounded_number_of_bytes() {
        let mut io = Gathered::new(Pipe::default(), ());
        for _ in 0..100 {
            assert!(io.write(&[7; 16 << 10]).is_ready());
            assert!(io.flush().is_ready());
            assert!(io.bytes.capacity() <= 2 * MOST_BYTES);
        }
        let long = io.write(&[7; MOST_BYTES + 1]);
        assert!(matches!(long, Poll::Ready(Ok(count)) if count == MOST_BYTES + 1));
        assert_eq!(io.inner.sent.len(), (1600 << 10) + MOST_BYTES + 1);
    }

    proptest! {
        #[test]
        fn all_bytes_arrive_in_order(
            steps in vec((0..50_000_usize, 0..3), 0..20),
            room in vec(prop_oneof![Just(0), 1..60_000_usize], 0..40),
        ) {
            let pipe = Pipe { room, ..Pipe::default() };
            let mut io = Gathered::new(pipe, ());
            let mut expected = Vec::new();
            for (number, (len, then)) in (0_u8..).zip(steps) {
                let bytes = vec![number; len];
                // A task that is blocked, or has written a part, comes again with the rest.
                let mut rest = &*bytes;
                while !rest.is_empty() {
                    if let Poll::Ready(Ok(count)) = io.write(rest) {
                        rest = rest.get(count..).unwrap_or_default();
                    }
                }
                expected.extend_from_slice(&bytes);
                match then {
                    0 => {}
                    1 => while io.flush().is_pending() {},
                    _ => prop_assert!(io.read().is_ready()),
                }
            }
            while io.shut_down().is_pending() {}
            prop_assert_eq!(io.inner.sent, expected);
        }
    }
}
