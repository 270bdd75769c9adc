//! The orders of results.
//!
//! In order of time, events at the same time sort by their identifiers, and those of one series by
//! their tie-breakers. Keys sort by their parts, one after another: the shard, each identifier, and
//! the time or the bucket's start, later first if it is reversed. Buckets whose labels do not sort
//! follow the label's text. Events of one row sort by their times, and those of one time, which
//! only `qualifiers` keeps, by their values.

use std::cmp::Ordering;

use crate::event::Event;
use crate::model::{Bucket, Form, Identifier, Model, Part, When};
use crate::value::Value;
use crate::written;

impl Model {
    pub fn by_time(&self, a: &Event, b: &Event) -> Ordering {
        a.time
            .cmp(&b.time)
            .then_with(|| self.compare_names(&a.names, &b.names, false))
            .then_with(|| self.by_ties(a, b))
            .then_with(|| self.compare_cells(a, b))
    }

    pub fn by_key(&self, a: &Event, b: &Event) -> Ordering {
        self.by_row(a, b)
            .then_with(|| a.time.cmp(&b.time))
            .then_with(|| self.by_ties(a, b))
            .then_with(|| self.compare_cells(a, b))
    }

    /// The order of the events' rows; equal is one row.
    pub fn by_row(&self, a: &Event, b: &Event) -> Ordering {
        let mut nth = 0;
        let mut order = Ordering::Equal;
        for (place, part) in self.parts.iter().enumerate() {
            let of_part = match part {
                Part::Name(identifier) => {
                    nth += 1;
                    if self.is_in_cells(place) {
                        continue;
                    }
                    compare(identifier, &a.names[nth - 1], &b.names[nth - 1])
                }
                Part::Time(When::Stamp(stamp)) => match stamp.is_reversed() {
                    true => b.time.cmp(&a.time),
                    false => a.time.cmp(&b.time),
                },
                Part::Time(When::Bucket(bucket)) => self.by_bucket(bucket, place, a.time, b.time),
                Part::Salt { .. } => self.shard(a).cmp(&self.shard(b)),
            };
            order = order.then(of_part);
        }
        order
    }

    fn by_bucket(&self, bucket: &Bucket, place: usize, a: i64, b: i64) -> Ordering {
        let [a, b] = [a, b].map(|time| bucket.span_of(time).expect("a bucket").0);
        if bucket.sorts() {
            return match bucket.is_reversed() {
                true => b.cmp(&a),
                false => a.cmp(&b),
            };
        }
        let [a, b] = [a, b].map(|start| {
            let mut label = written::label(bucket, start);
            // The bytes after a short label decide whether it sorts before a longer one.
            if !self.is_last(place) {
                label.extend(self.separator.bytes());
            }
            label
        });
        a.cmp(&b)
    }

    /// The order of events of one series and time by their rows; if the key is reversed, so is this
    /// order.
    fn by_ties(&self, a: &Event, b: &Event) -> Ordering {
        let order = self.compare_names(&a.names, &b.names, true);
        match self.when() {
            When::Stamp(stamp) if stamp.is_reversed() => order.reverse(),
            When::Bucket(bucket) if bucket.is_reversed() => order.reverse(),
            _ => order,
        }
    }

    fn compare_names(&self, a: &[Value], b: &[Value], ties: bool) -> Ordering {
        let names = self.identifiers().zip(a.iter().zip(b));
        names
            .filter(|(identifier, _)| identifier.tie == ties)
            .map(|(identifier, (a, b))| compare(identifier, a, b))
            .fold(Ordering::Equal, Ordering::then)
    }

    /// The order of two events of one name and time, which only one value distinguishes.
    fn compare_cells(&self, a: &Event, b: &Event) -> Ordering {
        if !self.keeps_both() {
            return Ordering::Equal;
        }
        let value = self.value_column();
        match (&a.cells[value], &b.cells[value]) {
            (Some(a), Some(b)) => a.compare_stored(b, self.columns[value].codec),
            _ => Ordering::Equal,
        }
    }

    /// The first column that does not repeat a part of the key.
    pub fn value_column(&self) -> usize {
        let mut columns = self.columns.iter();
        let value = columns.position(|column| column.copy_of.is_none());
        value.expect("a column")
    }
}

fn compare(identifier: &Identifier, a: &Value, b: &Value) -> Ordering {
    match identifier.form {
        Form::Time(stamp) if stamp.is_reversed() => b.cmp(a),
        _ => a.cmp(b),
    }
}
