//! Writes, checked before anything of a row is applied.

pub(super) mod conditional;
pub(super) mod mutate;
