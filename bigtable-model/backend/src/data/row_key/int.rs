//! Integers in ordered code: as many one bits as there are bytes, a zero bit, the number; negative
//! ones with every bit inverted.

/// The bytes of a number.
pub(super) fn encode(number: i64) -> Vec<u8> {
    let magnitude = magnitude(number);
    let len = len(magnitude);
    let bits = len * 8;
    let ones = ((1_u128 << len) - 1) << (bits - len);
    let coded = ones | u128::from(magnitude);
    let coded = if number < 0 { !coded } else { coded };
    let all = coded.to_be_bytes();
    all.iter().skip(all.len() - len).copied().collect()
}

/// The number of these bytes; none if they are none's.
pub(super) fn decode(bytes: &[u8]) -> Option<i64> {
    let first = *bytes.first()?;
    let negative = first & 0x80 == 0;
    let plain = |byte: &u8| if negative { !byte } else { *byte };
    if bytes.len() > 10 {
        return None;
    }
    let coded = bytes
        .iter()
        .fold(0_u128, |coded, byte| (coded << 8) | u128::from(plain(byte)));
    let bits = bytes.len() * 8;
    let kept = (1_u128 << (bits - bytes.len())) - 1;
    let magnitude = i64::try_from(coded & kept).ok()?;
    let number = if negative { !magnitude } else { magnitude };
    // Other forms of one number are no keys.
    (encode(number) == bytes).then_some(number)
}

/// What is left of a number when its sign is told by inversion.
fn magnitude(number: i64) -> u64 {
    let magnitude = if number < 0 { !number } else { number };
    magnitude.cast_unsigned()
}

fn len(magnitude: u64) -> usize {
    let bits = u64::BITS - magnitude.leading_zeros();
    usize::try_from(bits / 7 + 1).unwrap_or(1)
}
