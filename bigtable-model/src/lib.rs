//! Typed time-series models on Google Bigtable.

pub mod backend;
pub mod data;
mod error;
pub mod key;
pub mod model;
pub mod query;
pub mod time;

pub use backend::{Backend, Code, Status};
pub use error::{Error, QueryError};
pub use model::ModelSchema;
pub use time::{ParseTimestampError, Timestamp};
