//! How often something happens, and how that changes with time.

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use bigtable_model::Timestamp;

use crate::LoadError;
use crate::num::{float, index};

/// How often something happens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    per_second: f64,
}

impl Rate {
    /// So many times a second.
    #[must_use]
    pub const fn per_second(times: f64) -> Self {
        Self { per_second: times }
    }

    /// So many times a day of 24 hours.
    #[must_use]
    pub const fn per_day(times: f64) -> Self {
        Self {
            per_second: times / 86_400.0,
        }
    }

    /// Once in each interval.
    #[must_use]
    pub fn every(interval: Duration) -> Self {
        Self {
            per_second: interval.as_secs_f64().recip(),
        }
    }

    /// The rate of `count` things that each happen at this rate.
    #[must_use]
    pub fn times(self, count: u64) -> Self {
        Self {
            per_second: self.per_second * float(count),
        }
    }

    /// The times a second.
    #[must_use]
    pub const fn a_second(self) -> f64 {
        self.per_second
    }

    pub(crate) fn check(self, of: &str) -> Result<Self, LoadError> {
        match self.per_second.is_finite() && self.per_second >= 0.0 {
            true => Ok(self),
            false => Err(LoadError::Rate {
                of: of.to_owned(),
                per_second: self.per_second,
            }),
        }
    }
}

/// A span of time that is not empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
}

impl Span {
    pub(crate) fn new(times: &Range<Timestamp>) -> Result<Self, LoadError> {
        let Range { start, end } = *times;
        match start < end {
            true => Ok(Self { start, end }),
            false => Err(LoadError::NoTime { start, end }),
        }
    }

    pub(crate) fn seconds(self) -> f64 {
        self.end.duration_since(self.start).as_secs_f64()
    }

    /// The time at a share of it.
    pub(crate) fn at(self, share: f64) -> Timestamp {
        let since = Duration::from_secs_f64(self.seconds() * share.clamp(0.0, 1.0));
        self.start.saturating_add(since)
    }

    /// The share of it that is over at a time; `None` outside.
    pub(crate) fn share_at(self, time: Timestamp) -> Option<f64> {
        let inside = self.start <= time && time < self.end;
        inside.then(|| time.duration_since(self.start).as_secs_f64() / self.seconds())
    }
}

/// Into how many parts a span is cut to follow a rate that changes.
const PARTS: usize = 1_024;

/// How a rate changes over a span: at which share of the time a share of all is over.
#[derive(Clone)]
pub(crate) struct Profile {
    /// The share that is over after each part, the last of them 1.
    over: Vec<f64>,
}

impl Profile {
    /// A rate that is `factor` times the mean rate; a negative factor or NaN counts as 0.
    pub(crate) fn new(span: Span, factor: &dyn Fn(Timestamp) -> f64) -> Self {
        let mut over = Vec::with_capacity(PARTS);
        let mut sum = 0.0;
        for part in 0..PARTS {
            let middle = (float(crate::num::count(part)) + 0.5) / float(crate::num::count(PARTS));
            sum += factor(span.at(middle)).max(0.0);
            over.push(sum);
        }
        over.iter_mut().for_each(|one| *one /= sum);
        Self { over }
    }

    /// At which share of the time a share of all is over.
    pub(crate) fn time_of(&self, share: f64) -> f64 {
        let part = self.over.partition_point(|over| *over <= share);
        let part = part.min(PARTS - 1);
        let before = match part {
            0 => 0.0,
            _ => self.over.get(part - 1).copied().unwrap_or(0.0),
        };
        let after = self.over.get(part).copied().unwrap_or(1.0);
        let inside = crate::num::share(share - before, after - before);
        (float(crate::num::count(part)) + inside) / float(crate::num::count(PARTS))
    }

    /// Which share of all is over at a share of the time.
    pub(crate) fn share_at(&self, time: f64) -> f64 {
        let parts = time * float(crate::num::count(PARTS));
        let part = index(parts, PARTS);
        let before = match part {
            0 => 0.0,
            _ => self.over.get(part - 1).copied().unwrap_or(0.0),
        };
        let after = self.over.get(part).copied().unwrap_or(1.0);
        before + (after - before) * (parts - float(crate::num::count(part))).clamp(0.0, 1.0)
    }
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Profile").finish_non_exhaustive()
    }
}
