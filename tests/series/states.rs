//! The state of every series at a time, compared with the newest event of each by brute force, in
//! 10,000 random cases over several layouts.

use std::collections::BTreeMap;

use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Timestamp};
use fastrand::Rng;
use futures::future::BoxFuture;

use crate::events::{events, seeds};

/// The number of times at which each store is queried.
const TIMES: u64 = 50;

type Plain = (u8, Timestamp, i64);

trait Stored: Model {
    fn of(plain: &Plain) -> Self;
    fn plain(&self) -> Plain;
    /// The state of every series, or of some.
    fn states<'a>(
        only: Option<&[u8]>,
        time: Timestamp,
        db: &'a dyn Backend,
    ) -> BoxFuture<'a, Vec<(u8, Self)>>;
}

macro_rules! stored {
    ($name:ident, [$($table:tt)*], [$($time:tt)*]) => {
        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable(family = "S", $($table)*)]
        struct $name {
            #[bigtable(key)]
            name: u8,
            #[bigtable($($time)*)]
            at: Timestamp,
            number: i64,
        }

        impl Stored for $name {
            fn of(&(name, at, number): &Plain) -> Self {
                Self { name, at, number }
            }

            fn plain(&self) -> Plain {
                (self.name, self.at, self.number)
            }

            fn states<'a>(
                only: Option<&[u8]>,
                time: Timestamp,
                db: &'a dyn Backend,
            ) -> BoxFuture<'a, Vec<(u8, Self)>> {
                let some = only.map(|only| Self::query().name(only));
                Box::pin(async move {
                    let found = match some {
                        Some(some) => db.latest_before(&some, time).await,
                        None => db.latest_before(&Self::scan(), time).await,
                    };
                    found.unwrap()
                })
            }
        }
    };
}

stored!(InRows, [table = "R"], [time, unit = "ms"]);
stored!(Reversed, [table = "V"], [time, unit = "ms", reverse]);
stored!(
    InCells,
    [table = "C", layout = "cells"],
    [time, bucket = "day", zone = "America/New_York"]
);
stored!(
    InColumns,
    [
        table = "O",
        layout = "columns",
        salt(shards = 3, of(name, at))
    ],
    [time, bucket = "hour"]
);

/// Events from 1970 on in whole milliseconds, which every layout can store.
fn plain(rng: &mut Rng) -> Vec<Plain> {
    let events = events(rng, 60, 0);
    let first = events.first().map_or(0, |event| event.at.as_millis());
    // A time after 1970, with the same distance between times.
    let moved = |at: Timestamp| at.as_millis() - first + 1_730_000_000_000;
    let mut newest = BTreeMap::new();
    for event in events
        .iter()
        .filter(|event| event.at.as_millis() - first < 86_400_000 * 60)
    {
        let at = Timestamp::from_millis(moved(event.at));
        newest.insert((event.series, at), event.number as i64);
    }
    newest
        .into_iter()
        .map(|((series, at), number)| (series, at, number))
        .collect()
}

/// A time before, between, at or after events.
fn time(rng: &mut Rng, events: &[Plain]) -> Timestamp {
    let at = match events {
        [] => 1_730_000_000_000,
        events => events[rng.usize(..events.len())].1.as_millis(),
    };
    let off = [
        0,
        0,
        -1,
        1,
        -3_600_000,
        3_600_000,
        -86_400_000 * 99,
        86_400_000 * 99,
    ];
    Timestamp::from_millis(at + off[rng.usize(..off.len())])
}

async fn check<M: Stored>(seed: u64) {
    let mut rng = Rng::with_seed(seed);
    let events = plain(&mut rng);
    let db = MemoryBackend::new();
    db.ensure_tables::<M>().await.unwrap();
    let stored: Vec<_> = events.iter().map(M::of).collect();
    db.insert_many(stored).await.into_result().unwrap();
    for _ in 0..TIMES {
        let time = time(&mut rng, &events);
        let only: Option<Vec<u8>> = rng.bool().then(|| vec![rng.u8(..3), 3]);
        let is_asked = |series: u8| only.as_ref().is_none_or(|only| only.contains(&series));
        let mut wanted: BTreeMap<u8, Plain> = BTreeMap::new();
        for event in events
            .iter()
            .filter(|event| event.1 < time && is_asked(event.0))
        {
            // They are in time order.
            wanted.insert(event.0, *event);
        }
        let found = M::states(only.as_deref(), time, &db).await;
        let mut found: Vec<_> = found
            .iter()
            .map(|(series, one)| (*series, one.plain()))
            .collect();
        // With a salt, series come in the order of their shards.
        found.sort_unstable();
        assert_eq!(
            found,
            wanted.into_iter().collect::<Vec<_>>(),
            "seed {seed}, {time}"
        );
    }
}

#[tokio::test]
async fn states_are_the_newest_events_before_a_time() {
    for seed in seeds().step_by(usize::try_from(TIMES).unwrap()) {
        check::<InRows>(seed).await;
        check::<Reversed>(seed).await;
        check::<InCells>(seed).await;
        check::<InColumns>(seed).await;
    }
}
