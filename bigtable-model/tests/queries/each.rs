//! The newest events of each series, with the time at every position in the key, compared with all
//! events.

use std::collections::BTreeMap;
use std::ops::Bound;

use bigtable_model::Backend;
use bigtable_model::data::TableSchema;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use proptest::prelude::*;

use super::*;

const DAY: i64 = 1_600_000_000 / 86_400 * 86_400;

/// Site, meter, slot and value.
type Event = (String, String, i64, u32);

type Newest = Vec<((String, String), Vec<(i64, u32)>)>;

/// The series, and the newest events of each.
type Found = (Vec<(String, String)>, Newest);

/// Times six hours apart.
fn at(slot: i64) -> Timestamp {
    Timestamp::from_seconds(DAY + slot * 21_600)
}

fn slot(time: Timestamp) -> i64 {
    (time.as_seconds() - DAY) / 21_600
}

/// A query: of one site, or a full scan for some meters.
#[derive(Debug, Clone)]
struct Ask {
    scan: bool,
    meters: Vec<String>,
    times: (Bound<i64>, Bound<i64>),
    n: u64,
    limit: Option<u64>,
}

impl Ask {
    fn times(&self) -> (Bound<Timestamp>, Bound<Timestamp>) {
        (self.times.0.map(at), self.times.1.map(at))
    }

    fn selects(&self, (site, meter, slot, _): &Event) -> bool {
        let in_scope = match self.scan {
            true => self.meters.contains(meter),
            false => site == "north",
        };
        in_scope && std::ops::RangeBounds::contains(&self.times, slot)
    }
}

fn ask() -> impl Strategy<Value = Ask> {
    let meters = prop::sample::subsequence(vec!["a", "b", "bc"], 0..=3);
    let bound = || {
        prop_oneof![
            2 => Just(Bound::Unbounded),
            1 => (0..16_i64).prop_map(Bound::Included),
            1 => (0..16_i64).prop_map(Bound::Excluded),
        ]
    };
    let limit = prop::option::weighted(0.2, 0..5_u64);
    (any::<bool>(), meters, (bound(), bound()), 0..5_u64, limit).prop_map(
        |(scan, meters, times, n, limit)| Ask {
            scan,
            meters: meters.into_iter().map(str::to_owned).collect(),
            times,
            n,
            limit,
        },
    )
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let site = prop::sample::select(vec!["north", "south"]);
    let meter = prop::sample::select(vec!["a", "b", "bc"]);
    let event = (site, meter, 0..16_i64, 0..4_u32);
    let event = event
        .prop_map(|(site, meter, slot, value)| (site.to_owned(), meter.to_owned(), slot, value));
    prop::collection::vec(event, 0..60)
}

trait Sample: Model<Series = (String, String)> {
    /// Whether events at one time are distinguished by value.
    const VALUES_TELL_APART: bool = false;
    const NEWEST_ONLY: bool = false;

    fn of(event: &Event) -> Self;

    fn each<'a>(ask: &'a Ask, db: &'a dyn Backend) -> BoxFuture<'a, Result<Found, Error>>;
}

async fn stored<R: Sample>(events: &[Event]) -> MemoryBackend {
    let db = MemoryBackend::new();
    let slots = if R::SCHEMA.table.by_period().is_some() {
        16
    } else {
        1
    };
    for slot in 0..slots {
        let families = R::SCHEMA.families().into_iter();
        let schema = TableSchema {
            table: R::SCHEMA.table_of(Some(at(slot))).unwrap().into_owned(),
            families: families
                .map(|family| (family.to_owned(), R::SCHEMA.family_schema(family)))
                .collect(),
            ..TableSchema::default()
        };
        let _ = db.tables().create(schema, Vec::new()).await;
    }
    for event in events {
        db.insert(&R::of(event)).await.unwrap();
    }
    db
}

fn expected<R: Sample>(events: &[Event], ask: &Ask) -> BTreeMap<(String, String), Vec<(i64, u32)>> {
    let mut stored: BTreeMap<_, u32> = BTreeMap::new();
    for (site, meter, slot, value) in events {
        let apart = R::VALUES_TELL_APART.then_some(*value);
        stored.insert((site.clone(), meter.clone(), *slot, apart), *value);
    }
    let mut series: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for ((site, meter, slot, _), value) in stored {
        series.entry((site, meter)).or_default().push((slot, value));
    }
    for events in series.values_mut() {
        events.reverse();
        events.truncate(if R::NEWEST_ONLY { 1 } else { usize::MAX });
    }
    for ((site, meter), events) in &mut series {
        let is_asked =
            |(slot, value): &(i64, u32)| ask.selects(&(site.clone(), meter.clone(), *slot, *value));
        events.retain(is_asked);
    }
    series.retain(|_, events| !events.is_empty());
    for events in series.values_mut() {
        events.truncate(usize::try_from(ask.n).unwrap());
    }
    series
}

async fn check<R: Sample>(events: &[Event], ask: &Ask) -> Result<(), TestCaseError> {
    let db = stored::<R>(events).await;
    let (series, each) = R::each(ask, &db).await.unwrap();
    let expected = expected::<R>(events, ask);
    let limit = usize::try_from(ask.limit.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
    prop_assert_eq!(each.len(), expected.len().min(limit));
    let names: Vec<_> = each.iter().map(|(name, _)| name.clone()).collect();
    prop_assert_eq!(names, series);
    for (name, events) in each {
        prop_assert_eq!(Some(&events), expected.get(&name), "{:?}", name);
    }
    Ok(())
}

/// The series of a query, and the newest events of each.
macro_rules! found {
    ($ask:ident, $db:ident, $query:expr) => {{
        let query = $query.events();
        let query = match $ask.limit {
            Some(limit) => query.limit(limit),
            None => query,
        };
        (
            $db.series(&query).await?,
            $db.latest_each(&query, $ask.n).await?,
        )
    }};
}

/// A model with its fields in the given order, and its query for the times of a site.
macro_rules! each {
    (
        $name:ident,
        [$($on_struct:tt)*],
        {$($field:ident: [$($attribute:tt)*] $type:ty),* $(,)?},
        |$times:ident| $of_site:expr
        $(, values_tell_apart = $apart:expr)?
        $(, newest_only = $newest:expr)?
    ) => {
        mod $name {
            use super::*;

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(family = "M", $($on_struct)*)]
            struct Reading {
                $(#[bigtable($($attribute)*)] $field: $type,)*
                value: u32,
            }

            impl Sample for Reading {
                $(const VALUES_TELL_APART: bool = $apart;)?
                $(const NEWEST_ONLY: bool = $newest;)?

                fn of((site, meter, slot, value): &Event) -> Self {
                    Self {
                        site: site.clone(),
                        meter: meter.clone(),
                        at: at(*slot),
                        value: *value,
                    }
                }

                fn each<'a>(
                    ask: &'a Ask,
                    db: &'a dyn Backend,
                ) -> BoxFuture<'a, Result<Found, Error>> {
                    async move {
                        let (series, each) = match ask.scan {
                            true => {
                                let scan = Reading::scan().meter(ask.meters.clone());
                                found!(ask, db, scan.at(ask.times()))
                            }
                            false => {
                                let $times = ask.times();
                                found!(ask, db, $of_site)
                            }
                        };
                        let each = each.into_iter().map(|(name, events)| {
                            let shown = |one: Reading| (slot(one.at), one.value);
                            (name, events.into_iter().map(shown).collect())
                        });
                        Ok((series, each.collect()))
                    }
                    .boxed()
                }
            }

            proptest! {
                #![proptest_config(ProptestConfig::with_cases(150))]

                #[test]
                fn they_are_found_wherever_series_are(events in events(), ask in ask()) {
                    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                    runtime.unwrap().block_on(check::<Reading>(&events, &ask))?;
                }
            }
        }
    };
}

each!(
    time_last,
    [table = "READING"],
    {site: [key] String, meter: [key] String, at: [time] Timestamp},
    |times| Reading::scan().site("north").at(times)
);
each!(
    time_last_in_shards,
    [table = "READING", salt(shards = 5, of(meter, at))],
    {site: [key] String, meter: [key] String, at: [time] Timestamp},
    |times| Reading::scan().site("north").at(times)
);
each!(
    time_before_the_meter,
    [table = "READING"],
    {site: [key] String, at: [time] Timestamp, meter: [key] String},
    |times| Reading::query().site("north").at(times)
);
each!(
    time_before_the_meter_reversed,
    [table = "READING"],
    {site: [key] String, at: [time, reverse] Timestamp, meter: [key] String},
    |times| Reading::query().site("north").at(times)
);
each!(
    time_before_the_meter_in_shards,
    [table = "READING", salt(shards = 5, of(site, at))],
    {site: [key] String, at: [time, unit = "s"] Timestamp, meter: [key] String},
    |times| Reading::query().site("north").at(times)
);
each!(
    time_before_the_meter_of_days,
    [table = "READING_{at:%Y%m%d}"],
    {site: [key] String, at: [time, unit = "s"] Timestamp, meter: [key] String},
    |times| Reading::query().site("north").at(times)
);
each!(
    time_first,
    [table = "READING", allow(time_first)],
    {at: [time, unit = "s"] Timestamp, site: [key] String, meter: [key] String},
    |times| Reading::scan().at(times).site("north")
);
each!(
    cells,
    [table = "READING", layout = "cells"],
    {site: [key] String, at: [time, bucket = "day"] Timestamp, meter: [key] String},
    |times| Reading::query().site("north").at(times)
);
each!(
    cells_reversed,
    [table = "READING", layout = "cells"],
    {
        site: [key] String,
        at: [time, bucket = "day", label = "{start}", reverse] Timestamp,
        meter: [key] String
    },
    |times| Reading::query().site("north").at(times)
);
each!(
    cells_by_counted_day,
    [table = "READING", layout = "cells"],
    {
        site: [key] String,
        at: [time, bucket = "day", label = "day{n}", origin = "2020-09-13"] Timestamp,
        meter: [key] String
    },
    |times| Reading::query().site("north").at(times)
);
each!(
    columns_of_days,
    [table = "READING_{at:%Y%m%d}", layout = "columns", salt(shards = 3, of(at))],
    {
        site: [key] String,
        at: [time, bucket = "day", offset = "%H%M"] Timestamp,
        meter: [key] String
    },
    |times| Reading::query().site("north").at(times)
);
each!(
    qualifiers,
    [table = "READING", layout = "qualifiers"],
    {site: [key] String, at: [time, bucket = "day"] Timestamp, meter: [key] String},
    |times| Reading::query().site("north").at(times),
    values_tell_apart = true
);
each!(
    qualifiers_reversed,
    [table = "READING", layout = "qualifiers"],
    {
        site: [key] String,
        at: [time, bucket = "day", label = "{start}", reverse] Timestamp,
        meter: [key] String
    },
    |times| Reading::query().site("north").at(times),
    values_tell_apart = true
);
each!(
    latest,
    [table = "READING", layout = "latest"],
    {site: [key] String, at: [time] Timestamp, meter: [key] String},
    |times| Reading::query().site("north").at(times),
    newest_only = true
);
