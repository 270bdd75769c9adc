//! Spans of time as attributes write them: `15m`.

/// The microseconds in each unit.
const UNITS: &[(&str, i64)] = &[
    ("ms", 1_000),
    ("s", 1_000_000),
    ("m", 60_000_000),
    ("h", 3_600_000_000),
    ("d", 86_400_000_000),
];

/// A number with a unit, in microseconds; `None` for any other text and for zero.
pub(in crate::check) fn micros(text: &str) -> Option<i64> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let (_, micros) = UNITS.iter().find(|(word, _)| *word == unit)?;
    let number: i64 = number.parse().ok()?;
    number.checked_mul(*micros).filter(|micros| *micros > 0)
}

#[cfg(test)]
mod tests {
    use super::micros;

    #[test]
    fn a_number_and_a_unit() {
        assert_eq!(micros("15m"), Some(900_000_000));
        assert_eq!(micros("250ms"), Some(250_000));
        assert_eq!(micros("7d"), Some(604_800_000_000));
        for bad in [
            "",
            "15",
            "m",
            "0s",
            "-1s",
            "1.5h",
            "1w",
            "15 m",
            "99999999999999d",
        ] {
            assert_eq!(micros(bad), None, "{bad}");
        }
    }
}
