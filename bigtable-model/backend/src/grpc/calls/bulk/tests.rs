#![allow(clippy::unwrap_used, reason = "tests")]

use prost::Message;

use super::*;
use crate::data::{EntryBatch, Mutation, RowMutations};
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
    (0..4).for_each(|index| bulk.send(index));
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
