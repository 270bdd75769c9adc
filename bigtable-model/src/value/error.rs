use std::borrow::Cow;
use std::fmt;

use super::MAX_VALUE_BYTES;

/// How many bytes of a refused value an error keeps.
const KEPT_BYTES: usize = 64;

/// Why a field's value can't be a cell, or why a cell's bytes are no value of the field's type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// Bytes that are no value of the type, when decoding.
    #[error("expected {expected}, got {}", Got { head, bytes: *bytes })]
    Malformed {
        /// What the bytes should have been.
        expected: Cow<'static, str>,
        /// The first 64 of the bytes.
        head: Vec<u8>,
        /// How many there were.
        bytes: usize,
    },
    /// A number or a time beyond what the type, or the cell, holds.
    #[error("`{value}` is outside {limits}")]
    OutOfRange {
        /// The value as text.
        value: String,
        /// What holds no such value, and its range.
        limits: Cow<'static, str>,
    },
    /// Longer than [`MAX_VALUE_BYTES`].
    #[error("the value takes {bytes} bytes, Bigtable allows {MAX_VALUE_BYTES} in a cell")]
    TooLong {
        /// How many it takes.
        bytes: usize,
    },
    /// A codec refused to write the value.
    #[error("the value can't be written as {codec}: {reason}")]
    Refused {
        /// The codec's name.
        codec: Cow<'static, str>,
        /// Its reason.
        reason: String,
    },
}

impl ValueError {
    /// For a codec that reads bytes it never writes: `expected` completes "expected ...".
    ///
    /// The error keeps the first 64 bytes and the length.
    #[must_use]
    pub fn malformed(expected: impl Into<Cow<'static, str>>, got: &[u8]) -> Self {
        Self::Malformed {
            expected: expected.into(),
            head: got.iter().take(KEPT_BYTES).copied().collect(),
            bytes: got.len(),
        }
    }

    /// For a codec that can't write a value.
    #[must_use]
    pub fn refused(codec: impl Into<Cow<'static, str>>, reason: impl fmt::Display) -> Self {
        Self::Refused {
            codec: codec.into(),
            reason: reason.to_string(),
        }
    }

    pub(super) fn out_of_range(
        value: impl fmt::Display,
        limits: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::OutOfRange {
            value: value.to_string(),
            limits: limits.into(),
        }
    }
}

/// A refused value in one line, whatever its bytes and its length.
struct Got<'a> {
    head: &'a [u8],
    bytes: usize,
}

impl fmt::Display for Got<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.bytes == 1 { "" } else { "s" };
        let cut = if self.bytes > self.head.len() {
            "..."
        } else {
            ""
        };
        let head = self.head.escape_ascii();
        write!(f, "{} byte{plural} \"{head}\"{cut}", self.bytes)
    }
}
