//! Sample values of the segments of a key.

use crate::Timestamp;
use crate::key::{Segment, SegmentError, SegmentFormat, SegmentKind, SegmentValue};

/// The texts of segments: the first that fits.
const TEXTS: &[&str] = &["NASDAQ", "ABC", "A"];

/// The times of events, from the finest to the first day of a year: the first that the key and the
/// layout can hold is used. The last ones are for buckets that are counted from a later time.
pub(super) const TIMES: &[i64] = &[
    1_426_535_612_156_789, // 2015-03-16T19:53:32.156789Z
    1_426_535_612_156_000,
    1_426_535_612_000_000,
    1_426_535_580_000_000,
    1_426_532_400_000_000,
    1_426_464_000_000_000, // 2015-03-16T00:00:00Z
    1_420_070_400_000_000, // 2015-01-01T00:00:00Z
    1_893_456_000_000_000, // 2030-01-01T00:00:00Z
    4_070_908_800_000_000, // 2099-01-01T00:00:00Z
];

/// Values of a kind of segment.
pub(super) fn candidates(kind: SegmentKind, names: Option<&[&str]>) -> Vec<SegmentValue> {
    let array = |len: u16| (0..len).map(|at| at.to_le_bytes()[0]).collect();
    match kind {
        SegmentKind::String => {
            let texts = names.unwrap_or(TEXTS).iter();
            texts
                .map(|text| SegmentValue::String((*text).to_owned()))
                .collect()
        }
        SegmentKind::Bytes => vec![SegmentValue::Bytes(b"AB".to_vec())],
        SegmentKind::ByteArray { len } => vec![SegmentValue::Bytes(array(len))],
        SegmentKind::Unsigned { .. } => [42, 4, 1].map(SegmentValue::Unsigned).to_vec(),
        SegmentKind::Signed { .. } => [-42, 4, 1].map(SegmentValue::Signed).to_vec(),
        SegmentKind::Float { bits: 32 } => vec![SegmentValue::Float32(600.5)],
        SegmentKind::Float { .. } => vec![SegmentValue::Float(600.5)],
        SegmentKind::Bool => vec![SegmentValue::Bool(true)],
        SegmentKind::Char => vec![SegmentValue::Char('A')],
        SegmentKind::Uuid => vec![SegmentValue::Uuid([
            0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
        ])],
        SegmentKind::Time | SegmentKind::Date => {
            let times = TIMES.iter().map(|time| Timestamp::from_micros(*time));
            times.map(SegmentValue::Time).collect()
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
    // A primitive does not read escaped text.
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
