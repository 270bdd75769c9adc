//! Calendars and buckets: the part of a time that is in a key, and its format.

pub mod bucket;
pub(crate) mod calendar;
pub(crate) mod civil;
pub(super) mod ticks;
pub(super) mod units;
