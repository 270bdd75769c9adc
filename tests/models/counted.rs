//! Buckets whose beginnings are counted in units of a duration.

use bigtable_model::schema::ModelSchema;
use bigtable_model::{BackendExt, Model, Timestamp};

use crate::support::backends;

/// An hour of a meter in a row, named by the hundreds of seconds since 1970.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "HUNDREDS", family = "M", layout = "cells")]
struct Reading {
    #[bigtable(key, width = 10)]
    meter: u32,
    #[bigtable(time, bucket = "hour", label = "{start:100s}")]
    at: Timestamp,
    value: u64,
}

/// The same by quarter hours since the meters were installed, latest first.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "QUARTERS", family = "M", layout = "cells")]
struct Quarter {
    #[bigtable(key, width = 10)]
    meter: u32,
    #[bigtable(
        time,
        bucket = "day",
        label = "{start:15m}",
        origin = "2015-03-01",
        width = 8,
        reverse
    )]
    at: Timestamp,
    value: u64,
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn reading(hour: u64) -> Reading {
    Reading {
        meter: 987_654,
        at: Timestamp::from_seconds(1_426_489_200 + 3_600 * i64::try_from(hour).unwrap() + 60),
        value: hour,
    }
}

#[test]
fn golden_keys() {
    assert_eq!(reading(0).at, at("2015-03-16T07:01:00Z"));
    let key = reading(0).key().encode().unwrap();
    assert_eq!(key, b"0000987654#14264892");
    assert_eq!(reading(1).key().encode().unwrap(), b"0000987654#14264928");
    let template = |schema: &ModelSchema| schema.key.to_string();
    assert_eq!(template(Reading::SCHEMA), "{meter:010}#{at:08 of 100s}");
    assert_eq!(template(Quarter::SCHEMA), "{meter:010}#{at:rev 08 of 15m}");
    let quarter = |text: &str| Quarter {
        meter: 987_654,
        at: at(text),
        value: 1,
    };
    // Fifteen days with 96 quarters each.
    let key = quarter("2015-03-16T07:01:00Z").key().encode().unwrap();
    assert_eq!(key, b"0000987654#99998559");
    let early = quarter("2015-02-28T23:59:00Z").key().encode();
    let error = early.unwrap_err();
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.contains("from which the label counts"), "{source}");
}

#[tokio::test]
async fn they_are_asked_for_by_time() {
    for db in backends("counted", "hours") {
        db.ensure_tables::<Reading>().await.unwrap();
        let readings: Vec<_> = (0..50).map(reading).collect();
        db.insert_many(&readings).await.into_result().unwrap();
        let of_one = Reading::query().meter(987_654_u32);
        assert_eq!(db.fetch(&of_one).await.unwrap(), readings);
        let some = of_one.clone().at(reading(10).at..reading(20).at);
        assert_eq!(db.fetch(&some).await.unwrap(), readings[10..20]);
        assert_eq!(
            some.events().plan().unwrap().scans[0].parts[0].ranges.len(),
            1
        );
        let newest = db
            .fetch(&of_one.events().newest_first().limit(1))
            .await
            .unwrap();
        assert_eq!(newest, readings[49..]);
        let all = db.count(&Reading::scan()).await.unwrap();
        assert_eq!(all, 50);
    }
}

#[tokio::test]
async fn the_latest_stand_first() {
    for db in backends("counted", "quarters") {
        db.ensure_tables::<Quarter>().await.unwrap();
        let readings = (0..100).map(reading).map(|reading| Quarter {
            meter: reading.meter,
            at: reading.at,
            value: reading.value,
        });
        let readings: Vec<_> = readings.collect();
        db.insert_many(&readings).await.into_result().unwrap();
        let of_one = Quarter::query().meter(987_654_u32);
        assert_eq!(db.fetch(&of_one).await.unwrap(), readings);
        assert!(!of_one.events().newest_first().plan().unwrap().reversed);
        let newest = db
            .fetch(&of_one.events().newest_first().limit(2))
            .await
            .unwrap();
        assert_eq!(newest, [readings[99].clone(), readings[98].clone()]);
        // There is nothing before the first bucket.
        let early = of_one.clone().at(..at("2015-02-01T00:00:00Z"));
        assert_eq!(db.fetch(&early).await.unwrap(), []);
    }
}
