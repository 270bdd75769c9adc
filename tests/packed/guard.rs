//! The guard: jobs and writers at the same time, in every order of their calls.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bigtable_model::data::{Mutation, RowMutations};
use bigtable_model::packed::{self, PackJob};
use bigtable_model::{Backend, BackendExt as _, MemoryBackend, Timestamp};
use bigtable_model_tests::runs::nightly;
use futures::future::BoxFuture;
use futures::{FutureExt as _, executor::block_on};

use crate::kinds::{InCells, InColumns, Kind};
use crate::turns::{Act, every_order, some_orders};
use crate::world::{Change, Event};

const METER: &str = "a";

fn at(minute: u64) -> Timestamp {
    let noon: Timestamp = "2024-03-01T12:00:00Z".parse().unwrap();
    noon + Duration::from_secs(60 * minute)
}

/// An event with a value in two columns.
fn event(minute: u64, watts: f64) -> Event {
    Event {
        watts,
        turns: Some(minute as i64),
        ..Event::new(METER, at(minute))
    }
}

/// The events of minutes 0 to 4; the row is packed, and has a correction since.
fn stored<K: Kind>() -> Arc<dyn Backend> {
    let db = MemoryBackend::new();
    block_on(async {
        db.ensure_tables::<K>().await.unwrap();
        for minute in 0..5 {
            db.insert(&K::of(&event(minute, 1.0))).await.unwrap();
        }
        PackJob::new(K::SCHEMA).unwrap().run(&db).await.unwrap();
        db.insert(&K::of(&event(4, 1.5))).await.unwrap();
    });
    Arc::new(db)
}

fn pack<K: Kind>(db: Arc<dyn Backend>) -> BoxFuture<'static, ()> {
    async move {
        let job = PackJob::new(K::SCHEMA).unwrap();
        assert_eq!(job.run(&*db).await.unwrap().refused, 0);
    }
    .boxed()
}

fn unpack<K: Kind>(db: Arc<dyn Backend>) -> BoxFuture<'static, ()> {
    async move {
        let job = PackJob::new(K::SCHEMA).unwrap();
        assert_eq!(job.unpack(&*db).await.unwrap().refused, 0);
    }
    .boxed()
}

/// A correction of minute 0, without a column that it had.
fn correct<K: Kind>(db: Arc<dyn Backend>) -> BoxFuture<'static, ()> {
    async move {
        let corrected = Event {
            turns: None,
            ..event(0, 2.0)
        };
        db.insert(&K::of(&corrected)).await.unwrap();
    }
    .boxed()
}

fn delete<K: Kind>(db: Arc<dyn Backend>) -> BoxFuture<'static, ()> {
    async move { db.delete::<K>(&K::key_of(METER, at(1))).await.unwrap() }.boxed()
}

fn update<K: Kind>(db: Arc<dyn Backend>) -> BoxFuture<'static, ()> {
    async move {
        let change = Change::Volts(Some(230.0));
        let key = K::key_of(METER, at(2));
        db.send(K::change(&key, &change)).await.unwrap();
    }
    .boxed()
}

/// Twice to the same place, as a write whose answer was lost.
fn again<K: Kind>(db: Arc<dyn Backend>) -> BoxFuture<'static, ()> {
    async move {
        for _ in 0..2 {
            db.insert(&K::of(&event(5, 3.0))).await.unwrap();
        }
    }
    .boxed()
}

fn under_condition<K: Kind>(db: Arc<dyn Backend>) -> BoxFuture<'static, ()> {
    async move {
        let new = Event {
            state: Some("new".to_owned()),
            ..event(6, 4.0)
        };
        assert!(db.insert_if_absent(&K::of(&new)).await.unwrap());
    }
    .boxed()
}

/// Inserts into the blocks at once.
fn into_blocks<K: Kind>(db: Arc<dyn Backend>) -> BoxFuture<'static, ()> {
    async move {
        let replaced = Event {
            turns: None,
            ..event(3, 5.0)
        };
        let written = packed::insert(&*db, [K::of(&replaced)]).await.unwrap();
        assert_eq!(written.into_result().unwrap(), 1);
    }
    .boxed()
}

/// What garbage collection may do at any time if a rule is by age.
fn collect_guard<K: Kind>(db: Arc<dyn Backend>) -> BoxFuture<'static, ()> {
    async move {
        let row = bigtable_model::model::insert_mutations(&K::of(&event(0, 0.0)), Timestamp::now());
        let row = RowMutations {
            key: row.unwrap().key,
            mutations: vec![Mutation::DeleteFromColumn {
                family: "_packed".into(),
                qualifier: "g".into(),
                start_micros: 0,
                end_micros: 0,
            }],
        };
        db.mutate_row(&K::SCHEMA.table.to_string(), row)
            .await
            .unwrap();
    }
    .boxed()
}

async fn all<K: Kind>(db: &dyn Backend) -> BTreeMap<Timestamp, Event> {
    let found = K::asked_all(&*db.handle(), METER).await;
    let count = found.len();
    let by_time: BTreeMap<_, _> = found.into_iter().map(|one| (one.at, one)).collect();
    assert_eq!(by_time.len(), count, "an event is there twice");
    by_time
}

/// Checks that each event exists once at any time, with its former or its new values, and at the
/// end everything that was written; returns the number of orders.
fn in_orders<K: Kind>(acts: &[Act], written: &[Act], orders: Option<u64>) -> u64 {
    let before = stored::<K>();
    let start = block_on(all::<K>(&*before));
    for act in written {
        block_on(act(before.clone()));
    }
    let end = block_on(all::<K>(&*before));
    let check = |db: &dyn Backend, is_end: bool| {
        let now = block_on(all::<K>(db));
        for minute in 0..7 {
            let (was, is, will) = (
                start.get(&at(minute)),
                now.get(&at(minute)),
                end.get(&at(minute)),
            );
            assert!(
                is == will || is == was && !is_end,
                "{was:?} {is:?} {will:?}"
            );
        }
        if is_end {
            block_on(pack::<K>(db.handle()));
            assert_eq!(block_on(all::<K>(db)), end);
        }
    };
    match orders {
        None => every_order(stored::<K>, acts, check),
        Some(orders) => {
            some_orders(orders, stored::<K>, acts, check);
            orders
        }
    }
}

/// A job with two writers, or with a writer and garbage collection, in all orders; two jobs and a
/// writer, which may disturb each other for long, in some.
fn histories<K: Kind>(is_long: bool) -> u64 {
    let writers: [Act; 6] = [
        correct::<K>,
        delete::<K>,
        update::<K>,
        again::<K>,
        under_condition::<K>,
        into_blocks::<K>,
    ];
    let few = if is_long { 1_000 } else { 16 };
    let mut orders = 0;
    for (at, writer) in writers.iter().enumerate() {
        // The last two claim the row as jobs do.
        let all = (at + 2 >= writers.len()).then_some(few);
        for other in &writers[..at] {
            orders += in_orders::<K>(&[pack::<K>, *writer, *other], &[*writer, *other], all);
        }
        orders += in_orders::<K>(&[pack::<K>, *writer, collect_guard::<K>], &[*writer], all);
        orders += in_orders::<K>(&[unpack::<K>, *writer], &[*writer], all);
        for job in [pack::<K>, unpack::<K>] {
            orders += in_orders::<K>(&[pack::<K>, job, *writer], &[*writer], Some(few));
        }
    }
    orders
}

#[test]
fn in_every_order_of_calls() {
    let is_long = nightly(true, false);
    let orders = histories::<InCells>(is_long) + histories::<InColumns>(is_long);
    println!("{orders} orders");
    assert!(orders > 1_000, "{orders}");
}
