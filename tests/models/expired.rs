//! Expired events that are still stored: in memory, on our server and on the emulator. Their tables
//! have no rules here, so nothing is deleted.

use std::sync::Arc;
use std::time::Duration;

use bigtable_model::backend::Wrapper;
use bigtable_model::backend::memory::ManualClock;
use bigtable_model::condition::Condition;
use bigtable_model::data::FamilySchema;
use bigtable_model::mirror::MirrorOf;
use bigtable_model::model::Schema;
use bigtable_model::schema::WantedTable;
use bigtable_model::{Backend, BackendExt, ErrorKind, Model, Timestamp};

use crate::conditions;

/// A backend, and the clock by which its cells expire.
#[derive(Debug, Clone)]
struct Clocked {
    inner: Arc<dyn Backend>,
    clock: ManualClock,
}

impl Wrapper for Clocked {
    fn inner(&self) -> &dyn Backend {
        &*self.inner
    }

    fn expiry_time(&self) -> Timestamp {
        self.clock.now()
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_seconds(1_500_000_000 + second)
}

/// The backends, with tables that keep every cell and a clock at `at(0)`.
async fn backends(name: &str, models: &[&Schema]) -> Vec<Clocked> {
    let mut all = Vec::new();
    for inner in conditions::backends(name).await {
        for model in models {
            let mut table = WantedTable::of(model).schema;
            for family in table.families.values_mut() {
                *family = FamilySchema {
                    gc_rule: None,
                    ..family.clone()
                };
            }
            inner.tables().create(table, Vec::new()).await.unwrap();
        }
        let clock = ManualClock::new(at(0));
        all.push(Clocked { inner, clock });
    }
    all
}

/// Values expire after a minute, remarks after ten seconds.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "READING",
    family = "R",
    gc(max_age = "60s"),
    gc(family = "X", max_age = "10s"),
    mirror(ByPlace)
)]
struct Reading {
    #[bigtable(key)]
    sensor: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    celsius: f64,
    place: String,
    #[bigtable(family = "X")]
    remark: Option<String>,
}

/// A copy, kept for half a minute.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "BY_PLACE", family = "R", gc(max_age = "30s"))]
struct ByPlace {
    #[bigtable(key)]
    place: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    #[bigtable(key)]
    sensor: String,
    celsius: f64,
}

impl MirrorOf<Reading> for ByPlace {
    fn mirror_of(reading: &Reading) -> Option<Self> {
        let Reading {
            sensor,
            at,
            celsius,
            place,
            ..
        } = reading.clone();
        Some(Self {
            place,
            at,
            sensor,
            celsius,
        })
    }

    fn source_key(&self) -> Option<ReadingKey> {
        let Self { sensor, at, .. } = self.clone();
        Some(ReadingKey { sensor, at })
    }
}

fn reading(second: i64) -> Reading {
    Reading {
        sensor: "attic".into(),
        at: at(second),
        celsius: 19.5,
        place: "roof".into(),
        remark: Some("new".into()),
    }
}

#[tokio::test]
async fn each_column_goes_at_its_time_and_presence_decides() {
    for db in backends("expired-each", &[Reading::SCHEMA, ByPlace::SCHEMA]).await {
        let whole = reading(0);
        let key = whole.key();
        let bare = Reading {
            remark: None,
            ..whole.clone()
        };
        let all = Reading::query().sensor("attic");
        db.insert(&whole).await.unwrap();
        for (now, seen) in [
            (0, Some(&whole)),
            (10, Some(&whole)),
            (11, Some(&bare)),
            (60, Some(&bare)),
            (61, None),
        ] {
            db.clock.set(at(now));
            let expected: Vec<Reading> = seen.into_iter().cloned().collect();
            assert_eq!(db.get::<Reading>(&key).await.unwrap().as_ref(), seen);
            let many = db.get_many::<Reading>([&key]).await.unwrap();
            assert_eq!(many, [seen.cloned()]);
            assert_eq!(db.fetch(&all).await.unwrap(), expected);
            assert_eq!(
                db.fetch(&all.events().newest_first().limit(1))
                    .await
                    .unwrap(),
                expected
            );
            let count = u64::try_from(expected.len()).unwrap();
            assert_eq!(db.count(&all).await.unwrap(), count);
            let series = db.series(&all).await.unwrap();
            assert_eq!(series.len(), expected.len());
            let absent = Reading::FIELDS.remark.is_absent();
            let without = db.count(&all.events().matching(absent)).await.unwrap();
            assert_eq!(without, u64::from(seen == Some(&bare)));
        }
        assert_eq!(
            db.fetch(&all.events().with_expired()).await.unwrap(),
            [whole]
        );
        let remarks = db.history(&key, Reading::FIELDS.remark).await.unwrap();
        assert_eq!(remarks.len(), 1, "history reaches it");
        let outcome = db.delete_all(&all).await;
        assert_eq!(outcome.into_result().unwrap(), 1, "and so do deletes");
        assert_eq!(db.count(&all.events().with_expired()).await.unwrap(), 0);
    }
}

#[tokio::test]
async fn conditions_do_not_see_them() {
    for db in backends("expired-if", &[Reading::SCHEMA, ByPlace::SCHEMA]).await {
        let old = reading(0);
        let key = old.key();
        assert!(db.insert_if_absent(&old).await.unwrap());
        db.clock.set(at(60));
        assert!(!db.insert_if_absent(&old).await.unwrap(), "it is there");
        let is_new = || Reading::FIELDS.remark.equals("new".to_owned());
        let marked = db.send_if(Reading::update(&key).place("hall"), is_new());
        assert!(!marked.await.unwrap(), "the remark has expired");
        let is_warm = || Reading::FIELDS.celsius.equals(19.5);
        let moved = db.send_if(Reading::update(&key).place("hall"), is_warm());
        assert!(moved.await.unwrap());

        db.clock.set(at(61));
        let moved = db.send_if(Reading::update(&key).place("cellar"), is_warm());
        assert!(!moved.await.unwrap());
        let there = Condition::exists();
        assert!(!db.delete_if::<Reading>(&key, there).await.unwrap());
        assert!(db.insert_if_absent(&old).await.unwrap(), "nothing is there");
        let later = db.with_expiry_margin(Duration::from_secs(1));
        assert!(!later.insert_if_absent(&old).await.unwrap());
    }
}

#[tokio::test]
async fn a_margin_keeps_them_in_sight() {
    for db in backends("expired-margin", &[Reading::SCHEMA, ByPlace::SCHEMA]).await {
        db.insert(&reading(0)).await.unwrap();
        db.clock.set(at(65));
        let all = Reading::query().sensor("attic");
        for (margin, seen) in [(0, 0), (4, 0), (5, 1), (u64::MAX, 1)] {
            let later = db.with_expiry_margin(Duration::from_secs(margin));
            assert_eq!(later.count(&all).await.unwrap(), seen, "{margin} s");
        }
    }
}

#[tokio::test]
async fn copies_that_have_expired_are_not_repaired() {
    for db in backends("expired-copies", &[Reading::SCHEMA, ByPlace::SCHEMA]).await {
        let readings = [reading(0), reading(20), reading(50)];
        db.insert_many(&readings).await.into_result().unwrap();
        db.clock.set(at(55));
        let copies = ByPlace::query().place("roof");
        assert_eq!(db.count(&copies).await.unwrap(), 1);
        let repair = async || {
            let all = Reading::query().sensor("attic");
            let report = db.repair(&all).await.unwrap();
            let [table] = &report.tables[..] else {
                panic!()
            };
            (report.events, table.checked, table.written)
        };
        assert_eq!(repair().await, (3, 1, 0), "two copies have expired");
        db.delete::<ByPlace>(&ByPlaceKey {
            place: "roof".into(),
            at: at(50),
            sensor: "attic".into(),
        })
        .await
        .unwrap();
        assert_eq!(repair().await, (3, 1, 1));

        db.clock.set(at(70));
        let later = db.with_expiry_margin(Duration::ZERO);
        let strays = later.delete_strays::<Reading>().await.unwrap();
        assert_eq!(strays[0].deleted, 0, "the event of the copy is there");
        db.clock.set(at(61));
        assert_eq!(repair().await, (2, 1, 0), "an event has expired");
    }
}

/// In a row of many events, all but the newest two expire when they are old.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "LOAD",
    family = "L",
    layout = "cells",
    gc(all(max_versions = 2, max_age = "30s"))
)]
struct Load {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, bucket = "hour")]
    at: Timestamp,
    percent: u32,
    peak: Option<u32>,
}

fn load(second: i64, peak: Option<u32>) -> Load {
    Load {
        host: "web1".into(),
        at: at(second),
        percent: u32::try_from(second).unwrap(),
        peak,
    }
}

#[tokio::test]
async fn versions_are_counted_in_each_column() {
    for db in backends("expired-versions", &[Load::SCHEMA]).await {
        let loads = [
            load(1, Some(1)),
            load(2, None),
            load(3, Some(3)),
            load(4, None),
            load(5, Some(5)),
        ];
        db.insert_many(&loads).await.into_result().unwrap();
        let all = Load::query().host("web1");
        db.clock.set(at(32));
        assert_eq!(db.fetch(&all).await.unwrap(), loads[1..]);
        db.clock.set(at(100));
        assert_eq!(db.fetch(&all).await.unwrap(), loads[3..]);
        let early = all.clone().at(at(0)..at(4));
        assert_eq!(db.count(&early).await.unwrap(), 0, "newer ones are counted");
        assert_eq!(db.count(&early.events().with_expired()).await.unwrap(), 3);
        let third = loads[2].key();
        let exists = Condition::exists;
        assert!(!db.delete_if::<Load>(&third, exists()).await.unwrap());
        assert!(
            db.delete_if::<Load>(&loads[4].key(), exists())
                .await
                .unwrap()
        );
        // The newest two of the others are kept.
        assert_eq!(db.fetch(&all).await.unwrap(), loads[2..4]);
    }
}

#[test]
fn a_plan_tells_what_is_left_out() {
    let told = Reading::query()
        .sensor("attic")
        .events()
        .explain()
        .to_string();
    let line = "expired: left out before the filter are cells of R older than 1m, cells of X older \
                than 10s, by the client's clock";
    assert!(told.contains(line), "{told}");
    let plan = Reading::query()
        .sensor("attic")
        .events()
        .with_expired()
        .plan();
    assert!(plan.unwrap().expiry.is_none());
}

/// One version of each column is read anyway.
#[derive(Debug, Model)]
#[bigtable(table = "ONE", family = "M", gc(max_versions = 1))]
struct OneVersion {
    #[bigtable(key)]
    name: String,
    value: u32,
}

#[test]
fn rules_that_delete_nothing_that_is_read_cost_nothing() {
    let plan = OneVersion::query().name("a").events().plan().unwrap();
    assert!(plan.expiry.is_none());
}

/// A write that comes too late to be found is written, and says so; or it is refused.
#[tokio::test]
async fn an_insert_of_an_expired_event_says_so() {
    let models: [&Schema; 2] = [Reading::SCHEMA, ByPlace::SCHEMA];
    for db in backends("late", &models).await {
        let reading = |second: i64| Reading {
            sensor: "s".into(),
            at: at(second),
            celsius: 1.0,
            place: "p".into(),
            remark: Some("x".into()),
        };
        // 60 seconds are kept, however few are left of it; the remark alone does not matter.
        assert!(!db.insert(&reading(-59)).await.unwrap().expired);
        assert!(db.insert(&reading(-61)).await.unwrap().expired);
        let readings: Vec<_> = [-100, -61, -59, 0].map(reading).into();
        let mut told = 0;
        let inserts = db
            .insert_many(&readings)
            .on_progress(|counts| told = counts.expired);
        let outcome = inserts.await;
        assert_eq!((outcome.written(), outcome.expired(), told), (4, 2, 2));
        let found = db.count(&Reading::query().sensor("s")).await.unwrap();
        assert_eq!(found, outcome.written() - outcome.expired());

        let outcome = db.insert_many(&readings).refuse_expired().await;
        assert_eq!((outcome.written(), outcome.expired()), (2, 0));
        let failed: Vec<_> = outcome.failed().iter().map(|one| one.index).collect();
        assert_eq!(failed, [0, 1]);
        let error = &outcome.failed()[1].error;
        assert_eq!(error.kind(), ErrorKind::Request);
        assert_eq!(
            error.to_string(),
            "table READING: sensor=s at=2017-07-14T02:38:59Z has expired: no query finds it, since cells of R \
             older than 1m are deleted"
        );

        let mut back = Vec::new();
        let given = db.insert_many(readings.clone()).refuse_expired();
        let counts = given.give_back(|letter| back.push(letter.event)).await;
        assert_eq!((counts.written, counts.failed, counts.expired), (2, 2, 0));
        assert_eq!(back, readings[..2]);
        let counts = db.insert_many(readings).give_back(|_| {}).await;
        assert_eq!((counts.written, counts.failed, counts.expired), (4, 0, 2));
        // A copy expires by itself.
        let copy = ByPlace::mirror_of(&reading(-31)).unwrap();
        assert!(db.insert(&copy).await.unwrap().expired);
    }
}
