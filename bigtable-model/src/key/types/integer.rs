//! Integers in keys.

use std::cmp::Ordering;
use std::fmt::Display;

use super::NO_BINARY;
use super::primitive::sealed::Sealed;
use crate::data::IntEncoding;
use crate::key::encoding::{code, digits};
use crate::key::refuse;
use crate::key::{
    SegmentError, SegmentFormat, SegmentKind, SegmentOptions, SegmentPrimitive, SegmentValue,
};

pub(super) const fn refusal(
    kind: SegmentKind,
    options: SegmentOptions,
    _: bool,
) -> Option<&'static str> {
    if options.code.is_some() {
        if options.binary {
            return Some(NO_BINARY);
        }
        if !options.is_text() && !is_within_code(kind) {
            return Some(
                "Bigtable's integers are those of `i64`: use `i64` or `u32`, or write `width = ...`, which makes it text",
            );
        }
    }
    match (kind, options.width) {
        (SegmentKind::Signed { .. }, Some(1)) => {
            Some("`width` of a signed integer counts its sign: write 2 or more")
        }
        (_, Some(_)) if options.binary => {
            Some("`width` does not go with `binary`: binary integers have the width of their type")
        }
        _ => None,
    }
}

pub(super) const fn format(kind: SegmentKind, options: SegmentOptions) -> SegmentFormat {
    if options.code.is_some() && options.width.is_none() {
        return SegmentFormat::CodedInt;
    }
    let len = bits(kind) / 8;
    match (is_signed(kind), options.binary) {
        (false, true) => SegmentFormat::BigEndian { len },
        (true, true) => SegmentFormat::SignedBigEndian { len },
        (false, false) => SegmentFormat::Digits {
            width: options.width_or(max_digits(bits(kind))),
        },
        // One digit for the sign; the largest magnitude is half the unsigned one.
        (true, false) => SegmentFormat::SignedDigits {
            width: options.width_or(1 + max_digits(bits(kind) - 1)),
        },
    }
}

pub(super) const fn takes(kind: SegmentKind, format: &SegmentFormat) -> bool {
    let bits = bits(kind);
    if !matches!(bits, 8 | 16 | 32 | 64 | 128) {
        return false;
    }
    match (format, is_signed(kind)) {
        (SegmentFormat::Digits { width }, false) => *width > 0,
        (SegmentFormat::SignedDigits { width }, true) => *width > 1,
        (SegmentFormat::BigEndian { len }, false)
        | (SegmentFormat::SignedBigEndian { len }, true) => bits / 8 == *len,
        (SegmentFormat::CodedInt, _) => is_within_code(kind),
        (SegmentFormat::Salt(salt), false) => bits == 16 && salt.refusal().is_none(),
        _ => false,
    }
}

pub(super) const fn is_like(kind: SegmentKind, other: SegmentKind) -> bool {
    match other {
        SegmentKind::Unsigned { .. } => !is_signed(kind),
        SegmentKind::Signed { .. } => is_signed(kind),
        _ => false,
    }
}

pub(super) fn encode(
    kind: SegmentKind,
    value: &SegmentValue,
    format: &SegmentFormat,
    separator: u8,
    out: &mut Vec<u8>,
) -> Option<Result<(), SegmentError>> {
    match (value, is_signed(kind)) {
        (SegmentValue::Unsigned(value), false) => {
            Some(encode_unsigned(*value, kind, format, separator, out))
        }
        (SegmentValue::Signed(value), true) => {
            Some(encode_signed(*value, kind, format, separator, out))
        }
        _ => None,
    }
}

pub(super) fn decode(
    kind: SegmentKind,
    format: &SegmentFormat,
    _: u8,
    bytes: &[u8],
) -> Result<SegmentValue, SegmentError> {
    macro_rules! of {
        ($int:ident) => {
            $int::decode(format, bytes).map($int::into_value)
        };
    }
    match (bits(kind), is_signed(kind)) {
        (8, false) => of!(u8),
        (16, false) => of!(u16),
        (32, false) => of!(u32),
        (64, false) => of!(u64),
        (128, false) => of!(u128),
        (8, true) => of!(i8),
        (16, true) => of!(i16),
        (32, true) => of!(i32),
        (64, true) => of!(i64),
        (128, true) => of!(i128),
        _ => Err(refuse::mismatch(&kind, format)),
    }
}

pub(super) fn samples(kind: SegmentKind) -> Vec<SegmentValue> {
    match is_signed(kind) {
        false => [42, 4, 1].map(SegmentValue::Unsigned).into(),
        true => [-42, 4, 1].map(SegmentValue::Signed).into(),
    }
}

#[cfg(feature = "testing")]
pub(super) fn random(
    kind: SegmentKind,
    format: &SegmentFormat,
    _: u8,
    rng: &mut fastrand::Rng,
) -> SegmentValue {
    let value = rng.u128(..=max_magnitude(kind, format));
    if !is_signed(kind) {
        return SegmentValue::Unsigned(value);
    }
    let value = i128::try_from(value).unwrap_or(i128::MAX);
    SegmentValue::Signed(if rng.bool() { value } else { -value })
}

/// The largest number that a segment holds; the least signed number is one further from 0.
pub(in crate::key) fn max_magnitude(kind: SegmentKind, format: &SegmentFormat) -> u128 {
    let bits = bits(kind).saturating_sub(is_signed(kind).into());
    let of_type = u128::MAX >> 128_u32.saturating_sub(bits.into()).min(127);
    let digits = match format {
        SegmentFormat::Digits { width } => *width,
        SegmentFormat::SignedDigits { width } => width.saturating_sub(1),
        _ => return of_type,
    };
    match 10_u128.checked_pow(digits.into()) {
        Some(end) => of_type.min(end - 1),
        None => of_type,
    }
}

const fn is_signed(kind: SegmentKind) -> bool {
    matches!(kind, SegmentKind::Signed { .. })
}

const fn bits(kind: SegmentKind) -> u16 {
    match kind {
        SegmentKind::Unsigned { bits } | SegmentKind::Signed { bits } => bits,
        _ => 128,
    }
}

/// Whether Bigtable's integers hold every number of the type.
const fn is_within_code(kind: SegmentKind) -> bool {
    match kind {
        SegmentKind::Unsigned { bits } => matches!(bits, 8 | 16 | 32),
        SegmentKind::Signed { bits } => matches!(bits, 8 | 16 | 32 | 64),
        _ => false,
    }
}

/// The digits of the largest number with this many bits.
#[allow(clippy::cast_possible_truncation, reason = "39 digits at most")]
const fn max_digits(bits: u16) -> u16 {
    let unused = 128_u32.saturating_sub(bits as u32);
    match (u128::MAX >> unused).checked_ilog10() {
        Some(log) => log as u16 + 1,
        None => 1,
    }
}

fn encode_unsigned(
    value: u128,
    kind: SegmentKind,
    format: &SegmentFormat,
    separator: u8,
    out: &mut Vec<u8>,
) -> Result<(), SegmentError> {
    macro_rules! narrowed {
        ($int:ident) => {
            match $int::try_from(value) {
                Ok(value) => value.encode(format, separator, out),
                Err(_) => Err(too_wide(&value, format, digits::count(value))),
            }
        };
    }
    match bits(kind) {
        8 => narrowed!(u8),
        16 => narrowed!(u16),
        32 => narrowed!(u32),
        64 => narrowed!(u64),
        128 => value.encode(format, separator, out),
        _ => Err(refuse::mismatch(&kind, format)),
    }
}

fn encode_signed(
    value: i128,
    kind: SegmentKind,
    format: &SegmentFormat,
    separator: u8,
    out: &mut Vec<u8>,
) -> Result<(), SegmentError> {
    macro_rules! narrowed {
        ($int:ident) => {
            match $int::try_from(value) {
                Ok(value) => value.encode(format, separator, out),
                Err(_) => {
                    let digits = digits::count(value.unsigned_abs());
                    Err(too_wide(&value, format, 1 + digits))
                }
            }
        };
    }
    match bits(kind) {
        8 => narrowed!(i8),
        16 => narrowed!(i16),
        32 => narrowed!(i32),
        64 => narrowed!(i64),
        128 => value.encode(format, separator, out),
        _ => Err(refuse::mismatch(&kind, format)),
    }
}

/// The error of a number too large for the segment's type: in text it needs its digits, in binary
/// twice the bytes.
#[cold]
fn too_wide(value: &dyn Display, format: &SegmentFormat, digits: usize) -> SegmentError {
    if *format == SegmentFormat::CodedInt {
        return beyond_code(value);
    }
    let width = format.fixed_len().unwrap_or_default();
    let bytes = match format {
        SegmentFormat::BigEndian { .. } | SegmentFormat::SignedBigEndian { .. } => 2 * width,
        _ => digits,
    };
    refuse::too_wide(value, bytes, width)
}

macro_rules! unsigned {
    ($($int:ident in $word:ident by $push:ident, $parse:ident;)+) => {$(
        impl Sealed for $int {}

        impl<'a> SegmentPrimitive<'a> for $int {
            const KIND: SegmentKind = SegmentKind::Unsigned { bits: width(Self::BITS) };

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
            const KIND: SegmentKind = SegmentKind::Signed { bits: width(Self::BITS) };

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
pub(super) fn push_coded(number: i64, out: &mut Vec<u8>) {
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

/// Decodes a number from its bytes in ordered code.
#[inline]
pub(super) fn parse_coded(bytes: &[u8]) -> Option<i64> {
    let mut place = [0; CODED_BYTES];
    IntEncoding::OrderedCode.decode(code::read(bytes, &mut place)?)
}

#[cold]
#[inline(never)]
fn beyond_code(value: &dyn Display) -> SegmentError {
    // Bigtable's integers have 8 bytes.
    refuse::too_wide(value, 16, 8)
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "integers have 128 bits at most"
)]
const fn width(count: u32) -> u16 {
    count as u16
}

/// Replaces each digit `d` by `9 - d`.
#[inline]
fn complement(digits: &mut [u8]) {
    for digit in digits {
        *digit = (b'0' + b'9').wrapping_sub(*digit);
    }
}

/// The value of the nines' complement of a text of any number of digits.
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
