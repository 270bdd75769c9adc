//! Decimal digits of a fixed width, eight at a time.

/// Powers of ten by exponent, up to the maximum of `u64`.
const POW10: [u64; 20] = {
    let mut powers = [1; 20];
    let mut at = 1;
    #[allow(clippy::indexing_slicing, reason = "both indices are below 20")]
    while at < 20 {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

const EIGHT: u64 = 100_000_000;
const SIXTEEN: u64 = EIGHT * EIGHT;

/// 10 to the power of `exponent`, if `u64` holds it.
#[inline]
pub(crate) fn pow10(exponent: usize) -> Option<u64> {
    POW10.get(exponent).copied()
}

/// Appends `value` in `width` digits, or returns the number of digits that it needs if there are
/// more.
#[inline(always)]
pub(crate) fn push_u64(value: u64, width: usize, out: &mut Vec<u8>) -> Result<(), usize> {
    if pow10(width).is_some_and(|end| value >= end) {
        return Err(count(value.into()));
    }
    match width {
        0..=8 => push_tail(&eight(value), width, out),
        9..=16 => push_tail(&sixteen(value), width, out),
        _ => {
            let high = eight(value / SIXTEEN);
            let low = sixteen(value % SIXTEEN);
            out.resize(out.len() + width.saturating_sub(24), b'0');
            push_tail(&high, width.min(24) - 16, out);
            out.extend_from_slice(&low);
        }
    }
    Ok(())
}

/// Like [`push_u64`], for 128 bits.
#[inline]
pub(crate) fn push_u128(value: u128, width: usize, out: &mut Vec<u8>) -> Result<(), usize> {
    if let Ok(value) = u64::try_from(value) {
        return push_u64(value, width, out);
    }
    push_long(value, width, out)
}

#[inline(never)]
fn push_long(value: u128, width: usize, out: &mut Vec<u8>) -> Result<(), usize> {
    let needed = count(value);
    if needed > width {
        return Err(needed);
    }
    out.resize(out.len() + (width - needed), b'0');
    // 39 digits at most: 16, 16 and 7.
    let base = u128::from(SIXTEEN);
    let mut text = [b'0'; 48];
    let parts = [value / base / base, value / base % base, value % base];
    for (place, part) in text.chunks_exact_mut(16).zip(parts) {
        place.copy_from_slice(&sixteen(u64::try_from(part).unwrap_or_default()));
    }
    push_tail(&text, needed, out);
    Ok(())
}

/// How many digits `value` has.
pub(crate) fn count(value: u128) -> usize {
    value
        .checked_ilog10()
        .map_or(1, |log| usize::try_from(log).unwrap_or_default() + 1)
}

/// The value of a text of digits; `None` if it is empty, has other characters or is too large.
#[inline(always)]
pub(crate) fn parse_u64(text: &[u8]) -> Option<u64> {
    match text.len() {
        0 => None,
        1..8 => {
            let mut padded = [b'0'; 8];
            padded.get_mut(8 - text.len()..)?.copy_from_slice(text);
            parse_eight(padded)
        }
        8..=16 => {
            // The two groups overlap: the first one's tail is cut off by the division.
            let high = parse_eight(*text.first_chunk()?)?;
            let low = parse_eight(*text.last_chunk()?)?;
            Some(high / pow10(16 - text.len())? * EIGHT + low)
        }
        _ => u64::try_from(parse_u128(text)?).ok(),
    }
}

/// Like [`parse_u64`], for 128 bits.
pub(crate) fn parse_u128(text: &[u8]) -> Option<u128> {
    if text.is_empty() {
        return None;
    }
    let (head, groups) = text.split_at_checked(text.len() % 8)?;
    let mut value = match head {
        [] => 0,
        head => u128::from(parse_u64(head)?),
    };
    for group in groups.chunks_exact(8) {
        let group = parse_eight(*group.first_chunk()?)?;
        value = value.checked_mul(EIGHT.into())?.checked_add(group.into())?;
    }
    Some(value)
}

#[inline]
fn push_tail<const N: usize>(digits: &[u8; N], width: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(digits.get(N - width.min(N)..).unwrap_or_default());
}

/// Sixteen digits of a value below 10^16.
#[inline]
fn sixteen(value: u64) -> [u8; 16] {
    let mut text = [0; 16];
    let (high, low) = text.split_at_mut(8);
    high.copy_from_slice(&eight(value / EIGHT));
    low.copy_from_slice(&eight(value % EIGHT));
    text
}

/// Eight digits of a value below 10^8, by dividing in parallel lanes of one word: two numbers of
/// four digits, four of two, eight of one. Multiplications replace the divisions by 100 and by 10;
/// they are exact below 10^4 and 10^2.
#[inline]
fn eight(value: u64) -> [u8; 8] {
    let fours = (value / 10_000) | ((value % 10_000) << 32);
    let high = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let twos = high | ((fours - high * 100) << 16);
    let high = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    let ones = high | ((twos - high * 10) << 8);
    (ones | 0x3030_3030_3030_3030).to_le_bytes()
}

/// The inverse of [`eight`]; `None` if a byte is not a digit.
#[inline]
fn parse_eight(text: [u8; 8]) -> Option<u64> {
    const NIBBLES: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    const ZEROS: u64 = 0x3030_3030_3030_3030;
    let word = u64::from_le_bytes(text);
    // A digit has the high nibble 3, and keeps it after adding 6 to the low one.
    let digits = word & !NIBBLES == ZEROS
        && (word & NIBBLES).wrapping_add(0x0606_0606_0606_0606) & !NIBBLES == 0;
    if !digits {
        return None;
    }
    let ones = word & NIBBLES;
    let twos = (ones * 10 + (ones >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (twos * 100 + (twos >> 16)) & 0x0000_ffff_0000_ffff;
    Some((fours * 10_000 + (fours >> 32)) & 0xffff_ffff)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn digits_are_those_of_format(value: u64, shift in 0..64_u32, extra in 0..30_usize) {
            let value = value >> shift;
            let width = count(value.into()) + extra;
            let mut out = Vec::new();
            push_u64(value, width, &mut out).unwrap();
            prop_assert_eq!(std::str::from_utf8(&out).unwrap(), format!("{value:0width$}"));
            prop_assert_eq!(parse_u64(&out), Some(value));
        }

        #[test]
        fn wide_digits_are_those_of_format(value: u128, shift in 0..128_u32, extra in 0..30_usize) {
            let value = value >> shift;
            let width = count(value) + extra;
            let mut out = Vec::new();
            push_u128(value, width, &mut out).unwrap();
            prop_assert_eq!(std::str::from_utf8(&out).unwrap(), format!("{value:0width$}"));
            prop_assert_eq!(parse_u128(&out), Some(value));
        }

        #[test]
        fn a_narrow_width_is_refused(value in 1_u128.., shift in 0..127_u32) {
            let value = (value >> shift).max(1);
            let needed = count(value);
            let mut out = Vec::new();
            prop_assert_eq!(push_u128(value, needed - 1, &mut out), Err(needed));
            prop_assert!(out.is_empty());
        }

        #[test]
        fn only_digits_are_read(text in prop::collection::vec(prop_oneof![b'0'..=b'9', any::<u8>()], 0..50)) {
            let all = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
            let expected = all.then(|| std::str::from_utf8(&text).unwrap().parse::<u128>().ok()).flatten();
            prop_assert_eq!(parse_u128(&text), expected);
            prop_assert_eq!(parse_u64(&text), expected.and_then(|value| value.try_into().ok()));
        }
    }

    #[test]
    fn eight_digits_are_exact_for_every_pair_of_groups() {
        for value in (0..EIGHT)
            .step_by(9_973)
            .chain(0..20_000)
            .chain(EIGHT - 20_000..EIGHT)
        {
            assert_eq!(eight(value).as_slice(), format!("{value:08}").as_bytes());
            assert_eq!(parse_eight(eight(value)), Some(value));
        }
    }
}
