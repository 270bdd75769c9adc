//! Limits of memory's own, and the emulator's.

/// Cells that a filter may make of a row by copying them, if that is more than [`FILTERED_TIMES`] those it has.
pub(super) const FILTERED_CELLS: usize = 1_000_000;
/// How many times the cells of a row a filter may make of it, if that is more than [`FILTERED_CELLS`].
pub(super) const FILTERED_TIMES: usize = 4;
/// Levels of a filter that the emulator takes, as many as its decoder of messages does.
pub(super) const EMULATOR_FILTER_DEPTH: usize = 100;
