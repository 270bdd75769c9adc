//! Typed time-series models on Google Bigtable.

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
pub mod backend;
pub mod data;
mod error;
pub mod key;
pub mod model;
pub mod query;
#[cfg(feature = "testing")]
pub mod testing;
pub mod time;
pub mod value;

pub use backend::memory::MemoryBackend;
pub use backend::{
    Backend, BackendExt, Code, ConnectError, FailedInsert, InsertOutcome, Status, connect,
};
pub use bigtable_derive::{KeySegment, Model, Projection};
pub use error::{Error, QueryError};
pub use key::KeySegment;
pub use model::{Model, ModelSchema, Projection};
pub use time::{ParseTimestampError, Timestamp, TimestampRangeError};
