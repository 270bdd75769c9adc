//! Windows in slices of any size are those of the events.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    dead_code,
    reason = "a test may panic, and uses little of what is generated"
)]

use std::collections::BTreeMap;
use std::time::Duration;

use fastrand::Rng;
use futures::TryStreamExt as _;

use super::{WindowQuery, every};
use crate::model::Level;
use crate::rollup::{Rollup, RollupError, RollupJob};
use crate::{Backend, BackendExt as _, MemoryBackend, Model, Timestamp};

const SENSORS: [&str; 3] = ["a", "b", "c"];

fn at(second: i64) -> Timestamp {
    Timestamp::from_seconds(second)
}

/// Second, sensor and value of a reading.
type Plain = BTreeMap<(i64, &'static str), i64>;

/// Beginning, sensor, number, first and last value of a window.
type PlainSums = (i64, String, u64, i64, i64);

/// By brute force.
fn sums(readings: &Plain, length: i64, (from, to): (i64, i64)) -> Vec<PlainSums> {
    let mut windows: BTreeMap<(i64, &str), Vec<i64>> = BTreeMap::new();
    for ((second, sensor), value) in readings {
        if (from..to).contains(second) {
            let start = second.div_euclid(length) * length;
            windows.entry((start, sensor)).or_default().push(*value);
        }
    }
    let windows = windows.into_iter().map(|((start, sensor), values)| {
        let (first, last) = (values[0], values[values.len() - 1]);
        (start, sensor.to_owned(), values.len() as u64, first, last)
    });
    windows.collect()
}

/// A span in which readings are few, then many, then few.
fn draw(rng: &mut Rng) -> i64 {
    match rng.u8(0..3) {
        0 => rng.i64(0..40_000),
        _ => 20_000 + rng.i64(0..600),
    }
}

async fn read<R: Rollup>(
    db: &dyn Backend,
    windows: &WindowQuery<R>,
    most: Option<usize>,
) -> Vec<R> {
    windows.read(db.handle(), most).try_collect().await.unwrap()
}

macro_rules! slices {
    ($module:ident, [$($on_struct:tt)*], [$($on_time:tt)*]) => {
        mod $module {
            use super::*;

            #[derive(Debug, Clone, PartialEq, bigtable_derive::Model)]
            #[bigtable(crate = crate, table = "READING", family = "R", rollup(Sums))]
            struct Reading {
                #[bigtable(key)]
                sensor: String,
                #[bigtable(time, unit = "s")]
                at: Timestamp,
                value: i64,
            }

            #[derive(Debug, Clone, PartialEq, bigtable_derive::Model)]
            #[bigtable(crate = crate, table = "SUMS", family = "R", $($on_struct)*)]
            struct Sums {
                #[bigtable(key)]
                sensor: String,
                #[bigtable(time, $($on_time)*)]
                start: Timestamp,
                readings: u64,
                first: i64,
                last: i64,
            }

            impl Rollup for Sums {
                type Source = Reading;
                const LEVELS: &'static [Level] =
                    &[Level::seconds(10), Level::seconds(60).in_table("MINUTES")];

                fn of(reading: &Reading, start: Timestamp) -> Self {
                    Self {
                        sensor: reading.sensor.clone(),
                        start,
                        readings: 1,
                        first: reading.value,
                        last: reading.value,
                    }
                }

                fn merge(&mut self, later: &Self) -> Result<(), RollupError> {
                    self.readings += later.readings;
                    self.last = later.last;
                    Ok(())
                }

                fn starting(self, start: Timestamp) -> Self {
                    Self { start, ..self }
                }
            }

            fn plain(sums: Vec<Sums>) -> Vec<PlainSums> {
                let plain = |one: Sums| {
                    (one.start.as_seconds(), one.sensor, one.readings, one.first, one.last)
                };
                sums.into_iter().map(plain).collect()
            }

            async fn insert(db: &MemoryBackend, known: &mut Plain, rng: &mut Rng) {
                let some = (0..rng.usize(1..80)).map(|_| {
                    let (second, sensor) = (draw(rng), SENSORS[rng.usize(0..3)]);
                    let value = rng.i64(-99..99);
                    known.insert((second, sensor), value);
                    Reading { sensor: sensor.to_owned(), at: at(second), value }
                });
                let some: Vec<_> = some.collect();
                db.insert_many(&some).await.into_result().unwrap();
            }

            #[tokio::test]
            async fn slices_of_any_size_have_the_same_windows() {
                for seed in 0..3 {
                    let mut rng = Rng::with_seed(seed);
                    let db = MemoryBackend::new();
                    db.ensure_tables::<Reading>().await.unwrap();
                    let mut known = Plain::new();
                    for _ in 0..10 {
                        insert(&db, &mut known, &mut rng).await;
                        if rng.u8(0..3) == 0 {
                            let job = RollupJob::<Sums>::new().settle(Duration::ZERO);
                            job.run(&db).await.unwrap().into_result().unwrap();
                        }
                        let (one, other) = (draw(&mut rng), draw(&mut rng));
                        let (from, to) = (one.min(other), one.max(other) + 1);
                        let sensors = &SENSORS[rng.usize(0..3)..];
                        let length = [7, 10, 20, 60, 300, 7_200][rng.usize(0..6)];
                        let asked = Reading::query().sensor(sensors).at(at(from)..at(to));
                        let windows = asked
                            .events()
                            .resolution::<Sums>(every(Duration::from_secs(length)));
                        let mut expected =
                            sums(&known, i64::try_from(length).unwrap(), (from, to));
                        expected.retain(|(_, sensor, ..)| sensors.contains(&sensor.as_str()));
                        let all = plain(read(&db, &windows, None).await);
                        // With a salt, keys are not in the order of their sensors.
                        let mut by_sensor = all.clone();
                        by_sensor.sort();
                        assert_eq!(by_sensor, expected, "{seed} {from}..{to} {length}");
                        for most in [1, 2, 5, 40, 4_096] {
                            let found = plain(read(&db, &windows, Some(most)).await);
                            assert_eq!(found, all, "{seed} {most} {from}..{to} {length}");
                        }
                        let empty = windows.with_empty(|sensor, start| Sums {
                            sensor,
                            start,
                            readings: 0,
                            first: 0,
                            last: 0,
                        });
                        let all = read(&db, &empty, None).await;
                        assert_eq!(read(&db, &empty, Some(9)).await, all);
                    }
                }
            }
        }
    };
}

slices!(ascending, [], [unit = "s"]);
slices!(descending, [], [reverse]);
slices!(salted, [salt(shards = 3, of(sensor, start))], [unit = "s"]);
slices!(formatted, [], [format = "%Y%m%d%H%M%S"]);
