/// The name `bytes[N]`, made at compile time: arrays of different lengths are different forms.
pub(super) struct ArrayName<const N: usize>;

const PREFIX: &[u8] = b"bytes[";

impl<const N: usize> ArrayName<N> {
    const DIGITS: usize = match N.checked_ilog10() {
        Some(power) => power as usize + 1,
        None => 1,
    };

    /// Longer than any name; a constant's length cannot depend on `N`.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "what a division by 10 leaves is one digit"
    )]
    const TEXT: [u8; 32] = {
        let mut text = [0; 32];
        let (head, tail) = text.split_at_mut(PREFIX.len());
        head.copy_from_slice(PREFIX);
        let (digits, end) = tail.split_at_mut(Self::DIGITS);
        if let [bracket, ..] = end {
            *bracket = b']';
        }
        let mut rest = N;
        let mut left = digits;
        while let [before @ .., last] = left {
            *last = b'0' + (rest % 10) as u8;
            rest /= 10;
            left = before;
        }
        text
    };

    pub(super) const AS_STR: &'static str = {
        let (name, _) = Self::TEXT.split_at(PREFIX.len() + Self::DIGITS + 1);
        match std::str::from_utf8(name) {
            Ok(name) => name,
            Err(_) => "bytes[]",
        }
    };
}
