//! A model of readings in each layout.

use bigtable_model::query::{Page, PageToken};
use bigtable_model::{Backend, BackendExt, Error, Model, Timestamp};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use proptest::prelude::*;

use super::case::{Ask, Case, Event, KeyOrder, Times, Ways, case, slot, time};
use super::{Sample, check};

/// A page of a query in time order or key order.
macro_rules! page {
    ($query:expr, $ask:ident, $size:ident, $token:ident, $db:ident) => {{
        let query = $query.events();
        let query = match $ask.limit {
            Some(limit) => query.limit(limit),
            None => query,
        };
        let query = match $ask.descending {
            true => query.newest_first(),
            false => query,
        };
        match $ask.by_key {
            true => $db.page(&query.in_key_order(), $size, $token).await,
            false => $db.page(&query, $size, $token).await,
        }
    }};
}

/// The same for a query with a single order.
macro_rules! page_by_key {
    ($query:expr, $ask:ident, $size:ident, $token:ident, $db:ident) => {{
        let query = $query.events();
        let query = match $ask.limit {
            Some(limit) => query.limit(limit),
            None => query,
        };
        let query = match $ask.descending {
            true => query.reversed(),
            false => query,
        };
        $db.page(&query, $size, $token).await
    }};
}

/// A test of a model with the given struct and pages.
macro_rules! pages {
    ($name:ident, $ways:expr, $model:item, |$ask:ident, $size:ident, $token:ident, $db:ident| $page:expr) => {
        mod $name {
            use super::*;

            $model

            impl Sample for Reading {
                const WAYS: Ways = $ways;

                fn of(event: &Event) -> Self {
                    Self {
                        site: "north".to_owned(),
                        meter: event.meter.clone(),
                        at: time(event.slot),
                        value: event.value,
                    }
                }

                fn event(&self) -> Event {
                    Event {
                        meter: self.meter.clone(),
                        slot: slot(self.at),
                        value: self.value,
                    }
                }

                fn page<'a>(
                    $ask: &'a Ask,
                    $size: u64,
                    $token: Option<&'a PageToken>,
                    $db: &'a dyn Backend,
                ) -> BoxFuture<'a, Result<Page<Self>, Error>> {
                    async move { Ok($page?) }.boxed()
                }
            }

            proptest! {
                #![proptest_config(ProptestConfig { max_shrink_iters: 4_000, ..ProptestConfig::with_cases(150) })]

                #[test]
                fn pages_hold_what_follows(case in case()) {
                    run::<Reading>(&case)?;
                }
            }
        }
    };
}

fn run<R: Sample>(case: &Case) -> Result<(), TestCaseError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(check::<R>(case))
}

/// A model whose time is the last segment.
macro_rules! time_last {
    ($name:ident, $ways:expr, [$($on_struct:tt)*], [$($on_time:tt)*]) => {
        pages!(
            $name,
            $ways,
            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(family = "M", $($on_struct)*)]
            struct Reading {
                #[bigtable(key)]
                site: String,
                #[bigtable(key)]
                meter: String,
                #[bigtable(time, $($on_time)*)]
                at: Timestamp,
                value: u32,
            },
            |ask, size, token, db| {
                let series = Reading::query().site("north").meter(ask.meters.clone());
                match &ask.times {
                    Times::All => page!(series, ask, size, token, db),
                    Times::Between(start, end) => {
                        page!(series.at((*start, *end)), ask, size, token, db)
                    }
                    Times::In(times) => page!(series.at(times.clone()), ask, size, token, db),
                }
            }
        );
    };
}

/// A model whose bucket precedes the meter.
macro_rules! bucket_first {
    ($name:ident, $ways:expr, [$($on_struct:tt)*], [$($on_time:tt)*]) => {
        pages!(
            $name,
            $ways,
            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(table = "READING", family = "M", $($on_struct)*)]
            struct Reading {
                #[bigtable(key)]
                site: String,
                #[bigtable(time, $($on_time)*)]
                at: Timestamp,
                #[bigtable(key)]
                meter: String,
                value: u32,
            },
            |ask, size, token, db| {
                let site = Reading::query().site("north");
                let meters = ask.meters.clone();
                match &ask.times {
                    Times::All => panic!("the time has two ends"),
                    Times::Between(start, end) => {
                        page!(site.at((*start, *end)).meter(meters), ask, size, token, db)
                    }
                    Times::In(times) => {
                        page!(site.at(times.clone()).meter(meters), ask, size, token, db)
                    }
                }
            }
        );
    };
}

use KeyOrder::{DayMeter, MeterDayReversed, MeterTime, MeterTimeReversed, Salted, TimeMeter};

time_last!(row, Ways::of(MeterTime), [table = "READING"], [unit = "ms"]);
time_last!(
    row_newest_first,
    Ways::of(MeterTimeReversed),
    [table = "READING"],
    [reverse]
);
time_last!(
    row_in_shards,
    Ways::of(Salted),
    [table = "READING", salt(shards = 4, of(meter, at))],
    [unit = "ms"]
);
time_last!(
    row_serialized,
    Ways::of(MeterTime),
    [table = "READING", serialize(json), cell_time = "write"],
    [unit = "s"]
);
time_last!(
    row_of_days,
    Ways::of(MeterTime).by_period(),
    [table = "READING_{at:%Y%m%d}"],
    [unit = "s"]
);
time_last!(
    cells,
    Ways::of(MeterTime),
    [table = "READING", layout = "cells"],
    [bucket = "day"]
);
time_last!(
    cells_newest_first,
    Ways::of(MeterDayReversed),
    [table = "READING", layout = "cells"],
    [bucket = "day", label = "{start}", reverse]
);
time_last!(
    cells_in_shards,
    Ways::of(Salted),
    [
        table = "READING",
        layout = "cells",
        salt(shards = 3, of(at))
    ],
    [bucket = "day"]
);
time_last!(
    columns,
    Ways::of(MeterTime),
    [table = "READING", layout = "columns"],
    [bucket = "day", offset = "%H%M"]
);
time_last!(
    columns_newest_first,
    Ways::of(MeterDayReversed),
    [table = "READING", layout = "columns", cell_time = "write"],
    [bucket = "day", label = "{start}", unit = "s", reverse]
);
time_last!(
    columns_of_days,
    Ways::of(MeterTime).by_period(),
    [table = "READING_{at:%Y%m%d}", layout = "columns"],
    [bucket = "hour", offset = "%M"]
);
time_last!(
    latest,
    Ways::of(MeterTime).newest_only(),
    [table = "READING", layout = "latest"],
    [unit = "ms"]
);
time_last!(
    latest_in_shards,
    Ways::of(Salted).newest_only(),
    [
        table = "READING",
        layout = "latest",
        salt(shards = 4, of(meter))
    ],
    [unit = "ms"]
);
time_last!(
    qualifiers,
    Ways::of(MeterTime).values_tell_apart(),
    [table = "READING", layout = "qualifiers"],
    [bucket = "week"]
);
time_last!(
    qualifiers_in_shards,
    Ways::of(Salted).values_tell_apart(),
    [
        table = "READING",
        layout = "qualifiers",
        salt(shards = 4, of(meter, at))
    ],
    [bucket = "day"]
);
time_last!(
    qualifiers_of_days,
    Ways::of(MeterTime).values_tell_apart().by_period(),
    [table = "READING_{at:%Y%m%d}", layout = "qualifiers"],
    [bucket = "day"]
);
bucket_first!(
    cells_by_day,
    Ways::of(DayMeter),
    [layout = "cells"],
    [bucket = "day", label = "day{n}", origin = "2020-09-13"]
);
bucket_first!(
    qualifiers_by_day,
    Ways::of(DayMeter).values_tell_apart(),
    [layout = "qualifiers"],
    [bucket = "day"]
);
pages!(
    row_by_time,
    Ways::of(TimeMeter),
    #[derive(Debug, Clone, PartialEq, Model)]
    #[bigtable(table = "READING", family = "M")]
    struct Reading {
        #[bigtable(key)]
        site: String,
        #[bigtable(time, unit = "ms")]
        at: Timestamp,
        #[bigtable(key)]
        meter: String,
        value: u32,
    },
    |ask, size, token, db| {
        let site = Reading::scan().site("north");
        let site = site.meter(ask.meters.clone());
        match &ask.times {
            Times::All => page_by_key!(site, ask, size, token, db),
            Times::Between(start, end) => {
                page_by_key!(site.at((*start, *end)), ask, size, token, db)
            }
            Times::In(times) => page_by_key!(site.at(times.clone()), ask, size, token, db),
        }
    }
);
