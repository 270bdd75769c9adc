//! Models of one event in each layout that is packed.

use std::ops::Range;

use bigtable_model::condition::Condition;
use bigtable_model::data::RowDeletion;
use bigtable_model::model::{Editable, Update};
use bigtable_model::{Backend, BackendExt as _, Model, Timestamp};
use futures::future::BoxFuture;

use crate::world::{Answers, Ask, Change, Event, Events};

/// A model of [`Event`].
pub trait Kind: Model + Editable + Clone + PartialEq {
    fn of(event: &Event) -> Self;
    fn event(self) -> Event;
    fn key_of(meter: &str, at: Timestamp) -> Self::Key;
    fn change(key: &Self::Key, change: &Change) -> Update<Self>;
    /// All events of a meter in a range, by one terminal after another.
    fn asked(db: &dyn Backend, ask: Ask) -> BoxFuture<'_, Answers>;
    /// All events of a meter.
    fn asked_all<'a>(db: &'a dyn Backend, meter: &str) -> BoxFuture<'a, Vec<Event>>;
    /// Deletes the events of a meter in a range.
    fn deleted(db: &dyn Backend, meter: &str, times: Range<Timestamp>) -> BoxFuture<'static, ()>;
    /// The condition that an event has this state.
    fn is_in(state: &str) -> Condition<Self>;
    /// Deletes a column of an event.
    fn without_turns<'a>(db: &'a dyn Backend, key: &'a Self::Key) -> BoxFuture<'a, ()>;
    /// Empties the tables, and writes these events in the former layout, if there was one.
    fn begun<'a>(db: &'a dyn Backend, _before: &'a Events) -> BoxFuture<'a, ()> {
        emptied::<Self>(db)
    }
}

/// An empty table.
pub fn emptied<M: Model>(db: &dyn Backend) -> BoxFuture<'_, ()> {
    Box::pin(async move {
        db.handle().ensure_tables::<M>().await.unwrap();
        let table = M::SCHEMA.table.to_string();
        let emptied = db.tables().drop_rows(&table, RowDeletion::All).await;
        emptied.unwrap();
    })
}

macro_rules! kind {
    ($name:ident, $projection:ident, $table:literal, { $($on_model:tt)* }, { $($on_time:tt)* }, { $($on_on:tt)* } $(, { $($begun:tt)* })?) => {
        #[derive(Debug, Clone, PartialEq, bigtable_model::Model)]
        #[bigtable(table = $table, family = "M", pack(after = "1h"), $($on_model)*)]
        pub struct $name {
            #[bigtable(key)]
            pub meter: String,
            #[bigtable(time, $($on_time)*)]
            pub at: bigtable_model::Timestamp,
            pub watts: f64,
            pub volts: Option<f32>,
            #[bigtable(family = "S")]
            pub state: Option<String>,
            pub turns: Option<i64>,
            #[bigtable($($on_on)*)]
            pub on: Option<bool>,
            pub raw: Option<Vec<u8>>,
        }

        #[derive(Debug, Clone, bigtable_model::Projection)]
        #[bigtable(model = $name)]
        pub struct $projection {
            pub at: bigtable_model::Timestamp,
            pub watts: f64,
        }

        impl $crate::kinds::Kind for $name {
            fn of(event: &$crate::world::Event) -> Self {
                let $crate::world::Event { meter, at, watts, volts, state, turns, on, raw } = event.clone();
                Self { meter, at, watts, volts, state, turns, on, raw }
            }

            fn event(self) -> $crate::world::Event {
                let Self { meter, at, watts, volts, state, turns, on, raw } = self;
                $crate::world::Event { meter, at, watts, volts, state, turns, on, raw }
            }

            fn key_of(meter: &str, at: bigtable_model::Timestamp) -> Self::Key {
                let event = $crate::world::Event::new(meter, at);
                bigtable_model::Model::key(&Self::of(&event))
            }

            fn change(
                key: &Self::Key,
                change: &$crate::world::Change,
            ) -> bigtable_model::model::Update<Self> {
                use bigtable_model::model::IntoUpdate as _;
                let update = Self::update(key);
                match change.clone() {
                    $crate::world::Change::Watts(watts) => update.watts(watts).into_update(),
                    $crate::world::Change::Volts(volts) => update.volts(volts).into_update(),
                    $crate::world::Change::Cleared => {
                        update.turns(Some(5)).turns(None).into_update()
                    }
                    $crate::world::Change::State(state) => update.state(state).into_update(),
                    $crate::world::Change::Turns(turns, on) => {
                        update.turns(turns).on(on).into_update()
                    }
                }
            }

            fn asked(
                db: &dyn bigtable_model::Backend,
                ask: $crate::world::Ask,
            ) -> futures::future::BoxFuture<'_, $crate::world::Answers> {
                use bigtable_model::dynamic::AnyQuery;
                use bigtable_model::{BackendExt as _, Model as _};
                let $crate::world::Ask { meter, times, limit, state, page } = ask;
                Box::pin(async move {
                    let events = |found: Vec<Self>| -> Vec<$crate::world::Event> {
                        found.into_iter().map($crate::kinds::Kind::event).collect()
                    };
                    let everywhere = events(db.fetch(&Self::scan().at(times.clone())).await.unwrap());
                    let each = db.latest_each(&Self::scan(), limit).await.unwrap();
                    let query = Self::query().meter(&meter).at(times);
                    let in_state = query.clone().events().matching(<Self as $crate::kinds::Kind>::is_in(&state));
                    let mut pages = Vec::new();
                    let mut token = None;
                    loop {
                        let next = db.page(&query.clone().events(), page, token.as_ref()).await.unwrap();
                        pages.extend(next.events);
                        token = next.next;
                        if token.is_none() {
                            break;
                        }
                    }
                    let by_column = AnyQuery::by_column(&query);
                    let limited = AnyQuery::by_column(&query).limit(limit);
                    let backwards = AnyQuery::by_column(&query).newest_first();
                    let in_columns = db.fetch(&AnyQuery::by_column(&in_state)).await.unwrap();
                    let watts = AnyQuery::by_column(&query.clone().select::<$projection>());
                    let watts = $crate::world::of_batch(&db.fetch(&watts).await.unwrap());
                    let scan = AnyQuery::by_column(&Self::scan());
                    let all = $crate::world::of_batch(&db.fetch(&scan).await.unwrap());
                    assert_eq!(all, $crate::world::of_stream(db.stream(&scan)).await);
                    $crate::world::Answers {
                        by_column: [
                            $crate::world::of_batch(&db.fetch(&by_column).await.unwrap()),
                            $crate::world::of_batch(&db.fetch(&limited).await.unwrap()),
                            $crate::world::of_batch(&db.fetch(&backwards).await.unwrap()),
                            $crate::world::of_batch(&in_columns),
                            watts,
                        ],
                        all_by_column: all.into_iter().map(|one| (one.identity(), one)).collect(),
                        all: events(db.fetch(&query).await.unwrap()),
                        backwards: events(db.fetch(&query.clone().events().newest_first()).await.unwrap()),
                        newest: events(db.fetch(&query.clone().events().newest_first().limit(limit)).await.unwrap()),
                        oldest: events(db.fetch(&query.clone().events().limit(limit)).await.unwrap()),
                        in_state: events(db.fetch(&in_state).await.unwrap()),
                        count: db.count(&query).await.unwrap(),
                        count_in_state: db.count(&in_state).await.unwrap(),
                        pages: events(pages),
                        watts: db
                            .fetch(&query.clone().select::<$projection>())
                            .await
                            .unwrap()
                            .into_iter()
                            .map(|one| (one.at, one.watts))
                            .collect(),
                        everywhere: everywhere.into_iter().map(|one| (one.identity(), one)).collect(),
                        each: each
                            .into_iter()
                            .map(|(_, newest)| events(newest))
                            .filter(|newest| !newest.is_empty())
                            .map(|newest| (newest[0].meter.clone(), newest))
                            .collect(),
                    }
                })
            }

            fn asked_all<'a>(
                db: &'a dyn bigtable_model::Backend,
                meter: &str,
            ) -> futures::future::BoxFuture<'a, Vec<$crate::world::Event>> {
                use bigtable_model::BackendExt as _;
                let found = db.fetch(&Self::query().meter(meter));
                Box::pin(async move {
                    let found: Vec<Self> = found.await.unwrap();
                    found.into_iter().map($crate::kinds::Kind::event).collect()
                })
            }

            fn deleted(
                db: &dyn bigtable_model::Backend,
                meter: &str,
                times: std::ops::Range<bigtable_model::Timestamp>,
            ) -> futures::future::BoxFuture<'static, ()> {
                use bigtable_model::{BackendExt as _, Model as _};
                let deleted = db.delete_all(&Self::query().meter(meter).at(times));
                Box::pin(async move {
                    deleted.await.into_result().unwrap();
                })
            }

            fn is_in(state: &str) -> bigtable_model::condition::Condition<Self> {
                Self::FIELDS.state.equals(state)
            }

            fn without_turns<'a>(
                db: &'a dyn bigtable_model::Backend,
                key: &'a Self::Key,
            ) -> futures::future::BoxFuture<'a, ()> {
                use bigtable_model::{BackendExt as _, Model as _};
                Box::pin(async move { db.delete_cell::<Self, _>(key, Self::FIELDS.turns).await.unwrap() })
            }

            $($($begun)*)?
        }
    };
}

kind!(
    InCells,
    CellsWatts,
    "CELLS",
    { layout = "cells" },
    { unit = "s", bucket = "day" },
    { column = "on" }
);
kind!(
    InColumns,
    ColumnsWatts,
    "COLUMNS",
    { layout = "columns" },
    { unit = "s", bucket = "day" },
    { alias = "running" }
);
kind!(
    Salted,
    SaltedWatts,
    "SALTED",
    { layout = "cells", salt(shards = 4, of(meter)) },
    { unit = "s", bucket = "hour" },
    { alias = "running" }
);
kind!(
    Local,
    LocalWatts,
    "LOCAL",
    { layout = "columns" },
    { bucket = "day", zone = "Europe/Lisbon" },
    { column = "running" }
);
