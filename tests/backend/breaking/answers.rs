//! Bulk writes whose entries are answered at random: in any order, in parts, or not at all, by
//! calls that end with any code. Each entry gets its own outcome, and goes out again as often as it
//! should.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bigtable_model::Backend;
use bigtable_model::backend::grpc::server::{Answers, GrpcServer, Messages};
use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings, RetrySettings, wire};
use bigtable_model::data::{EntryBatch, RowMutations, SERVER_TIME};
use futures::stream;
use tonic::{Code, Request, Response, Status};

use super::{Dice, seeds};
use crate::fixture::{TABLE, row, set};
use crate::scripted::serve;

/// Bulk writes of one seed.
const WRITES: usize = 6;

/// The code that an entry got in each request that contained it.
type Met = Mutex<Vec<Vec<Code>>>;

#[derive(Debug)]
struct Answering {
    dice: Dice,
    met: Met,
}

impl Answering {
    /// A code of an entry or of a call.
    fn code(&self, good: usize) -> Code {
        match self.dice.roll(100) {
            roll if roll < good => Code::Ok,
            roll => [
                Code::Unavailable,
                Code::DeadlineExceeded,
                Code::PermissionDenied,
                Code::FailedPrecondition,
                Code::Internal,
            ][roll % 5],
        }
    }

    fn answer(
        &self,
        request: wire::MutateRowsRequest,
    ) -> Vec<Result<wire::MutateRowsResponse, Status>> {
        let end = self.code(60);
        let mut outcomes = Vec::new();
        let mut met = self.met.lock().unwrap();
        for (index, entry) in request.entries.iter().enumerate() {
            let key = std::str::from_utf8(&entry.row_key).unwrap();
            let number: usize = key.parse().unwrap();
            // One is always answered: otherwise the error is that of the call.
            let answered = number == 0 || self.dice.roll(5) > 0;
            let code = match answered {
                true => self.code(50),
                false if end == Code::Ok => Code::Internal,
                false => end,
            };
            met[number].push(code);
            if answered {
                let outcome = wire::MutateRowsOutcome {
                    index: i64::try_from(index).unwrap(),
                    status: Some(wire::RpcStatus {
                        code: code as i32,
                        message: format!("of {number}"),
                        details: Vec::new(),
                    }),
                };
                outcomes.insert(self.dice.roll(outcomes.len() + 1), outcome);
            }
        }
        let mut messages = Vec::new();
        while !outcomes.is_empty() {
            let count = self.dice.roll(outcomes.len() + 1);
            let entries = outcomes.drain(..count).collect();
            messages.push(Ok(wire::MutateRowsResponse {
                entries,
                rate_limit_info: None,
            }));
        }
        if end != Code::Ok {
            messages.push(Err(Status::new(end, "of the call")));
        }
        messages
    }
}

impl GrpcServer for Answering {
    fn mutate_rows(
        &self,
        request: Request<wire::MutateRowsRequest>,
    ) -> Answers<wire::MutateRowsResponse> {
        let messages = self.answer(request.into_inner());
        Box::pin(async move { Ok(Response::new(Messages::new(stream::iter(messages)))) })
    }
}

/// The entry with a number; some must not be sent twice.
fn entry(number: usize) -> (RowMutations, bool) {
    let once = number % 7 == 3;
    let time = if once { SERVER_TIME } else { 1_000 };
    let key = format!("{number}");
    (row(&key, vec![set("f", "q", time, "v")]), once)
}

async fn run(seed: u64) -> usize {
    let server = Arc::new(Answering {
        dice: Dice::new(seed),
        met: Mutex::default(),
    });
    let at_once = RetrySettings {
        first_delay: Duration::ZERO,
        max_delay: Duration::ZERO,
        ..RetrySettings::default()
    };
    let settings = GrpcSettings::new("p", "i").emulator(serve(&server));
    let backend = GrpcBackend::new(&settings.retry(at_once)).unwrap();
    let mut written = 0;
    for write in 0..WRITES {
        let count = 1 + server.dice.roll(60);
        *server.met.lock().unwrap() = vec![Vec::new(); count];
        let entries = (0..count).map(|number| entry(number).0);
        let outcomes = match backend.mutate_rows(TABLE, EntryBatch::of(entries)).await {
            Ok(outcomes) => outcomes,
            Err(error) => panic!("seed {seed}, write {write}: {error}"),
        };
        assert_eq!(outcomes.len(), count);
        let met = server.met.lock().unwrap();
        for (number, (outcome, met)) in outcomes.iter().zip(&*met).enumerate() {
            let place = format!("seed {seed}, write {write}, entry {number}: {met:?} {outcome:?}");
            let passes = |code: &Code| matches!(code, Code::Unavailable | Code::DeadlineExceeded);
            let (last, before) = met.split_last().unwrap_or_else(|| panic!("{place}"));
            assert!(before.iter().all(passes), "{place}");
            match entry(number).1 {
                true => assert_eq!(before.len(), 0, "{place}"),
                false => assert!(!passes(last), "{place}"),
            }
            let code = outcome
                .as_ref()
                .err()
                .map(|status| format!("{:?}", status.code));
            let expected = (*last != Code::Ok).then(|| format!("{last:?}"));
            assert_eq!(code, expected, "{place}");
        }
        written += count;
    }
    written
}

#[tokio::test]
async fn each_entry_gets_its_own_outcome() {
    let mut written = 0;
    for seed in seeds() {
        written += run(seed).await;
    }
    eprintln!("{written} entries");
}
