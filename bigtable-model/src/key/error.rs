use std::borrow::Cow;

use crate::Timestamp;

/// Why one value can't be a segment, or why bytes are not one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SegmentError {
    /// More bytes than the declared width.
    #[error("`{value}` takes {bytes} bytes, the segment holds {width}")]
    TooWide {
        /// The value as text.
        value: String,
        /// What it takes.
        bytes: usize,
        /// What there is.
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
    /// An empty text that ends a key in ordered code, which has nothing for it.
    #[error(
        "an empty text last in the key is left out in ordered code: store a text that stands for none, or declare a segment after it"
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
    /// A padded value that ends in the pad, which decoding would take off.
    #[error("`{value}` ends in the pad, which decoding would take off")]
    EndsInPad {
        /// The value as text.
        value: String,
    },
    /// A time before 1970 in a text segment.
    #[error("{time} is before 1970, which text can't hold in order: declare `binary` to store it")]
    BeforeEpoch {
        /// The time.
        time: Timestamp,
    },
    /// A time beyond what the segment's digits or years hold.
    #[error("{time} is outside what the segment holds, {limits}")]
    TimeOutOfRange {
        /// The time.
        time: Timestamp,
        /// The range in words.
        limits: Cow<'static, str>,
    },
    /// A time of a day that a bucket can't hold as one, since its hours lie in two pieces.
    #[error(
        "{time} is of a day whose hours lie in two pieces in {zone}, where clocks went back over midnight: store such times in a bucket without `zone`"
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
    /// Bytes that are no value of the segment, when decoding.
    #[error("\"{}\" is not {expected}", bytes.escape_ascii())]
    Malformed {
        /// The segment's bytes.
        bytes: Vec<u8>,
        /// What they should have been.
        expected: Cow<'static, str>,
    },
    /// The value's kind does not go with the segment's format; only layouts made at run time meet
    /// this.
    #[error("a value of kind {kind} can't be written as {format}")]
    Mismatch {
        /// The value's kind.
        kind: String,
        /// The segment's format.
        format: String,
    },
    /// A type of the user's own refused the stored value.
    #[error("{0}")]
    Refused(String),
}

/// Why values can't be a row key, or why bytes are not a key of the layout.
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
    /// The separator does not stand after this segment.
    #[error("no separator behind segment `{segment}`")]
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
    /// Bytes are left behind the last segment.
    #[error("{bytes} bytes are left behind the last segment")]
    Trailing {
        /// How many.
        bytes: usize,
    },
    /// The salt is not the one that the key's other segments give.
    #[error("the salt is {found}, but the key's segments give {expected}")]
    Salt {
        /// The one in the key.
        found: u16,
        /// The one it should be.
        expected: u16,
    },
    /// Bigtable has no empty row key.
    #[error("the key is empty")]
    Empty,
    /// Longer than [`MAX_KEY_BYTES`](super::MAX_KEY_BYTES).
    #[error("the key takes {bytes} bytes, Bigtable allows 4096")]
    TooLong {
        /// How many it would take.
        bytes: usize,
    },
    /// The layout's keys would not sort or read back; only layouts made at run time meet this.
    #[error("the layout of keys is refused: {reason}")]
    Layout {
        /// What is wrong, and what to write instead.
        reason: &'static str,
    },
    /// Values and segments differ in number; only layouts made at run time meet this.
    #[error("{values} values for {segments} segments")]
    Count {
        /// Values given.
        values: usize,
        /// Segments of the layout.
        segments: usize,
    },
}
