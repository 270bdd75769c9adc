//! Byte arrays in keys.

use std::cmp::Ordering;

use super::primitive::sealed::Sealed;
use crate::key::encoding::{code, hex};
use crate::key::refuse;
use crate::key::{
    SegmentError, SegmentFormat, SegmentKind, SegmentOptions, SegmentPrimitive, SegmentValue,
};

pub(super) const fn refusal(
    kind: SegmentKind,
    options: SegmentOptions,
    _: bool,
) -> Option<&'static str> {
    if len(kind) == 0 {
        return Some("a byte array in a key has 1 byte or more");
    }
    match options.width {
        Some(_) => Some("`width` is given by the array's length: remove it"),
        None => None,
    }
}

pub(super) const fn format(kind: SegmentKind, options: SegmentOptions) -> SegmentFormat {
    let len = len(kind);
    match options.binary {
        true if options.code.is_some() => SegmentFormat::CodedBytes { len },
        true => SegmentFormat::Raw { len },
        false => SegmentFormat::Hex { len },
    }
}

pub(super) const fn takes(kind: SegmentKind, format: &SegmentFormat) -> bool {
    match format {
        SegmentFormat::Hex { len: same }
        | SegmentFormat::Raw { len: same }
        | SegmentFormat::CodedBytes { len: same } => len(kind) == *same && *same > 0,
        _ => false,
    }
}

pub(super) const fn is_like(_: SegmentKind, other: SegmentKind) -> bool {
    matches!(other, SegmentKind::Bytes | SegmentKind::ByteArray { .. })
}

pub(super) fn encode(
    kind: SegmentKind,
    value: &SegmentValue,
    format: &SegmentFormat,
    _: u8,
    out: &mut Vec<u8>,
) -> Option<Result<(), SegmentError>> {
    let SegmentValue::Bytes(bytes) = value else {
        return None;
    };
    let len = usize::from(len(kind));
    if bytes.len() != len {
        let text = bytes.escape_ascii();
        return Some(Err(refuse::too_wide(&text, bytes.len(), len)));
    }
    Some(encode_array(bytes, kind, format, out))
}

pub(super) fn decode(
    kind: SegmentKind,
    format: &SegmentFormat,
    _: u8,
    bytes: &[u8],
) -> Result<SegmentValue, SegmentError> {
    let mut array = vec![0; usize::from(len(kind))];
    decode_array(&mut array, kind, format, bytes)?;
    Ok(SegmentValue::Bytes(array))
}

pub(super) fn samples(kind: SegmentKind) -> Vec<SegmentValue> {
    let bytes = (0..len(kind)).map(|at| at.to_le_bytes()[0]);
    vec![SegmentValue::Bytes(bytes.collect())]
}

#[cfg(feature = "testing")]
pub(super) fn random(
    kind: SegmentKind,
    _: &SegmentFormat,
    _: u8,
    rng: &mut fastrand::Rng,
) -> SegmentValue {
    SegmentValue::Bytes((0..len(kind)).map(|_| rng.u8(..)).collect())
}

const fn len(kind: SegmentKind) -> u16 {
    match kind {
        SegmentKind::ByteArray { len } => len,
        _ => 0,
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
fn encode_array(
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
            hex::push(array, out);
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
fn decode_array(
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
            if hex::parse(bytes, array).is_none() {
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
