/// Why bytes are not a block, or values cannot become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// They end too early.
    #[error("the block ends before its events do")]
    Short,
    /// Some of them have changed.
    #[error("the checksum is that of other bytes")]
    Checksum,
    /// A later version of this crate wrote them.
    #[error("version {0} of the format is not known")]
    Version(u8),
    /// They are not what this crate writes.
    #[error("the block has {0}")]
    Malformed(&'static str),
    /// There are more values than a block holds, or lists of different lengths.
    #[error("no block is made of {0}")]
    Refused(&'static str),
}
