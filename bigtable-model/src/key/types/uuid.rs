//! UUIDs in keys.

#[cfg(feature = "uuid")]
use std::cmp::Ordering;

use super::NO_WIDTH;
#[cfg(feature = "uuid")]
use super::primitive::sealed::Sealed;
#[cfg(feature = "uuid")]
use crate::key::SegmentPrimitive;
use crate::key::encoding::{code, hex};
use crate::key::refuse;
use crate::key::{SegmentError, SegmentFormat, SegmentKind, SegmentOptions, SegmentValue};

pub(super) const fn refusal(
    _: SegmentKind,
    options: SegmentOptions,
    _: bool,
) -> Option<&'static str> {
    match options.width {
        Some(_) => Some(NO_WIDTH),
        None => None,
    }
}

pub(super) const fn format(_: SegmentKind, options: SegmentOptions) -> SegmentFormat {
    match options.binary {
        true if options.code.is_some() => SegmentFormat::CodedBytes { len: 16 },
        true => SegmentFormat::Raw { len: 16 },
        false => SegmentFormat::Uuid,
    }
}

pub(super) const fn takes(_: SegmentKind, format: &SegmentFormat) -> bool {
    matches!(
        format,
        SegmentFormat::Uuid
            | SegmentFormat::Raw { len: 16 }
            | SegmentFormat::CodedBytes { len: 16 }
    )
}

pub(super) const fn is_like(_: SegmentKind, other: SegmentKind) -> bool {
    matches!(other, SegmentKind::Uuid)
}

pub(super) fn encode(
    _: SegmentKind,
    value: &SegmentValue,
    format: &SegmentFormat,
    _: u8,
    out: &mut Vec<u8>,
) -> Option<Result<(), SegmentError>> {
    match value {
        SegmentValue::Uuid(bytes) => Some(UuidBytes(*bytes).encode(format, out)),
        _ => None,
    }
}

pub(super) fn decode(
    _: SegmentKind,
    format: &SegmentFormat,
    _: u8,
    bytes: &[u8],
) -> Result<SegmentValue, SegmentError> {
    UuidBytes::decode(format, bytes).map(|uuid| SegmentValue::Uuid(uuid.0))
}

pub(super) fn samples(_: SegmentKind) -> Vec<SegmentValue> {
    vec![SegmentValue::Uuid([
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
    ])]
}

#[cfg(feature = "testing")]
pub(super) fn random(
    _: SegmentKind,
    _: &SegmentFormat,
    _: u8,
    rng: &mut fastrand::Rng,
) -> SegmentValue {
    SegmentValue::Uuid(rng.u128(..).to_be_bytes())
}

/// A UUID's bytes, through which [`uuid::Uuid`] and UUIDs without that crate are written.
#[derive(Debug, Clone, Copy)]
struct UuidBytes([u8; 16]);

impl UuidBytes {
    #[inline]
    fn encode(self, format: &SegmentFormat, out: &mut Vec<u8>) -> Result<(), SegmentError> {
        match format {
            SegmentFormat::Raw { len: 16 } => out.extend_from_slice(&self.0),
            SegmentFormat::CodedBytes { len: 16 } => code::write(&self.0, out),
            SegmentFormat::Uuid => hex::push_uuid(&self.0, out),
            other => return Err(refuse::mismatch(&SegmentKind::Uuid, other)),
        }
        Ok(())
    }

    #[inline]
    fn decode(format: &SegmentFormat, bytes: &[u8]) -> Result<Self, SegmentError> {
        let parsed = match format {
            SegmentFormat::Raw { len: 16 } => bytes.try_into().ok(),
            SegmentFormat::CodedBytes { len: 16 } => {
                let mut uuid = [0; 16];
                let read = code::read(bytes, &mut uuid).map(<[u8]>::len);
                (read == Some(16)).then_some(uuid)
            }
            SegmentFormat::Uuid => hex::parse_uuid(bytes),
            other => return Err(refuse::mismatch(&SegmentKind::Uuid, other)),
        };
        match parsed {
            Some(bytes) => Ok(Self(bytes)),
            None => Err(refuse::malformed(bytes, "a UUID")),
        }
    }
}

#[cfg(feature = "uuid")]
impl Sealed for uuid::Uuid {}

#[cfg(feature = "uuid")]
impl<'a> SegmentPrimitive<'a> for uuid::Uuid {
    const KIND: SegmentKind = SegmentKind::Uuid;

    #[inline(always)]
    fn encode(self, format: &SegmentFormat, _: u8, out: &mut Vec<u8>) -> Result<(), SegmentError> {
        UuidBytes(self.into_bytes()).encode(format, out)
    }

    #[inline(always)]
    fn decode(format: &SegmentFormat, bytes: &'a [u8]) -> Result<Self, SegmentError> {
        UuidBytes::decode(format, bytes).map(|uuid| Self::from_bytes(uuid.0))
    }

    #[inline]
    fn compare(self, other: Self, _: &SegmentFormat) -> Ordering {
        self.cmp(&other)
    }

    fn into_value(self) -> SegmentValue {
        SegmentValue::Uuid(self.into_bytes())
    }
}
