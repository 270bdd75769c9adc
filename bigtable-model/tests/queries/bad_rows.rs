//! Rows and events that do not belong to the model, in every kind of query.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use bigtable_model::data::{Mutation, RowMutations};
use bigtable_model::query::{BadRows, PageToken};
use bigtable_model::{Backend, BackendExt, Error, MemoryBackend, Model, Timestamp};
use futures::StreamExt as _;

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    bid: u32,
}

/// A day of a meter in a row.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "READING", family = "MD", layout = "cells")]
struct Reading {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time, bucket = "day")]
    at: Timestamp,
    bid: u32,
}

fn second(second: i64) -> Timestamp {
    Timestamp::from_seconds(1_600_000_000 + second)
}

async fn put(db: &MemoryBackend, table: &str, key: &str, time: Timestamp, value: &'static [u8]) {
    let mutations = vec![Mutation::SetCell {
        family: "MD".into(),
        qualifier: "bid".into(),
        timestamp_micros: time.as_micros(),
        value: value.into(),
    }];
    let key = key.to_owned().into();
    let row = RowMutations { key, mutations };
    db.mutate_row(table, row).await.unwrap();
}

/// Ten quotes each of A and B; A has two more rows whose keys have no time, and one without a
/// number.
async fn quotes() -> MemoryBackend {
    let db = MemoryBackend::new();
    db.ensure_tables::<Quote>().await.unwrap();
    for bid in 0..10 {
        for symbol in ["A", "B"] {
            let symbol = symbol.to_owned();
            let at = second(i64::from(bid));
            db.insert(&Quote { symbol, at, bid }).await.unwrap();
        }
    }
    for key in ["A#1600000003x", "A#16"] {
        put(&db, "QUOTE", key, second(0), &[0; 8]).await;
    }
    put(&db, "QUOTE", "A#1600000005", second(5), b"five").await;
    db
}

fn bids(quotes: &[Quote]) -> Vec<u32> {
    quotes.iter().map(|quote| quote.bid).collect()
}

const GOOD: [u32; 9] = [0, 1, 2, 3, 4, 6, 7, 8, 9];

#[tokio::test]
async fn each_is_an_error_and_the_others_go_on() {
    let db = quotes().await;
    let all = Quote::query().symbol("A");
    let events: Vec<_> = db.stream(&all).collect().await;
    let (good, bad): (Vec<_>, Vec<_>) = events.into_iter().partition(Result::is_ok);
    let good: Vec<Quote> = good.into_iter().map(Result::unwrap).collect();
    assert_eq!(bids(&good), GOOD);
    assert_eq!(bad.len(), 3);
    // A limit counts events.
    let first: Vec<_> = db.stream(&all.events().limit(6)).collect().await;
    let good = first.iter().flatten().cloned().collect::<Vec<_>>();
    assert_eq!(bids(&good), GOOD[..6]);
}

#[tokio::test]
async fn count_judges_keys_as_fetch_does_in_every_shape() {
    let db = quotes().await;
    let bad = BadRows::skip();
    for (found, counted) in [
        (
            db.fetch(&Quote::query().symbol("A")).await.map(drop),
            db.count(&Quote::query().symbol("A")).await,
        ),
        (
            db.fetch(&Quote::query().symbol(["A", "B"])).await.map(drop),
            db.count(&Quote::query().symbol(["A", "B"])).await,
        ),
        (
            db.fetch(&Quote::scan()).await.map(drop),
            db.count(&Quote::scan()).await,
        ),
    ] {
        assert!(matches!(found, Err(Error::ForeignKey { .. })), "{found:?}");
        assert!(
            matches!(counted, Err(Error::ForeignKey { .. })),
            "{counted:?}"
        );
    }
    // Values are not read.
    let all = Quote::scan();
    assert_eq!(db.count(&all.events().on_bad_row(&bad)).await.unwrap(), 20);
    assert_eq!(bad.count(), 2);
}

#[tokio::test]
async fn skipped_ones_are_told_and_take_up_no_limit() {
    let db = quotes().await;
    let told = Arc::new(Mutex::new(Vec::new()));
    let note = Arc::clone(&told);
    let bad = BadRows::call(move |error| note.lock().unwrap().push(error.to_string()));
    let of_both = Quote::query().symbol(["A", "B"]);
    let found = db.fetch(&of_both.events().on_bad_row(&bad)).await.unwrap();
    assert_eq!(found.len(), 19);
    assert!(found.is_sorted_by_key(|quote| quote.at));
    assert_eq!((bad.count(), bad.listed().len()), (3, 3));
    let told = told.lock().unwrap().join("\n");
    for words in ["A#16\"", "A#1600000003x", "12:26:45Z", "bid"] {
        assert!(told.contains(words), "{told}");
    }
    let few = of_both.events().limit(15).on_bad_row(BadRows::skip());
    assert_eq!(db.fetch(&few).await.unwrap(), found[..15]);
    // Clones and other forms of the query skip too.
    let newest = Quote::query()
        .symbol("A")
        .events()
        .on_bad_row(BadRows::skip());
    let newest = db
        .fetch(&newest.clone().erase().newest_first().limit(6))
        .await
        .unwrap();
    assert_eq!(bids(&newest), [9, 8, 7, 6, 4, 3]);
    let each = Quote::scan().events().on_bad_row(BadRows::skip());
    let each = db.latest_each(&each, 5).await.unwrap();
    let each: Vec<_> = each.iter().map(|(_, newest)| bids(newest)).collect();
    assert_eq!(each, [[9, 8, 7, 6, 4], [9, 8, 7, 6, 5]]);
    let all = Quote::scan().events().on_bad_row(BadRows::skip());
    assert_eq!(db.fetch(&all.clone().unordered()).await.unwrap().len(), 19);
    let mut parts = 0;
    for part in db.partitions(&all, 3).await.unwrap() {
        parts += db.fetch(&part).await.unwrap().len();
    }
    assert_eq!(parts, 19);
    let series = Quote::scan().events().on_bad_row(BadRows::skip());
    assert_eq!(db.series(&series).await.unwrap().len(), 2);
}

#[tokio::test]
async fn deletes_fail_always() {
    let db = quotes().await;
    let of_a = Quote::query()
        .symbol("A")
        .events()
        .on_bad_row(BadRows::skip());
    let outcome = db.delete_all(&of_a).await;
    assert!(outcome.into_result().is_err());
}

/// A bad row in front, in the middle and at the end of pages of every size: good events come once.
#[tokio::test]
async fn pages_go_on_after_a_bad_row() {
    let db = quotes().await;
    let all = Quote::scan();
    let symbols = db
        .fetch(&all.events().on_bad_row(BadRows::skip()))
        .await
        .unwrap();
    for size in 1..=21 {
        let mut token: Option<PageToken> = None;
        let (mut found, mut bad) = (Vec::new(), 0);
        loop {
            let given = token.map(|token| token.to_string().parse::<PageToken>().unwrap());
            let next = match db.page(&all, size, given.as_ref()).await {
                Ok(page) => {
                    assert!(!page.events.is_empty());
                    found.extend(page.events);
                    page.next
                }
                Err(page) => {
                    bad += 1;
                    page.next
                }
            };
            match next {
                Some(next) => token = Some(next),
                None => break,
            }
        }
        assert_eq!((&found, bad), (&symbols, 3), "pages of {size}");
    }
}

/// Rows of many events: a key without a day, and an event without a number among others.
#[tokio::test]
async fn rows_of_many_events_are_judged_one_by_one() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Reading>().await.unwrap();
    let day = 86_400;
    for bid in 0..12 {
        let reading = Reading {
            meter: "m".into(),
            at: second(i64::from(bid % 4) + i64::from(bid / 4) * day),
            bid,
        };
        db.insert(&reading).await.unwrap();
    }
    put(&db, "READING", "m#20200914x", second(0), &[0; 8]).await;
    put(&db, "READING", "m#20200914", second(day + 2), b"six").await;
    let numbers = |found: &[Reading]| found.iter().map(|one| one.bid).collect::<Vec<_>>();
    let good = [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11];
    let all = Reading::scan();
    let of_one = Reading::query().meter("m").events();
    for (ascending, in_order) in [(true, of_one.clone()), (false, of_one.newest_first())] {
        let bad = BadRows::skip();
        let found = db.fetch(&in_order.on_bad_row(&bad)).await.unwrap();
        let found: BTreeSet<_> = numbers(&found).into_iter().collect();
        assert_eq!(found, BTreeSet::from(good), "{ascending}");
        assert_eq!(bad.count(), 2);
    }
    // The newest cells of a row do not belong to its newest good events.
    let of_day = || Reading::query().meter("m").at(second(day)..second(2 * day));
    let newest = db
        .fetch(
            &of_day()
                .events()
                .on_bad_row(BadRows::skip())
                .newest_first()
                .limit(2),
        )
        .await;
    assert_eq!(numbers(&newest.unwrap()), [7, 5]);
    for size in 1..=13 {
        let mut token: Option<PageToken> = None;
        let (mut found, mut bad) = (Vec::new(), 0);
        loop {
            let page = db.page(&all, size, token.as_ref()).await;
            let (events, next) = match page {
                Ok(page) => (page.events, page.next),
                Err(page) => {
                    bad += 1;
                    (Vec::new(), page.next)
                }
            };
            found.extend(events);
            match next {
                Some(next) => token = Some(next),
                None => break,
            }
        }
        assert_eq!(
            (numbers(&found), bad),
            (good.to_vec(), 2),
            "pages of {size}"
        );
    }
}
