//! Sample values of the segments of a key.

use crate::key::{Segment, SegmentError, SegmentFormat, SegmentKind, SegmentValue};

/// Sample values of a kind of segment; for a type with a fixed set of names, its names.
pub(super) fn candidates(kind: SegmentKind, names: Option<&[&str]>) -> Vec<SegmentValue> {
    match (kind, names) {
        (SegmentKind::String, Some(names)) => {
            let texts = names.iter().map(|name| (*name).to_owned());
            texts.map(SegmentValue::String).collect()
        }
        _ => kind.samples(),
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
