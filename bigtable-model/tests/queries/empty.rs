//! Queries with empty sets or ranges return nothing.

use std::ops::Bound::Unbounded;

use bigtable_model::model::Editable;
use bigtable_model::query::{AsQuery, ByTime, Erased, FixedOrder, Query, starts_with};
use futures::TryStreamExt as _;

use super::*;

/// Every terminal of a query with some order returns nothing.
async fn nothing<M: Editable, O: FixedOrder>(db: &MemoryBackend, query: Query<M, Erased<O>>) {
    let asked = query.explain().to_string();
    let fetched = db.fetch(&query).await;
    let fetched = fetched.unwrap_or_else(|error| panic!("fetch: {error:?}, {asked}"));
    assert_eq!(fetched.len(), 0);
    let streamed: Vec<_> = db.stream(&query).try_collect().await.unwrap();
    assert!(streamed.is_empty(), "{asked}");
    let count = db.count(&query).await;
    let count = count.unwrap_or_else(|error| panic!("count: {error:?}, {asked}"));
    assert_eq!(count, 0);
    let page = db.page(&query, 3, None).await;
    let page = page.unwrap_or_else(|error| panic!("page: {error:?}, {asked}"));
    assert!(page.events.is_empty() && page.next.is_none(), "{asked}");
    let series = db.series(&query).await;
    let series = series.unwrap_or_else(|error| panic!("series: {error:?}, {asked}"));
    assert_eq!(series.len(), 0);
    let each = db.latest_each(&query, 2).await;
    let each = each.unwrap_or_else(|error| panic!("each: {error:?}, {asked}"));
    assert_eq!(each.len(), 0);
    let deleted = db.delete_all(&query).await.into_result();
    let deleted = deleted.unwrap_or_else(|error| panic!("delete: {error:?}, {asked}"));
    assert_eq!(deleted, 0);
    let unordered = db.fetch(&query.clone().unordered()).await;
    let unordered = unordered.unwrap_or_else(|error| panic!("any: {error:?}, {asked}"));
    assert_eq!(unordered.len(), 0);
    let plan = db.plan(&query).await.unwrap();
    assert!(plan.scans.is_empty(), "{asked}");
}

/// The same for a query in time order.
async fn nothing_by_time<M: Editable>(db: &MemoryBackend, query: Query<M, Erased<ByTime>>) {
    let newest = query.clone().newest_first();
    let latest = db.fetch(&newest.clone().limit(3)).await;
    let latest = latest.unwrap_or_else(|error| panic!("latest: {error:?}"));
    assert_eq!(latest.len(), 0);
    nothing(db, newest).await;
    nothing(db, query.clone().in_key_order().erase()).await;
    nothing(db, query).await;
}

// A state less: the functions are compiled once for each model and order.
macro_rules! nothing {
    ($db:ident, $query:expr) => {
        nothing(&$db, $query.as_query().clone().erase()).await
    };
}

macro_rules! nothing_by_time {
    ($db:ident, $query:expr) => {
        nothing_by_time(&$db, $query.as_query().clone().erase()).await
    };
}

const DAY: i64 = 1_600_000_000 / 86_400 * 86_400;

fn at(hour: i64) -> Timestamp {
    Timestamp::from_seconds(DAY + hour * 3_600)
}

const NONE: [&str; 0] = [];
const NEVER: [Timestamp; 0] = [];

/// Models whose time is the last segment.
macro_rules! time_last {
    ($name:ident, [$($on_struct:tt)*], [$($on_time:tt)*]) => {
        mod $name {
            use super::*;

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
            }

            #[tokio::test]
            async fn empty_queries_give_nothing() {
                let db = MemoryBackend::new();
                db.ensure_tables::<Reading>().await.unwrap();
                let site = || Reading::query().site("north");
                nothing_by_time!(db, Reading::query().site(NONE).meter("a"));
                nothing_by_time!(db, Reading::query().site(NONE).meter(NONE).at(NEVER));
                nothing_by_time!(db, Reading::query().site(NONE).meter("a").at(..at(5)));
                nothing_by_time!(db, site().meter(NONE));
                nothing_by_time!(db, site().meter(NONE).at(at(1)));
                nothing_by_time!(db, site().meter(NONE).at(at(1)..));
                nothing_by_time!(db, site().meter(NONE).at(at(1)..at(9)));
                nothing_by_time!(db, site().meter("a").at(NEVER));
                nothing_by_time!(db, site().meter("a").at(at(9)..at(9)));
                nothing_by_time!(db, site().meter("a").at(at(9)..at(1)));
                nothing!(db, Reading::query().site(NONE));
                nothing!(db, Reading::query().site(NONE).meter(starts_with("a")));
                nothing!(db, Reading::query().site(NONE).meter("b".."a"));
                nothing!(db, Reading::query().site("b".."a"));
                nothing!(db, site().meter("b".."a"));
                let scan = || Reading::scan();
                nothing!(db, scan().site(NONE));
                nothing!(db, scan().meter(NONE));
                nothing!(db, scan().meter(NONE).at(at(1)..));
                nothing!(db, scan().at(NEVER));
                nothing!(db, scan().at(at(2)..at(1)));
                nothing!(db, scan().meter("b".."a").at(at(1)..at(2)));
            }
        }
    };
}

/// Models whose time precedes an identifier, as buckets that can be listed.
macro_rules! bucket_first {
    ($name:ident, [$($on_struct:tt)*], [$($on_time:tt)*]) => {
        mod $name {
            use super::*;

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(family = "M", $($on_struct)*)]
            struct Reading {
                #[bigtable(key)]
                site: String,
                #[bigtable(time, $($on_time)*)]
                at: Timestamp,
                #[bigtable(key)]
                meter: String,
                value: u32,
            }

            #[tokio::test]
            async fn empty_queries_give_nothing() {
                let db = MemoryBackend::new();
                db.ensure_tables::<Reading>().await.unwrap();
                let site = || Reading::query().site("north");
                nothing_by_time!(db, Reading::query().site(NONE).at(at(1)..at(99)).meter("a"));
                nothing_by_time!(db, Reading::query().site(NONE).at(at(1)..).meter("a"));
                nothing_by_time!(db, Reading::query().site(NONE).at((Unbounded::<Timestamp>, Unbounded)).meter(["a", "b"]));
                nothing_by_time!(db, site().at(NEVER).meter("a"));
                nothing_by_time!(db, site().at(at(9)..at(9)).meter("a"));
                nothing_by_time!(db, site().at(at(9)..at(99)).meter(NONE));
                nothing_by_time!(db, site().at(at(9)..).meter(NONE));
                nothing_by_time!(db, site().at(..at(9)).meter(NONE));
                nothing_by_time!(db, site().at(at(9)).meter(NONE));
                nothing!(db, Reading::query().site(NONE));
                nothing!(db, Reading::query().site(NONE).at(at(9)..));
                nothing!(db, Reading::query().site(NONE).at(at(9)..).meter("b".."c"));
                nothing!(db, site().at(at(9)..).meter("b".."a"));
                nothing!(db, site().at(NEVER).meter("b".."c"));
                nothing!(db, site().at(NEVER));
                let scan = || Reading::scan();
                nothing!(db, scan().site(NONE));
                nothing!(db, scan().meter(NONE));
                nothing!(db, scan().at(at(1)..).meter(NONE));
                nothing!(db, scan().at(NEVER));
                nothing!(db, scan().at(at(2)..at(1)));
            }
        }
    };
}

time_last!(row, [table = "READING"], [unit = "s"]);
time_last!(row_reversed, [table = "READING"], [unit = "s", reverse]);
time_last!(
    row_in_shards,
    [table = "READING", salt(shards = 200, of(meter, at))],
    [unit = "s"]
);
time_last!(
    row_of_hours,
    [table = "READING_{at:%Y%m%d%H}"],
    [unit = "s"]
);
time_last!(
    cells,
    [table = "READING", layout = "cells"],
    [bucket = "day"]
);
time_last!(
    cells_of_days,
    [table = "READING_{at:%Y%m%d}", layout = "cells"],
    [bucket = "hour"]
);
time_last!(
    cells_counted,
    [table = "READING", layout = "cells"],
    [bucket = "day", label = "day{n}", origin = "2020-09-01"]
);
time_last!(
    columns,
    [
        table = "READING",
        layout = "columns",
        salt(shards = 3, of(at))
    ],
    [bucket = "day", offset = "%H%M"]
);
time_last!(
    qualifiers,
    [table = "READING", layout = "qualifiers"],
    [bucket = "week"]
);
time_last!(
    latest,
    [table = "READING", layout = "latest"],
    [unit = "ms"]
);
time_last!(
    endless,
    [table = "READING", layout = "cells", allow(endless_rows)],
    [bucket = "none"]
);
bucket_first!(
    cells_by_day,
    [table = "READING", layout = "cells"],
    [bucket = "day"]
);
bucket_first!(
    cells_by_counted_day,
    [table = "READING", layout = "cells"],
    [bucket = "day", label = "day{n}", origin = "2020-09-01"]
);
bucket_first!(
    columns_by_hour_of_days,
    [table = "READING_{at:%Y%m%d}", layout = "columns"],
    [bucket = "hour", offset = "%M"]
);
bucket_first!(
    cells_by_minute_in_shards,
    [
        table = "READING",
        layout = "cells",
        salt(shards = 200, of(meter, at))
    ],
    [bucket = "minute"]
);

/// A model whose time is not a bucket and precedes an identifier.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "READING", family = "M")]
struct TimeFirst {
    #[bigtable(key)]
    site: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    #[bigtable(key)]
    meter: String,
    value: u32,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "METER", family = "M")]
struct Meter {
    #[bigtable(key)]
    site: String,
    #[bigtable(key)]
    meter: u32,
    value: u32,
}

#[tokio::test]
async fn empty_queries_by_time_give_nothing() {
    let db = MemoryBackend::new();
    db.ensure_tables::<TimeFirst>().await.unwrap();
    let site = || TimeFirst::query().site("north");
    nothing!(db, TimeFirst::query().site(NONE));
    nothing!(db, TimeFirst::query().site(NONE).at(at(1)..));
    nothing!(db, site().at(at(2)..at(1)));
    nothing_by_time!(db, site().at(NEVER).meter("a"));
    nothing_by_time!(db, site().at(at(1)).meter(NONE));
    nothing_by_time!(
        db,
        TimeFirst::query().site(NONE).at([at(1), at(2)]).meter("a")
    );
    nothing!(db, TimeFirst::scan().at(at(1)..).meter(NONE));
    nothing!(db, TimeFirst::scan().at(at(2)..at(1)).meter("a"));
    nothing!(db, TimeFirst::scan().site(NONE).meter("a"));
}

#[tokio::test]
async fn empty_queries_of_entities_give_nothing() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Meter>().await.unwrap();
    nothing!(db, Meter::query().site(NONE));
    nothing!(db, Meter::query().site(NONE).meter(1_u32..5));
    nothing!(db, Meter::query().site("north").meter(Vec::<u32>::new()));
    nothing!(db, Meter::query().site("north").meter(5_u32..5));
    nothing!(db, Meter::scan().meter(Vec::<u32>::new()));
}
