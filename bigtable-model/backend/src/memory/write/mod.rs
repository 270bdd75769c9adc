//! Writes. Everything for a row is checked before anything is applied.

pub(super) mod conditional;
pub(super) mod modify;
pub(super) mod mutate;
