//! Joins of several series.

pub(super) mod align;
pub(super) mod asof;
mod sides;
pub(super) mod zip;
