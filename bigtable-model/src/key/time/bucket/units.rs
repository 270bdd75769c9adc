//! Starts of buckets, counted in some duration.

use crate::Timestamp;
use crate::key::SegmentError;
use crate::key::encoding::digits;
use crate::key::refuse;
use crate::key::time::ticks::max_ticks;

/// Whole durations since a time, with leading zeros; reversed: the largest value minus them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Units {
    micros: i64,
    origin: Timestamp,
    width: u16,
    reverse: bool,
}

impl Units {
    pub(super) fn new(micros: i64, origin: Timestamp, width: u16, reverse: bool) -> Self {
        Self {
            micros: micros.max(1),
            origin,
            width,
            reverse,
        }
    }

    /// Appends the number of a bucket's start.
    pub(super) fn encode(self, start: Timestamp, out: &mut Vec<u8>) -> Result<(), SegmentError> {
        let max = max_ticks(self.width);
        let count = self.count(start)?;
        let width = self.width.into();
        let too_wide = || refuse::too_wide(&count, digits::count(count.into()), width);
        if count > max {
            return Err(too_wide());
        }
        let number = if self.reverse { max - count } else { count };
        digits::push_u64(number, width, out).map_err(|_| too_wide())
    }

    fn count(self, start: Timestamp) -> Result<u64, SegmentError> {
        let above = start.as_micros().checked_sub(self.origin.as_micros());
        match above {
            Some(above) if above >= 0 && above % self.micros == 0 => {
                Ok((above / self.micros).unsigned_abs())
            }
            Some(above) if above >= 0 => Err(SegmentError::Refused(format!(
                "the bucket that begins at {start} does not begin a whole number of the label's duration after {}",
                self.origin
            ))),
            _ if self.origin == Timestamp::UNIX_EPOCH => Err(refuse::before_epoch(start)),
            _ => Err(SegmentError::Refused(format!(
                "{start} is before {}, from which the label counts",
                self.origin
            ))),
        }
    }

    /// The time with this number, which need not be the start of a bucket.
    pub(super) fn decode(self, bytes: &[u8]) -> Option<Timestamp> {
        let max = max_ticks(self.width);
        let number = digits::parse_u64(bytes).filter(|number| *number <= max)?;
        let count = if self.reverse { max - number } else { number };
        let above = i64::try_from(count).ok()?.checked_mul(self.micros)?;
        let start = self.origin.as_micros().checked_add(above)?;
        Some(Timestamp::from_micros(start))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use crate::Timestamp;
    use crate::key::SegmentError;
    use crate::key::time::bucket::{Bucket, BucketLabel, BucketSpan};

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn hundreds(origin: &str, width: u16, reverse: bool) -> Bucket {
        Bucket {
            span: BucketSpan::Hour,
            zone: None,
            label: BucketLabel::Units {
                micros: 100_000_000,
                origin: at(origin),
                width,
                reverse,
            },
            grid_micros: 1_000,
            truncate: false,
        }
    }

    fn label(bucket: &Bucket, time: &str) -> String {
        let mut label = Vec::new();
        bucket.encode(at(time), &mut label).unwrap();
        assert_eq!(bucket.decode(&label), bucket.start_of(at(time)));
        String::from_utf8(label).unwrap()
    }

    #[test]
    fn golden_labels() {
        let since_1970 = hundreds("1970-01-01T00:00:00Z", 8, false);
        assert_eq!(since_1970.to_string(), "08 of 100s");
        assert_eq!(label(&since_1970, "2015-03-16T07:44:59Z"), "14264892");
        assert_eq!(
            since_1970.decode(b"14264892").unwrap(),
            at("2015-03-16T07:00:00Z")
        );
        // No bucket begins within an hour.
        assert!(since_1970.decode(b"14264893").is_err());
        assert!(since_1970.decode(b"014264892").is_err());
        let later = at("1969-12-31T23:00:00Z");
        assert!(since_1970.encode(later, &mut Vec::new()).is_err());
        let reversed = hundreds("1970-01-01T00:00:00Z", 8, true);
        assert_eq!(label(&reversed, "2015-03-16T07:44:59Z"), "85735107");
        assert!(reversed.is_reversed() && reversed.sorts());
        let since_2015 = hundreds("2015-03-16T00:00:00Z", 3, false);
        assert_eq!(label(&since_2015, "2015-03-16T07:44:59Z"), "252");
        let too_late = since_2015.encode(at("2015-03-18T07:44:59Z"), &mut Vec::new());
        assert!(matches!(too_late, Err(SegmentError::TooWide { .. })));
        let before = since_2015.encode(at("2015-03-15T07:44:59Z"), &mut Vec::new());
        assert!(
            before
                .unwrap_err()
                .to_string()
                .contains("from which the label counts")
        );
        let weeks = Bucket {
            span: BucketSpan::Week,
            ..since_1970.clone()
        };
        assert_eq!(weeks.refusal(), None);
        let odd = Bucket {
            span: BucketSpan::Minute,
            ..since_1970
        };
        assert!(odd.refusal().unwrap().contains("not whole numbers"));
    }
}
