//! The values of many events, field by field.

use std::ops::Range;

use bytes::Bytes;
use bytestring::ByteString;

use super::Value;
use crate::Timestamp;
use crate::aggregate::Number as _;
use crate::key::SegmentValue;
use crate::model::{BlockColumn, Form, Packed, RowEvents};

/// The values of a segment of the key, one for each event.
///
/// Events of one series are consecutive, so a value is held once for all consecutive events that
/// have it; times are a list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SegmentValues {
    times: Vec<Timestamp>,
    /// Each with the number of events up to its last one.
    runs: Vec<(SegmentValue, usize)>,
}

impl SegmentValues {
    /// The value of an event.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<SegmentValue> {
        if let Some(time) = self.times.get(index) {
            return Some(SegmentValue::Time(*time));
        }
        let run = self.runs.partition_point(|(_, end)| *end <= index);
        self.runs.get(run).map(|(value, _)| value.clone())
    }

    /// The times of the events, if this is a segment of times.
    #[must_use]
    pub fn times(&self) -> &[Timestamp] {
        &self.times
    }

    /// The values in order, each with the consecutive events that have it. Empty for times.
    pub fn runs(&self) -> impl Iterator<Item = (&SegmentValue, Range<usize>)> {
        let starts = std::iter::once(0).chain(self.runs.iter().map(|(_, end)| *end));
        let runs = self.runs.iter().zip(starts);
        runs.map(|((value, end), start)| (value, start..*end))
    }

    pub(super) fn push(&mut self, value: SegmentValue) {
        match value {
            SegmentValue::Time(time) => self.times.push(time),
            value => self.add(value, 1),
        }
    }

    /// Adds a value for a number of events.
    pub(super) fn add(&mut self, value: SegmentValue, events: usize) {
        match self.runs.last_mut() {
            Some((last, end)) if *last == value => *end += events,
            last => {
                let end = last.map_or(0, |(_, end)| *end);
                self.runs.push((value, end + events));
            }
        }
    }

    /// Adds the times of some events of a row.
    pub(super) fn add_times(&mut self, row: &RowEvents, events: Range<usize>) {
        row.add_times(events, &mut self.times);
    }

    /// Adds one time for a number of events.
    pub(super) fn repeat_time(&mut self, time: Timestamp, events: usize) {
        self.times.extend(std::iter::repeat_n(time, events));
    }

    /// Keeps the values of the first events.
    pub(super) fn truncate(&mut self, events: usize) {
        self.times.truncate(events);
        let run = self.runs.partition_point(|(_, end)| *end < events);
        self.runs.truncate(run + usize::from(events > 0));
        if let Some((_, end)) = self.runs.last_mut() {
            *end = events.min(*end);
        }
    }
}

/// The values of one column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ColumnValues {
    present: Vec<bool>,
    values: Values,
}

macro_rules! values {
    ($($kind:ident($type:ty),)*) => {
        /// The values of a column by their type. If an event lacks the column, the list has a zero
        /// or an empty value.
        #[derive(Debug, Clone, Default, PartialEq)]
        #[non_exhaustive]
        #[allow(missing_docs, reason = "each variant holds what it is named after")]
        pub enum Values {
            /// No event has the column so far.
            #[default]
            None,
            $($kind(Vec<$type>),)*
        }

        impl Values {
            /// Adds the value of the event after `len` others. A column has values of one type,
            /// which its form decides.
            fn push(&mut self, len: usize, value: Option<Value>) {
                match (&mut *self, value) {
                    $((Self::$kind(list), Some(Value::$kind(value))) => list.push(value),)*
                    $((Self::None, Some(Value::$kind(value))) => {
                        let mut list = vec![<$type>::default(); len];
                        list.push(value);
                        *self = Self::$kind(list);
                    })*
                    $((Self::$kind(list), _) => list.push(<$type>::default()),)*
                    (Self::None, None) => {}
                }
            }

            fn get(&self, index: usize) -> Option<Value> {
                match self {
                    Self::None => None,
                    $(Self::$kind(list) => Some(Value::$kind(list.get(index)?.clone())),)*
                }
            }

            /// Changes the length of the list.
            fn resize(&mut self, events: usize) {
                match self {
                    Self::None => {}
                    $(Self::$kind(list) => list.resize(events, <$type>::default()),)*
                }
            }
        }

        $(
            impl Listed for $type {
                fn list(values: &mut Values, len: usize) -> Option<&mut Vec<Self>> {
                    if let Values::None = values {
                        *values = Values::$kind(vec![<$type>::default(); len]);
                    }
                    match values {
                        Values::$kind(list) => Some(list),
                        _ => None,
                    }
                }
            }
        )*
    };
}

/// A number as the nearest float.
pub(super) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Float(number) => Some(*number),
        Value::Integer(number) => Some(number.to_f64()),
        _ => None,
    }
}

/// An element type of a column's list.
trait Listed: Clone + Default {
    /// The list of a column of this type, with the values of `len` events.
    fn list(values: &mut Values, len: usize) -> Option<&mut Vec<Self>>;
}

values! {
    Bool(bool),
    Integer(i64),
    Float(f64),
    Utf8(ByteString),
    Bytes(Bytes),
    Time(Timestamp),
    Integers(Vec<i64>),
    Floats(Vec<f64>),
}

impl ColumnValues {
    /// Whether each event has the column.
    #[must_use]
    pub fn present(&self) -> &[bool] {
        &self.present
    }

    /// The values, one for each event.
    #[must_use]
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The value of an event; `None` if it lacks the column.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Value> {
        match self.present.get(index)? {
            true => self.values.get(index),
            false => None,
        }
    }

    /// The values as floats, of a column of numbers.
    pub(super) fn numbers(&self) -> impl Iterator<Item = Option<f64>> + '_ {
        use Values::{Float, Integer};
        let number = |index: usize| match &self.values {
            Float(list) => list.get(index).copied(),
            Integer(list) => list.get(index).map(|value| value.to_f64()),
            _ => None,
        };
        let present = self.present.iter().enumerate();
        present.map(move |(index, present)| present.then(|| number(index)).flatten())
    }

    pub(super) fn push(&mut self, value: Option<Value>) {
        let before = self.present.len();
        self.present.push(value.is_some());
        self.values.push(before, value);
    }

    /// Adds events that lack the column.
    pub(super) fn extend_absent(&mut self, events: usize) {
        let len = self.present.len() + events;
        self.present.resize(len, false);
        self.values.resize(len);
    }

    /// Keeps the values of the first events.
    pub(super) fn truncate(&mut self, events: usize) {
        self.present.truncate(events);
        match self.present.contains(&true) {
            true => self.values.resize(self.present.len()),
            false => self.values = Values::None,
        }
    }

    /// Adds events of a row; `None` if a value is not of the form. Values added before that one
    /// stay.
    pub(super) fn extend(
        &mut self,
        form: Form,
        row: &RowEvents,
        events: Range<usize>,
        slot: usize,
    ) -> Option<()> {
        let in_block = row.in_block(events.clone(), slot);
        match in_block {
            Some((None, _)) => self.extend_absent(events.len()),
            Some((Some(column), numbers))
                if self.extend_packed(form, column, numbers.clone()).is_some() => {}
            _ => {
                for index in events {
                    let shared = || row.shared_column(index, slot).unwrap_or_default();
                    let value = row
                        .column(index, slot)
                        .map(|bytes| form.decode(bytes, shared));
                    self.push(value.transpose().ok()?);
                }
            }
        }
        Some(())
    }

    /// Adds some values of a packed column unchanged; `None`, without adding any, if they have to
    /// be decoded one by one.
    fn extend_packed(
        &mut self,
        form: Form,
        column: &BlockColumn,
        numbers: Range<usize>,
    ) -> Option<()> {
        match (form, column.values()) {
            (Form::Double, Packed::Doubles(values)) | (Form::Single, Packed::Singles(values)) => {
                self.extend_list(column, numbers, values, |one| *one)
            }
            (Form::Double, Packed::Integers(values)) => {
                let of_bits = |bits: &i64| f64::from_bits(bits.cast_unsigned());
                self.extend_list(column, numbers, values, of_bits)
            }
            (Form::Integer, Packed::Integers(values)) => {
                self.extend_list(column, numbers, values, |one| *one)
            }
            (Form::Integer, Packed::Doubles(values)) => {
                let bits = |one: &f64| one.to_bits().cast_signed();
                self.extend_list(column, numbers, values, bits)
            }
            (Form::Time, Packed::Integers(values)) => {
                let time = |one: &i64| Timestamp::from_micros(*one);
                self.extend_list(column, numbers, values, time)
            }
            (Form::Bool, Packed::Bools(values)) => {
                self.extend_list(column, numbers, values, |one| *one)
            }
            (Form::Bytes | Form::Own, Packed::Others(values)) => {
                self.extend_list(column, numbers, values, Bytes::clone)
            }
            _ => None,
        }
    }

    fn extend_list<S, T: Listed>(
        &mut self,
        column: &BlockColumn,
        numbers: Range<usize>,
        values: &[S],
        read: impl Fn(&S) -> T,
    ) -> Option<()> {
        let events = numbers.len();
        if numbers.clone().all(|number| column.place(number).is_none()) {
            self.extend_absent(events);
            return Some(());
        }
        let list = T::list(&mut self.values, self.present.len())?;
        match column.is_full() {
            true => {
                list.extend(values.get(numbers)?.iter().map(read));
                self.present.resize(self.present.len() + events, true);
            }
            false => {
                self.present.reserve(events);
                list.reserve(events);
                for number in numbers {
                    let value = column.place(number).and_then(|place| values.get(place));
                    self.present.push(value.is_some());
                    list.push(value.map(&read).unwrap_or_default());
                }
            }
        }
        Some(())
    }
}
