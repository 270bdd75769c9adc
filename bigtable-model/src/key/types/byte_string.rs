//! Byte strings in keys.

use std::cmp::Ordering;

use super::primitive::sealed::Sealed;
use crate::key::refuse;
use crate::key::{
    SegmentError, SegmentFormat, SegmentKind, SegmentOptions, SegmentPrimitive, SegmentValue,
};

pub(super) const fn refusal(
    _: SegmentKind,
    options: SegmentOptions,
    last: bool,
) -> Option<&'static str> {
    if options.code.is_some() {
        return Some(
            "a byte string of any length cannot be borrowed from a key in ordered code: use `[u8; N]`, or a string with `escape`",
        );
    }
    if !last {
        return Some(
            "a byte string of any length stands only last in the key: use `[u8; N]`, or a string with `escape`",
        );
    }
    match options.width {
        Some(_) => Some("a byte string has no `width`: use `[u8; N]`"),
        None => None,
    }
}

pub(super) const fn format(_: SegmentKind, _: SegmentOptions) -> SegmentFormat {
    SegmentFormat::Rest
}

pub(super) const fn takes(_: SegmentKind, format: &SegmentFormat) -> bool {
    matches!(format, SegmentFormat::Rest)
}

pub(super) const fn is_like(_: SegmentKind, other: SegmentKind) -> bool {
    matches!(other, SegmentKind::Bytes | SegmentKind::ByteArray { .. })
}

pub(super) fn encode(
    _: SegmentKind,
    value: &SegmentValue,
    format: &SegmentFormat,
    separator: u8,
    out: &mut Vec<u8>,
) -> Option<Result<(), SegmentError>> {
    match value {
        SegmentValue::Bytes(bytes) => Some(bytes.as_slice().encode(format, separator, out)),
        _ => None,
    }
}

pub(super) fn decode(
    _: SegmentKind,
    format: &SegmentFormat,
    _: u8,
    bytes: &[u8],
) -> Result<SegmentValue, SegmentError> {
    <&[u8]>::decode(format, bytes).map(<&[u8]>::into_value)
}

pub(super) fn samples(_: SegmentKind) -> Vec<SegmentValue> {
    vec![SegmentValue::Bytes(b"AB".to_vec())]
}

#[cfg(feature = "testing")]
pub(super) fn random(
    _: SegmentKind,
    _: &SegmentFormat,
    _: u8,
    rng: &mut fastrand::Rng,
) -> SegmentValue {
    let len = rng.usize(1..6);
    SegmentValue::Bytes((0..len).map(|_| rng.u8(..)).collect())
}

impl Sealed for &[u8] {}

impl<'a> SegmentPrimitive<'a> for &'a [u8] {
    const KIND: SegmentKind = SegmentKind::Bytes;

    #[inline(always)]
    fn encode(self, format: &SegmentFormat, _: u8, out: &mut Vec<u8>) -> Result<(), SegmentError> {
        match format {
            SegmentFormat::Rest => {
                out.extend_from_slice(self);
                Ok(())
            }
            other => Err(refuse::mismatch(&Self::KIND, other)),
        }
    }

    #[inline(always)]
    fn decode(format: &SegmentFormat, bytes: &'a [u8]) -> Result<Self, SegmentError> {
        match format {
            SegmentFormat::Rest => Ok(bytes),
            other => Err(refuse::mismatch(&Self::KIND, other)),
        }
    }

    #[inline]
    fn compare(self, other: Self, _: &SegmentFormat) -> Ordering {
        self.cmp(other)
    }

    fn into_value(self) -> SegmentValue {
        SegmentValue::Bytes(self.to_vec())
    }
}
