//! Calendar formats in labels and offsets: they may lack fields, and may have fields that key
//! formats do not have.

use crate::key::refuse;
use crate::key::time::civil::{self, Civil};
use crate::key::{CalendarField, CalendarFormat, SegmentError};

/// The values of a pattern's fields; missing fields have the base time's values.
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
    format
        .write(civil, out)
        .ok_or_else(|| refuse::malformed(out, "a label of the years 0 to 9999"))
}

/// The local time with the fields in `bytes`, and the fields of `base` that the format lacks.
///
/// The time's own text may differ (day 31 of a short month): the caller encodes it again to
/// compare.
pub(super) fn decode(format: &CalendarFormat, base: Civil, bytes: &[u8]) -> Option<Civil> {
    let mut fields = Fields {
        civil: base,
        iso_year: None,
        iso_week: None,
        day_of_year: None,
    };
    format.read(bytes, |field, value| fields.set(field, value))?;
    fields.finish()
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
            // The first week contains 4 January.
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
        // The comparison of texts refuses a day that this month lacks; here it only has to be a day
        // of some month.
        civil.day = civil.day.min(31);
        Some(civil)
    }
}
