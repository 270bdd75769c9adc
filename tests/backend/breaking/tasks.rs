//! A hundred tasks that write through a proxy that cuts connections before their answers arrive.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings, PoolSettings, RetrySettings};
use bigtable_model::data::{CheckAndMutateRow, EntryBatch, FamilySchema, ReadRows, TableSchema};
use bigtable_model::{Backend, MemoryBackend, Status};
use bigtable_model_tests::runs::nightly;
use futures::TryStreamExt;
use futures::future::join_all;

use super::Dice;
use super::connections::Cutting;
use crate::fixture::{TABLE, row, set};

const TASKS: usize = 100;

/// The fewest cuts.
const CUTS: usize = 20;

/// The rows of a task.
const ROWS: u64 = 5;

fn seconds() -> Duration {
    nightly(Duration::from_secs(60), Duration::from_secs(1))
}

fn key(task: usize, number: u64) -> String {
    format!("{task:03}#{}", number % ROWS)
}

/// Writes a task's next numbers, one or some at a time; returns which were acknowledged.
async fn write(backend: &GrpcBackend, task: usize, number: u64) -> Vec<(u64, Result<(), Status>)> {
    // A write that arrives late does not hide a later one.
    let cells = |number: u64| {
        vec![set(
            "f",
            "q",
            1_000 * (number as i64 + 1),
            number.to_string(),
        )]
    };
    match number % 3 {
        0 => {
            let written = backend.mutate_row(TABLE, row(&key(task, number), cells(number)));
            vec![(number, written.await)]
        }
        1 => {
            let numbers = number..number + ROWS;
            let rows = numbers.clone().map(|one| row(&key(task, one), cells(one)));
            match backend.mutate_rows(TABLE, EntryBatch::of(rows)).await {
                Ok(outcomes) => numbers.zip(outcomes).collect(),
                Err(status) => numbers.map(|one| (one, Err(status.clone()))).collect(),
            }
        }
        _ => {
            let written = backend.check_and_mutate_row(CheckAndMutateRow {
                table: TABLE.to_owned(),
                key: key(task, number).into(),
                predicate: None,
                if_true: cells(number),
                if_false: cells(number),
            });
            vec![(number, written.await.map(drop))]
        }
    }
}

/// Writes until the end, and until connections were cut often; returns the last acknowledged number
/// of each row, and the last number.
async fn task(
    backend: GrpcBackend,
    task: usize,
    end: Instant,
    cuts: Arc<AtomicUsize>,
) -> ([Option<u64>; 5], u64) {
    let (mut last, mut number) = ([None; 5], 0);
    while Instant::now() < end || cuts.load(Ordering::Relaxed) < CUTS {
        let written = write(&backend, task, number).await;
        number += written.len() as u64;
        for (one, outcome) in written {
            // A failed write may be stored too; writes acknowledged before are not lost by it.
            if outcome.is_ok() {
                last[usize::try_from(one % ROWS).unwrap()] = Some(one);
            }
        }
    }
    (last, number)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_acknowledged_write_is_lost() {
    let memory = MemoryBackend::new();
    let schema = TableSchema {
        table: TABLE.to_owned(),
        families: [("f".to_owned(), FamilySchema::default())].into(),
        ..TableSchema::default()
    };
    memory.tables().create(schema, Vec::new()).await.unwrap();
    let cutting = Cutting {
        dice: Arc::new(Dice::new(super::seeds().start)),
        cuts: Arc::default(),
        most: 4_000,
    };
    let served: Arc<dyn Backend> = memory.handle();
    let server = crate::server::serve(&served).await.to_string();
    let address = cutting.clone().before(server).await;
    let settings = GrpcSettings::new("p", "i")
        .emulator(address)
        .retry(RetrySettings {
            first_delay: Duration::from_millis(1),
            max_delay: Duration::from_millis(10),
            ..RetrySettings::default()
        })
        .pool(PoolSettings {
            channels: 4,
            ..PoolSettings::plaintext()
        });
    let backend = GrpcBackend::new(&settings).unwrap();
    let end = Instant::now() + seconds();
    let tasks = (0..TASKS)
        .map(|number| tokio::spawn(task(backend.clone(), number, end, cutting.cuts.clone())));
    let told = join_all(tasks).await;

    let request = ReadRows {
        table: TABLE.to_owned(),
        ..ReadRows::default()
    };
    let rows: Vec<_> = memory
        .read_rows(request)
        .rows()
        .try_collect()
        .await
        .unwrap();
    let stored = |task: usize, number: u64| {
        let key = key(task, number);
        let found = rows.iter().find(|row| row.key == key.as_bytes())?;
        std::str::from_utf8(&found.cells[0].value)
            .ok()?
            .parse::<u64>()
            .ok()
    };
    let mut acknowledged = 0;
    for (task, told) in told.into_iter().enumerate() {
        let (last, all) = told.unwrap();
        for number in last.into_iter().flatten() {
            let found = stored(task, number).unwrap();
            assert!(
                (number..all).contains(&found),
                "task {task}: {found}, not {number}"
            );
        }
        acknowledged += all;
    }
    let cuts = cutting.cuts.load(Ordering::Relaxed);
    println!("{acknowledged} writes, {cuts} cuts");
}
