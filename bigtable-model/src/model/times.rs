//! Sets of times of events.

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// Microseconds in a millisecond: the granularity of cell timestamps.
pub(super) const GRANULE: i64 = 1_000;

/// The timestamp of a cell at a time: Bigtable's granularity is the millisecond, and it has no cell
/// before 1970.
pub(crate) fn stamp_of(time: Timestamp) -> i64 {
    time.as_millis().max(0).saturating_mul(GRANULE)
}

/// The first timestamp after one; 0, which is no end, after the last.
pub(crate) fn stamp_after(timestamp_micros: i64) -> i64 {
    timestamp_micros.checked_add(GRANULE).unwrap_or(0)
}

/// Times of events.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum EventTimes {
    /// All of them.
    #[default]
    All,
    /// From the first to before the second.
    Between(Option<Timestamp>, Option<Timestamp>),
    /// These times, ascending.
    In(Vec<Timestamp>),
}

impl EventTimes {
    /// Whether `time` is one of them.
    #[must_use]
    pub fn contain(&self, time: Timestamp) -> bool {
        match self {
            Self::All => true,
            Self::Between(start, end) => {
                start.is_none_or(|start| start <= time) && end.is_none_or(|end| time < end)
            }
            Self::In(times) => times.binary_search(&time).is_ok(),
        }
    }

    /// The first of them, and the first after all of them, unless that end is open.
    pub(crate) fn ends(&self) -> (Option<Timestamp>, Option<Timestamp>) {
        match self {
            Self::All => (None, None),
            Self::Between(start, end) => (*start, *end),
            Self::In(times) => {
                let end = times
                    .last()
                    .map_or(Timestamp::MIN, |last| just_after(*last));
                let start = times.first().copied().unwrap_or(Timestamp::MAX);
                (Some(start), Some(end))
            }
        }
    }
}

impl EventTimes {
    /// The times from the later start to before the earlier end.
    pub(crate) fn within(&self, other: &Self) -> Self {
        let (one, other) = (self.ends(), other.ends());
        Self::Between(one.0.max(other.0), one.1.into_iter().chain(other.1).min())
    }
}

/// The next microsecond.
pub(crate) fn just_after(time: Timestamp) -> Timestamp {
    Timestamp::from_micros(time.as_micros().saturating_add(1))
}
