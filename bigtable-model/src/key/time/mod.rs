//! Calendars and buckets: what part of the time stands in a key, and how it is written.

pub mod bucket;
pub(crate) mod calendar;
pub(crate) mod civil;
pub(super) mod ticks;
pub(super) mod units;
