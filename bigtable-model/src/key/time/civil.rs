//! The Gregorian calendar in UTC, from 1970 to 9999.

use crate::Timestamp;
use crate::key::CalendarField;

pub(crate) const DAY_MICROS: i64 = 86_400_000_000;
/// Days in 400 years, after which the calendar repeats.
pub(crate) const ERA_DAYS: i64 = 146_097;
/// Days from 0000-03-01, where the eras begin, to 1970-01-01.
const EPOCH_DAYS: i64 = 719_468;
/// Microseconds from 1970 to the start of the year 10000.
pub(crate) const END_MICROS: i64 = 253_402_300_800_000_000;

/// Whether a day of UTC begins at a time.
pub(crate) const fn is_midnight(time: Timestamp) -> bool {
    time.as_micros() % DAY_MICROS == 0
}

/// A time as calendar fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Civil {
    pub(crate) year: i64,
    pub(crate) month: i64,
    pub(crate) day: i64,
    /// Microseconds since midnight.
    pub(crate) time: i64,
}

impl Civil {
    /// The start of a year.
    pub(crate) const fn of_year(year: i64) -> Self {
        Self {
            year,
            month: 1,
            day: 1,
            time: 0,
        }
    }

    /// From microseconds since 1970, not negative and before [`END_MICROS`].
    #[inline]
    pub(crate) const fn from_micros(micros: i64) -> Self {
        let days = micros.div_euclid(DAY_MICROS) + EPOCH_DAYS;
        let (era, day_of_era) = (days.div_euclid(ERA_DAYS), days.rem_euclid(ERA_DAYS));
        // Subtract leap days: one in 4 years, none in 100, one in 400 (each at its period's end).
        let leap_days = day_of_era / 1_460 - day_of_era / 36_524 + day_of_era / (ERA_DAYS - 1);
        let year_of_era = (day_of_era - leap_days) / 365;
        let day_of_year = day_of_era - march_days(year_of_era);
        // Counted from March, every five months have 153 days.
        let march_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * march_month + 2) / 5 + 1;
        let month = if march_month < 10 {
            march_month + 3
        } else {
            march_month - 9
        };
        let january = if month <= 2 { 1 } else { 0 };
        Self {
            year: era * 400 + year_of_era + january,
            month,
            day,
            time: micros.rem_euclid(DAY_MICROS),
        }
    }

    /// Microseconds since 1970.
    #[inline]
    pub(crate) const fn micros(&self) -> i64 {
        let (year, march_month) = if self.month <= 2 {
            (self.year - 1, self.month + 9)
        } else {
            (self.year, self.month - 3)
        };
        let day_of_year = (153 * march_month + 2) / 5 + self.day - 1;
        let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let days = era * ERA_DAYS + march_days(year_of_era) + day_of_year - EPOCH_DAYS;
        days * DAY_MICROS + self.time
    }

    /// The value of a field.
    #[inline]
    pub(crate) const fn field(&self, field: CalendarField) -> i64 {
        match field {
            CalendarField::Year => self.year,
            CalendarField::Month => self.month,
            CalendarField::Day => self.day,
            CalendarField::DayOfYear => {
                (self.micros() - Self::of_year(self.year).micros()) / DAY_MICROS + 1
            }
            CalendarField::Hour => self.time / 3_600_000_000,
            CalendarField::Minute => self.time / 60_000_000 % 60,
            CalendarField::Second => self.time / 1_000_000 % 60,
            CalendarField::Millisecond => self.time / 1_000 % 1_000,
            CalendarField::Microsecond => self.time % 1_000_000,
            CalendarField::IsoYear => self.week_thursday().year,
            CalendarField::IsoWeek => {
                (self.week_thursday().field(CalendarField::DayOfYear) - 1) / 7 + 1
            }
        }
    }

    /// Days since Monday.
    pub(crate) const fn weekday(&self) -> i64 {
        (self.micros().div_euclid(DAY_MICROS) + 3).rem_euclid(7)
    }

    /// The same time of day, this many days later.
    pub(crate) const fn plus_days(&self, days: i64) -> Self {
        Self::from_micros(self.micros() + days * DAY_MICROS)
    }

    /// The Thursday of the same ISO week: its year is the week's.
    const fn week_thursday(&self) -> Self {
        self.plus_days(3 - self.weekday())
    }

    /// The last instant not after this one at which `finest` and all coarser fields begin.
    #[inline]
    pub(crate) const fn floor(self, finest: CalendarField) -> Self {
        let time = match step(finest) {
            Some(step) => self.time - self.time % step,
            None => 0,
        };
        let (month, day) = match finest {
            CalendarField::Year => (1, 1),
            CalendarField::Month => (self.month, 1),
            _ => (self.month, self.day),
        };
        Self {
            year: self.year,
            month,
            day,
            time,
        }
    }

    /// Microseconds at which the field `finest` of a time on its grid has its next value.
    pub(crate) const fn next_micros(self, finest: CalendarField) -> i64 {
        match (finest, step(finest)) {
            (_, Some(step)) => self.micros() + step,
            (CalendarField::Year, _) => Self::of_year(self.year + 1).micros(),
            (CalendarField::Month, _) if self.month == 12 => Self::of_year(self.year + 1).micros(),
            (CalendarField::Month, _) => Self {
                month: self.month + 1,
                ..self
            }
            .micros(),
            _ => self.micros() + DAY_MICROS,
        }
    }
}

/// Days from the start of the era to the start of a year, which begins in March.
const fn march_days(year_of_era: i64) -> i64 {
    365 * year_of_era + year_of_era / 4 - year_of_era / 100
}

/// The length of a field below the day in microseconds.
const fn step(field: CalendarField) -> Option<i64> {
    match field {
        CalendarField::Hour => Some(3_600_000_000),
        CalendarField::Minute => Some(60_000_000),
        CalendarField::Second => Some(1_000_000),
        CalendarField::Millisecond => Some(1_000),
        CalendarField::Microsecond => Some(1),
        _ => None,
    }
}

/// The days of a month.
pub(crate) const fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The days of a year.
pub(crate) const fn days_in_year(year: i64) -> i64 {
    if is_leap(year) { 366 } else { 365 }
}

const fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    /// Every day of the range, against another implementation of the calendar.
    #[test]
    fn every_day_is_that_of_jiff() {
        let mut date = jiff::civil::date(1970, 1, 1);
        let mut micros = 0;
        while micros < END_MICROS {
            let civil = Civil::from_micros(micros + 123_456);
            assert_eq!(
                (civil.year, civil.month, civil.day, civil.time),
                (
                    date.year().into(),
                    date.month().into(),
                    date.day().into(),
                    123_456
                )
            );
            assert_eq!(civil.micros(), micros + 123_456);
            assert_eq!(
                civil.field(CalendarField::DayOfYear),
                i64::from(date.day_of_year())
            );
            assert_eq!(
                days_in_month(civil.year, civil.month),
                i64::from(date.days_in_month())
            );
            assert_eq!(days_in_year(civil.year), i64::from(date.days_in_year()));
            micros += DAY_MICROS;
            if micros < END_MICROS {
                date = date.tomorrow().unwrap();
            }
        }
        assert_eq!(date, jiff::civil::date(9999, 12, 31));
    }
}
