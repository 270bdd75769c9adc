//! The limits that Bigtable sets to rows and requests.

/// The most bytes of a row key: 4 KiB.
pub const KEY: usize = 4 << 10;
/// The most bytes of a qualifier: 16 KiB.
pub const QUALIFIER: usize = 16 << 10;
/// The most bytes of a value: 100 MiB.
pub const VALUE: usize = 100 << 20;
/// The most bytes of a row's qualifiers and values: 256 MiB.
pub const ROW: usize = 256 << 20;
/// The most mutations of an entry, and of all entries of a request.
pub const MUTATIONS: usize = 100_000;
/// The last timestamp of a cell in microseconds: the last whole millisecond of 64 bits.
pub const TIMESTAMP: i64 = 9_223_372_036_854_775_000;
