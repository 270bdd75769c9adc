//! Lengths of windows as text, and the beginning of a window by jiff's calendar.

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan as _, Zoned};

/// The beginning of the window that holds a time, in milliseconds, for a length such as `60
/// seconds` or `1 month in Europe/Berlin`.
pub(super) fn start(length: &str, millis: i64) -> i64 {
    let (length, zone) = length.split_once(" in ").unwrap_or((length, "UTC"));
    let (number, unit) = length.split_once(' ').unwrap();
    if unit.starts_with("second") {
        let length = number.parse::<i64>().unwrap() * 1_000;
        return millis - millis.rem_euclid(length);
    }
    assert_eq!(number, "1");
    let time = Timestamp::from_millisecond(millis).unwrap();
    let time = time.in_tz(zone).unwrap();
    let date = match unit {
        "day" => time.date(),
        "week" => monday(time.date()),
        "month" => time.date().first_of_month(),
        "year" => time.date().first_of_year(),
        _ => panic!("{unit}"),
    };
    midnight(date, &time).timestamp().as_millisecond()
}

/// The end of the window that begins at a time.
pub(super) fn end(length: &str, start: i64) -> i64 {
    const HOUR: i64 = 3_600_000;
    let (plain, _) = length.split_once(" in ").unwrap_or((length, "UTC"));
    let (number, unit) = plain.split_once(' ').unwrap();
    // A time that certainly lies in the next window.
    let days = match unit {
        "day" => 1,
        "week" => 7,
        "month" => 31,
        "year" => 366,
        _ => return start + number.parse::<i64>().unwrap() * 1_000,
    };
    self::start(length, start + (24 * days + 3) * HOUR)
}

fn monday(date: Date) -> Date {
    date - i64::from(date.weekday().to_monday_zero_offset()).days()
}

/// The beginning of a date in the zone of a time; of the next date if it is skipped.
fn midnight(date: Date, time: &Zoned) -> Zoned {
    date.to_zoned(time.time_zone().clone()).unwrap()
}
