//! Local time and spans of the calendar, by jiff.

use jiff::civil::{Date, DateTime, date};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, ToSpan as _};

pub const SECOND: i64 = 1_000_000;
pub const MINUTE: i64 = 60 * SECOND;
pub const HOUR: i64 = 60 * MINUTE;
pub const DAY: i64 = 24 * HOUR;

/// A span of time that shares a row or a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
    /// A number of microseconds, counted from 1970.
    Every(i64),
    Endless,
}

/// A zone's name; none is UTC.
pub type Zone = Option<&'static str>;

fn epoch() -> DateTime {
    date(1970, 1, 1).at(0, 0, 0, 0)
}

/// The local time.
pub fn local(zone: Zone, micros: i64) -> Option<DateTime> {
    match zone {
        None => epoch()
            .checked_add(SignedDuration::from_micros(micros))
            .ok(),
        Some(name) => {
            let instant = jiff::Timestamp::from_microsecond(micros).ok()?;
            Some(instant.to_zoned(TimeZone::get(name).unwrap()).datetime())
        }
    }
}

/// The first moment of a date.
fn beginning(zone: Zone, day: Date) -> Option<i64> {
    match zone {
        None => {
            let since = day.at(0, 0, 0, 0).duration_since(epoch());
            i64::try_from(since.as_micros()).ok()
        }
        Some(name) => {
            let zone = TimeZone::get(name).unwrap();
            let first = day.to_zoned(zone).ok()?.start_of_day().ok()?;
            Some(first.timestamp().as_microsecond())
        }
    }
}

/// The first date of the span that holds a date.
fn first_date(span: Span, day: Date) -> Option<Date> {
    match span {
        Span::Day => Some(day),
        Span::Week => {
            let since_monday = day.weekday().to_monday_zero_offset();
            day.checked_sub(i64::from(since_monday).days()).ok()
        }
        Span::Month => Some(day.first_of_month()),
        Span::Year => Some(day.first_of_year()),
        other => panic!("{other:?} has no dates"),
    }
}

fn next_date(span: Span, first: Date) -> Option<Date> {
    let length = match span {
        Span::Day => 1.day(),
        Span::Week => 1.week(),
        Span::Month => 1.month(),
        Span::Year => 1.year(),
        other => panic!("{other:?} has no dates"),
    };
    first.checked_add(length).ok()
}

/// The length of spans that are all equally long.
pub fn length(span: Span) -> Option<i64> {
    match span {
        Span::Minute => Some(MINUTE),
        Span::Hour => Some(HOUR),
        Span::Every(micros) => Some(micros),
        _ => None,
    }
}

/// The start of the span that contains a time, and of the next, which is `None` at the calendar's
/// end. Not for endless spans.
pub fn span_of(span: Span, zone: Zone, micros: i64) -> Option<(i64, Option<i64>)> {
    let day = local(zone, micros)?.date();
    if !(1..=9999).contains(&day.year()) {
        return None;
    }
    if let Some(length) = length(span) {
        let start = micros - micros.rem_euclid(length);
        return Some((start, Some(start + length)));
    }
    let first = first_date(span, day)?;
    let next = next_date(span, first).and_then(|next| beginning(zone, next));
    Some((beginning(zone, first)?, next))
}

/// Whether a time is in a day that clocks cut in two when they go back over midnight, while the day
/// on the other side of that midnight is in another span.
pub fn is_in_pieces(span: Span, zone: Zone, micros: i64) -> bool {
    let (Some(name), None) = (zone, length(span)) else {
        return false;
    };
    let day = |micros| local(zone, micros).map(DateTime::date);
    let first = |day| first_date(span, day);
    let Some(own) = day(micros) else {
        return false;
    };
    let Ok(before) = jiff::Timestamp::from_microsecond(micros - 3 * DAY) else {
        return false;
    };
    let zone_of = TimeZone::get(name).unwrap();
    let changes = zone_of.following(before);
    let changes = changes.map(|change| change.timestamp().as_microsecond());
    let mut changes = changes.take_while(|change| *change <= micros + 3 * DAY);
    changes.any(|change| match (day(change - 1), day(change)) {
        (Some(before), Some(after)) => {
            after < before && (after..=before).contains(&own) && first(after) != first(before)
        }
        _ => false,
    })
}

/// How many spans lie between two times that begin spans.
pub fn spans_between(span: Span, zone: Zone, from: i64, to: i64) -> i64 {
    if let Some(length) = length(span) {
        return to.div_euclid(length) - from.div_euclid(length);
    }
    let dates = [from, to].map(|micros| local(zone, micros).unwrap().date());
    let [from, to] = dates;
    let months = |day: Date| i64::from(day.year()) * 12 + i64::from(day.month());
    let days = (to - from).get_days();
    match span {
        Span::Day => i64::from(days),
        Span::Week => i64::from(days).div_euclid(7),
        Span::Month => months(to) - months(from),
        _ => i64::from(to.year() - from.year()),
    }
}

/// A time by a format of `strftime`, in a zone.
pub fn written(format: &str, zone: Zone, micros: i64) -> String {
    local(zone, micros).unwrap().strftime(format).to_string()
}

/// The finest field of a format.
pub fn finest(format: &str) -> Fine {
    let fields = [
        ("%6f", Fine::Even(1)),
        ("%3f", Fine::Even(1_000)),
        ("%S", Fine::Even(SECOND)),
        ("%M", Fine::Even(MINUTE)),
        ("%H", Fine::Even(HOUR)),
        ("%j", Fine::Even(DAY)),
        ("%d", Fine::Even(DAY)),
        ("%m", Fine::Dates(Span::Month)),
        ("%Y", Fine::Dates(Span::Year)),
    ];
    let mut fields = fields.iter();
    fields.find(|(field, _)| format.contains(field)).unwrap().1
}

/// The unit of the times of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fine {
    Even(i64),
    Dates(Span),
}

impl Fine {
    /// The time rounded down, in UTC; unchanged beyond the calendar.
    pub fn floor(self, micros: i64) -> i64 {
        match self {
            Self::Even(length) => micros.saturating_sub(micros.rem_euclid(length)),
            Self::Dates(span) => span_of(span, None, micros).map_or(micros, |(start, _)| start),
        }
    }
}
