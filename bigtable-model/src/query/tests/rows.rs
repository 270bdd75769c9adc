//! How many rows queries of layouts with buckets and salts read, and how they treat cells that are
//! no events.

use crate::model::Schema;
use bytes::Bytes;

use super::makers::*;
use super::probe::Probe;
use super::*;
use crate::data::{Mutation, RowMutations};
use crate::model::stored::write_event;
use crate::query::run::execute::found_events;
use crate::query::series::keys_of_series;
use crate::query::{BadRows, Plan, plan};
use crate::{Backend, Error};

type Read = (Vec<SegmentValue>, Vec<Option<Bytes>>);

fn leaked(schema: ModelSchema) -> Schema {
    Schema::from(schema)
}

async fn empty() -> Probe {
    Probe::with_rows(std::iter::empty()).await
}

async fn insert(db: &Probe, schema: &Schema, symbol: &str, millis: i64) {
    let values = [text(symbol), at(millis)];
    let bid = Some(Bytes::from(format!("bid {millis}")));
    let columns = [bid, Some(Bytes::from(format!("ask {millis}"))), None, None];
    let row = write_event(schema, &values, &columns, Timestamp::default()).unwrap();
    db.mutate_row("QUOTE", row).await.unwrap();
}

async fn cell(db: &Probe, key: &'static str, qualifier: &'static str, millis: i64) {
    let cell = Mutation::SetCell {
        family: "MD".into(),
        qualifier: qualifier.into(),
        timestamp_micros: millis * 1_000,
        value: "stray".into(),
    };
    let row = RowMutations {
        key: key.into(),
        mutations: vec![cell],
    };
    db.mutate_row("QUOTE", row).await.unwrap();
}

/// The results of a plan, in batches of one row and of several.
async fn run(db: &Probe, schema: &Schema, plan: Plan) -> Vec<Read> {
    let found = read(db, schema, plan.clone()).await;
    assert_eq!(read(db.memory(), schema, plan).await, found);
    found
}

async fn read(db: &dyn Backend, schema: &Schema, plan: Plan) -> Vec<Read> {
    let mut running = found_events(db, schema, plan).unwrap();
    let mut found = Vec::new();
    while let Some(next) = running.advance().await {
        next.unwrap();
        let (row, index) = running.current().unwrap();
        found.push(row.values(index).unwrap());
    }
    found
}

fn latest(symbol: &str, n: u64) -> Selection {
    Selection {
        descending: true,
        limit: Some(n),
        ..by_time(select([texts(&[symbol])]))
    }
}

fn times_of(found: &[Read]) -> Vec<i64> {
    let millis = |read: &Read| match read.0[1] {
        SegmentValue::Time(time) => time.as_millis(),
        _ => panic!("{read:?}"),
    };
    found.iter().map(millis).collect()
}

#[tokio::test]
async fn the_newest_of_a_series_in_many_shards_take_one_row_of_each() {
    let segments = vec![salt(64, &[1, 2]), name("symbol"), time(false)];
    let schema = leaked(schema("", segments));
    let db = empty().await;
    for millis in 0..5_000 {
        insert(&db, &schema, "A", millis).await;
    }
    let plan = plan(&schema, &latest("A", 10)).unwrap();
    assert_eq!(plan.scans.len(), 64);
    let newest: Vec<i64> = (4_990..5_000).rev().collect();
    assert_eq!(times_of(&run(&db, &schema, plan).await), newest);
    let requests = db.log().requests();
    assert_eq!(requests.len(), 64);
    assert!(requests.iter().all(|request| request.rows_limit == 10));
    assert!(
        db.log().rows() <= 64 + 9,
        "one row of each scan is held, {} were taken",
        db.log().rows()
    );
}

#[tokio::test]
async fn the_newest_of_cells_take_few_cells() {
    let schema = leaked(cells(vec![name("symbol"), day()]));
    let db = empty().await;
    for second in 0..100 {
        insert(&db, &schema, "A", JAN_1 + second * 1_000).await;
    }
    let plan = plan(&schema, &latest("A", 2)).unwrap();
    assert_eq!(plan.newest, Some(2));
    let found = run(&db, &schema, plan).await;
    assert_eq!(times_of(&found), [JAN_1 + 99_000, JAN_1 + 98_000]);
    assert!(found.iter().all(|(_, columns)| columns[1].is_some()));
    assert_eq!(db.log().requests().len(), 1);
    assert!(
        db.log().requests()[0]
            .filter
            .as_ref()
            .is_some_and(|filter| format!("{filter:?}").contains("CellsPerColumnLimit(2)"))
    );
}

#[tokio::test]
async fn cells_without_an_event_hide_none() {
    let schema = leaked(cells(vec![name("symbol"), day()]));
    for (stray, requests) in [("ASK", 2), ("BID", 1), ("OTHER", 2)] {
        let db = empty().await;
        for second in 0..4 {
            insert(&db, &schema, "A", JAN_1 + second * 1_000).await;
        }
        for second in 10..13 {
            cell(&db, "A#20200101", stray, JAN_1 + second * 1_000).await;
        }
        let found = run(&db, &schema, plan(&schema, &latest("A", 2)).unwrap()).await;
        // A cell of the presence column is an event.
        if stray != "BID" {
            assert_eq!(times_of(&found), [JAN_1 + 3_000, JAN_1 + 2_000]);
            assert!(
                found.iter().all(|(_, columns)| columns[1].is_some()),
                "{stray}"
            );
        }
        assert_eq!(db.log().requests().len(), requests, "{stray}");
    }
}

#[tokio::test]
async fn marks_between_the_times_of_the_model_hide_none() {
    let mut day = day();
    if let SegmentFormat::Bucket(bucket) = &mut day.format {
        bucket.grid_micros = 1_000_000;
    }
    let schema = leaked(cells(vec![name("symbol"), day]));
    let db = empty().await;
    for second in 0..4 {
        insert(&db, &schema, "A", JAN_1 + second * 1_000).await;
        cell(&db, "A#20200101", "BID", JAN_1 + 5_001 + second).await;
    }
    let plan = plan(&schema, &latest("A", 2)).unwrap();
    let mut running = found_events(&db, &schema, plan).unwrap();
    let (mut told, mut found) = (0, Vec::new());
    while let Some(next) = running.advance().await {
        let (row, index) = running.current().unwrap();
        match next {
            Ok(()) => found.push(row.values(index).unwrap()),
            Err(Error::ForeignCell { .. }) => told += 1,
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!(told, 4);
    assert_eq!(times_of(&found), [JAN_1 + 3_000, JAN_1 + 2_000]);
}

#[tokio::test]
async fn series_are_found_by_seeking() {
    let schema = leaked(schema("", vec![name("symbol"), time(false)]));
    let db = empty().await;
    let symbols = ["A", "AA", "B", "C"];
    for symbol in symbols {
        for millis in 0..50 {
            insert(&db, &schema, symbol, millis).await;
        }
    }
    let all = Selection {
        full_scan: true,
        ..select([])
    };
    let keys = keys_of_series(&db, &schema, all.clone(), None, &BadRows::fail())
        .await
        .unwrap();
    let expected = symbols.map(|symbol| format!("{symbol}#0000000000000"));
    assert_eq!(keys, expected);
    assert_eq!(db.log().rows(), symbols.len());
    let two = Selection {
        limit: Some(2),
        ..all
    };
    assert_eq!(
        keys_of_series(&db, &schema, two, None, &BadRows::fail())
            .await
            .unwrap(),
        expected[..2]
    );
}
