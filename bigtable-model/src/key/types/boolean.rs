//! `bool` in keys.

use std::cmp::Ordering;

use super::primitive::sealed::Sealed;
use super::{NO_BINARY, NO_WIDTH};
use crate::key::refuse;
use crate::key::{
    SegmentError, SegmentFormat, SegmentKind, SegmentOptions, SegmentPrimitive, SegmentValue,
};

pub(super) const fn refusal(
    _: SegmentKind,
    options: SegmentOptions,
    _: bool,
) -> Option<&'static str> {
    match options.width {
        _ if options.code.is_some() && options.binary => Some(NO_BINARY),
        Some(_) => Some(NO_WIDTH),
        None => None,
    }
}

pub(super) const fn format(_: SegmentKind, options: SegmentOptions) -> SegmentFormat {
    SegmentFormat::Bool {
        binary: options.binary,
    }
}

pub(super) const fn takes(_: SegmentKind, format: &SegmentFormat) -> bool {
    matches!(format, SegmentFormat::Bool { .. })
}

pub(super) const fn is_like(_: SegmentKind, other: SegmentKind) -> bool {
    matches!(other, SegmentKind::Bool)
}

pub(super) fn encode(
    _: SegmentKind,
    value: &SegmentValue,
    format: &SegmentFormat,
    separator: u8,
    out: &mut Vec<u8>,
) -> Option<Result<(), SegmentError>> {
    match value {
        SegmentValue::Bool(value) => Some(value.encode(format, separator, out)),
        _ => None,
    }
}

pub(super) fn decode(
    _: SegmentKind,
    format: &SegmentFormat,
    _: u8,
    bytes: &[u8],
) -> Result<SegmentValue, SegmentError> {
    bool::decode(format, bytes).map(bool::into_value)
}

pub(super) fn samples(_: SegmentKind) -> Vec<SegmentValue> {
    vec![SegmentValue::Bool(true)]
}

#[cfg(feature = "testing")]
pub(super) fn random(
    _: SegmentKind,
    _: &SegmentFormat,
    _: u8,
    rng: &mut fastrand::Rng,
) -> SegmentValue {
    SegmentValue::Bool(rng.bool())
}

impl Sealed for bool {}

impl<'a> SegmentPrimitive<'a> for bool {
    const KIND: SegmentKind = SegmentKind::Bool;

    #[inline(always)]
    fn encode(self, format: &SegmentFormat, _: u8, out: &mut Vec<u8>) -> Result<(), SegmentError> {
        match format {
            SegmentFormat::Bool { binary } => {
                out.push(u8::from(self) + if *binary { 0 } else { b'0' });
                Ok(())
            }
            other => Err(refuse::mismatch(&Self::KIND, other)),
        }
    }

    #[inline(always)]
    fn decode(format: &SegmentFormat, bytes: &'a [u8]) -> Result<Self, SegmentError> {
        match (format, bytes) {
            (SegmentFormat::Bool { binary: false }, b"0")
            | (SegmentFormat::Bool { binary: true }, b"\0") => Ok(false),
            (SegmentFormat::Bool { binary: false }, b"1")
            | (SegmentFormat::Bool { binary: true }, b"\x01") => Ok(true),
            (SegmentFormat::Bool { binary: false }, _) => Err(refuse::malformed(bytes, "0 or 1")),
            (SegmentFormat::Bool { .. }, _) => Err(refuse::malformed(bytes, "the byte 00 or 01")),
            (other, _) => Err(refuse::mismatch(&Self::KIND, other)),
        }
    }

    #[inline]
    fn compare(self, other: Self, _: &SegmentFormat) -> Ordering {
        self.cmp(&other)
    }

    fn into_value(self) -> SegmentValue {
        SegmentValue::Bool(self)
    }
}
