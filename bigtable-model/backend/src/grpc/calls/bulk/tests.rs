#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "tests")]

use prost::Message;

use super::*;
use crate::Timestamp;
use crate::data::{EntryBatch, Idempotency, Mutation, RowMutations, RowOnce};
use crate::grpc::protocol::wire::{MutateRowsOutcome, MutateRowsResponse, RpcStatus};

fn answer(index: i64, code: i32) -> Outcomes {
    let response = MutateRowsResponse {
        entries: vec![MutateRowsOutcome {
            index,
            status: Some(RpcStatus {
                code,
                message: "words".to_owned(),
                details: Vec::new(),
            }),
        }],
        rate_limit_info: None,
    };
    Outcomes::new(response.encode_to_vec().into())
}

fn bulk<const N: usize>(keys: [&'static str; N]) -> Bulk {
    let rows = keys.map(|key| RowMutations {
        key: key.into(),
        mutations: vec![Mutation::DeleteFromRow],
    });
    let entries: EntryBatch = rows.into_iter().collect();
    Bulk::new(Entries::new(entries.into()), false)
}

#[test]
fn answers_in_any_order_find_their_entries() {
    let mut bulk = bulk(["a", "b", "c", "d"]);
    bulk.were_sent(&[0, 1, 2, 3]);
    for (index, code) in [(2, 0), (0, 5), (1, 0)] {
        bulk.note(&[0, 2, 3], &mut answer(index, code)).unwrap();
    }
    let outcomes = bulk
        .outcomes(Some(Status::new(Code::Internal, "missing")))
        .unwrap();
    let missing = Err(Status::new(Code::Internal, "missing"));
    let failed = Err(Status::new(Code::NotFound, "words"));
    assert_eq!(outcomes, [failed, missing, Ok(()), Ok(())]);
}

#[test]
fn an_answer_for_no_entry_is_an_error() {
    for index in [-1, 2, i64::MAX] {
        let error = bulk(["a", "b"])
            .note(&[0, 1], &mut answer(index, 0))
            .unwrap_err();
        assert_eq!(error.code, Code::Internal);
    }
}

#[test]
fn a_request_has_one_entry_of_a_row() {
    let mut bulk = bulk(["a", "b", "a", "c", "a", "b"]);
    let entries = bulk.entries.clone();
    let mut next = |done: &[usize], again: &[usize]| {
        done.iter()
            .for_each(|index| bulk.pending.done(*index, &entries));
        bulk.pending.again(again.to_vec());
        bulk.pending.next_request(&entries)
    };
    assert_eq!(next(&[], &[]), Some(vec![0, 1, 3]));
    assert_eq!(next(&[1, 3], &[0]), Some(vec![0, 5]));
    assert_eq!(next(&[0, 5], &[]), Some(vec![2]));
    assert_eq!(next(&[], &[2]), Some(vec![2]));
    assert_eq!(next(&[2], &[]), Some(vec![4]));
    assert_eq!(next(&[4], &[]), None);
}

#[test]
fn entries_that_failed_differently_keep_their_own_errors() {
    let lost = Status::new(Code::Unavailable, "lost");
    let refused = Status::new(Code::PermissionDenied, "refused");
    let mut one = bulk(["a", "b"]);
    one.were_sent(&[0, 1]);
    one.outcomes = vec![Some(Err(lost.clone())), Some(Err(refused.clone()))];
    let outcomes = one.outcomes(None);
    assert_eq!(outcomes, Ok(vec![Err(lost.clone()), Err(refused)]));
    let mut one = bulk(["a", "b"]);
    one.were_sent(&[0, 1]);
    one.outcomes = vec![Some(Err(lost.clone())), None];
    assert_eq!(one.outcomes(Some(lost.clone())), Err(lost));
}

#[test]
fn an_entry_whose_token_may_be_forgotten_is_not_sent() {
    let token = |minutes: u64| {
        Some(Idempotency {
            token: "12345678".into(),
            start_time: Some(Timestamp::now().saturating_sub(Duration::from_secs(60 * minutes))),
        })
    };
    let rows = ["a", "a", "b", "c"].map(|key| RowMutations {
        key: key.into(),
        mutations: vec![Mutation::DeleteFromRow],
    });
    let tokens = [token(14), token(1), token(20), None];
    let rows = rows.into_iter().zip(tokens);
    let once = rows.map(|(row, idempotency)| RowOnce { row, idempotency });
    let entries = EntryBatch::from_iter(once);
    let mut bulk = Bulk::new(Entries::new(entries.into()), false);
    assert_eq!(bulk.next_request(), Some(vec![3]));
    assert_eq!(bulk.next_request(), Some(vec![1]));
    assert_eq!(bulk.next_request(), None);
    bulk.were_sent(&[1, 3]);
    bulk.note(&[3], &mut answer(0, 0)).unwrap();
    bulk.note(&[1], &mut answer(0, 0)).unwrap();
    let outcomes = bulk.outcomes(None).unwrap();
    assert_eq!((&outcomes[1], &outcomes[3]), (&Ok(()), &Ok(())));
    for old in [0, 2] {
        let error = outcomes[old].clone().unwrap_err();
        assert_eq!(error.code, Code::FailedPrecondition);
        assert!(!error.is_retryable());
        assert!(
            error.message.contains("not sent: its idempotency token"),
            "{error}"
        );
    }
}
