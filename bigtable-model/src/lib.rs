//! Typed time-series models on Google Bigtable.

pub mod backend;
pub mod data;
mod error;
pub mod key;
pub mod model;
#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
pub mod query;
pub mod time;
pub mod value;

pub use backend::{Backend, BackendExt, Code, FailedInsert, InsertOutcome, Status};
pub use bigtable_derive::{KeySegment, Model, Projection};
pub use error::{Error, QueryError};
pub use model::{Model, ModelSchema, Projection};
pub use time::{ParseTimestampError, Timestamp};
