//! Random sequences of writes leave the same as in a map, in every layout that supports them.

use std::collections::BTreeMap;

use bigtable_model::{Backend, BackendExt, Error, MemoryBackend, Model, Timestamp};
use futures::future::BoxFuture;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::backends;

/// The columns of an event. It exists if it has a count.
#[derive(Debug, Clone, Default, PartialEq)]
struct State {
    note: Option<u32>,
    count: Option<i64>,
    log: Option<String>,
    total: Option<i64>,
    low: Option<i64>,
    high: Option<i64>,
}

#[derive(Debug, Clone)]
enum Write {
    Insert(State),
    Increment(i64),
    Append(&'static str),
    Both(i64, &'static str),
    Add(i64),
    AddLowest(i64),
    AddHighest(i64),
    SetCount(i64),
    SetNote(Option<u32>),
    Delete,
    DeleteCount,
    DeleteTotal,
}

impl State {
    fn apply(&mut self, write: &Write) {
        match write {
            Write::Insert(state) => *self = state.clone(),
            Write::Increment(by) => self.count = Some(self.count.unwrap_or(0) + by),
            Write::Append(text) => self.log.get_or_insert_default().push_str(text),
            Write::Both(by, text) => {
                self.apply(&Write::Increment(*by));
                self.apply(&Write::Append(text));
            }
            Write::Add(input) => self.total = Some(self.total.unwrap_or(0) + input),
            Write::AddLowest(input) => self.low = Some(self.low.unwrap_or(*input).min(*input)),
            Write::AddHighest(input) => self.high = Some(self.high.unwrap_or(*input).max(*input)),
            Write::SetCount(count) => self.count = Some(*count),
            Write::SetNote(note) => self.note = *note,
            Write::Delete => *self = Self::default(),
            Write::DeleteCount => self.count = None,
            Write::DeleteTotal => self.total = None,
        }
    }
}

/// A model that supports these writes.
trait Changing: Model {
    fn write<'a>(
        db: &'a dyn Backend,
        at: Timestamp,
        write: &'a Write,
    ) -> BoxFuture<'a, Result<(), Error>>;

    /// The event at a time, and those of a range.
    fn found(
        db: &dyn Backend,
        from: Timestamp,
        to: Timestamp,
    ) -> BoxFuture<'_, Result<(Option<State>, Events), Error>>;
}

type Events = Vec<(Timestamp, State)>;

macro_rules! changing {
    ($($model:ident $key:ident ($($on_model:tt)*) ($($on_time:tt)*);)*) => {$(
        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable(family = "F", $($on_model)*)]
        struct $model {
            #[bigtable(key)]
            name: String,
            #[bigtable($($on_time)*)]
            at: Timestamp,
            note: Option<u32>,
            #[bigtable(counter)]
            count: i64,
            #[bigtable(append)]
            log: Option<String>,
            #[bigtable(aggregate = "sum", family = "sum")]
            total: Option<i64>,
            #[bigtable(aggregate = "min", family = "min")]
            low: Option<i64>,
            #[bigtable(aggregate = "max", family = "max")]
            high: Option<i64>,
        }

        impl $model {
            fn state(self) -> State {
                let Self { note, count, log, total, low, high, .. } = self;
                State { note, count: Some(count), log, total, low, high }
            }
        }

        impl Changing for $model {
            fn write<'a>(
                db: &'a dyn Backend,
                at: Timestamp,
                write: &'a Write,
            ) -> BoxFuture<'a, Result<(), Error>> {
                let name = "a".to_owned();
                let key = $key { name: name.clone(), at };
                let fields = Self::FIELDS;
                Box::pin(async move {
                    match write {
                        Write::Insert(state) => {
                            let State { note, count, log, total, low, high } = state.clone();
                            let count = count.unwrap_or_default();
                            db.insert(&Self { name, at, note, count, log, total, low, high }).await.map(drop)
                        }
                        Write::Increment(by) => {
                            db.send(Self::modify(&key).increment(fields.count, *by)).await.map(drop)
                        }
                        Write::Append(text) => db.send(Self::modify(&key).append(fields.log, text)).await.map(drop),
                        Write::Both(by, text) => {
                            let both = Self::modify(&key).increment(fields.count, *by);
                            db.send(both.append(fields.log, text)).await.map(drop)
                        }
                        Write::Add(input) => db.send(Self::update(&key).add_total(*input)).await,
                        Write::AddLowest(input) => db.send(Self::update(&key).add_low(*input)).await,
                        Write::AddHighest(input) => db.send(Self::update(&key).add_high(*input)).await,
                        Write::SetCount(count) => db.send(Self::update(&key).count(*count)).await,
                        Write::SetNote(note) => db.send(Self::update(&key).note(*note)).await,
                        Write::Delete => db.delete::<Self>(&key).await,
                        Write::DeleteCount => db.delete_cell(&key, fields.count).await,
                        Write::DeleteTotal => db.delete_cell(&key, fields.total).await,
                    }
                })
            }

            fn found(
                db: &dyn Backend,
                from: Timestamp,
                to: Timestamp,
            ) -> BoxFuture<'_, Result<(Option<State>, Events), Error>> {
                let key = $key { name: "a".to_owned(), at: from };
                let query = Self::query().name("a").at(from..to);
                Box::pin(async move {
                    let one = db.get::<Self>(&key).await?.map(Self::state);
                    let found = db.fetch(&query).await?;
                    assert_eq!(db.count(&query).await?, found.len() as u64);
                    Ok((one, found.into_iter().map(|one| (one.at, one.state())).collect()))
                })
            }
        }
    )*};
}

changing! {
    InRow InRowKey (table = "ROW") (time, unit = "ms");
    InRowOfWrite InRowOfWriteKey (table = "ROW_OF_WRITE", cell_time = "write") (time, unit = "ms");
    InColumns InColumnsKey (table = "COLUMNS", layout = "columns") (time, bucket = "hour", unit = "ms");
    InColumnsOfWrite InColumnsOfWriteKey (table = "COLUMNS_OF_WRITE", layout = "columns", cell_time = "write")
        (time, bucket = "day", offset = "%H%M%S%3f");
}

/// Times in three hours of the distant past, and in one of the future: counters there have the
/// event's time.
fn time() -> impl Strategy<Value = Timestamp> {
    let past = Timestamp::from_seconds(1_426_532_400);
    let to_come = Timestamp::from_seconds(4_102_444_800);
    (prop::sample::select(vec![past, to_come]), 0..6_i64)
        .prop_map(|(from, at)| Timestamp::from_millis(from.as_millis() + at * 1_500_000))
}

fn state() -> impl Strategy<Value = State> {
    let number = || prop::option::of(-9..9_i64);
    let text = prop::option::of(prop::sample::select(vec!["", "x", "yz"]));
    let note = prop::option::of(0..9_u32);
    (note, -9..9_i64, text, number(), number(), number()).prop_map(
        |(note, count, log, total, low, high)| State {
            note,
            count: Some(count),
            log: log.map(str::to_owned),
            total,
            low,
            high,
        },
    )
}

/// Google's emulator uses the last input as minimum and maximum.
fn write(aggregates: bool) -> impl Strategy<Value = Write> {
    let text = || prop::sample::select(vec!["", "a", "bc"]);
    let bound = move |write: fn(i64) -> Write| {
        (-9..9_i64).prop_map(move |input| match aggregates {
            true => write(input),
            false => Write::Add(input),
        })
    };
    prop_oneof![
        4 => state().prop_map(Write::Insert),
        4 => (-9..9_i64).prop_map(Write::Increment),
        2 => text().prop_map(Write::Append),
        2 => (-9..9_i64, text()).prop_map(|(by, text)| Write::Both(by, text)),
        4 => (-9..9_i64).prop_map(Write::Add),
        2 => bound(Write::AddLowest),
        2 => bound(Write::AddHighest),
        1 => (-9..9_i64).prop_map(Write::SetCount),
        1 => prop::option::of(0..9_u32).prop_map(Write::SetNote),
        1 => Just(Write::Delete),
        1 => Just(Write::DeleteCount),
        1 => Just(Write::DeleteTotal),
    ]
}

type Case = (Vec<(Timestamp, Write)>, Vec<(Timestamp, Timestamp)>);

fn case(aggregates: bool) -> impl Strategy<Value = Case> {
    let writes = prop::collection::vec((time(), write(aggregates)), 1..40);
    let range = (time(), time()).prop_map(|(a, b)| (a.min(b), a.max(b)));
    (writes, prop::collection::vec(range, 1..6))
}

async fn check<M: Changing>(db: &dyn Backend, (writes, ranges): &Case) {
    db.ensure_tables::<M>().await.unwrap();
    let all = bigtable_model::data::RowDeletion::All;
    db.tables()
        .drop_rows(M::SCHEMA.table.fixed().unwrap(), all)
        .await
        .unwrap();
    let mut events: BTreeMap<Timestamp, State> = BTreeMap::new();
    for (at, write) in writes {
        M::write(db, *at, write).await.unwrap();
        events.entry(*at).or_default().apply(write);
    }
    for &(from, to) in ranges {
        let (one, found) = M::found(db, from, to).await.unwrap();
        let is_event = |state: &&State| state.count.is_some();
        let expected = events.get(&from).filter(is_event);
        assert_eq!(one.as_ref(), expected, "{} at {from}", M::SCHEMA.model);
        let expected: Events = events
            .range(from..to)
            .filter(|(_, state)| is_event(state))
            .map(|(at, state)| (*at, state.clone()))
            .collect();
        assert_eq!(found, expected, "{} {from}..{to}", M::SCHEMA.model);
    }
}

async fn check_all(db: &dyn Backend, case: &Case) {
    check::<InRow>(db, case).await;
    check::<InRowOfWrite>(db, case).await;
    check::<InColumns>(db, case).await;
    check::<InColumnsOfWrite>(db, case).await;
}

fn run(cases: u32, aggregates: bool, check: impl Fn(&Case)) {
    let mut runner = TestRunner::new(Config::with_cases(cases));
    let ran = runner.run(&case(aggregates), |case| {
        check(&case);
        Ok(())
    });
    ran.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn writes_leave_what_they_leave_in_a_map() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    run(150, true, |case| {
        runtime.block_on(check_all(&MemoryBackend::new(), case));
    });
}

#[test]
fn writes_leave_what_they_leave_in_a_map_on_servers() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let servers = runtime.block_on(backends("oracle")).into_iter().skip(1);
    for (db, aggregates) in servers.zip([true, false]) {
        run(8, aggregates, |case| {
            runtime.block_on(check_all(&*db, case));
        });
    }
}
