use std::borrow::Cow;

use crate::key::{KeyError, MAX_KEY_BYTES, Segment, SegmentError, SegmentPrimitive};

/// Appends one key to a buffer.
///
/// Code that `#[derive(Model)]` generates uses it, and so does
/// [`KeyLayout::encode`](crate::key::KeyLayout::encode). A writer that is dropped before
/// [`finish`](KeyWriter::finish) removes what it has written, so a reused buffer never holds half a
/// key. It allocates only in the buffer.
#[derive(Debug)]
pub struct KeyWriter<'v> {
    out: &'v mut Vec<u8>,
    start: usize,
    separator: &'v str,
    joined: bool,
    enclosed: bool,
    finished: bool,
}

impl<'v> KeyWriter<'v> {
    /// Begins a key with the layout's prefix, if it is not empty.
    #[inline(always)]
    pub fn new(prefix: &str, separator: &'v str, out: &'v mut Vec<u8>) -> Self {
        let start = out.len();
        Self::begin(prefix, separator, out, start, false)
    }

    /// The same for a layout that is [enclosed](crate::key::KeyLayout::enclosed).
    #[inline(always)]
    pub fn enclosed(prefix: &str, separator: &'v str, out: &'v mut Vec<u8>) -> Self {
        let start = out.len();
        out.extend_from_slice(separator.as_bytes());
        Self::begin(prefix, separator, out, start, true)
    }

    #[inline(always)]
    fn begin(
        prefix: &str,
        separator: &'v str,
        out: &'v mut Vec<u8>,
        start: usize,
        enclosed: bool,
    ) -> Self {
        out.extend_from_slice(prefix.as_bytes());
        Self {
            out,
            start,
            separator,
            joined: !prefix.is_empty(),
            enclosed,
            finished: false,
        }
    }

    /// Writes the next segment, after a separator if the key is not empty.
    ///
    /// # Errors
    /// [`KeyError::Segment`] when the segment's format cannot hold the value.
    #[inline(always)]
    pub fn segment<'a, P: SegmentPrimitive<'a>>(
        &mut self,
        segment: &Segment,
        value: P,
    ) -> Result<(), KeyError> {
        if segment.is_absent() {
            return Ok(());
        }
        let separator = self.join();
        match value.encode(&segment.format, separator, self.out) {
            Ok(()) => Ok(()),
            Err(source) => Err(in_segment(segment, source)),
        }
    }

    /// Writes the next segment's encoded bytes.
    pub(in crate::key) fn bytes(&mut self, bytes: &[u8]) {
        self.join();
        self.out.extend_from_slice(bytes);
    }

    /// Where the bytes of the next segment will begin.
    #[inline]
    pub(in crate::key) fn len_with_separator(&self) -> usize {
        self.out.len() + if self.joined { self.separator.len() } else { 0 }
    }

    /// The bytes written so far.
    #[inline]
    pub(in crate::key) fn written(&self) -> &[u8] {
        self.out
    }

    /// Reserves room for a segment that is known later; returns where it begins.
    #[inline]
    pub(in crate::key) fn reserve(&mut self, width: usize) -> usize {
        self.join();
        let at = self.out.len();
        self.out.resize(at + width, b'0');
        at
    }

    /// Fills reserved room with a number of that many digits.
    #[inline]
    pub(in crate::key) fn fill(&mut self, at: usize, width: usize, mut number: u64) {
        if let Some(room) = self.out.get_mut(at..at + width) {
            for digit in room.iter_mut().rev() {
                *digit = b'0' + u8::try_from(number % 10).unwrap_or_default();
                number /= 10;
            }
        }
    }

    /// Writes the separator after the last segment: the bytes are then a prefix of longer keys.
    #[inline]
    pub fn separator(&mut self) {
        self.out.extend_from_slice(self.separator.as_bytes());
        self.joined = false;
    }

    /// Ends the key.
    ///
    /// # Errors
    /// [`KeyError::Empty`], or [`KeyError::TooLong`] above [`MAX_KEY_BYTES`].
    #[inline(always)]
    pub fn finish(mut self) -> Result<(), KeyError> {
        if self.enclosed {
            self.out.extend_from_slice(self.separator.as_bytes());
        }
        match self.out.len() - self.start {
            0 => Err(KeyError::Empty),
            1..=MAX_KEY_BYTES => {
                self.finished = true;
                Ok(())
            }
            bytes => Err(KeyError::TooLong { bytes }),
        }
    }

    /// Ends a prefix of keys, which may be empty.
    pub(in crate::key) fn finish_prefix(mut self) {
        self.finished = true;
    }

    /// Writes the separator if the key is not empty, and returns its first byte.
    #[inline(always)]
    fn join(&mut self) -> u8 {
        if self.joined {
            self.out.extend_from_slice(self.separator.as_bytes());
        }
        self.joined = true;
        crate::key::encoding::first_byte(self.separator)
    }
}

impl Drop for KeyWriter<'_> {
    #[inline]
    fn drop(&mut self) {
        if !self.finished {
            self.out.truncate(self.start);
        }
    }
}

#[cold]
#[inline(never)]
pub(in crate::key) fn in_segment(segment: &Segment, source: SegmentError) -> KeyError {
    KeyError::Segment {
        segment: name(segment),
        source,
    }
}

/// The segment's name, which is not copied for a generated layout.
pub(in crate::key) fn name(segment: &Segment) -> Cow<'static, str> {
    segment.name.clone()
}
