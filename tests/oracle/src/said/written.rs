//! The bytes of a key's parts according to the table of formats, for what only bytes decide: the
//! shard of a salt, and whether a key is empty or too long.

use std::ops::Range;

use xxhash_rust::xxh64::xxh64;

use crate::calendar;
use crate::event::Event;
use crate::model::{Bucket, Form, Label, Model, Part, Stamp, When};
use crate::value::Value;

impl Model {
    /// The shard of an event's key.
    pub fn shard(&self, event: &Event) -> u64 {
        let Some((_, shards, of)) = self.salt() else {
            return 0;
        };
        let hash = |of: &mut dyn Iterator<Item = usize>| {
            let hashed: Vec<_> = of.map(|place| self.part(place, event)).collect();
            hash_of(shards, &hashed.join(self.separator.as_bytes()))
        };
        let of_event = hash(&mut of.iter().copied());
        let Some(hot) = self.hot() else {
            return of_event % shards;
        };
        let is_of_series =
            |place: &usize| matches!(&self.parts[*place], Part::Name(one) if !one.tie);
        let of_series = hash(&mut of.iter().copied().filter(is_of_series));
        let count = hot.shards_of(&event.names[self.nth_name(hot.place)]);
        (of_series % shards + of_event % count) % shards
    }

    /// The length of an event's key in bytes.
    pub fn key_bytes(&self, event: &Event) -> usize {
        self.bytes_of(0..self.parts.len(), event)
    }

    /// The length of the key of an event's row: after a bucket, tie-breakers are in qualifiers.
    pub fn row_key_bytes(&self, event: &Event) -> usize {
        let is_tie = |part: &Part| matches!(part, Part::Name(one) if one.tie);
        let ties = self.parts.iter().position(is_tie);
        let ties = ties.filter(|_| self.bucket().is_some());
        self.bytes_of(0..ties.unwrap_or(self.parts.len()), event)
    }

    fn bytes_of(&self, places: Range<usize>, event: &Event) -> usize {
        let endless =
            |part: &Part| matches!(part, Part::Time(When::Bucket(bucket)) if bucket.is_endless());
        let there = places.filter(|place| !endless(&self.parts[*place]));
        let mut lengths: Vec<_> = there.map(|place| self.part(place, event).len()).collect();
        if !self.prefix.is_empty() {
            lengths.push(self.prefix.len());
        }
        let separators = lengths.len() - 1 + 2 * usize::from(self.enclosed);
        lengths.iter().sum::<usize>() + separators * self.separator.len()
    }

    fn part(&self, place: usize, event: &Event) -> Vec<u8> {
        match &self.parts[place] {
            Part::Name(identifier) => {
                let value = &event.names[self.nth_name(place)];
                of_value(&identifier.form, value, self.separator)
            }
            Part::Time(When::Stamp(stamp)) => of_stamp(*stamp, event.time),
            Part::Time(When::Bucket(bucket)) => of_bucket(bucket, event.time),
            Part::Salt { shards, .. } => (shards - 1).to_string().into_bytes(),
        }
    }
}

/// A salt with this number of shards hashes with FNV-1a, a hash of the program.
pub const OWN_SHARDS: u64 = 11;

fn hash_of(shards: u64, bytes: &[u8]) -> u64 {
    match shards {
        OWN_SHARDS => fnv1a(bytes),
        _ => xxh64(bytes, 0),
    }
}

/// FNV-1a of 64 bits.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

pub fn of_value(form: &Form, value: &Value, separator: &str) -> Vec<u8> {
    match (form, value) {
        (Form::Padded { width, pad }, Value::Text(text)) => {
            let mut bytes = text.clone().into_bytes();
            bytes.resize(*width.max(&bytes.len()), *pad as u8);
            bytes
        }
        (Form::Variable, Value::Text(text)) => text.clone().into_bytes(),
        (Form::Escaped, Value::Text(text)) => {
            let escape = separator.as_bytes()[0] + 1;
            let escaped = text.bytes().flat_map(|byte| match byte <= escape {
                true => vec![escape, escape + 1 + byte],
                false => vec![byte],
            });
            escaped.collect()
        }
        (Form::Rest | Form::Raw { .. }, Value::Bytes(bytes)) => bytes.clone(),
        (Form::Hex { .. }, Value::Bytes(bytes)) => {
            let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
            digits.collect::<String>().into_bytes()
        }
        (Form::Digits { width, .. }, Value::Unsigned(number)) => {
            format!("{number:0width$}").into_bytes()
        }
        (Form::BigEndian { bits }, Value::Unsigned(number)) => last_bytes(*number, *bits),
        (Form::SignedDigits { width, .. }, Value::Signed(number)) => {
            signed_digits(*number, *width).into_bytes()
        }
        (Form::SignedBigEndian { bits }, Value::Signed(number)) => {
            last_bytes((*number as u128) ^ (1 << (bits - 1)), *bits)
        }
        (Form::Single, Value::Single(number)) => {
            let bits = number.to_bits();
            let flipped = if *number < 0.0 || bits >> 31 == 1 {
                !bits
            } else {
                bits | 1 << 31
            };
            flipped.to_be_bytes().to_vec()
        }
        (Form::Double, Value::Double(number)) => {
            let bits = number.to_bits();
            let flipped = if bits >> 63 == 1 {
                !bits
            } else {
                bits | 1 << 63
            };
            flipped.to_be_bytes().to_vec()
        }
        (Form::Bool { binary: true }, Value::Bool(is)) => vec![u8::from(*is)],
        (Form::Bool { binary: false }, Value::Bool(is)) => u8::from(*is).to_string().into_bytes(),
        (Form::Char { binary: true }, Value::Char(one)) => u32::from(*one).to_be_bytes().to_vec(),
        (Form::Char { binary: false }, Value::Char(one)) => one.to_string().into_bytes(),
        (Form::Uuid { binary: true }, Value::Uuid(bytes)) => bytes.to_vec(),
        (Form::Uuid { binary: false }, Value::Uuid(bytes)) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let groups = [0..8, 8..12, 12..16, 16..20, 20..32].map(|group| &digits[group]);
            groups.join("-").into_bytes()
        }
        (Form::Time(stamp), Value::Time(micros)) => of_stamp(*stamp, *micros),
        (Form::CodedText { .. }, Value::Text(text)) => coded(text.as_bytes()),
        (Form::CodedBytes { .. }, Value::Bytes(bytes)) => coded(bytes),
        (Form::CodedUuid, Value::Uuid(bytes)) => coded(bytes),
        (Form::CodedUnsigned { .. }, Value::Unsigned(number)) => ordered_code(*number as i64),
        (Form::CodedSigned { .. }, Value::Signed(number)) => ordered_code(*number as i64),
        other => panic!("{other:?}"),
    }
}

fn last_bytes(number: u128, bits: u32) -> Vec<u8> {
    number.to_be_bytes()[16 - bits as usize / 8..].to_vec()
}

/// `0` and the digits, or `-` and the complement to the next power of ten.
fn signed_digits(number: i128, width: usize) -> String {
    let digits = width - 1;
    if number >= 0 {
        return format!("0{number:0digits$}");
    }
    let below = number.unsigned_abs() - 1;
    let nines = format!("{below:0digits$}").into_bytes().into_iter();
    let nines: String = nines.map(|digit| char::from(b'0' + b'9' - digit)).collect();
    format!("-{nines}")
}

/// A field of a key in ordered code.
fn coded(field: &[u8]) -> Vec<u8> {
    let bytes = field.iter().flat_map(|byte| match byte {
        0 => vec![0, 0xff],
        byte => vec![*byte],
    });
    match field.is_empty() {
        true => vec![0, 0],
        false => bytes.collect(),
    }
}

/// As many one bits as there are bytes, a zero bit, and the number in the remaining bits; all bits
/// are inverted if it is negative.
fn ordered_code(number: i64) -> Vec<u8> {
    let digits = match if number < 0 { !number } else { number } {
        0 => String::new(),
        number => format!("{number:b}"),
    };
    let len = digits.len() / 7 + 1;
    let ones = "1".repeat(len);
    let text = format!("{ones}{digits:0>width$}", width = len * 7);
    let bytes = (0..len).map(|at| u8::from_str_radix(&text[at * 8..at * 8 + 8], 2).unwrap());
    let bytes: Vec<u8> = match number < 0 {
        true => bytes.map(|byte| !byte).collect(),
        false => bytes.collect(),
    };
    coded(&bytes)
}

fn of_stamp(stamp: Stamp, micros: i64) -> Vec<u8> {
    match stamp {
        Stamp::Ticks {
            unit,
            width,
            reverse,
            ..
        } => of_ticks(micros.div_euclid(unit), width, reverse),
        Stamp::Binary { unit, reverse, .. } => of_count(micros.div_euclid(unit), reverse),
        Stamp::Fields { format, ahead, .. } => {
            calendar::written(format, None, micros + ahead).into_bytes()
        }
        Stamp::Coded { unit, .. } => ordered_code(micros.div_euclid(unit) * unit),
    }
}

fn of_ticks(count: i64, width: usize, reverse: bool) -> Vec<u8> {
    let count = if reverse {
        Stamp::most(width) - count
    } else {
        count
    };
    format!("{count:0width$}").into_bytes()
}

/// Eight bytes, with the sign bit flipped.
fn of_count(count: i64, reverse: bool) -> Vec<u8> {
    let count = if reverse { !count } else { count };
    ((count as u64) ^ 1 << 63).to_be_bytes().to_vec()
}

fn of_bucket(bucket: &Bucket, micros: i64) -> Vec<u8> {
    match bucket.span_of(micros) {
        Some((start, _)) => label(bucket, start),
        None => Vec::new(),
    }
}

/// The label of the bucket that starts at a time.
pub fn label(bucket: &Bucket, start: i64) -> Vec<u8> {
    match &bucket.label {
        Label::Fields { format, .. } => calendar::written(format, bucket.zone, start).into_bytes(),
        Label::Start {
            unit,
            width,
            reverse,
        } => of_ticks(start.div_euclid(*unit), *width, *reverse),
        Label::BinaryStart { unit, reverse } => of_count(start.div_euclid(*unit), *reverse),
        Label::Counted {
            before,
            after,
            width,
            ..
        } => format!("{before}{:0width$}{after}", number(bucket, start)).into_bytes(),
        Label::Absent => Vec::new(),
    }
}

/// The number of the bucket that starts at a time; the origin's bucket is 1.
pub fn number(bucket: &Bucket, start: i64) -> i64 {
    let Label::Counted { origin, .. } = bucket.label else {
        panic!("{bucket:?} is not counted");
    };
    let (first, next) = bucket.span_of(origin).expect("an origin in a bucket");
    // An origin may be on a day in two pieces, which holds no event. It is in the bucket that
    // started last.
    let first = next.filter(|next| *next <= origin).unwrap_or(first);
    calendar::spans_between(bucket.span, bucket.zone, first, start) + 1
}
