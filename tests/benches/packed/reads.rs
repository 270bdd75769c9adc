//! Reads and writes of packed rows, compared with the same events in layouts `row` and `cells` and
//! as blobs: a value a minute, a day in a row.

use std::sync::Arc;

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::dynamic::AnyQuery;
use bigtable_model::packed::PackJob;
use bigtable_model::server::{Instances, Server, ServerOptions};
use bigtable_model::{Backend, BackendExt as _, MemoryBackend, Model, Timestamp};
use bigtable_model_tests::emulator::Emulator;
use criterion::{Criterion, Throughput};
use futures::TryStreamExt as _;
use tokio::runtime::Runtime;

use crate::layouts::stored;

const METERS: i64 = 12;
const DAYS: i64 = 28;
const MINUTES: i64 = 1_440;

macro_rules! power {
    ($name:ident, $table:literal, { $($on_model:tt)* }, { $($on_time:tt)* }) => {
        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable(table = $table, family = "M", $($on_model)*)]
        struct $name {
            #[bigtable(key)]
            meter: String,
            #[bigtable(time, unit = "s" $($on_time)*)]
            at: Timestamp,
            watts: f64,
        }

        impl $name {
            fn all() -> Vec<Self> {
                let start: Timestamp = "2024-03-01T00:00:00Z".parse().unwrap();
                let of = |meter: i64| {
                    (0..DAYS * MINUTES).map(move |minute| Self {
                        meter: format!("m{meter}"),
                        at: Timestamp::from_seconds(start.as_seconds() + minute * 60),
                        // A load that goes up and down, to a tenth of a watt.
                        watts: (400 + (minute * 7 + meter) % 97 - minute % 11) as f64 / 10.0,
                    })
                };
                (0..METERS).flat_map(of).collect()
            }

            async fn write(db: &dyn Backend) {
                let db = db.handle();
                db.ensure_tables::<Self>().await.unwrap();
                db.insert_many(Self::all()).await.into_result().unwrap();
                if let Ok(job) = PackJob::new(Self::SCHEMA) {
                    assert_eq!(job.run(&*db).await.unwrap().refused, 0);
                }
            }

            async fn read(db: &dyn Backend) -> usize {
                db.handle().fetch(&Self::scan()).await.unwrap().len()
            }

            async fn by_column(db: &dyn Backend) -> usize {
                let query = AnyQuery::by_column(&Self::scan());
                db.handle().fetch(&query).await.unwrap().len()
            }

            async fn stream(db: &dyn Backend) -> usize {
                let query = AnyQuery::by_column(&Self::scan());
                let batches = db.handle().stream(&query);
                let sizes = batches.map_ok(|batch| batch.len());
                sizes.try_fold(0, |sum, len| async move { Ok(sum + len) }).await.unwrap()
            }

            async fn count(db: &dyn Backend) -> u64 {
                db.handle().count(&Self::scan()).await.unwrap()
            }
        }
    };
}

power!(InRow, "ROW", {}, {});
power!(InCells, "CELLS", { layout = "cells" }, { , bucket = "day" });
power!(InColumns, "COLUMNS", { layout = "columns" }, { , bucket = "day" });
power!(AsJson, "JSON", { layout = "columns", serialize(json) }, { , bucket = "day" });
power!(Guarded, "GUARDED", { layout = "cells", pack(after = "9000d") }, { , bucket = "day" });
power!(Packed, "PACKED", { layout = "cells", pack(after = "1h") }, { , bucket = "day" });

macro_rules! each {
    ($use:ident) => {
        $use!(InRow "row", InCells "cells", InColumns "columns", AsJson "json in columns",
              Guarded "cells, guarded", Packed "packed")
    };
}

fn servers(runtime: &Runtime) -> Vec<(&'static str, Arc<dyn Backend>)> {
    let own = runtime.block_on(async {
        let instances = Instances::new(|_: &str| Arc::new(MemoryBackend::new()));
        // Its answers are cut at random by default, as a test of clients.
        let options = ServerOptions::default().chunk_seed(None);
        let server = Server::bind("127.0.0.1:0", instances, &options).await;
        let server = server.unwrap();
        let address = server.local_addr().to_string();
        tokio::spawn(server.serve());
        address
    });
    let emulator = Emulator::shared().map(|emulator| emulator.address().to_owned());
    let mut all: Vec<(_, Arc<dyn Backend>)> = vec![("memory", Arc::new(MemoryBackend::new()))];
    for (name, address) in [("our server", Some(own)), ("emulator", emulator)] {
        let Some(address) = address else { continue };
        let settings = GrpcSettings::new("packed", "reads").emulator(address);
        let _guard = runtime.enter();
        all.push((name, Arc::new(GrpcBackend::new(&settings).unwrap())));
    }
    all
}

pub(crate) fn reads(criterion: &mut Criterion) {
    let runtime = Runtime::new().unwrap();
    let events = (METERS * DAYS * MINUTES) as u64;
    for (server, db) in servers(&runtime) {
        let mut group = criterion.benchmark_group(format!("a value a minute, {server}"));
        group.sample_size(10);
        group.throughput(Throughput::Elements(events));
        macro_rules! run {
            ($($model:ident $name:literal),*) => {$(
                runtime.block_on($model::write(&*db));
                if server == "memory" {
                    let (cells, bytes) = runtime.block_on(stored(&*db, &$model::SCHEMA.table.to_string()));
                    println!(
                        "{}: {cells} cells, {bytes} bytes, {:.2} a value",
                        $name,
                        bytes as f64 / events as f64
                    );
                }
                group.bench_function(concat!("read ", $name), |bencher| {
                    bencher.iter(|| {
                        let read = runtime.block_on($model::read(&*db));
                        assert_eq!(read as u64, events);
                    });
                });
                group.bench_function(concat!("read by column ", $name), |bencher| {
                    bencher.iter(|| {
                        let read = runtime.block_on($model::by_column(&*db));
                        assert_eq!(read as u64, events);
                    });
                });
                group.bench_function(concat!("stream by column ", $name), |bencher| {
                    bencher.iter(|| {
                        let read = runtime.block_on($model::stream(&*db));
                        assert_eq!(read as u64, events);
                    });
                });
                group.bench_function(concat!("count ", $name), |bencher| {
                    bencher.iter(|| assert_eq!(runtime.block_on($model::count(&*db)), events));
                });
                if server != "emulator" {
                    group.bench_function(concat!("write ", $name), |bencher| {
                        bencher.iter(|| runtime.block_on($model::write(&*db)));
                    });
                }
            )*};
        }
        each!(run);
        group.finish();
    }
}
