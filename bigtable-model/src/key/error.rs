use std::borrow::Cow;

use crate::Timestamp;

/// Why a value cannot be encoded as a segment, or bytes decoded as one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SegmentError {
    /// More bytes than the declared width.
    #[error("`{value}` takes {bytes} bytes, the segment holds {width}")]
    TooWide {
        /// The value as text.
        value: String,
        /// The bytes that it takes.
        bytes: usize,
        /// The declared width.
        width: usize,
    },
    /// A byte at or below the separator's first byte, which would end the segment early or break
    /// the order.
    #[error(
        "`{value}` holds the byte {byte:#04x}, which is not above the separator: declare `escape` to store it"
    )]
    SeparatorByte {
        /// The value as text.
        value: String,
        /// The first such byte.
        byte: u8,
    },
    /// An empty text at the end of a key in ordered code, which leaves it out.
    #[error(
        "ordered code drops an empty text at the end of the key: store a placeholder, or declare a segment after it"
    )]
    EmptyAtEnd,
    /// A padded value with a byte below the pad, which would break the order.
    #[error("`{value}` holds the byte {byte:#04x}, which sorts before the pad")]
    BelowPad {
        /// The value as text.
        value: String,
        /// The first such byte.
        byte: u8,
    },
    /// A padded value that ends in the pad, which decoding would remove.
    #[error("`{value}` ends in the pad, which decoding would remove")]
    EndsInPad {
        /// The value as text.
        value: String,
    },
    /// A time before 1970 in a text segment.
    #[error(
        "{time} is before 1970, and such times do not sort as text: declare `binary` to store it"
    )]
    BeforeEpoch {
        /// The time.
        time: Timestamp,
    },
    /// A time beyond the segment's digits or years.
    #[error("{time} is outside the segment's range, {limits}")]
    TimeOutOfRange {
        /// The time.
        time: Timestamp,
        /// The range in words.
        limits: Cow<'static, str>,
    },
    /// A time on a day in two pieces, so that no bucket can hold the whole day.
    #[error(
        "{time} is on a day that is in two pieces in {zone}, where clocks went back over midnight: store such times in a bucket without `zone`"
    )]
    SplitDay {
        /// The time.
        time: Timestamp,
        /// The time zone.
        zone: String,
    },
    /// A time between two values of its unit or format.
    #[error("{time} is not a whole {unit}: declare `truncate` to round down")]
    NotExact {
        /// The time.
        time: Timestamp,
        /// The unit or the format's finest field.
        unit: &'static str,
    },
    /// Bytes that are not a value of the segment, when decoding.
    #[error("\"{}\" is not {expected}", bytes.escape_ascii())]
    Malformed {
        /// The segment's bytes.
        bytes: Vec<u8>,
        /// What they should have been.
        expected: Cow<'static, str>,
    },
    /// The value's kind does not fit the segment's format; only possible with layouts made at run
    /// time.
    #[error("a value of kind {kind} cannot be written as {format}")]
    Mismatch {
        /// The value's kind.
        kind: String,
        /// The segment's format.
        format: String,
    },
    /// A user-defined type refused the stored value.
    #[error("{0}")]
    Refused(String),
}

/// Why values cannot be encoded as a row key, or bytes decoded as a key of the layout.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// One segment is at fault.
    #[error("segment `{segment}` of the row key is refused")]
    Segment {
        /// The segment's name.
        segment: Cow<'static, str>,
        /// What is wrong with it.
        source: SegmentError,
    },
    /// The key's bytes end before this segment.
    #[error("the key ends before segment `{segment}`")]
    Missing {
        /// The segment's name.
        segment: Cow<'static, str>,
    },
    /// No separator follows this segment.
    #[error("no separator after segment `{segment}`")]
    NoSeparator {
        /// The segment's name.
        segment: Cow<'static, str>,
    },
    /// The key does not begin with the layout's prefix.
    #[error("the key does not begin with `{prefix}`")]
    Prefix {
        /// Prefix and separator.
        prefix: String,
    },
    /// Bytes follow the last segment.
    #[error("{bytes} bytes follow the last segment")]
    Trailing {
        /// How many.
        bytes: usize,
    },
    /// The salt does not match the key's other segments.
    #[error("the salt is {found}, but the key's segments give {expected}")]
    Salt {
        /// The salt in the key.
        found: u16,
        /// The right salt.
        expected: u16,
    },
    /// Bigtable has no empty row key.
    #[error("the key is empty")]
    Empty,
    /// Longer than [`MAX_KEY_BYTES`](super::MAX_KEY_BYTES).
    #[error("the key takes {bytes} bytes, Bigtable allows 4096")]
    TooLong {
        /// Its bytes.
        bytes: usize,
    },
    /// The layout's keys would not sort or decode; only possible with layouts made at run time.
    #[error("the key layout is refused: {reason}")]
    Layout {
        /// What is wrong, and what to write instead.
        reason: &'static str,
    },
    /// Values and segments differ in number; only possible with layouts made at run time.
    #[error("{values} values for {segments} segments")]
    Count {
        /// Values given.
        values: usize,
        /// Segments of the layout.
        segments: usize,
    },
}
