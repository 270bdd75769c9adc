use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures::{Stream, StreamExt, TryStreamExt};
use proptest::prelude::*;

use super::probe::Probe;
use super::*;
use crate::backend::Code;
use crate::data::{ReadRows, Row, RowRange, RowSet};
use crate::model::{RowEvents, Schema};
use crate::query::plan;
use crate::query::run::execute::{QueryEvents, found_events};
use crate::{Backend, Error};

/// Key segments of an event: symbol and milliseconds.
type Event = (&'static str, i64);

const EVENTS: [Event; 8] = [
    ("AAPL", 1),
    ("AAPL", 4),
    ("AAPL", 5),
    ("GOOG", 2),
    ("GOOG", 4),
    ("GOOG", 9),
    ("MSFT", 4),
    ("MSFT", 7),
];

fn reversible(reverse: bool) -> ModelSchema {
    schema("", vec![padded("symbol", 4), time(reverse)])
}

fn key(schema: &ModelSchema, (symbol, millis): Event) -> String {
    let mut key = Vec::new();
    let values = [text(symbol), at(millis)];
    schema.key.encode(&values, &mut key).unwrap();
    String::from_utf8(key).unwrap()
}

/// Events in the backend, each with its bid.
async fn stored(schema: &ModelSchema, events: &[Event]) -> Probe {
    let bid: &[&str] = &["BID"];
    Probe::with_rows(events.iter().map(|event| (key(schema, *event), bid))).await
}

/// The keys of a query's events.
#[derive(Debug)]
struct Keys(QueryEvents);

impl Stream for Keys {
    type Item = Result<Bytes, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let events = &mut self.get_mut().0;
        let next = ready!(events.poll_next(RowEvents::check_place, context));
        Poll::Ready(next.map(|next| next.map(|()| events.current().unwrap().0.shared_key())))
    }
}

fn run(db: &dyn Backend, schema: &ModelSchema, selection: &Selection) -> Keys {
    let schema = &Schema::from(schema.clone());
    Keys(found_events(db, schema, plan(schema, selection).unwrap()).unwrap())
}

async fn keys(keys: impl Stream<Item = Result<Bytes, Error>>) -> Vec<String> {
    let keys: Vec<Bytes> = keys.try_collect().await.unwrap();
    let text = |key: Bytes| String::from_utf8(key.to_vec()).unwrap();
    keys.into_iter().map(text).collect()
}

/// The keys of events in order of time, ties by key, or in the exact reverse.
fn in_order(schema: &ModelSchema, events: &[Event], descending: bool) -> Vec<String> {
    let mut events: Vec<_> = events
        .iter()
        .map(|event| (event.1, key(schema, *event)))
        .collect();
    events.sort();
    if descending {
        events.reverse();
    }
    events.into_iter().map(|(_, key)| key).collect()
}

fn all_symbols() -> Selection {
    by_time(select([texts(&["MSFT", "AAPL", "GOOG"])]))
}

#[tokio::test]
async fn several_series_come_in_order_of_time_in_both_directions_and_formats() {
    for (reverse, descending) in [(false, false), (false, true), (true, false), (true, true)] {
        let schema = reversible(reverse);
        let db = stored(&schema, &EVENTS).await;
        let mut selection = all_symbols();
        selection.descending = descending;
        let expected = in_order(&schema, &EVENTS, descending);
        assert_eq!(keys(run(&db, &schema, &selection)).await, expected);
        assert_eq!(db.log().requests().len(), 3);
        for limit in 0..=9 {
            selection.limit = Some(limit);
            let first: Vec<_> = expected.iter().take(limit as usize).cloned().collect();
            assert_eq!(keys(run(&db, &schema, &selection)).await, first);
        }
    }
}

#[tokio::test]
async fn a_limit_goes_to_every_scan() {
    let schema = reversible(false);
    let db = stored(&schema, &EVENTS).await;
    let selection = Selection {
        limit: Some(2),
        descending: true,
        ..all_symbols()
    };
    let expected = in_order(&schema, &EVENTS, true);
    assert_eq!(keys(run(&db, &schema, &selection)).await, expected[..2]);
    let requests = db.log().requests();
    assert_eq!(requests.len(), 3);
    assert!(requests.iter().all(|request| request.rows_limit == 2));
    assert!(requests.iter().all(|request| request.reversed));
    assert!(db.log().rows() <= 6);
}

#[tokio::test]
async fn reads_end_with_the_limit() {
    let schema = reversible(false);
    let db = stored(&schema, &EVENTS).await;
    for order in [Order::Time, Order::Key] {
        let selection = Selection {
            limit: Some(1),
            order,
            ..all_symbols()
        };
        let mut rows = run(&db, &schema, &selection);
        rows.next().await.unwrap().unwrap();
        assert_eq!(db.log().open(), 0, "{order:?}");
        assert!(rows.next().await.is_none());
        assert!(rows.next().await.is_none());
    }
}

#[tokio::test]
async fn reads_end_when_the_stream_is_dropped() {
    let schema = reversible(false);
    let db = stored(&schema, &EVENTS).await;
    let mut rows = run(&db, &schema, &all_symbols());
    rows.next().await.unwrap().unwrap();
    assert!(db.log().open() > 0);
    assert_eq!(db.log().rows(), 3, "one row of each scan is held");
    drop(rows);
    assert_eq!(db.log().open(), 0);
}

#[tokio::test]
async fn an_error_of_one_scan_ends_all() {
    let schema = reversible(false);
    let db = stored(&schema, &EVENTS).await;
    db.fail_at(&key(&schema, ("GOOG", 4)));
    let mut rows = run(&db, &schema, &all_symbols());
    let mut before = 0;
    let error = loop {
        match rows.next().await.unwrap() {
            Ok(_) => before += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(before, 2, "those before the lost row");
    assert!(error.is_retryable());
    let Error::Backend {
        table,
        method,
        key: None,
        source,
    } = error
    else {
        panic!("{error:?}")
    };
    assert_eq!(
        (table.as_str(), method, source.code),
        ("QUOTE", "ReadRows", Code::Unavailable)
    );
    assert_eq!(db.log().open(), 0);
    assert!(rows.next().await.is_none());
}

#[tokio::test]
async fn an_error_of_the_only_scan_ends_it() {
    let schema = reversible(false);
    let db = stored(&schema, &EVENTS).await;
    db.fail_at(&key(&schema, ("AAPL", 4)));
    let mut rows = run(&db, &schema, &select([texts(&["AAPL"])]));
    assert!(rows.next().await.unwrap().is_ok());
    assert!(matches!(
        rows.next().await,
        Some(Err(Error::Backend { .. }))
    ));
    assert_eq!(db.log().open(), 0);
    assert!(rows.next().await.is_none());
}

#[tokio::test]
async fn a_foreign_key_is_one_error_where_its_time_is_needed() {
    let schema = reversible(false);
    let bid: &[&str] = &["BID"];
    let foreign = ("GOOG#yesterday".to_owned(), bid);
    let rows = EVENTS.map(|event| (key(&schema, event), bid));
    let db = Probe::with_rows(rows.into_iter().chain([foreign])).await;
    let all: Vec<_> = run(&db, &schema, &all_symbols()).collect().await;
    let (found, lost): (Vec<_>, Vec<_>) = all.into_iter().partition(Result::is_ok);
    assert_eq!(found.len(), EVENTS.len(), "the rest comes all the same");
    let [Err(Error::ForeignKey { key, .. })] = lost.as_slice() else {
        panic!("{lost:?}")
    };
    assert_eq!(key, "GOOG#yesterday");
    let one = by_time(select([texts(&["GOOG"])]));
    let keys = keys(run(&db, &schema, &one)).await;
    assert_eq!(keys.last().unwrap(), "GOOG#yesterday");
}

#[tokio::test]
async fn nothing_is_sent_before_it_is_asked_for_or_when_nothing_can_match() {
    let schema = reversible(false);
    let db = stored(&schema, &EVENTS).await;
    drop(run(&db, &schema, &all_symbols()));
    let nothing = select([SegmentSelection::Values(Vec::new())]);
    assert!(keys(run(&db, &schema, &nothing)).await.is_empty());
    for order in [Order::Time, Order::Key] {
        let none = Selection {
            limit: Some(0),
            order,
            ..all_symbols()
        };
        assert!(keys(run(&db, &schema, &none)).await.is_empty());
    }
    assert!(db.log().requests().is_empty());
}

#[tokio::test]
async fn scans_run_side_by_side() {
    let schema = reversible(false);
    let db = stored(&schema, &EVENTS).await;
    db.log().wait_for.store(3, SeqCst);
    let all = keys(run(&db, &schema, &all_symbols())).await;
    assert_eq!(all, in_order(&schema, &EVENTS, false));
}

#[tokio::test]
async fn a_scan_goes_on_where_rows_without_an_event_used_up_the_limit() {
    let schema = reversible(false);
    let bid: &[&str] = &["BID"];
    let ask: &[&str] = &["ASK"];
    let event = |millis| key(&schema, ("AAPL", millis));
    let db =
        Probe::with_rows((0..20).map(|millis| (event(millis), if millis < 9 { ask } else { bid })))
            .await;
    let selection = Selection {
        limit: Some(2),
        ..by_time(select([texts(&["AAPL"])]))
    };
    assert_eq!(
        keys(run(&db, &schema, &selection)).await,
        [event(9), event(10)]
    );
    let requests = db.log().requests();
    let limits: Vec<_> = requests.iter().map(|request| request.rows_limit).collect();
    assert_eq!(limits, [2, 4, 8]);
    let after = RowRange {
        start: Bound::Excluded(event(1).into()),
        end: Bound::Excluded("AAPL$".into()),
    };
    assert_eq!(requests[1].rows, RowSet::range(after));
    assert_eq!(
        db.log().rows(),
        11,
        "the rest of the last read is cancelled"
    );
}

#[tokio::test]
async fn a_projection_is_read_by_its_filter() {
    let schema = ModelSchema {
        columns: vec![
            column("MD", "BID"),
            column("MD", "a.b|c\0größe"),
            column("MD", "ASK"),
        ]
        .into(),
        ..reversible(false)
    };
    let cells: &[&str] = &["ASK", "BID", "a.b|c\0größe", "axb|c\0größe", "größe"];
    let db = Probe::with_rows([(key(&schema, EVENTS[0]), cells)]).await;
    let mut selection = Selection {
        columns: Some(vec![1]),
        ..select([texts(&["AAPL"])])
    };
    let read = |selection: &Selection| {
        let plan = plan(&schema, selection).unwrap();
        db.read_rows(ReadRows {
            table: plan.table,
            rows: plan.scans[0].parts[0].rows.clone(),
            filter: plan.filter,
            ..ReadRows::default()
        })
        .rows()
    };
    let rows: Vec<Row> = read(&selection).try_collect().await.unwrap();
    let columns: Vec<_> = rows[0]
        .cells
        .iter()
        .map(|cell| cell.qualifier.clone())
        .collect();
    assert_eq!(columns, ["BID", "a.b|c\0größe"]);
    selection.keys_only = true;
    let rows: Vec<Row> = read(&selection).try_collect().await.unwrap();
    assert_eq!(rows[0].cells.len(), 1);
    assert!(rows[0].cells[0].value.is_empty());
}

#[tokio::test]
async fn a_stream_outlives_the_borrow_of_any_backend() {
    let schema = reversible(false);
    let probe = stored(&schema, &EVENTS).await;
    let shared: Arc<dyn Backend> = Arc::new(probe.clone());
    let of_shared = run(&shared, &schema, &all_symbols());
    drop(shared);
    let of_probe = run(&probe, &schema, &all_symbols());
    drop(probe);
    let expected = in_order(&schema, &EVENTS, false);
    assert_eq!(keys(of_shared).await, expected);
    assert_eq!(keys(of_probe).await, expected);
}

#[test]
fn the_stream_can_be_sent_and_borrows_nothing() {
    fn assert_free<T: Send + 'static>() {}
    assert_free::<QueryEvents>();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Rows with and without events, every direction and order, against sorting all in memory.
    #[test]
    fn rows_are_the_first_events(
        events in prop::collection::btree_map((0..3_usize, 0..12_i64), any::<bool>(), 0..30),
        limit in prop::option::of(0..10_u64), reverse: bool, descending: bool, by_time: bool, whole: bool,
    ) {
        let symbol = |at: &usize| ["AAPL", "GOOG", "MSFT"][*at];
        let schema = reversible(reverse);
        let selection = Selection {
            segments: if whole && !by_time { Vec::new() } else { all_symbols().segments },
            order: if by_time { Order::Time } else { Order::Key },
            full_scan: true, limit, descending,
            ..Selection::default()
        };
        let of = |wanted: bool| -> Vec<Event> {
            let events = events.iter().filter(|(_, is_event)| **is_event == wanted);
            events.map(|((at, millis), _)| (symbol(at), *millis)).collect()
        };
        let mut expected = in_order(&schema, &of(true), descending);
        if !by_time {
            expected.sort();
            if descending {
                expected.reverse();
            }
        }
        expected.truncate(limit.map_or(usize::MAX, |limit| limit as usize));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (found, open) = runtime.block_on(async {
            let stored = of(true).into_iter().map(|event| (event, ["BID"]));
            let others = of(false).into_iter().map(|event| (event, ["ASK"]));
            let all: Vec<_> = stored.chain(others).collect();
            let db = Probe::with_rows(
                all.iter().map(|(event, cells)| (key(&schema, *event), cells.as_slice())),
            ).await;
            (keys(run(&db, &schema, &selection)).await, db.log().open())
        });
        prop_assert_eq!(found, expected);
        prop_assert_eq!(open, 0);
    }
}
