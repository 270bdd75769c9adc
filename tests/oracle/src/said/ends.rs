//! The ends of the values that the parts of a key hold, and selections beyond them.

use std::ops::Bound;

use crate::calendar;
use crate::model::{Bucket, Form, Identifier, Label, Model, Part, Stamp, When};
use crate::question::Ask;
use crate::rules::{self, FIRST_YEAR, greatest_signed, holds, least_signed, most};
use crate::value::Value;

/// The last microsecond of 9999.
const LAST_MOMENT: i64 = 253_402_300_799_999_999;

/// The first time in a range, and the first after it.
pub fn ends(ask: &Ask) -> (Option<i64>, Option<i64>) {
    let Ask::Between(start, end) = ask else {
        return (None, None);
    };
    let micros = |value: &Value| match value {
        Value::Time(micros) => *micros,
        other => panic!("{other:?} is no time"),
    };
    let start = match start {
        Bound::Included(value) => Some(micros(value)),
        Bound::Excluded(value) => Some(micros(value).saturating_add(1)),
        Bound::Unbounded => None,
    };
    let end = match end {
        Bound::Included(value) => micros(value).checked_add(1),
        Bound::Excluded(value) => Some(micros(value)),
        Bound::Unbounded => None,
    };
    (start, end)
}

pub fn has_two_ends(ask: &Ask) -> bool {
    matches!(ends(ask), (Some(_), Some(_)))
}

/// Whether a segment can hold what is asked: it has to hold values, and bounds that are text.
/// Numbers and times beyond the segment only lie outside.
pub fn can_stand(model: &Model, part: &Part, ask: &Ask, separator: u8) -> bool {
    let Part::Name(identifier) = part else {
        return match ask {
            Ask::OneOf(values) => values.iter().all(|value| match value {
                Value::Time(micros) => model.holds_time_in_key(*micros),
                _ => false,
            }),
            _ => true,
        };
    };
    let form = &identifier.form;
    match ask {
        Ask::OneOf(values) => values.iter().all(|value| holds(form, value, separator)),
        Ask::Between(start, end) => [start, end].into_iter().all(|bound| match bound {
            // No text sorts before the empty one, whether or not a segment holds it.
            Bound::Included(Value::Text(text)) | Bound::Excluded(Value::Text(text))
                if text.is_empty() =>
            {
                true
            }
            Bound::Included(value @ Value::Text(_)) | Bound::Excluded(value @ Value::Text(_)) => {
                holds(form, value, separator)
            }
            _ => true,
        }),
        Ask::Begins(text) => match form {
            Form::Padded { width, pad } => {
                text.len() <= *width && text.bytes().all(|byte| byte >= *pad as u8)
            }
            Form::Variable => text.bytes().all(|byte| byte > separator),
            Form::CodedText { escape, .. } => *escape || !text.contains('\0'),
            _ => true,
        },
    }
}

/// Whether the selection contains no value.
pub fn is_empty(model: &Model, part: &Part, ask: &Ask, separator: u8) -> bool {
    let (start, end) = match ask {
        Ask::OneOf(values) => return values.is_empty(),
        Ask::Begins(_) => return false,
        Ask::Between(start, end) => (start, end),
    };
    let crossed = match (start, end) {
        (Bound::Included(start), Bound::Included(end)) => start > end,
        (
            Bound::Included(start) | Bound::Excluded(start),
            Bound::Included(end) | Bound::Excluded(end),
        ) => start >= end,
        _ => false,
    };
    let above = match (start, greatest(part)) {
        (Bound::Included(start), Some(greatest)) => *start > greatest,
        (Bound::Excluded(start), Some(greatest)) => *start >= greatest,
        _ => false,
    };
    let below = match (end, least(part, separator)) {
        (Bound::Included(end), Some(least)) => *end < least,
        (Bound::Excluded(end), Some(least)) => *end <= least,
        _ => false,
    };
    // No time follows the last representable one.
    let last = matches!(start, Bound::Excluded(Value::Time(i64::MAX)));
    crossed || above || below || last || holds_no_time(model, part, ask)
}

/// Whether the key can hold no time between the ends.
fn holds_no_time(model: &Model, part: &Part, ask: &Ask) -> bool {
    let (start, end) = match part {
        Part::Time(_) => ends(ask),
        Part::Name(identifier) if matches!(identifier.form, Form::Time(_)) => ends(ask),
        _ => return false,
    };
    let least = match least(part, 0) {
        Some(Value::Time(least)) => least,
        _ => i64::MIN,
    };
    let from = start.unwrap_or(i64::MIN).max(least);
    let floor = match part {
        Part::Name(Identifier {
            form: Form::Time(stamp),
            ..
        }) => stamp.floor(from),
        _ => model.floor(from),
    };
    let first = match floor < from {
        true => next_stored(model, part, floor),
        false => floor,
    };
    let held = match part {
        Part::Time(When::Bucket(bucket)) => rules::holds_bucket(bucket, first),
        _ => true,
    };
    !held || end.is_some_and(|end| first >= end)
}

/// The next time that can be stored.
fn next_stored(model: &Model, part: &Part, micros: i64) -> i64 {
    let stamp = match part {
        Part::Name(Identifier {
            form: Form::Time(stamp),
            ..
        }) => Some(*stamp),
        Part::Time(When::Stamp(stamp)) => Some(*stamp),
        _ => None,
    };
    match stamp {
        Some(
            Stamp::Ticks { unit, .. } | Stamp::Binary { unit, .. } | Stamp::Coded { unit, .. },
        ) => micros.saturating_add(unit),
        Some(Stamp::Fields { format, ahead, .. }) => match calendar::finest(format) {
            calendar::Fine::Even(length) => micros.saturating_add(length),
            calendar::Fine::Dates(span) => {
                let span = calendar::span_of(span, None, micros.saturating_add(ahead));
                let next = span.and_then(|(_, end)| end);
                next.map_or(i64::MAX, |local| local - ahead)
            }
        },
        None => micros.saturating_add(model.step()),
    }
}

/// Whether an ask excludes rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Narrows {
    Surely,
    /// It contains every value, but has an end.
    Perhaps,
    Not,
}

pub fn narrows(part: &Part, ask: &Ask, separator: u8) -> Narrows {
    match ask {
        Ask::OneOf(_) => Narrows::Surely,
        Ask::Begins(text) if text.is_empty() => Narrows::Not,
        Ask::Begins(_) => Narrows::Surely,
        ask if *ask == Ask::OPEN => Narrows::Not,
        Ask::Between(start, end) => {
            let from_first = match (start, least(part, separator)) {
                (Bound::Unbounded, _) => true,
                (Bound::Included(start), Some(least)) => *start <= least,
                (Bound::Excluded(start), Some(least)) => *start < least,
                _ => false,
            };
            let to_last = match (end, greatest(part)) {
                (Bound::Unbounded, _) => true,
                (Bound::Included(end), Some(greatest)) => *end >= greatest,
                (Bound::Excluded(end), Some(greatest)) => *end > greatest,
                (Bound::Included(Value::Time(end)) | Bound::Excluded(Value::Time(end)), None) => {
                    is_after_labels(part, *end)
                }
                _ => false,
            };
            match from_first && to_last {
                true => Narrows::Perhaps,
                false => Narrows::Surely,
            }
        }
    }
}

/// Whether labels end before a time.
fn is_after_labels(part: &Part, micros: i64) -> bool {
    let Part::Time(When::Bucket(bucket)) = part else {
        return false;
    };
    micros >= first_time(bucket) && !rules::holds_bucket(bucket, micros)
}

/// The least value that a part of the key holds, if there is one.
fn least(part: &Part, separator: u8) -> Option<Value> {
    let form = match part {
        Part::Name(identifier) => &identifier.form,
        Part::Time(When::Stamp(stamp)) => return least_time(*stamp),
        Part::Time(When::Bucket(bucket)) => return Some(Value::Time(first_time(bucket))),
        Part::Salt { .. } => return None,
    };
    Some(match form {
        Form::Padded { .. } | Form::Variable | Form::Escaped => Value::Text(String::new()),
        Form::CodedText { last: true, .. } => Value::Text("\0".to_owned()),
        Form::CodedText { .. } => Value::Text(String::new()),
        Form::Rest => Value::Bytes(Vec::new()),
        Form::Hex { len } | Form::Raw { len } | Form::CodedBytes { len } => {
            Value::Bytes(vec![0; *len])
        }
        Form::Digits { .. } | Form::BigEndian { .. } | Form::CodedUnsigned { .. } => {
            Value::Unsigned(0)
        }
        Form::SignedDigits { .. } | Form::SignedBigEndian { .. } | Form::CodedSigned { .. } => {
            Value::Signed(least_signed(form))
        }
        Form::Single => Value::Single(f32::from_bits(u32::MAX)),
        Form::Double => Value::Double(f64::from_bits(u64::MAX)),
        Form::Bool { .. } => Value::Bool(false),
        Form::Char { binary: false } => Value::Char(char::from(separator + 1)),
        Form::Char { binary: true } => Value::Char('\0'),
        Form::Uuid { .. } | Form::CodedUuid => Value::Uuid([0; 16]),
        Form::Time(stamp) => return least_time(*stamp),
    })
}

/// The start of the first bucket with a label, or a time before it.
fn first_time(bucket: &Bucket) -> i64 {
    match bucket.label {
        Label::Absent => first_multiple(bucket.grid),
        Label::BinaryStart { .. } => match bucket.span_of(FIRST_YEAR) {
            Some((start, Some(next))) if start < FIRST_YEAR => next,
            Some(_) => FIRST_YEAR,
            // West of Greenwich it is still the year 0.
            None => match bucket.span_of(FIRST_YEAR + calendar::DAY) {
                Some((start, _)) => start,
                None => FIRST_YEAR,
            },
        },
        Label::Counted { origin, .. } => bucket.span_of(origin).map_or(origin, |(start, _)| start),
        // In some zones the first bucket of 1970 starts later.
        Label::Fields { .. } | Label::Start { .. } => match bucket.span_of(0) {
            Some((start, Some(next))) if start < 0 => next,
            _ => 0,
        },
    }
}

/// The first time that is a whole number of units from 1970.
fn first_multiple(unit: i64) -> i64 {
    i64::MIN - i64::MIN % unit
}

fn least_time(stamp: Stamp) -> Option<Value> {
    match stamp {
        Stamp::Binary { unit, .. } | Stamp::Coded { unit, .. } => {
            Some(Value::Time(first_multiple(unit)))
        }
        Stamp::Ticks { .. } => Some(Value::Time(0)),
        Stamp::Fields { ahead, .. } => Some(Value::Time(-ahead)),
    }
}

/// The greatest value that a part of the key holds, if there is one.
fn greatest(part: &Part) -> Option<Value> {
    let form = match part {
        Part::Name(identifier) => &identifier.form,
        Part::Time(When::Stamp(stamp)) => return greatest_time(*stamp),
        _ => return None,
    };
    Some(match form {
        Form::Padded { .. }
        | Form::Variable
        | Form::Escaped
        | Form::Rest
        | Form::CodedText { .. } => return None,
        Form::Hex { len } | Form::Raw { len } | Form::CodedBytes { len } => {
            Value::Bytes(vec![255; *len])
        }
        Form::Digits { .. } | Form::BigEndian { .. } | Form::CodedUnsigned { .. } => {
            Value::Unsigned(most(form))
        }
        Form::SignedDigits { .. } | Form::SignedBigEndian { .. } | Form::CodedSigned { .. } => {
            Value::Signed(greatest_signed(form))
        }
        Form::Single => Value::Single(f32::from_bits(u32::MAX >> 1)),
        Form::Double => Value::Double(f64::from_bits(u64::MAX >> 1)),
        Form::Bool { .. } => Value::Bool(true),
        Form::Char { .. } => Value::Char(char::MAX),
        Form::Uuid { .. } | Form::CodedUuid => Value::Uuid([255; 16]),
        Form::Time(stamp) => return greatest_time(*stamp),
    })
}

fn greatest_time(stamp: Stamp) -> Option<Value> {
    match stamp {
        Stamp::Ticks { unit, width, .. } => {
            let last = i64::MAX - i64::MAX.rem_euclid(unit);
            let written = Stamp::most(width).saturating_mul(unit);
            Some(Value::Time(written.min(last)))
        }
        Stamp::Binary { unit, .. } | Stamp::Coded { unit, .. } => {
            Some(Value::Time(i64::MAX - i64::MAX.rem_euclid(unit)))
        }
        Stamp::Fields { ahead, .. } => Some(Value::Time(stamp.floor(LAST_MOMENT - ahead))),
    }
}
