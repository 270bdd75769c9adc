//! The service's limits on what a row may hold.

/// Bytes of a row key.
pub(super) const KEY: usize = 4 << 10;
/// Bytes of a qualifier.
pub(super) const QUALIFIER: usize = 16 << 10;
/// Bytes of a value.
pub(super) const VALUE: usize = 100 << 20;
/// Bytes of a row's qualifiers and values.
pub(super) const ROW: usize = 256 << 20;
/// Mutations of an entry, and of a request.
pub(super) const MUTATIONS: usize = 100_000;
/// The last timestamp of a cell: the last whole millisecond of the range in microseconds.
pub(super) const TIMESTAMP: i64 = 9_223_372_036_854_775_000;
/// Cells that a filter may make of a row by copying them, if that is more than [`FILTERED_TIMES`] those it has.
pub(super) const FILTERED_CELLS: usize = 1_000_000;
/// How many times the cells of a row a filter may make of it, if that is more than [`FILTERED_CELLS`].
pub(super) const FILTERED_TIMES: usize = 4;
/// Levels of a filter that the emulator takes, as many as its decoder of messages does.
pub(super) const EMULATOR_FILTER_DEPTH: usize = 100;
