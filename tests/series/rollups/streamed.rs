//! Windows that are streamed: what is read before one comes, and what comes before an error.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bigtable_model::backend::faults::{Fault, FaultRule, FaultyBackend, Method, When};
use bigtable_model::backend::{RowBatches, Wrapper};
use bigtable_model::data::ReadRows;
use bigtable_model::rollup::{Rollup, WindowQuery, every};
use bigtable_model::{
    Backend, BackendExt as _, Code, Error, MemoryBackend, Model, QueryError, Status, Timestamp,
};
use futures::{StreamExt as _, TryStreamExt as _};

use super::run;

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "PULSE", family = "P", rollup(Beats))]
struct Pulse {
    #[bigtable(key)]
    who: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    beats: u32,
}

#[derive(Debug, Clone, PartialEq, Model, Rollup)]
#[bigtable(table = "BEATS", family = "P")]
#[rollup(of = Pulse, every = "1m", longer(every = "1h", table = "BEATS_HOUR"))]
struct Beats {
    #[bigtable(key)]
    who: String,
    #[bigtable(time, unit = "s")]
    start: Timestamp,
    #[rollup(sum)]
    beats: u64,
    #[rollup(first(beats))]
    first: u32,
    #[rollup(last(beats))]
    last: u32,
}

/// Counts requests and the rows that come.
#[derive(Debug, Clone)]
struct Counted {
    inner: Arc<dyn Backend>,
    reads: Arc<AtomicUsize>,
    rows: Arc<AtomicUsize>,
}

impl Counted {
    fn over(inner: &dyn Backend) -> Self {
        Self {
            inner: inner.handle(),
            reads: Arc::default(),
            rows: Arc::default(),
        }
    }

    fn reads(&self) -> usize {
        self.reads.load(Ordering::Relaxed)
    }

    fn rows(&self) -> usize {
        self.rows.load(Ordering::Relaxed)
    }
}

impl Wrapper for Counted {
    fn inner(&self) -> &dyn Backend {
        &*self.inner
    }

    fn read_rows(&self, request: ReadRows) -> RowBatches {
        self.reads.fetch_add(1, Ordering::Relaxed);
        let rows = Arc::clone(&self.rows);
        let count = move |_: &_| _ = rows.fetch_add(1, Ordering::Relaxed);
        RowBatches::of_rows(self.inner.read_rows(request).rows().inspect(count))
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_seconds(1_700_006_400 + second)
}

/// A pulse at each of some seconds, by these people in turn.
async fn pulses(seconds: impl Iterator<Item = i64> + Send, who: &[&str]) -> MemoryBackend {
    let db = MemoryBackend::new();
    db.ensure_tables::<Pulse>().await.unwrap();
    let pulses = seconds.zip(0..).map(|(second, number)| Pulse {
        who: who[number % who.len()].to_owned(),
        at: at(second),
        beats: u32::try_from(number % 97).unwrap(),
    });
    db.insert_many(pulses).await.into_result().unwrap();
    db
}

fn windows(to: i64, seconds: u64) -> WindowQuery<Beats> {
    let asked = Pulse::query().who("ann").at(at(0)..at(to));
    let length = every(Duration::from_secs(seconds));
    asked.events().resolution(length)
}

/// The first windows come after the reads of their own spans, whatever follows.
#[tokio::test]
async fn the_first_window_comes_after_few_rows() {
    let db = pulses((0..20_000).map(|number| number * 10), &["ann"]).await;
    for is_computed in [false, true] {
        if is_computed {
            drop(run::<Beats>(&db).await);
        }
        // From events, minutes and hours; a marked bucket is a row, and so are its events.
        for (seconds, most) in [(30, 3), (60, 7), (7_200, 850)] {
            let counted = Counted::over(&db);
            let windows = windows(200_000, seconds);
            let mut stream = counted.stream(&windows);
            assert_eq!(counted.reads(), 0);
            let first = stream.try_next().await.unwrap().unwrap();
            assert_eq!(first.start, at(0));
            assert!(counted.rows() <= most, "{seconds}: {}", counted.rows());
            let rest: Vec<_> = stream.try_collect().await.unwrap();
            let all = [vec![first], rest].concat();
            assert_eq!(all, db.fetch(&windows).await.unwrap());
        }
    }
    // A stream that is dropped reads no more.
    let counted = Counted::over(&db);
    let mut stream = counted.stream(&windows(200_000, 60));
    for _ in 0..20 {
        stream.try_next().await.unwrap().unwrap();
    }
    drop(stream);
    assert!(counted.rows() < 40, "{}", counted.rows());
}

/// Rows are not read ahead of the windows by more than a limit, also where they become many after
/// few; and hardly any twice.
#[tokio::test]
async fn a_slice_holds_no_more_than_some_windows() {
    const QUIET: i64 = 10_000_000;
    let sparse = (0..20).map(|number| number * QUIET / 20);
    let seconds = sparse.chain(QUIET..QUIET + 40_000);
    let db = pulses(seconds, &["ann"]).await;
    for length in [1, 60] {
        let counted = Counted::over(&db);
        let windows = windows(QUIET + 50_000, length);
        let mut stream = counted.stream(&windows);
        let (mut found, mut before, mut ahead) = (Vec::new(), 0, 0);
        while let Some(window) = stream.try_next().await.unwrap() {
            found.push(window);
            ahead = ahead.max(counted.rows() - before);
            before = counted.rows();
        }
        assert_eq!(found, db.fetch(&windows).await.unwrap());
        // A slice that has too much is read up to there, and its first half again.
        assert!(ahead <= 7 * 4_096, "{length}: {ahead}");
        let rows = counted.rows();
        assert!(rows <= 2 * 40_000, "{length}: {rows}");
    }
    // Nothing is read for each of ten million empty windows.
    let counted = Counted::over(&db);
    let quiet: Vec<_> = counted
        .stream(&windows(QUIET, 1))
        .try_collect()
        .await
        .unwrap();
    assert_eq!(quiet.len(), 20);
    assert!(counted.reads() <= 60, "{}", counted.reads());
}

/// The windows before a failure come, then the failure, then nothing.
#[tokio::test]
async fn an_error_ends_the_stream_after_the_windows_before_it() {
    let db = pulses((0..3_000).map(|number| number * 10), &["ann", "bob"]).await;
    drop(run::<Beats>(&db).await);
    let windows = windows(30_000, 60);
    let all = db.fetch(&windows).await.unwrap();
    let broken = || Status::new(Code::Internal, "broken on purpose");
    let cut = Fault::CutRead {
        after_rows: 3,
        inside_row: false,
        status: broken(),
    };
    for (fault, nth) in [(Fault::Error(broken()), 4), (cut, 5)] {
        let rule = FaultRule::new(fault).method(Method::ReadRows);
        let rules = vec![rule.when(When::Nth(nth))];
        let faulty = FaultyBackend::new(db.handle(), 1, rules).unwrap();
        let mut stream = faulty.stream(&windows);
        let mut found = Vec::new();
        let error = loop {
            match stream.next().await.unwrap() {
                Ok(window) => found.push(window),
                Err(error) => break error,
            }
        };
        assert!(matches!(error, Error::Backend { .. }), "{error:?}");
        assert!(found.len() >= 7, "{}", found.len());
        assert!(all.starts_with(&found) && found.len() < all.len());
        assert!(stream.next().await.is_none());
    }
}

/// Windows of several people, also those in which one of them is silent.
#[tokio::test]
async fn empty_windows_come_in_their_places() {
    let db = pulses((0..40).map(|number| number * number * 60), &["ann", "bob"]).await;
    let asked = Pulse::query()
        .who(["ann", "bob", "cid"])
        .at(at(-90)..at(200_000));
    let minutes = asked.events().resolution(every(Duration::from_secs(60)));
    let none = |who, start| Beats {
        who,
        start,
        beats: 0,
        first: 0,
        last: 0,
    };
    let windows = minutes.with_empty(none);
    let streamed = super::streamed(&db, &windows).await.unwrap();
    assert_eq!(streamed.len(), 3 * 3_336);
    assert_eq!(streamed, db.fetch(&windows).await.unwrap());
}

/// Windows that cannot be streamed are refused before anything is read, and fetched.
#[tokio::test]
async fn an_open_identifier_is_refused() {
    let db = pulses((0..100).map(|number| number * 10), &["ann", "bob"]).await;
    let length = || every(Duration::from_secs(60));
    let time = at(0)..at(1_000);
    let open = Pulse::scan().at(time.clone()).events();
    let open = open.resolution::<Beats>(length());
    let counted = Counted::over(&db);
    let mut stream = counted.stream(&open);
    let refused = stream.try_next().await.unwrap_err();
    let Error::Query { table, source } = refused else {
        panic!("{refused:?}");
    };
    let segment = "who".to_owned();
    assert_eq!(
        (table.as_str(), source),
        ("PULSE", QueryError::NoTimeOrder { segment })
    );
    assert!(stream.next().await.is_none());
    assert_eq!(counted.reads(), 0);
    assert_eq!(db.fetch(&open).await.unwrap().len(), 2 * 17);

    let few = Pulse::query().who(["ann", "bob"]).at(time).events();
    let few = few.max_scans(1).resolution::<Beats>(length());
    let refused = super::streamed(&counted, &few).await.unwrap_err();
    let Error::Query { source, .. } = refused else {
        panic!("{refused:?}");
    };
    assert!(matches!(
        source,
        QueryError::TooManyScans {
            scans: 2,
            max_scans: 1
        }
    ));
    assert_eq!(counted.reads(), 0);
}
