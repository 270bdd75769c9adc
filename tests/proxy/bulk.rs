//! Bulk writes: which entries are retried, and what is reported.

use bigtable_model::backend::grpc::wire;
use tonic::{Code, Status};

use crate::driver::{Driver, code};
use crate::mock::Step;
use crate::operations::{mutate_rows, outcomes, set_cell};

const UNAVAILABLE: i32 = 14;
const PERMISSION_DENIED: i32 = 7;

fn failed(entries: &[wire::MutateRowsOutcome]) -> Vec<(i64, Code)> {
    entries
        .iter()
        .map(|entry| (entry.index, code(&entry.status).0))
        .collect()
}

#[tokio::test]
async fn entries_that_failed_go_out_again_in_their_order() {
    let (driver, mock) = Driver::with_client().await;
    mock.mutate_rows.on_call([Step::Send(outcomes(&[
        (0, 0),
        (2, UNAVAILABLE),
        (1, UNAVAILABLE),
        (3, 0),
    ]))]);
    mock.mutate_rows
        .on_call([Step::Send(outcomes(&[(0, UNAVAILABLE), (1, 0)]))]);
    mock.mutate_rows.on_call([Step::Send(outcomes(&[(0, 0)]))]);
    let request = mutate_rows(["row-0", "row-1", "row-2", "row-3"]);
    let result = driver.bulk_mutate_rows(request.clone()).await;
    assert_eq!(code(&result.status), (Code::Ok, ""));
    assert_eq!(result.entries, []);
    let sent: Vec<_> = mock
        .mutate_rows
        .seen()
        .into_iter()
        .map(|call| call.request)
        .collect();
    let expected = [
        request,
        mutate_rows(["row-1", "row-2"]),
        mutate_rows(["row-1"]),
    ];
    assert_eq!(sent, expected);
}

#[tokio::test]
async fn a_lasting_failure_of_an_entry_is_reported_and_not_sent_again() {
    let (driver, mock) = Driver::with_client().await;
    mock.mutate_rows.on_call([Step::Send(outcomes(&[
        (0, 0),
        (1, PERMISSION_DENIED),
        (2, PERMISSION_DENIED),
        (3, 0),
    ]))]);
    let result = driver
        .bulk_mutate_rows(mutate_rows(["a", "b", "c", "d"]))
        .await;
    assert_eq!(code(&result.status).0, Code::PermissionDenied);
    let denied = Code::PermissionDenied;
    assert_eq!(failed(&result.entries), [(1, denied), (2, denied)]);
    assert_eq!(mock.mutate_rows.count(), 1);
}

#[tokio::test]
async fn an_index_is_that_of_the_request_also_after_another_attempt() {
    let (driver, mock) = Driver::with_client().await;
    mock.mutate_rows
        .on_call([Step::Send(outcomes(&[(0, 0), (1, 0), (2, UNAVAILABLE)]))]);
    mock.mutate_rows
        .on_call([Step::Send(outcomes(&[(0, PERMISSION_DENIED)]))]);
    let result = driver.bulk_mutate_rows(mutate_rows(["a", "b", "c"])).await;
    assert_eq!(failed(&result.entries), [(2, Code::PermissionDenied)]);
}

#[tokio::test]
async fn a_call_that_fails_sends_again_what_it_did_not_answer() {
    let (driver, mock) = Driver::with_client().await;
    let gone = || Step::Fail(Status::unavailable("gone"));
    mock.mutate_rows.on_call([gone()]);
    mock.mutate_rows
        .on_call([Step::Send(outcomes(&[(1, 0)])), gone()]);
    mock.mutate_rows
        .on_call([Step::Send(outcomes(&[(0, 0), (1, 0)]))]);
    let result = driver.bulk_mutate_rows(mutate_rows(["a", "b", "c"])).await;
    assert_eq!(code(&result.status), (Code::Ok, ""));
    let sent: Vec<_> = mock
        .mutate_rows
        .seen()
        .into_iter()
        .map(|call| call.request)
        .collect();
    let whole = mutate_rows(["a", "b", "c"]);
    assert_eq!(sent, [whole.clone(), whole, mutate_rows(["a", "c"])]);
}

#[tokio::test]
async fn entries_that_were_never_answered_fail_with_the_final_error() {
    let (driver, mock) = Driver::with_client().await;
    mock.mutate_rows.on_call([
        Step::Send(outcomes(&[(1, 0)])),
        Step::Fail(Status::permission_denied("not yours")),
    ]);
    let result = driver.bulk_mutate_rows(mutate_rows(["a", "b", "c"])).await;
    assert_eq!(code(&result.status), (Code::PermissionDenied, "not yours"));
    let denied = Code::PermissionDenied;
    assert_eq!(failed(&result.entries), [(0, denied), (2, denied)]);
    assert_eq!(code(&result.entries[0].status).1, "not yours");

    // A call that succeeds must answer every entry too.
    mock.mutate_rows.seen();
    mock.mutate_rows
        .on_call([Step::Send(outcomes(&[(0, 0), (2, 0)]))]);
    let result = driver.bulk_mutate_rows(mutate_rows(["a", "b", "c"])).await;
    assert_ne!(code(&result.status).0, Code::Ok);
    assert_eq!(result.entries.len(), 1);
    assert_eq!(result.entries[0].index, 1);
    assert_eq!(mock.mutate_rows.count(), 1);
}

#[tokio::test]
async fn an_entry_that_may_be_applied_twice_is_sent_once() {
    let (driver, mock) = Driver::with_client().await;
    let mut request = mutate_rows(["a", "b"]);
    if let Some(wire::MutationKind::SetCell(cell)) = &mut request.entries[0].mutations[0].kind {
        cell.timestamp_micros = -1;
    }
    request.entries[0].mutations.push(set_cell());
    mock.mutate_rows
        .on_call([Step::Send(outcomes(&[(0, UNAVAILABLE), (1, UNAVAILABLE)]))]);
    mock.mutate_rows.on_call([Step::Send(outcomes(&[(0, 0)]))]);
    let result = driver.bulk_mutate_rows(request).await;
    assert_eq!(failed(&result.entries), [(0, Code::Unavailable)]);
    let sent = mock.mutate_rows.seen();
    assert_eq!(sent[1].request, mutate_rows(["b"]));
}
