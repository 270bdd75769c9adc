//! Laws of keys: they decode to their values, keys with a common prefix are adjacent, and they sort
//! like their values.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::random::Random;
use super::{Broken, shown};
use crate::key::time::bucket::Bucket;
use crate::key::{KeyLayout, Segment, SegmentFormat, SegmentRole, SegmentValue};
use crate::model::ModelSchema;

/// A key and its values.
pub(super) struct Drawn {
    pub(super) values: Vec<SegmentValue>,
    pub(super) bytes: Vec<u8>,
}

/// Keys of values that the model can hold.
pub(super) fn draw(random: &mut Random, count: usize) -> Result<Vec<Drawn>, Broken> {
    let mut drawn = Vec::new();
    let mut refused = None;
    for _ in 0..count {
        let values = random.values();
        let mut bytes = Vec::new();
        match random.schema.key.encode(&values, &mut bytes) {
            Ok(()) => drawn.push(Drawn { values, bytes }),
            Err(error) => refused = Some((values, error)),
        }
    }
    match (drawn.is_empty(), refused) {
        (true, Some((values, error))) => {
            let example = format!("{}: {error}", shown(&random.schema, &values));
            Err(Broken::new("keys hold values", example))
        }
        _ => Ok(drawn),
    }
}

/// The value that decoding returns: for a time in a bucket, the bucket's start.
fn read_back(segment: &Segment, value: &SegmentValue) -> SegmentValue {
    match (value, &segment.format) {
        (SegmentValue::Time(time), SegmentFormat::Bucket(bucket)) => {
            SegmentValue::Time(bucket.start_of(*time).unwrap_or(*time))
        }
        (SegmentValue::Time(time), _) => SegmentValue::Time(segment.stored_time(*time)),
        (value, _) => value.clone(),
    }
}

/// Compares floats by their bits, since NaN does not equal itself.
fn same(a: &SegmentValue, b: &SegmentValue) -> bool {
    match (a, b) {
        (SegmentValue::Float32(a), SegmentValue::Float32(b)) => a.to_bits() == b.to_bits(),
        (SegmentValue::Float(a), SegmentValue::Float(b)) => a.to_bits() == b.to_bits(),
        (a, b) => a == b,
    }
}

/// Decoding returns the encoded values.
pub(super) fn round_trip(schema: &ModelSchema, drawn: &[Drawn]) -> Result<(), Broken> {
    for key in drawn {
        let decoded = schema.key.decode(&key.bytes);
        let decoded = decoded.map_err(|error| {
            Broken::new(
                "a key reads back",
                format!("{}: {error}", shown(schema, &key.values)),
            )
        })?;
        let segments = schema.key.valued().zip(key.values.iter().zip(&decoded));
        for ((_, segment), (written, read)) in segments {
            let expected = read_back(segment, written);
            if !same(&expected, read) {
                let example = format!("segment `{}`: {expected} came back as {read}", segment.name);
                return Err(Broken::new("a key reads back", example));
            }
        }
    }
    Ok(())
}

/// A key begins with the encoding of its first values.
pub(super) fn beginnings(schema: &ModelSchema, drawn: &[Drawn]) -> Result<(), Broken> {
    for key in drawn {
        for count in 0..=key.values.len() {
            let first = key.values.get(..count).unwrap_or_default();
            let mut beginning = Vec::new();
            let encoded = schema.key.encode_prefix(first, &mut beginning);
            if encoded.is_err() || !key.bytes.starts_with(&beginning) {
                let example = format!("{}, by {count} values", shown(schema, &key.values));
                return Err(Broken::new("a key begins with its first segments", example));
            }
        }
    }
    Ok(())
}

/// Keys sort like their values; a salt is left out, since it is meant to scatter them.
pub(super) fn order(schema: &ModelSchema, drawn: &[Drawn]) -> Result<(), Broken> {
    let layout = unsalted(&schema.key);
    let encode = |key: &Drawn| {
        let mut bytes = Vec::new();
        // A key may consist only of its salt.
        layout.encode(&key.values, &mut bytes).map(|()| bytes).ok()
    };
    for pair in drawn.windows(2) {
        let [a, b] = pair else { continue };
        let (Some(a_bytes), Some(b_bytes)) = (encode(a), encode(b)) else {
            continue;
        };
        let order = compare(&layout, &a.values, &b.values);
        if order.is_some_and(|order| order != a_bytes.cmp(&b_bytes)) {
            let example = format!(
                "{} and {}",
                shown(schema, &a.values),
                shown(schema, &b.values)
            );
            return Err(Broken::new("keys sort as their values", example));
        }
    }
    Ok(())
}

fn unsalted(layout: &KeyLayout) -> KeyLayout {
    KeyLayout {
        prefix: layout.prefix.clone(),
        separator: layout.separator.clone(),
        enclosed: layout.enclosed,
        segments: Cow::Owned(
            layout
                .valued()
                .map(|(_, segment)| segment.clone())
                .collect(),
        ),
    }
}

/// The order of two keys by their values, ignoring their shards; `None` if their buckets differ and
/// labels do not sort.
pub(super) fn compare_unsalted(
    layout: &KeyLayout,
    a: &[SegmentValue],
    b: &[SegmentValue],
) -> Option<Ordering> {
    compare(&unsalted(layout), a, b)
}

/// The order of two keys by their values; `None` if their buckets differ and labels do not sort.
fn compare(layout: &KeyLayout, a: &[SegmentValue], b: &[SegmentValue]) -> Option<Ordering> {
    for (segment, (a, b)) in layout.segments.iter().zip(a.iter().zip(b)) {
        let (a, b) = (read_back(segment, a), read_back(segment, b));
        let order = natural(&a, &b);
        match &segment.format {
            SegmentFormat::Bucket(bucket) if order.is_ne() && !Bucket::sorts(bucket) => {
                return None;
            }
            _ if order.is_eq() => {}
            _ if segment.format.is_reversed() => return Some(order.reverse()),
            _ => return Some(order),
        }
    }
    Some(Ordering::Equal)
}

/// Values of one segment are of one kind.
fn natural(a: &SegmentValue, b: &SegmentValue) -> Ordering {
    a.natural_cmp(b).unwrap_or(Ordering::Equal)
}

/// Whether a segment is an identifier.
pub(super) fn is_identifier(segment: &Segment) -> bool {
    segment.role == SegmentRole::Identifier
}

/// Whether a value of a segment is less than another.
pub(super) fn before(a: &SegmentValue, b: &SegmentValue) -> bool {
    natural(a, b).is_lt()
}
