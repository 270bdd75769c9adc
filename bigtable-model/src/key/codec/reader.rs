use super::label;
use super::writer::{in_segment, name};
use crate::key::encoding::{code, first_byte};
use crate::key::refuse;
use crate::key::{
    Escaped, KeyError, MAX_KEY_BYTES, Segment, SegmentFormat, SegmentPrimitive, SegmentValue,
};

/// Decodes a key, segment by segment, without allocating.
#[derive(Debug, Clone)]
pub struct KeyReader<'a> {
    rest: &'a [u8],
    separator: &'a str,
}

impl<'a> KeyReader<'a> {
    /// Starts after the layout's prefix; an empty prefix means none.
    ///
    /// # Errors
    /// [`KeyError::Prefix`] if the key begins differently; [`KeyError::Empty`] and
    /// [`KeyError::TooLong`] for bytes that Bigtable does not allow as a key.
    #[inline(always)]
    pub fn new(prefix: &str, separator: &'a str, key: &'a [u8]) -> Result<Self, KeyError> {
        match key.len() {
            0 => return Err(KeyError::Empty),
            1..=MAX_KEY_BYTES => {}
            bytes => return Err(KeyError::TooLong { bytes }),
        }
        let rest = if prefix.is_empty() {
            Some(key)
        } else {
            key.strip_prefix(prefix.as_bytes())
                .and_then(|rest| rest.strip_prefix(separator.as_bytes()))
        };
        match rest {
            Some(rest) => Ok(Self { rest, separator }),
            None => Err(wrong_prefix("", prefix, separator)),
        }
    }

    /// The same for a layout that is [enclosed](crate::key::KeyLayout::enclosed): none of its
    /// segments is the last, and [`finish`](Self::finish) ends the key.
    ///
    /// # Errors
    /// Those of [`new`](Self::new).
    #[inline(always)]
    pub fn enclosed(prefix: &str, separator: &'a str, key: &'a [u8]) -> Result<Self, KeyError> {
        // Errors about the length are about the whole key.
        let Self { rest, .. } = Self::new("", separator, key)?;
        let rest = rest.strip_prefix(separator.as_bytes());
        let rest = match prefix.is_empty() {
            true => rest,
            false => rest
                .and_then(|rest| rest.strip_prefix(prefix.as_bytes()))
                .and_then(|rest| rest.strip_prefix(separator.as_bytes())),
        };
        match rest {
            Some(rest) => Ok(Self { rest, separator }),
            None => Err(wrong_prefix(
                separator,
                prefix,
                match prefix {
                    "" => "",
                    _ => separator,
                },
            )),
        }
    }

    /// Ends a key, all of whose segments were read.
    ///
    /// # Errors
    /// [`KeyError::Trailing`] if more bytes follow.
    #[inline(always)]
    pub fn finish(self) -> Result<(), KeyError> {
        match self.rest.len() {
            0 => Ok(()),
            bytes => Err(KeyError::Trailing { bytes }),
        }
    }

    /// The bytes of the next segment. The separator must follow them, or nothing if the segment is
    /// the `last`.
    ///
    /// # Errors
    /// [`KeyError::Missing`], [`KeyError::NoSeparator`], [`KeyError::Trailing`] or
    /// [`KeyError::Segment`] if the key has another form.
    #[inline(always)]
    pub fn segment(&mut self, segment: &Segment, last: bool) -> Result<&'a [u8], KeyError> {
        if segment.is_absent() {
            return Ok(&[]);
        }
        let (bytes, rest) = match segment.format.fixed_len() {
            Some(len) => match self.rest.split_at_checked(len) {
                Some(parts) => parts,
                None => return Err(cut_short(segment, self.rest)),
            },
            None => self.variable(segment, last)?,
        };
        if last {
            self.rest = &[];
            return match rest.len() {
                0 => Ok(bytes),
                bytes => Err(KeyError::Trailing { bytes }),
            };
        }
        match rest.strip_prefix(self.separator.as_bytes()) {
            Some(rest) => {
                self.rest = rest;
                Ok(bytes)
            }
            None => Err(no_separator(segment)),
        }
    }

    /// Decodes the next segment as the primitive that it holds.
    ///
    /// # Errors
    /// Those of [`segment`](KeyReader::segment), and [`KeyError::Segment`] if the bytes are not a
    /// value.
    #[inline(always)]
    pub fn read<P: SegmentPrimitive<'a>>(
        &mut self,
        segment: &Segment,
        last: bool,
    ) -> Result<P, KeyError> {
        let bytes = self.segment(segment, last)?;
        if let SegmentFormat::Bucket(_) = segment.format
            && let Some(value) = label::start_of(bytes).and_then(P::from_time)
        {
            return Ok(value);
        }
        match P::decode(&segment.format, bytes) {
            Ok(value) => Ok(value),
            Err(source) => Err(in_segment(segment, source)),
        }
    }

    /// Reads the next segment, a string declared with `escape`.
    ///
    /// # Errors
    /// Those of [`read`](KeyReader::read).
    #[inline(always)]
    pub fn read_escaped(&mut self, segment: &Segment, last: bool) -> Result<Escaped<'a>, KeyError> {
        let bytes = self.segment(segment, last)?;
        match Escaped::decode(bytes, first_byte(self.separator)) {
            Ok(text) => Ok(text),
            Err(source) => Err(in_segment(segment, source)),
        }
    }

    /// Reads the next segment as data.
    ///
    /// # Errors
    /// Those of [`read`](KeyReader::read).
    pub fn value(&mut self, segment: &Segment, last: bool) -> Result<SegmentValue, KeyError> {
        let bytes = self.segment(segment, last)?;
        segment
            .decode(bytes, first_byte(self.separator))
            .map_err(|source| in_segment(segment, source))
    }

    /// The bytes not read yet. The key without them is the prefix that all keys with the same
    /// values share.
    #[must_use]
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The leading segment of variable width, and the rest.
    #[inline(always)]
    fn variable(&self, segment: &Segment, last: bool) -> Result<(&'a [u8], &'a [u8]), KeyError> {
        if matches!(segment.format, SegmentFormat::Rest) {
            return Ok((self.rest, &[]));
        }
        let limit = first_byte(self.separator);
        if code::is_code(limit) {
            return self.coded(segment, last);
        }
        let end = self.rest.iter().position(|byte| *byte <= limit);
        match end.and_then(|end| self.rest.split_at_checked(end)) {
            Some((bytes, rest)) if !last && rest.first() == Some(&limit) => Ok((bytes, rest)),
            None if last => Ok((self.rest, &[])),
            None => Err(no_separator(segment)),
            Some(_) => Err(low_byte(segment, self.rest)),
        }
    }

    /// The leading segment in ordered code, and the rest.
    fn coded(&self, segment: &Segment, last: bool) -> Result<(&'a [u8], &'a [u8]), KeyError> {
        // Ordered code leaves out an empty last field, so such a field is never written.
        let len =
            code::field_len(self.rest).filter(|_| !last || !self.rest.starts_with(&code::EMPTY));
        match len.and_then(|len| self.rest.split_at_checked(len)) {
            Some(([], [])) => Err(cut_short(segment, self.rest)),
            Some(parts) => Ok(parts),
            None => Err(in_segment(
                segment,
                refuse::malformed(self.rest, "a field of ordered code"),
            )),
        }
    }
}

#[cold]
#[inline(never)]
fn wrong_prefix(before: &str, prefix: &str, separator: &str) -> KeyError {
    KeyError::Prefix {
        prefix: format!("{before}{prefix}{separator}"),
    }
}

#[cold]
#[inline(never)]
fn cut_short(segment: &Segment, rest: &[u8]) -> KeyError {
    if rest.is_empty() {
        return KeyError::Missing {
            segment: name(segment),
        };
    }
    let expected = format!("as long as {segment}");
    in_segment(segment, refuse::malformed(rest, expected))
}

#[cold]
#[inline(never)]
fn no_separator(segment: &Segment) -> KeyError {
    KeyError::NoSeparator {
        segment: name(segment),
    }
}

#[cold]
#[inline(never)]
fn low_byte(segment: &Segment, rest: &[u8]) -> KeyError {
    in_segment(
        segment,
        refuse::malformed(rest, "free of bytes that are not above the separator"),
    )
}
