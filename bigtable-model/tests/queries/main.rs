//! Results of typed queries other than streams: pages, series, the newest of each series.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::indexing_slicing,
    unreachable_pub,
    reason = "a test may panic"
)]

mod bad_rows;
mod buckets;
mod each;
mod empty;
mod foreign_cells;
mod pages;
mod periods;
mod unsorted;

use bigtable_model::query::{ByKey, EventStream, Order, PageToken, Unordered};
use bigtable_model::{BackendExt, Error, MemoryBackend, Model, Projection, QueryError, Timestamp};

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    exchange: String,
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    bid: u64,
}

#[derive(Debug, PartialEq, Projection)]
#[bigtable(model = Quote)]
struct Bid {
    symbol: String,
    bid: u64,
}

/// Twenty quotes of each of three symbols, at the same times.
async fn market() -> MemoryBackend {
    let db = MemoryBackend::new();
    db.ensure_table::<Quote>().await.unwrap();
    for bid in 0..20 {
        for symbol in ["A", "AA", "B"] {
            let quote = Quote {
                exchange: "NYSE".into(),
                symbol: symbol.into(),
                at: Timestamp::from_millis(bid),
                bid: bid as u64,
            };
            db.insert(&quote).await.unwrap();
        }
    }
    db
}

fn refusal(error: impl Into<Error>) -> QueryError {
    match error.into() {
        Error::Query { source, .. } => source,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn pages_together_are_all_results() {
    let db = market().await;
    let symbols = || Quote::query().exchange("NYSE").symbol(["A", "AA", "B"]);
    for query in [symbols(), symbols().newest_first(), symbols().limit(31)] {
        let all = query.fetch(&db).await.unwrap();
        for size in [1, 7, 60, 100] {
            let mut found = Vec::new();
            let mut token: Option<String> = None;
            loop {
                let given: Option<PageToken> = token.map(|token| token.parse().unwrap());
                let page = query.page(size, given.as_ref(), &db).await.unwrap();
                assert!(!page.events.is_empty(), "no page but the first is empty");
                found.extend(page.events);
                match page.next {
                    Some(next) => token = Some(next.to_string()),
                    None => break,
                }
            }
            assert_eq!(found, all);
        }
        let by_key = query.in_key_order();
        let first = by_key.page(5, None, &db).await.unwrap();
        let second = by_key.page(100, first.next.as_ref(), &db).await.unwrap();
        let both = [first.events, second.events].concat();
        assert_eq!(both, by_key.fetch(&db).await.unwrap());
    }
}

#[tokio::test]
async fn events_between_two_pages_stand_where_they_belong() {
    let db = market().await;
    let query = Quote::query().exchange("NYSE").symbol("A");
    let first = query.page(5, None, &db).await.unwrap();
    let quote = |millis: i64| Quote {
        exchange: "NYSE".into(),
        symbol: "A".into(),
        at: Timestamp::from_millis(millis),
        bid: 100,
    };
    // One before the end of the page, one after all.
    for millis in [2, 50] {
        db.insert(&quote(millis)).await.unwrap();
    }
    let rest = query.page(100, first.next.as_ref(), &db).await.unwrap();
    assert_eq!(rest.events.len(), 16);
    assert_eq!(rest.events.last(), Some(&quote(50)));
    assert_eq!(rest.next, None);
}

#[tokio::test]
async fn a_token_goes_with_its_query_alone() {
    let db = market().await;
    let query = Quote::query().exchange("NYSE").symbol("A");
    let token = query.page(5, None, &db).await.unwrap().next.unwrap();
    let page = query.clone().max_scans(1).page(5, Some(&token), &db).await;
    assert_eq!(
        page.unwrap().events.len(),
        5,
        "what runs at once does not matter"
    );
    let other = Quote::query().exchange("NYSE").symbol("B");
    for refused in [
        other.page(5, Some(&token), &db).await,
        query
            .clone()
            .newest_first()
            .page(5, Some(&token), &db)
            .await,
        query.in_key_order().page(5, Some(&token), &db).await,
    ] {
        let reason = "it is of another query";
        assert_eq!(
            refusal(refused.unwrap_err()),
            QueryError::PageToken { reason }
        );
    }
    let empty = query.page(0, None, &db).await.unwrap_err();
    assert_eq!(refusal(empty), QueryError::EmptyPage);
    #[cfg(feature = "json")]
    {
        let json = serde_json::to_string(&token).unwrap();
        assert_eq!(json, format!("\"{token}\""));
        assert_eq!(serde_json::from_str::<PageToken>(&json).unwrap(), token);
    }
    assert!("nonsense".parse::<PageToken>().is_err());
}

#[test]
fn a_token_of_another_version_is_refused() {
    let text = "A4xWsGvB6YW5j_uL9sk8-9cAAAAAAAAABQEAAAAAAAAPoAAATllTRSNBIzAwMDAwMDAwMDAwMDTr49ho";
    let refused = text.parse::<PageToken>().unwrap_err();
    let reason = "another version of this library wrote it; ask for the first page again";
    assert_eq!(refused, QueryError::PageToken { reason });
}

/// Queries and layouts are identified by hashes that must not change between runs and versions.
#[tokio::test]
async fn a_token_of_yesterday_is_one_today() {
    let db = market().await;
    let query = Quote::query().exchange("NYSE").symbol("A");
    let token = query.page(5, None, &db).await.unwrap().next.unwrap();
    assert_eq!(
        token.to_string(),
        "AYxWsGvB6YW5j_uL9sk8-9cAAAAAAAAABQEAAAAAAAAPoAAATllTRSNBIzAwMDAwMDAwMDAwMDRhaLwD"
    );
}

#[tokio::test]
async fn series_and_the_newest_of_each() {
    let db = market().await;
    let nyse = Quote::query().exchange("NYSE");
    let name = |symbol: &str| ("NYSE".to_owned(), symbol.to_owned());
    let names = ["A", "AA", "B"].map(name);
    assert_eq!(nyse.series(&db).await.unwrap(), names);
    assert_eq!(nyse.clone().limit(2).series(&db).await.unwrap(), names[..2]);
    assert_eq!(Quote::query().scan().series(&db).await.unwrap(), names);
    let newest = nyse.select::<Bid>().latest_each(2, &db).await.unwrap();
    let bids = |symbol: &str| {
        [19, 18].map(|bid| Bid {
            symbol: symbol.to_owned(),
            bid,
        })
    };
    let expected = ["A", "AA", "B"].map(|symbol| (name(symbol), bids(symbol).into()));
    assert_eq!(newest, expected);
}

#[tokio::test]
async fn other_orders_are_other_types() {
    let db = market().await;
    let query = Quote::query().exchange("NYSE").symbol(["B", "A"]).limit(30);
    let by_key: EventStream<Quote, ByKey> = query.in_key_order().stream(&db);
    drop(by_key);
    assert_eq!(query.in_key_order().plan().unwrap().scans.len(), 1);
    let found = query.in_key_order().fetch(&db).await.unwrap();
    let symbols: String = found.iter().map(|quote| quote.symbol.as_str()).collect();
    assert_eq!(symbols, "A".repeat(20) + &"B".repeat(10));
    let unordered: EventStream<Quote, Unordered> = query.unordered().stream(&db);
    drop(unordered);
    let plan = query.unordered().plan().unwrap();
    assert_eq!((plan.order, plan.scans.len()), (Order::Any, 2));
    assert_eq!(query.unordered().fetch(&db).await.unwrap().len(), 30);
}
