//! Cells in a model's columns that belong to no event, in every kind of query.

use std::fmt::Debug;
use std::time::Duration;

use bigtable_model::copy::CopyJob;
use bigtable_model::data::{Mutation, RowMutations};
use bigtable_model::query::{BadRows, CellError, EventStream, PageToken};
use bigtable_model::{Backend, BackendExt, Error, MemoryBackend, Model, Projection, Timestamp};
use futures::StreamExt as _;

/// Seconds of a day in a row, with a note that some projections do not read.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "READING", family = "MD", layout = "cells")]
struct Reading {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time, bucket = "day", unit = "s")]
    at: Timestamp,
    bid: u32,
    ask: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Projection)]
#[bigtable(model = Reading)]
struct Bid {
    at: Timestamp,
    bid: u32,
}

/// Minutes of a day, each in a column.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "MINUTE", family = "MD", layout = "columns")]
struct Minute {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time, bucket = "day", unit = "s", offset = "%H%M", truncate)]
    at: Timestamp,
    bid: u32,
    ask: Option<u32>,
}

/// The same with one column, named by the offset alone, and the meter's name.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "UNNAMED", family = "MD", layout = "columns")]
struct Unnamed {
    #[bigtable(key, column = "ID")]
    meter: String,
    #[bigtable(time, bucket = "day", unit = "s", offset = "%H%M", truncate)]
    at: Timestamp,
    bid: u32,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "VALUE", family = "MD", layout = "qualifiers")]
struct Value {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time, bucket = "day", unit = "s")]
    at: Timestamp,
    #[bigtable(text)]
    bid: u32,
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "NEWEST",
    family = "MD",
    layout = "latest",
    allow(kept_forever)
)]
struct Newest {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    bid: u32,
}

const DAY: i64 = 1_600_041_600_000;
const JUST: Duration = Duration::from_millis(1);
const DAYS: [&str; 2] = ["20200914", "20200915"];

fn millis(millis: i64) -> Timestamp {
    Timestamp::from_millis(DAY + millis)
}

fn minutes(minutes: i64) -> Timestamp {
    millis(minutes * 60_000)
}

async fn put(db: &MemoryBackend, row: (&str, &str), qualifier: &str, time: Timestamp, value: u32) {
    let (table, key) = row;
    let mutations = vec![Mutation::SetCell {
        family: "MD".into(),
        qualifier: qualifier.to_owned().into(),
        timestamp_micros: time.as_micros(),
        value: u64::from(value).to_be_bytes().to_vec().into(),
    }];
    let key = key.to_owned().into();
    db.mutate_row(table, RowMutations { key, mutations })
        .await
        .unwrap();
}

/// Ten minutes of two days for two meters; the first one's rows have cells that belong to no event.
macro_rules! filled {
    ($model:ident { $($rest:tt)* }, $unit:literal) => {{
        let db = MemoryBackend::new();
        db.ensure_tables::<$model>().await.unwrap();
        for (place, meter) in ["a", "b"].into_iter().enumerate() {
            for at in [0, 1_440] {
                for bid in 0..10 {
                    let shift = $unit * i64::try_from(place).unwrap();
                    let event = $model {
                        meter: meter.into(),
                        at: millis(at * 60_000 + i64::from(2 * bid + 2) * 2 * $unit + shift),
                        bid,
                        $($rest)*
                    };
                    db.insert(&event).await.unwrap();
                }
            }
        }
        db
    }};
}

async fn readings() -> MemoryBackend {
    let db = filled!(Reading { ask: Some(7) }, 1_000);
    let [first, second] = DAYS.map(|day| format!("a#{day}"));
    // Between two seconds, in both columns, one of which some projections do not read.
    put(&db, ("READING", &first), "bid", millis(5_500), 1).await;
    put(&db, ("READING", &first), "ask", millis(5_500), 1).await;
    put(&db, ("READING", &first), "ask", millis(8_001), 1).await;
    put(&db, ("READING", &second), "bid", minutes(1_441) + JUST, 1).await;
    // Not in a column of the model.
    put(&db, ("READING", &first), "note", millis(5_501), 1).await;
    db
}

async fn in_columns() -> MemoryBackend {
    let db = filled!(Minute { ask: None }, 60_000);
    let [first, second] = DAYS.map(|day| format!("a#{day}"));
    for qualifier in ["bid:9999", "bid:morning", "bid:", "ask:12345"] {
        put(&db, ("MINUTE", &first), qualifier, minutes(0), 1).await;
    }
    put(&db, ("MINUTE", &second), "bid:15", minutes(1_440), 1).await;
    // Not in a column of the model.
    for qualifier in ["bid", "bids:morning", "note:morning", "9999"] {
        put(&db, ("MINUTE", &first), qualifier, minutes(0), 1).await;
    }
    db
}

async fn unnamed() -> MemoryBackend {
    let db = filled!(Unnamed {}, 60_000);
    let [first, second] = DAYS.map(|day| format!("a#{day}"));
    for qualifier in ["9999", "15"] {
        put(&db, ("UNNAMED", &first), qualifier, minutes(0), 1).await;
    }
    put(&db, ("UNNAMED", &second), "00000", minutes(1_440), 1).await;
    put(&db, ("UNNAMED", &second), "note", minutes(1_440), 1).await;
    db
}

async fn values() -> MemoryBackend {
    let db = filled!(Value {}, 1_000);
    let [first, second] = DAYS.map(|day| format!("a#{day}"));
    for value in ["17", "18"] {
        put(&db, ("VALUE", &first), value, millis(5_500), 0).await;
    }
    put(&db, ("VALUE", &second), "19", minutes(1_440) + JUST, 0).await;
    db
}

async fn of_each() -> MemoryBackend {
    let db = MemoryBackend::new();
    db.ensure_tables::<Newest>().await.unwrap();
    for (meter, bid) in [("a", 1), ("b", 2), ("c", 3)] {
        let at = minutes(i64::from(bid));
        db.insert(&Newest {
            meter: meter.into(),
            at,
            bid,
        })
        .await
        .unwrap();
    }
    put(&db, ("NEWEST", "a"), "bid", millis(60_001), 1).await;
    put(&db, ("NEWEST", "d"), "bid", millis(60_001), 1).await;
    // Older than the newest event.
    put(&db, ("NEWEST", "c"), "bid", millis(60_001), 1).await;
    db
}

/// The items of a stream as text.
async fn told<M: Model + Debug, O>(stream: EventStream<M, O>) -> Vec<String> {
    let told = stream.map(|event| match event {
        Ok(event) => format!("{event:?}"),
        Err(error) => said(&error),
    });
    told.collect().await
}

fn said(error: &Error) -> String {
    assert!(matches!(error, Error::ForeignCell { .. }), "{error:?}");
    let source = std::error::Error::source(error).unwrap();
    format!("{error}: {source}")
}

/// Every kind of query reports `$bad` errors among `$good` events.
macro_rules! judged {
    ($model:ident, $db:expr, $good:expr, $bad:expr, $counted:expr, ordered by $order:ident) => {{
        let (db, good, bad, counted) = ($db, $good, $bad, $counted);
        let all = $model::scan().events();
        let found = told(db.stream(&all)).await;
        assert_eq!(found.len(), good + bad, "{found:#?}");
        let skipped = BadRows::skip();
        let events = db.fetch(&all.clone().on_bad_row(&skipped)).await.unwrap();
        assert_eq!((events.len(), skipped.count()), (good, bad as u64));
        let errors: Vec<_> = skipped.listed().iter().map(|error| said(error)).collect();
        let (of_stream, rest): (Vec<_>, Vec<_>) =
            found.iter().cloned().partition(|one| errors.contains(one));
        assert_eq!(of_stream, errors);
        assert_eq!(
            rest,
            events
                .iter()
                .map(|one| format!("{one:?}"))
                .collect::<Vec<_>>()
        );

        assert!(matches!(
            db.fetch(&all).await,
            Err(Error::ForeignCell { .. })
        ));
        assert!(matches!(
            db.count(&all).await,
            Err(Error::ForeignCell { .. })
        ));
        assert!(matches!(
            db.series(&all).await,
            Err(Error::ForeignCell { .. })
        ));
        assert!(matches!(
            db.latest_each(&all, 100).await,
            Err(Error::ForeignCell { .. })
        ));
        let skipped = BadRows::skip();
        assert_eq!(
            db.count(&all.clone().on_bad_row(&skipped)).await.unwrap(),
            good as u64
        );
        assert_eq!(skipped.count(), counted);
        let skipped = BadRows::skip();
        assert_eq!(
            db.fetch(&all.clone().on_bad_row(&skipped).unordered())
                .await
                .unwrap()
                .len(),
            good
        );
        assert_eq!(skipped.count(), bad as u64);
        let mut in_parts = 0;
        for part in db.partitions(&all, 3).await.unwrap() {
            in_parts += told(db.stream(&part)).await.len();
        }
        assert_eq!(in_parts, good + bad);

        // Pages of every size return the same, in every order.
        same_in_pages!(all.clone(), db, good + bad);
        same_in_pages!(
            $model::query().meter(["a", "b"]).events().$order(),
            db,
            good + bad
        );

        // Deletes and copies fail, and do not change such cells.
        let copied = CopyJob::new(&all, |event| event).into_table("COPY");
        assert!(copied.run(&db).await.is_err());
        let outcome = db.delete_all(&all).await;
        assert_eq!(outcome.deleted(), good as u64);
        assert!(outcome.into_result().is_err());
        assert_eq!(told(db.stream(&all)).await.len(), bad);
    }};
}

macro_rules! same_in_pages {
    ($query:expr, $db:expr, $all:expr) => {{
        let query = $query;
        let all = told($db.stream(&query)).await;
        assert_eq!(all.len(), $all);
        for size in 1..=u64::try_from(all.len()).unwrap() + 1 {
            let (mut found, mut token): (Vec<String>, Option<PageToken>) = (Vec::new(), None);
            loop {
                let next = match $db.page(&query, size, token.as_ref()).await {
                    Ok(page) => {
                        found.extend(page.events.iter().map(|event| format!("{event:?}")));
                        page.next
                    }
                    Err(page) => {
                        found.push(said(&page.error));
                        page.next
                    }
                };
                token = next.map(|token| token.to_string().parse().unwrap());
                if token.is_none() {
                    break;
                }
            }
            assert_eq!(found, all, "pages of {size}");
        }
    }};
}

#[tokio::test]
async fn times_between_those_of_the_unit_and_of_other_days() {
    // A count reads one column.
    judged!(Reading, readings().await, 40, 3, 2, ordered by newest_first);
    judged!(Reading, readings().await, 40, 3, 2, ordered by clone);
}

#[tokio::test]
async fn qualifiers_that_end_in_no_offset() {
    judged!(Minute, in_columns().await, 40, 2, 2, ordered by newest_first);
    judged!(Minute, in_columns().await, 40, 2, 2, ordered by clone);
}

#[tokio::test]
async fn qualifiers_that_are_no_offset() {
    judged!(Unnamed, unnamed().await, 40, 2, 2, ordered by newest_first);
    judged!(Unnamed, unnamed().await, 40, 2, 2, ordered by clone);
}

#[tokio::test]
async fn values_at_times_between() {
    judged!(Value, values().await, 40, 3, 3, ordered by newest_first);
    judged!(Value, values().await, 40, 3, 3, ordered by clone);
}

#[tokio::test]
async fn the_newest_of_a_series_alone_is_judged() {
    let db = of_each().await;
    let all = Newest::scan();
    let found = told(db.stream(&all)).await;
    assert_eq!(found.len(), 5, "{found:#?}");
    assert_eq!(
        found
            .iter()
            .filter(|one| one.contains("is not a multiple"))
            .count(),
        2
    );
    let skipped = BadRows::skip();
    assert_eq!(
        db.fetch(&all.events().on_bad_row(&skipped))
            .await
            .unwrap()
            .len(),
        3
    );
    assert_eq!(
        db.count(&all.events().on_bad_row(&skipped)).await.unwrap(),
        3
    );
    assert_eq!(skipped.count(), 4);
    let of_c = db.fetch(&Newest::query().meter("c")).await.unwrap();
    assert_eq!(of_c.len(), 1);
}

/// What is wrong, where, and what to do.
#[tokio::test]
async fn errors_name_column_row_and_reason() {
    let skipped = BadRows::skip();
    let all = Reading::scan();
    let db = readings().await;
    db.fetch(&all.events().on_bad_row(&skipped)).await.unwrap();
    let all = Minute::scan();
    let db = in_columns().await;
    db.fetch(&all.events().on_bad_row(&skipped)).await.unwrap();
    let said: Vec<_> = skipped.listed().iter().map(|error| said(error)).collect();
    let row = |day: u32| format!("of row meter=a at=2020-09-{day}T00:00:00Z belongs to no event");
    let between = "is not a multiple of 1s, the grid of the model's times: declare the \
                   unit in which it was written";
    let offset = "its qualifier does not end in an offset of the bucket, %H%M";
    let (first, second) = (row(14), row(15));
    let reading = "table READING: a cell of column MD";
    let minute = "table MINUTE: a cell of column MD";
    assert_eq!(
        said,
        [
            format!("{reading}:bid {first}: its time 2020-09-14T00:00:05.5Z {between}"),
            format!("{reading}:ask {first}: its time 2020-09-14T00:00:08.001Z {between}"),
            format!("{reading}:bid {second}: its time 2020-09-15T00:01:00.001Z {between}"),
            format!("{minute}:ask:12345 {first}, and 3 more cells of the row: {offset}"),
            format!("{minute}:bid:15 {second}: {offset}"),
        ]
    );
}

/// Cells of other days come before the events of their row.
#[tokio::test]
async fn cells_of_another_bucket_are_told_once_a_row() {
    let db = readings().await;
    for time in [minutes(1), minutes(2_880), minutes(2_881)] {
        put(&db, ("READING", "b#20200915"), "bid", time, 1).await;
    }
    let all = Reading::scan();
    let found = told(db.stream(&all)).await;
    assert_eq!(found.len(), 44);
    let other = "table READING: a cell of column MD:bid of row meter=b at=2020-09-15T00:00:00Z \
                 belongs to no event, and 2 more cells of the row: its time 2020-09-16T00:01:00Z \
                 is not in the bucket of its row";
    assert_eq!(found.iter().position(|one| one == other), Some(33));
    same_in_pages!(all.clone(), db, 44);
    // A query for their times reads them.
    let of_b = Reading::query().meter("b");
    let day = of_b.clone().at(minutes(1_440)..minutes(2_880));
    assert_eq!(db.fetch(&day).await.unwrap().len(), 10);
    let days = of_b.clone().at(minutes(1_440)..minutes(2_881));
    assert!(db.fetch(&days).await.is_err());
}

/// A model in seconds does not silently miss events that were written in milliseconds.
#[tokio::test]
async fn a_unit_that_is_too_coarse_is_an_error() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Reading>().await.unwrap();
    for tick in 0..50 {
        let at = millis(1 + 10 * tick);
        put(&db, ("READING", "a#20200914"), "bid", at, 1).await;
    }
    let of_a = Reading::query().meter("a");
    let latest = db.fetch(&of_a.events().newest_first().limit(1)).await;
    let Err(Error::ForeignCell {
        source: CellError::Between { time, grid },
        ..
    }) = latest
    else {
        panic!("{latest:?}");
    };
    assert_eq!((time, grid.as_secs()), (millis(491), 1));
    assert!(db.fetch(&of_a).await.is_err());
    assert!(
        db.count(&of_a.clone().at(millis(0)..millis(1_000)))
            .await
            .is_err()
    );
    // Times outside the query are not checked, nor are others when one event is read.
    let later = of_a.clone().at(millis(1_000)..millis(2_000));
    assert_eq!(db.count(&later).await.unwrap(), 0);
    let key = ReadingKey {
        meter: "a".into(),
        at: millis(0),
    };
    assert_eq!(db.get::<Reading>(&key).await.unwrap(), None);
}

/// Only what a query reads of a row is checked: some columns, some times, the newest, with a
/// condition.
#[tokio::test]
async fn what_was_not_asked_for_is_not_judged() {
    let db = readings().await;
    let skipped = BadRows::skip();
    let bids = Reading::scan()
        .select::<Bid>()
        .events()
        .on_bad_row(&skipped);
    assert_eq!(db.fetch(&bids).await.unwrap().len(), 40);
    assert_eq!(skipped.count(), 2);
    let of_a = Reading::query().meter("a");
    let early = of_a.clone().at(millis(0)..millis(5_000));
    assert_eq!(db.fetch(&early).await.unwrap().len(), 1);
    let seen = of_a.clone().at(millis(0)..millis(5_501));
    assert!(db.fetch(&seen).await.is_err());
    // The newest eighteen are later than the bad cells of the first day.
    let early = of_a.clone().at(..minutes(1_441));
    let newest = db
        .fetch(&early.events().newest_first().limit(18))
        .await
        .unwrap();
    assert_eq!(newest.len(), 18);
    assert!(
        db.fetch(&early.events().newest_first().limit(19))
            .await
            .is_err()
    );
    let skipping = of_a.events().on_bad_row(BadRows::skip());
    assert_eq!(
        db.fetch(&skipping.clone().newest_first().limit(15))
            .await
            .unwrap()
            .len(),
        15
    );
    // A cell that belongs to no event is compared like an event's.
    let first = of_a.at(millis(0)..millis(60_000));
    let few = first.events().matching(Reading::FIELDS.bid.equals(3_u32));
    assert_eq!(db.fetch(&few).await.unwrap().len(), 1);
    let ones = first.events().matching(Reading::FIELDS.bid.equals(1_u32));
    assert!(db.fetch(&ones).await.is_err());
}
