//! Sample values of the segments of a key.

use crate::key::{Segment, SegmentError, SegmentFormat, SegmentKind, SegmentValue};

/// Values for a segment; those of a type with a fixed set of names are its names. Times are also
/// rounded down to the unit or format, last.
pub(super) fn candidates(segment: &Segment, names: Option<&[&str]>) -> Vec<SegmentValue> {
    match (segment.kind, names) {
        (SegmentKind::String, Some(names)) => {
            let texts = names.iter().map(|name| (*name).to_owned());
            texts.map(SegmentValue::String).collect()
        }
        (kind, _) => {
            let mut values = kind.samples();
            let rounded = values.iter().filter_map(|value| match value {
                SegmentValue::Time(time) => Some(SegmentValue::Time(segment.stored_time(*time))),
                _ => None,
            });
            let rounded: Vec<_> = rounded.collect();
            values.extend(rounded);
            values
        }
    }
}

/// A value as the field's type stores it; `None` if the type, or the segment, cannot hold it.
pub(super) fn as_typed(
    segment: &Segment,
    separator: u8,
    value: &SegmentValue,
    restore: fn(&SegmentFormat, &[u8]) -> Result<SegmentValue, SegmentError>,
) -> Option<SegmentValue> {
    // A primitive type does not read escaped text.
    let format = match segment.kind {
        SegmentKind::String => SegmentFormat::Variable,
        _ => segment.format.clone(),
    };
    let plain = Segment {
        format,
        ..segment.clone()
    };
    let mut bytes = Vec::new();
    plain.encode(value, separator, &mut bytes).ok()?;
    let value = restore(&plain.format, &bytes).ok()?;
    segment.encode(&value, separator, &mut Vec::new()).ok()?;
    Some(value)
}
