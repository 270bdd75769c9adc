//! Tables from models: families with their garbage-collection rules, and splits for salts.

use std::time::Duration;

use bigtable_model::backend::memory::ManualClock;
use bigtable_model::data::GcRule;
use bigtable_model::schema::ModelSchema;
use bigtable_model::schema::WantedTable;
use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Timestamp};

use crate::support::at;

/// Rules of all forms, for the struct's family and for others.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "METRIC",
    family = "CPU",
    prefix = "HOST",
    salt(shards = 3, of(host)),
    gc(any(max_versions = 3, all(max_versions = 1, any(max_age = "12h")))),
    gc(family = "NET", max_age = "250ms")
)]
struct Sample {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    user: f64,
    #[bigtable(family = "NET")]
    sent: Option<u64>,
    #[bigtable(family = "DISK")]
    read: Option<u64>,
}

fn age(millis: u64) -> GcRule {
    GcRule::MaxAge(Duration::from_millis(millis))
}

#[test]
fn rules_stand_in_the_schema() {
    let inner = vec![GcRule::MaxVersions(1), age(43_200_000)];
    let outer = vec![GcRule::MaxVersions(3), GcRule::Intersection(inner.into())];
    let cpu = GcRule::Union(outer.into());
    assert_eq!(Sample::SCHEMA.gc_rule("CPU"), Some(&cpu));
    assert_eq!(Sample::SCHEMA.gc_rule("NET"), Some(&age(250)));
    assert_eq!(Sample::SCHEMA.gc_rule("DISK"), None);
    let text = serde_json::to_string(Sample::SCHEMA).unwrap();
    let back: ModelSchema = serde_json::from_str(&text).unwrap();
    assert_eq!(back, **Sample::SCHEMA);
}

#[tokio::test]
async fn a_table_is_created_with_rules_and_splits() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Sample>().await.unwrap();
    let wanted = WantedTable::of(Sample::SCHEMA);
    assert_eq!(db.tables().get("METRIC").await, Ok(wanted.schema));
    let samples = db.sample_row_keys("METRIC").await.unwrap();
    let samples: Vec<_> = samples.into_iter().map(|sample| sample.key).collect();
    assert_eq!(samples, ["HOST#1", "HOST#2", ""]);
    assert!(db.table_diff::<Sample>().await.unwrap().agrees());
}

/// The events of a row are versions of one column, and the rule limits their number.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "COUNTED",
    family = "M",
    layout = "cells",
    gc(max_versions = 2),
    allow(dropped_events)
)]
struct Counted {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, bucket = "hour")]
    at: Timestamp,
    load: f64,
}

/// At most sixty are expected, so none is deleted.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "EXPECTED",
    family = "M",
    layout = "cells",
    expect(every = "1m", size = 20),
    gc(max_versions = 60)
)]
struct Expected {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, bucket = "hour")]
    at: Timestamp,
    load: f64,
}

/// With an age as well, the number deletes only old events. The row's own column has a rule by
/// number only, and no events.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "SPARED",
    family = "M",
    layout = "cells",
    gc(all(max_versions = 2, max_age = "30m")),
    gc(family = "ROW", max_versions = 1)
)]
struct Spared {
    #[bigtable(key, column = "HOST", family = "ROW")]
    host: String,
    #[bigtable(time, bucket = "hour")]
    at: Timestamp,
    load: f64,
}

/// Each event has separate columns with one version each.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "OWN", family = "M", layout = "columns", gc(max_versions = 1))]
struct Own {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, bucket = "hour")]
    at: Timestamp,
    load: f64,
}

const BEGIN: &str = "2026-05-01T10:00:00Z";

/// How many of sixty events, one each minute, are left at the end of their hour.
macro_rules! left {
    ($model:ident) => {{
        let minute = |minute: i64| at(BEGIN).as_micros() + minute * 60_000_000;
        let clock = ManualClock::new(Timestamp::from_micros(minute(60)));
        let db = MemoryBackend::builder().clock(clock).build();
        db.ensure_tables::<$model>().await.unwrap();
        let events = (0..60).map(|number| $model {
            host: "a".to_owned(),
            at: Timestamp::from_micros(minute(number)),
            load: 0.5,
        });
        let events: Vec<_> = events.collect();
        db.insert_many(&events).await.into_result().unwrap();
        db.run_gc(Timestamp::from_micros(minute(60)));
        let found = db.fetch(&$model::query().host("a")).await.unwrap();
        assert!(events.ends_with(&found), "the newest are left");
        found.len()
    }};
}

#[tokio::test]
async fn rules_drop_the_events_that_the_derive_says() {
    assert_eq!(left!(Counted), 2);
    assert_eq!(left!(Expected), 60);
    assert_eq!(left!(Spared), 30);
    assert_eq!(left!(Own), 60);
}
