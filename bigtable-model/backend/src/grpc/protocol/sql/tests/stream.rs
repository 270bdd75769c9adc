//! The parts of a stream, in the order in which a server may send them.

use bytes::Bytes;

use super::{assert_invalid, columns_of, int, proto_rows};
use crate::data::limits;
use crate::grpc::protocol::sql::batches::Batches;
use crate::grpc::protocol::wire::{
    ExecuteQueryAnswer, ExecuteQueryResponse, PartialResultSet, ProtoRowsBatch,
};
use crate::sql::{SqlType, SqlValue};
use crate::{Code, Status};

fn batches() -> Batches {
    Batches::new(columns_of(&[SqlType::Int64]), limits::ROW)
}

fn rows(numbers: impl IntoIterator<Item = i64>) -> Bytes {
    proto_rows(numbers.into_iter().map(int))
}

fn part(data: &[u8]) -> PartialResultSet {
    PartialResultSet {
        proto_rows_batch: Some(ProtoRowsBatch {
            batch_data: Bytes::copy_from_slice(data),
        }),
        ..PartialResultSet::default()
    }
}

/// A whole batch.
fn batch(data: &Bytes) -> PartialResultSet {
    PartialResultSet {
        batch_checksum: Some(crc32c::crc32c(data)),
        ..part(data)
    }
}

fn token() -> PartialResultSet {
    PartialResultSet {
        resume_token: Bytes::from_static(b"token"),
        ..PartialResultSet::default()
    }
}

fn push(batches: &mut Batches, part: PartialResultSet) -> Result<(), Status> {
    let response = Some(ExecuteQueryAnswer::Results(part));
    batches.push(ExecuteQueryResponse { response })
}

/// The rows that are released.
fn released(batches: &mut Batches) -> Vec<i64> {
    let mut numbers = Vec::new();
    while let Some(batch) = batches.released() {
        while let Some(row) = batch.next().unwrap() {
            let [SqlValue::Int64(number)] = row.values() else {
                panic!("{row:?}")
            };
            numbers.push(*number);
        }
        batches.taken();
    }
    numbers
}

#[test]
fn rows_wait_for_a_token() {
    let mut batches = batches();
    push(&mut batches, batch(&rows(0..3))).unwrap();
    push(&mut batches, batch(&rows(3..5))).unwrap();
    assert!(released(&mut batches).is_empty());
    assert_invalid(&batches.finish().unwrap_err(), "no resume token");
    push(&mut batches, token()).unwrap();
    assert_eq!(released(&mut batches), [0, 1, 2, 3, 4]);
    batches.finish().unwrap();
    assert_eq!(batches.token(), "token");
}

#[test]
fn a_batch_may_be_cut_anywhere_and_its_end_is_a_part_of_its_own() {
    let data = rows([1, 300, -1]);
    for cut in 0..=data.len() {
        let mut batches = batches();
        push(&mut batches, part(&data[..cut])).unwrap();
        push(&mut batches, part(&data[cut..])).unwrap();
        let end = PartialResultSet {
            batch_checksum: Some(crc32c::crc32c(&data)),
            ..token()
        };
        push(&mut batches, end).unwrap();
        assert_eq!(released(&mut batches), [1, 300, -1]);
        batches.finish().unwrap();
    }
}

#[test]
fn a_reset_drops_what_waits_and_nothing_else() {
    let mut batches = batches();
    push(&mut batches, batch(&rows([1]))).unwrap();
    push(&mut batches, token()).unwrap();
    push(&mut batches, batch(&rows([2]))).unwrap();
    push(&mut batches, part(b"half")).unwrap();
    let anew = PartialResultSet {
        reset: true,
        ..batch(&rows([3]))
    };
    push(&mut batches, anew).unwrap();
    push(&mut batches, token()).unwrap();
    assert_eq!(released(&mut batches), [1, 3]);
    batches.finish().unwrap();
}

#[test]
fn a_checksum_counts_by_its_presence() {
    // Nothing at all has the checksum 0.
    let mut batches = batches();
    let empty = PartialResultSet {
        batch_checksum: Some(0),
        ..PartialResultSet::default()
    };
    push(&mut batches, empty).unwrap();
    batches.finish().unwrap();
    let wrong = PartialResultSet {
        batch_checksum: Some(0),
        ..part(&rows([1]))
    };
    let error = push(&mut batches, wrong).unwrap_err();
    assert_invalid(&error, "unexpected checksum mismatch");
}

#[test]
fn what_is_no_result_is_refused() {
    let metadata = ExecuteQueryResponse {
        response: Some(ExecuteQueryAnswer::Metadata(Bytes::new())),
    };
    let error = batches().push(metadata).unwrap_err();
    assert_invalid(&error, "expected results response, but received: METADATA");
    let nothing = ExecuteQueryResponse { response: None };
    assert_invalid(&batches().push(nothing).unwrap_err(), "unknown kind");
}

#[test]
fn what_waits_is_bounded() {
    let columns = columns_of(&[SqlType::Int64]);
    let mut batches = Batches::new(columns, 2 << 20);
    let half = vec![0; 1 << 20];
    push(&mut batches, part(&half)).unwrap();
    push(&mut batches, part(&half)).unwrap();
    let error = push(&mut batches, part(&[0])).unwrap_err();
    assert_eq!(error.code, Code::ResourceExhausted);
    assert!(error.message.contains("is over 2 MiB"), "{error}");
    // Batches that no token releases count too.
    let mut batches = Batches::new(columns_of(&[SqlType::Int64]), 1_000);
    let data = rows(0..50);
    let pushed = (0..100).map(|_| push(&mut batches, batch(&data)));
    assert!(pushed.take_while(Result::is_ok).count() < 6);
}
