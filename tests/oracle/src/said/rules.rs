//! Which events are refused, according to the documents of keys, buckets and layouts.

use std::collections::BTreeSet;

use crate::calendar::{self, Span};
use crate::event::{Cell, Event};
use crate::model::{Bucket, Codec, Form, Label, Layout, Model, Offset, Part, Stamp, When};
use crate::value::Value;
use crate::written;

/// Why an event is refused.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refused {
    /// A segment cannot hold its value.
    Segment(&'static str),
    /// The key is empty or too long.
    Key,
    /// A column cannot hold its value.
    Column(&'static str),
}

/// The longest row key.
const MOST_KEY_BYTES: usize = 4_096;
/// The beginning of the year 1, the first of the calendar.
pub const FIRST_YEAR: i64 = -62_135_596_800_000_000;
/// The longest qualifier.
const MOST_QUALIFIER_BYTES: usize = 16 << 10;

impl Model {
    /// Why an event with these values and this time is refused; empty if it must be accepted.
    pub fn refuses(&self, names: &[Value], time: i64, cells: &[Option<Cell>]) -> BTreeSet<Refused> {
        let mut refused = self.refuses_key(names, time);
        for (column, cell) in self.columns.iter().zip(cells) {
            // Copies are text, which begins with 1970.
            if column
                .copy_of
                .is_some_and(|place| self.is_before_1970(place, names, time))
            {
                refused.insert(Refused::Column(column.name));
            }
            let Some(cell) = cell.as_ref().filter(|_| column.copy_of.is_none()) else {
                continue;
            };
            let too_large = !self.serialized
                && matches!((column.codec, cell), (Codec::Unsigned, Cell::Unsigned(number)) if i64::try_from(*number).is_err());
            let no_qualifier = self.layout == Layout::Qualifiers
                && !(1..=MOST_QUALIFIER_BYTES).contains(&qualifier_bytes(cell));
            if too_large || no_qualifier {
                refused.insert(Refused::Column(column.name));
            }
        }
        refused
    }

    /// Whether the part at this place is a time before those that text can hold.
    fn is_before_1970(&self, place: usize, names: &[Value], time: i64) -> bool {
        let first = |stamp: &Stamp| match stamp {
            Stamp::Fields { ahead, .. } => -ahead,
            _ => 0,
        };
        match &self.parts[place] {
            Part::Time(When::Stamp(stamp)) => time < first(stamp),
            Part::Time(When::Bucket(_)) => time < 0,
            Part::Name(identifier) => {
                let mut named = self.identifiers().zip(names);
                let value = named.find(|(one, _)| one.name == identifier.name);
                let first = match &identifier.form {
                    Form::Time(stamp) => first(stamp),
                    _ => 0,
                };
                matches!(value, Some((_, Value::Time(micros))) if *micros < first)
            }
            Part::Salt { .. } => false,
        }
    }

    /// Why a key with these values is refused.
    pub fn refuses_key(&self, names: &[Value], time: i64) -> BTreeSet<Refused> {
        let separator = self.separator.as_bytes()[0];
        let mut refused = BTreeSet::new();
        for (identifier, value) in self.identifiers().zip(names) {
            if !holds(&identifier.form, value, separator) {
                refused.insert(Refused::Segment(identifier.name));
            }
        }
        if !self.holds_time(time) {
            refused.insert(Refused::Segment("at"));
        }
        if refused.is_empty() {
            let names = self.identifiers().zip(names);
            let event = Event {
                names: names.map(|(one, value)| Self::stored(one, value)).collect(),
                time: self.floor(time),
                cells: Vec::new(),
            };
            let is_empty = self.row_key_bytes(&event) == 0;
            if is_empty || self.key_bytes(&event) > MOST_KEY_BYTES {
                refused.insert(Refused::Key);
            }
        }
        refused
    }

    /// Whether an event may have a time: key, layout and tables have to hold it.
    pub fn holds_time(&self, time: i64) -> bool {
        let stored = self.floor(time);
        let in_row = |bucket| self.holds_in_row(bucket, stored);
        let in_key = self.holds_time_in_key(time) && self.bucket().is_none_or(in_row);
        in_key
            && self.periods.as_ref().is_none_or(|periods| {
                let span = calendar::span_of(periods.span, periods.zone, stored);
                let is_whole = !calendar::is_in_pieces(periods.span, periods.zone, stored);
                is_whole && span.is_some_and(|(start, _)| start >= 0)
            })
    }

    /// Whether the key can hold a time.
    pub fn holds_time_in_key(&self, time: i64) -> bool {
        let stored = self.floor(time);
        let is_exact = match self.when() {
            When::Stamp(stamp) => stamp.floor(time) == time,
            When::Bucket(bucket) => time % bucket.grid == 0,
        };
        (self.truncates() || is_exact)
            && match self.when() {
                When::Stamp(stamp) => holds_time(*stamp, time),
                When::Bucket(bucket) => holds_bucket(bucket, stored),
            }
    }

    /// Whether an event's row can hold its time.
    fn holds_in_row(&self, bucket: &Bucket, stored: i64) -> bool {
        match &self.layout {
            Layout::Row => true,
            // Cells have whole milliseconds from 1970 on.
            Layout::Cells | Layout::Qualifiers | Layout::Latest => {
                stored >= 0 && stored % 1_000 == 0
            }
            Layout::Columns { offset, .. } => match (offset, bucket.span_of(stored)) {
                (Offset::Ticks { unit, width, .. }, Some((start, _))) => {
                    let above = stored - start;
                    above >= 0 && above % unit == 0 && above / unit <= Stamp::most(*width)
                }
                (Offset::Fields(_), Some(_)) => true,
                (_, None) => false,
            },
        }
    }
}

fn qualifier_bytes(cell: &Cell) -> usize {
    match cell {
        Cell::Text(text) => text.len(),
        Cell::Bytes(bytes) => bytes.len(),
        _ => 1,
    }
}

/// Whether a segment can hold a value.
pub fn holds(form: &Form, value: &Value, separator: u8) -> bool {
    match (form, value) {
        (Form::Padded { width, pad }, Value::Text(text)) => {
            let pad = *pad as u8;
            text.len() <= *width
                && text.bytes().all(|byte| byte >= pad)
                && text.bytes().last() != Some(pad)
        }
        (Form::Variable, Value::Text(text)) => text.bytes().all(|byte| byte > separator),
        // A text at the end of a key is not empty.
        (Form::CodedText { escape, last }, Value::Text(text)) => {
            (*escape || !text.contains('\0')) && !(*last && text.is_empty())
        }
        (Form::Char { binary: false }, Value::Char(one)) => u32::from(*one) > u32::from(separator),
        (Form::Digits { .. }, Value::Unsigned(number)) => *number <= most(form),
        (Form::SignedDigits { .. }, Value::Signed(number)) => {
            (least_signed(form)..=greatest_signed(form)).contains(number)
        }
        (Form::Time(stamp), Value::Time(micros)) => holds_time(*stamp, *micros),
        _ => true,
    }
}

/// The greatest unsigned number that a segment holds.
pub fn most(form: &Form) -> u128 {
    let (bits, width) = match form {
        Form::Digits { bits, width } => (*bits, *width),
        Form::BigEndian { bits } | Form::CodedUnsigned { bits } => (*bits, 99),
        other => panic!("{other:?}"),
    };
    let of_bits = u128::MAX >> (128 - bits);
    let of_width = 10_u128.checked_pow(width as u32);
    of_width.map_or(of_bits, |end| of_bits.min(end - 1))
}

/// The greatest signed number that a segment holds: the sign takes one digit.
pub fn greatest_signed(form: &Form) -> i128 {
    let (bits, width) = match form {
        Form::SignedDigits { bits, width } => (*bits, *width),
        Form::SignedBigEndian { bits } | Form::CodedSigned { bits } => (*bits, 99),
        other => panic!("{other:?}"),
    };
    let of_bits = i128::MAX >> (128 - bits);
    let of_width = 10_i128.checked_pow(width as u32 - 1);
    of_width.map_or(of_bits, |end| of_bits.min(end - 1))
}

/// The complement to a power of ten may be the whole power, so there is one more negative number.
pub fn least_signed(form: &Form) -> i128 {
    -greatest_signed(form) - 1
}

fn holds_time(stamp: Stamp, micros: i64) -> bool {
    let stored = stamp.floor(micros);
    if stored != micros && !stamp.truncates() {
        return false;
    }
    match stamp {
        Stamp::Ticks { unit, width, .. } => micros >= 0 && micros / unit <= Stamp::most(width),
        // The rounded time must still be a time.
        Stamp::Binary { unit, .. } | Stamp::Coded { unit, .. } => stored % unit == 0,
        Stamp::Fields { ahead, .. } => {
            let local = micros.saturating_add(ahead);
            local >= 0 && calendar::span_of(Span::Day, None, local).is_some()
        }
    }
}

/// Whether a label can express a time's bucket.
pub fn holds_bucket(bucket: &Bucket, micros: i64) -> bool {
    let Some((start, _)) = bucket.span_of(micros) else {
        return false;
    };
    if calendar::is_in_pieces(bucket.span, bucket.zone, micros) {
        return false;
    }
    match &bucket.label {
        Label::Absent => true,
        Label::BinaryStart { .. } => start >= FIRST_YEAR,
        Label::Fields { .. } => start >= 0,
        Label::Start { unit, width, .. } => start >= 0 && start / unit <= Stamp::most(*width),
        Label::Counted { width, .. } => {
            let number = written::number(bucket, start);
            number > 0 && (*width == 0 || number <= Stamp::most(*width))
        }
    }
}
