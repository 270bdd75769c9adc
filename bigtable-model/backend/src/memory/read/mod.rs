//! Reads: which rows, a few at a time.

pub(super) mod ranges;
pub(super) mod scan;
