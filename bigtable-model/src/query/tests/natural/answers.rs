//! Compares the answers to questions with those of the documents.

use std::ops::Bound;

use super::asked::{Refusal, Refusals};
use super::errors;
use super::event::Event;
use super::judge::{Failure, check};
use super::model::{Layout, Model};
use super::question::{Ask, Order, Question};
use super::value::Value;
use super::world::World;
use crate::model::RowEvents;
use crate::query::before::state_before;
use crate::query::delete::delete;
use crate::query::newest::{Slots, newest_of_each};
use crate::query::run::execute::found_events;
use crate::query::run::start::{live_tables, planned};
use crate::query::series::keys_of_series;
use crate::query::{Amount, cost};
use crate::query::{BadRows, Plan, Selection};
use crate::{Error, QueryError};

impl World {
    fn refusals(&self, question: &Question) -> Refusals {
        let tables = question.tables(self.model(), &self.periods);
        question.refusals(self.model(), tables)
    }

    fn judge<T>(
        &self,
        question: &Question,
        result: Result<T, Error>,
    ) -> Result<Option<T>, Failure> {
        question.judge(&self.refusals(question), result, errors::refusal)
    }

    /// Asks in every way.
    pub(super) async fn ask(&self, question: &Question) -> Result<(), Failure> {
        let selection = self.to_selection(question);
        let plan = planned(&*self.db, &self.schema, &selection).await;
        let Some(plan) = self.judge(question, plan)? else {
            return self.ask_series(question).await;
        };
        self.check_plan(question, &plan)?;
        let all = self.events();
        let expected = question.answer(self.model(), &all);
        let bounds = self.bounds(question, &plan);
        self.begin_reading();
        let found = self.run(plan).await?;
        self.check_reading("the answer", bounds)?;
        self.compare(question, &expected, &found)?;
        self.count(question, expected.len()).await?;
        self.cost(question, &expected).await?;
        self.ask_series(question).await?;
        if question.order != Order::Any {
            self.pages(question, &expected).await?;
        }
        Ok(())
    }

    pub(super) async fn run(&self, plan: Plan) -> Result<Vec<Event>, Failure> {
        let failed = |error: Error| format!("the read failed: {error:?}");
        let mut running = found_events(&*self.db, &self.schema, plan).map_err(failed)?;
        let mut found = Vec::new();
        while let Some(next) = running.advance().await {
            next.map_err(failed)?;
            let (row, index) = running.current().ok_or("no event at hand")?;
            found.push(self.to_event(row, index).map_err(failed)?);
        }
        Ok(found)
    }

    /// The events, with only the columns asked for.
    pub(super) fn shown(&self, question: &Question, events: &[Event]) -> Vec<Event> {
        let columns = question.columns.as_ref();
        let asked = |column: usize| {
            let own = self.model().columns[column].copy_of.is_none();
            own && !question.keys_only && columns.is_none_or(|all| all.contains(&column))
        };
        let shown = events.iter().map(|event| {
            let cells = event.cells.iter().enumerate();
            let cells = cells.map(|(column, cell)| cell.clone().filter(|_| asked(column)));
            Event {
                cells: cells.collect(),
                ..event.clone()
            }
        });
        shown.collect()
    }

    pub(super) fn compare(
        &self,
        question: &Question,
        expected: &[Event],
        found: &[Event],
    ) -> Result<(), Failure> {
        let (expected, found) = (self.shown(question, expected), self.shown(question, found));
        if question.order != Order::Any {
            check!(
                found == expected,
                "found {found:#?}\nin place of {expected:#?}"
            );
            return Ok(());
        }
        let limit = question.limit.unwrap_or(usize::MAX);
        let wanted = expected.len().min(limit);
        check!(
            found.len() == wanted,
            "{} events in place of {wanted}",
            found.len()
        );
        let mut left = expected;
        for one in found {
            let at = left.iter().position(|other| *other == one);
            let at = at.ok_or_else(|| format!("{one:?} twice, or not wanted"))?;
            left.remove(at);
        }
        Ok(())
    }

    async fn count(&self, question: &Question, expected: usize) -> Result<(), Failure> {
        let selection = Selection {
            keys_only: true,
            ..self.to_selection(question)
        };
        let plan = planned(&*self.db, &self.schema, &selection).await;
        let plan = plan.map_err(|error| format!("no count: {error:?}"))?;
        let counted = self.run(plan).await?.len();
        let expected = expected.min(question.limit.unwrap_or(usize::MAX));
        check!(
            counted == expected,
            "counted {counted} in place of {expected}"
        );
        Ok(())
    }

    /// The cost of the answer: its events, and their cells.
    async fn cost(&self, question: &Question, expected: &[Event]) -> Result<(), Failure> {
        let (selection, skipped) = (self.to_selection(question), BadRows::fail());
        let read = RowEvents::check_place;
        self.begin_reading();
        let cost = cost(&*self.db, &self.schema, &selection, &skipped, &read).await;
        let cost = cost.map_err(|error| format!("no cost: {error:?}"))?;
        let limit = question.limit.unwrap_or(usize::MAX);
        let wanted = expected.len().min(limit);
        check!(cost.events == wanted as u64, "{cost}\nfor {wanted} events");
        if let Some(scanned) = cost.scanned {
            let Amount { rows, cells, bytes } = cost.sent;
            let is_there = scanned.rows >= rows && scanned.cells >= cells && scanned.bytes >= bytes;
            check!(is_there, "more was sent than there is: {cost}");
            if let Some(there) = self.in_requests().filter(|_| question.limit.is_none()) {
                check!(scanned == there, "{cost}\nand the requests are for {there}");
            }
        }
        let columns = &self.model().columns;
        let has_copies = columns.iter().any(|column| column.copy_of.is_some());
        let is_whole = question.columns.is_none() && !question.keys_only && !has_copies;
        if is_whole && wanted == expected.len() {
            let cells = expected.iter().flat_map(|event| &event.cells).flatten();
            let markers = expected.len() * usize::from(self.model().marker);
            let cells = (cells.count() + markers) as u64;
            check!(cost.wanted.cells == cells, "{cost}\nfor {cells} cells");
        }
        Ok(())
    }

    /// Series, and the newest events of each.
    async fn ask_series(&self, question: &Question) -> Result<(), Failure> {
        let question = Question {
            order: Order::Any,
            ..question.clone()
        };
        let selection = self.to_selection(&question);
        let live = live_tables(&*self.db, &self.schema, &selection).await;
        let live = live.map_err(|error| format!("no tables: {error:?}"))?;
        let live = live.as_deref();
        self.begin_reading();
        let found = keys_of_series(
            &*self.db,
            &self.schema,
            selection.clone(),
            live,
            &BadRows::fail(),
        )
        .await;
        if found.is_ok() {
            self.check_reading(
                "series",
                self.bounds_of_series(&question, &selection, live)?,
            )?;
        }
        let Some(keys) = self.judge(&question, found)? else {
            return Ok(());
        };
        let expected = question.series(self.model(), &self.events());
        let names = |key: &bytes::Bytes| self.names_of(key);
        let found: Vec<_> = keys.iter().map(names).collect::<Result<_, _>>()?;
        check!(
            found == expected,
            "series {found:#?}\nin place of {expected:#?}"
        );
        self.ask_newest(&question, selection, &expected).await
    }

    /// The newest two events of each series.
    async fn ask_newest(
        &self,
        question: &Question,
        selection: Selection,
        series: &[Vec<Value>],
    ) -> Result<(), Failure> {
        let slots = Slots::new(self.reader());
        let keep = |free, row: &RowEvents, index| slots.keep(free, row, index);
        let fail = BadRows::fail();
        let found =
            newest_of_each(&*self.db, &self.schema, selection.clone(), 2, &fail, &keep).await;
        if found.is_err() && self.may_refuse_newest(question) {
            return Ok(());
        }
        let (_, found) = found.map_err(|error| format!("latest_each is refused: {error:?}"))?;
        let expected = series.iter().map(|names| {
            let newest = self.newest_of(question, names, 2);
            self.shown(question, &newest)
        });
        let expected: Vec<_> = expected.collect();
        let found = found.iter().map(|newest| slots.take(newest));
        let found: Vec<_> = found.map(|newest| self.shown(question, &newest)).collect();
        check!(
            found == expected,
            "newest {found:#?}\nin place of {expected:#?}"
        );
        let mut times: Vec<i64> = self.events().iter().map(|event| event.time).collect();
        times.sort_unstable();
        for time in [times.len() / 3, times.len() * 2 / 3].map(|at| times.get(at)) {
            let time = time.copied().unwrap_or_default();
            for time in [time, time.saturating_add(1)] {
                self.ask_before(question, selection.clone(), time).await?;
            }
        }
        Ok(())
    }

    /// The newest event of each series before a time.
    async fn ask_before(
        &self,
        question: &Question,
        selection: Selection,
        time: i64,
    ) -> Result<(), Failure> {
        let (at, fail) = (crate::Timestamp::from_micros(time), BadRows::fail());
        let slots = Slots::new(self.reader());
        let keep = |free, row: &RowEvents, index| slots.keep(free, row, index);
        let found = state_before(&*self.db, &self.schema, selection, at, &fail, &keep).await;
        if self.model().layout == Layout::Latest {
            let refused = found.err().is_some_and(|error| is_newest_only(&error));
            check!(refused, "the state in layout `latest` is not refused");
            return Ok(());
        }
        if found.is_err() && self.may_refuse_newest(question) {
            return Ok(());
        }
        if found.as_ref().err().is_some_and(is_of_many) && self.lists_many(question, time) {
            return Ok(());
        }
        let found = found.map_err(|error| format!("latest_before is refused: {error:?}"))?;
        let mut past = self.events();
        past.retain(|event| event.time < time);
        let newest = |names: &Vec<Value>| newest_among(self.model(), question, names, 1, &past);
        let series = question.series(self.model(), &past);
        let expected: Vec<Event> = series.iter().flat_map(newest).collect();
        let found = found.iter().flat_map(|(_, newest)| slots.take(newest));
        let found: Vec<Event> = found.collect();
        let (expected, found) = (
            self.shown(question, &expected),
            self.shown(question, &found),
        );
        check!(
            found == expected,
            "before {time} {found:#?}\nin place of {expected:#?}"
        );
        Ok(())
    }

    /// Whether the newest of each series may be refused although series are not: if there are more
    /// shards than may be read at once.
    fn may_refuse_newest(&self, question: &Question) -> bool {
        self.model().most_shards() > question.max_scans as u64
    }

    /// Whether a range with a start, which is asked for before a time, has too many buckets to be
    /// listed. A table by period sets a start too.
    fn lists_many(&self, question: &Question, time: i64) -> bool {
        let mut before = question.clone();
        let ask = before.asks.get_mut(self.model().place_of_time());
        let Some(Ask::Between(start, end)) = ask else {
            return false;
        };
        if *start == Bound::Unbounded && self.model().periods.is_none() {
            return false;
        }
        *end = Bound::Excluded(Value::Time(time));
        let tables = before.tables(self.model(), &self.periods);
        let refusals = before.refusals(self.model(), tables);
        refusals.may.contains(&Refusal::TooManyCombinations)
    }

    /// The newest events of one series, newest first.
    fn newest_of(&self, question: &Question, names: &[Value], count: usize) -> Vec<Event> {
        newest_among(self.model(), question, names, count, &self.events())
    }

    fn names_of(&self, key: &[u8]) -> Result<Vec<Value>, Failure> {
        let values = self.schema.key.decode(key);
        let values = values.map_err(|error| format!("no key: {error:?}"))?;
        let parts = self.schema.key.valued().zip(values);
        let names = parts.filter(|((_, one), _)| one.role == crate::key::SegmentRole::Identifier);
        Ok(names
            .map(|(_, value)| super::schema::from_segment(value))
            .collect())
    }

    /// Deletes what a question asks for.
    pub(super) async fn delete(&mut self, question: &Question) -> Result<(), Failure> {
        let question = &Question {
            columns: None,
            keys_only: false,
            // Without an order, any of the events may lie beyond a limit.
            limit: question.limit.filter(|_| question.order != Order::Any),
            ..question.clone()
        };
        // Deletes also reach expired events.
        let gone = question.answer(self.model(), &self.store.events(self.model()));
        let selection = self.to_selection(question);
        // A delete without a limit needs no order.
        let order = match question.limit {
            Some(_) => question.order,
            None => Order::Any,
        };
        let asked = Question {
            order,
            ..question.clone()
        };
        let outcome = delete(&*self.db, &self.schema, Ok(selection)).await;
        let deleted = self.judge(&asked, outcome.into_result())?;
        let Some(deleted) = deleted else {
            return Ok(());
        };
        check!(
            deleted == gone.len() as u64,
            "{deleted} deleted in place of {}",
            gone.len()
        );
        for event in &gone {
            self.store.delete_event(event);
        }
        let everything = Question::everything();
        let selection = self.to_selection(&everything);
        let plan = planned(&*self.db, &self.schema, &selection).await;
        let left = self
            .run(plan.map_err(|error| format!("{error:?}"))?)
            .await?;
        let stay = everything.answer(self.model(), &self.events());
        self.compare(&everything, &stay, &left)
    }
}

/// The newest events of one series, newest first.
fn newest_among(
    model: &Model,
    question: &Question,
    names: &[Value],
    count: usize,
    events: &[Event],
) -> Vec<Event> {
    let newest = Question {
        order: Order::Time,
        descending: true,
        limit: None,
        ..question.clone()
    };
    let mut newest = newest.answer(model, events);
    newest.retain(|event| model.series_of(&event.names) == names);
    newest.truncate(count);
    newest
}

fn is_newest_only(error: &Error) -> bool {
    let source = match error {
        Error::Query { source, .. } => source,
        _ => return false,
    };
    matches!(source, QueryError::NewestOnly { .. })
}

fn is_of_many(error: &Error) -> bool {
    matches!(
        error,
        Error::Query {
            source: QueryError::TooManyCombinations { .. },
            ..
        }
    )
}
