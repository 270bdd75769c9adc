//! Typed time-series models on Google Bigtable.

pub mod backend;
pub mod data;
pub mod key;
pub mod time;

pub use backend::{Backend, Code, ConnectError, Status, connect};
pub use time::{ParseTimestampError, Timestamp};
