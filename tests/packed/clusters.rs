//! Two clusters of a replicated instance, simulated: each has the writes that reached it, in the
//! order in which all were made, and the others arrive later. Tests what a job does during writes
//! to the other cluster, and when its calls switch to that cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bigtable_model::backend::{Tables, Wrapper};
use bigtable_model::data::{
    CheckAndMutateRow, FamilyChange, RowDeletion, RowMutations, TableSchema,
};
use bigtable_model::packed::{PackJob, PackReport};
use bigtable_model::{
    Backend, BackendExt as _, Error, MemoryBackend, Model as _, Status, Timestamp,
};
use bytes::Bytes;
use futures::future::BoxFuture;

use crate::kinds::{InCells, InColumns, Kind};
use crate::world::{Change, Event, at};

const METER: &str = "a";

/// All writes, to either cluster.
#[derive(Debug, Default)]
struct Written {
    /// In the order in which they were made.
    log: Vec<RowMutations>,
    /// The writes that have reached each cluster.
    seen: [BTreeSet<usize>; 2],
    /// How often it was asked whether a token's writes are everywhere.
    asked: usize,
}

#[derive(Debug, Clone)]
struct Cluster {
    db: MemoryBackend,
    number: usize,
    written: Arc<Mutex<Written>>,
}

impl Cluster {
    async fn both<K: Kind>() -> [Self; 2] {
        let written = Arc::default();
        let both = [0, 1].map(|number| Self {
            db: MemoryBackend::new(),
            number,
            written: Arc::clone(&written),
        });
        for cluster in &both {
            cluster.db.ensure_tables::<K>().await.unwrap();
        }
        both
    }

    fn note(&self, row: RowMutations) {
        let mut written = self.written.lock().unwrap();
        let number = written.log.len();
        written.log.push(row);
        written.seen[self.number].insert(number);
    }

    /// Delivers the first writes, this many, to the cluster.
    async fn receive(&self, writes: usize) {
        let rows: Vec<RowMutations> = {
            let mut written = self.written.lock().unwrap();
            written.seen[self.number].extend(0..writes);
            let seen = written.seen[self.number].iter();
            seen.map(|number| written.log[*number].clone()).collect()
        };
        for table in self.db.tables().list().await.unwrap() {
            let emptied = self.db.tables().drop_rows(&table, RowDeletion::All).await;
            emptied.unwrap();
            for row in &rows {
                self.db.mutate_row(&table, row.clone()).await.unwrap();
            }
        }
    }

    async fn events<K: Kind>(&self) -> BTreeMap<Timestamp, Event> {
        let found = K::asked_all(&self.db, METER).await;
        let count = found.len();
        let by_time: BTreeMap<_, _> = found.into_iter().map(|one| (one.at, one)).collect();
        assert_eq!(by_time.len(), count, "an event is there twice");
        by_time
    }
}

/// Everything reaches both clusters, which then have the same events.
async fn settle<K: Kind>(both: &[Cluster; 2]) -> BTreeMap<Timestamp, Event> {
    let writes = both[0].written.lock().unwrap().log.len();
    for cluster in both {
        cluster.receive(writes).await;
    }
    let [one, other] = [both[0].events::<K>().await, both[1].events::<K>().await];
    assert_eq!(one, other);
    one
}

impl Wrapper for Cluster {
    fn inner(&self) -> &dyn Backend {
        &self.db
    }

    fn tables(&self) -> &dyn Tables {
        self
    }

    fn mutate_row<'a>(
        &'a self,
        table: &'a str,
        row: RowMutations,
    ) -> BoxFuture<'a, Result<(), Status>> {
        Box::pin(async move {
            self.db.mutate_row(table, row.clone()).await?;
            self.note(row);
            Ok(())
        })
    }

    fn check_and_mutate_row(
        &self,
        request: CheckAndMutateRow,
    ) -> BoxFuture<'_, Result<bool, Status>> {
        Box::pin(async move {
            let matched = self.db.check_and_mutate_row(request.clone()).await?;
            let mutations = match matched {
                true => request.if_true,
                false => request.if_false,
            };
            if !mutations.is_empty() {
                let key = request.key;
                self.note(RowMutations { key, mutations });
            }
            Ok(matched)
        })
    }
}

impl Tables for Cluster {
    fn create(&self, schema: TableSchema, splits: Vec<Bytes>) -> BoxFuture<'_, Result<(), Status>> {
        self.db.tables().create(schema, splits)
    }

    fn get<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<TableSchema, Status>> {
        self.db.tables().get(table)
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<String>, Status>> {
        self.db.tables().list()
    }

    fn delete<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<(), Status>> {
        self.db.tables().delete(table)
    }

    fn modify_families<'a>(
        &'a self,
        table: &'a str,
        changes: Vec<FamilyChange>,
    ) -> BoxFuture<'a, Result<TableSchema, Status>> {
        self.db.tables().modify_families(table, changes)
    }

    fn drop_rows<'a>(
        &'a self,
        table: &'a str,
        rows: RowDeletion,
    ) -> BoxFuture<'a, Result<(), Status>> {
        self.db.tables().drop_rows(table, rows)
    }

    fn consistency_token<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<String, Status>> {
        let writes = self.written.lock().unwrap().log.len();
        Box::pin(async move { Ok(writes.to_string()) })
    }

    /// The second time that it is asked.
    fn is_consistent<'a>(
        &'a self,
        _: &'a str,
        token: &'a str,
    ) -> BoxFuture<'a, Result<bool, Status>> {
        Box::pin(async move {
            let asked = {
                let mut written = self.written.lock().unwrap();
                written.asked += 1;
                written.asked
            };
            if asked < 2 {
                return Ok(false);
            }
            self.receive(token.parse().unwrap()).await;
            Ok(true)
        })
    }
}

/// Events of seconds 0 to 4 in both clusters, and then, in the second alone: a correction, a
/// delete, another column, a new event.
async fn written_elsewhere<K: Kind>(both: &[Cluster; 2]) {
    for second in 0..5 {
        let event = Event {
            watts: 1.0,
            ..Event::new(METER, at(second))
        };
        both[0].handle().insert(&K::of(&event)).await.unwrap();
    }
    settle::<K>(both).await;
    let other = both[1].handle();
    for (second, watts) in [(0, 2.0), (9, 3.0)] {
        let event = Event {
            watts,
            ..Event::new(METER, at(second))
        };
        other.insert(&K::of(&event)).await.unwrap();
    }
    other.delete::<K>(&K::key_of(METER, at(1))).await.unwrap();
    let change = Change::Volts(Some(230.0));
    let changed = K::change(&K::key_of(METER, at(2)), &change);
    other.send(changed).await.unwrap();
}

/// The events at the end, with the watts of second 0.
fn expected(watts: f64) -> BTreeMap<Timestamp, Event> {
    let events = [0, 2, 3, 4, 9].map(|second| {
        let mut event = Event::new(METER, at(second));
        event.watts = match second {
            0 => watts,
            9 => 3.0,
            _ => 1.0,
        };
        event.volts = (second == 2).then_some(230.0);
        (event.at, event)
    });
    events.into()
}

async fn run(job: PackJob, db: &dyn Backend) -> Result<PackReport, Error> {
    job.run(db).await
}

async fn beside_another_cluster<K: Kind>() {
    let job = || PackJob::new(K::SCHEMA).unwrap();
    let both = Cluster::both::<K>().await;
    written_elsewhere::<K>(&both).await;
    assert_eq!(run(job(), &both[0]).await.unwrap().changed, 1);
    // The correction replaced a cell that the job deletes later, as it was before.
    assert_eq!(settle::<K>(&both).await, expected(1.0));

    let both = Cluster::both::<K>().await;
    written_elsewhere::<K>(&both).await;
    let job = job().after_replication(Duration::from_secs(60));
    assert_eq!(run(job, &both[0]).await.unwrap().changed, 1);
    assert_eq!(both[0].written.lock().unwrap().asked, 2);
    assert_eq!(settle::<K>(&both).await, expected(2.0));
}

/// A cluster that is out of reach.
#[tokio::test]
async fn a_job_does_not_wait_for_ever() {
    let both = Cluster::both::<InCells>().await;
    let job = PackJob::new(InCells::SCHEMA).unwrap();
    let job = job.after_replication(Duration::ZERO);
    let error = run(job, &both[0]).await.unwrap_err();
    assert!(error.is_retryable(), "{error}");
    let Error::Backend { table, source, .. } = &error else {
        panic!("{error:?}");
    };
    assert_eq!(table, "CELLS");
    assert_eq!(
        source.message,
        "its writes are not in every cluster after 0ns"
    );
}

#[tokio::test]
async fn a_correction_elsewhere_is_kept_after_replication() {
    beside_another_cluster::<InCells>().await;
    beside_another_cluster::<InColumns>().await;
}

/// Calls go to one cluster, and after this many to the other.
#[derive(Debug, Clone)]
struct FailingOver {
    both: [Cluster; 2],
    after: usize,
    calls: Arc<AtomicUsize>,
}

impl Wrapper for FailingOver {
    fn inner(&self) -> &dyn Backend {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        &self.both[usize::from(call >= self.after)]
    }
}

/// Wherever a job's calls switch to the other cluster, that cluster has not received the job's
/// writes: no claim is found there, so a row is changed only in the cluster where it was read.
async fn failed_over<K: Kind>() -> usize {
    for after in 0.. {
        let both = Cluster::both::<K>().await;
        written_elsewhere::<K>(&both).await;
        // These writes have reached both.
        let writes = both[0].written.lock().unwrap().log.len();
        both[0].receive(writes).await;
        let db = FailingOver {
            both: both.clone(),
            after,
            calls: Arc::default(),
        };
        for _ in 0..2 {
            run(PackJob::new(K::SCHEMA).unwrap(), &db).await.unwrap();
        }
        assert_eq!(
            settle::<K>(&both).await,
            expected(2.0),
            "after {after} calls"
        );
        let job = PackJob::new(K::SCHEMA).unwrap();
        assert_eq!(run(job, &both[1]).await.unwrap().refused, 0);
        assert_eq!(
            settle::<K>(&both).await,
            expected(2.0),
            "after {after} calls"
        );
        if db.calls.load(Ordering::Relaxed) < after {
            return after;
        }
    }
    0
}

#[tokio::test]
async fn a_failover_at_any_call_loses_nothing() {
    // The keys, then a claim, a read and a change; and the second time the keys.
    for calls in [
        failed_over::<InCells>().await,
        failed_over::<InColumns>().await,
    ] {
        assert!(calls > 5, "{calls}");
    }
}
