//! Queries as request handlers build them: optional filters, branches, sets of any kind, many keys
//! at once.

use std::collections::{BTreeSet, HashSet};
use std::ops::{Bound, Range};
use std::sync::Arc;

use bigtable_model::backend::faults::{Fault, FaultRule, FaultyBackend};
use bigtable_model::data::{Mutation, RowMutations};
use bigtable_model::query::{
    AsQuery, ByKey, ByTime, Erased, Page, PageToken, Query, QueryState, any_of, starts_with,
};
use bigtable_model::series::{Ohlc, Point, Window};
use bigtable_model::{
    Backend as _, BackendExt, Code, Error, ErrorKind, MemoryBackend, Model, Status, Timestamp,
};

macro_rules! quotes {
    ($name:ident, $table:literal, $layout:literal, $($time:tt)*) => {
        #[derive(Debug, Clone, PartialEq, PartialOrd, Model)]
        #[bigtable(table = $table, family = "MD", layout = $layout)]
        struct $name {
            #[bigtable(key)]
            exchange: String,
            #[bigtable(key)]
            symbol: u8,
            #[bigtable(time, $($time)*)]
            at: Timestamp,
            bid: f64,
        }
    };
}

quotes!(Quote, "QUOTE", "row", unit = "s");
quotes!(Cells, "CELLS", "cells", bucket = "minute");
quotes!(Columns, "COLUMNS", "columns", bucket = "hour");
quotes!(Periods, "PERIODS_{at:%Y%m%d%H}", "row", unit = "s");

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(1_500_000_000 + seconds)
}

const EXCHANGES: [&str; 3] = ["A", "B", "BC"];

macro_rules! written {
    ($model:ident) => {{
        let db = MemoryBackend::new();
        db.ensure_periods_or_table::<$model>().await;
        let mut events = Vec::new();
        for exchange in EXCHANGES {
            for symbol in 0..4_u8 {
                for second in (0..6_000).step_by(700) {
                    let bid = f64::from(symbol);
                    events.push($model {
                        exchange: exchange.into(),
                        symbol,
                        at: at(second),
                        bid,
                    });
                }
            }
        }
        assert_eq!(db.insert_many(&events).await.failed().len(), 0);
        (db, events)
    }};
}

/// Creates the tables for a model's events.
trait Tables {
    async fn ensure_periods_or_table<M: Model>(&self);
}

impl Tables for MemoryBackend {
    async fn ensure_periods_or_table<M: Model>(&self) {
        if M::SCHEMA.table.fixed().is_some() {
            self.ensure_tables::<M>().await.unwrap();
        } else {
            self.ensure_periods::<Periods>(at(0)..at(7_200))
                .await
                .unwrap();
        }
    }
}

/// The results of a query in any order.
async fn found<Q>(query: &Q, db: &MemoryBackend) -> Vec<Q::Read>
where
    Q: AsQuery<Read: PartialOrd>,
    Q::State: QueryState<Q::Model>,
{
    let mut found = db.fetch(query).await.unwrap();
    found.sort_by(|a, b| a.partial_cmp(b).unwrap());
    found
}

macro_rules! optional_filters {
    ($model:ident) => {{
        let (db, events) = written!($model);
        let symbols = [None, Some(vec![1_u8, 3]), Some(vec![]), Some(vec![2])];
        let times = [None, Some(at(700)..at(2_100)), Some(at(5_000)..at(5_000))];
        for exchange in [Some("B"), Some("X")] {
            for symbol in &symbols {
                for time in &times {
                    let query = $model::query()
                        .exchange(exchange)
                        .symbol(symbol.clone())
                        .at(time.clone());
                    let expected: Vec<_> = events
                        .iter()
                        .filter(|one| exchange.is_none_or(|exchange| exchange == one.exchange))
                        .filter(|one| symbol.as_ref().is_none_or(|set| set.contains(&one.symbol)))
                        .filter(|one| time.as_ref().is_none_or(|time| time.contains(&one.at)))
                        .cloned()
                        .collect();
                    let said = format!("{exchange:?} {symbol:?} {time:?}");
                    assert_eq!(found(&query, &db).await, expected, "{said}");
                    let count = db.count(&query).await.unwrap();
                    assert_eq!(count, u64::try_from(expected.len()).unwrap(), "{said}");
                    let mut paged = Vec::new();
                    let mut token = None;
                    loop {
                        let page = db.page(&query, 3, token.as_ref()).await.unwrap();
                        paged.extend(page.events);
                        match page.next {
                            Some(next) => token = Some(next),
                            None => break,
                        }
                    }
                    assert_eq!(paged, db.fetch(&query).await.unwrap(), "{said}");
                }
            }
        }
    }};
}

#[tokio::test]
async fn an_absent_filter_selects_everything() {
    optional_filters!(Quote);
    optional_filters!(Cells);
    optional_filters!(Columns);
    optional_filters!(Periods);
}

/// Reads stay within the range of the first segments.
#[test]
fn an_absent_filter_reads_no_more_than_its_prefix() {
    let query = Quote::query()
        .exchange("B")
        .symbol(None::<u8>)
        .at(at(0)..at(60));
    let plan = query.events().plan().unwrap();
    assert!(!plan.full_scan);
    assert_eq!(
        plan.scans[0].parts[0].ranges[0].to_string(),
        r#"["B#", "B$")"#
    );
    let explained = query.events().explain().to_string();
    assert!(
        explained.contains("rows are compared with what is asked of"),
        "{explained}"
    );
    let set = Quote::query()
        .exchange("B")
        .symbol(Some(1))
        .at(at(0)..at(60))
        .events()
        .plan()
        .unwrap();
    let plain = Quote::query()
        .exchange("B")
        .symbol(1)
        .at(at(0)..at(60))
        .events()
        .in_key_order()
        .plan()
        .unwrap();
    assert_eq!(set.scans, plain.scans);
    let open = Quote::query()
        .exchange("B")
        .symbol(None::<u8>)
        .events()
        .plan()
        .unwrap();
    assert_eq!(
        open.scans,
        Quote::query().exchange("B").events().plan().unwrap().scans
    );
}

/// Without a first segment the query would read the whole table, which needs `scan()`.
#[test]
fn an_absent_first_segment_is_refused() {
    let refusal = |refused: Result<_, Error>| {
        let error = refused
            .map(|_: bigtable_model::query::Plan| ())
            .unwrap_err();
        std::error::Error::source(&error).unwrap().to_string()
    };
    let text = "the query would read the whole table: set `exchange`, or begin with `scan()` to do that on purpose";
    assert_eq!(
        refusal(Quote::query().exchange(None::<&str>).events().plan()),
        text
    );
    assert_eq!(
        refusal(
            Quote::query()
                .exchange(None::<&str>)
                .symbol(1)
                .events()
                .plan()
        ),
        text
    );
    assert_eq!(refusal(Quote::query().exchange(..).events().plan()), text);
    let scan = Quote::scan()
        .exchange(None::<&str>)
        .symbol(1)
        .events()
        .plan()
        .unwrap();
    assert!(scan.full_scan);
}

#[tokio::test]
async fn a_full_range_is_all_of_a_series() {
    let (db, events) = written!(Quote);
    let all = Quote::query().exchange("A").symbol(2).at(..);
    let newest = db
        .fetch(&all.events().newest_first().limit(1))
        .await
        .unwrap();
    assert_eq!(newest[0].at, at(5_600));
    let expected: Vec<_> = events
        .iter()
        .filter(|one| one.exchange == "A" && one.symbol == 2)
        .cloned()
        .collect();
    assert_eq!(db.fetch(&all).await.unwrap(), expected);
    let bounds = (Bound::Excluded(at(700)), Bound::Included(at(2_100)));
    let between = Quote::query().exchange("A").symbol(2).at(bounds);
    assert_eq!(db.fetch(&between).await.unwrap(), expected[2..4]);
    let cells = Cells::query()
        .exchange("A")
        .symbol(2)
        .at(..)
        .events()
        .plan()
        .unwrap();
    assert_eq!(
        cells.scans,
        Cells::query()
            .exchange("A")
            .symbol(2)
            .events()
            .plan()
            .unwrap()
            .scans
    );
    let some: Option<Range<Timestamp>> = None;
    let none = Quote::query().exchange("A").symbol(2).at(some);
    assert_eq!(
        db.fetch(&none.events().newest_first().limit(1))
            .await
            .unwrap(),
        newest
    );
}

#[test]
#[allow(
    clippy::needless_borrows_for_generic_args,
    reason = "borrowed sets are sets too"
)]
fn sets_of_every_kind_are_one_query() {
    let plan = |query: QuoteQuery<bigtable_model::query::Open<2>>| query.symbols();
    let names = ["A", "B"];
    let owned = names.map(str::to_owned);
    let expected = Quote::query().exchange(names).symbol(1).symbols();
    let set: HashSet<&str> = names.into();
    let sorted: BTreeSet<String> = owned.clone().into();
    assert_eq!(plan(Quote::query().exchange(&names).symbol(1)), expected);
    assert_eq!(
        plan(Quote::query().exchange(&names[..]).symbol(1)),
        expected
    );
    assert_eq!(
        plan(Quote::query().exchange(&names.to_vec()).symbol(1)),
        expected
    );
    assert_eq!(
        plan(Quote::query().exchange(set.clone()).symbol(1)),
        expected
    );
    assert_eq!(plan(Quote::query().exchange(&set).symbol(1)), expected);
    assert_eq!(plan(Quote::query().exchange(&sorted).symbol(1)), expected);
    assert_eq!(plan(Quote::query().exchange(sorted).symbol(1)), expected);
    assert_eq!(
        plan(Quote::query().exchange(any_of(owned.iter())).symbol(1)),
        expected
    );
    assert_eq!(
        plan(Quote::query().exchange(any_of("A,B".split(','))).symbol(1)),
        expected
    );
    let maybe = Quote::query()
        .exchange(Some(set))
        .symbol(1)
        .events()
        .plan()
        .unwrap();
    let keyed = Quote::query()
        .exchange(names)
        .symbol(1)
        .events()
        .in_key_order()
        .plan()
        .unwrap();
    assert_eq!(maybe.scans, keyed.scans);
    let begun = Quote::query()
        .exchange(Some(starts_with("B")))
        .events()
        .plan()
        .unwrap();
    assert_eq!(
        begun.scans,
        Quote::query()
            .exchange(starts_with("B"))
            .events()
            .plan()
            .unwrap()
            .scans
    );
}

/// The ranges of a query's plan as text.
trait Ranges {
    fn symbols(&self) -> Vec<String>;
}

impl Ranges for QuoteQuery<bigtable_model::query::Open<2>> {
    fn symbols(&self) -> Vec<String> {
        let plan = self.events().plan().unwrap();
        let scans = plan.scans.iter().flat_map(|scan| &scan.parts);
        let mut ranges: Vec<_> = scans
            .flat_map(|part| part.ranges.iter().map(ToString::to_string))
            .collect();
        ranges.sort();
        ranges
    }
}

#[tokio::test]
async fn branches_have_one_type_once_erased() {
    let (db, events) = written!(Quote);
    let by_time = |first: bool| -> Query<Quote, Erased<ByTime>, Quote> {
        match first {
            true => Quote::query().exchange("A").symbol([0, 1]).events().erase(),
            false => Quote::query()
                .exchange("B")
                .symbol(2)
                .at(at(0)..at(1_000))
                .events()
                .erase(),
        }
    };
    let newest = db
        .fetch(&by_time(true).newest_first().limit(2))
        .await
        .unwrap();
    assert_eq!(
        newest,
        db.fetch(
            &Quote::query()
                .exchange("A")
                .symbol([0, 1])
                .events()
                .newest_first()
                .limit(2)
        )
        .await
        .unwrap()
    );
    let few = db
        .fetch(&by_time(false).limit(1).newest_first())
        .await
        .unwrap();
    assert_eq!(few.iter().map(|one| one.at).collect::<Vec<_>>(), [at(700)]);

    let by_key = |exchange: Option<&str>| -> Query<Quote, Erased<ByKey>, Quote> {
        match exchange {
            Some(exchange) => Quote::query()
                .exchange(exchange)
                .symbol(1)
                .events()
                .in_key_order()
                .erase(),
            None => Quote::scan().events().erase(),
        }
    };
    assert_eq!(db.fetch(&by_key(None)).await.unwrap(), events);
    let dear = by_key(None)
        .matching(Quote::FIELDS.bid.equals(3.0))
        .reversed()
        .limit(1);
    assert_eq!(db.fetch(&dear).await.unwrap()[0].exchange, "BC");
    assert_eq!(db.count(&by_key(Some("B"))).await.unwrap(), 9);
    assert!(by_key(Some("B")).max_scans(0).plan().is_ok());
}

macro_rules! many_keys {
    ($model:ident) => {{
        let (db, events) = written!($model);
        let mut keys: Vec<_> = events.iter().step_by(3).map(Model::key).collect();
        keys.extend(events.iter().take(2).map(Model::key));
        keys.reverse();
        let mut absent = events[0].key();
        absent.symbol = 77;
        keys.insert(4, absent);
        let mut late = events[0].key();
        late.at = at(20_000);
        keys.push(late);
        let found = db.get_many::<$model>(&keys).await.unwrap();
        let by_hand: Vec<_> = keys
            .iter()
            .map(|key| events.iter().find(|event| event.key() == *key).cloned())
            .collect();
        assert_eq!(found, by_hand);
        assert_eq!(found.iter().filter(|one| one.is_none()).count(), 2);
        assert_eq!(db.get_many::<$model>([]).await.unwrap(), []);
    }};
}

#[tokio::test]
async fn many_keys_come_back_in_their_order() {
    many_keys!(Quote);
    many_keys!(Cells);
    many_keys!(Columns);
    many_keys!(Periods);
}

/// More keys than a request may have, and one that cannot be encoded.
#[tokio::test]
async fn many_keys_go_out_in_several_requests() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Quote>().await.unwrap();
    let event = |second| Quote {
        exchange: "A".into(),
        symbol: 1,
        at: at(second),
        bid: 1.0,
    };
    let events: Vec<_> = (0..2_500).map(event).collect();
    assert_eq!(db.insert_many(&events).await.into_result().unwrap(), 2_500);
    let keys: Vec<_> = events.iter().rev().map(Model::key).collect();
    let found = db.get_many::<Quote>(&keys).await.unwrap();
    assert!(found.iter().flatten().rev().eq(&events));
    let bad = QuoteKey {
        at: Timestamp::from_micros(1),
        ..keys[0].clone()
    };
    assert!(matches!(
        db.get_many::<Quote>([&keys[0], &bad]).await,
        Err(Error::Key { .. })
    ));
}

/// The answers of a handler are read back unchanged.
#[test]
fn answers_come_back_from_json() {
    fn back<T>(answer: T)
    where
        T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
    {
        let text = serde_json::to_string(&answer).unwrap();
        assert_eq!(serde_json::from_str::<T>(&text).unwrap(), answer, "{text}");
    }
    let ohlc = Ohlc {
        open: 1.5,
        high: 3.5,
        low: 0.5,
        close: 2.5,
    };
    let (start, end) = (at(0), at(60));
    back(Page {
        events: vec![ohlc],
        next: None,
    });
    back(Window {
        series: "ZXZZT".to_owned(),
        start,
        end,
        events: 7,
        value: ohlc,
    });
    back(Point {
        series: (),
        at: start,
        value: Some(1.5),
        filled: true,
    });
}

/// Each kind of error, and the status of an answer with it.
#[tokio::test]
async fn errors_have_the_statuses_of_http() {
    let db = Arc::new(MemoryBackend::new());
    let quote = Quote {
        exchange: "A".into(),
        symbol: 1,
        at: at(0),
        bid: 1.5,
    };
    let said = |error: &Error| (error.kind(), error.kind().http_status());
    let missing = db.insert(&quote).await.unwrap_err();
    assert_eq!(said(&missing), (ErrorKind::Setup, 500));
    db.ensure_tables::<Quote>().await.unwrap();
    let separator = Quote {
        exchange: "A#B".into(),
        ..quote.clone()
    };
    let refused = db.insert(&separator).await.unwrap_err();
    assert_eq!(said(&refused), (ErrorKind::Request, 400));
    let whole = Quote::query().exchange(None::<&str>);
    let refused = db.fetch(&whole).await.unwrap_err();
    assert_eq!(said(&refused), (ErrorKind::Request, 400));
    let token = "AAAA".parse::<PageToken>().map_err(|source| Error::Query {
        table: "QUOTE".to_owned(),
        source,
    });
    assert_eq!(said(&token.unwrap_err()), (ErrorKind::Request, 400));

    let spoilt = RowMutations {
        key: quote.key().encode().unwrap().into(),
        mutations: vec![Mutation::SetCell {
            family: "MD".into(),
            qualifier: "bid".into(),
            timestamp_micros: 0,
            value: "short".into(),
        }],
    };
    db.mutate_row("QUOTE", spoilt).await.unwrap();
    let unread = db.get::<Quote>(&quote.key()).await.unwrap_err();
    assert!(matches!(unread, Error::BadCell { .. }), "{unread:?}");
    assert_eq!(said(&unread), (ErrorKind::StoredRow, 500));

    for (code, expected) in [
        (Code::Unavailable, (ErrorKind::Unavailable, 503)),
        (Code::DeadlineExceeded, (ErrorKind::Timeout, 504)),
        (Code::PermissionDenied, (ErrorKind::Backend, 502)),
    ] {
        let fault = Fault::Error(Status::new(code, "no"));
        let faulty = FaultyBackend::new(db.clone(), 1, vec![FaultRule::new(fault)]).unwrap();
        let failed = faulty.get::<Quote>(&quote.key()).await.unwrap_err();
        assert_eq!(said(&failed), expected);
    }
}
