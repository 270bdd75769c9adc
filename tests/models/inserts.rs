//! Writes of many events: overlapping requests, with each row's writes in order.

use std::collections::BTreeMap;
use std::future::IntoFuture as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::server::{Server, ServerOptions};
use bigtable_model::{Backend, BackendExt, Code, Error, MemoryBackend, Model, Timestamp};
use futures::{StreamExt as _, join, stream};

use crate::watched::Watched;

/// A value of a machine; every write is kept.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "GAUGE", family = "G", cell_time = "write")]
struct Gauge {
    #[bigtable(key)]
    machine: u32,
    number: u32,
}

/// A value at a time, many in a row.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SAMPLE", family = "S", layout = "columns")]
struct Sample {
    #[bigtable(key, width = 3, column = "ID", text)]
    machine: u16,
    #[bigtable(time, bucket = "hour", unit = "ms")]
    at: Timestamp,
    number: u32,
}

async fn watched<M: Model>() -> Watched {
    let db = MemoryBackend::new();
    db.ensure_tables::<M>().await.unwrap();
    Watched::new(db)
}

/// The same machines again and again, ordered so that some are in adjacent requests.
fn gauges(count: u32) -> impl Iterator<Item = Gauge> {
    (0..count).map(|number| Gauge {
        machine: number * 7_919 % 3_001,
        number,
    })
}

#[tokio::test]
async fn rows_are_never_in_two_requests_and_the_last_write_stays() {
    let db = watched::<Gauge>().await;
    let outcome = db
        .insert_many(gauges(20_000))
        .requests_in_flight(3)
        .unwrap();
    assert_eq!(outcome.await.into_result().unwrap(), 20_000);
    assert_eq!(db.bulk.most.load(Ordering::Relaxed), 3);
    let last: Vec<Gauge> = {
        let mut last: Vec<_> = gauges(20_000).skip(20_000 - 3_001).collect();
        last.sort_by_key(|gauge| gauge.machine.to_string());
        last
    };
    let mut stored = db.inner.fetch(&Gauge::scan()).await.unwrap();
    stored.sort_by_key(|gauge| gauge.machine.to_string());
    assert_eq!(stored, last);
}

#[tokio::test]
async fn one_request_at_a_time_where_that_is_asked() {
    let db = watched::<Gauge>().await;
    let gauges: Vec<_> = (0..6_000)
        .map(|machine| Gauge { machine, number: 0 })
        .collect();
    let outcome = db.insert_many(&gauges).requests_in_flight(1).unwrap();
    outcome.await.into_result().unwrap();
    assert_eq!(db.bulk.most.load(Ordering::Relaxed), 1);
    let outcome = db.insert_many(&gauges).await;
    outcome.into_result().unwrap();
    assert_eq!(db.bulk.most.load(Ordering::Relaxed), 4);
}

#[tokio::test]
async fn events_of_a_row_share_its_entry() {
    let db = watched::<Sample>().await;
    let samples = (0..60_000_u32).map(|number| Sample {
        machine: u16::try_from(number % 500).unwrap(),
        at: Timestamp::from_millis(i64::from(number / 500)),
        number,
    });
    let outcome = db.insert_stream(stream::iter(samples));
    assert_eq!(outcome.await.into_result().unwrap(), 60_000);
    assert_eq!(db.bulk.requests.load(Ordering::Relaxed), 1);
    let count = db.inner.count(&Sample::scan()).await.unwrap();
    assert_eq!(count, 60_000);
}

#[tokio::test]
async fn progress_tells_what_was_written_and_what_was_refused() {
    let db = watched::<Sample>().await;
    let samples = (0..5_000_u16).map(|machine| Sample {
        // Numbers from 1,000 on have more than three digits.
        machine: machine % 1_001,
        at: Timestamp::from_millis(i64::from(machine)),
        number: 0,
    });
    let mut told = Vec::new();
    let inserts = db.insert_many(samples);
    let outcome = inserts.on_progress(|now| told.push(now)).await;
    assert_eq!((outcome.written(), outcome.failed().len()), (4_996, 4));
    let refused: Vec<_> = outcome.failed().iter().map(|failed| failed.index).collect();
    assert_eq!(refused, [1_000, 2_001, 3_002, 4_003]);
    let sums = told.iter().map(|now| now.written + now.failed);
    assert!(sums.is_sorted_by(|one, next| one < next));
    let last = told.last().unwrap();
    assert_eq!((last.written, last.failed), (4_996, 4));
}

#[tokio::test]
async fn a_source_is_left_alone_while_there_is_no_room() {
    let db = watched::<Gauge>().await;
    db.bulk.permits.forget_permits(usize::MAX);
    let taken = AtomicUsize::new(0);
    let gauges = (0..50_000).map(|machine| {
        taken.fetch_add(1, Ordering::Relaxed);
        Gauge { machine, number: 0 }
    });
    let writes = db
        .insert_many(gauges)
        .requests_in_flight(2)
        .unwrap()
        .into_future();
    let (outcome, ()) = join!(writes, async {
        while db.bulk.requests.load(Ordering::Relaxed) < 2 {
            tokio::task::yield_now().await;
        }
        for _ in 0..1_000 {
            tokio::task::yield_now().await;
        }
        // Two requests in flight, a full one, and the event that did not fit in it.
        assert_eq!(taken.load(Ordering::Relaxed), 3_001);
        db.bulk.permits.add_permits(1_000);
    });
    assert_eq!(outcome.into_result().unwrap(), 50_000);
}

#[tokio::test]
async fn a_slow_stream_is_not_waited_for() {
    let db = watched::<Gauge>().await;
    let (sender, receiver) = futures::channel::mpsc::unbounded();
    let events = receiver.map(|machine| Gauge { machine, number: 1 });
    let writes = db.insert_stream(events).into_future();
    let (outcome, ()) = join!(writes, async {
        for machine in 0..5 {
            sender.unbounded_send(machine).unwrap();
            let key = GaugeKey { machine };
            let mut looks = 0;
            while db.get::<Gauge>(&key).await.unwrap().is_none() {
                looks += 1;
                assert!(looks < 10_000, "the event waits for others");
                tokio::task::yield_now().await;
            }
        }
        drop(sender);
    });
    assert_eq!(outcome.into_result().unwrap(), 5);
}

/// Arbitrary metrics of a machine.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "MACHINE", family = "M")]
struct Machine {
    #[bigtable(key, width = 3)]
    machine: u32,
    load: u32,
    #[bigtable(columns, family = "REST")]
    rest: BTreeMap<String, u32>,
}

/// The 38th has more columns than Bigtable accepts in one write.
fn machines() -> Vec<Machine> {
    let machine = |machine: u32| Machine {
        machine,
        load: 7,
        rest: match machine {
            37 => (0..100_000).map(|n| (n.to_string(), n)).collect(),
            _ => BTreeMap::new(),
        },
    };
    (0..100).map(machine).collect()
}

#[tokio::test]
async fn an_event_that_cannot_be_written_fails_alone() {
    let db = watched::<Machine>().await;
    let options = ServerOptions::default();
    let server = Server::bind("127.0.0.1:0", db.handle(), &options).await;
    let server = server.unwrap();
    let settings = GrpcSettings::new("p", "i").emulator(server.local_addr().to_string());
    tokio::spawn(server.serve());
    let grpc = GrpcBackend::new(&settings).unwrap();
    let backends: [&dyn Backend; 3] = [&db, &db.inner, &grpc];
    for backend in backends {
        let outcome = backend.insert_many(&machines()).await;
        assert_eq!(outcome.written(), 99);
        let [failed] = outcome.failed() else {
            panic!("{} failed", outcome.failed().len());
        };
        assert_eq!(failed.index, 37);
        let Error::Backend { key, source, .. } = &failed.error else {
            panic!("{}", failed.error);
        };
        assert_eq!(key.as_deref(), Some("machine=37"));
        assert_eq!(source.code, Code::InvalidArgument, "{source}");
        let keys = machines().into_iter().map(|one| one.machine);
        let keys: Vec<_> = keys.map(|machine| MachineKey { machine }).collect();
        let deleted = backend.delete_many::<Machine>(&keys).await;
        assert_eq!(deleted.into_result().unwrap(), 100);
    }
}

#[test]
fn no_request_at_all_is_refused() {
    let db = MemoryBackend::new();
    let inserts = || db.insert_many(gauges(1));
    let refused = inserts().requests_in_flight(0).unwrap_err();
    let words = "Inserts::requests_in_flight is 0: give at least 1";
    assert_eq!(refused.to_string(), words);
    assert!(inserts().requests_in_flight(usize::MAX).is_ok());
}
