//! The row key: its segments, and its salt.

pub(super) mod salt;
pub(super) mod segments;
