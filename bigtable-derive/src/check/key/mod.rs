//! The row key: its segments, and its salt.

pub(super) mod salt;
pub(crate) mod segments;
