//! Bigtable's limits for rows and requests.

/// The maximum size of a row key: 4 KiB.
pub const KEY: usize = 4 << 10;
/// The maximum size of a qualifier: 16 KiB.
pub const QUALIFIER: usize = 16 << 10;
/// The maximum size of a value: 100 MiB.
pub const VALUE: usize = 100 << 20;
/// The maximum size of a row's qualifiers and values: 256 MiB.
pub const ROW: usize = 256 << 20;
/// The maximum number of mutations in an entry, and in all entries of a request.
pub const MUTATIONS: usize = 100_000;
/// The last timestamp of a cell in microseconds: the last whole millisecond that 64 bits hold.
pub const TIMESTAMP: i64 = 9_223_372_036_854_775_000;

/// A name in quotes, cut if it is long.
pub(crate) fn shown(name: &[u8]) -> String {
    const SHOWN: usize = 64;
    match name.get(..SHOWN) {
        Some(start) if name.len() > SHOWN => format!("\"{}...\"", start.escape_ascii()),
        _ => format!("\"{}\"", name.escape_ascii()),
    }
}

/// A size in words.
#[cfg(feature = "grpc")]
pub(crate) fn size(bytes: usize) -> String {
    match bytes >> 20 {
        0 => format!("{bytes} bytes"),
        mib => format!("{mib} MiB"),
    }
}
