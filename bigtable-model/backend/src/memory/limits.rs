//! Limits of memory's own, and the emulator's.

/// Cells that a filter may make of a row by copying them, if that is more than [`FILTERED_TIMES`]
/// those it has.
pub(super) const FILTERED_CELLS: usize = 100_000;
/// How many times the cells of a row a filter may make of it, if that is more than
/// [`FILTERED_CELLS`].
pub(super) const FILTERED_TIMES: usize = 2;
/// Steps that a filter may take for a row, some seconds' worth, if that is more than
/// [`FILTER_PASSES`] times the row; in tests so few that they are soon taken.
pub(super) const FILTER_STEPS: usize = if cfg!(test) { 1 << 24 } else { 1 << 28 };
/// How many times a filter may go through a row, all of it counted in cells and in bytes, if that
/// is more than [`FILTER_STEPS`].
pub(super) const FILTER_PASSES: usize = 100;
/// Bytes of values that are looked at in a step.
pub(super) const STEP_BYTES: usize = 8;
/// Levels of a filter that the emulator takes, as many as its decoder of messages does.
pub(super) const EMULATOR_FILTER_DEPTH: usize = 100;
