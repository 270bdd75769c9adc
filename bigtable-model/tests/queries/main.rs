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
    db.ensure_tables::<Quote>().await.unwrap();
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
    let symbols = || symbols().events();
    for query in [symbols(), symbols().newest_first(), symbols().limit(31)] {
        let all = db.fetch(&query).await.unwrap();
        for size in [1, 7, 60, 100] {
            let mut found = Vec::new();
            let mut token: Option<String> = None;
            loop {
                let given: Option<PageToken> = token.map(|token| token.parse().unwrap());
                let page = db.page(&query, size, given.as_ref()).await.unwrap();
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
        let first = db.page(&by_key, 5, None).await.unwrap();
        let second = db.page(&by_key, 100, first.next.as_ref()).await.unwrap();
        let both = [first.events, second.events].concat();
        assert_eq!(both, db.fetch(&by_key).await.unwrap());
    }
}

#[tokio::test]
async fn events_between_two_pages_stand_where_they_belong() {
    let db = market().await;
    let query = Quote::query().exchange("NYSE").symbol("A");
    let first = db.page(&query, 5, None).await.unwrap();
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
    let rest = db.page(&query, 100, first.next.as_ref()).await.unwrap();
    assert_eq!(rest.events.len(), 16);
    assert_eq!(rest.events.last(), Some(&quote(50)));
    assert_eq!(rest.next, None);
}

#[tokio::test]
async fn a_token_goes_with_its_query_alone() {
    let db = market().await;
    let query = Quote::query().exchange("NYSE").symbol("A");
    let token = db.page(&query, 5, None).await.unwrap().next.unwrap();
    let page = db.page(&query.events().max_scans(1), 5, Some(&token)).await;
    assert_eq!(
        page.unwrap().events.len(),
        5,
        "what runs at once does not matter"
    );
    let other = Quote::query().exchange("NYSE").symbol("B");
    for refused in [
        db.page(&other, 5, Some(&token)).await,
        db.page(&query.events().newest_first(), 5, Some(&token))
            .await,
        db.page(&query.events().in_key_order(), 5, Some(&token))
            .await,
    ] {
        let reason = "it is of another query";
        assert_eq!(
            refusal(refused.unwrap_err()),
            QueryError::PageToken { reason }
        );
    }
    let empty = db.page(&query, 0, None).await.unwrap_err();
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
    let token = db.page(&query, 5, None).await.unwrap().next.unwrap();
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
    assert_eq!(db.series(&nyse).await.unwrap(), names);
    assert_eq!(
        db.series(&nyse.events().limit(2)).await.unwrap(),
        names[..2]
    );
    assert_eq!(db.series(&Quote::scan()).await.unwrap(), names);
    let newest = db.latest_each(&nyse.select::<Bid>(), 2).await.unwrap();
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
    let query = Quote::query()
        .exchange("NYSE")
        .symbol(["B", "A"])
        .events()
        .limit(30);
    let by_key: EventStream<Quote, ByKey> = db.stream(&query.clone().in_key_order());
    drop(by_key);
    assert_eq!(query.clone().in_key_order().plan().unwrap().scans.len(), 1);
    let found = db.fetch(&query.clone().in_key_order()).await.unwrap();
    let symbols: String = found.iter().map(|quote| quote.symbol.as_str()).collect();
    assert_eq!(symbols, "A".repeat(20) + &"B".repeat(10));
    let unordered: EventStream<Quote, Unordered> = db.stream(&query.clone().unordered());
    drop(unordered);
    let plan = query.clone().unordered().plan().unwrap();
    assert_eq!((plan.order, plan.scans.len()), (Order::Any, 2));
    assert_eq!(
        db.fetch(&query.clone().unordered()).await.unwrap().len(),
        30
    );
}
