//! Instants, and the ways to write them into keys.

mod convert;
mod timestamp;

pub use timestamp::{ParseTimestampError, Timestamp};
