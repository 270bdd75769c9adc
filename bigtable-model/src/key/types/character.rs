//! `char` in keys.

use std::cmp::Ordering;

use super::primitive::sealed::Sealed;
use super::text;
use crate::key::refuse;
use crate::key::{
    SegmentError, SegmentFormat, SegmentKind, SegmentOptions, SegmentPrimitive, SegmentValue,
};

/// It has the same options as `bool`.
pub(super) use super::boolean::refusal;

pub(super) const fn format(_: SegmentKind, options: SegmentOptions) -> SegmentFormat {
    match options.binary {
        true => SegmentFormat::BigEndian { len: 4 },
        false => SegmentFormat::Char,
    }
}

pub(super) const fn takes(_: SegmentKind, format: &SegmentFormat) -> bool {
    matches!(
        format,
        SegmentFormat::Char | SegmentFormat::BigEndian { len: 4 }
    )
}

pub(super) const fn is_like(_: SegmentKind, other: SegmentKind) -> bool {
    matches!(other, SegmentKind::Char)
}

pub(super) fn encode(
    _: SegmentKind,
    value: &SegmentValue,
    format: &SegmentFormat,
    separator: u8,
    out: &mut Vec<u8>,
) -> Option<Result<(), SegmentError>> {
    match value {
        SegmentValue::Char(value) => Some(value.encode(format, separator, out)),
        _ => None,
    }
}

pub(super) fn decode(
    _: SegmentKind,
    format: &SegmentFormat,
    _: u8,
    bytes: &[u8],
) -> Result<SegmentValue, SegmentError> {
    char::decode(format, bytes).map(char::into_value)
}

pub(super) fn samples(_: SegmentKind) -> Vec<SegmentValue> {
    vec![SegmentValue::Char('A')]
}

#[cfg(feature = "testing")]
pub(super) fn random(
    _: SegmentKind,
    _: &SegmentFormat,
    separator: u8,
    rng: &mut fastrand::Rng,
) -> SegmentValue {
    SegmentValue::Char(above(separator, rng))
}

/// A letter above the separator.
#[cfg(feature = "testing")]
pub(super) fn above(separator: u8, rng: &mut fastrand::Rng) -> char {
    let above: Vec<char> = ('!'..='~')
        .filter(|one| u32::from(*one) > u32::from(separator))
        .chain(['\u{e9}', '\u{4e16}'])
        .collect();
    let chosen = rng.usize(..above.len());
    above.get(chosen).copied().unwrap_or('\u{e9}')
}

impl Sealed for char {}

impl<'a> SegmentPrimitive<'a> for char {
    const KIND: SegmentKind = SegmentKind::Char;

    #[inline(always)]
    fn encode(
        self,
        format: &SegmentFormat,
        separator: u8,
        out: &mut Vec<u8>,
    ) -> Result<(), SegmentError> {
        match format {
            SegmentFormat::Char if u32::from(self) <= u32::from(separator) => Err(
                refuse::separator_byte(self.encode_utf8(&mut [0; 4]), separator),
            ),
            SegmentFormat::Char => {
                out.extend_from_slice(self.encode_utf8(&mut [0; 4]).as_bytes());
                Ok(())
            }
            SegmentFormat::BigEndian { len: 4 } => {
                out.extend_from_slice(&u32::from(self).to_be_bytes());
                Ok(())
            }
            other => Err(refuse::mismatch(&Self::KIND, other)),
        }
    }

    #[inline(always)]
    fn decode(format: &SegmentFormat, bytes: &'a [u8]) -> Result<Self, SegmentError> {
        let decoded = match format {
            SegmentFormat::Char => {
                let mut chars = text::utf8(bytes)?.chars();
                chars.next().filter(|_| chars.as_str().is_empty())
            }
            SegmentFormat::BigEndian { len: 4 } => bytes
                .try_into()
                .ok()
                .and_then(|bytes| Self::from_u32(u32::from_be_bytes(bytes))),
            other => return Err(refuse::mismatch(&Self::KIND, other)),
        };
        decoded.ok_or_else(|| refuse::malformed(bytes, "one character"))
    }

    #[inline]
    fn compare(self, other: Self, _: &SegmentFormat) -> Ordering {
        self.cmp(&other)
    }

    fn into_value(self) -> SegmentValue {
        SegmentValue::Char(self)
    }
}
