//! Writes. Everything for a row is checked before anything is applied.

pub(super) mod conditional;
pub(super) mod mutate;
