//! The row key: its segments with their types, its salt, and whether Bigtable can decode it.

pub(super) mod salt;
pub(crate) mod segments;
pub(super) mod structured;
pub(super) mod ties;
pub(super) mod types;
