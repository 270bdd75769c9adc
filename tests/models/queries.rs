//! Queries over several series, in both orders, compared with a filter over all events.

use bigtable_model::query::{AsQuery, starts_with};
use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
use proptest::prelude::*;

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "TICK", family = "T")]
struct Tick {
    #[bigtable(key, width = 2)]
    venue: String,
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    price: f64,
}

/// The same, newest first in the key.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "KCIT", family = "T")]
struct Kcit {
    #[bigtable(key, width = 2)]
    venue: String,
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "s", reverse)]
    at: Timestamp,
    price: f64,
}

fn tick(venue: usize, symbol: usize, second: i64) -> Tick {
    Tick {
        venue: ["N", "Q"][venue].to_owned(),
        symbol: ["A", "AB", "B"][symbol].to_owned(),
        at: Timestamp::from_seconds(second),
        price: 1.0,
    }
}

async fn stored(ticks: &[Tick]) -> MemoryBackend {
    let db = MemoryBackend::new();
    db.ensure_tables::<Tick>().await.unwrap();
    db.ensure_tables::<Kcit>().await.unwrap();
    db.insert_many(ticks).await.into_result().unwrap();
    let reversed: Vec<_> = ticks
        .iter()
        .map(|tick| Kcit {
            venue: tick.venue.clone(),
            symbol: tick.symbol.clone(),
            at: tick.at,
            price: tick.price,
        })
        .collect();
    db.insert_many(&reversed).await.into_result().unwrap();
    db
}

/// A query's `Debug` shows the order of its results.
#[test]
fn debug_tells_the_order() {
    let told = |debug: String| {
        let orders = ["Time", "Key", "Any"].into_iter();
        let mut orders = orders.filter(|order| debug.contains(&format!(" order: {order},")));
        (orders.next(), orders.next())
    };
    macro_rules! tells {
        ($($query:expr;)*) => {$(
            let order = format!("{:?}", $query.as_query().selection().order);
            assert_eq!(told(format!("{:?}", $query)), (Some(order.as_str()), None));
            assert_eq!(told(format!("{:?}", $query.clone())), (Some(order.as_str()), None));
        )*};
    }
    let second = Timestamp::from_seconds(1);
    tells! {
        Tick::query().venue("N");
        Tick::query().venue("N").symbol("A");
        Tick::query().venue(["N", "Q"]).symbol(["A", "B"]);
        Tick::query().venue("N").symbol("A").at(second..);
        Tick::query().venue("N").symbol("A").at(second).events().limit(1);
        Tick::query().venue("N").symbol("A").events().newest_first();
        Tick::query().venue("N").symbol("A"..);
        Tick::query().venue("N").symbol(starts_with("A"));
        Tick::scan();
        Tick::scan().venue("N").symbol("A");
        Tick::query().venue("N").symbol("A").events().in_key_order();
        Tick::query().venue("N").symbol("A").events().unordered();
        Tick::query().venue("N").events().in_key_order().unordered();
        Early::query().at(second);
        Early::query().at(second..).host("a");
        Early::query().at(second..);
        Entity::query().id(7_u32);
        Entity::query().id(7_u32..);
    }
    // Nothing is set yet, so it cannot run.
    assert_eq!(told(format!("{:?}", Tick::query())), (Some("Key"), None));
}

/// Buckets before the identifier.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "EARLY",
    family = "T",
    layout = "cells",
    salt(shards = 4, of(host))
)]
struct Early {
    #[bigtable(time, bucket = "day")]
    at: Timestamp,
    #[bigtable(key)]
    host: String,
    load: f64,
}

/// Without a time.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "ENTITY", family = "T")]
struct Entity {
    #[bigtable(key)]
    id: u32,
    name: String,
}

fn times<T>(events: &[T], time: impl Fn(&T) -> (i64, String)) -> Vec<(i64, String)> {
    events.iter().map(time).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn series_are_merged_by_time_in_both_directions(
        ticks in proptest::collection::vec((0..2_usize, 0..3_usize, 0..20_i64), 0..40),
        start in 0..20_i64,
        length in 0..20_i64,
        limit in 1..10_u32,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let ticks: Vec<_> = ticks.into_iter().map(|(v, s, t)| tick(v, s, t)).collect();
        runtime.block_on(async {
            let db = stored(&ticks).await;
            let range = Timestamp::from_seconds(start)..Timestamp::from_seconds(start + length);
            let mut expected: Vec<_> = ticks
                .iter()
                .filter(|tick| tick.symbol != "B" && tick.venue == "N" && range.contains(&tick.at))
                .map(|tick| (tick.at.as_seconds(), tick.symbol.clone()))
                .collect();
            expected.sort();
            expected.dedup();

            let query = Tick::query().venue("N").symbol(["AB", "A"]).at(range.clone());
            let found = db.fetch(&query).await.unwrap();
            assert_eq!(times(&found, |one| (one.at.as_seconds(), one.symbol.clone())), expected);
            assert_eq!(db.count(&query).await.unwrap(), expected.len() as u64);
            let reversed = Kcit::query().venue("N").symbol(["AB", "A"]).at(range);
            let found = db.fetch(&reversed).await.unwrap();
            let found = times(&found, |one| (one.at.as_seconds(), one.symbol.clone()));
            assert_eq!(found.iter().map(|one| one.0).collect::<Vec<_>>(), expected.iter().map(|one| one.0).collect::<Vec<_>>());

            let newest: Vec<_> = expected.iter().rev().take(limit.try_into().unwrap()).map(|one| one.0).collect();
            let latest = db.fetch(&query.events().newest_first().limit(limit.into())).await.unwrap();
            assert_eq!(latest.iter().map(|one| one.at.as_seconds()).collect::<Vec<_>>(), newest);
            let latest = db.fetch(&reversed.events().newest_first().limit(limit.into())).await.unwrap();
            assert_eq!(latest.iter().map(|one| one.at.as_seconds()).collect::<Vec<_>>(), newest);
        });
    }
}

#[tokio::test]
async fn an_open_identifier_gives_key_order() {
    let ticks = [tick(0, 2, 1), tick(0, 0, 5), tick(0, 1, 3), tick(1, 0, 0)];
    let db = stored(&ticks).await;
    let found = db.fetch(&Tick::query().venue("N")).await.unwrap();
    assert_eq!(found, [tick(0, 0, 5), tick(0, 1, 3), tick(0, 2, 1)]);
    let found = db
        .fetch(&Tick::query().venue("N").symbol(starts_with("A")))
        .await
        .unwrap();
    assert_eq!(found, [tick(0, 0, 5), tick(0, 1, 3)]);
    let found = db
        .fetch(&Tick::query().venue("N").symbol("AB".."C"))
        .await
        .unwrap();
    assert_eq!(found, [tick(0, 1, 3), tick(0, 2, 1)]);
    let found = db
        .fetch(
            &Tick::query()
                .venue("N")
                .symbol("A"..="AB")
                .events()
                .reversed(),
        )
        .await
        .unwrap();
    assert_eq!(found, [tick(0, 1, 3), tick(0, 0, 5)]);
    let found = db.fetch(&Tick::scan().events().limit(2)).await.unwrap();
    assert_eq!(found, [tick(0, 0, 5), tick(0, 1, 3)]);
}

#[tokio::test]
async fn a_time_on_the_edge_belongs_to_the_range_that_it_begins() {
    let db = stored(&[tick(0, 0, 10)]).await;
    let query = |range| Tick::query().venue("N").symbol("A").at(range);
    let second = Timestamp::from_seconds;
    assert_eq!(db.count(&query(second(9)..second(10))).await.unwrap(), 0);
    assert_eq!(db.count(&query(second(10)..second(11))).await.unwrap(), 1);
    // A bound between two seconds is rounded up: there is no event between them.
    let half = Timestamp::from_millis(10_500);
    assert_eq!(db.count(&query(second(10)..half)).await.unwrap(), 1);
    assert_eq!(db.count(&query(half..second(20))).await.unwrap(), 0);
    assert_eq!(
        db.count(&query(Timestamp::MIN..Timestamp::MAX))
            .await
            .unwrap(),
        1
    );
}

#[test]
fn explain_shows_ranges_in_decoded_form() {
    let query = Tick::query()
        .venue("N")
        .symbol(["A", "B"])
        .at(Timestamp::from_seconds(0)..Timestamp::from_seconds(60));
    let text = query.events().explain().to_string();
    assert!(text.contains("2 scans"), "{text}");
    assert!(text.contains("1970-01-01T00:01:00Z"), "{text}");
    let text = Tick::scan().events().explain().to_string();
    assert!(text.contains("full table scan"), "{text}");
    let text = Tick::query()
        .venue("too wide")
        .events()
        .explain()
        .to_string();
    assert!(text.contains("venue"), "{text}");
}

#[test]
fn sets_with_too_many_combinations_are_refused() {
    let many: Vec<_> = (0..2_000).map(|n| format!("{n}")).collect();
    let venues: Vec<_> = (0..60).map(|n| format!("{n}")).collect();
    let query = Tick::query()
        .venue(venues)
        .symbol(many)
        .events()
        .max_scans(1_000_000);
    let error = query.plan().unwrap_err();
    let text = std::error::Error::source(&error).unwrap().to_string();
    assert!(text.contains("120000 combinations"), "{text}");
}
