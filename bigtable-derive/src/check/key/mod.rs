//! The row key: its segments with their types, its salt, and whether Bigtable can take it apart.

pub(super) mod salt;
pub(crate) mod segments;
pub(super) mod structured;
pub(super) mod types;
