//! The types of segments, one file for each.

pub(super) mod array;
mod date;
mod foreign;
pub(super) mod instant;
pub(super) mod integer;
mod scalar;
mod text;
