//! Questions, and the events that answer them.

use std::cmp::Ordering;
use std::ops::{Bound, RangeBounds};

use crate::event::{Cell, Event};
use crate::model::{Identifier, Model, Part};
use crate::value::Value;

/// A question, in the terms of the documents.
#[derive(Debug, Clone)]
pub struct Question {
    /// The asks of the first parts of the key that have values.
    pub asks: Vec<Ask>,
    pub test: Option<Test>,
    /// The columns to read; `None` for all.
    pub columns: Option<Vec<usize>>,
    pub keys_only: bool,
    pub order: Order,
    pub descending: bool,
    pub limit: Option<usize>,
    pub full_scan: bool,
    pub max_scans: usize,
    pub max_seeks: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Time,
    Key,
    Any,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    OneOf(Vec<Value>),
    Between(Bound<Value>, Bound<Value>),
    /// Text with this prefix.
    Begins(String),
}

/// A condition on the columns, by their places.
#[derive(Debug, Clone)]
pub enum Test {
    Exists,
    Present(usize),
    OneOf(usize, Vec<Cell>),
    Between(usize, Bound<Cell>, Bound<Cell>),
    All(Vec<Test>),
    Any(Vec<Test>),
    Not(Box<Test>),
}

impl Ask {
    pub const OPEN: Self = Self::Between(Bound::Unbounded, Bound::Unbounded);

    /// Whether a stored value is selected; `stored` rounds the asked values down like stored ones.
    pub fn fits(&self, value: &Value, stored: impl Fn(&Value) -> Value) -> bool {
        match self {
            Self::OneOf(values) => values.iter().any(|one| stored(one) == *value),
            Self::Between(start, end) => between(start, end, value),
            Self::Begins(text) => {
                matches!(value, Value::Text(value) if value.starts_with(text.as_str()))
            }
        }
    }
}

fn between<T: PartialOrd>(start: &Bound<T>, end: &Bound<T>, value: &T) -> bool {
    RangeBounds::<T>::contains(&(start.as_ref(), end.as_ref()), value)
}

impl Test {
    /// Whether it holds for an event, existing or not, with these columns.
    pub fn holds(&self, exists: bool, cells: &[Option<Cell>]) -> bool {
        let cell = |column: &usize| cells.get(*column).and_then(Option::as_ref);
        match self {
            Self::Exists => exists,
            Self::Present(column) => cell(column).is_some(),
            Self::OneOf(column, values) => cell(column).is_some_and(|cell| values.contains(cell)),
            Self::Between(column, start, end) => {
                cell(column).is_some_and(|cell| between(start, end, cell))
            }
            Self::All(tests) => tests.iter().all(|test| test.holds(exists, cells)),
            Self::Any(tests) => tests.iter().any(|test| test.holds(exists, cells)),
            Self::Not(test) => !test.holds(exists, cells),
        }
    }
}

impl Question {
    /// Everything, in order of keys.
    pub fn everything() -> Self {
        Self {
            asks: Vec::new(),
            test: None,
            columns: None,
            keys_only: false,
            order: Order::Key,
            descending: false,
            limit: None,
            full_scan: true,
            max_scans: 1_000,
            max_seeks: 0,
        }
    }

    /// Whether the names and the time of an event are selected.
    fn asks_for(&self, model: &Model, event: &Event) -> bool {
        let mut names = event.names.iter();
        let mut fits = true;
        for ((_, part), ask) in model.valued().zip(&self.asks) {
            fits &= match part {
                Part::Name(identifier) => {
                    let value = names.next().expect("a name");
                    ask.fits(value, |one| Model::stored(identifier, one))
                }
                _ => self.asks_for_time(model, event.time),
            };
        }
        fits
    }

    /// The ask of the time.
    pub fn time(&self, model: &Model) -> Option<&Ask> {
        self.asks.get(model.place_of_time())
    }

    pub fn asks_for_time(&self, model: &Model, time: i64) -> bool {
        let stored = |value: &Value| match value {
            Value::Time(micros) => Value::Time(model.floor(*micros)),
            other => panic!("{other:?} is no time"),
        };
        let ask = self.time(model);
        ask.is_none_or(|ask| ask.fits(&Value::Time(time), stored))
    }

    /// The ask of each identifier.
    pub fn of_names<'a>(
        &'a self,
        model: &'a Model,
    ) -> impl Iterator<Item = (&'a Identifier, Option<&'a Ask>)> {
        let parts = model.valued().enumerate();
        parts.filter_map(|(place, (_, part))| match part {
            Part::Name(identifier) => Some((identifier, self.asks.get(place))),
            _ => None,
        })
    }

    /// The ask of each part of the series' name.
    pub fn of_series<'a>(
        &'a self,
        model: &'a Model,
    ) -> impl Iterator<Item = (&'a Identifier, Option<&'a Ask>)> {
        self.of_names(model).filter(|(one, _)| !one.tie)
    }

    pub fn selects(&self, model: &Model, event: &Event) -> bool {
        let test = self.test.as_ref();
        self.asks_for(model, event) && test.is_none_or(|test| test.holds(true, &event.cells))
    }

    /// The order of the results.
    pub fn compare(&self, model: &Model, a: &Event, b: &Event) -> Ordering {
        let order = match self.order {
            Order::Time => model.by_time(a, b),
            Order::Key | Order::Any => model.by_key(a, b),
        };
        if self.descending {
            order.reverse()
        } else {
            order
        }
    }

    /// The events that answer it, in its order; without an order the limit is ignored.
    pub fn answer(&self, model: &Model, events: &[Event]) -> Vec<Event> {
        let selected = events.iter().filter(|event| self.selects(model, event));
        let mut answer: Vec<_> = selected.cloned().collect();
        answer.sort_by(|a, b| self.compare(model, a, b));
        if self.order != Order::Any {
            answer.truncate(self.limit.unwrap_or(usize::MAX));
        }
        answer
    }

    /// The series of the events that answer it, in order of keys; the limit applies to series, not
    /// to events.
    pub fn series(&self, model: &Model, events: &[Event]) -> Vec<Vec<Value>> {
        let whole = Self {
            order: Order::Key,
            descending: false,
            limit: None,
            ..self.clone()
        };
        let mut series: Vec<Vec<Value>> = Vec::new();
        for event in whole.answer(model, events) {
            let names = model.series_of(&event.names);
            if !series.contains(&names) {
                series.push(names);
            }
        }
        series.truncate(self.limit.unwrap_or(usize::MAX));
        series
    }
}
