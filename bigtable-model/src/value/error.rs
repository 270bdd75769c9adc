use std::borrow::Cow;
use std::fmt;

use super::MAX_VALUE_BYTES;

/// How many bytes of a refused value an error keeps.
const KEPT_BYTES: usize = 64;

/// Why a field's value cannot be encoded for a cell, or a cell's bytes decoded as the field's type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// Bytes that are not a value of the type, when decoding.
    #[error("expected {expected}, got {}", Got { head, bytes: *bytes })]
    Malformed {
        /// What the bytes should have been.
        expected: Cow<'static, str>,
        /// The first 64 of the bytes.
        head: Vec<u8>,
        /// The number of bytes.
        bytes: usize,
    },
    /// A number or a time outside the range of the type, or of the cell.
    #[error("`{value}` is outside {limits}")]
    OutOfRange {
        /// The value as text.
        value: String,
        /// The type or cell, and its range.
        limits: Cow<'static, str>,
    },
    /// Longer than [`MAX_VALUE_BYTES`].
    #[error("the value takes {bytes} bytes, Bigtable allows {MAX_VALUE_BYTES} in a cell")]
    TooLong {
        /// Its size in bytes.
        bytes: usize,
    },
    /// A codec refused to write the value.
    #[error("the value cannot be written as {codec}: {reason}")]
    Refused {
        /// The codec's name.
        codec: Cow<'static, str>,
        /// Why it refused.
        reason: String,
    },
}

impl ValueError {
    /// The error of a codec for bytes that it never writes: `expected` completes "expected ...".
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

    /// The error of a codec that cannot encode a value.
    #[must_use]
    pub fn refused(codec: impl Into<Cow<'static, str>>, reason: impl fmt::Display) -> Self {
        Self::Refused {
            codec: codec.into(),
            reason: reason.to_string(),
        }
    }

    /// The error without the value.
    pub(crate) fn without_value(self) -> Self {
        const HIDDEN: &str = "it is not shown, since the column is sensitive";
        match self {
            Self::Malformed {
                expected, bytes, ..
            } => Self::Malformed {
                // Text made for the value may quote it.
                expected: match expected {
                    Cow::Borrowed(expected) => Cow::Borrowed(expected),
                    Cow::Owned(_) => Cow::Borrowed("what its codec writes"),
                },
                head: Vec::new(),
                bytes,
            },
            Self::OutOfRange { limits, .. } => Self::OutOfRange {
                value: "a sensitive value".to_owned(),
                limits,
            },
            Self::Refused { codec, .. } => Self::Refused {
                codec,
                reason: HIDDEN.to_owned(),
            },
            other => other,
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

/// A refused value of any bytes and length in one line.
struct Got<'a> {
    head: &'a [u8],
    bytes: usize,
}

impl fmt::Display for Got<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.bytes == 1 { "" } else { "s" };
        // The head of a sensitive value is not kept.
        if self.head.is_empty() && self.bytes > 0 {
            return write!(f, "{} byte{plural}", self.bytes);
        }
        let cut = if self.bytes > self.head.len() {
            "..."
        } else {
            ""
        };
        let head = self.head.escape_ascii();
        write!(f, "{} byte{plural} \"{head}\"{cut}", self.bytes)
    }
}
