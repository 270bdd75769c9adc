//! The types that can be a segment, a file each.

pub(super) mod array;
mod date;
mod foreign;
pub(super) mod instant;
pub(super) mod integer;
mod scalar;
mod text;
