//! The buckets that hold the times of a range.

use std::ops::Bound;

use crate::Timestamp;
use crate::key::time::bucket::{Bucket, BucketLabel};
use crate::key::{ByteRange, SegmentError, SegmentValue};
use crate::model::just_after;

/// A selection of buckets that is not a set of times.
#[derive(Debug, Clone)]
pub(in crate::query) struct Buckets<'a> {
    pub(in crate::query) bucket: &'a Bucket,
    /// The first time, on the bucket's grid.
    pub(in crate::query) start: Option<Timestamp>,
    /// The first time after them, on the bucket's grid.
    pub(in crate::query) end: Option<Timestamp>,
    /// The labels' bytes; `None` if labels do not sort.
    pub(in crate::query) range: Option<ByteRange>,
}

impl Buckets<'_> {
    /// Whether the range has two ends, so its buckets can be listed.
    pub(in crate::query) fn are_bounded(&self) -> bool {
        self.start.is_some() && self.end.is_some()
    }

    /// The labels in order of time; `None` if there are more than `most`, or if the range is open.
    pub(in crate::query) fn labels(&self, most: usize) -> Option<Vec<Vec<u8>>> {
        let (start, end) = (self.start?, self.end?);
        let mut labels = Vec::new();
        if end <= start {
            return Some(labels);
        }
        let first = start.max(self.earliest());
        let micros = end.as_micros().min(YEAR_10000) - first.as_micros();
        let longest = self.bucket.longest_micros()?.max(1);
        if usize::try_from(micros / longest).is_ok_and(|spans| spans > most.saturating_add(1)) {
            return None;
        }
        // There is no bucket before the year 1. No bucket is shorter than a quarter of the longest,
        // so steps of that size miss none.
        let steps = (0..=4).map(|step| first.as_micros().saturating_add(step * (longest / 4)));
        let mut starts = steps.map(Timestamp::from_micros);
        let mut next = starts.find_map(|time| self.bucket.start_of(time).ok());
        while let Some(start) = next.filter(|start| *start < end) {
            let mut label = Vec::new();
            // A bucket without a label holds no event, and nor does the part of a bucket before its
            // first grid time.
            let holds = self.bucket.ceil(start) < end;
            if holds && self.bucket.encode_start(start, &mut label).is_ok() {
                if labels.len() == most {
                    return None;
                }
                labels.push(label);
            }
            next = self.bucket.next(start);
        }
        Some(labels)
    }

    /// A time before which no bucket has a label.
    fn earliest(&self) -> Timestamp {
        match &self.bucket.label {
            BucketLabel::BinaryStart { .. } => Timestamp::from_micros(YEAR_1),
            BucketLabel::Counted { origin, .. } | BucketLabel::Units { origin, .. } => {
                self.bucket.start_of(*origin).unwrap_or(*origin)
            }
            _ => Timestamp::UNIX_EPOCH,
        }
    }
}

/// Microseconds at the beginning of the year 1.
const YEAR_1: i64 = -62_135_596_800_000_000;
/// Microseconds at the end of the year 9999.
const YEAR_10000: i64 = 253_402_300_800_000_000;

/// A range of times as its first time and the first after it.
///
/// # Errors
/// A bound that is not a time.
pub(in crate::query) fn half_open<'v>(
    start: &'v Bound<SegmentValue>,
    end: &'v Bound<SegmentValue>,
) -> Result<(Option<Timestamp>, Option<Timestamp>), &'v SegmentValue> {
    let start = match start {
        Bound::Unbounded => None,
        Bound::Included(SegmentValue::Time(time)) => Some(*time),
        Bound::Excluded(SegmentValue::Time(time)) => Some(just_after(*time)),
        Bound::Included(other) | Bound::Excluded(other) => return Err(other),
    };
    let end = match end {
        Bound::Unbounded => None,
        Bound::Included(SegmentValue::Time(Timestamp::MAX)) => None,
        Bound::Included(SegmentValue::Time(time)) => Some(just_after(*time)),
        Bound::Excluded(SegmentValue::Time(time)) => Some(*time),
        Bound::Included(other) | Bound::Excluded(other) => return Err(other),
    };
    Ok((start, end))
}

/// The stored times, each once, in order.
pub(in crate::query) fn stored_times(
    bucket: &Bucket,
    times: impl IntoIterator<Item = Timestamp>,
) -> Result<Vec<Timestamp>, SegmentError> {
    let stored: Result<Vec<_>, _> = times
        .into_iter()
        .map(|time| bucket.stored_time(time))
        .collect();
    let mut stored = stored?;
    stored.sort_unstable();
    stored.dedup();
    Ok(stored)
}
