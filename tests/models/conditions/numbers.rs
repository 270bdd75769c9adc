//! Numbers and times compared by their values, in queries and in conditional writes, on every
//! backend.

use std::cmp::Ordering;

use bigtable_model::condition::Condition;
use bigtable_model::query::ByServer;
use bigtable_model::{BackendExt, Model, Timestamp};

use super::{backends, second};

macro_rules! of_numbers {
    ($name:ident, $table:literal, ($($attributes:tt)*), ($($time:tt)*)) => {
        mod $name {
            use super::*;

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(table = $table, family = "M", $($attributes)*)]
            struct Reading {
                #[bigtable(key)]
                meter: String,
                #[bigtable(time, $($time)*)]
                at: Timestamp,
                celsius: f64,
                offset: i32,
                single: Option<f32>,
                checked: Timestamp,
            }

            const FLOATS: [f64; 11] = [
                -0.0,
                0.0,
                1.5,
                -1.5,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::MAX,
                -f64::MIN_POSITIVE,
                30.0,
                30.000_000_1,
                f64::NAN,
            ];
            const INTEGERS: [i32; 6] = [0, -1, 1, i32::MAX, i32::MIN, 7];

            fn readings() -> Vec<Reading> {
                let number = |at: i64, of: usize| usize::try_from(at).unwrap() % of;
                let reading = |at: i64| Reading {
                    meter: "m".to_owned(),
                    at: second(at),
                    celsius: FLOATS[number(at, FLOATS.len())],
                    offset: INTEGERS[number(at, INTEGERS.len())],
                    #[allow(clippy::cast_possible_truncation, reason = "any number does")]
                    single: (at % 3 > 0).then_some(FLOATS[number(at, FLOATS.len())] as f32),
                    checked: Timestamp::from_seconds(at - 15),
                };
                (0..33).map(reading).collect()
            }

            type Case = (Condition<Reading>, fn(&Reading) -> bool);

            fn cases() -> Vec<Case> {
                let ReadingFields { celsius, offset, single, checked, .. } = Reading::FIELDS;
                vec![
                    (celsius.gt(30.0), |one| one.celsius > 30.0),
                    (celsius.ge(0.0), |one| one.celsius >= 0.0),
                    (celsius.gt(-0.0), |one| one.celsius > 0.0),
                    (celsius.lt(0.0), |one| one.celsius < 0.0),
                    (celsius.le(-0.0), |one| one.celsius <= 0.0),
                    (celsius.between(-1.5, 1.5), |one| (-1.5..=1.5).contains(&one.celsius)),
                    (celsius.within(-2.0..30.0), |one| (-2.0..30.0).contains(&one.celsius)),
                    (celsius.gt(f64::NAN), |_| false),
                    (celsius.gt(0.0).negate(), |one| {
                        one.celsius.partial_cmp(&0.0) != Some(Ordering::Greater)
                    }),
                    (offset.lt(0), |one| one.offset < 0),
                    (offset.ge(-1), |one| one.offset >= -1),
                    (offset.between(-1, 7), |one| (-1..=7).contains(&one.offset)),
                    (offset.between(7, -1), |_| false),
                    (single.le(1.5), |one| one.single.is_some_and(|single| single <= 1.5)),
                    (single.gt(0.0).negate(), |one| {
                        one.single.is_none_or(|single| single.is_nan() || single <= 0.0)
                    }),
                    (checked.lt(Timestamp::UNIX_EPOCH), |one| {
                        one.checked < Timestamp::UNIX_EPOCH
                    }),
                    (checked.ge(Timestamp::from_seconds(-3)), |one| {
                        one.checked >= Timestamp::from_seconds(-3)
                    }),
                    (celsius.gt(0.0).and(offset.lt(0)), |one| one.celsius > 0.0 && one.offset < 0),
                    (celsius.gt(0.0).or(offset.lt(0)), |one| one.celsius > 0.0 || one.offset < 0),
                ]
            }

            fn times(readings: &[Reading]) -> Vec<Timestamp> {
                readings.iter().map(|reading| reading.at).collect()
            }

            #[tokio::test]
            async fn queries_and_writes_compare_values() {
                for db in backends($table).await {
                    let db = &*db;
                    db.ensure_tables::<Reading>().await.unwrap();
                    let all = readings();
                    db.insert_many(&all).await.into_result().unwrap();
                    for (condition, holds) in cases() {
                        let wanted: Vec<_> = all.iter().filter(|one| holds(one)).cloned().collect();
                        let query = Reading::query().meter("m").events().matching(condition.clone());
                        let found = db.fetch(&query).await.unwrap();
                        assert_eq!(times(&found), times(&wanted), "{condition}");
                        for reading in &all[..11] {
                            let update = Reading::update(&reading.key()).offset(reading.offset);
                            let sent = db.send_if(update, condition.clone()).await.unwrap();
                            assert_eq!(sent, holds(reading), "{condition} of {reading:?}");
                        }
                    }
                }
            }

            #[test]
            fn the_server_compares_them() {
                let hot = Reading::query().meter("m").events().matching(Reading::FIELDS.celsius.gt(-1.0));
                let plan = hot.plan().unwrap();
                assert_ne!(plan.condition.unwrap().by_server, ByServer::Nothing);
            }
        }
    };
}

of_numbers!(row, "READING_ROW", (), (unit = "s"));
of_numbers!(
    cells,
    "READING_CELLS",
    (layout = "cells"),
    (bucket = "hour")
);
of_numbers!(
    columns,
    "READING_COLUMNS",
    (layout = "columns"),
    (bucket = "hour")
);
