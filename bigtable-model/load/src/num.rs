//! Counts as floats and back.

#[expect(clippy::cast_precision_loss, reason = "shares and rates of counts")]
pub(crate) fn float(count: u64) -> f64 {
    count as f64
}

pub(crate) fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// The whole part; 0 for negative numbers and for NaN.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates, as is wanted"
)]
pub(crate) fn whole(number: f64) -> u64 {
    number as u64
}

/// The same as an index below `end`, the last one at most.
pub(crate) fn index(number: f64, end: usize) -> usize {
    let index = usize::try_from(whole(number)).unwrap_or(usize::MAX);
    index.min(end.saturating_sub(1))
}

/// The share of a whole; 0 if the whole is 0.
pub(crate) fn share(part: f64, whole: f64) -> f64 {
    match whole > 0.0 {
        true => part / whole,
        false => 0.0,
    }
}

/// The number in the middle; 0 if there are none.
pub(crate) fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}

/// A number with its thousands separated.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A rate or ratio with only the digits that matter.
pub(crate) fn brief(number: f64) -> String {
    match number {
        _ if number >= 1_000.0 => thousands(whole(number.round())),
        _ if number >= 10.0 => format!("{number:.0}"),
        _ if number >= 1.0 || number == 0.0 => format!("{number:.1}"),
        _ if number >= 0.01 => format!("{number:.2}"),
        _ if number >= 1e-6 => {
            let zeros = index(-number.log10().floor(), 7);
            format!("{number:.*}", zeros + 1)
        }
        _ => format!("{number:.2e}"),
    }
}

/// Bytes in the unit that fits, of a thousand each.
pub(crate) fn bytes(number: f64) -> String {
    let mut rest = number;
    for unit in ["B", "kB", "MB", "GB", "TB"] {
        if rest < 1_000.0 {
            return format!("{} {unit}", brief(rest));
        }
        rest /= 1_000.0;
    }
    format!("{} PB", brief(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_brief() {
        let numbers = [26_115.4, 12.3, 2.0, 0.0, 0.25, 0.000_831, 1.0, 4e-9];
        let texts = [
            "26,115", "12", "2.0", "0.0", "0.25", "0.00083", "1.0", "4.00e-9",
        ];
        assert_eq!(numbers.map(brief), texts);
    }
}
