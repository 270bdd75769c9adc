//! How many rows are read for the newest events of each series.

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

/// It reads the keys of the 1,500 rows, to find the series, the newest rows and one more.
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
    let each = db.latest_each(&query, 2).await.unwrap();
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
    let each = db.latest_each(&NewestFirst::scan(), 3).await.unwrap();
    assert_eq!(each.len(), 3);
    assert!(
        each.iter()
            .all(|(_, events)| events[2].at.as_millis() == 497)
    );
    is_few(&db, 9);
    let requests = db.log().requests();
    assert!(requests.iter().all(|request| !request.reversed));
}

#[derive(Debug, Clone, PartialEq, bigtable_derive::Model)]
#[bigtable(crate = crate, table = "QUOTE", family = "MD")]
struct Tick {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    bid: u32,
}

#[tokio::test]
async fn the_state_at_a_time_takes_two_rows_a_series() {
    let of = |at, symbol: &str| Tick {
        symbol: symbol.to_owned(),
        at,
        bid: 7,
    };
    let db = stored(of).await;
    db.insert(&of(Timestamp::from_millis(400), "LATE"))
        .await
        .unwrap();
    db.log().forget();
    let state = db
        .latest_before(&Tick::scan(), Timestamp::from_millis(20))
        .await
        .unwrap();
    let found: Vec<_> = state
        .iter()
        .map(|(symbol, tick)| (symbol.as_str(), tick.at.as_millis()))
        .collect();
    assert_eq!(found, [("A", 19), ("B", 19), ("C", 19)]);
    // The symbol without so early a tick has no second row.
    let rows = db.log().rows();
    assert!(rows <= 7, "{rows} rows");
}

#[tokio::test]
async fn the_state_is_narrowed_by_what_is_asked_of_the_time() {
    let of = |at, symbol: &str| Tick {
        symbol: symbol.to_owned(),
        at,
        bid: 7,
    };
    let db = stored(of).await;
    let ms = Timestamp::from_millis;
    let of_times = |times: (std::ops::Bound<Timestamp>, std::ops::Bound<Timestamp>)| {
        Tick::scan().symbol("A").at(times)
    };
    let before = async |times, time| {
        let state = db.latest_before(&of_times(times), ms(time)).await.unwrap();
        state.first().map(|(_, tick)| tick.at.as_millis())
    };
    use std::ops::Bound::{Excluded, Included, Unbounded};
    assert_eq!(before((Unbounded, Unbounded), 0).await, None);
    assert_eq!(before((Unbounded, Unbounded), 9_999).await, Some(499));
    assert_eq!(before((Unbounded, Excluded(ms(30))), 40).await, Some(29));
    assert_eq!(before((Unbounded, Included(ms(30))), 40).await, Some(30));
    assert_eq!(before((Unbounded, Included(ms(30))), 30).await, Some(29));
    assert_eq!(before((Included(ms(30)), Unbounded), 30).await, None);
    assert_eq!(before((Included(ms(29)), Unbounded), 30).await, Some(29));
}

#[derive(Debug, Clone, PartialEq, bigtable_derive::Model)]
#[bigtable(crate = crate, table = "PLACE", family = "P")]
struct Place {
    #[bigtable(key)]
    name: String,
    visits: u32,
}

#[derive(Debug, Clone, PartialEq, bigtable_derive::Model)]
#[bigtable(crate = crate, table = "NOW", family = "P", layout = "latest")]
struct Now {
    #[bigtable(key)]
    name: String,
    #[bigtable(time)]
    at: Timestamp,
    visits: u32,
}

#[tokio::test]
async fn models_that_keep_no_state_are_refused_by_name() {
    let db = crate::MemoryBackend::new();
    let words = |error: crate::Error| {
        let source = std::error::Error::source(&error).map(ToString::to_string);
        source.unwrap_or_default()
    };
    let time = Timestamp::from_seconds(9);
    let place = db.latest_before(&Place::scan(), time).await;
    assert_eq!(
        words(place.unwrap_err()),
        "model `Place` has no time, so it has no state at a time: read its rows"
    );
    let now = db.latest_before(&Now::scan(), time).await;
    assert_eq!(
        words(now.unwrap_err()),
        "model `Now` has layout `latest`, which keeps only the newest event: query the model that keeps all events"
    );
}
