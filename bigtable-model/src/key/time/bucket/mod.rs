//! Buckets: spans of time that share a row, how the row key labels them, and the offset of an
//! event's time within one.
//!
//! ```
//! use bigtable_model::Timestamp;
//! use bigtable_model::schema::bucket::{Bucket, BucketLabel, BucketSpan};
//!
//! let weeks = Bucket {
//!     span: BucketSpan::Week,
//!     zone: None,
//!     label: BucketLabel::Counted {
//!         origin: "2021-03-01T00:00:00Z".parse()?,
//!         before: "week".into(),
//!         after: "".into(),
//!         width: 0,
//!     },
//!     grid_micros: 1_000,
//!     truncate: false,
//! };
//! let at: Timestamp = "2021-03-10T12:00:00Z".parse()?;
//! let start = weeks.start_of(at)?;
//! assert_eq!(start.to_string(), "2021-03-08T00:00:00Z");
//! assert_eq!(weeks.next(start).unwrap().to_string(), "2021-03-15T00:00:00Z");
//! let mut label = Vec::new();
//! weeks.encode(at, &mut label)?;
//! assert_eq!(label, b"week2");
//! assert_eq!(weeks.decode(&label)?, start);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod grid;
mod label;
mod offset;
mod pattern;
mod span;
mod units;
mod zone;

pub(crate) use label::Edge;
pub use offset::Offset;
pub use span::{Bucket, BucketLabel, BucketSpan};
pub(crate) use zone::load as time_zone;

#[cfg(test)]
mod format_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod zone_tests;
