//! Row keys: the types that can stand in them, how each is written, and layouts of whole keys as plain values.
//!
//! A key is an optional literal prefix and segments, joined by a separator. Encoding keeps order: the byte order of two
//! keys is the order of their values, segment by segment. Decoding gives back exactly what was encoded. What
//! can't be kept is refused with an error that names the segment.

mod error;
mod escape;
mod format;
mod layout;
mod primitive;
mod reader;
mod segment;
mod value;

pub use error::{KeyError, SegmentError};
pub use escape::Escaped;
pub use format::{CalendarField, CalendarFormat, CalendarItem, SegmentFormat, TimeUnit};
pub use layout::{KeyLayout, Segment, SegmentRole};
pub use primitive::{SegmentKind, SegmentPrimitive};
pub use reader::KeyReader;
pub use segment::{EscapableSegment, KeySegment};
pub use value::SegmentValue;

/// The most bytes a row key may have: 4 KiB.
pub const MAX_KEY_BYTES: usize = 4 << 10;
