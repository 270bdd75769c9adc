//! Instants, and the ways to write them into keys.

mod convert;
#[cfg(test)]
mod convert_tests;
mod timestamp;

pub use convert::TimestampRangeError;
pub use timestamp::{ParseTimestampError, Timestamp};
