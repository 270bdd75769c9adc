//! Buckets of many series: what a job reads, what the server adds, what is forgotten.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bigtable_model::backend::{RowBatches, Wrapper};
use bigtable_model::data::{Mutation, ReadRows, Row, RowMutations};
use bigtable_model::rollup::{Rollup, RollupJob, at_most, recount};
use bigtable_model::{Backend, BackendExt as _, MemoryBackend, Model, Timestamp};
use futures::TryStreamExt as _;

use super::{Bucket, Kind, at, rows};

fn readings(of: impl IntoIterator<Item = (i64, &'static str, u32)>) -> Vec<rows::Reading> {
    let of = of.into_iter();
    of.map(|(second, site, meter)| Kind::of(&(second, site.to_owned(), meter), i64::from(meter)))
        .collect()
}

#[tokio::test]
async fn what_a_meter_measured_is_computed_from_its_events() {
    let db = MemoryBackend::new();
    db.ensure_tables::<rows::Reading>().await.unwrap();
    let all =
        readings((0..120).flat_map(|minute| [1, 2].map(|meter| (minute * 60, "north", meter))));
    db.insert_many(&all).await.into_result().unwrap();
    let job = RollupJob::<rows::SiteHour>::new().settle(Duration::ZERO);
    job.run(&db).await.unwrap().into_result().unwrap();
    let range = at(0)..at(7_200);
    let of_site = rows::Reading::scan().site("north").at(range.clone());
    let of_site = of_site.events().resolution::<rows::SiteHour>(at_most(2));
    let of_meter = rows::Reading::query().site("north").meter(2_u32).at(range);
    let of_meter = of_meter.events().resolution::<rows::SiteHour>(at_most(2));
    assert!(
        of_site
            .explain()
            .unwrap()
            .to_string()
            .contains("FEWER_SITE, buckets")
    );
    assert!(
        of_meter
            .explain()
            .unwrap()
            .to_string()
            .contains("FEWER, events")
    );
    let watts = |found: Vec<rows::SiteHour>| {
        let found = found.iter().map(Bucket::plain);
        found.map(|one| (one.2, one.3)).collect::<Vec<_>>()
    };
    assert_eq!(watts(db.fetch(&of_site).await.unwrap()), [(120, 180); 2]);
    assert_eq!(watts(db.fetch(&of_meter).await.unwrap()), [(60, 120); 2]);
}

/// Counts the rows that are read.
#[derive(Debug, Clone)]
struct Counting {
    inner: MemoryBackend,
    rows: Arc<AtomicUsize>,
}

impl Wrapper for Counting {
    fn inner(&self) -> &dyn Backend {
        &self.inner
    }

    fn read_rows(&self, request: ReadRows) -> RowBatches {
        let rows = self.rows.clone();
        let count = move |_: &Row| {
            rows.fetch_add(1, Ordering::Relaxed);
        };
        RowBatches::of_rows(self.inner.read_rows(request).rows().inspect_ok(count))
    }
}

/// An hour of a few meters among a month of each.
#[tokio::test]
async fn a_job_reads_the_hour_of_each_meter() {
    let inner = MemoryBackend::new();
    inner.ensure_tables::<rows::Reading>().await.unwrap();
    let month = (0..720).flat_map(|hour| [1, 2, 3].map(|meter| (hour * 3_600, "north", meter)));
    let written = inner.insert_many(&readings(month)).await;
    written.into_result().unwrap();
    let job = RollupJob::<rows::SiteHour>::new().settle(Duration::ZERO);
    job.run(&inner).await.unwrap().into_result().unwrap();
    let late = readings([(300 * 3_600 + 60, "north", 2)]);
    inner.insert_many(&late).await.into_result().unwrap();
    let db = Counting {
        inner,
        rows: Arc::default(),
    };
    let report = job.run(&db).await.unwrap();
    assert_eq!(report.computed, 2);
    // The marks, the readings of the hour, a probe for each meter, and the hours of the day.
    let read = db.rows.load(Ordering::Relaxed);
    assert!(read < 50, "{read}");
    let hour = rows::SiteHour::query().site("north").start(at(300 * 3_600));
    let hour = db.handle().fetch(&hour).await.unwrap();
    assert_eq!(hour[0].plain().2, 4);
}

/// A model whose site totals the server adds.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "ONCE", family = "R", append_only, rollup(Total, OfMeter))]
struct Once {
    #[bigtable(key)]
    site: String,
    #[bigtable(key)]
    meter: u32,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    watts: i64,
}

#[derive(Debug, Clone, PartialEq, Model, Rollup)]
#[bigtable(table = "ONCE_TOTAL", family = "SUM")]
#[rollup(of = Once, every = "1h", added)]
struct Total {
    #[bigtable(key)]
    site: String,
    #[bigtable(time, unit = "s")]
    start: Timestamp,
    #[bigtable(aggregate = "sum")]
    #[rollup(count)]
    readings: i64,
    #[bigtable(aggregate = "sum")]
    #[rollup(sum)]
    watts: i64,
}

#[derive(Debug, Clone, PartialEq, Model, Rollup)]
#[bigtable(table = "ONCE_METER", family = "SUM")]
#[rollup(of = Once, every = "1h", added)]
struct OfMeter {
    #[bigtable(key)]
    site: String,
    #[bigtable(key)]
    meter: u32,
    #[bigtable(time, unit = "s")]
    start: Timestamp,
    #[bigtable(aggregate = "sum")]
    #[rollup(sum)]
    watts: i64,
}

#[tokio::test]
async fn the_server_adds_the_readings_of_all_meters() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Once>().await.unwrap();
    // At the same time, by one request and by two.
    let once = |meter: u32, minute: i64| Once {
        site: "north".to_owned(),
        meter,
        at: at(60 * minute),
        watts: i64::from(meter),
    };
    db.insert_many(&[once(1, 0), once(2, 0)])
        .await
        .into_result()
        .unwrap();
    for meter in [3, 4] {
        db.insert(&once(meter, 0)).await.unwrap();
    }
    let totals = || async {
        let found = db.fetch(&Total::query().site("north")).await.unwrap();
        found
            .iter()
            .map(|one| (one.readings, one.watts))
            .collect::<Vec<_>>()
    };
    assert_eq!(totals().await, [(4, 10)]);
    // A query of one meter recounts the buckets of its site.
    let of_one = Once::query()
        .site("north")
        .meter(4_u32)
        .at(at(0)..at(3_600));
    let report = recount::<Total>(&of_one, &db).await.unwrap();
    assert_eq!(report.computed, 1);
    assert_eq!(totals().await, [(4, 10)]);
    // A recount of some meters leaves the others' buckets as they are.
    let some = Once::scan().meter(2_u32..4).at(at(0)..at(3_600));
    let report = recount::<OfMeter>(&some, &db).await.unwrap();
    assert_eq!(report.computed, 2);
    let left = db.fetch(&OfMeter::scan()).await.unwrap();
    let left: Vec<_> = left.iter().map(|one| one.watts).collect();
    assert_eq!(left, [1, 2, 3, 4]);
}

/// Whoever is forgotten is in no bucket after the next job; rows of the others' buckets stay.
#[tokio::test]
async fn a_meter_is_forgotten_in_the_buckets_of_its_site() {
    let db = MemoryBackend::new();
    db.ensure_tables::<rows::Reading>().await.unwrap();
    let all = (0..4).flat_map(|hour| [1, 7].map(|meter| (hour * 3_600, "north", meter)));
    db.insert_many(&readings(all)).await.into_result().unwrap();
    let job = RollupJob::<rows::SiteHour>::new().settle(Duration::ZERO);
    job.run(&db).await.unwrap().into_result().unwrap();
    // Nothing says whose it is.
    let foreign = Mutation::SetCell {
        family: "R".into(),
        qualifier: "watts".into(),
        timestamp_micros: 0,
        value: vec![0; 8].into(),
    };
    let mut key = readings([(0, "north", 7)])[0].key().encode().unwrap();
    key.truncate(key.len() - 10);
    key.extend(b"yesterday");
    let foreign = RowMutations {
        key: key.into(),
        mutations: vec![foreign],
    };
    db.mutate_row("FEWER", foreign).await.unwrap();
    let meter = rows::Reading::query().site("north").meter(7_u32);
    let report = db.forget(&meter).await.unwrap();
    assert_eq!(report.failed, 1, "{report}");
    let tables: Vec<_> = report
        .tables
        .iter()
        .map(|one| (&*one.table, one.deleted))
        .collect();
    assert_eq!(tables, [("FEWER", 4), ("FEWER_METER", 4)]);
    let beyond = report.beyond.join("\n");
    let expected = "table FEWER_SITE: its buckets hold events of others too; they are marked, and \
                    the next `RollupJob` computes those again whose events are all stored";
    assert!(beyond.contains(expected), "{beyond}");
    assert!(beyond.contains("table FEWER_SITE_DAY: ") && beyond.contains("table FEWER_ALL: "));
    let report = job.run(&db).await.unwrap();
    assert_eq!(report.computed, 5);
    let hours = db
        .fetch(&rows::SiteHour::query().site("north"))
        .await
        .unwrap();
    let hours = hours.iter().map(Bucket::plain);
    assert_eq!(
        hours.map(|one| (one.2, one.3)).collect::<Vec<_>>(),
        [(1, 1); 4]
    );
}
