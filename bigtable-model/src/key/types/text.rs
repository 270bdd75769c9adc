//! Strings in keys.

use std::cmp::Ordering;

#[cfg(feature = "testing")]
use super::character;
use super::primitive::sealed::Sealed;
use crate::key::encoding::{code, escape, swar};
use crate::key::refuse;
use crate::key::{
    CodePlace, Escaped, SegmentError, SegmentFormat, SegmentKind, SegmentOptions, SegmentPrimitive,
    SegmentValue,
};

pub(super) const fn refusal(
    _: SegmentKind,
    options: SegmentOptions,
    _: bool,
) -> Option<&'static str> {
    if options.binary {
        return Some("a string is its bytes already: remove `binary`");
    }
    if options.escape && options.width.is_some() {
        return Some("`escape` does not go with `width`: a padded string may hold the separator");
    }
    match (options.pad, options.width) {
        (Some(0), Some(_)) if options.code.is_some() => {
            Some("`pad` in ordered code is a character above 0, which separates segments")
        }
        (Some(_), None) => Some("`pad` needs `width`: write how many bytes the segment has"),
        (Some(0x80..), _) => Some("`pad` is one ASCII character"),
        _ => None,
    }
}

pub(super) const fn format(_: SegmentKind, options: SegmentOptions) -> SegmentFormat {
    match options.width {
        Some(width) => SegmentFormat::Padded {
            width,
            pad: match options.pad {
                Some(pad) => pad,
                None => b' ',
            },
        },
        None => match options.code {
            Some(place) => SegmentFormat::CodedText {
                escape: options.escape,
                last: matches!(place, CodePlace::Last),
            },
            None if options.escape => SegmentFormat::Escaped,
            None => SegmentFormat::Variable,
        },
    }
}

pub(super) const fn takes(_: SegmentKind, format: &SegmentFormat) -> bool {
    match format {
        SegmentFormat::Padded { width, pad } => *width > 0 && pad.is_ascii(),
        SegmentFormat::Variable | SegmentFormat::Escaped | SegmentFormat::CodedText { .. } => true,
        _ => false,
    }
}

pub(super) const fn is_like(_: SegmentKind, other: SegmentKind) -> bool {
    matches!(other, SegmentKind::String)
}

pub(super) fn encode(
    _: SegmentKind,
    value: &SegmentValue,
    format: &SegmentFormat,
    separator: u8,
    out: &mut Vec<u8>,
) -> Option<Result<(), SegmentError>> {
    match value {
        SegmentValue::String(text) => Some(text.as_str().encode(format, separator, out)),
        _ => None,
    }
}

pub(super) fn decode(
    _: SegmentKind,
    format: &SegmentFormat,
    separator: u8,
    bytes: &[u8],
) -> Result<SegmentValue, SegmentError> {
    if format.is_escaped() {
        let text = Escaped::decode(bytes, separator)?;
        return Ok(SegmentValue::String(text.to_cow().into_owned()));
    }
    <&str>::decode(format, bytes).map(<&str>::into_value)
}

pub(super) fn samples(_: SegmentKind) -> Vec<SegmentValue> {
    let texts = ["NASDAQ", "ABC", "A"];
    texts
        .map(|text| SegmentValue::String(text.to_owned()))
        .into()
}

#[cfg(feature = "testing")]
pub(super) fn random(
    _: SegmentKind,
    format: &SegmentFormat,
    separator: u8,
    rng: &mut fastrand::Rng,
) -> SegmentValue {
    let text = match format {
        SegmentFormat::Padded { width, pad } => {
            let len = rng.usize(1..=usize::from(*width).min(8));
            // One byte each, and above the pad.
            let above = (b'!'..=b'~').filter(|byte| byte > pad).map(char::from);
            let above: Vec<char> = above.collect();
            (0..len)
                .filter_map(|_| above.get(rng.usize(..above.len().max(1))).copied())
                .collect()
        }
        SegmentFormat::Escaped | SegmentFormat::CodedText { escape: true, .. } => {
            (0..rng.usize(1..5)).map(|_| rng.char(..)).collect()
        }
        _ => (0..rng.usize(1..5))
            .map(|_| character::above(separator, rng))
            .collect(),
    };
    SegmentValue::String(text)
}

impl Sealed for &str {}

/// A segment with `escape` is read by [`Escaped`](crate::key::Escaped), since a `&str` cannot hold
/// the unescaped text.
impl<'a> SegmentPrimitive<'a> for &'a str {
    const KIND: SegmentKind = SegmentKind::String;

    #[inline(always)]
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
            SegmentFormat::CodedText { escape, last } => encode_coded(self, *escape, *last, out),
            other => Err(refuse::mismatch(&Self::KIND, other)),
        }
    }

    #[inline(always)]
    fn decode(format: &SegmentFormat, bytes: &'a [u8]) -> Result<Self, SegmentError> {
        match format {
            SegmentFormat::Padded { width, pad } => decode_padded(bytes, *width, *pad),
            SegmentFormat::Variable => utf8(bytes),
            SegmentFormat::CodedText {
                escape: false,
                last,
            } => decode_coded(bytes, *last),
            other => Err(refuse::mismatch(&Self::KIND, other)),
        }
    }

    #[inline]
    fn compare(self, other: Self, _: &SegmentFormat) -> Ordering {
        self.cmp(other)
    }

    fn into_value(self) -> SegmentValue {
        SegmentValue::String(self.to_owned())
    }

    #[inline]
    fn as_text(self) -> Option<&'a str> {
        Some(self)
    }

    fn from_text(text: &'a str) -> Result<Self, SegmentError> {
        Ok(text)
    }
}

#[inline(always)]
fn encode_variable(text: &str, separator: u8, out: &mut Vec<u8>) -> Result<(), SegmentError> {
    if swar::any_below(text.as_bytes(), separator.saturating_add(1)) {
        return Err(refuse::separator_byte(text, separator));
    }
    out.extend_from_slice(text.as_bytes());
    Ok(())
}

/// Encodes in ordered code. Without `escape` no text contains a byte 00, so it can be borrowed.
#[inline]
fn encode_coded(
    text: &str,
    escape: bool,
    last: bool,
    out: &mut Vec<u8>,
) -> Result<(), SegmentError> {
    match (text.is_empty(), last) {
        (true, true) => return Err(SegmentError::EmptyAtEnd),
        (true, false) => out.extend_from_slice(&code::EMPTY),
        (false, _) if escape => code::write(text.as_bytes(), out),
        (false, _) => return encode_variable(text, 0, out),
    }
    Ok(())
}

#[inline]
fn decode_coded(bytes: &[u8], last: bool) -> Result<&str, SegmentError> {
    if bytes == code::EMPTY && !last {
        return Ok("");
    }
    if bytes.is_empty() || bytes.contains(&0) {
        return Err(refuse::malformed(bytes, "a text without a byte 00"));
    }
    utf8(bytes)
}

#[inline(always)]
fn encode_padded(text: &str, width: u16, pad: u8, out: &mut Vec<u8>) -> Result<(), SegmentError> {
    let width = usize::from(width);
    let bytes = text.as_bytes();
    if bytes.len() > width {
        return Err(refuse::too_wide(&text, bytes.len(), width));
    }
    if bytes.last() == Some(&pad) {
        return Err(refuse::ends_in_pad(text));
    }
    let fits = if width <= LANES_WIDTH && pad <= 128 {
        push_lanes(bytes, width, pad, out)
    } else {
        let end = out.len() + width;
        out.extend_from_slice(bytes);
        out.resize(end, pad);
        !swar::any_below(bytes, pad)
    };
    if fits {
        Ok(())
    } else {
        Err(refuse::below_pad(text, pad))
    }
}

/// The maximum width of padded text that is assembled in words.
const LANES_WIDTH: usize = 32;

/// Appends text and pads; returns whether no byte is below the pad.
#[inline(always)]
fn push_lanes(text: &[u8], width: usize, pad: u8, out: &mut Vec<u8>) -> bool {
    let (mut rest, mut left, mut fits) = (text, width, true);
    while left > 0 {
        let (head, tail) = rest.split_at_checked(8).unwrap_or((rest, &[]));
        let word = swar::filled(swar::load(head), head.len(), pad);
        fits &= !swar::any_lane_below(word, pad);
        let bytes = word.to_le_bytes();
        out.extend_from_slice(bytes.get(..left.min(8)).unwrap_or_default());
        (rest, left) = (tail, left.saturating_sub(8));
    }
    fits
}

#[inline(always)]
fn decode_padded(bytes: &[u8], width: u16, pad: u8) -> Result<&str, SegmentError> {
    if bytes.len() != usize::from(width) {
        return Err(wrong_width(bytes, width));
    }
    let (text, fits) = if bytes.len() <= 8 && pad <= 128 {
        let word = swar::load(bytes);
        let len = swar::len_without(word, bytes.len(), pad);
        let fits = !swar::any_lane_below(swar::filled(word, bytes.len(), pad), pad);
        (bytes.get(..len).unwrap_or_default(), fits)
    } else {
        let end = bytes.iter().rposition(|byte| *byte != pad);
        let text = end.and_then(|end| bytes.get(..=end)).unwrap_or_default();
        (text, !swar::any_below(text, pad))
    };
    if !fits {
        return Err(refuse::malformed(bytes, "text without bytes below the pad"));
    }
    utf8(text)
}

#[inline]
pub(in crate::key) fn utf8(bytes: &[u8]) -> Result<&str, SegmentError> {
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
