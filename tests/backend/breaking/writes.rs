//! A bulk write of 100,000 entries to a server that fails a third of them in each attempt.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bigtable_model::Backend;
use bigtable_model::backend::grpc::server::{Answers, GrpcServer, Messages};
use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings, RetrySettings, wire};
use bigtable_model::data::{EntryBatch, RowMutations, SERVER_TIME};
use futures::stream;
use tonic::{Request, Response, Status};

use super::Dice;
use crate::fixture::{TABLE, row, set};
use crate::scripted::serve;

const ENTRIES: usize = 100_000;

/// Every tenth entry writes to the row of the previous one.
const SAME_ROW: usize = 10;

/// Every 17th entry uses the server's time, so it must be sent only once.
const ONCE: usize = 17;

/// What happened to the entries; an entry's value is its number.
#[derive(Debug)]
struct Failing {
    dice: Dice,
    seen: Mutex<Record>,
}

#[derive(Debug, Default)]
struct Record {
    sent: Vec<u32>,
    applied: Vec<u32>,
    /// The entries applied to each row, in order.
    rows: HashMap<Vec<u8>, Vec<usize>>,
}

fn number(entry: &wire::MutateRowsEntry) -> usize {
    match &entry.mutations[0].kind {
        Some(wire::MutationKind::SetCell(set)) => {
            std::str::from_utf8(&set.value).unwrap().parse().unwrap()
        }
        other => panic!("{other:?} was not sent"),
    }
}

impl Failing {
    fn judge(&self, entry: &wire::MutateRowsEntry) -> wire::RpcStatus {
        let number = number(entry);
        let mut record = self.seen.lock().unwrap();
        record.sent[number] += 1;
        // 14 may be retried and was not applied, 4 may be retried and was applied, 7 may not be
        // retried.
        let code = match self.dice.roll(300) {
            0..70 => 14,
            70..98 => 4,
            98..100 => 7,
            _ => 0,
        };
        if code == 0 || code == 4 {
            record.applied[number] += 1;
            record
                .rows
                .entry(entry.row_key.to_vec())
                .or_default()
                .push(number);
        }
        wire::RpcStatus {
            code,
            ..wire::RpcStatus::default()
        }
    }

    fn answer(
        &self,
        request: wire::MutateRowsRequest,
    ) -> Vec<Result<wire::MutateRowsResponse, Status>> {
        let mut keys: Vec<_> = request.entries.iter().map(|entry| &entry.row_key).collect();
        keys.sort_unstable();
        assert!(
            keys.windows(2).all(|two| two[0] != two[1]),
            "a row is there twice"
        );
        let mut answers = Vec::new();
        let cut = self.dice.roll(4) == 0;
        let answered = match cut {
            true => self.dice.roll(request.entries.len()),
            false => request.entries.len(),
        };
        let mut numbered: Vec<_> = (0_i64..).zip(&request.entries).collect();
        // In random order.
        let turn = self.dice.roll(numbered.len());
        numbered.rotate_left(turn);
        for part in numbered[..answered].chunks(1000) {
            let entries = part.iter().map(|(index, entry)| wire::MutateRowsOutcome {
                index: *index,
                status: Some(self.judge(entry)),
            });
            answers.push(Ok(wire::MutateRowsResponse {
                entries: entries.collect(),
                rate_limit_info: None,
            }));
        }
        // The rest was sent, but is neither applied nor answered.
        for (_, entry) in &numbered[answered..] {
            self.seen.lock().unwrap().sent[number(entry)] += 1;
        }
        if cut {
            answers.push(Err(Status::unavailable("on purpose")));
        }
        answers
    }
}

impl GrpcServer for Failing {
    fn mutate_rows(
        &self,
        request: Request<wire::MutateRowsRequest>,
    ) -> Answers<wire::MutateRowsResponse> {
        let answers = self.answer(request.into_inner());
        let messages = Messages::new(stream::iter(answers));
        Box::pin(async move { Ok(Response::new(messages)) })
    }
}

fn entry(number: usize) -> RowMutations {
    let row_of = number - usize::from(number % SAME_ROW == 1);
    let timestamp = match number % ONCE {
        0 => SERVER_TIME,
        _ => 1000,
    };
    let value = number.to_string();
    row(
        &format!("{row_of:06}"),
        vec![set("f", "q", timestamp, value.as_str())],
    )
}

async fn write(seed: u64) {
    let server = Arc::new(Failing {
        dice: Dice::new(seed),
        seen: Mutex::new(Record {
            sent: vec![0; ENTRIES],
            applied: vec![0; ENTRIES],
            rows: HashMap::new(),
        }),
    });
    let retry = RetrySettings {
        first_delay: Duration::from_millis(1),
        max_delay: Duration::from_millis(1),
        ..RetrySettings::default()
    };
    let settings = GrpcSettings::new("p", "i")
        .emulator(serve(&server))
        .retry(retry);
    let backend = GrpcBackend::new(&settings).unwrap();
    let entries = (0..ENTRIES).map(entry);
    let outcomes = backend
        .mutate_rows(TABLE, EntryBatch::of(entries))
        .await
        .unwrap();
    assert_eq!(outcomes.len(), ENTRIES);
    let record = server.seen.lock().unwrap();
    for (number, outcome) in outcomes.iter().enumerate() {
        let (sent, applied) = (record.sent[number], record.applied[number]);
        assert!(sent >= 1, "entry {number} was lost");
        if number % ONCE == 0 {
            assert_eq!(sent, 1, "entry {number} was sent again");
        }
        let code = outcome.as_ref().err().map(|status| status.code as i32);
        match code {
            None => assert!(applied >= 1, "entry {number} was not applied"),
            Some(7) => assert!(number % ONCE != 0 || applied == 0, "entry {number}"),
            Some(code) => assert!(number % ONCE == 0, "entry {number} ended with {code}"),
        }
    }
    for numbers in record.rows.values() {
        assert!(numbers.is_sorted(), "{numbers:?} were applied to a row");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_write_ends_as_it_says() {
    for seed in 0..5 {
        write(seed).await;
    }
}
