//! Instants, and the ways to write them into keys.

mod arithmetic;
mod convert;
#[cfg(test)]
mod convert_tests;
mod grid;
pub mod rfc3339;
mod timestamp;

pub use convert::TimestampRangeError;
pub use grid::TimeGrid;
pub use timestamp::{ParseTimestampError, Timestamp};
