//! Moments as attributes write them: a date, or a date with time and offset as in RFC 3339.

/// Microseconds since 1970 of a date at midnight UTC, or of a moment with its offset.
pub(in crate::check) fn micros(text: &str) -> Option<i64> {
    let Some((date, rest)) = text.split_once('T') else {
        return Some(days(text)? * 86_400_000_000);
    };
    let (time, offset) = split_offset(rest)?;
    Some(days(date)? * 86_400_000_000 + time_of_day(time)? - offset)
}

/// Whether the text is a date alone, whose midnight depends on the time zone.
pub(in crate::check) fn is_date(text: &str) -> bool {
    !text.contains('T')
}

/// The days since 1970 of `2021-03-01`.
fn days(date: &str) -> Option<i64> {
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let february = if leap { 29 } else { 28 };
    let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let before = lengths.get(..usize::try_from(month - 1).ok()?)?;
    let length = lengths.get(before.len())?;
    if !(1..=*length).contains(&day) || year == 0 {
        return None;
    }
    let past = year - 1;
    let years = past * 365 + past / 4 - past / 100 + past / 400;
    // Day 719,162 of this count is the first of 1970.
    Some(years + before.iter().sum::<i64>() + day - 1 - 719_162)
}

/// The microseconds since midnight of `12:00:00` or `12:00:00.5`.
fn time_of_day(time: &str) -> Option<i64> {
    let (whole, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let [hours, minutes, seconds] = numbers(whole, ':', [2, 2, 2])?;
    let is_number = fraction.bytes().all(|byte| byte.is_ascii_digit());
    if hours > 23 || minutes > 59 || seconds > 59 || !is_number || fraction.len() > 6 {
        return None;
    }
    let micros: i64 = format!("{fraction:0<6}").parse().ok()?;
    Some(((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + micros)
}

/// The time, and the microseconds of `Z`, `+01:00` or `-01:00`.
fn split_offset(text: &str) -> Option<(&str, i64)> {
    if let Some(time) = text.strip_suffix('Z') {
        return Some((time, 0));
    }
    let (time, offset) = text.split_at(text.find(['+', '-'])?);
    let sign = if offset.starts_with('-') { -1 } else { 1 };
    let [hours, minutes] = numbers(offset.get(1..)?, ':', [2, 2])?;
    (hours < 24 && minutes < 60).then_some((time, sign * (hours * 60 + minutes) * 60_000_000))
}

/// Numbers with this many digits each, with a character between them.
fn numbers<const N: usize>(text: &str, between: char, digits: [usize; N]) -> Option<[i64; N]> {
    let mut parts = text.split(between);
    let mut numbers = [0; N];
    for (number, digits) in numbers.iter_mut().zip(digits) {
        let part = parts.next()?;
        let is_number = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        *number = is_number.then(|| part.parse().ok())??;
    }
    parts.next().is_none().then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::micros;

    #[test]
    fn dates_and_moments() {
        let seconds = |text| micros(text).map(|micros| micros / 1_000_000);
        assert_eq!(seconds("1970-01-01"), Some(0));
        assert_eq!(seconds("2000-02-29"), Some(951_782_400));
        assert_eq!(seconds("2021-03-01"), Some(1_614_556_800));
        assert_eq!(seconds("1969-12-31"), Some(-86_400));
        assert_eq!(seconds("2021-03-01T00:00:00+01:00"), Some(1_614_553_200));
        assert_eq!(micros("1970-01-01T00:00:00.5Z"), Some(500_000));
        for bad in [
            "",
            "2021-02-29",
            "2021-13-01",
            "2021-00-01",
            "2021-3-1",
            "2021-03-01T00:00:00",
            "2021-03-01T24:00:00Z",
            "2021-03-01T00:00:00+1:00",
            "today",
        ] {
            assert_eq!(micros(bad), None, "{bad}");
        }
    }
}
