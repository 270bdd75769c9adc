//! Times in keys: units, formats, buckets with their labels and offsets, and the size of a bucket's
//! row.

pub(super) mod bucket;
pub(super) mod duration;
pub(crate) mod format;
mod label;
pub(super) mod offset;
mod offsets;
mod origin;
pub(super) mod pack;
pub(super) mod unit;
mod units;
pub(crate) mod volume;
pub(super) mod zone;
