//! A derived model in memory, and the contents that the documentation predicts.

use std::collections::BTreeSet;
use std::marker::PhantomData;

use bigtable_model::data::TableSchema;
use bigtable_model::schema::ModelSchema;
use bigtable_model::{Backend as _, BackendExt as _, Error, MemoryBackend};

use super::asked::Refusals;
use super::event::Event;
use super::judge::{Failure, check};
use super::model::{Codec, Column, Layout, Model as Described};
use super::models::Drawn;
use super::question::{Order, Question, Test};
use super::store::{Change, Store};
use super::typed::{Doing, NEWEST, NewestOf, Typed};
use super::value::Value;
use super::writes::{Action, Write};
use super::{calendar, errors};

// What does not depend on the model's type is a function of its own, which is compiled once.
fn table_of(schema: &ModelSchema, table: String) -> TableSchema {
    let families = schema.families().into_iter();
    let families = families.map(|name| (name.to_owned(), schema.family_schema(name)));
    TableSchema {
        table,
        families: families.collect(),
        ..TableSchema::default()
    }
}

fn sort(model: &Described, events: &mut [Event]) {
    events.sort_by(|a, b| model.by_key(a, b));
}

pub(super) struct World<M> {
    pub(super) drawn: Drawn,
    db: MemoryBackend,
    pub(super) store: Store,
    /// The beginnings of the periods with a table.
    periods: BTreeSet<i64>,
    model: PhantomData<fn() -> M>,
}

impl<M: Typed> World<M> {
    pub(super) async fn new(db: MemoryBackend, drawn: Drawn) -> Self {
        if drawn.model.periods.is_none() {
            db.ensure_tables::<M>().await.unwrap();
        }
        Self {
            drawn,
            db,
            store: Store::default(),
            periods: BTreeSet::new(),
            model: PhantomData,
        }
    }

    fn described(&self) -> &Described {
        &self.drawn.model
    }

    /// Creates the table for a time in the calendar.
    async fn create_table(&mut self, time: i64) {
        let Some(periods) = self.described().periods.clone() else {
            return;
        };
        let stored = self.described().floor(time);
        let span = calendar::span_of(periods.span, periods.zone, stored);
        let Some((start, _)) = span.filter(|(start, _)| *start >= 0) else {
            return;
        };
        if !self.periods.insert(start) {
            return;
        }
        let label = calendar::written(periods.format, periods.zone, start);
        let table = table_of(M::SCHEMA, format!("T_{label}{}", periods.after));
        self.db.tables().create(table, Vec::new()).await.unwrap();
    }

    /// Inserts events in one call; those that are refused are not written.
    pub(super) async fn insert_many(&mut self, writes: &[Write]) -> Result<(), Failure> {
        let mut events = Vec::new();
        for write in writes {
            self.create_table(write.time).await;
            let Action::Insert(cells) = &write.action else {
                panic!("{write:?} is no insert");
            };
            events.push(M::of(&write.names, write.time, cells));
        }
        let outcome = self.db.insert_many(&events).await;
        let failed = |index: usize| outcome.failed().iter().find(|failed| failed.index == index);
        for (index, write) in writes.iter().enumerate() {
            let refused = write.refused(self.described());
            let made = match failed(index) {
                Some(failed) => Err(errors::reason(self.described(), &failed.error)),
                None => Ok(()),
            };
            if self.described().judge_write(&refused, made)?.is_some() {
                write.apply(&self.drawn.model, &mut self.store);
            }
        }
        let written = writes.len() - outcome.failed().len();
        check!(
            outcome.written() == written as u64,
            "{} written in place of {written}",
            outcome.written()
        );
        Ok(())
    }

    /// Sends a write, and compares refusals, the condition's result, and the stored events.
    pub(super) async fn write(&mut self, write: &Write) -> Result<(), Failure> {
        let write = &self.as_typed(write);
        let alone = self.is_alone(write);
        if write.is_undecided(self.described(), &self.store) {
            return Ok(());
        }
        self.create_table(write.time).await;
        let refused = write.refused(self.described());
        let identity = write.identity(self.described());
        let sent = self.send(write).await;
        let made = sent.map_err(|error| errors::reason(self.described(), &error));
        let Some(applied) = self.described().judge_write(&refused, made)? else {
            return self.check_event(write).await;
        };
        let test = write.test.as_ref();
        let holds = test.is_none_or(|test| self.store.holds(self.described(), &identity, test));
        // An insert that must not overwrite does not overwrite single columns either.
        let holds = holds && !alone;
        check!(
            applied == holds,
            "written {applied}, but the condition is {holds}"
        );
        if holds {
            write.apply(&self.drawn.model, &mut self.store);
        }
        self.check_event(write).await
    }

    /// Whether an insert requires a missing event, and there are columns without the one that marks
    /// an event.
    fn is_alone(&self, write: &Write) -> bool {
        let identity = write.identity(self.described());
        let is_event = self.store.holds(self.described(), &identity, &Test::Exists);
        let absent = write.test.as_ref().is_some_and(is_absence);
        let insert = matches!(write.action, Action::Insert(_));
        insert && absent && !is_event && self.store.count(&identity) > 0
    }

    async fn send(&self, write: &Write) -> Result<bool, Error> {
        let db = &self.db;
        let key = || M::key_of(&write.names, write.time);
        match (&write.action, &write.test) {
            (Action::Insert(cells), test) => {
                let event = M::of(&write.names, write.time, cells);
                match test {
                    None => db.insert(&event).await.map(|_| true),
                    Some(test) if is_absence(test) => db.insert_if_absent(&event).await,
                    Some(test) => db.insert_if(&event, M::condition(test)).await,
                }
            }
            (Action::Update(changes), test) => {
                M::change(db, &key(), changes, test.as_ref().map(M::condition)).await
            }
            (Action::Delete, None) => db.delete::<M>(&key()).await.map(|()| true),
            (Action::Delete, Some(test)) => db.delete_if::<M>(&key(), M::condition(test)).await,
        }
    }

    /// The written event can be read by itself.
    async fn check_event(&self, write: &Write) -> Result<(), Failure> {
        let refused = self.described().refuses_key(&write.names, write.time);
        let found = self.db.get::<M>(&M::key_of(&write.names, write.time)).await;
        let found = found.map_err(|error| match error {
            Error::MissingColumn { .. } => panic!("{error:?}"),
            error => errors::reason(self.described(), &error),
        });
        let Some(found) = self.described().judge_write(&refused, found)? else {
            return Ok(());
        };
        let (names, time) = write.identity(self.described());
        let events = self.store.events(self.described());
        let mut expected: Vec<Event> = events
            .into_iter()
            .filter(|event| event.names == names && event.time == time)
            .collect();
        // Of several, the first by content.
        sort(self.described(), &mut expected);
        let found = found.as_ref().map(M::event);
        let expected = expected.first();
        check!(
            found.as_ref() == expected,
            "get gives {found:?} in place of {expected:?}"
        );
        Ok(())
    }

    fn refusals(&self, question: &Question) -> Refusals {
        let tables = question.tables(self.described(), &self.periods);
        question.refusals(self.described(), tables)
    }

    fn judge<T>(
        &self,
        question: &Question,
        result: Result<T, Error>,
    ) -> Result<Option<T>, Failure> {
        question.judge(&self.refusals(question), result, errors::refusal)
    }

    /// Runs the query in every way.
    pub(super) async fn ask(&mut self, question: &Question) -> Result<(), Failure> {
        let answers = M::run(&self.db, question, Doing::Ask).await;
        let expected = question.answer(self.described(), &self.store.events(self.described()));
        if let Some(found) = self.judge(question, answers.events)? {
            self.compare("fetch gives", question, &expected, &events(&found))?;
        }
        if let Some(count) = self.judge(question, answers.count)? {
            let limit = question.limit.unwrap_or(usize::MAX);
            let expected = expected.len().min(limit) as u64;
            check!(
                count == expected,
                "count gives {count} in place of {expected}"
            );
        }
        if let Some(pages) = answers.pages
            && let Some(found) = self.judge(question, pages)?
        {
            self.compare("pages give", question, &expected, &events(&found))?;
        }
        if let Some(latest) = answers.latest {
            let newest = Question {
                descending: true,
                limit: Some(question.limit.map_or(NEWEST, |limit| limit.min(NEWEST))),
                ..question.clone()
            };
            let expected = newest.answer(self.described(), &self.store.events(self.described()));
            if let Some(found) = self.judge(question, latest)? {
                self.compare("latest gives", &newest, &expected, &events(&found))?;
            }
        }
        self.series(question, answers.series, answers.newest)
    }

    fn compare(
        &self,
        what: &str,
        question: &Question,
        expected: &[Event],
        found: &[Event],
    ) -> Result<(), Failure> {
        let (mut expected, mut found) = (expected.to_vec(), found.to_vec());
        if question.order == Order::Any {
            let limit = question.limit.unwrap_or(usize::MAX);
            if limit < expected.len() {
                let known = found.iter().all(|event| expected.contains(event));
                check!(
                    known && found.len() == limit,
                    "{what} {found:?} of {expected:?}"
                );
                return Ok(());
            }
            for events in [&mut expected, &mut found] {
                sort(self.described(), events);
            }
        }
        check!(
            found == expected,
            "{what} {found:#?}\nin place of {expected:#?}"
        );
        Ok(())
    }

    fn series(
        &self,
        question: &Question,
        series: Result<Vec<M::Series>, Error>,
        newest: Result<Vec<NewestOf<M>>, Error>,
    ) -> Result<(), Failure> {
        let any = Question {
            order: Order::Any,
            ..question.clone()
        };
        let expected = any.series(self.described(), &self.store.events(self.described()));
        let Some(series) = self.judge(&any, series)? else {
            return Ok(());
        };
        let found: Vec<_> = series.iter().map(M::names).collect();
        check!(
            found == expected,
            "series gives {found:?} in place of {expected:?}"
        );
        let Ok(newest) = newest else {
            check!(
                self.may_refuse(question),
                "latest_each is refused: {:?}",
                newest.err()
            );
            return Ok(());
        };
        let found = newest
            .iter()
            .map(|(series, newest)| (M::names(series), events(newest)));
        let found: Vec<_> = found.collect();
        let expected = expected.into_iter().map(|names| {
            let newest = self.newest_of(question, &names);
            (names, newest)
        });
        let expected: Vec<_> = expected.collect();
        check!(
            found == expected,
            "latest_each gives {found:#?}\nin place of {expected:#?}"
        );
        Ok(())
    }

    /// Whether the newest of each series may be refused although series are not: if there are more
    /// shards than may be read at once.
    fn may_refuse(&self, question: &Question) -> bool {
        self.described().most_shards() > question.max_scans as u64
    }

    /// The newest events of one series, newest first.
    fn newest_of(&self, question: &Question, names: &[Value]) -> Vec<Event> {
        let newest = Question {
            order: Order::Time,
            descending: true,
            limit: None,
            ..question.clone()
        };
        let mut newest = newest.answer(self.described(), &self.store.events(self.described()));
        newest.retain(|event| event.names == names);
        newest.truncate(NEWEST);
        newest
    }

    /// Deletes the events of a question.
    pub(super) async fn delete(&mut self, question: &Question) -> Result<(), Failure> {
        let question = &Question {
            limit: question.limit.filter(|_| question.order != Order::Any),
            ..question.clone()
        };
        let gone = question.answer(self.described(), &self.store.events(self.described()));
        let answers = M::run(&self.db, question, Doing::Delete).await;
        let deleted = answers.deleted.ok_or("no delete")?;
        let asked = Question {
            order: match question.limit {
                Some(_) => question.order,
                None => Order::Any,
            },
            ..question.clone()
        };
        let Some(deleted) = self.judge(&asked, deleted)? else {
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
        self.ask(&Question::everything()).await
    }
}

fn events<M: Typed>(found: &[M]) -> Vec<Event> {
    found.iter().map(M::event).collect()
}

/// Whether the condition is that there is no event.
fn is_absence(test: &Test) -> bool {
    matches!(test, Test::Not(test) if matches!(**test, Test::Exists))
}

impl<M: Typed> World<M> {
    /// The write as setters can express it: a cell is deleted by a separate call, without a
    /// condition, and a write that must read first cannot be guarded.
    fn as_typed(&self, write: &Write) -> Write {
        let mut write = write.clone();
        let entries = |column: &Column| column.codec == Codec::Entries;
        let reads = self.described().layout == Layout::Latest
            && self.described().columns.iter().any(entries);
        if reads && matches!(write.action, Action::Delete) {
            write.test = None;
        }
        if let Action::Update(changes) = &mut write.action
            && let Some(at) = changes
                .iter()
                .position(|(_, change)| matches!(change, Change::Clear))
        {
            *changes = vec![changes.swap_remove(at)];
            write.test = None;
        }
        write
    }
}
