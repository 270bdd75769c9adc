//! Pages of models with tables by period: the tables that are read.

use std::ops::Bound;
use std::sync::Arc;

use bigtable_model::Backend;
use bigtable_model::backend::faults::{FaultyBackend, Method};
use bigtable_model::data::TableSchema;
use bigtable_model::query::Page;

use super::*;

/// A reading in the table of its day.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SENSOR_{at:%Y%m%d}", family = "METER")]
struct Reading {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    value: u64,
}

const DAY: i64 = 86_400;

/// 1997-07-26T00:00:00Z.
const FIRST: i64 = 869_875_200;

/// 7,305 days later.
const LATER: i64 = FIRST + 7_305 * DAY;

fn at(second: i64) -> Timestamp {
    Timestamp::from_seconds(second)
}

/// Two readings of each of two meters in a table for each of these days, given in seconds.
async fn with_tables(days: &[i64]) -> (FaultyBackend, Vec<Reading>) {
    let db = FaultyBackend::new(Arc::new(MemoryBackend::new()), 1, Vec::new()).unwrap();
    let mut readings = Vec::new();
    for day in days {
        db.ensure_periods::<Reading>(at(*day)..at(day + 1))
            .await
            .unwrap();
        for (hour, meter) in [(7, "a"), (7, "b"), (19, "a"), (19, "b")] {
            let reading = Reading {
                meter: meter.to_owned(),
                at: at(day + hour * 3_600),
                value: hour as u64,
            };
            db.insert(&reading).await.unwrap();
            readings.push(reading);
        }
    }
    (db, readings)
}

/// The calls since the first `before`: the number of table lists, and of reads.
fn calls(db: &FaultyBackend, before: usize) -> (usize, usize) {
    let calls = db.calls().into_iter().skip(before);
    let calls: Vec<_> = calls.map(|call| call.method).collect();
    let count = |method| calls.iter().filter(|one| **one == method).count();
    (count(Method::ListTables), count(Method::ReadRows))
}

type Times = (Bound<Timestamp>, Bound<Timestamp>);

/// A time range and a direction for which the first page skips many days without a table.
const OPEN: [(Times, bool); 5] = {
    let (first, last) = (
        Timestamp::from_seconds(FIRST),
        Timestamp::from_seconds(LATER + 4_000 * DAY),
    );
    [
        ((Bound::Unbounded, Bound::Excluded(last)), false),
        ((Bound::Included(first), Bound::Unbounded), true),
        ((Bound::Unbounded, Bound::Excluded(last)), true),
        ((Bound::Unbounded, Bound::Unbounded), false),
        ((Bound::Unbounded, Bound::Unbounded), true),
    ]
};

#[tokio::test]
async fn the_first_page_lists_the_tables_and_the_others_read_those() {
    let tables = [FIRST, FIRST + DAY, LATER, LATER + DAY, LATER + 2 * DAY];
    let (db, readings) = with_tables(&tables).await;
    for (times, descending) in OPEN {
        let query = Reading::query().meter(["a", "b"]).at(times).events();
        let query = if descending {
            query.newest_first()
        } else {
            query
        };
        let mut expected = readings.clone();
        if descending {
            expected.reverse();
        }
        let (mut found, mut token): (Vec<Reading>, Option<PageToken>) = (Vec::new(), None);
        loop {
            let before = db.calls().len();
            let page: Page<Reading> = db.page(&query, 3, token.as_ref()).await.unwrap();
            let (listed, read) = calls(&db, before);
            assert_eq!(listed, usize::from(token.is_none()), "{times:?}");
            // Each meter has a scan, which starts at the table of the page's position.
            let passed = found.len().saturating_sub(1) / 4;
            assert!(
                read <= 2 * (tables.len() - passed),
                "{read} reads {times:?}"
            );
            found.extend(page.events);
            match page.next {
                Some(next) => token = Some(next.to_string().parse().unwrap()),
                None => break,
            }
        }
        assert_eq!(found, expected, "{times:?}");
    }
}

#[tokio::test]
async fn in_order_of_keys_pages_read_the_tables_of_the_first_too() {
    let tables = [FIRST, LATER, LATER + DAY];
    let (db, mut readings) = with_tables(&tables).await;
    readings.sort_by(|a, b| (&a.meter, a.at).cmp(&(&b.meter, b.at)));
    let all = Reading::scan();
    let (mut found, mut token) = (Vec::new(), None);
    loop {
        let before = db.calls().len();
        let page = db.page(&all, 5, token.as_ref()).await.unwrap();
        let (listed, read) = calls(&db, before);
        assert_eq!((listed, read), (usize::from(token.is_none()), tables.len()));
        found.extend(page.events);
        token = page.next;
        if token.is_none() {
            break;
        }
    }
    assert_eq!(found, readings);
}

#[tokio::test]
async fn tables_with_many_gaps_are_listed_again() {
    let days: Vec<_> = (0..12).map(|week| FIRST + week * 7 * DAY).collect();
    let (db, readings) = with_tables(&days).await;
    let query = Reading::query().meter("a").at(..at(LATER));
    let first = db.page(&query, 4, None).await.unwrap();
    let before = db.calls().len();
    let rest = db.page(&query, 100, first.next.as_ref()).await.unwrap();
    // The second table is read again, after the last event of the page.
    assert_eq!(calls(&db, before), (1, 11));
    let of_meter = readings.into_iter().filter(|one| one.meter == "a");
    let both = [first.events, rest.events].concat();
    assert_eq!(both, of_meter.collect::<Vec<_>>());
}

/// A table that is created between two pages does not belong to the query; a deleted one holds
/// nothing.
#[tokio::test]
async fn tables_may_come_and_go_between_pages() {
    let (db, readings) = with_tables(&[FIRST, FIRST + DAY, FIRST + 2 * DAY]).await;
    let query = Reading::query().meter("a");
    let first = db.page(&query, 1, None).await.unwrap();
    let schema = TableSchema {
        table: "SENSOR_19970729".to_owned(),
        ..db.tables().get("SENSOR_19970726").await.unwrap()
    };
    db.tables().create(schema, Vec::new()).await.unwrap();
    let late = Reading {
        meter: "a".to_owned(),
        at: at(FIRST + 3 * DAY),
        value: 1,
    };
    db.insert(&late).await.unwrap();
    db.tables().delete("SENSOR_19970727").await.unwrap();
    let rest = db.page(&query, 9, first.next.as_ref()).await.unwrap();
    let expected = [&readings[2], &readings[8], &readings[10]].map(Clone::clone);
    assert_eq!(rest.events, expected);
    assert_eq!(db.fetch(&query).await.unwrap().last(), Some(&late));
}
