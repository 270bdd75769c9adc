//! Writes, checked before anything of a row is applied, and garbage collection.

pub(super) mod conditional;
pub(super) mod gc;
pub(super) mod mutate;
