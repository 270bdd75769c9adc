//! Roll-ups whose key leaves out identifiers: a bucket belongs to many series.

mod cases;

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use bigtable_model::backend::faults::FaultyBackend;
use bigtable_model::model::Editable;
use bigtable_model::query::{ByKey, Erased, Query};
use bigtable_model::rollup::{Mean, Rollup, RollupJob, every};
use bigtable_model::{
    Backend, BackendExt as _, Error, MemoryBackend, Model, QueryError, Timestamp,
};
use fastrand::Rng;

use super::random::faults;
use super::streamed;

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

trait Bucket {
    fn plain(&self) -> PlainWindow;
}

trait Kind: Editable + Clone {
    type BySite: Rollup<Source = Self> + Bucket;
    type OfAll: Rollup<Source = Self> + Bucket;
    type ByMeter: Rollup<Source = Self> + Bucket;
    fn of(key: &(i64, String, u32), watts: i64) -> Self;
    fn plain(&self) -> ((i64, String, u32), i64);
    fn asked(ask: &Ask) -> Query<Self, Erased<ByKey>, Self>;
    fn buckets() -> Query<Self::BySite, Erased<ByKey>, Self::BySite>;
}

/// An hour of readings, with these identifiers.
macro_rules! hour {
    ($name:ident, [$($model:tt)*], [$($levels:tt)*], [$($field:ident: $type:ident),*]) => {
        #[derive(Debug, Clone, PartialEq, Model, Rollup)]
        #[bigtable(family = "R", $($model)*)]
        #[rollup(of = Reading, every = "1h", $($levels)*)]
        pub(super) struct $name {
            $(#[bigtable(key)] $field: $type,)*
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

        impl Bucket for $name {
            fn plain(&self) -> PlainWindow {
                let names: Vec<String> = vec![$(self.$field.to_string()),*];
                let (start, mean) = (self.start.as_seconds(), self.mean.value().unwrap());
                let Self { readings, watts, first, last, greatest, .. } = *self;
                (start, names.join(" "), readings, watts, first, last, greatest, mean)
            }
        }
    };
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

            hour!(SiteHour, [table = $by_site], [longer(every = "1d", table = $days)], [site: String]);
            hour!(Hour, [table = $of_all, allow(time_first)], [], []);
            hour!(MeterHour, [table = $by_meter], [], [site: String, meter: u32]);

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
        check_of::<K, K::BySite>(db, &ask, &windows(&asked, length, BY_SITE), length).await;
        check_of::<K, K::OfAll>(db, &ask, &windows(&asked, length, OF_ALL), length).await;
        check_of::<K, K::ByMeter>(db, &ask, &windows(&asked, length, BY_METER), length).await;
    }
}

async fn check_of<K: Kind, R: Rollup<Source = K> + Bucket>(
    db: &dyn Backend,
    ask: &Ask,
    expected: &[PlainWindow],
    length: i64,
) {
    let length = every(Duration::from_secs(length.unsigned_abs()));
    let windows = K::asked(ask).resolution::<R>(length);
    let found = db.fetch(&windows).await.unwrap();
    let found: Vec<_> = found.iter().map(Bucket::plain).collect();
    assert_eq!(found, expected, "{ask:?} {}", windows.explain().unwrap());
    // Streams need order of time, so the site and the meter.
    let is_one = ask.meters.as_ref().is_some_and(|some| some.len() == 1);
    match streamed(db, &windows).await {
        Ok(windows) => {
            let windows: Vec<_> = windows.iter().map(Bucket::plain).collect();
            assert_eq!(windows, expected, "{ask:?}");
            assert!(is_one);
        }
        Err(Error::Query { source, .. }) => {
            assert!(matches!(source, QueryError::NoTimeOrder { .. }));
            assert!(!is_one);
        }
        Err(error) => panic!("{error:?}"),
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
        let mut buckets: Vec<_> = buckets.iter().map(Bucket::plain).collect();
        buckets.sort_by(|one, other| (one.0, &one.1).cmp(&(other.0, &other.1)));
        assert_eq!(buckets, windows(&stored::<K>(&db).await, 3_600, BY_SITE));
    }
}

#[tokio::test]
async fn windows_agree_with_the_readings_of_all_series() {
    rounds::<rows::Reading>().await;
    rounds::<cells::Reading>().await;
}
