use std::cmp::Ordering;
use std::fmt;

use super::SegmentKind;
use crate::Timestamp;
use crate::key::{SegmentError, SegmentFormat, SegmentValue};

/// A type that is written into keys directly: strings, byte strings, integers, floats, `bool`,
/// `char`, byte arrays, UUIDs and [`Timestamp`](crate::Timestamp).
///
/// The set is closed, so order and round trip hold for every key; your own types use one of these
/// through [`KeySegment`](super::segment::KeySegment).
pub trait SegmentPrimitive<'a>: Copy + fmt::Debug + sealed::Sealed {
    /// The kind of its values.
    const KIND: SegmentKind;

    /// Appends the value in `format`. `separator` is the first byte of the layout's separator.
    ///
    /// # Errors
    /// If the format cannot hold the value; `out` may then hold a part of it.
    fn encode(
        self,
        format: &SegmentFormat,
        separator: u8,
        out: &mut Vec<u8>,
    ) -> Result<(), SegmentError>;

    /// Decodes the value from exactly its bytes.
    ///
    /// # Errors
    /// If [`encode`](SegmentPrimitive::encode) writes these bytes for no value.
    fn decode(format: &SegmentFormat, bytes: &'a [u8]) -> Result<Self, SegmentError>;

    /// The order of the two values' bytes in `format`.
    fn compare(self, other: Self, format: &SegmentFormat) -> Ordering;

    /// The value as data.
    fn into_value(self) -> SegmentValue;

    /// The value as a time, if it is one.
    #[inline]
    fn as_time(self) -> Option<Timestamp> {
        None
    }

    /// The value for a time, if this type holds times.
    #[inline]
    fn from_time(time: Timestamp) -> Option<Self> {
        let _ = time;
        None
    }

    /// The value as a text, if it is one.
    #[inline]
    fn as_text(self) -> Option<&'a str> {
        None
    }

    /// The value for a text, if this type holds texts.
    ///
    /// # Errors
    /// [`SegmentError::Mismatch`] for every other primitive.
    fn from_text(text: &'a str) -> Result<Self, SegmentError> {
        let _ = text;
        Err(SegmentError::Mismatch {
            kind: format!("{:?}", Self::KIND),
            format: "text".to_owned(),
        })
    }
}

pub(in crate::key) mod sealed {
    /// Keeps the set of primitives closed.
    #[allow(unnameable_types, reason = "naming it would open the set")]
    pub trait Sealed {}
}
