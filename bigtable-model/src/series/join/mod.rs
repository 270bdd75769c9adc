//! Joins of several series.

pub(super) mod align;
pub(super) mod asof;
pub(super) mod each;
mod sides;
pub(super) mod zip;
