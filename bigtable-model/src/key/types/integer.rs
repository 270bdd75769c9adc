//! Integers in keys.

use std::cmp::Ordering;
use std::fmt::Display;

use crate::data::IntEncoding;
use crate::key::encoding::{code, digits};
use crate::key::primitive::sealed::Sealed;
use crate::key::refuse;
use crate::key::{SegmentError, SegmentFormat, SegmentKind, SegmentPrimitive, SegmentValue};

macro_rules! unsigned {
    ($($int:ident in $word:ident by $push:ident, $parse:ident;)+) => {$(
        impl Sealed for $int {}

        impl<'a> SegmentPrimitive<'a> for $int {
            const KIND: SegmentKind = SegmentKind::Unsigned { bits: bits(Self::BITS) };

            #[inline(always)]
            fn encode(self, format: &SegmentFormat, _: u8, out: &mut Vec<u8>) -> Result<(), SegmentError> {
                match format {
                    SegmentFormat::Digits { width } => {
                        let width = usize::from(*width);
                        digits::$push($word::from(self), width, out)
                            .map_err(|needed| refuse::too_wide(&self, needed, width))
                    }
                    SegmentFormat::BigEndian { len } if usize::from(*len) == size_of::<Self>() => {
                        out.extend_from_slice(&self.to_be_bytes());
                        Ok(())
                    }
                    SegmentFormat::CodedInt => match i64::try_from(self) {
                        Ok(number) => {
                            push_coded(number, out);
                            Ok(())
                        }
                        Err(_) => Err(beyond_code(&self)),
                    },
                    other => Err(refuse::mismatch(&Self::KIND, other)),
                }
            }

            #[inline(always)]
            fn decode(format: &SegmentFormat, bytes: &'a [u8]) -> Result<Self, SegmentError> {
                match format {
                    SegmentFormat::Digits { width } if bytes.len() == usize::from(*width) => {
                        digits::$parse(bytes)
                            .and_then(|value| Self::try_from(value).ok())
                            .ok_or_else(|| not_a_number(bytes, Self::KIND, format))
                    }
                    SegmentFormat::BigEndian { len } if usize::from(*len) == size_of::<Self>() => {
                        match <[u8; size_of::<Self>()]>::try_from(bytes) {
                            Ok(bytes) => Ok(Self::from_be_bytes(bytes)),
                            Err(_) => Err(not_a_number(bytes, Self::KIND, format)),
                        }
                    }
                    SegmentFormat::CodedInt => parse_coded(bytes)
                        .and_then(|number| Self::try_from(number).ok())
                        .ok_or_else(|| not_a_number(bytes, Self::KIND, format)),
                    SegmentFormat::Digits { .. } => Err(not_a_number(bytes, Self::KIND, format)),
                    other => Err(refuse::mismatch(&Self::KIND, other)),
                }
            }

            #[inline]
            fn compare(self, other: Self, _: &SegmentFormat) -> Ordering {
                self.cmp(&other)
            }

            fn into_value(self) -> SegmentValue {
                SegmentValue::Unsigned(self.into())
            }
        }
    )+};
}

unsigned! {
    u8 in u64 by push_u64, parse_u64;
    u16 in u64 by push_u64, parse_u64;
    u32 in u64 by push_u64, parse_u64;
    u64 in u64 by push_u64, parse_u64;
    u128 in u128 by push_u128, parse_u128;
}

macro_rules! signed {
    ($($int:ident, $unsigned:ident in $word:ident by $push:ident, $parse:ident;)+) => {$(
        impl Sealed for $int {}

        impl<'a> SegmentPrimitive<'a> for $int {
            const KIND: SegmentKind = SegmentKind::Signed { bits: bits(Self::BITS) };

            #[inline(always)]
            fn encode(self, format: &SegmentFormat, _: u8, out: &mut Vec<u8>) -> Result<(), SegmentError> {
                match format {
                    SegmentFormat::SignedDigits { width } => {
                        let width = usize::from(*width);
                        let start = out.len();
                        out.push(if self < 0 { b'-' } else { b'0' });
                        // 10^n - |x| is the nines' complement of |x| - 1, and !x is |x| - 1.
                        let rest = if self < 0 { !self } else { self }.unsigned_abs();
                        if let Err(needed) = digits::$push($word::from(rest), width.saturating_sub(1), out) {
                            out.truncate(start);
                            return Err(refuse::too_wide(&self, needed + 1, width));
                        }
                        if self < 0 {
                            complement(out.get_mut(start + 1..).unwrap_or_default());
                        }
                        Ok(())
                    }
                    SegmentFormat::SignedBigEndian { len } if usize::from(*len) == size_of::<Self>() => {
                        out.extend_from_slice(&(self ^ Self::MIN).to_be_bytes());
                        Ok(())
                    }
                    SegmentFormat::CodedInt => match i64::try_from(self) {
                        Ok(number) => {
                            push_coded(number, out);
                            Ok(())
                        }
                        Err(_) => Err(beyond_code(&self)),
                    },
                    other => Err(refuse::mismatch(&Self::KIND, other)),
                }
            }

            #[inline(always)]
            fn decode(format: &SegmentFormat, bytes: &'a [u8]) -> Result<Self, SegmentError> {
                let value = match format {
                    SegmentFormat::SignedDigits { width } if bytes.len() == usize::from(*width) => {
                        match bytes.split_first() {
                            Some((b'0', digits)) => {
                                digits::$parse(digits).and_then(|value| Self::try_from(value).ok())
                            }
                            Some((b'-', digits)) => nines_minus(digits, digits::$parse)
                                .and_then(|value| Self::try_from(value).ok())
                                .map(|rest| !rest),
                            _ => None,
                        }
                    }
                    SegmentFormat::SignedBigEndian { len } if usize::from(*len) == size_of::<Self>() => {
                        <[u8; size_of::<Self>()]>::try_from(bytes)
                            .ok()
                            .map(|bytes| Self::from_be_bytes(bytes) ^ Self::MIN)
                    }
                    SegmentFormat::CodedInt => {
                        parse_coded(bytes).and_then(|number| Self::try_from(number).ok())
                    }
                    SegmentFormat::SignedDigits { .. } => None,
                    other => return Err(refuse::mismatch(&Self::KIND, other)),
                };
                value.ok_or_else(|| not_a_number(bytes, Self::KIND, format))
            }

            #[inline]
            fn compare(self, other: Self, _: &SegmentFormat) -> Ordering {
                self.cmp(&other)
            }

            fn into_value(self) -> SegmentValue {
                SegmentValue::Signed(self.into())
            }
        }
    )+};
}

signed! {
    i8, u8 in u64 by push_u64, parse_u64;
    i16, u16 in u64 by push_u64, parse_u64;
    i32, u32 in u64 by push_u64, parse_u64;
    i64, u64 in u64 by push_u64, parse_u64;
    i128, u128 in u128 by push_u128, parse_u128;
}

/// The maximum size of an integer in ordered code, in bytes.
const CODED_BYTES: usize = 10;

/// Appends a number in ordered code.
#[inline]
pub(in crate::key) fn push_coded(number: i64, out: &mut Vec<u8>) {
    let start = out.len();
    // Ordered code can express every number.
    let _ = IntEncoding::OrderedCode.encode(number, out);
    let field = out.get(start..).unwrap_or_default();
    if field.contains(&0) {
        let mut kept = [0; CODED_BYTES];
        if let Some(kept) = kept.get_mut(..field.len()) {
            kept.copy_from_slice(field);
            out.truncate(start);
            code::write(kept, out);
        }
    }
}

/// The number of bytes in ordered code.
#[inline]
pub(in crate::key) fn parse_coded(bytes: &[u8]) -> Option<i64> {
    let mut place = [0; CODED_BYTES];
    IntEncoding::OrderedCode.decode(code::read(bytes, &mut place)?)
}

#[cold]
#[inline(never)]
pub(in crate::key) fn beyond_code(value: &dyn Display) -> SegmentError {
    // Bigtable's integers have 8 bytes.
    refuse::too_wide(value, 16, 8)
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "integers have 128 bits at most"
)]
const fn bits(count: u32) -> u16 {
    count as u16
}

/// Replaces each digit `d` by `9 - d`.
#[inline]
fn complement(digits: &mut [u8]) {
    for digit in digits {
        *digit = (b'0' + b'9').wrapping_sub(*digit);
    }
}

/// The value of the nines' complement of a text of digits, however wide.
fn nines_minus<T>(digits: &[u8], parse: fn(&[u8]) -> Option<T>) -> Option<T> {
    let nines = digits.iter().take_while(|digit| **digit == b'9').count();
    let rest = digits.get(nines..)?;
    let mut text = [0; 40];
    let text = match rest.len() {
        0 if nines > 0 => &mut *text.first_chunk_mut::<1>()?,
        len => text.get_mut(..len)?,
    };
    if rest.is_empty() {
        text.fill(b'9');
    } else {
        text.copy_from_slice(rest);
    }
    complement(text);
    parse(text)
}

#[cold]
#[inline(never)]
fn not_a_number(bytes: &[u8], kind: SegmentKind, format: &SegmentFormat) -> SegmentError {
    refuse::malformed(bytes, format!("{kind} written as {{:{format}}}"))
}
