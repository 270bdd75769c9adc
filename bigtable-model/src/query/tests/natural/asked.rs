//! Which questions are refused, by the documents of queries.

use std::collections::BTreeSet;
use std::ops::Bound;

use super::calendar::{self, Span};
use super::model::{Bucket, Form, Identifier, Label, Model, Part, Stamp, When};
use super::question::{Ask, Order, Question};
use super::rules::{self, FIRST_YEAR, greatest_signed, holds, least_signed, most};
use super::value::Value;

/// What a question is refused for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Refusal {
    /// A value, or the text of a bound, can't stand in its segment.
    Key,
    /// Something is asked behind a range.
    Closed,
    /// Nothing narrows the rows.
    FullScan,
    /// Buckets have to be listed, and the time has no two ends.
    OpenTime,
    /// An identifier is open.
    NoTimeOrder,
    TooManyScans,
    TooManyCombinations,
}

/// What a question must be refused for, and what it may be.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    pub(super) must: BTreeSet<Refusal>,
    /// Where the documents leave room: ranges that hold every value there is, sets whose combinations are close to the most.
    pub(super) may: BTreeSet<Refusal>,
}

impl Refusals {
    fn add(&mut self, refusal: Refusal, must: bool, may: bool) {
        if must {
            self.must.insert(refusal);
        } else if may {
            self.may.insert(refusal);
        }
    }
}

/// From so many combinations on a question may be refused, and from twice the most on it has to be.
pub(super) const MANY_COMBINATIONS: usize = 50_000;
const TOO_MANY_COMBINATIONS: usize = 200_000;

/// The last microsecond of 9999.
const LAST_MOMENT: i64 = 253_402_300_799_999_999;

impl Question {
    /// The asks without those at the end that ask for nothing.
    fn trimmed(&self) -> &[Ask] {
        let last = self.asks.iter().rposition(|ask| *ask != Ask::OPEN);
        &self.asks[..last.map_or(0, |last| last + 1)]
    }

    /// What the question is refused for. `tables` is how many tables it touches, where tables are by period.
    pub(super) fn refusals(&self, model: &Model, tables: usize) -> Refusals {
        let mut refusals = Refusals::default();
        let asks = self.trimmed();
        let parts: Vec<&Part> = model.valued().map(|(_, part)| part).collect();
        let asked = || parts.iter().copied().zip(asks);
        let separator = model.separator.as_bytes()[0];
        let unheld = |(part, ask): (&Part, &Ask)| !can_stand(model, part, ask, separator);
        let perhaps = self.asks_for_no_key(model) || self.asks_for_long_text();
        refusals.add(Refusal::Key, asked().any(unheld), perhaps);
        let empty = |(part, ask): (&Part, &Ask)| is_empty(model, part, ask, separator);
        let nothing = tables == 0 || asked().any(empty);
        let is_bucket = |part: &Part| matches!(part, Part::Time(When::Bucket(_)));
        let closes = |(part, ask): (&Part, &Ask)| !matches!(ask, Ask::OneOf(_)) && !is_bucket(part);
        let closed_at = asked().position(closes);
        let closed = closed_at.is_some_and(|at| at + 1 < asks.len());
        refusals.add(Refusal::Closed, closed && !self.full_scan, false);
        self.narrowing(model, nothing, tables, &mut refusals);
        self.times(model, nothing, &mut refusals);
        if self.order == Order::Time {
            self.time_order(model, nothing, &mut refusals);
        }
        let too_many = self.order == Order::Key && tables > 1 && tables > self.max_scans;
        // Of others some tables may hold no time that is asked for.
        let counted = matches!(
            model.when(),
            When::Stamp(Stamp::Ticks { .. } | Stamp::Binary { .. })
        );
        refusals.add(
            Refusal::TooManyScans,
            too_many && counted && !nothing,
            too_many,
        );
        let combinations = self.combinations(model).saturating_mul(tables.max(1));
        refusals.add(
            Refusal::TooManyCombinations,
            false,
            combinations >= MANY_COMBINATIONS || tables > MANY_COMBINATIONS,
        );
        refusals
    }

    /// Whether a key without bytes is asked for.
    fn asks_for_no_key(&self, model: &Model) -> bool {
        let is_endless =
            |part: &&Part| matches!(part, Part::Time(When::Bucket(bucket)) if bucket.is_endless());
        let endless = model.parts.iter().filter(is_endless).count();
        model.prefix.is_empty() && model.parts.len() == 1 + endless
    }

    /// Whether the key may be too long.
    fn asks_for_long_text(&self) -> bool {
        let long = |value: &Value| matches!(value, Value::Text(text) if text.len() > 3_000);
        self.asks.iter().any(|ask| match ask {
            Ask::OneOf(values) => values.iter().any(long),
            _ => false,
        })
    }

    /// Without a scan of the whole table something has to narrow the rows.
    fn narrowing(&self, model: &Model, nothing: bool, tables: usize, refusals: &mut Refusals) {
        let separator = model.separator.as_bytes()[0];
        let parts = model.valued().map(|(_, part)| part);
        let mut asked = parts.zip(self.trimmed());
        let narrowing = asked.find_map(|(part, ask)| match part {
            Part::Time(When::Bucket(bucket)) if bucket.is_endless() => None,
            // Each table has two ends.
            Part::Time(_) if *ask == Ask::OPEN && model.periods.is_some() => Some(Narrows::Perhaps),
            Part::Time(When::Bucket(bucket)) => Some(match ask {
                Ask::OneOf(_) => Narrows::Surely,
                ask if !bucket.sorts() && !has_two_ends(ask) && model.periods.is_none() => {
                    Narrows::Not
                }
                ask => narrows(part, ask, separator),
            }),
            part => Some(narrows(part, ask, separator)),
        });
        let narrowing = narrowing.unwrap_or(Narrows::Not);
        let refused = narrowing == Narrows::Not && !nothing && !self.full_scan;
        // That a range holds nothing is told by labels that sort.
        let unsorted = model.bucket().is_some_and(|bucket| !bucket.sorts());
        let perhaps = match narrowing {
            Narrows::Surely => false,
            Narrows::Perhaps => !nothing,
            Narrows::Not => tables == 0 || unsorted,
        };
        let may = perhaps && !self.full_scan;
        refusals.add(Refusal::FullScan, refused, may);
    }

    /// Where something is asked behind buckets, these have to be listed.
    fn times(&self, model: &Model, nothing: bool, refusals: &mut Refusals) {
        let place = model.place_of_time();
        if model.bucket().is_none_or(Bucket::is_endless) {
            return;
        }
        let separator = model.separator.as_bytes()[0];
        let asks = self.trimmed();
        let Some(ask) = asks.get(place) else {
            return;
        };
        let listed = matches!(ask, Ask::OneOf(_)) || has_two_ends(ask);
        if listed {
            return;
        }
        let parts: Vec<&Part> = model.valued().map(|(_, part)| part).collect();
        let behind = parts.iter().zip(asks).skip(place + 1);
        let narrowing = behind.map(|(part, ask)| narrows(part, ask, separator));
        let narrowing: Vec<_> = narrowing.collect();
        let surely = narrowing.contains(&Narrows::Surely);
        let must = surely && !nothing && !self.full_scan && model.periods.is_none();
        let may = !narrowing.is_empty() && !self.full_scan;
        refusals.add(Refusal::OpenTime, must, may);
    }

    fn time_order(&self, model: &Model, nothing: bool, refusals: &mut Refusals) {
        let is_set = |ask: Option<&Ask>| matches!(ask, Some(Ask::OneOf(_)));
        let fixed = self.of_names(model).all(|(_, ask)| is_set(ask));
        refusals.add(Refusal::NoTimeOrder, !fixed, false);
        let time = self.time(model);
        let listed = is_set(time) || nothing;
        let two_ends = time.is_some_and(has_two_ends);
        match model.when() {
            When::Stamp(_) => {
                let split = model.has_identifier_behind_time() && fixed;
                refusals.add(Refusal::Closed, split && !listed, split && nothing);
            }
            When::Bucket(bucket) if !bucket.is_endless() => {
                let unsorted = !bucket.sorts();
                let split = model.has_identifier_behind_time();
                let open = (unsorted || split) && !is_set(time) && !two_ends;
                let must = open && !nothing && model.periods.is_none();
                refusals.add(Refusal::OpenTime, must, open);
            }
            When::Bucket(_) => {}
        }
        let least = self
            .of_names(model)
            .fold(1_usize, |series, (identifier, ask)| {
                let count = match ask {
                    Some(Ask::OneOf(values)) => distinct(identifier.form.clone(), values),
                    _ => 1,
                };
                series.saturating_mul(count)
            });
        let shards = model.salt().map_or(1, |(_, shards, _)| shards as usize);
        let most = least.saturating_mul(shards);
        let must = least > self.max_scans && !nothing;
        refusals.add(Refusal::TooManyScans, must, most > self.max_scans);
    }

    /// How many combinations of values and buckets there are.
    pub(super) fn combinations(&self, model: &Model) -> usize {
        let parts = model.valued().map(|(_, part)| part);
        let asked = parts.zip(&self.asks);
        let counts = asked.map(|(part, ask)| match (part, ask) {
            (_, Ask::OneOf(values)) => values.len().max(1),
            (Part::Time(When::Bucket(bucket)), ask) if !bucket.is_endless() => {
                buckets(model, ask).unwrap_or_else(|| buckets_of_table(model))
            }
            _ => 1,
        });
        let shards = model.salt().map_or(1, |(_, shards, _)| shards as usize);
        counts.fold(shards, usize::saturating_mul)
    }

    /// How many tables it touches, of those that are there where its time has no two ends.
    pub(super) fn tables(&self, model: &Model, starts: &BTreeSet<i64>) -> usize {
        let Some(periods) = &model.periods else {
            return 1;
        };
        let start_of = |micros| calendar::span_of(periods.span, periods.zone, micros);
        let ask = self.time(model).unwrap_or(&Ask::OPEN);
        match ask {
            Ask::OneOf(values) => {
                let starts = values.iter().filter_map(|value| match value {
                    Value::Time(micros) => start_of(model.floor(*micros)),
                    _ => None,
                });
                let held = starts.filter(|(start, _)| *start >= 0);
                held.collect::<BTreeSet<_>>().len()
            }
            ask => match ends(ask) {
                (Some(start), Some(end)) => {
                    let first = start.max(0);
                    let mut count = 0;
                    let mut next = start_of(first).filter(|_| first < end);
                    while let Some((start, end_of_period)) = next.filter(|(start, _)| *start < end)
                    {
                        count += usize::from(start >= 0);
                        next = end_of_period.and_then(start_of);
                        if count > TOO_MANY_COMBINATIONS {
                            break;
                        }
                    }
                    count
                }
                (start, end) => {
                    let touched = starts.iter().filter(|begin| {
                        let ends = start_of(**begin).and_then(|(_, end)| end);
                        end.is_none_or(|end| **begin < end)
                            && start.is_none_or(|start| ends.is_none_or(|ends| start < ends))
                    });
                    touched.count()
                }
            },
        }
    }
}

/// How many values are asked for.
fn distinct(form: Form, values: &[Value]) -> usize {
    let stored = values.iter().map(|value| match (&form, value) {
        (Form::Time(stamp), Value::Time(micros)) => Value::Time(stamp.floor(*micros)),
        (_, value) => value.clone(),
    });
    stored.collect::<BTreeSet<_>>().len()
}

/// How many buckets a range of times with two ends touches.
fn buckets(model: &Model, ask: &Ask) -> Option<usize> {
    let bucket = model.bucket()?;
    let (Some(start), Some(end)) = ends(ask) else {
        return None;
    };
    let length = calendar::length(bucket.span).unwrap_or(calendar::DAY);
    let count = i128::from(end).saturating_sub(i128::from(start)) / i128::from(length);
    Some(usize::try_from(count.max(0)).unwrap_or(usize::MAX) + 1)
}

/// How many buckets a table holds, where tables are by period.
fn buckets_of_table(model: &Model) -> usize {
    let (Some(bucket), Some(periods)) = (model.bucket(), &model.periods) else {
        return 1;
    };
    let longest = |span| {
        calendar::length(span).unwrap_or(match span {
            Span::Day => calendar::DAY,
            Span::Week => 7 * calendar::DAY,
            Span::Month => 28 * calendar::DAY,
            _ => 365 * calendar::DAY,
        })
    };
    usize::try_from(longest(periods.span) / longest(bucket.span)).unwrap_or(1) + 1
}

/// The first time that a range holds, and the first behind it.
pub(super) fn ends(ask: &Ask) -> (Option<i64>, Option<i64>) {
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

fn has_two_ends(ask: &Ask) -> bool {
    matches!(ends(ask), (Some(_), Some(_)))
}

/// Whether what is asked can stand in a segment: values have to, of bounds text; numbers and times beyond the segment are outside.
fn can_stand(model: &Model, part: &Part, ask: &Ask, separator: u8) -> bool {
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
            _ => true,
        },
    }
}

/// Whether what is asked holds no value.
fn is_empty(model: &Model, part: &Part, ask: &Ask, separator: u8) -> bool {
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
    crossed || above || below || holds_no_time(model, part, ask)
}

/// Whether no time between the ends is one that the key can hold.
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
        Some(Stamp::Ticks { unit, .. } | Stamp::Binary { unit, .. }) => micros.saturating_add(unit),
        Some(Stamp::Fields { format, .. }) => match calendar::finest(format) {
            calendar::Fine::Even(length) => micros.saturating_add(length),
            calendar::Fine::Dates(span) => {
                let span = calendar::span_of(span, None, micros);
                span.and_then(|(_, end)| end).unwrap_or(i64::MAX)
            }
        },
        None => micros.saturating_add(model.step()),
    }
}

/// Whether an ask leaves out rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Narrows {
    Surely,
    /// It holds every value, but has an end.
    Perhaps,
    Not,
}

fn narrows(part: &Part, ask: &Ask, separator: u8) -> Narrows {
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
                    is_behind_labels(part, *end)
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
fn is_behind_labels(part: &Part, micros: i64) -> bool {
    let Part::Time(When::Bucket(bucket)) = part else {
        return false;
    };
    micros >= first_time(bucket) && !rules::holds_bucket(bucket, micros)
}

/// The least value that a part of the key holds, where there is one.
fn least(part: &Part, separator: u8) -> Option<Value> {
    let form = match part {
        Part::Name(identifier) => &identifier.form,
        Part::Time(When::Stamp(stamp)) => return least_time(*stamp),
        Part::Time(When::Bucket(bucket)) => return Some(Value::Time(first_time(bucket))),
        Part::Salt { .. } => return None,
    };
    Some(match form {
        Form::Padded { .. } | Form::Variable | Form::Escaped => Value::Text(String::new()),
        Form::Rest => Value::Bytes(Vec::new()),
        Form::Hex { len } | Form::Raw { len } => Value::Bytes(vec![0; *len]),
        Form::Digits { .. } | Form::BigEndian { .. } => Value::Unsigned(0),
        Form::SignedDigits { .. } | Form::SignedBigEndian { .. } => {
            Value::Signed(least_signed(form))
        }
        Form::Single => Value::Single(f32::from_bits(u32::MAX)),
        Form::Double => Value::Double(f64::from_bits(u64::MAX)),
        Form::Bool { .. } => Value::Bool(false),
        Form::Char { binary: false } => Value::Char(char::from(separator + 1)),
        Form::Char { binary: true } => Value::Char('\0'),
        Form::Uuid { .. } => Value::Uuid([0; 16]),
        Form::Time(stamp) => return least_time(*stamp),
    })
}

/// The beginning of the first bucket that has a label, or a time before it.
fn first_time(bucket: &Bucket) -> i64 {
    match bucket.label {
        Label::Absent => i64::MIN,
        Label::BinaryStart { .. } => match bucket.span_of(FIRST_YEAR) {
            Some((start, Some(next))) if start < FIRST_YEAR => next,
            _ => FIRST_YEAR,
        },
        Label::Counted { origin, .. } => bucket.span_of(origin).map_or(origin, |(start, _)| start),
        // In a zone the first that begins in 1970 does so later.
        Label::Fields { .. } | Label::Start { .. } => match bucket.span_of(0) {
            Some((start, Some(next))) if start < 0 => next,
            _ => 0,
        },
    }
}

fn least_time(stamp: Stamp) -> Option<Value> {
    match stamp {
        Stamp::Binary { .. } => Some(Value::Time(i64::MIN)),
        Stamp::Ticks { .. } | Stamp::Fields { .. } => Some(Value::Time(0)),
    }
}

/// The greatest value that a part of the key holds, where there is one.
fn greatest(part: &Part) -> Option<Value> {
    let form = match part {
        Part::Name(identifier) => &identifier.form,
        Part::Time(When::Stamp(stamp)) => return greatest_time(*stamp),
        _ => return None,
    };
    Some(match form {
        Form::Padded { .. } | Form::Variable | Form::Escaped | Form::Rest => return None,
        Form::Hex { len } | Form::Raw { len } => Value::Bytes(vec![255; *len]),
        Form::Digits { .. } | Form::BigEndian { .. } => Value::Unsigned(most(form)),
        Form::SignedDigits { .. } | Form::SignedBigEndian { .. } => {
            Value::Signed(greatest_signed(form))
        }
        Form::Single => Value::Single(f32::from_bits(u32::MAX >> 1)),
        Form::Double => Value::Double(f64::from_bits(u64::MAX >> 1)),
        Form::Bool { .. } => Value::Bool(true),
        Form::Char { .. } => Value::Char(char::MAX),
        Form::Uuid { .. } => Value::Uuid([255; 16]),
        Form::Time(stamp) => return greatest_time(*stamp),
    })
}

fn greatest_time(stamp: Stamp) -> Option<Value> {
    match stamp {
        Stamp::Ticks { unit, width, .. } => {
            Some(Value::Time(Stamp::most(width).saturating_mul(unit)))
        }
        Stamp::Binary { unit, .. } => Some(Value::Time(i64::MAX - i64::MAX.rem_euclid(unit))),
        Stamp::Fields { format, .. } => {
            Some(Value::Time(calendar::finest(format).floor(LAST_MOMENT)))
        }
    }
}
