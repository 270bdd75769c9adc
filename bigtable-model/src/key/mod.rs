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

#[doc(hidden)]
pub use codec::describe::DescribedKey;
pub(crate) use codec::label::with_label;
pub use encoding::escape::Escaped;
pub use error::{KeyError, SegmentError};
#[doc(hidden)]
pub use format::SegmentFormat;
#[doc(hidden)]
pub use time::units::{CalendarField, CalendarFormat, CalendarItem, TimeUnit};

pub(crate) use codec::range::try_map;
#[doc(hidden)]
pub use codec::range::{ByteRange, SegmentBound};
#[doc(hidden)]
pub use codec::reader::KeyReader;
#[doc(hidden)]
pub use codec::salted::{SaltedKeyReader, SaltedKeyWriter};
#[doc(hidden)]
pub use codec::writer::KeyWriter;
pub(crate) use layout::identifiers;
#[doc(hidden)]
pub use layout::{
    KeyLayout, Segment, SegmentRole, bucket_segment, identifier, tie_breaker, time_segment,
};
#[doc(hidden)]
pub use options::{CodePlace, SegmentOptions};
pub use salt::SaltFunction;
#[doc(hidden)]
pub use salt::{HotSeries, OwnHash, Salt, SaltHash};
#[doc(hidden)]
pub use types::SegmentKind;
pub use types::primitive::SegmentPrimitive;
#[doc(hidden)]
pub use types::segment::{EscapableSegment, KeySegment, SegmentForm};
pub use value::SegmentValue;

/// The maximum size of a row key: 4 KiB.
pub const MAX_KEY_BYTES: usize = crate::data::limits::KEY;

#[cfg(test)]
pub(crate) mod tests;
