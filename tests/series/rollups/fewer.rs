//! Roll-ups whose key leaves out identifiers: a bucket is that of many series.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bigtable_model::backend::faults::FaultyBackend;
use bigtable_model::backend::{RowBatches, Wrapper};
use bigtable_model::data::{Mutation, ReadRows, Row, RowMutations};
use bigtable_model::model::Editable;
use bigtable_model::query::{ByKey, Erased, Query};
use bigtable_model::rollup::{Mean, Rollup, RollupJob, at_most, every, recount};
use bigtable_model::{Backend, BackendExt as _, MemoryBackend, Model, Timestamp};
use fastrand::Rng;
use futures::TryStreamExt as _;

use super::random::faults;

const START: i64 = 1_730_419_200;
const SITES: [&str; 2] = ["north", "south"];

fn at(second: i64) -> Timestamp {
    Timestamp::from_seconds(START + second)
}

/// A reading as plain values: site, meter and second, which identify it, and watts.
type Plain = BTreeMap<(i64, String, u32), i64>;

/// The aggregate of readings: beginning, the identifiers that it keeps, count, sum, first, last,
/// greatest, mean.
type PlainWindow = (i64, String, u64, i64, i64, i64, i64, f64);

/// What a bucket keeps of the identifiers.
type Name = fn(&(i64, String, u32)) -> String;

const BY_METER: Name = |(_, site, meter)| format!("{site} {meter}");
const BY_SITE: Name = |(_, site, _)| site.clone();
const OF_ALL: Name = |_| String::new();

/// Which readings are asked for.
#[derive(Debug, Clone)]
struct Ask {
    sites: Vec<&'static str>,
    meters: Option<Range<u32>>,
    from: i64,
    to: i64,
}

impl Ask {
    fn draw(rng: &mut Rng) -> Self {
        let (one, other) = (second(rng), second(rng));
        Self {
            sites: SITES[rng.usize(0..2)..].to_vec(),
            meters: (rng.u8(0..3) == 0).then(|| {
                let first = rng.u32(0..4);
                first..first + rng.u32(1..3)
            }),
            from: one.min(other),
            to: one.max(other) + 1,
        }
    }

    fn of(&self, readings: &Plain) -> Plain {
        let asked = readings.iter().filter(|((second, site, meter), _)| {
            self.sites.contains(&site.as_str())
                && self.meters.as_ref().is_none_or(|some| some.contains(meter))
                && (self.from..self.to).contains(second)
        });
        asked.map(|(key, watts)| (key.clone(), *watts)).collect()
    }
}

fn second(rng: &mut Rng) -> i64 {
    rng.i64(0..2) * 86_400 + rng.i64(0..3) * 3_600 + rng.i64(0..60) * 61
}

/// By brute force.
fn windows(readings: &Plain, length: i64, name: Name) -> Vec<PlainWindow> {
    let mut windows: BTreeMap<(i64, String), Vec<i64>> = BTreeMap::new();
    for (key, watts) in readings {
        let start = (START + key.0).div_euclid(length) * length;
        windows.entry((start, name(key))).or_default().push(*watts);
    }
    let windows = windows.into_iter().map(|((start, name), watts)| {
        let sum: i64 = watts.iter().sum();
        let mean = sum as f64 / watts.len() as f64;
        let (first, last) = (watts[0], watts[watts.len() - 1]);
        let greatest = *watts.iter().max().unwrap();
        (
            start,
            name,
            watts.len() as u64,
            sum,
            first,
            last,
            greatest,
            mean,
        )
    });
    windows.collect()
}

trait Kind: Editable + Clone {
    type BySite: Rollup<Source = Self> + Clone;
    type OfAll: Rollup<Source = Self>;
    type ByMeter: Rollup<Source = Self>;
    fn of(key: &(i64, String, u32), watts: i64) -> Self;
    fn plain(&self) -> ((i64, String, u32), i64);
    fn asked(ask: &Ask) -> Query<Self, Erased<ByKey>, Self>;
    fn buckets() -> Query<Self::BySite, Erased<ByKey>, Self::BySite>;
    fn of_site(window: &Self::BySite) -> PlainWindow;
    fn of_all(window: &Self::OfAll) -> PlainWindow;
    fn of_meter(window: &Self::ByMeter) -> PlainWindow;
}

macro_rules! readings {
    ($module:ident, $by_site:literal, $days:literal, $of_all:literal, $by_meter:literal, [$($model:tt)*], [$($time:tt)*]) => {
        mod $module {
            use super::*;

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(family = "R", rollup(SiteHour, Hour, MeterHour), $($model)*)]
            pub(super) struct Reading {
                #[bigtable(key)]
                site: String,
                #[bigtable(key)]
                meter: u32,
                #[bigtable(time, unit = "s", $($time)*)]
                at: Timestamp,
                watts: i64,
            }

            /// An hour of a site, or a day.
            #[derive(Debug, Clone, PartialEq, Model, Rollup)]
            #[bigtable(table = $by_site, family = "R")]
            #[rollup(of = Reading, every = "1h", longer(every = "1d", table = $days))]
            pub(super) struct SiteHour {
                #[bigtable(key)]
                site: String,
                #[bigtable(time, unit = "s")]
                start: Timestamp,
                #[rollup(count)]
                readings: u64,
                #[rollup(sum)]
                watts: i64,
                #[rollup(first(watts))]
                first: i64,
                #[rollup(last(watts))]
                last: i64,
                #[rollup(max(watts))]
                greatest: i64,
                #[rollup(mean(watts))]
                mean: Mean,
            }

            /// An hour of all meters.
            #[derive(Debug, Clone, PartialEq, Model, Rollup)]
            #[bigtable(table = $of_all, family = "R", allow(time_first))]
            #[rollup(of = Reading, every = "1h")]
            pub(super) struct Hour {
                #[bigtable(time, unit = "s")]
                start: Timestamp,
                #[rollup(count)]
                readings: u64,
                #[rollup(sum)]
                watts: i64,
                #[rollup(first(watts))]
                first: i64,
                #[rollup(last(watts))]
                last: i64,
                #[rollup(max(watts))]
                greatest: i64,
                #[rollup(mean(watts))]
                mean: Mean,
            }

            /// An hour of a meter.
            #[derive(Debug, Clone, PartialEq, Model, Rollup)]
            #[bigtable(table = $by_meter, family = "R")]
            #[rollup(of = Reading, every = "1h")]
            pub(super) struct MeterHour {
                #[bigtable(key)]
                site: String,
                #[bigtable(key)]
                meter: u32,
                #[bigtable(time, unit = "s")]
                start: Timestamp,
                #[rollup(count)]
                readings: u64,
                #[rollup(sum)]
                watts: i64,
                #[rollup(first(watts))]
                first: i64,
                #[rollup(last(watts))]
                last: i64,
                #[rollup(max(watts))]
                greatest: i64,
                #[rollup(mean(watts))]
                mean: Mean,
            }

            impl Kind for Reading {
                type BySite = SiteHour;
                type OfAll = Hour;
                type ByMeter = MeterHour;

                fn of((second, site, meter): &(i64, String, u32), watts: i64) -> Self {
                    Self { site: site.clone(), meter: *meter, at: super::at(*second), watts }
                }

                fn plain(&self) -> ((i64, String, u32), i64) {
                    let second = self.at.as_seconds() - START;
                    ((second, self.site.clone(), self.meter), self.watts)
                }

                fn asked(ask: &Ask) -> Query<Self, Erased<ByKey>, Self> {
                    let range = super::at(ask.from)..super::at(ask.to);
                    let sites = &ask.sites[..];
                    let scan = Self::scan();
                    match ask.meters.clone() {
                        Some(one) if one.len() == 1 => {
                            let of_meter = Self::query().site(sites).meter(one.start).at(range);
                            of_meter.events().in_key_order().erase()
                        }
                        Some(some) => scan.site(sites).meter(some).at(range).events().erase(),
                        None if sites.len() == 1 => scan.site(sites).at(range).events().erase(),
                        None => scan.at(range).events().erase(),
                    }
                }

                fn buckets() -> Query<SiteHour, Erased<ByKey>, SiteHour> {
                    SiteHour::scan().events().erase()
                }

                fn of_site(one: &SiteHour) -> PlainWindow {
                    let start = one.start.as_seconds();
                    let mean = one.mean.value().unwrap();
                    (start, one.site.clone(), one.readings, one.watts, one.first, one.last, one.greatest, mean)
                }

                fn of_all(one: &Hour) -> PlainWindow {
                    let start = one.start.as_seconds();
                    let mean = one.mean.value().unwrap();
                    (start, String::new(), one.readings, one.watts, one.first, one.last, one.greatest, mean)
                }

                fn of_meter(one: &MeterHour) -> PlainWindow {
                    let start = one.start.as_seconds();
                    let mean = one.mean.value().unwrap();
                    (start, format!("{} {}", one.site, one.meter), one.readings, one.watts, one.first, one.last, one.greatest, mean)
                }
            }
        }
    };
}

readings!(
    rows,
    "FEWER_SITE",
    "FEWER_SITE_DAY",
    "FEWER_ALL",
    "FEWER_METER",
    [table = "FEWER"],
    []
);
readings!(
    cells,
    "FEWER_CELLS_SITE",
    "FEWER_CELLS_SITE_DAY",
    "FEWER_CELLS_ALL",
    "FEWER_CELLS_METER",
    [
        table = "FEWER_CELLS",
        layout = "cells",
        salt(shards = 3, of(meter))
    ],
    [bucket = "day"]
);

async fn stored<K: Kind>(db: &dyn Backend) -> Plain {
    let all = Ask {
        sites: SITES.to_vec(),
        meters: None,
        from: -86_400,
        to: 10 * 86_400,
    };
    let all = db.fetch(&K::asked(&all)).await.unwrap();
    all.iter().map(K::plain).collect()
}

async fn write<K: Kind>(db: &dyn Backend, known: &Plain, rng: &mut Rng) {
    let mut drawn = || {
        let site = SITES[rng.usize(0..2)].to_owned();
        ((second(rng), site, rng.u32(0..4)), rng.i64(-9..100))
    };
    let (key, watts) = drawn();
    let many: Vec<K> = (0..8)
        .map(|_| drawn())
        .map(|(key, watts)| K::of(&key, watts))
        .collect();
    let some: Vec<_> = known.keys().cloned().collect();
    let one = match some.is_empty() {
        true => key.clone(),
        false => some[rng.usize(0..some.len())].clone(),
    };
    match rng.u8(0..8) {
        0..2 => drop(db.insert(&K::of(&key, watts)).await),
        2 => drop(db.insert_many(&many).await),
        3 => drop(db.insert(&K::of(&one, watts)).await),
        4 => drop(db.insert_if_absent(&K::of(&key, watts)).await),
        5 => drop(db.delete::<K>(&K::of(&one, 0).key()).await),
        6 => drop(db.delete_all(&K::asked(&Ask::draw(rng))).await),
        _ => {
            let by_site = RollupJob::<K::BySite>::new().settle(Duration::ZERO);
            let _ = by_site.run(db).await;
            let of_all = RollupJob::<K::OfAll>::new().settle(Duration::ZERO);
            let _ = of_all.run(db).await;
            let by_meter = RollupJob::<K::ByMeter>::new().settle(Duration::ZERO);
            let _ = by_meter.run(db).await;
        }
    }
}

/// Windows of random readings agree with them.
async fn check_windows<K: Kind>(db: &dyn Backend, rng: &mut Rng) {
    let readings = stored::<K>(db).await;
    let ask = Ask::draw(rng);
    let asked = ask.of(&readings);
    for length in [3_600, 86_400, 5_400] {
        let every = every(Duration::from_secs(length));
        let query = K::asked(&ask);
        let of_sites = query.resolution::<K::BySite>(every.clone());
        let found = db.fetch(&of_sites).await.unwrap();
        let found: Vec<_> = found.iter().map(K::of_site).collect();
        let expected = windows(&asked, length as i64, BY_SITE);
        assert_eq!(found, expected, "{ask:?} {}", of_sites.explain().unwrap());
        let of_all = query.resolution::<K::OfAll>(every.clone());
        let found = db.fetch(&of_all).await.unwrap();
        let found: Vec<_> = found.iter().map(K::of_all).collect();
        let expected = windows(&asked, length as i64, OF_ALL);
        assert_eq!(found, expected, "{ask:?} {}", of_all.explain().unwrap());
        let by_meter = query.resolution::<K::ByMeter>(every);
        let found = db.fetch(&by_meter).await.unwrap();
        let found: Vec<_> = found.iter().map(K::of_meter).collect();
        let expected = windows(&asked, length as i64, BY_METER);
        assert_eq!(found, expected, "{ask:?} {}", by_meter.explain().unwrap());
    }
}

async fn rounds<K: Kind>() {
    for seed in 0..6 {
        let mut rng = Rng::with_seed(seed);
        let db = MemoryBackend::new();
        db.ensure_tables::<K>().await.unwrap();
        let faulty = FaultyBackend::new(db.handle(), seed, faults()).unwrap();
        for _ in 0..40 {
            let known = stored::<K>(&db).await;
            write::<K>(&faulty, &known, &mut rng).await;
            check_windows::<K>(&db, &mut rng).await;
        }
        let by_site = RollupJob::<K::BySite>::new().settle(Duration::ZERO);
        by_site.run(&db).await.unwrap().into_result().unwrap();
        let buckets = db.fetch(&K::buckets()).await.unwrap();
        let mut buckets: Vec<_> = buckets.iter().map(K::of_site).collect();
        buckets.sort_by(|one, other| (one.0, &one.1).cmp(&(other.0, &other.1)));
        assert_eq!(buckets, windows(&stored::<K>(&db).await, 3_600, BY_SITE));
    }
}

#[tokio::test]
async fn windows_agree_with_the_readings_of_all_series() {
    rounds::<rows::Reading>().await;
    rounds::<cells::Reading>().await;
}

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
        let found = found.iter().map(<rows::Reading as Kind>::of_site);
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
    assert_eq!(<rows::Reading as Kind>::of_site(&hour[0]).2, 4);
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
    // Of a range of meters those of the others stay.
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
    // Nobody knows whose it is.
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
    let hours = hours.iter().map(<rows::Reading as Kind>::of_site);
    assert_eq!(
        hours.map(|one| (one.2, one.3)).collect::<Vec<_>>(),
        [(1, 1); 4]
    );
}
