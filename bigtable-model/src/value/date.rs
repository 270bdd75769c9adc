use super::codec::{append, utf8};
use super::{CellValue, Takes, ValueError};

const EXPECTED: &str = "a date such as 2015-03-16";

/// A date as text that sorts.
fn encode(
    date: &dyn std::fmt::Display,
    (year, month, day): (i32, u32, u32),
    out: &mut Vec<u8>,
) -> Result<(), ValueError> {
    if !(0..=9_999).contains(&year) {
        return Err(ValueError::out_of_range(date, "the years 0 to 9999"));
    }
    append(format!("{year:04}-{month:02}-{day:02}").as_bytes(), out)
}

/// Year, month and day, if [`encode`] writes these bytes.
fn decode(bytes: &[u8]) -> Result<(i16, i8, i8), ValueError> {
    let malformed = || ValueError::malformed(EXPECTED, bytes);
    let text = utf8(bytes, EXPECTED)?;
    let number = |from, to| {
        let digits = text
            .get(from..to)
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        digits.and_then(|digits| digits.parse::<i16>().ok())
    };
    let dashes = (text.get(4..5), text.get(7..8), text.len()) == (Some("-"), Some("-"), 10);
    let narrow = |number: Option<i16>| number.and_then(|number| i8::try_from(number).ok());
    match (number(0, 4), narrow(number(5, 7)), narrow(number(8, 10))) {
        (Some(year), Some(month), Some(day)) if dashes => Ok((year, month, day)),
        _ => Err(malformed()),
    }
}

impl CellValue for jiff::civil::Date {
    const NAME: &'static str = "date";

    fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), ValueError> {
        let (month, day) = (self.month().unsigned_abs(), self.day().unsigned_abs());
        encode(self, (self.year().into(), month.into(), day.into()), out)
    }

    fn decode_value(bytes: &[u8]) -> Result<Self, ValueError> {
        let (year, month, day) = decode(bytes)?;
        Self::new(year, month, day).map_err(|_| ValueError::malformed(EXPECTED, bytes))
    }

    fn takes() -> Takes {
        Takes::All
    }
}

#[cfg(feature = "chrono")]
impl CellValue for chrono::NaiveDate {
    const NAME: &'static str = "date";

    fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), ValueError> {
        use chrono::Datelike as _;

        encode(self, (self.year(), self.month(), self.day()), out)
    }

    fn decode_value(bytes: &[u8]) -> Result<Self, ValueError> {
        let (year, month, day) = decode(bytes)?;
        let (month, day) = (month.unsigned_abs().into(), day.unsigned_abs().into());
        Self::from_ymd_opt(year.into(), month, day)
            .ok_or_else(|| ValueError::malformed(EXPECTED, bytes))
    }

    fn takes() -> Takes {
        Takes::All
    }
}
