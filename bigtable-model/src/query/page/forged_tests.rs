//! Forged tokens with a valid checksum: their page holds some events of the query, or is an error.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    dead_code,
    reason = "a test may panic, and uses little of what is generated"
)]

use proptest::prelude::*;

use super::PageToken;
use super::spans::Spans;
use super::token::Progress;
use crate::query::{AsQuery, Place, Selection};
use crate::{BackendExt, MemoryBackend, Model, Timestamp};

macro_rules! readings {
    ($name:ident, [$($on_struct:tt)*], [$($on_time:tt)*]) => {
        #[derive(Debug, Clone, PartialEq, bigtable_derive::Model)]
        #[bigtable(crate = crate, family = "M", $($on_struct)*)]
        struct $name {
            #[bigtable(key)]
            meter: String,
            #[bigtable(time, $($on_time)*)]
            at: Timestamp,
            value: u32,
        }
    };
}

readings!(Row, [table = "ROW"], [unit = "s"]);
readings!(Reversed, [table = "REVERSED"], [reverse]);
readings!(Binary, [table = "BINARY"], [binary]);
readings!(OfDays, [table = "DAY_{at:%Y%m%d}"], [unit = "s"]);
readings!(Cells, [table = "CELLS", layout = "cells"], [bucket = "day"]);
readings!(
    Columns,
    [table = "COLUMNS", layout = "columns"],
    [bucket = "15m", label = "{start}", reverse]
);
readings!(
    Qualifiers,
    [table = "QUALIFIERS", layout = "qualifiers"],
    [bucket = "week", label = "week{n}", origin = "2020-09-07"]
);
readings!(Latest, [table = "LATEST", layout = "latest"], [unit = "s"]);

/// A former layout and three current ones: events are in both, in one of them, or deleted from the
/// current one.
macro_rules! versions {
    ($name:ident, $former:ident, $table:literal, [$($on_struct:tt)*], [$($on_time:tt)*]) => {
        readings!($name, [table = $table, was($former), $($on_struct)*], [$($on_time)*]);

        impl From<$former> for $name {
            fn from($former { meter, at, value }: $former) -> Self {
                Self { meter, at, value }
            }
        }
    };
}

readings!(Was, [table = "WAS"], [unit = "s"]);
readings!(WasOfDays, [table = "WAS_{at:%Y%m%d}"], [unit = "s"]);
versions!(NowRow, Was, "NOW_ROW", [], [unit = "ms"]);
versions!(NowReversed, Was, "NOW_REVERSED", [], [reverse]);
versions!(NowOfDays, Was, "NOW_{at:%Y%m%d}", [], [unit = "s"]);
versions!(
    NowCells,
    WasOfDays,
    "NOW_CELLS",
    [layout = "cells"],
    [bucket = "day"]
);

/// The times of the events.
const SECONDS: [i64; 5] = [
    1_600_000_000,
    1_600_000_900,
    1_600_001_800,
    1_600_090_000,
    1_600_176_400,
];

/// Times near the events, and any others.
fn time() -> impl Strategy<Value = Timestamp> {
    let event = prop::sample::select(SECONDS.to_vec());
    let beside = (event, -1..=1_i64).prop_map(|(second, by)| Timestamp::from_seconds(second + by));
    let near = (1_600_000_000_i64..1_600_200_000).prop_map(Timestamp::from_seconds);
    prop_oneof![3 => beside, 1 => near, 1 => any::<i64>().prop_map(Timestamp::from_micros)]
}

fn place() -> impl Strategy<Value = Place> {
    let second = prop::sample::select(SECONDS.to_vec());
    let key = prop_oneof![
        second.prop_map(|second| format!("a#{second}").into_bytes()),
        Just(b"a#20200913".to_vec()),
        Just(b"a#20200914".to_vec()),
        Just(b"a".to_vec()),
        any::<Vec<u8>>(),
    ];
    let qualifier = prop::option::of(any::<Vec<u8>>());
    (prop::option::of(time()), key, qualifier).prop_map(|(time, key, qualifier)| Place {
        time,
        key,
        qualifier,
    })
}

type Forged = (Place, u64, Option<Spans>);

fn token<M: Model>(
    db: &MemoryBackend,
    selection: &Selection,
    (place, delivered, spans): Forged,
) -> PageToken {
    PageToken::from(Progress {
        query: PageToken::query(selection),
        layout: PageToken::layout(db, M::SCHEMA),
        place,
        delivered,
        spans,
        range: None,
    })
}

/// Whether all of `some` are among `all`, in the same order.
fn are_among<M: PartialEq>(some: &[M], all: &[M]) -> bool {
    let mut all = all.iter();
    some.iter().all(|one| all.any(|other| other == one))
}

macro_rules! pages_of {
    ($db:ident, $forged:ident, $model:ident, $query:expr) => {{
        let query = $query;
        let all = $db.fetch(&query).await.unwrap();
        let forged = token::<$model>(&$db, &query.as_query().selection(), $forged.clone());
        if let Ok(page) = $db.page(&query, 5, Some(&forged)).await {
            assert!(
                are_among(&page.events, &all),
                "{:?} of {all:?}",
                page.events
            );
        }
    }};
}

macro_rules! pages {
    ($db:ident, $forged:ident, $($model:ident)*) => {$({
        let at = Timestamp::from_seconds;
        let (start, end) = (at(SECONDS[1]), at(SECONDS[3]));
        let meter = || $model::query().meter("a");
        pages_of!($db, $forged, $model, meter());
        pages_of!($db, $forged, $model, meter().events().newest_first());
        pages_of!($db, $forged, $model, meter().at(start..end));
        pages_of!($db, $forged, $model, meter().at(start..end).events().newest_first());
        pages_of!($db, $forged, $model, meter().at(start..));
        pages_of!($db, $forged, $model, meter().at(start..).events().newest_first());
        pages_of!($db, $forged, $model, meter().at(..=start));
        pages_of!($db, $forged, $model, meter().at(..end).events().newest_first());
        pages_of!($db, $forged, $model, meter().at([start, end]));
        pages_of!($db, $forged, $model, meter().at([start, end]).events().newest_first());
    })*};
}

macro_rules! pages_by_key {
    ($db:ident, $forged:ident, $($model:ident)*) => {$({
        let at = Timestamp::from_seconds;
        let by_key = $model::query().meter("a");
        pages_of!($db, $forged, $model, by_key.events().in_key_order());
        let by_key = by_key.at(at(SECONDS[1])..at(SECONDS[3]));
        pages_of!($db, $forged, $model, by_key.events().in_key_order());
    })*};
}

macro_rules! insert {
    ($db:ident, $seconds:expr, $value:literal, $($model:ident)*) => {$(
        for second in $seconds {
            let event = $model {
                meter: "a".to_owned(),
                at: Timestamp::from_seconds(second),
                value: $value,
            };
            $db.insert(&event).await.unwrap();
        }
    )*};
}

macro_rules! delete {
    ($db:ident, $second:expr, $($model:ident $key:ident)*) => {$(
        let at = Timestamp::from_seconds($second);
        let key = $key { meter: "a".to_owned(), at };
        $db.delete::<$model>(&key).await.unwrap();
    )*};
}

async fn stored() -> MemoryBackend {
    let db = MemoryBackend::new();
    db.ensure_tables::<Row>().await.unwrap();
    db.ensure_tables::<Reversed>().await.unwrap();
    db.ensure_tables::<Binary>().await.unwrap();
    let times = Timestamp::from_seconds(SECONDS[0])..Timestamp::from_seconds(SECONDS[4] + 1);
    db.ensure_periods::<OfDays>(times.clone()).await.unwrap();
    db.ensure_periods::<WasOfDays>(times.clone()).await.unwrap();
    db.ensure_periods::<NowOfDays>(times).await.unwrap();
    db.ensure_tables::<Cells>().await.unwrap();
    db.ensure_tables::<Columns>().await.unwrap();
    db.ensure_tables::<Qualifiers>().await.unwrap();
    db.ensure_tables::<Latest>().await.unwrap();
    db.ensure_tables::<Was>().await.unwrap();
    db.ensure_tables::<NowRow>().await.unwrap();
    db.ensure_tables::<NowReversed>().await.unwrap();
    db.ensure_tables::<NowCells>().await.unwrap();
    insert!(db, SECONDS, 7, Row Reversed Binary OfDays Cells Columns Qualifiers Latest);
    insert!(db, SECONDS, 7, Was WasOfDays);
    insert!(db, [SECONDS[1], SECONDS[3]], 8, NowRow NowReversed NowOfDays NowCells);
    delete!(db, SECONDS[2], NowRow NowRowKey NowReversed NowReversedKey);
    delete!(db, SECONDS[2], NowOfDays NowOfDaysKey NowCells NowCellsKey);
    db
}

async fn check(db: MemoryBackend, forged: Forged) {
    pages!(db, forged, Row Reversed Binary OfDays Cells Columns Qualifiers);
    pages!(db, forged, NowRow NowReversed NowOfDays NowCells);
    pages_by_key!(db, forged, Row Reversed Binary OfDays Cells Columns Qualifiers);
    pages_by_key!(db, forged, NowRow NowOfDays NowCells);
    let latest = || Latest::query().meter("a");
    pages_of!(db, forged, Latest, latest());
    pages_of!(db, forged, Latest, latest().events().in_key_order());
    let at = Timestamp::from_seconds;
    pages_of!(
        db,
        forged,
        Latest,
        latest().at(at(SECONDS[1])..at(SECONDS[3]))
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Nor do such pages return anything that the query would not return without a token.
    #[test]
    fn pages_of_forged_tokens_do_not_panic(
        place in place(),
        delivered in any::<u64>(),
        spans in prop::option::of(Spans::any()),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.unwrap().block_on(async { check(stored().await, (place, delivered, spans)).await });
    }
}
