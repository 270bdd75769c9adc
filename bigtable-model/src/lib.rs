//! Typed time-series models on Google Bigtable.

pub mod backend;
pub mod data;
pub mod key;
pub mod time;
pub mod value;

pub use backend::{Backend, Code, Status};
pub use time::{ParseTimestampError, Timestamp, TimestampRangeError};
