//! Floats, `bool` and `char` in keys.

use std::cmp::Ordering;

use super::text;
use crate::key::primitive::sealed::Sealed;
use crate::key::refuse;
use crate::key::{SegmentError, SegmentFormat, SegmentKind, SegmentPrimitive, SegmentValue};

macro_rules! float {
    ($($float:ident, $int:ident, $bits:literal => $value:ident;)+) => {$(
        impl Sealed for $float {}

        /// IEEE 754 total order: -NaN, negative numbers, -0, +0, positive numbers, +NaN. Every bit
        /// pattern comes back.
        impl<'a> SegmentPrimitive<'a> for $float {
            const KIND: SegmentKind = SegmentKind::Float { bits: $bits };

            #[inline(always)]
            fn encode(self, format: &SegmentFormat, _: u8, out: &mut Vec<u8>) -> Result<(), SegmentError> {
                match format {
                    SegmentFormat::FloatBits { len } if usize::from(*len) == size_of::<Self>() => {
                        const SIGN: $int = 1 << ($bits - 1);
                        let bits = self.to_bits();
                        let ordered = if bits & SIGN == 0 { bits | SIGN } else { !bits };
                        out.extend_from_slice(&ordered.to_be_bytes());
                        Ok(())
                    }
                    other => Err(refuse::mismatch(&Self::KIND, other)),
                }
            }

            #[inline(always)]
            fn decode(format: &SegmentFormat, bytes: &'a [u8]) -> Result<Self, SegmentError> {
                match format {
                    SegmentFormat::FloatBits { len } if usize::from(*len) == size_of::<Self>() => {
                        const SIGN: $int = 1 << ($bits - 1);
                        let Ok(bytes) = bytes.try_into() else {
                            return Err(refuse::malformed(bytes, concat!("a float of ", $bits, " bits")));
                        };
                        let ordered = $int::from_be_bytes(bytes);
                        let bits = if ordered & SIGN == 0 { !ordered } else { ordered & !SIGN };
                        Ok(Self::from_bits(bits))
                    }
                    other => Err(refuse::mismatch(&Self::KIND, other)),
                }
            }

            #[inline]
            fn compare(self, other: Self, _: &SegmentFormat) -> Ordering {
                self.total_cmp(&other)
            }

            fn into_value(self) -> SegmentValue {
                SegmentValue::$value(self)
            }
        }
    )+};
}

float! {
    f32, u32, 32 => Float32;
    f64, u64, 64 => Float;
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
