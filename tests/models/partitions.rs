//! Queries split into partitions, and parallel reads without an order.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bigtable_model::backend::{RowBatches, Wrapper};
use bigtable_model::data::{ReadRows, RowKeySample};
use bigtable_model::model::ModelKey as _;
use bigtable_model::query::{AsQuery, Partition, QueryState};
use bigtable_model::{Backend, BackendExt, Code, Error, MemoryBackend, Model, Status, Timestamp};
use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _};

/// Reports that its tables can be split at every n-th row, and counts reads.
#[derive(Debug, Clone)]
struct Cut {
    inner: MemoryBackend,
    every: usize,
    reads: Arc<AtomicUsize>,
    samples: bool,
}

impl Cut {
    fn new(every: usize) -> Self {
        let inner = MemoryBackend::new();
        Self {
            inner,
            every,
            reads: Arc::default(),
            samples: true,
        }
    }
}

impl Wrapper for Cut {
    fn inner(&self) -> &dyn Backend {
        &self.inner
    }

    fn read_rows(&self, request: ReadRows) -> RowBatches {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.inner.read_rows(request)
    }

    fn sample_row_keys<'a>(
        &'a self,
        table: &'a str,
    ) -> BoxFuture<'a, Result<Vec<RowKeySample>, Status>> {
        async move {
            if !self.samples {
                return Err(Status::new(Code::PermissionDenied, "no samples"));
            }
            self.inner.tables().get(table).await?;
            let mut rows = self
                .inner
                .read_rows(ReadRows {
                    table: table.to_owned(),
                    ..ReadRows::default()
                })
                .rows();
            let (mut samples, mut count) = (Vec::new(), 0);
            while let Some(row) = rows.next().await {
                count += 1;
                if count % self.every == 0 {
                    let offset_bytes = i64::try_from(count).unwrap();
                    samples.push(RowKeySample {
                        key: row?.key,
                        offset_bytes,
                    });
                }
            }
            let offset_bytes = i64::try_from(count).unwrap();
            samples.push(RowKeySample {
                key: bytes::Bytes::new(),
                offset_bytes,
            });
            Ok(samples)
        }
        .boxed()
    }
}

macro_rules! samples {
    ($name:ident, $table:literal, $layout:literal, [$($more:tt)*], $($time:tt)*) => {
        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable(table = $table, family = "F", layout = $layout $($more)*)]
        struct $name {
            #[bigtable(key)]
            host: u8,
            #[bigtable(time, $($time)*)]
            at: Timestamp,
            load: f64,
        }
    };
}

samples!(Plain, "PLAIN", "row", [], unit = "s");
samples!(Salted, "SALTED", "row", [, salt(shards = 4, of(host, at))], unit = "s");
samples!(Cells, "CELLS", "cells", [], bucket = "minute");
samples!(Periods, "PERIODS_{at:%Y%m%d}", "row", [], unit = "s");

fn at(minute: i64) -> Timestamp {
    Timestamp::from_seconds(1_500_000_000 + minute * 60)
}

/// The parts hold every result once, and none holds much more than its share.
async fn check<Q>(query: &Q, n: usize, db: &Cut) -> Vec<Partition<Q::Model>>
where
    Q: AsQuery<Read = <Q as AsQuery>::Model>,
    Q::Model: std::fmt::Debug,
    Q::State: QueryState<Q::Model>,
{
    let mut expected: Vec<_> = db
        .fetch(query)
        .await
        .unwrap()
        .iter()
        .map(|one| format!("{one:?}"))
        .collect();
    let partitions = db.partitions(query, n).await.unwrap();
    assert!(partitions.len() <= n.max(1));
    let mut found = Vec::new();
    for partition in &partitions {
        let text = serde_json::to_string(partition).unwrap();
        let same: Partition<Q::Model> = serde_json::from_str(&text).unwrap();
        assert_eq!(same.plan(), partition.plan());
        let events = db.fetch(&same).await.unwrap();
        let keys: Vec<_> = events
            .iter()
            .map(|event| event.key().encode().unwrap())
            .collect();
        assert!(keys.is_sorted() || keys.iter().rev().is_sorted());
        found.extend(events.iter().map(|one| format!("{one:?}")));
    }
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
    partitions
}

macro_rules! parts_are_the_whole {
    ($($model:ident),*) => {$({
        for every in [1, 7, 50, 100_000] {
            let db = Cut::new(every);
            if $model::SCHEMA.table.fixed().is_some() {
                db.ensure_tables::<$model>().await.unwrap();
            } else {
                db.ensure_periods::<Periods>(at(0)..at(3_000)).await.unwrap();
            }
            let events: Vec<_> = (0..4_u8)
                .flat_map(|host| (0..3_000).step_by(40).map(move |minute| (host, minute)))
                .map(|(host, minute)| $model { host, at: at(minute), load: 1.0 })
                .collect();
            assert_eq!(db.insert_many(&events).await.into_result().unwrap(), 300);
            for n in [0, 1, 3, 8, 1_000] {
                let all = $model::scan();
                let parts = check(&all, n, &db).await;
                if every < 50 && n == 8 {
                    assert!(parts.len() >= 6, "{} of {every}: {}", stringify!($model), parts.len());
                }
                check(&$model::scan().events().reversed(), n, &db).await;
                check(&$model::query().host([1, 3]), n, &db).await;
                check(&$model::query().host(2).at(at(100)..at(2_000)), n, &db).await;
                check(&$model::query().host(2).at([at(40), at(80), at(81)]), n, &db).await;
                check(&$model::query().host(9), n, &db).await;
            }
            let some = $model::scan().events().matching($model::FIELDS.load.equals(2.0));
            check(&some, 5, &db).await;
            let mut unordered = Vec::new();
            let mut stream = db.stream(&$model::scan().events().unordered());
            while let Some(event) = stream.try_next().await.unwrap() {
                unordered.push(event.key().encode().unwrap().to_vec());
                unordered.last_mut().unwrap().extend(event.at.as_micros().to_be_bytes());
            }
            assert_eq!(unordered.len(), 300);
            assert_eq!(unordered.iter().collect::<BTreeSet<_>>().len(), 300);
            assert_eq!(db.count(&$model::scan().events().unordered()).await.unwrap(), 300);
        }
    })*};
}

#[tokio::test]
async fn partitions_are_disjoint_and_complete() {
    parts_are_the_whole!(Plain, Salted, Cells, Periods);
}

async fn filled(every: usize) -> Cut {
    let db = Cut::new(every);
    db.ensure_tables::<Plain>().await.unwrap();
    let events: Vec<_> = (0..400)
        .map(|minute| Plain {
            host: 1,
            at: at(minute),
            load: 1.0,
        })
        .collect();
    assert_eq!(db.insert_many(&events).await.into_result().unwrap(), 400);
    db
}

#[tokio::test]
async fn parts_weigh_about_the_same() {
    let db = filled(10).await;
    let parts = db.partitions(&Plain::query().host(1), 4).await.unwrap();
    let mut counts = Vec::new();
    for part in &parts {
        counts.push(db.fetch(part).await.unwrap().len());
    }
    assert_eq!(counts.len(), 4);
    assert!(
        counts.iter().all(|count| (80..=120).contains(count)),
        "{counts:?}"
    );
}

#[tokio::test]
async fn reads_without_an_order_run_side_by_side() {
    let db = filled(10).await;
    let reads = |db: &Cut| db.reads.swap(0, Ordering::Relaxed);
    reads(&db);
    let query = Plain::query().host(1);
    assert_eq!(
        db.fetch(&query.events().unordered()).await.unwrap().len(),
        400
    );
    assert_eq!(reads(&db), 8);
    assert_eq!(
        db.fetch(&query.events().in_key_order())
            .await
            .unwrap()
            .len(),
        400
    );
    assert_eq!(reads(&db), 1);
    // A limit is reached soon, so keys are distributed to scans as they are.
    let few = Plain::query().host(1).events().limit(3);
    assert_eq!(db.fetch(&few.unordered()).await.unwrap().len(), 3);
    assert_eq!(reads(&db), 1);
    let two = Plain::query().host(1).at([at(1), at(300)]);
    assert_eq!(db.fetch(&two.events().unordered()).await.unwrap().len(), 2);
    assert_eq!(reads(&db), 2);
    // A table that cannot be sampled is read as a whole.
    let db = Cut {
        samples: false,
        ..db
    };
    assert_eq!(
        db.fetch(&query.events().unordered()).await.unwrap().len(),
        400
    );
    assert_eq!(reads(&db), 1);
    let refused = db.partitions(&query, 4).await.unwrap_err();
    assert!(
        matches!(
            &refused,
            Error::Backend {
                method: "SampleRowKeys",
                ..
            }
        ),
        "{refused}"
    );
}

#[tokio::test]
async fn a_limit_is_no_part_of_a_partition() {
    let db = filled(10).await;
    let refused = db
        .partitions(&Plain::query().host(1).events().limit(5), 4)
        .await
        .unwrap_err();
    let source = std::error::Error::source(&refused).unwrap();
    assert!(
        source
            .to_string()
            .starts_with("a query with a limit cannot be split"),
        "{source}"
    );
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "LEVEL", family = "L")]
struct Level {
    #[bigtable(key)]
    host: u8,
    #[bigtable(key, binary)]
    level: f64,
    note: String,
}

/// JSON has no infinities and no NaN.
#[tokio::test]
async fn partitions_with_any_float_come_back_from_json() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Level>().await.unwrap();
    let levels = [f64::NEG_INFINITY, -0.0, 0.1, f64::INFINITY, f64::NAN];
    for level in levels {
        let note = "n".to_owned();
        db.insert(&Level {
            host: 1,
            level,
            note,
        })
        .await
        .unwrap();
    }
    let query = Level::scan()
        .host(None::<u8>)
        .level([f64::INFINITY, f64::NAN, 0.1]);
    let mut found = 0;
    for partition in db.partitions(&query, 2).await.unwrap() {
        let json = serde_json::to_string(&partition).unwrap();
        let read: Partition<Level> = serde_json::from_str(&json).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), json);
        found += db.fetch(&read).await.unwrap().len();
    }
    assert_eq!(found, 3);
}
