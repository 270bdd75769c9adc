//! A lock file of stored forms: the compiler does not know which rows a table holds, but this file
//! does.
//!
//! `layouts.lock` is checked in beside the code. One line of a test compares it with the models:
//!
//! ```
//! # use bigtable_model::{Model, Timestamp};
//! # #[derive(Model)]
//! # #[bigtable(table = "QUOTE", family = "MD")]
//! # struct Quote { #[bigtable(key)] symbol: String, #[bigtable(time)] at: Timestamp, bid: f64 }
//! use bigtable_model::lock::{Lock, compare};
//!
//! let locked = Lock::default().with::<Quote>();
//! assert_eq!(compare::<Quote>(&locked)?, []);
//! # Ok::<(), bigtable_model::lock::LockError>(())
//! ```
//!
//! With the feature `lock` the test is `lock::check::<(Quote, Trade)>("layouts.lock")`. It fails
//! for every change that stored rows would not survive, and explains its meaning for them.
//! `BIGTABLE_MODEL_LOCK=write cargo test` rewrites the file.
//!
//! | class | examples | `check` |
//! |---|---|---|
//! | stored bytes | another key, unit, salt, bucket, layout, codec; a column that is gone, or new and required; another column that marks events | fails |
//! | reads | an optional column is new; a required one becomes optional; a column has another name and an alias | passes, says so |
//! | source only | a field, a struct or a codec's type has another name | passes |
//!
//! For each model the file keeps a [`Locked`]: plain data from [`Locked::of`]. It has the bytes of
//! sample values in every codec, and the row of an event with such values, so it also finds a codec
//! or a library that changes its bytes. [`compare`] reads that row with the current model. For your
//! own types that serde stores as JSON or postcard, [`Sample`] provides an event.

mod change;
mod compare;
mod describe;
mod error;
#[cfg(feature = "lock")]
mod file;
mod golden;
mod hex;
mod locked;
mod models;

pub use change::{Change, Class, Subject};
pub use error::LockError;
#[cfg(feature = "lock")]
pub use file::{Mode, check, check_file};
pub use locked::{Lock, Locked};
#[doc(hidden)]
pub use locked::{
    LockedBucket, LockedColumn, LockedField, LockedMap, LockedRow, LockedSalt, LockedSegment,
};
pub use models::{Models, Sample, Sampled, compare};
