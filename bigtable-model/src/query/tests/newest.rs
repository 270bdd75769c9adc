//! How many rows the newest events of each series take.

use super::probe::Probe;
use super::*;
use crate::BackendExt;
use crate::model::Model;

#[derive(Debug, Clone, PartialEq, bigtable_derive::Model)]
#[bigtable(crate = crate, table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    exchange: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    #[bigtable(key)]
    symbol: String,
    bid: u32,
}

#[derive(Debug, Clone, PartialEq, bigtable_derive::Model)]
#[bigtable(crate = crate, table = "QUOTE", family = "MD")]
struct NewestFirst {
    #[bigtable(key)]
    exchange: String,
    #[bigtable(time, reverse)]
    at: Timestamp,
    #[bigtable(key)]
    symbol: String,
    bid: u32,
}

async fn stored<M: Model>(of: impl Fn(Timestamp, &str) -> M) -> Probe {
    let db = Probe::split_at(Vec::new()).await;
    for millis in 0..500 {
        for symbol in ["A", "B", "C"] {
            db.insert(&of(Timestamp::from_millis(millis), symbol))
                .await
                .unwrap();
        }
    }
    db
}

/// Beside the keys of the 1,500 rows, by which the series are found, it takes the newest rows and
/// one more.
fn is_few(db: &Probe, newest: usize) {
    let rows = db.log().rows();
    assert!(rows <= 1_500 + newest + 1, "{rows} rows");
    assert_eq!(db.log().open(), 0);
}

#[tokio::test]
async fn they_are_read_from_the_newest_row_on() {
    let of = |at, symbol: &str| Quote {
        exchange: "NYSE".to_owned(),
        at,
        symbol: symbol.to_owned(),
        bid: 7,
    };
    let db = stored(of).await;
    let query = Quote::query().exchange("NYSE");
    let each = query.latest_each(2, &db).await.unwrap();
    let times = |events: &[Quote]| {
        events
            .iter()
            .map(|one| one.at.as_millis())
            .collect::<Vec<_>>()
    };
    assert_eq!(each.len(), 3);
    assert!(each.iter().all(|(_, events)| times(events) == [499, 498]));
    is_few(&db, 6);
}

#[tokio::test]
async fn they_are_read_from_the_first_row_on_where_that_is_the_newest() {
    let of = |at, symbol: &str| NewestFirst {
        exchange: "NYSE".to_owned(),
        at,
        symbol: symbol.to_owned(),
        bid: 7,
    };
    let db = stored(of).await;
    let each = NewestFirst::query()
        .scan()
        .latest_each(3, &db)
        .await
        .unwrap();
    assert_eq!(each.len(), 3);
    assert!(
        each.iter()
            .all(|(_, events)| events[2].at.as_millis() == 497)
    );
    is_few(&db, 9);
    let requests = db.log().requests();
    assert!(requests.iter().all(|request| !request.reversed));
}
