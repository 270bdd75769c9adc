//! Keys as generated code orders, shows and reads them.

use std::cmp::Ordering;
use std::fmt::{Formatter, Result as Formatted};

use crate::Timestamp;
use crate::key::{
    Escaped, KeyError, KeyLayout, Segment, SegmentError, SegmentPrimitive, SegmentValue,
};
use crate::model::{ColumnError, EventWriter, restored};

/// The order of two keys by their bytes, and of two events in one row by their times. Values that
/// no key holds come first.
#[must_use]
pub fn compare_encoded(
    layout: &KeyLayout,
    a: &[(&str, SegmentValue)],
    b: &[(&str, SegmentValue)],
) -> Ordering {
    let encode = |values: &[(&str, SegmentValue)]| {
        let values: Vec<_> = values.iter().map(|(_, value)| value.clone()).collect();
        let mut key = Vec::new();
        layout.encode(&values, &mut key).ok().map(|()| key)
    };
    let in_turn = || {
        let pairs = a.iter().zip(b);
        let orders = pairs.map(|((_, a), (_, b))| compare_values(a, b));
        orders.fold(Ordering::Equal, Ordering::then)
    };
    encode(a).cmp(&encode(b)).then_with(in_turn)
}

/// The order of values that no key tells apart: times as they follow one another.
fn compare_values(a: &SegmentValue, b: &SegmentValue) -> Ordering {
    match (a, b) {
        (SegmentValue::Time(a), SegmentValue::Time(b)) => a.cmp(b),
        (a, b) => format!("{a:?}").cmp(&format!("{b:?}")),
    }
}

/// A segment whose bytes may hold escapes, as the model's type makes it of the text. That it is
/// text is checked where its format is chosen.
///
/// # Errors
/// When the type refuses it.
pub fn restored_text<T>(
    name: &'static str,
    escaped: Escaped<'_>,
    restore: impl FnOnce(&str) -> Result<T, SegmentError>,
) -> Result<T, KeyError> {
    restored(name, restore(&escaped.to_cow()))
}

/// A segment whose bytes may hold escapes, as data.
#[must_use]
pub fn escaped_value(escaped: Escaped<'_>) -> SegmentValue {
    SegmentValue::String(escaped.to_cow().into_owned())
}

/// `exchange=NASDAQ symbol=ZXZZT at=2015-03-16T19:53:32.156Z`.
///
/// # Errors
/// Those of the formatter.
pub fn display_segments(f: &mut Formatter<'_>, segments: &[(&str, SegmentValue)]) -> Formatted {
    for (index, (name, value)) in segments.iter().enumerate() {
        let space = if index == 0 { "" } else { " " };
        write!(f, "{space}{name}={value}")?;
    }
    Ok(())
}

/// The values as fields of a struct.
///
/// # Errors
/// Those of the formatter.
pub fn debug_segments(
    f: &mut Formatter<'_>,
    title: &str,
    segments: &[(&str, SegmentValue)],
) -> Formatted {
    let mut fields = f.debug_struct(title);
    for (name, value) in segments {
        fields.field(name, &format_args!("{value}"));
    }
    fields.finish()
}

/// A segment that is written with escapes, in place of what is read of a key. That it is text is
/// checked where its format is chosen.
#[inline]
pub fn not_escaped<'a, P: SegmentPrimitive<'a>>(text: P) -> Escaped<'a> {
    Escaped::plain(text.as_text().unwrap_or_default())
}

/// An event's time. That the type holds times is checked where its format is chosen.
#[inline]
pub fn time_of<'a, P: SegmentPrimitive<'a>>(time: P) -> Option<Timestamp> {
    time.as_time()
}

/// Puts an event's time in the place of its bucket's.
#[inline]
pub fn put_time<'a, P: SegmentPrimitive<'a>>(place: &mut P, time: Timestamp) {
    if let Some(time) = P::from_time(time) {
        *place = time;
    }
}

/// Writes the copy of a key segment as text: a time as it stands in the key, anything else by
/// `Display`.
///
/// # Errors
/// When the segment can't hold the value.
pub fn write_segment_text<'a, P: SegmentPrimitive<'a>>(
    event: &mut EventWriter,
    index: usize,
    segment: &Segment,
    stored: P,
) -> Result<(), ColumnError> {
    event.set_segment_text(index, segment, stored.into_value())
}
