//! Integers in ordered code: as many one bits as there are bytes, a zero bit, the number. In
//! negative numbers every bit is inverted.

/// Appends the bytes of a number.
pub(super) fn encode(number: i64, out: &mut Vec<u8>) {
    let (coded, len) = coded(number);
    let all = coded.to_be_bytes();
    out.extend_from_slice(all.get(all.len() - len..).unwrap_or_default());
}

/// A number's bytes, as the low bytes of a word, and how many there are.
fn coded(number: i64) -> (u128, usize) {
    let magnitude = magnitude(number);
    let len = len(magnitude);
    let bits = len * 8;
    let ones = ((1_u128 << len) - 1) << (bits - len);
    let coded = ones | u128::from(magnitude);
    let coded = if number < 0 { !coded } else { coded };
    (coded & ((1 << bits) - 1), len)
}

/// The number of these bytes; `None` if no number has them.
pub(super) fn decode(bytes: &[u8]) -> Option<i64> {
    let first = *bytes.first()?;
    let negative = first & 0x80 == 0;
    if bytes.len() > 10 {
        return None;
    }
    let word = |byte: fn(u8, bool) -> u8| {
        let bytes = bytes.iter().map(|one| byte(*one, negative));
        bytes.fold(0_u128, |word, byte| (word << 8) | u128::from(byte))
    };
    let bits = bytes.len() * 8;
    let kept = (1_u128 << (bits - bytes.len())) - 1;
    let plain = word(|byte, negative| if negative { !byte } else { byte });
    let magnitude = i64::try_from(plain & kept).ok()?;
    let number = if negative { !magnitude } else { magnitude };
    // Only one form of each number is valid.
    (coded(number) == (word(|byte, _| byte), bytes.len())).then_some(number)
}

/// The bits of a number without its sign, which inversion shows.
fn magnitude(number: i64) -> u64 {
    let magnitude = if number < 0 { !number } else { number };
    magnitude.cast_unsigned()
}

fn len(magnitude: u64) -> usize {
    let bits = u64::BITS - magnitude.leading_zeros();
    usize::try_from(bits / 7 + 1).unwrap_or(1)
}
