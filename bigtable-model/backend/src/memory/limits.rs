//! The memory backend's own limits, and the emulator's.

/// Cells that a filter may make of a row by copying, if that is more than [`FILTERED_TIMES`] its
/// cells.
pub(super) const FILTERED_CELLS: usize = 100_000;
/// How many times its cells a filter may make of a row, if that is more than [`FILTERED_CELLS`].
pub(super) const FILTERED_TIMES: usize = 2;
/// Steps that a filter may take for a row, some seconds, if that is more than [`FILTER_PASSES`]
/// times the row; fewer in tests, which reach the limit soon.
pub(super) const FILTER_STEPS: usize = if cfg!(test) { 1 << 24 } else { 1 << 28 };
/// How many times a filter may go through a row, counted in cells and in bytes, if that is more
/// than [`FILTER_STEPS`].
pub(super) const FILTER_PASSES: usize = 100;
/// Bytes of values that one step processes.
pub(super) const STEP_BYTES: usize = 8;
/// Levels of a filter that the emulator accepts, limited by its decoder.
pub(super) const EMULATOR_FILTER_DEPTH: usize = 100;
