//! Integers, by the shortest of a few coders.

use crate::PackError;
use crate::bits::{
    BitReader, BitWriter, long, low_byte, read_byte, read_bytes, read_varint, unzigzag,
    write_varint, zigzag,
};
use crate::by_pco;

/// From a first value in equal steps: one value, a constant, a grid of times.
const STEPS: u8 = 0;
/// Differences in Rice codes, whose parameter is in the higher bits.
const RICE: u8 = 1;
/// The same of the differences of differences.
const RICE_TWICE: u8 = 2;
/// By the crate `pco`.
const PCO: u8 = 3;
/// Eight bytes each, big-endian.
const RAW: u8 = 4;
/// Added to [`RICE`] and [`RICE_TWICE`]: the differences are divided by a common divisor.
const DIVIDED: u8 = 4;
const RICE_DIVIDED: u8 = RICE + DIVIDED;
const RICE_TWICE_DIVIDED: u8 = RICE_TWICE + DIVIDED;
/// The bits of a coder.
const CODER_BITS: u32 = 3;

/// A quotient of this many ones is followed by all 64 bits.
const ESCAPE: u32 = 20;
/// Parameters are tried up to this far from the likely one.
const NEAR: u32 = 3;
/// The largest parameter: five bits.
const MOST_PARAMETER: u32 = 31;
/// Fewer values than this are not tried with `pco`, which is made for long chunks.
pub(crate) const FEW: usize = 64;

/// Writes values, whose number the reader knows.
pub(crate) fn write(values: &[i64], out: &mut Vec<u8>) {
    let Some((&first, rest)) = values.split_first() else {
        return;
    };
    let step = rest.first().map_or(0, |second| second.wrapping_sub(first));
    let mut pairs = values.windows(2);
    if pairs.all(|pair| matches!(pair, [one, other] if other.wrapping_sub(*one) == step)) {
        out.push(STEPS);
        write_varint(zigzag(first), out);
        write_varint(zigzag(step), out);
        return;
    }
    let mut best = raw(values);
    for candidate in [rice(values, RICE), rice(values, RICE_TWICE)] {
        if candidate.len() < best.len() {
            best = candidate;
        }
    }
    if values.len() >= FEW
        && let Some(candidate) = by_pco::written(PCO, values)
        && candidate.len() < best.len()
    {
        best = candidate;
    }
    out.extend(best);
}

fn raw(values: &[i64]) -> Vec<u8> {
    let mut out = vec![RAW];
    out.extend(values.iter().flat_map(|value| value.to_be_bytes()));
    out
}

fn differences(values: &[i64]) -> impl Iterator<Item = i64> {
    values.windows(2).filter_map(|pair| match pair {
        [one, other] => Some(other.wrapping_sub(*one)),
        _ => None,
    })
}

/// The greatest common divisor; 1 without numbers.
fn common_divisor(values: impl Iterator<Item = i64>) -> u64 {
    let mut divisor = 0_u64;
    for value in values {
        let (mut one, mut other) = (divisor, value.unsigned_abs());
        while other != 0 {
            (one, other) = (other, one % other);
        }
        divisor = one;
        if divisor == 1 {
            break;
        }
    }
    divisor.max(1)
}

fn rice(values: &[i64], kind: u8) -> Vec<u8> {
    let first = values.first().copied().unwrap_or_default();
    let mut head = Vec::new();
    write_varint(zigzag(first), &mut head);
    let mut steps: Vec<i64> = differences(values).collect();
    if kind == RICE_TWICE {
        let second = steps.first().copied().unwrap_or_default();
        write_varint(zigzag(second), &mut head);
        steps = differences(&steps).collect();
    }
    let divisor = common_divisor(steps.iter().copied());
    let mut coder = kind;
    if divisor > 1 {
        coder += DIVIDED;
        write_varint(divisor, &mut head);
    }
    let codes: Vec<u64> = steps
        .iter()
        .map(|step| match i64::try_from(divisor) {
            Ok(divisor) => zigzag(step / divisor),
            // Only the lowest integer has such a divisor.
            Err(_) => zigzag(step.signum()),
        })
        .collect();
    let likely = likely_parameter(&codes);
    let parameter = (likely.saturating_sub(NEAR)..=MOST_PARAMETER.min(likely + NEAR))
        .min_by_key(|parameter| cost(&codes, *parameter))
        .unwrap_or_default();
    let mut out = vec![coder | (low_byte(u64::from(parameter)) << CODER_BITS)];
    out.extend(head);
    let mut bits = BitWriter::default();
    for code in codes {
        let quotient = code >> parameter;
        if quotient >= u64::from(ESCAPE) {
            bits.write((1 << ESCAPE) - 1, ESCAPE);
            bits.write_whole(code);
        } else {
            let quotient = u32::try_from(quotient).unwrap_or(ESCAPE);
            bits.write(((1 << quotient) - 1) << 1, quotient + 1);
            bits.write(code, parameter);
        }
    }
    out.extend(bits.finish());
    out
}

/// The parameter that is best if codes are spread evenly around their median.
fn likely_parameter(codes: &[u64]) -> u32 {
    let lengths = codes.iter().map(|code| u64::BITS - code.leading_zeros());
    let mut lengths: Vec<u32> = lengths.collect();
    lengths.sort_unstable();
    let median = lengths.get(lengths.len().saturating_sub(1) / 2);
    median.map_or(0, |bits| bits.saturating_sub(1).min(MOST_PARAMETER))
}

/// The bits of codes under a parameter.
fn cost(codes: &[u64], parameter: u32) -> u64 {
    let bits = codes.iter().map(|code| match code >> parameter {
        quotient if quotient >= u64::from(ESCAPE) => u64::from(ESCAPE) + 64,
        quotient => quotient + 1 + u64::from(parameter),
    });
    bits.sum()
}

/// Reads this many values.
pub(crate) fn read(bytes: &mut &[u8], count: usize) -> Result<Vec<i64>, PackError> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let byte = read_byte(bytes)?;
    let parameter = u32::from(byte >> CODER_BITS);
    let coder = byte & ((1 << CODER_BITS) - 1);
    match coder {
        STEPS => {
            let first = unzigzag(read_varint(bytes)?);
            let step = unzigzag(read_varint(bytes)?);
            // Values that do not depend on one another are computed several at once.
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            let values = (0..count).map(|number| first.wrapping_add(step.wrapping_mul(number)));
            Ok(values.collect())
        }
        RICE | RICE_TWICE | RICE_DIVIDED | RICE_TWICE_DIVIDED => {
            read_rice(bytes, count, coder, parameter)
        }
        PCO => by_pco::read(bytes, count),
        RAW => {
            let len = long(count).saturating_mul(8);
            let raw = read_bytes(bytes, len)?;
            let (values, _) = raw.as_chunks::<8>();
            Ok(values
                .iter()
                .map(|value| i64::from_be_bytes(*value))
                .collect())
        }
        _ => Err(PackError::Malformed(
            "a coder of integers that is not known",
        )),
    }
}

/// Differences, or differences of differences, as values.
fn read_rice(
    bytes: &mut &[u8],
    count: usize,
    coder: u8,
    parameter: u32,
) -> Result<Vec<i64>, PackError> {
    let first = unzigzag(read_varint(bytes)?);
    let second = match coder {
        RICE_TWICE | RICE_TWICE_DIVIDED => Some(unzigzag(read_varint(bytes)?)),
        _ => None,
    };
    let divisor = match coder {
        RICE_DIVIDED | RICE_TWICE_DIVIDED => read_varint(bytes)?.cast_signed(),
        _ => 1,
    };
    let known = 1 + usize::from(second.is_some());
    let more = count.checked_sub(known);
    let more = more.ok_or(PackError::Malformed("more values than there are events"))?;
    let mut steps = read_steps(bytes, more, divisor, parameter)?;
    if let Some(second) = second {
        steps = sums(second, &steps);
    }
    Ok(sums(first, &steps))
}

fn sums(first: i64, steps: &[i64]) -> Vec<i64> {
    let mut values = Vec::with_capacity(steps.len() + 1);
    let mut value = first;
    values.push(value);
    for step in steps {
        value = value.wrapping_add(*step);
        values.push(value);
    }
    values
}

/// Rice codes to the end of a byte.
fn read_steps(
    bytes: &mut &[u8],
    count: usize,
    divisor: i64,
    parameter: u32,
) -> Result<Vec<i64>, PackError> {
    // A code has at least one bit.
    if count.div_ceil(8) > bytes.len() {
        return Err(PackError::Short);
    }
    let mut bits = BitReader::new(bytes);
    let mut steps = Vec::with_capacity(count);
    let mut used = 0_u64;
    for _ in 0..count {
        let quotient = bits.read_ones(ESCAPE)?;
        let code = if quotient == ESCAPE {
            used += u64::from(ESCAPE) + 64;
            bits.read_whole()?
        } else {
            used += u64::from(quotient + 1 + parameter);
            (u64::from(quotient) << parameter) | bits.read(parameter)?
        };
        steps.push(unzigzag(code).wrapping_mul(divisor));
    }
    read_bytes(bytes, used.div_ceil(8))?;
    Ok(steps)
}
