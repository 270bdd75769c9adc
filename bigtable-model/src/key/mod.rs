//! Row keys: the types that can stand in them, how each is written, and layouts of whole keys as plain values.
//!
//! A key is an optional literal prefix and segments, joined by a separator. Encoding keeps order: the byte order of two
//! keys is the order of their values, segment by segment. Decoding gives back exactly what was encoded. What
//! can't be kept is refused with an error that names the segment.

mod array;
pub(crate) mod borrow;
mod calendar;
mod check;
pub(crate) mod civil;
mod describe;
pub(crate) mod digits;
mod dynamic;
mod error;
mod escape;
mod foreign;
mod format;
mod instant;
mod integer;
mod lanes;
mod layout;
mod primitive;
mod range;
mod reader;
pub(crate) mod refuse;
mod resolve;
mod salt;
mod salted;
mod scalar;
mod segment;
mod storable;
mod template;
mod text;
mod value;
mod writer;

pub use describe::DescribedKey;
pub use error::{KeyError, SegmentError};
pub use escape::Escaped;
pub use format::{CalendarField, CalendarFormat, CalendarItem, SegmentFormat, TimeUnit};
pub use layout::{KeyLayout, Segment, SegmentRole};
pub use primitive::{SegmentKind, SegmentPrimitive};
pub use range::{ByteRange, SegmentBound};
pub use reader::KeyReader;
pub use resolve::SegmentOptions;
pub use salt::{Salt, SaltHash};
pub use salted::{SaltedKeyReader, SaltedKeyWriter};
pub use segment::{EscapableSegment, KeySegment};
pub use value::SegmentValue;
pub use writer::KeyWriter;

/// The most bytes a row key may have: 4 KiB.
pub const MAX_KEY_BYTES: usize = 4 << 10;

#[cfg(test)]
pub(crate) mod tests;
