//! Additions to aggregates through a proxy that cuts connections after the server has added and
//! before its answer arrives.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings, PoolSettings, RetrySettings, wire};
use bigtable_model::backend::{EntryOutcome, Wrapper};
use bigtable_model::data::{
    AggregateKind, EntryBatch, FamilySchema, Idempotency, Mutation, ReadRows, Row, RowMutations,
    RowOnce, TableSchema,
};
use bigtable_model::{Backend, Code, MemoryBackend, Status, Timestamp};
use bigtable_model_tests::runs::nightly;
use futures::TryStreamExt;
use futures::future::{BoxFuture, try_join_all};

use super::Dice;
use super::connections::Cutting;
use crate::fixture::{TABLE, row};
use crate::scripted::{Scripted, Step};

const TASKS: usize = 8;
const ENTRIES: usize = 10;
const ROWS: usize = 16;

/// The additions of a task: 200,000 of all tasks at night.
fn adds_a_task() -> usize {
    nightly(25_000, 1_250)
}

/// The minimum number of additions whose answer is lost.
const LOST: usize = 1_000;

/// A memory backend that counts the additions with a token.
#[derive(Debug, Clone)]
struct Counted {
    inner: MemoryBackend,
    adds: Arc<AtomicUsize>,
}

impl Wrapper for Counted {
    fn inner(&self) -> &dyn Backend {
        &self.inner
    }

    fn mutate_rows<'a>(
        &'a self,
        table: &'a str,
        entries: Arc<EntryBatch>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        if entries.has_tokens() {
            self.adds.fetch_add(entries.len(), Ordering::Relaxed);
        }
        self.inner.mutate_rows(table, entries)
    }
}

async fn sums() -> MemoryBackend {
    let memory = MemoryBackend::new();
    let sums = FamilySchema {
        aggregate: Some(AggregateKind::Sum),
        ..FamilySchema::default()
    };
    let schema = TableSchema {
        table: TABLE.to_owned(),
        families: [("s".to_owned(), sums)].into(),
        ..TableSchema::default()
    };
    memory.tables().create(schema, Vec::new()).await.unwrap();
    memory
}

/// Adds to one of the rows.
fn add(number: usize, input: i64) -> RowMutations {
    let add = Mutation::AddToCell {
        family: "s".into(),
        qualifier: "q".into(),
        timestamp_micros: 1_000,
        input,
    };
    row(&format!("{:02}", number % ROWS), vec![add])
}

/// The number that a task adds: no two sums are equal by chance.
fn input(task: usize, number: usize) -> i64 {
    i64::try_from((task * adds_a_task() + number) * 7 + 1).unwrap()
}

/// Half of the tasks send one addition at a time, the others several.
async fn task(backend: &GrpcBackend, task: usize) -> Result<(), Status> {
    let add = |number| add(number, input(task, number));
    if task.is_multiple_of(2) {
        for number in 0..adds_a_task() {
            backend.mutate_row(TABLE, add(number)).await?;
        }
        return Ok(());
    }
    for first in (0..adds_a_task()).step_by(ENTRIES) {
        let adds = (first..first + ENTRIES).map(add);
        let outcomes = backend.mutate_rows(TABLE, EntryBatch::of(adds)).await?;
        outcomes.into_iter().collect::<Result<(), Status>>()?;
    }
    Ok(())
}

async fn stored(db: &dyn Backend) -> Vec<(String, i64)> {
    let request = ReadRows {
        table: TABLE.to_owned(),
        ..ReadRows::default()
    };
    let rows: Vec<_> = db.read_rows(request).rows().try_collect().await.unwrap();
    let sum = |row: Row| {
        let key = String::from_utf8(row.key.to_vec()).unwrap();
        (
            key,
            i64::from_be_bytes(row.cells[0].value[..].try_into().unwrap()),
        )
    };
    rows.into_iter().map(sum).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_is_added_once_however_often_its_answer_is_lost() {
    let counted = Counted {
        inner: sums().await,
        adds: Arc::default(),
    };
    let served: Arc<dyn Backend> = counted.handle();
    let cutting = Cutting {
        dice: Arc::new(Dice::new(super::seeds().start)),
        cuts: Arc::default(),
        most: 1_000,
    };
    let server = crate::server::serve(&served).await.to_string();
    let address = cutting.clone().before(server).await;
    let settings = GrpcSettings::new("p", "i")
        .emulator(address)
        .repeat_adds()
        .retry(RetrySettings {
            first_delay: Duration::from_millis(1),
            max_delay: Duration::from_millis(10),
            ..RetrySettings::default()
        })
        .pool(PoolSettings {
            channels: 2,
            ..PoolSettings::plaintext()
        });
    let backend = GrpcBackend::new(&settings).unwrap();
    try_join_all((0..TASKS).map(|number| task(&backend, number)))
        .await
        .unwrap();

    let mut expected = [0; ROWS];
    for task in 0..TASKS {
        (0..adds_a_task()).for_each(|number| expected[number % ROWS] += input(task, number));
    }
    let expected = (0..ROWS).map(|row| (format!("{row:02}"), expected[row]));
    assert_eq!(stored(&counted).await, expected.collect::<Vec<_>>());
    let adds = counted.adds.load(Ordering::Relaxed);
    let lost = adds - TASKS * adds_a_task();
    println!(
        "{lost} answers lost, {} cuts",
        cutting.cuts.load(Ordering::Relaxed)
    );
    assert!(lost >= LOST, "{lost} answers lost");
}

fn once(token: &'static str, start: Option<Timestamp>) -> Arc<EntryBatch> {
    let once = RowOnce {
        row: add(0, 5),
        idempotency: Some(Idempotency {
            token: token.into(),
            start_time: start,
        }),
    };
    Arc::new(EntryBatch::from_iter([once]))
}

/// The error code of a write of one row.
async fn refused(db: &dyn Backend, entries: Arc<EntryBatch>) -> Code {
    let outcomes = db.mutate_rows(TABLE, entries).await;
    let outcome = outcomes.and_then(|outcomes| outcomes.into_iter().collect::<Result<(), _>>());
    outcome.unwrap_err().code
}

/// In memory, and through our server.
#[tokio::test]
async fn a_token_is_known_and_one_that_comes_late_is_refused() {
    let memory = sums().await;
    let shared: Arc<dyn Backend> = memory.handle();
    let address = crate::server::serve(&shared).await;
    let served = crate::server::backend(address, "p", "i").handle();
    // A client does not send requests that are too late: it refuses them like the server.
    for (db, token) in [(shared, "in-memory"), (served, "on-the-wire")] {
        let before = stored(&memory).await.first().map_or(0, |(_, sum)| *sum);
        let now = Some(Timestamp::now());
        for _ in 0..3 {
            let outcomes = db.mutate_rows(TABLE, once(token, now)).await;
            assert_eq!(outcomes.unwrap(), [Ok(())]);
        }
        assert_eq!(stored(&memory).await, [("00".to_owned(), before + 5)]);
        let old = Some(Timestamp::now().saturating_sub(Duration::from_secs(16 * 60)));
        let late = refused(&*db, once(token, old)).await;
        assert_eq!(late, Code::FailedPrecondition);
        assert_eq!(
            refused(&*db, once("short", None)).await,
            Code::InvalidArgument
        );
        assert_eq!(stored(&memory).await, [("00".to_owned(), before + 5)]);
    }
}

#[tokio::test]
async fn an_add_is_sent_again_with_its_token_and_without_the_setting_never() {
    let unavailable = || Step::Fail(tonic::Status::unavailable("the answer is lost"));
    let done = || Step::Send(wire::MutateRowResponse {});
    for repeats in [false, true] {
        let (server, backend) = Scripted::start_with(|settings| match repeats {
            true => settings.repeat_adds(),
            false => settings,
        })
        .await;
        server.mutate_row.script([unavailable()]);
        server.mutate_row.script([done()]);
        let added = backend.mutate_row(TABLE, add(0, 1)).await;
        assert_eq!(added.is_ok(), repeats);
        let messages = server.mutate_row.messages().into_iter();
        let tokens = messages.map(|message| message.idempotency);
        let tokens: Vec<_> = tokens.collect();
        match repeats {
            false => assert_eq!(tokens, [None]),
            true => {
                assert_eq!(tokens.len(), 2);
                let one = tokens[0].as_ref().unwrap();
                assert_eq!((one.token.len(), tokens[1].as_ref()), (16, Some(one)));
                assert!(one.start_time.unwrap().seconds > 1_700_000_000);
            }
        }
    }
}
