//! Days in keys.

use std::time::Duration;

use super::instant;
use crate::Timestamp;
use crate::key::refuse;
use crate::key::time::civil::is_midnight;
use crate::key::{
    CalendarField, CalendarItem, KeySegment, SegmentError, SegmentFormat, SegmentKind,
    SegmentOptions, SegmentPrimitive, SegmentValue,
};

/// The default format of a date: `%Y%m%d`.
const DATE: &[CalendarItem] = &[
    CalendarItem::Field(CalendarField::Year),
    CalendarItem::Field(CalendarField::Month),
    CalendarItem::Field(CalendarField::Day),
];

pub(super) use super::instant::samples;

#[cfg(feature = "testing")]
pub(super) use super::instant::random;

/// Why a date has no zone.
pub(in crate::key) const IN_ZONE: &str = "a date is a day of UTC, which lies in two days of a zone: remove `zone`, or make the field a `Timestamp`";

pub(super) const fn refusal(
    kind: SegmentKind,
    options: SegmentOptions,
    last: bool,
) -> Option<&'static str> {
    match options.offset_seconds {
        0 => instant::refusal(kind, options, last),
        _ => Some(IN_ZONE),
    }
}

pub(super) const fn takes(kind: SegmentKind, format: &SegmentFormat) -> bool {
    match format {
        SegmentFormat::Calendar { offset_seconds, .. } if *offset_seconds != 0 => false,
        format => instant::takes(kind, format),
    }
}

pub(super) const fn format(kind: SegmentKind, mut options: SegmentOptions) -> SegmentFormat {
    if options.is_without_form() {
        options.format = Some(DATE);
    }
    // Refused beside this.
    options.offset_seconds = 0;
    instant::format(kind, options)
}

pub(super) const fn is_like(_: SegmentKind, other: SegmentKind) -> bool {
    matches!(other, SegmentKind::Date)
}

pub(super) fn encode(
    kind: SegmentKind,
    value: &SegmentValue,
    format: &SegmentFormat,
    separator: u8,
    out: &mut Vec<u8>,
) -> Option<Result<(), SegmentError>> {
    match value {
        SegmentValue::Time(time) if !is_of_date(*time, format) => {
            Some(Err(refuse::not_exact(*time, "day")))
        }
        value => instant::encode(kind, value, format, separator, out),
    }
}

pub(super) fn decode(
    _: SegmentKind,
    format: &SegmentFormat,
    _: u8,
    bytes: &[u8],
) -> Result<SegmentValue, SegmentError> {
    match Timestamp::decode(format, bytes)? {
        time if is_of_date(time, format) => Ok(SegmentValue::Time(time)),
        _ => Err(refuse::malformed(bytes, "the beginning of a day")),
    }
}

/// Whether a time belongs to a segment of dates. In a bucket it is the time of its events.
fn is_of_date(time: Timestamp, format: &SegmentFormat) -> bool {
    matches!(format, SegmentFormat::Bucket(_)) || is_midnight(time)
}

const DAY: Duration = Duration::from_secs(86_400);

/// The first start of a day that is not before `time`; `None` after the last.
pub(in crate::key) fn ceil(time: Timestamp) -> Option<Timestamp> {
    const MICROS: i64 = 86_400_000_000;
    let micros = time.as_micros();
    match micros.rem_euclid(MICROS) {
        0 => Some(time),
        above => micros
            .checked_add(MICROS - above)
            .map(Timestamp::from_micros),
    }
}

/// How many days a time is after 1970.
///
/// # Errors
/// For a time that is not the start of a day.
fn days(stored: Timestamp) -> Result<i64, SegmentError> {
    if !is_midnight(stored) {
        let refused = format!("{stored} is not the beginning of a day in UTC, as dates are stored");
        return Err(SegmentError::Refused(refused));
    }
    let days = (stored.abs_diff(Timestamp::UNIX_EPOCH).as_secs() / DAY.as_secs()).cast_signed();
    Ok(if stored < Timestamp::UNIX_EPOCH {
        -days
    } else {
        days
    })
}

/// The start of the day this many days after 1970. A [`Timestamp`] can hold all dates.
fn midnight(days: i64) -> Timestamp {
    Timestamp::from_seconds(days.saturating_mul(DAY.as_secs().cast_signed()))
}

#[cold]
fn beyond(stored: Timestamp, holder: &str) -> SegmentError {
    SegmentError::Refused(format!("{stored} is beyond the range of {holder}"))
}

const JIFF_EPOCH: jiff::civil::Date = jiff::civil::Date::constant(1970, 1, 1);

/// Written `%Y%m%d` unless it declares otherwise. As a time it is the beginning of the day in UTC.
impl KeySegment for jiff::civil::Date {
    const __IS_OWN: bool = false;

    type Stored<'a> = Timestamp;

    const KIND: SegmentKind = SegmentKind::Date;

    fn store(&self) -> Timestamp {
        midnight(self.duration_since(JIFF_EPOCH).as_hours() / 24)
    }

    fn restore(stored: Timestamp) -> Result<Self, SegmentError> {
        let span = jiff::SignedDuration::from_hours(days(stored)?.saturating_mul(24));
        JIFF_EPOCH
            .checked_add(span)
            .map_err(|_| beyond(stored, "jiff::civil::Date"))
    }
}

/// Written `%Y%m%d` unless it declares otherwise. As a time it is the beginning of the day in UTC.
#[cfg(feature = "chrono")]
impl KeySegment for chrono::NaiveDate {
    const __IS_OWN: bool = false;

    type Stored<'a> = Timestamp;

    const KIND: SegmentKind = SegmentKind::Date;

    fn store(&self) -> Timestamp {
        midnight(self.signed_duration_since(Self::default()).num_days())
    }

    fn restore(stored: Timestamp) -> Result<Self, SegmentError> {
        let span = chrono::TimeDelta::try_days(days(stored)?);
        span.and_then(|span| Self::default().checked_add_signed(span))
            .ok_or_else(|| beyond(stored, "chrono::NaiveDate"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn known_days() {
        for (year, month, day, at) in [
            (1970, 1, 1, "1970-01-01T00:00:00Z"),
            (1969, 12, 31, "1969-12-31T00:00:00Z"),
            (2024, 2, 29, "2024-02-29T00:00:00Z"),
            (-9999, 1, 1, "-009999-01-01T00:00:00Z"),
            (9999, 12, 31, "9999-12-31T00:00:00Z"),
        ] {
            let at: Timestamp = at.parse().unwrap();
            let date = jiff::civil::date(year, month, day);
            assert_eq!(date.store(), at);
            assert_eq!(jiff::civil::Date::restore(at).unwrap(), date);
            #[cfg(feature = "chrono")]
            {
                let (month, day) = (month.unsigned_abs().into(), day.unsigned_abs().into());
                let date = chrono::NaiveDate::from_ymd_opt(year.into(), month, day).unwrap();
                assert_eq!(date.store(), at);
                assert_eq!(chrono::NaiveDate::restore(at).unwrap(), date);
            }
        }
    }

    #[test]
    fn times_of_no_date() {
        let error = jiff::civil::Date::restore(Timestamp::from_seconds(-1)).unwrap_err();
        let text = "1969-12-31T23:59:59Z is not the beginning of a day in UTC, as dates are stored";
        assert_eq!(error.to_string(), text);
        let far = Timestamp::MAX.floor_to(DAY);
        let error = jiff::civil::Date::restore(far).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("is beyond the range of jiff::civil::Date"),
            "{error}"
        );
    }

    #[cfg(feature = "chrono")]
    #[test]
    fn every_date_of_chrono_comes_back() {
        for date in [chrono::NaiveDate::MIN, chrono::NaiveDate::MAX] {
            assert_eq!(chrono::NaiveDate::restore(date.store()).unwrap(), date);
        }
        assert!(chrono::NaiveDate::restore(Timestamp::MAX.floor_to(DAY)).is_err());
    }
}
