//! Typed time-series models on Google Bigtable.

pub mod backend;
pub mod data;
mod error;
pub mod key;
pub mod model;
pub mod query;
#[cfg(feature = "testing")]
pub mod testing;
pub mod time;

pub use backend::memory::MemoryBackend;
pub use backend::{Backend, Code, Status};
pub use error::{Error, QueryError};
pub use model::ModelSchema;
pub use time::{ParseTimestampError, Timestamp};
