//! Random writes and questions.

use std::ops::Bound;

use crate::calendar;
use crate::draw::Draw;
use crate::event::Cell;
use crate::model::{Codec, Kind, Layout, Model, Part, When};
use crate::models::Drawn;
use crate::places::EXTREMES;
use crate::question::{Ask, Order, Question, Test};
use crate::store::{Change, Identity};
use crate::value::Value;
use crate::writes::{Action, Write};

/// An action of a case.
#[derive(Debug, Clone)]
pub enum Step {
    Write(Write),
    Ask(Question),
    /// Pages of a size, and the writes after each.
    Pages(Question, usize, Vec<Write>),
    /// The delete of the events that a question selects.
    Delete(Question),
}

impl Drawn {
    /// An event, usually one that is accepted.
    pub fn insert(&self, draw: &mut Draw<'_>) -> Write {
        let identifiers = self.model.identifiers();
        // Most events belong to few series.
        let often = [0, 0, 0, 0, 1, 1, 2, 3];
        let all = [0, 1, 2, 3];
        let names = identifiers.map(|one| {
            let nth = draw.one_of(if one.tie { &all } else { &often[..] });
            one.pool[nth].clone()
        });
        let names = names.collect();
        let time = self.event_time(draw);
        let columns = self.model.columns.iter().enumerate();
        let cells = columns.map(|(at, column)| {
            let absent = column.copy_of.is_some() || self.is_optional(at) && draw.chance(40);
            (!absent).then(|| cell(draw, &self.model, at))
        });
        Write {
            names,
            time,
            action: Action::Insert(cells.collect()),
            test: None,
        }
    }

    fn is_optional(&self, column: usize) -> bool {
        self.model.marker || column != self.model.value_column()
    }

    /// A write of any kind, under a condition or without one.
    pub fn write(&self, draw: &mut Draw<'_>, known: &[Identity]) -> Write {
        let mut write = self.insert(draw);
        // Usually of an existing event.
        if !known.is_empty() && draw.chance(65) {
            let drawn = std::mem::take(&mut write.names);
            (write.names, write.time) = draw.one_of(known);
            // Or of its series and time, with other tie-breakers.
            let names = self.model.identifiers().zip(drawn).zip(&mut write.names);
            for ((_, drawn), name) in names.filter(|((one, _), _)| one.tie) {
                if draw.chance(60) {
                    *name = drawn;
                }
            }
        }
        match draw.below(10) {
            0..=3 => {}
            4..=7 if self.model.serialized => {}
            4..=7 => write.action = Action::Update(self.changes(draw)),
            _ => write.action = Action::Delete,
        }
        // A write that reads first cannot have a condition.
        let reads = match write.action {
            Action::Insert(_) => false,
            Action::Update(_) => self.model.keeps_both(),
            Action::Delete => self.model.deletes_what_it_reads(),
        };
        let guarded = draw.chance(35) && !reads;
        write.test = guarded.then(|| match draw.chance(40) {
            true => Test::Not(Box::new(Test::Exists)),
            false => self.test(draw, 2),
        });
        write
    }

    fn changes(&self, draw: &mut Draw<'_>) -> Vec<(usize, Change)> {
        let columns = self.model.columns.iter().enumerate();
        let own: Vec<usize> = columns
            .filter(|(_, column)| column.copy_of.is_none() && !column.in_map)
            .map(|(at, _)| at)
            .collect();
        let count = 1 + draw.below(2);
        let mut changes = Vec::new();
        for _ in 0..count {
            let at = draw.one_of(&own);
            if changes.iter().any(|(other, _)| *other == at) {
                continue;
            }
            let entries = self.model.columns[at].codec == Codec::Entries;
            let clear = draw.chance(20) && self.model.layout != Layout::Qualifiers && !entries;
            changes.push((
                at,
                match self.model.columns[at].kind {
                    _ if clear => Change::Clear,
                    kind if kind.is_aggregate() => Change::Add(draw.between(-9, 10)),
                    _ => Change::Set(cell(draw, &self.model, at)),
                },
            ));
        }
        changes
    }

    /// A time of an event: often at an edge of its bucket, rarely one that is refused.
    fn event_time(&self, draw: &mut Draw<'_>) -> i64 {
        let time = match draw.below(60) {
            59 => draw.one_of(&EXTREMES),
            // Many at the same time, which only their names distinguish.
            0..=29 if self.model.identifiers().any(|one| one.tie) => self.times.anchor,
            _ => self.times.draw(draw),
        };
        let time = match draw.below(4) {
            0 => self.edge(draw, time),
            _ => time,
        };
        match self.model.truncates() || draw.below(40) == 39 {
            true => time,
            false => self.model.floor(time),
        }
    }

    /// The start of a time's bucket, or one step from it.
    fn edge(&self, draw: &mut Draw<'_>, time: i64) -> i64 {
        let start = match self.model.when() {
            When::Bucket(bucket) => bucket.span_of(time).map(|(start, _)| start),
            When::Stamp(_) => None,
        };
        let start = start.unwrap_or_else(|| time.saturating_sub(time.rem_euclid(calendar::HOUR)));
        start.saturating_add(draw.one_of(&[0, -1, 1]) * self.times.step)
    }

    pub fn question(&self, draw: &mut Draw<'_>, known: &[Identity]) -> Question {
        let parts: Vec<&Part> = self.model.valued().map(|(_, part)| part).collect();
        let depth = match draw.chance(30) {
            true => draw
                .below(parts.len() + 1)
                .max(usize::from(draw.chance(80))),
            false => parts.len(),
        };
        let full_scan = draw.chance(15);
        // Most questions are about one event, so that the answer contains it.
        let event = (!known.is_empty() && draw.chance(85)).then(|| draw.one_of(known));
        let mut asks = Vec::new();
        let mut name = 0;
        for (place, part) in parts.iter().take(depth).enumerate() {
            let closes = place + 1 == depth || full_scan || draw.chance(4);
            let event = event.as_ref().filter(|_| draw.chance(92));
            name += usize::from(matches!(part, Part::Name(_)));
            asks.push(match part {
                _ if full_scan && draw.chance(20) => Ask::OPEN,
                Part::Name(identifier) => {
                    let of_event = event.map(|(names, _)| names[name - 1].clone());
                    ask(draw, &identifier.pool, of_event, closes)
                }
                Part::Time(when) => {
                    let of_event = event.map(|(_, time)| *time);
                    let closes = closes || matches!(when, When::Bucket(_));
                    self.ask_time(draw, of_event, closes)
                }
                Part::Salt { .. } => Ask::OPEN,
            });
        }
        let columns = self.model.columns.len();
        let question = Question {
            asks,
            test: draw.chance(25).then(|| self.test(draw, 3)),
            columns: draw.chance(20).then(|| {
                let all = 0..columns;
                all.filter(|_| draw.chance(50)).collect()
            }),
            keys_only: draw.chance(10),
            order: draw.one_of(&[Order::Time, Order::Time, Order::Key, Order::Any]),
            descending: draw.chance(45),
            limit: draw.chance(40).then(|| draw.one_of(&[1, 2, 3, 5, 8, 0])),
            full_scan,
            max_scans: draw.one_of(&[1_000, 1_000, 1_000, 128, 4, 1]),
            max_seeks: draw.one_of(&[0, 128, 40, 1, 2]),
        };
        let is_set = |ask: Option<&Ask>| matches!(ask, Some(Ask::OneOf(_)));
        let fixed = question.of_series(&self.model).all(|(_, ask)| is_set(ask));
        match fixed || draw.chance(10) {
            true => question,
            false => Question {
                order: match question.order {
                    Order::Time => Order::Key,
                    order => order,
                },
                ..question
            },
        }
    }

    fn ask_time(&self, draw: &mut Draw<'_>, of_event: Option<i64>, closes: bool) -> Ask {
        let time = |draw: &mut Draw<'_>| {
            let time = match (of_event, draw.below(30)) {
                // Between the ends of the calendar there are too many tables to read.
                (_, 29) if self.model.periods.is_none() => draw.one_of(&EXTREMES),
                (Some(time), 0..=14) => time,
                _ => self.times.draw(draw),
            };
            match draw.below(8) {
                0 => self.edge(draw, time),
                1 => time.saturating_add(draw.between(-2, 3)),
                _ => time,
            }
        };
        if !closes || draw.chance(20) {
            let count = draw.one_of(&[1, 2, 3, 4, 0]);
            let values = (0..count).map(|_| {
                let time = time(draw);
                Value::Time(match self.model.truncates() || draw.below(20) == 19 {
                    true => time,
                    false => self.model.floor(time),
                })
            });
            return Ask::OneOf(values.collect());
        }
        let mut ends = match draw.chance(45) {
            // All times nearby.
            true => {
                let far = 2 * self.times.spread;
                let middle = of_event.unwrap_or(self.times.anchor);
                [middle.saturating_sub(far), middle.saturating_add(far)]
            }
            false => [time(draw), time(draw)],
        };
        if !draw.chance(8) {
            ends.sort_unstable();
        }
        let [start, end] = ends.map(Value::Time);
        let start = match draw.below(8) {
            0 => Bound::Unbounded,
            1 => Bound::Excluded(start),
            _ => Bound::Included(start),
        };
        let end = match draw.below(8) {
            0 => Bound::Unbounded,
            1..=3 => Bound::Included(end),
            _ => Bound::Excluded(end),
        };
        Ask::Between(start, end)
    }

    /// A condition on the event's own columns.
    pub fn test(&self, draw: &mut Draw<'_>, depth: usize) -> Test {
        if self.model.serialized {
            return match draw.chance(50) {
                true => Test::Not(Box::new(Test::Exists)),
                false => Test::Exists,
            };
        }
        let columns = self.model.columns.iter().enumerate();
        let own: Vec<usize> = columns
            .filter(|(_, column)| column.copy_of.is_none() && column.codec != Codec::Entries)
            .map(|(at, _)| at)
            .collect();
        let at = draw.one_of(&own);
        let several = |draw: &mut Draw<'_>| {
            let count = draw.below(3);
            (0..count).map(|_| self.test(draw, depth - 1)).collect()
        };
        match draw.below(if depth > 0 { 10 } else { 6 }) {
            0..=2 => {
                let count = draw.below(4);
                let values = (0..count).map(|_| held_cell(draw, &self.model, at));
                Test::OneOf(at, values.collect())
            }
            3 => Test::Present(at),
            4 if self.model.columns[at].codec.sorts() => {
                let mut end = |open: usize| match draw.below(3) {
                    nth if nth == open => Bound::Unbounded,
                    2 => Bound::Excluded(held_cell(draw, &self.model, at)),
                    _ => Bound::Included(held_cell(draw, &self.model, at)),
                };
                Test::Between(at, end(0), end(1))
            }
            4 | 5 => Test::Exists,
            6 => Test::All(several(draw)),
            7 => Test::Any(several(draw)),
            _ => Test::Not(Box::new(self.test(draw, depth - 1))),
        }
    }
}

/// The selection of an identifier.
fn ask(draw: &mut Draw<'_>, pool: &[Value], of_event: Option<Value>, closes: bool) -> Ask {
    let value = |draw: &mut Draw<'_>| match (&of_event, draw.below(3)) {
        (Some(value), 0 | 1) => value.clone(),
        _ => draw.one_of(pool),
    };
    if closes && draw.chance(35) {
        let mut ends = [value(draw), value(draw)];
        if !draw.chance(10) {
            ends.sort();
        }
        let mut end = |value: Value| match draw.below(6) {
            0 | 1 => Bound::Unbounded,
            2 => Bound::Excluded(value),
            _ => Bound::Included(value),
        };
        let [start, last] = ends;
        return Ask::Between(end(start), end(last));
    }
    if let (true, Value::Text(text)) = (closes && draw.chance(30), value(draw)) {
        let count = draw.below(4);
        return Ask::Begins(text.chars().take(count).collect());
    }
    // Rarely none.
    let count = [1, 2, 3, 1, 2, 4, 1, 2, 3, 0][draw.below(10)];
    let first = (count > 0 && draw.chance(80))
        .then(|| of_event.clone())
        .flatten();
    let rest = count - usize::from(first.is_some());
    let rest: Vec<Value> = (0..rest).map(|_| value(draw)).collect();
    Ask::OneOf(first.into_iter().chain(rest).collect())
}

/// A value that the column can hold.
fn held_cell(draw: &mut Draw<'_>, model: &Model, at: usize) -> Cell {
    match cell(draw, model, at) {
        Cell::Unsigned(number) => Cell::Unsigned(number.min(i64::MAX as u64)),
        cell => cell,
    }
}

/// A value of a column.
fn cell(draw: &mut Draw<'_>, model: &Model, at: usize) -> Cell {
    let column = &model.columns[at];
    if column.kind != Kind::Plain && column.codec == Codec::Signed {
        return Cell::Signed(draw.between(-9, 10));
    }
    let floats = [
        0.5,
        -0.0,
        0.0,
        1e300,
        -1.25,
        f64::INFINITY,
        f64::NAN,
        -f64::NAN,
    ];
    let text = |draw: &mut Draw<'_>| {
        draw.one_of(&["x", "y", "yz", "", "é", "a:b", "\0"])
            .to_owned()
    };
    match column.codec {
        Codec::Text => Cell::Text(text(draw)),
        Codec::Signed | Codec::SignedText => {
            Cell::Signed(draw.one_of(&[1, 0, -1, 10, 9, i64::MAX, i64::MIN]))
        }
        Codec::Unsigned => Cell::Unsigned(match draw.below(30) {
            29 => u64::MAX,
            _ => draw.one_of(&[1, 0, 2, 255, 256, i64::MAX as u64]),
        }),
        Codec::Float | Codec::FloatText => Cell::Float(draw.one_of(&floats)),
        Codec::Finite => Cell::Float(draw.one_of(&[0.5, 1e300, -1.25, 0.0])),
        Codec::Bytes => {
            Cell::Bytes(draw.one_of(&[vec![1], vec![], vec![0], vec![0, 255], vec![b'a'; 300]]))
        }
        Codec::Bool => Cell::Bool(draw.chance(50)),
        Codec::Char => Cell::Char(draw.one_of(&['a', '\0', 'é', '世'])),
        Codec::Micros => Cell::Micros(draw.one_of(&[0, -1, 1, i64::MAX, i64::MIN])),
        Codec::Entries => {
            let names = ["a", "b", "x/y", "é"].map(str::to_owned);
            let count = 1 + draw.below(2);
            let entries = (0..count).map(|_| (draw.one_of(&names), draw.between(-9, 10)));
            Cell::Entries(entries.collect())
        }
        Codec::Json | Codec::Postcard => Cell::Pair(draw.one_of(&[1, -1, i64::MIN]), text(draw)),
    }
}
