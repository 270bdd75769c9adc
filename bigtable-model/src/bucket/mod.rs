//! Buckets: spans of time that share a row, how they are written in the row key, and where an event's time goes inside
//! of one.

mod offset;
mod span;

pub use offset::Offset;
pub use span::{Bucket, BucketLabel, BucketSpan};
