//! Floats: exact decimals as integers, others as they are.

use crate::PackError;
use crate::bits::read_byte;
use crate::{by_pco, integers};

/// Integers divided by a power of ten, whose exponent is in the higher bits.
const DECIMALS: u8 = 0;
/// Their bits as integers: a constant, or few different ones.
const BITS: u8 = 1;
/// By the crate `pco`.
const PCO: u8 = 2;
/// Integers times a number, whose eight bytes follow: values that were converted from another unit.
const MULTIPLES: u8 = 3;

/// The bits of a coder.
const CODER_BITS: u32 = 2;

/// The smallest value is at most this many times that number.
const MOST_TIMES: u32 = 24;

/// The maximum number of digits after the point.
const MOST_DIGITS: u8 = 6;
/// All integers below this are exact as floats.
const EXACT: f64 = 9_007_199_254_740_992.0;

pub(crate) fn write(values: &[f64], out: &mut Vec<u8>) {
    // For decimals, the other coders take as long again each, and save a percent at most.
    if let Some((digits, scaled)) = decimals(values) {
        out.push(DECIMALS | (digits << CODER_BITS));
        integers::write(&scaled, out);
        return;
    }
    let mut best = vec![BITS];
    let bits = values.iter().map(|value| value.to_bits().cast_signed());
    let bits: Vec<i64> = bits.collect();
    integers::write(&bits, &mut best);
    let multiples = multiples(values).map(|(unit, scaled)| {
        let mut candidate = vec![MULTIPLES];
        candidate.extend(unit.to_be_bytes());
        integers::write(&scaled, &mut candidate);
        candidate
    });
    let by_pco = (values.len() >= integers::FEW)
        .then(|| by_pco::written(PCO, values))
        .flatten();
    for candidate in multiples.into_iter().chain(by_pco) {
        if candidate.len() < best.len() {
            best = candidate;
        }
    }
    out.extend(best);
}

/// The fewest digits after a point with which all values are decimals, bit for bit.
fn decimals(values: &[f64]) -> Option<(u8, Vec<i64>)> {
    (0..=MOST_DIGITS).find_map(|digits| {
        let power = 10_f64.powi(i32::from(digits));
        let scaled = values.iter().map(|value| {
            let scaled = integer((value * power).round());
            scaled.filter(|one| (float(*one) / power).to_bits() == value.to_bits())
        });
        Some((digits, scaled.collect::<Option<Vec<i64>>>()?))
    })
}

/// A whole number as an integer that is the same number again.
#[expect(clippy::cast_possible_truncation, reason = "it is small and whole")]
fn integer(whole: f64) -> Option<i64> {
    (whole.abs() < EXACT).then_some(whole as i64)
}

/// An integer that [`integer`] gave as the same number.
#[expect(clippy::cast_precision_loss, reason = "others were not written")]
fn float(integer: i64) -> f64 {
    integer as f64
}

/// A number that all values are multiples of, bit for bit.
fn multiples(values: &[f64]) -> Option<(f64, Vec<i64>)> {
    let sizes = values.iter().map(|value| value.abs());
    let least = sizes.filter(|size| *size > 0.0).min_by(f64::total_cmp)?;
    (1..=MOST_TIMES).find_map(|times| {
        let unit = least / f64::from(times);
        // The number may have few digits, while the quotient has a rounding error.
        let written = (unit * 1e6).round() / 1e6;
        [unit, written].into_iter().find_map(|unit| {
            let scaled = values.iter().map(|value| {
                let scaled = integer((value / unit).round());
                scaled.filter(|one| (float(*one) * unit).to_bits() == value.to_bits())
            });
            Some((unit, scaled.collect::<Option<Vec<i64>>>()?))
        })
    })
}

pub(crate) fn read(bytes: &mut &[u8], count: usize) -> Result<Vec<f64>, PackError> {
    let byte = read_byte(bytes)?;
    match byte & ((1 << CODER_BITS) - 1) {
        DECIMALS => {
            let digits = byte >> CODER_BITS;
            if digits > MOST_DIGITS {
                return Err(PackError::Malformed("a decimal of more than six digits"));
            }
            let power = 10_f64.powi(i32::from(digits));
            let scaled = integers::read(bytes, count)?;
            // A list of its own, since changes in place are made one by one.
            Ok(scaled.iter().map(|one| float(*one) / power).collect())
        }
        BITS => {
            let bits = integers::read(bytes, count)?;
            let values = bits.into_iter();
            Ok(values
                .map(|one| f64::from_bits(one.cast_unsigned()))
                .collect())
        }
        PCO => by_pco::read(bytes, count),
        MULTIPLES => {
            let (unit, rest) = bytes.split_first_chunk().ok_or(PackError::Short)?;
            *bytes = rest;
            let unit = f64::from_be_bytes(*unit);
            let scaled = integers::read(bytes, count)?;
            Ok(scaled.into_iter().map(|one| float(one) * unit).collect())
        }
        _ => Err(PackError::Malformed("a coder of floats that is not known")),
    }
}
