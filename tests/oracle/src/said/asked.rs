//! Which questions are refused, according to the documents of queries.

use std::collections::BTreeSet;

use crate::calendar::{self, Span};
use crate::ends::{Narrows, can_stand, ends, has_two_ends, is_empty, narrows};
use crate::model::{Bucket, Form, Model, Part, Stamp, When};
use crate::question::{Ask, Order, Question};
use crate::value::Value;

/// Why a question is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// A segment cannot hold a value, or the text of a bound.
    Key,
    /// A segment after a range is selected.
    Closed,
    /// Nothing narrows the rows.
    FullScan,
    /// Buckets have to be listed, and the time does not have two ends.
    OpenTime,
    /// An identifier is open.
    NoTimeOrder,
    TooManyScans,
    TooManyCombinations,
}

/// Why a question must be refused, and why it may be.
#[derive(Debug, Default)]
pub struct Refusals {
    pub must: BTreeSet<Refusal>,
    /// Where the documents leave room: ranges that contain every value, sets whose combinations are
    /// close to the maximum.
    pub may: BTreeSet<Refusal>,
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

/// With so many combinations a question may be refused; with twice the maximum it must be.
pub const MANY_COMBINATIONS: usize = 50_000;
const TOO_MANY_COMBINATIONS: usize = 200_000;

impl Question {
    /// The asks without trailing ones that select everything.
    fn trimmed(&self) -> &[Ask] {
        let last = self.asks.iter().rposition(|ask| *ask != Ask::OPEN);
        &self.asks[..last.map_or(0, |last| last + 1)]
    }

    /// Why the question is refused. `tables` is how many tables it touches if tables are by period.
    pub fn refusals(&self, model: &Model, tables: usize) -> Refusals {
        let mut refusals = Refusals::default();
        let asks = self.trimmed();
        let parts: Vec<&Part> = model.valued().map(|(_, part)| part).collect();
        let asked = || parts.iter().copied().zip(asks);
        let separator = model.separator.as_bytes()[0];
        let unheld = |(part, ask): (&Part, &Ask)| !can_stand(model, part, ask, separator);
        refusals.add(Refusal::Key, asked().any(unheld), false);
        let empty = |(part, ask): (&Part, &Ask)| is_empty(model, part, ask, separator);
        let nothing = tables == 0 || asked().any(empty);
        let is_bucket = |part: &Part| matches!(part, Part::Time(When::Bucket(_)));
        let closes = |(part, ask): (&Part, &Ask)| !matches!(ask, Ask::OneOf(_)) && !is_bucket(part);
        let closed_at = asked().position(closes);
        let closed = closed_at.is_some_and(|at| at + 1 < asks.len());
        let closed = closed && !self.full_scan;
        // If nothing can match, no row is read, whatever is open.
        refusals.add(Refusal::Closed, closed && !nothing, closed);
        self.narrowing(model, nothing, tables, &mut refusals);
        self.times(model, nothing, &mut refusals);
        if self.order == Order::Time {
            self.time_order(model, nothing, &mut refusals);
        }
        let pieces = self.in_pieces(model);
        let too_many = |tables| self.order == Order::Key && tables > 1 && tables > self.max_scans;
        let must = too_many(tables) && every_table_counts(model) && !nothing && pieces == 0;
        refusals.add(Refusal::TooManyScans, must, too_many(tables + pieces));
        let combinations = self.combinations(model).saturating_mul(tables.max(1));
        refusals.add(
            Refusal::TooManyCombinations,
            false,
            combinations >= MANY_COMBINATIONS || self.periods_asked(model) > MANY_COMBINATIONS,
        );
        refusals
    }

    /// How many periods lie between the ends of a range of times. The key may hold times of few of
    /// them, but all are listed.
    fn periods_asked(&self, model: &Model) -> usize {
        let times = self.time(model).map(ends);
        let (Some(periods), Some((Some(start), Some(end)))) = (&model.periods, times) else {
            return 0;
        };
        let length = calendar::length(periods.span).unwrap_or(calendar::DAY);
        let between = end.saturating_sub(start.max(0)) / length;
        usize::try_from(between).unwrap_or_default()
    }

    /// How many of the selected times, or of the ends of their range, lie in a period of two
    /// pieces. Such periods hold no event: they may be left out, so the number of tables in between
    /// is not fixed.
    pub fn in_pieces(&self, model: &Model) -> usize {
        let Some(periods) = &model.periods else {
            return 0;
        };
        let times: Vec<i64> = match self.time(model) {
            Some(Ask::OneOf(values)) => {
                let times = values.iter().filter_map(|value| match value {
                    Value::Time(micros) => Some(model.floor(*micros)),
                    _ => None,
                });
                times.collect()
            }
            ask => {
                let (start, end) = ends(ask.unwrap_or(&Ask::OPEN));
                [start, end].into_iter().flatten().collect()
            }
        };
        let in_pieces =
            |micros: &&i64| calendar::is_in_pieces(periods.span, periods.zone, **micros);
        times.iter().filter(in_pieces).count()
    }

    /// Unless the question scans the whole table, something has to narrow the rows.
    fn narrowing(&self, model: &Model, nothing: bool, tables: usize, refusals: &mut Refusals) {
        let separator = model.separator.as_bytes()[0];
        let parts = model.in_row_keys();
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
        // Only labels that sort show that a range is empty.
        let unsorted = model.bucket().is_some_and(|bucket| !bucket.sorts());
        let perhaps = match narrowing {
            Narrows::Surely => false,
            Narrows::Perhaps => true,
            Narrows::Not => tables == 0 || unsorted,
        };
        let may = perhaps && !self.full_scan;
        refusals.add(Refusal::FullScan, refused, may);
    }

    /// If a segment after the buckets is selected, the buckets have to be listed.
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
        let parts: Vec<&Part> = model.in_row_keys().collect();
        let after = parts.iter().zip(asks).skip(place + 1);
        let narrowing = after.map(|(part, ask)| narrows(part, ask, separator));
        let narrowing: Vec<_> = narrowing.collect();
        let surely = narrowing.contains(&Narrows::Surely);
        let must = surely && !nothing && !self.full_scan && model.periods.is_none();
        let may = !narrowing.is_empty() && !self.full_scan;
        refusals.add(Refusal::OpenTime, must, may);
    }

    fn time_order(&self, model: &Model, nothing: bool, refusals: &mut Refusals) {
        let is_set = |ask: Option<&Ask>| matches!(ask, Some(Ask::OneOf(_)));
        let fixed = self.of_series(model).all(|(_, ask)| is_set(ask));
        refusals.add(Refusal::NoTimeOrder, !fixed && !nothing, !fixed);
        let time = self.time(model);
        let listed = is_set(time) || nothing;
        let two_ends = time.is_some_and(has_two_ends);
        match model.when() {
            When::Stamp(_) => {
                let split = model.has_identifier_after_time() && fixed;
                refusals.add(Refusal::Closed, split && !listed, split && nothing);
            }
            When::Bucket(bucket) if !bucket.is_endless() => {
                // Labels that do not sort are put in order, unless they belong to several series.
                let split = model.has_identifier_after_time();
                let open = split && !is_set(time) && !two_ends;
                let must = open && !nothing && model.periods.is_none();
                refusals.add(Refusal::OpenTime, must, open);
            }
            When::Bucket(_) => {}
        }
        let least = self
            .of_series(model)
            .fold(1_usize, |series, (identifier, ask)| {
                let count = match ask {
                    Some(Ask::OneOf(values)) => distinct(identifier.form.clone(), values),
                    _ => 1,
                };
                series.saturating_mul(count)
            });
        let most = self.series_and_shards(model);
        let counted =
            model.periods.is_none() || every_table_counts(model) && self.in_pieces(model) == 0;
        let must = least > self.max_scans && counted && !nothing;
        refusals.add(Refusal::TooManyScans, must, most > self.max_scans);
    }

    /// How many series are asked for by their names, each as often as it has shards.
    pub fn series_and_shards(&self, model: &Model) -> usize {
        let hot = model.hot();
        let asked = self.of_names(model).enumerate();
        let asked = asked.filter(|(_, (identifier, _))| !identifier.tie);
        let counts = asked.map(|(nth, (identifier, ask))| match (ask, hot) {
            (Some(Ask::OneOf(values)), Some(hot)) if model.nth_name(hot.place) == nth => {
                let values: BTreeSet<_> = values.iter().collect();
                let shards = values
                    .into_iter()
                    .map(|value| hot.shards_of(value) as usize);
                shards.sum()
            }
            (Some(Ask::OneOf(values)), _) => distinct(identifier.form.clone(), values),
            _ => 1,
        });
        let shards = match (model.salt(), hot) {
            (Some((_, shards, _)), None) => shards as usize,
            _ => 1,
        };
        counts.fold(shards, usize::saturating_mul)
    }

    /// How many combinations of values and buckets there are.
    pub fn combinations(&self, model: &Model) -> usize {
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

    /// How many tables it touches; of the existing ones, if its time does not have two ends.
    pub fn tables(&self, model: &Model, starts: &BTreeSet<i64>) -> usize {
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
                    let end = end.min(after_last(model));
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

/// Whether every table that a range of times touches holds times of the range. A table of a year
/// may hold no time whose format is a year, if the range begins in it.
fn every_table_counts(model: &Model) -> bool {
    matches!(
        model.when(),
        When::Stamp(Stamp::Ticks { .. } | Stamp::Binary { .. } | Stamp::Coded { .. })
    )
}

/// The first time after those that the key holds.
fn after_last(model: &Model) -> i64 {
    match model.when() {
        When::Stamp(Stamp::Ticks { unit, width, .. }) => {
            Stamp::most(*width).saturating_mul(*unit).saturating_add(1)
        }
        _ => i64::MAX,
    }
}

/// How many distinct values are selected.
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
