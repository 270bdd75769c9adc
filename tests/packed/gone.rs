//! Mirrors of packed models whose events or tables are gone.

use bigtable_model::backend::memory::ManualClock;
use bigtable_model::mirror::MirrorOf;
use bigtable_model::packed::PackJob;
use bigtable_model::{BackendExt as _, Model, Timestamp};

use crate::jobs::Clocked;
use crate::world::at;

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "LOAD", family = "M", layout = "cells", gc(max_age = "3d"))]
#[bigtable(pack(after = "1h"), mirror(OfDay, Plain))]
struct Load {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "s", bucket = "day")]
    at: Timestamp,
    load: f64,
}

/// A table of each day.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "LOAD_{at:%Y%m%d}",
    family = "M",
    layout = "cells",
    pack(after = "1h")
)]
struct OfDay {
    #[bigtable(key)]
    rack: String,
    #[bigtable(time, unit = "s", bucket = "day")]
    at: Timestamp,
    host: String,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "PLAIN", family = "M")]
struct Plain {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    load: f64,
}

impl MirrorOf<Load> for OfDay {
    fn mirror_of(load: &Load) -> Option<Self> {
        let Load { host, at, .. } = load.clone();
        let rack = "r".to_owned();
        Some(Self { rack, at, host })
    }

    fn source_key(&self) -> Option<LoadKey> {
        let (host, at) = (self.host.clone(), self.at);
        Some(LoadKey { host, at })
    }
}

impl MirrorOf<Load> for Plain {
    fn mirror_of(load: &Load) -> Option<Self> {
        let Load { host, at, load } = load.clone();
        Some(Self { host, at, load })
    }

    fn source_key(&self) -> Option<LoadKey> {
        let (host, at) = (self.host.clone(), self.at);
        Some(LoadKey { host, at })
    }
}

fn load(hour: i64) -> Load {
    Load {
        host: "ann".to_owned(),
        at: at(hour * 3_600),
        load: 0.5,
    }
}

/// Two days of events with their copies, all packed, at a time of the clock.
async fn packed(clock: &ManualClock) -> Clocked {
    let db = Clocked::with_table(Load::SCHEMA, clock).await;
    db.ensure_periods::<OfDay>(at(0)..at(48 * 3_600))
        .await
        .unwrap();
    db.ensure_tables::<Plain>().await.unwrap();
    let written = db.insert_many((0..48).map(load)).await;
    written.into_result().unwrap();
    for schema in [Load::SCHEMA, OfDay::SCHEMA] {
        let job = PackJob::new(schema).unwrap();
        assert_eq!(job.run(&db).await.unwrap().changed, 2);
    }
    db
}

#[tokio::test]
async fn copies_of_expired_events_are_strays() {
    let clock = ManualClock::new(at(60 * 3_600));
    let db = packed(&clock).await;
    clock.set(at((72 + 10) * 3_600 + 1));
    let strays = db.delete_strays::<Load>().await.unwrap();
    let deleted: Vec<_> = strays.iter().map(|one| (one.deleted, one.failed)).collect();
    assert_eq!(deleted, [(11, 0), (11, 0)]);
    assert_eq!(db.count(&Plain::scan()).await.unwrap(), 37);
    assert_eq!(db.count(&OfDay::scan()).await.unwrap(), 37);
}

#[tokio::test]
async fn a_dropped_table_has_nothing_to_forget() {
    let db = packed(&ManualClock::new(at(60 * 3_600))).await;
    let dropped = db.drop_tables_before::<OfDay>(at(24 * 3_600)).await;
    assert_eq!(dropped.unwrap().len(), 1);
    let report = db.forget(&Load::query().host("ann")).await.unwrap();
    assert!(report.is_complete(), "{report}");
    assert_eq!(db.count(&Load::scan()).await.unwrap(), 0);
    assert_eq!(db.count(&Plain::scan()).await.unwrap(), 0);
    assert_eq!(db.count(&OfDay::scan()).await.unwrap(), 0);
}
