//! The server's part of a condition, and how plans explain it.

use std::sync::atomic::Ordering;

use bigtable_model::query::ByServer;
use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
use proptest::prelude::*;
use uuid::Uuid;

use super::{backends, second};
use crate::watched::Watched;

/// A row for each event.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    bid: u32,
    size: Option<u32>,
}

/// The same events, many in a row.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "TICK", family = "MD", layout = "cells")]
struct Tick {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "hour")]
    at: Timestamp,
    bid: u32,
    size: Option<u32>,
}

/// The newest event of a series.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "NEWEST", family = "MD", layout = "latest")]
struct Newest {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    bid: u32,
}

fn tick(at: i64) -> Tick {
    let number = u32::try_from(at).unwrap();
    Tick {
        symbol: "ZXZZT".to_owned(),
        at: second(at),
        bid: number,
        size: (at % 2 == 0).then_some(number),
    }
}

fn quote(at: i64) -> Quote {
    let Tick {
        symbol,
        at,
        bid,
        size,
    } = tick(at);
    Quote {
        symbol,
        at,
        bid,
        size,
    }
}

/// The line of an explanation that describes the condition.
fn line(explained: &str) -> &str {
    let mut lines = explained.lines();
    lines.find(|line| line.starts_with("condition: ")).unwrap()
}

#[test]
fn an_explanation_says_who_compares() {
    let bid = Quote::FIELDS.bid.equals(7_u32);
    let query = Quote::query().symbol("ZXZZT").events().matching(bid);
    let explained = query.explain().to_string();
    assert_eq!(
        line(&explained),
        r#"condition: MD:bid = "\x00\x00\x00\x00\x00\x00\x00\x07"; the server sends no other events, the client looks again"#
    );
    assert!(
        explained.contains("filter: where a row has ("),
        "{explained}"
    );
    // Both conditions must hold.
    let both = query.clone().matching(Quote::FIELDS.size.is_present());
    let explained = both.explain().to_string();
    assert!(
        line(&explained).contains(r#"\x07" and MD:size is present; the server"#),
        "{explained}"
    );

    let tick = |condition| {
        Tick::query()
            .symbol("ZXZZT")
            .events()
            .matching(condition)
            .explain()
            .to_string()
    };
    let bid = Tick::FIELDS
        .bid
        .within(..7)
        .and(Tick::FIELDS.size.is_absent());
    assert_eq!(
        line(&tick(bid)),
        r#"condition: MD:bid from the first to before "\x00\x00\x00\x00\x00\x00\x00\x07" and MD:size is absent; the server sends no other values of MD:bid, the client leaves out the other events"#
    );
    assert_eq!(
        line(&tick(Tick::FIELDS.size.is_absent())),
        "condition: MD:size is absent; the server sends all events, the client leaves out the others"
    );
    let newest = Newest::query()
        .symbol("ZXZZT")
        .events()
        .matching(Newest::FIELDS.bid.within(7..));
    let explained = newest.explain().to_string();
    assert!(
        line(&explained)
            .ends_with("; the server sends all events, the client leaves out the others"),
        "{explained}"
    );
}

#[test]
fn a_condition_that_no_filter_holds_is_the_clients() {
    let bids = Quote::FIELDS.bid.one_of(0..1_000_u32);
    let plan = Quote::query()
        .symbol("ZXZZT")
        .events()
        .matching(bids)
        .plan()
        .unwrap();
    assert_eq!(plan.condition.unwrap().by_server, ByServer::Nothing);
    let few = Quote::FIELDS.bid.one_of(0..10_u32);
    let plan = Quote::query()
        .symbol("ZXZZT")
        .events()
        .matching(few)
        .plan()
        .unwrap();
    assert_eq!(plan.condition.unwrap().by_server, ByServer::Events);
}

#[tokio::test]
async fn a_condition_that_no_filter_holds_is_answered() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Quote>().await.unwrap();
    let all: Vec<_> = (0..30).map(quote).collect();
    db.insert_many(&all).await.into_result().unwrap();
    let bids = Quote::FIELDS.bid.one_of(20..2_000_u32);
    let query = Quote::query().symbol("ZXZZT").events().matching(bids);
    assert_eq!(db.fetch(&query).await.unwrap(), all[20..]);
    assert_eq!(
        db.fetch(&query.clone().limit(3)).await.unwrap(),
        all[20..23]
    );
}

#[tokio::test]
async fn rows_of_other_events_are_not_sent() {
    let inner = MemoryBackend::new();
    inner.ensure_tables::<Quote>().await.unwrap();
    let all: Vec<_> = (0..100).map(quote).collect();
    inner.insert_many(&all).await.into_result().unwrap();
    let db = Watched::new(inner);
    let high = Quote::FIELDS.bid.within(90..);
    let query = Quote::query().symbol("ZXZZT").events().matching(high);
    assert_eq!(db.fetch(&query).await.unwrap(), all[90..]);
    assert_eq!(db.rows.swap(0, Ordering::Relaxed), 10);
    assert_eq!(
        db.fetch(&query.clone().limit(2)).await.unwrap(),
        all[90..92]
    );
    assert_eq!(db.rows.swap(0, Ordering::Relaxed), 2);
    assert_eq!(
        db.fetch(&query.clone().newest_first().limit(1))
            .await
            .unwrap(),
        all[99..]
    );
    assert_eq!(db.rows.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn rows_without_such_values_are_not_sent() {
    let inner = MemoryBackend::new();
    inner.ensure_tables::<Tick>().await.unwrap();
    // Ten rows with ten events each.
    let all: Vec<_> = (0..100)
        .map(|at| Tick {
            at: second(at * 360),
            ..tick(at)
        })
        .collect();
    inner.insert_many(&all).await.into_result().unwrap();
    let db = Watched::new(inner);
    let bids = Tick::query()
        .symbol("ZXZZT")
        .events()
        .matching(Tick::FIELDS.bid.within(95..));
    assert_eq!(db.count(&bids).await.unwrap(), 5);
    let rows = db.rows.load(Ordering::Relaxed);
    assert!((1..=2).contains(&rows), "{rows} rows");
}

#[tokio::test]
async fn pages_are_of_one_condition() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Tick>().await.unwrap();
    let all: Vec<_> = (0..10).map(tick).collect();
    db.insert_many(&all).await.into_result().unwrap();
    let of = |range| {
        let condition = Tick::FIELDS.bid.within(range);
        Tick::query().symbol("ZXZZT").events().matching(condition)
    };
    let first = db.page(&of(3..9), 4, None).await.unwrap();
    assert_eq!(first.events, all[3..7]);
    let token = first.next.unwrap();
    let second = db.page(&of(3..9), 4, Some(&token)).await.unwrap();
    assert_eq!(second.events, all[7..9]);
    assert_eq!(second.next, None);
    assert!(db.page(&of(3..8), 4, Some(&token)).await.is_err());
}

#[tokio::test]
async fn series_are_those_with_such_events() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Tick>().await.unwrap();
    let of = |symbol: &str, at| Tick {
        symbol: symbol.to_owned(),
        ..tick(at)
    };
    let all = [of("A", 1), of("A", 5), of("B", 2), of("C", 8), of("C", 3)];
    db.insert_many(&all).await.into_result().unwrap();
    let high = || Tick::scan().events().matching(Tick::FIELDS.bid.within(3..));
    let series = db.series(&high()).await.unwrap();
    assert_eq!(series, ["A", "C"]);
    let newest = db
        .latest_each(&high().clone().matching(Tick::FIELDS.bid.within(..6)), 1)
        .await
        .unwrap();
    let each = |symbol: &str, at| (symbol.to_owned(), vec![of(symbol, at)]);
    assert_eq!(newest, [each("A", 5), each("C", 3)]);
}

/// In layout `latest` an older event does not replace a newest one that does not match.
#[tokio::test]
async fn the_newest_event_is_the_one_that_is_compared() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Newest>().await.unwrap();
    let of = |symbol: &str, at, bid| Newest {
        symbol: symbol.to_owned(),
        at: second(at),
        bid,
    };
    let all = [of("A", 1, 7), of("A", 2, 8), of("B", 2, 7), of("B", 1, 8)];
    db.insert_many(&all).await.into_result().unwrap();
    let query = Newest::scan()
        .events()
        .matching(Newest::FIELDS.bid.equals(7_u32));
    assert_eq!(db.fetch(&query).await.unwrap(), [of("B", 2, 7)]);
}

/// Every type that supports ranges.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "RANGES", family = "R")]
struct Ranges {
    #[bigtable(key)]
    id: u32,
    a: u8,
    b: u16,
    c: u32,
    d: Option<u64>,
    e: bool,
    f: char,
    g: String,
    h: Vec<u8>,
    i: Uuid,
}

fn ranges() -> impl Strategy<Value = Ranges> {
    (
        any::<(u8, u16, u32, bool, char)>(),
        prop::option::of(0..=i64::MAX.unsigned_abs()),
        "[a-c\u{e4}\u{10000}]{0,3}",
        prop::collection::vec(prop::sample::select(vec![0, 1, 127, 128, 255]), 0..3),
        any::<u128>(),
    )
        .prop_map(|((a, b, c, e, f), d, g, h, i)| Ranges {
            id: 0,
            a,
            b,
            c,
            d,
            e,
            f,
            g,
            h,
            i: Uuid::from_u128(i),
        })
}

/// The meaning of a condition.
type Holds<'a> = Box<dyn Fn(&Ranges) -> bool + 'a>;

proptest! {
    /// Stored bytes sort like the values.
    #[test]
    fn ranges_hold_what_they_hold_of_values(all in prop::collection::vec(ranges(), 1..12), low in ranges(), high in ranges()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let fields = Ranges::FIELDS;
        let texts = low.g.as_str()..=high.g.as_str();
        let lists = low.h.as_slice()..high.h.as_slice();
        let numbers = low.d.unwrap_or(7)..high.d.unwrap_or(u64::MAX / 2);
        let conditions: Vec<(_, Holds<'_>)> = vec![
            (fields.a.within(low.a..=high.a), Box::new(|one| (low.a..=high.a).contains(&one.a))),
            (fields.b.within(low.b..high.b), Box::new(|one| (low.b..high.b).contains(&one.b))),
            (fields.c.within(low.c..), Box::new(|one| (low.c..).contains(&one.c))),
            (fields.d.within(numbers.clone()), Box::new(|one| one.d.is_some_and(|d| numbers.contains(&d)))),
            (fields.e.within(..high.e), Box::new(|one| (..high.e).contains(&one.e))),
            (fields.f.within(low.f..=high.f), Box::new(|one| (low.f..=high.f).contains(&one.f))),
            (fields.g.within(texts.clone()), Box::new(|one| texts.contains(&one.g.as_str()))),
            (fields.h.within(lists.clone()), Box::new(|one| lists.contains(&one.h.as_slice()))),
            (fields.i.within(low.i..=high.i), Box::new(|one| (low.i..=high.i).contains(&one.i))),
        ];
        let all: Vec<_> = (0..).zip(all).map(|(id, one)| Ranges { id, ..one }).collect();
        let found = runtime.block_on(async {
            let db = MemoryBackend::new();
            db.ensure_tables::<Ranges>().await.unwrap();
            db.insert_many(&all).await.into_result().unwrap();
            let mut found = Vec::new();
            for (condition, _) in &conditions {
                let query = Ranges::scan().events().matching(condition.clone());
                found.push(db.fetch(&query).await.unwrap());
            }
            found
        });
        for ((condition, holds), found) in conditions.iter().zip(found) {
            let expected: Vec<_> = all.iter().filter(|one| holds(one)).cloned().collect();
            prop_assert_eq!(found, expected, "{}", condition);
        }
    }
}

/// A marker whose name begins like a column's qualifiers.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "MARKED", family = "M", layout = "columns", marker = "A:B")]
struct Marked {
    #[bigtable(key)]
    id: u32,
    #[bigtable(time, bucket = "hour", unit = "s")]
    at: Timestamp,
    #[bigtable(column = "A")]
    a: Option<u32>,
    #[bigtable(column = "C")]
    c: Option<u32>,
}

#[tokio::test]
async fn a_marker_among_a_columns_cells_stays() {
    for db in backends("marked").await {
        db.ensure_tables::<Marked>().await.unwrap();
        let [one, other] = [Some(1), Some(2)].map(|a| Marked {
            id: 7,
            at: second(i64::from(a.unwrap_or_default())),
            a,
            c: Some(1),
        });
        db.insert(&one).await.unwrap();
        db.insert(&other).await.unwrap();
        let found = Marked::query()
            .id(7)
            .events()
            .matching(Marked::FIELDS.a.equals(1_u32));
        assert_eq!(db.fetch(&found).await.unwrap(), [one]);
        assert_eq!(db.delete_all(&found).await.into_result().unwrap(), 1);
        let left = db.fetch(&Marked::query().id(7)).await.unwrap();
        assert_eq!(left, [other]);
    }
}
