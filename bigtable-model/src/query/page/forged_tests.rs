//! Tokens with a right checksum that no page has given: a page of them is some events or an error.
#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "a test may panic, and uses little of what is generated"
)]

use proptest::prelude::*;

use super::PageToken;
use super::spans::Spans;
use super::token::Progress;
use crate::query::{Place, Selection};
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

/// Near the events, and anywhere.
fn time() -> impl Strategy<Value = Timestamp> {
    let near = (1_600_000_000_i64..1_600_200_000).prop_map(Timestamp::from_seconds);
    prop_oneof![near, any::<i64>().prop_map(Timestamp::from_micros)]
}

fn place() -> impl Strategy<Value = Place> {
    let key = prop_oneof![
        Just(b"a#1600000000".to_vec()),
        Just(b"a#20200913".to_vec()),
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

fn token<M: Model>(
    selection: &Selection,
    (place, delivered, spans): (Place, u64, Option<Spans>),
) -> PageToken {
    PageToken::from(Progress {
        query: PageToken::query(selection),
        layout: PageToken::layout(M::SCHEMA),
        place,
        delivered,
        spans,
        range: None,
    })
}

macro_rules! pages {
    ($db:ident, $forged:ident, $model:ident) => {{
        let at = Timestamp::from_seconds;
        let day = at(1_600_000_000)..at(1_600_086_400);
        for second in [1_600_000_000, 1_600_000_900] {
            let meter = "a".to_owned();
            let event = $model {
                meter,
                at: at(second),
                value: 7,
            };
            $db.insert(&event).await.unwrap();
        }
        let meter = || $model::query().meter("a");
        for query in [meter(), meter().newest_first()] {
            let forged = token::<$model>(&query.selection(), $forged.clone());
            drop(query.page(5, Some(&forged), &$db).await);
            let by_key = query.in_key_order();
            let forged = token::<$model>(&by_key.selection(), $forged.clone());
            drop(by_key.page(5, Some(&forged), &$db).await);
        }
        let of_day = meter().at(day);
        let forged = token::<$model>(&of_day.selection(), $forged.clone());
        drop(of_day.page(5, Some(&forged), &$db).await);
    }};
}

async fn check(forged: (Place, u64, Option<Spans>)) {
    let db = MemoryBackend::new();
    db.ensure_table::<Row>().await.unwrap();
    db.ensure_table::<Reversed>().await.unwrap();
    db.ensure_table::<Binary>().await.unwrap();
    let at = Timestamp::from_seconds(1_600_000_000);
    db.ensure_periods::<OfDays>(at..Timestamp::from_seconds(1_600_000_901))
        .await
        .unwrap();
    db.ensure_table::<Cells>().await.unwrap();
    db.ensure_table::<Columns>().await.unwrap();
    db.ensure_table::<Qualifiers>().await.unwrap();
    db.ensure_table::<Latest>().await.unwrap();
    pages!(db, forged, Row);
    pages!(db, forged, Reversed);
    pages!(db, forged, Binary);
    pages!(db, forged, OfDays);
    pages!(db, forged, Cells);
    pages!(db, forged, Columns);
    pages!(db, forged, Qualifiers);
    pages!(db, forged, Latest);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn pages_of_forged_tokens_do_not_panic(
        place in place(),
        delivered in any::<u64>(),
        spans in prop::option::of(Spans::any()),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.unwrap().block_on(check((place, delivered, spans)));
    }
}
