//! Calendar formats in labels and offsets: other fields than in keys, and fields without leading zeros.

use crate::key::civil::{self, Civil};
use crate::key::{CalendarField, CalendarFormat, CalendarItem, SegmentError, digits, refuse};

/// The values of a pattern's fields, those that it has not being those of the time it began with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields {
    civil: Civil,
    iso_year: Option<i64>,
    iso_week: Option<i64>,
    day_of_year: Option<i64>,
}

/// Appends the fields of a local time.
pub(super) fn encode(
    format: &CalendarFormat,
    civil: Civil,
    out: &mut Vec<u8>,
) -> Result<(), SegmentError> {
    for item in format.items() {
        match item {
            CalendarItem::Literal(text) => out.extend_from_slice(text.as_bytes()),
            CalendarItem::Unpadded(field) => {
                out.extend_from_slice(civil.field(*field).to_string().as_bytes());
            }
            CalendarItem::Field(field) => {
                let value = u64::try_from(civil.field(*field)).unwrap_or_default();
                digits::push_u64(value, field.digits(), out)
                    .map_err(|_| refuse::malformed(out, "a label of the years 0 to 9999"))?;
            }
        }
    }
    Ok(())
}

/// The local time whose fields stand in `bytes`, those that the format lacks being those of `base`.
///
/// It may be one whose own text is another (day 31 of a short month): the caller encodes it again to compare.
pub(super) fn decode(format: &CalendarFormat, base: Civil, bytes: &[u8]) -> Option<Civil> {
    let mut fields = Fields {
        civil: base,
        iso_year: None,
        iso_week: None,
        day_of_year: None,
    };
    let mut rest = bytes;
    for item in format.items() {
        match item {
            CalendarItem::Literal(text) => rest = rest.strip_prefix(text.as_bytes())?,
            CalendarItem::Field(field) => {
                let (text, tail) = rest.split_at_checked(field.digits())?;
                fields.set(*field, number(text)?)?;
                rest = tail;
            }
            CalendarItem::Unpadded(field) => {
                let most = rest.len().min(field.digits());
                let end = rest
                    .iter()
                    .take(most)
                    .position(|byte| !byte.is_ascii_digit());
                let (text, tail) = rest.split_at_checked(end.unwrap_or(most))?;
                if text.len() > 1 && text.first() == Some(&b'0') {
                    return None;
                }
                fields.set(*field, number(text)?)?;
                rest = tail;
            }
        }
    }
    if !rest.is_empty() {
        return None;
    }
    fields.finish()
}

fn number(text: &[u8]) -> Option<i64> {
    i64::try_from(digits::parse_u64(text)?).ok()
}

impl Fields {
    fn set(&mut self, field: CalendarField, value: i64) -> Option<()> {
        let civil = &mut self.civil;
        let time = |civil: &mut Civil, unit: i64, count: i64| {
            let (value, count) = (value * unit, count * unit);
            let above = civil.time / count * count;
            let below = civil.time % unit;
            (value < count).then(|| civil.time = above + value + below)
        };
        match field {
            CalendarField::Year => civil.year = value,
            CalendarField::Month => civil.month = (1..=12).contains(&value).then_some(value)?,
            CalendarField::Day => civil.day = (1..=31).contains(&value).then_some(value)?,
            CalendarField::DayOfYear => self.day_of_year = Some(value),
            CalendarField::IsoYear => self.iso_year = Some(value),
            CalendarField::IsoWeek => self.iso_week = Some(value),
            CalendarField::Hour => return time(civil, 3_600_000_000, 24),
            CalendarField::Minute => return time(civil, 60_000_000, 60),
            CalendarField::Second => return time(civil, 1_000_000, 60),
            CalendarField::Millisecond => return time(civil, 1_000, 1_000),
            CalendarField::Microsecond => return time(civil, 1, 1_000_000),
        }
        Some(())
    }

    fn finish(self) -> Option<Civil> {
        let mut civil = self.civil;
        if let (Some(year), Some(week)) = (self.iso_year, self.iso_week) {
            // The first week holds the fourth of January.
            let fourth = Civil {
                day: 4,
                ..Civil::of_year(year)
            };
            let days = 7 * (week - 1) - fourth.weekday();
            return Some(fourth.plus_days(days));
        }
        if let Some(day) = self.day_of_year {
            let first = Civil {
                time: civil.time,
                ..Civil::of_year(civil.year)
            };
            return (1..=civil::days_in_year(civil.year))
                .contains(&day)
                .then(|| first.plus_days(day - 1));
        }
        // A day that a month lacks is refused by comparing texts; here it only must not be out of any month.
        civil.day = civil.day.min(31);
        Some(civil)
    }
}
