//! Other models with a roll-up that the server adds: with copies, with tables by period, and with
//! values as qualifiers.

use bigtable_model::rollup::Rollup;
use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};

/// A reading, in a table of its day, with a copy.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "READING_{at:%Y%m%d}",
    family = "R",
    append_only,
    rollup(Hour),
    mirror(Copied)
)]
struct Reading {
    #[bigtable(key)]
    sensor: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    value: i64,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "COPY", family = "R")]
struct Copied {
    #[bigtable(key)]
    sensor: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    value: i64,
}

impl From<&Reading> for Copied {
    fn from(reading: &Reading) -> Self {
        let Reading { sensor, at, value } = reading.clone();
        Self { sensor, at, value }
    }
}

#[derive(Debug, Clone, PartialEq, Model, Rollup)]
#[bigtable(table = "HOUR", family = "SUM")]
#[rollup(of = Reading, every = "1h", added)]
struct Hour {
    #[bigtable(key)]
    sensor: String,
    #[bigtable(time, unit = "s")]
    start: Timestamp,
    #[bigtable(aggregate = "sum")]
    #[rollup(count)]
    readings: i64,
    #[bigtable(aggregate = "sum")]
    #[rollup(sum)]
    value: i64,
}

/// 2024-11-01T23:00:00Z: an hour before the next table.
const START: i64 = 1_730_502_000;

fn reading(minute: i64, value: i64) -> Reading {
    Reading {
        sensor: "attic".to_owned(),
        at: Timestamp::from_seconds(START + minute * 60),
        value,
    }
}

#[tokio::test]
async fn events_with_copies_are_added_once() {
    let db = MemoryBackend::new();
    let at = Timestamp::from_seconds;
    db.ensure_tables::<Reading>().await.unwrap();
    db.ensure_periods::<Reading>(at(START)..at(START + 7_200))
        .await
        .unwrap();
    let many: Vec<_> = (0..90).map(|minute| reading(minute, minute)).collect();
    db.insert_many(&many).await.into_result().unwrap();
    db.insert(&reading(90, 1_000)).await.unwrap();
    db.insert(&reading(91, 2_000)).await.unwrap();
    let mut given_back = 0;
    let owned = [reading(92, 3_000)];
    db.insert_many(owned).give_back(|_| given_back += 1).await;
    assert_eq!(given_back, 0);

    let hours = db.fetch(&Hour::query().sensor("attic")).await.unwrap();
    let found: Vec<_> = hours
        .iter()
        .map(|hour| (hour.readings, hour.value))
        .collect();
    let first = (60, (0..60).sum());
    let second = (33, (60..90).sum::<i64>() + 6_000);
    assert_eq!(found, [first, second]);
    assert_eq!(db.count(&Copied::scan()).await.unwrap(), 93);
}

/// An event with its value as qualifier, so there may be several at a time.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "SCORE",
    family = "S",
    layout = "qualifiers",
    append_only,
    rollup(Day)
)]
struct Score {
    #[bigtable(key)]
    player: String,
    #[bigtable(time, bucket = "day")]
    at: Timestamp,
    points: i64,
}

#[derive(Debug, Clone, PartialEq, Model, Rollup)]
#[bigtable(table = "DAY", family = "SUM")]
#[rollup(of = Score, every = "1d", added)]
struct Day {
    #[bigtable(key)]
    player: String,
    #[bigtable(time, unit = "s")]
    start: Timestamp,
    #[bigtable(aggregate = "sum")]
    #[rollup(count)]
    scores: i64,
    #[bigtable(aggregate = "sum")]
    #[rollup(sum)]
    points: i64,
}

#[tokio::test]
async fn values_tell_events_of_one_time_apart() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Score>().await.unwrap();
    let score = |points| Score {
        player: "ann".to_owned(),
        at: Timestamp::from_seconds(START),
        points,
    };
    for points in [5, 7, 5, 7, 7] {
        db.insert(&score(points)).await.unwrap();
    }
    db.insert_many(&[score(8), score(9)])
        .await
        .into_result()
        .unwrap();
    let days = db.fetch(&Day::query().player("ann")).await.unwrap();
    let found: Vec<_> = days.iter().map(|day| (day.scores, day.points)).collect();
    assert_eq!(found, [(4, 29)]);
}
