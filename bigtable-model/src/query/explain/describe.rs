//! Keys and ranges of keys in decoded form.

use std::ops::Bound;

use bytes::Bytes;

use crate::data::{RowRange, prefix_end};
use crate::key::{KeyLayout, SegmentFormat, SegmentValue};

/// A key in decoded form; its bytes without a layout, or if it is not a key of the layout.
pub(in crate::query) fn describe_key(layout: Option<&KeyLayout>, key: &[u8]) -> String {
    match layout {
        Some(layout) => layout.describe(key).to_string(),
        None => format!("\"{}\"", key.escape_ascii()),
    }
}

/// A range in decoded form, such as `exchange=NASDAQ symbol from A to before B`; else its bytes.
pub(in crate::query) fn describe_range(layout: Option<&KeyLayout>, range: &RowRange) -> String {
    let range = &range.clone().normal();
    layout
        .and_then(|layout| decoded(layout, range))
        .or_else(|| beginning(range))
        .unwrap_or_else(|| range.to_string())
}

/// Describes a range of all keys with a prefix.
fn beginning(range: &RowRange) -> Option<String> {
    let (Bound::Included(start), Bound::Excluded(end)) = (&range.start, &range.end) else {
        return None;
    };
    let whole = prefix_end(start).is_some_and(|prefix_end| prefix_end == *end);
    whole.then(|| format!("keys that begin with \"{}\"", start.escape_ascii()))
}

/// A position among the keys of a layout, given by the values of the first segments.
#[derive(Debug, PartialEq)]
struct Place {
    values: Vec<SegmentValue>,
    /// After all keys with these values, not before them.
    is_after: bool,
}

fn decoded(layout: &KeyLayout, range: &RowRange) -> Option<String> {
    let start = match &range.start {
        Bound::Included(bytes) => place(layout, bytes)?,
        Bound::Excluded(bytes) => place(layout, &after(bytes))?,
        Bound::Unbounded => before_all(),
    };
    let end = match &range.end {
        Bound::Excluded(bytes) => place(layout, bytes)?,
        Bound::Included(bytes) => place(layout, &after(bytes))?,
        Bound::Unbounded => Place {
            is_after: true,
            ..before_all()
        },
    };
    let common = common(&start.values, &end.values);
    let segments = || layout.segments.iter().filter(|one| !one.is_absent());
    let mut words: Vec<String> = segments()
        .zip(start.values.iter().take(common))
        .map(|(segment, value)| format!("{}={value}", segment.name))
        .collect();
    let from = limit(&start, common, !start.is_after)?;
    let to = limit(&end, common, end.is_after)?;
    if from.is_some() || to.is_some() {
        let segment = segments().nth(common)?;
        let (from, to) = match segment.format.is_reversed() {
            true => (to, from),
            false => (from, to),
        };
        words.push(segment.name.to_string());
        words.extend(from_words(from, to.is_none()));
        words.extend(to.map(|to| to_words(&to, from.is_some())));
    }
    Some(match words.is_empty() {
        true => "every key of the model".to_owned(),
        false => words.join(" "),
    })
}

/// A limit of a segment's values, and whether the value itself is within.
type Limit<'a> = (&'a SegmentValue, bool);

/// The limit that a position sets after the common values: none if it includes all of their keys;
/// `None` if it cannot be expressed.
fn limit(place: &Place, common: usize, within: bool) -> Option<Option<Limit<'_>>> {
    match place.values.get(common..)? {
        [] => within.then_some(None),
        [value] => Some(Some((value, within))),
        _ => None,
    }
}

fn from_words(from: Option<Limit<'_>>, open: bool) -> Option<String> {
    let (value, within) = from?;
    let word = if within { "from" } else { "after" };
    let on = if open { " on" } else { "" };
    Some(format!("{word} {value}{on}"))
}

fn to_words((value, within): &Limit<'_>, has_start: bool) -> String {
    let word = match (within, has_start) {
        (true, _) => "up to",
        (false, true) => "to before",
        (false, false) => "before",
    };
    format!("{word} {value}")
}

fn before_all() -> Place {
    Place {
        values: Vec::new(),
        is_after: false,
    }
}

fn common(start: &[SegmentValue], end: &[SegmentValue]) -> usize {
    start.iter().zip(end).take_while(|(a, b)| a == b).count()
}

/// The next key.
fn after(bytes: &Bytes) -> Vec<u8> {
    [bytes, [0].as_slice()].concat()
}

/// Decodes the ends of ranges as the planner writes them.
fn place(layout: &KeyLayout, bytes: &[u8]) -> Option<Place> {
    let at = |values| Place {
        values,
        is_after: false,
    };
    let past = |values| Place {
        values,
        is_after: true,
    };
    leading(layout, bytes)
        .map(at)
        .or_else(|| leading(layout, &before_prefix_end(bytes)?).map(past))
        .or_else(|| leading(layout, bytes.strip_suffix(&[0])?).map(past))
        .or_else(|| leading(layout, &[bytes, layout.separator.as_bytes()].concat()).map(at))
}

/// The values of the first segments, including the salt's, if the bytes are exactly these, with the
/// separator if more segments follow.
fn leading(layout: &KeyLayout, bytes: &[u8]) -> Option<Vec<SegmentValue>> {
    let mut reader = layout.reader(bytes).ok()?;
    let mut parts: Vec<&[u8]> = Vec::new();
    let mut values = Vec::new();
    loop {
        let mut written = Vec::new();
        layout.join(&parts, &mut written).ok()?;
        if written == bytes {
            return Some(values);
        }
        let at = parts.len();
        let segment = layout.segments.get(at)?;
        if segment.is_absent() {
            parts.push(&[]);
            continue;
        }
        let part = reader.segment(segment, layout.is_last(at)).ok()?;
        parts.push(part);
        values.push(match &segment.format {
            SegmentFormat::Salt(salt) => SegmentValue::Unsigned(salt.decode(part).ok()?.into()),
            _ => segment.decode(part, layout.separator_byte()).ok()?,
        });
    }
}

/// The prefix whose keys end before these bytes.
fn before_prefix_end(bytes: &[u8]) -> Option<Vec<u8>> {
    let (last, rest) = bytes.split_last()?;
    let mut prefix = rest.to_vec();
    prefix.push(last.checked_sub(1)?);
    Some(prefix)
}
