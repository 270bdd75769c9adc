//! Typed time-series models on Google Bigtable.

pub mod backend;
pub mod data;
pub mod key;
#[cfg(feature = "testing")]
pub mod testing;
pub mod time;

pub use backend::memory::MemoryBackend;
pub use backend::{Backend, Code, Status};
pub use time::{ParseTimestampError, Timestamp};
