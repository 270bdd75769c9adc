//! Lengths of windows in words, and when a window of them begins, by jiff's calendar.

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan as _, Zoned};

/// When the window that holds a time begins, in milliseconds: of a length like `60 seconds` or
/// `1 month in Europe/Berlin`.
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

fn monday(date: Date) -> Date {
    date - i64::from(date.weekday().to_monday_zero_offset()).days()
}

/// When a date begins where a time is; the next one where it is left out.
fn midnight(date: Date, time: &Zoned) -> Zoned {
    date.to_zoned(time.time_zone().clone()).unwrap()
}
