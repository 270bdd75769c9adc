//! Strings in keys.

use std::cmp::Ordering;

use super::primitive::sealed::Sealed;
use super::{SegmentError, SegmentFormat, SegmentKind, SegmentPrimitive, SegmentValue};
use super::{escape, refuse};

impl Sealed for &str {}

/// An `Escaped` segment is read by [`Escaped`](super::Escaped), since a `&str` can't hold the unescaped text.
impl<'a> SegmentPrimitive<'a> for &'a str {
    const KIND: SegmentKind = SegmentKind::String;

    #[inline]
    fn encode(
        self,
        format: &SegmentFormat,
        separator: u8,
        out: &mut Vec<u8>,
    ) -> Result<(), SegmentError> {
        match format {
            SegmentFormat::Padded { width, pad } => encode_padded(self, *width, *pad, out),
            SegmentFormat::Variable => encode_variable(self, separator, out),
            SegmentFormat::Escaped => {
                escape::write(self.as_bytes(), separator, out);
                Ok(())
            }
            other => Err(refuse::mismatch(Self::KIND, other)),
        }
    }

    #[inline]
    fn decode(format: &SegmentFormat, bytes: &'a [u8]) -> Result<Self, SegmentError> {
        match format {
            SegmentFormat::Padded { width, pad } => decode_padded(bytes, *width, *pad),
            SegmentFormat::Variable => utf8(bytes),
            other => Err(refuse::mismatch(Self::KIND, other)),
        }
    }

    #[inline]
    fn compare(self, other: Self, _: &SegmentFormat) -> Ordering {
        self.cmp(other)
    }

    fn into_value(self) -> SegmentValue {
        SegmentValue::String(self.to_owned())
    }
}

#[inline]
fn encode_variable(text: &str, separator: u8, out: &mut Vec<u8>) -> Result<(), SegmentError> {
    if any_below(text.as_bytes(), separator.saturating_add(1)) {
        return Err(refuse::separator_byte(text, separator));
    }
    out.extend_from_slice(text.as_bytes());
    Ok(())
}

#[inline]
fn encode_padded(text: &str, width: u16, pad: u8, out: &mut Vec<u8>) -> Result<(), SegmentError> {
    let width = usize::from(width);
    let bytes = text.as_bytes();
    if bytes.len() > width {
        return Err(refuse::too_wide(&text, bytes.len(), width));
    }
    if any_below(bytes, pad) {
        return Err(refuse::below_pad(text, pad));
    }
    if bytes.last() == Some(&pad) {
        return Err(refuse::ends_in_pad(text));
    }
    let end = out.len() + width;
    out.extend_from_slice(bytes);
    out.resize(end, pad);
    Ok(())
}

#[inline]
fn decode_padded(bytes: &[u8], width: u16, pad: u8) -> Result<&str, SegmentError> {
    if bytes.len() != usize::from(width) {
        return Err(wrong_width(bytes, width));
    }
    let mut text = bytes;
    while let Some((last, rest)) = text.split_last()
        && *last == pad
    {
        text = rest;
    }
    if any_below(text, pad) {
        return Err(refuse::malformed(bytes, "text without bytes below the pad"));
    }
    utf8(text)
}

#[inline]
fn any_below(bytes: &[u8], limit: u8) -> bool {
    bytes.iter().any(|byte| *byte < limit)
}

#[inline]
pub(super) fn utf8(bytes: &[u8]) -> Result<&str, SegmentError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(_) => Err(refuse::malformed(bytes, "UTF-8 text")),
    }
}

#[cold]
#[inline(never)]
fn wrong_width(bytes: &[u8], width: u16) -> SegmentError {
    refuse::malformed(bytes, format!("text padded to {width} bytes"))
}
