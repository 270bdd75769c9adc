//! Byte strings, byte arrays and UUIDs in keys.

use std::cmp::Ordering;

use crate::key::encoding::code;
use crate::key::format::UUID_TEXT_BYTES;
use crate::key::primitive::sealed::Sealed;
use crate::key::refuse;
use crate::key::{SegmentError, SegmentFormat, SegmentKind, SegmentPrimitive, SegmentValue};

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

impl<const N: usize> Sealed for [u8; N] {}

impl<'a, const N: usize> SegmentPrimitive<'a> for [u8; N] {
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the assertion above it refuses longer arrays"
    )]
    const KIND: SegmentKind = {
        assert!(
            N <= crate::key::MAX_KEY_BYTES,
            "a byte array in a row key has 4096 bytes at most"
        );
        SegmentKind::ByteArray { len: N as u16 }
    };

    #[inline(always)]
    fn encode(self, format: &SegmentFormat, _: u8, out: &mut Vec<u8>) -> Result<(), SegmentError> {
        encode_array(&self, Self::KIND, format, out)
    }

    #[inline(always)]
    fn decode(format: &SegmentFormat, bytes: &'a [u8]) -> Result<Self, SegmentError> {
        let mut array = [0; N];
        decode_array(&mut array, Self::KIND, format, bytes)?;
        Ok(array)
    }

    #[inline]
    fn compare(self, other: Self, _: &SegmentFormat) -> Ordering {
        self.cmp(&other)
    }

    fn into_value(self) -> SegmentValue {
        SegmentValue::Bytes(self.to_vec())
    }
}

#[inline]
pub(in crate::key) fn encode_array(
    array: &[u8],
    kind: SegmentKind,
    format: &SegmentFormat,
    out: &mut Vec<u8>,
) -> Result<(), SegmentError> {
    match format {
        SegmentFormat::Raw { len } if usize::from(*len) == array.len() => {
            out.extend_from_slice(array);
            Ok(())
        }
        SegmentFormat::Hex { len } if usize::from(*len) == array.len() => {
            push_hex(array, out);
            Ok(())
        }
        SegmentFormat::CodedBytes { len } if usize::from(*len) == array.len() => {
            code::write(array, out);
            Ok(())
        }
        other => Err(refuse::mismatch(&kind, other)),
    }
}

#[inline]
pub(in crate::key) fn decode_array(
    array: &mut [u8],
    kind: SegmentKind,
    format: &SegmentFormat,
    bytes: &[u8],
) -> Result<(), SegmentError> {
    let len = array.len();
    match format {
        SegmentFormat::Raw { len: declared } if usize::from(*declared) == len => {
            if bytes.len() != len {
                return Err(refuse::malformed(bytes, format!("{len} bytes")));
            }
            array.copy_from_slice(bytes);
            Ok(())
        }
        SegmentFormat::CodedBytes { len: declared } if usize::from(*declared) == len => {
            match code::read(bytes, array) {
                Some(read) if read.len() == len => Ok(()),
                _ => Err(refuse::malformed(
                    bytes,
                    format!("{len} bytes in ordered code"),
                )),
            }
        }
        SegmentFormat::Hex { len: declared } if usize::from(*declared) == len => {
            if parse_hex(bytes, array).is_none() {
                return Err(refuse::malformed(
                    bytes,
                    format!("{len} bytes in lower-case hex"),
                ));
            }
            Ok(())
        }
        other => Err(refuse::mismatch(&kind, other)),
    }
}

/// A UUID's bytes, through which [`uuid::Uuid`] and UUIDs without that crate are written.
#[derive(Debug, Clone, Copy)]
pub(in crate::key) struct UuidBytes(pub(in crate::key) [u8; 16]);

/// The positions of the hyphens, as lengths of the groups in bytes.
const UUID_GROUPS: [usize; 5] = [4, 2, 2, 2, 6];

impl UuidBytes {
    #[inline]
    pub(in crate::key) fn encode(
        self,
        format: &SegmentFormat,
        out: &mut Vec<u8>,
    ) -> Result<(), SegmentError> {
        match format {
            SegmentFormat::Raw { len: 16 } => out.extend_from_slice(&self.0),
            SegmentFormat::CodedBytes { len: 16 } => code::write(&self.0, out),
            SegmentFormat::Uuid => {
                let mut rest = self.0.as_slice();
                for (at, group) in UUID_GROUPS.into_iter().enumerate() {
                    if at > 0 {
                        out.push(b'-');
                    }
                    let (group, after) = rest.split_at_checked(group).unwrap_or_default();
                    push_hex(group, out);
                    rest = after;
                }
            }
            other => return Err(refuse::mismatch(&SegmentKind::Uuid, other)),
        }
        Ok(())
    }

    #[inline]
    pub(in crate::key) fn decode(
        format: &SegmentFormat,
        bytes: &[u8],
    ) -> Result<Self, SegmentError> {
        let parsed = match format {
            SegmentFormat::Raw { len: 16 } => bytes.try_into().ok(),
            SegmentFormat::CodedBytes { len: 16 } => {
                let mut uuid = [0; 16];
                let read = code::read(bytes, &mut uuid).map(<[u8]>::len);
                (read == Some(16)).then_some(uuid)
            }
            SegmentFormat::Uuid => parse_uuid(bytes),
            other => return Err(refuse::mismatch(&SegmentKind::Uuid, other)),
        };
        match parsed {
            Some(bytes) => Ok(Self(bytes)),
            None => Err(refuse::malformed(bytes, "a UUID")),
        }
    }
}

fn parse_uuid(bytes: &[u8]) -> Option<[u8; 16]> {
    let mut rest = <&[u8; UUID_TEXT_BYTES]>::try_from(bytes).ok()?.as_slice();
    let mut parsed = [0; 16];
    let mut places = parsed.as_mut_slice();
    for (at, group) in UUID_GROUPS.into_iter().enumerate() {
        if at > 0 {
            rest = rest.strip_prefix(b"-")?;
        }
        let (text, after) = rest.split_at_checked(2 * group)?;
        let (place, others) = places.split_at_mut_checked(group)?;
        parse_hex(text, place)?;
        (rest, places) = (after, others);
    }
    Some(parsed)
}

#[inline]
fn push_hex(bytes: &[u8], out: &mut Vec<u8>) {
    let digit = |nibble: u8| nibble + if nibble < 10 { b'0' } else { b'a' - 10 };
    out.extend(
        bytes
            .iter()
            .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]),
    );
}

#[inline]
fn parse_hex(text: &[u8], bytes: &mut [u8]) -> Option<()> {
    let (pairs, []) = text.as_chunks::<2>() else {
        return None;
    };
    if pairs.len() != bytes.len() {
        return None;
    }
    let value = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = value(*high)? << 4 | value(*low)?;
    }
    Some(())
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
