//! Which server is imitated.

/// Which server a [`MemoryBackend`](super::MemoryBackend) imitates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Profile {
    /// Bigtable.
    #[default]
    Service,
    /// Google's emulator, where it differs and is deterministic: rows half-applied on failure,
    /// UNKNOWN and INTERNAL for most refusals, no limits, sinks and bitmasks ignored, missing
    /// families in filters ignored, empty ranges without rows, garbage collected only after
    /// families were modified, the last value kept in families of minima and maxima. For tests that
    /// compare with the emulator.
    Emulator,
}
