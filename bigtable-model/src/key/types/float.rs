//! Floats in keys.

use std::cmp::Ordering;

use super::NO_WIDTH;
use super::primitive::sealed::Sealed;
use crate::key::refuse;
use crate::key::{
    SegmentError, SegmentFormat, SegmentKind, SegmentOptions, SegmentPrimitive, SegmentValue,
};

pub(super) const fn refusal(
    _: SegmentKind,
    options: SegmentOptions,
    _: bool,
) -> Option<&'static str> {
    if options.code.is_some() {
        return Some(
            "Bigtable's ordered code has no floats: store a whole number of a smaller unit, such as cents, or remove `encoding`",
        );
    }
    match options.width {
        _ if !options.binary => Some("a float has no text form that keeps order: write `binary`"),
        Some(_) => Some(NO_WIDTH),
        None => None,
    }
}

pub(super) const fn format(kind: SegmentKind, _: SegmentOptions) -> SegmentFormat {
    SegmentFormat::FloatBits {
        len: bits(kind) / 8,
    }
}

pub(super) const fn takes(kind: SegmentKind, format: &SegmentFormat) -> bool {
    matches!(
        (bits(kind), format),
        (32, SegmentFormat::FloatBits { len: 4 }) | (64, SegmentFormat::FloatBits { len: 8 })
    )
}

pub(super) const fn is_like(kind: SegmentKind, other: SegmentKind) -> bool {
    matches!(other, SegmentKind::Float { bits: same } if same == bits(kind))
}

pub(super) fn encode(
    kind: SegmentKind,
    value: &SegmentValue,
    format: &SegmentFormat,
    separator: u8,
    out: &mut Vec<u8>,
) -> Option<Result<(), SegmentError>> {
    match (bits(kind), value) {
        (32, SegmentValue::Float32(value)) => Some(value.encode(format, separator, out)),
        (64, SegmentValue::Float(value)) => Some(value.encode(format, separator, out)),
        _ => None,
    }
}

pub(super) fn decode(
    kind: SegmentKind,
    format: &SegmentFormat,
    _: u8,
    bytes: &[u8],
) -> Result<SegmentValue, SegmentError> {
    match bits(kind) {
        32 => f32::decode(format, bytes).map(f32::into_value),
        64 => f64::decode(format, bytes).map(f64::into_value),
        _ => Err(refuse::mismatch(&kind, format)),
    }
}

pub(super) fn samples(kind: SegmentKind) -> Vec<SegmentValue> {
    vec![match bits(kind) {
        32 => SegmentValue::Float32(600.5),
        _ => SegmentValue::Float(600.5),
    }]
}

#[cfg(feature = "testing")]
pub(super) fn random(
    kind: SegmentKind,
    _: &SegmentFormat,
    _: u8,
    rng: &mut fastrand::Rng,
) -> SegmentValue {
    match bits(kind) {
        32 => SegmentValue::Float32(f32::from_bits(rng.u32(..))),
        _ => SegmentValue::Float(f64::from_bits(rng.u64(..))),
    }
}

const fn bits(kind: SegmentKind) -> u16 {
    match kind {
        SegmentKind::Float { bits } => bits,
        _ => 0,
    }
}

macro_rules! float {
    ($($float:ident, $int:ident, $bits:literal => $value:ident;)+) => {$(
        impl Sealed for $float {}

        /// IEEE 754 total order: -NaN, negative numbers, -0, +0, positive numbers, +NaN. Every bit
        /// pattern is read back unchanged.
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
