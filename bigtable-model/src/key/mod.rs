//! Row keys: the types of segments, how each is encoded, and layouts of whole keys as plain values.
//!
//! A key is an optional literal prefix and segments, joined by a separator. Encoding keeps order:
//! the byte order of two keys is the order of their values, segment by segment. Decoding returns
//! exactly what was encoded. A value that a key cannot hold is refused with an error that names the
//! segment.

pub(crate) mod borrow;
mod codec;
pub(crate) mod encoding;
mod error;
mod format;
mod layout;
mod options;
pub(crate) mod refuse;
mod salt;
mod storable;
mod structured;
pub(crate) mod time;
mod types;
mod value;

pub use crate::data::{
    IntEncoding, RowKeyEncoding, RowKeyError, RowKeyField, RowKeySchema, RowKeySchemaError,
    RowKeyType, RowKeyValue,
};
pub use codec::describe::DescribedKey;
pub(crate) use codec::label::with_label;
pub use encoding::escape::Escaped;
pub use error::{KeyError, SegmentError};
pub use format::SegmentFormat;
pub use time::units::{CalendarField, CalendarFormat, CalendarItem, TimeUnit};

pub use codec::range::{ByteRange, SegmentBound};
pub use codec::reader::KeyReader;
pub use codec::salted::{SaltedKeyReader, SaltedKeyWriter};
pub use codec::writer::KeyWriter;
pub(crate) use layout::identifiers;
pub use layout::{KeyLayout, Segment, SegmentRole};
#[doc(hidden)]
pub use layout::{bucket_segment, identifier, tie_breaker, time_segment};
pub use options::{CodePlace, SegmentOptions};
pub use salt::{OwnHash, Salt, SaltFunction, SaltHash};
pub use types::SegmentKind;
pub use types::primitive::SegmentPrimitive;
#[doc(hidden)]
pub use types::segment::SegmentForm;
pub use types::segment::{EscapableSegment, KeySegment};
pub use value::SegmentValue;

/// The maximum size of a row key: 4 KiB.
pub const MAX_KEY_BYTES: usize = crate::data::limits::KEY;

#[cfg(test)]
pub(crate) mod tests;
