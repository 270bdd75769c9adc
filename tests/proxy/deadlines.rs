//! An operation ends at its deadline, whatever the server does.

use std::time::{Duration, Instant};

use futures::future::join_all;
use tonic::Code;

use crate::driver::{Driver, code};
use crate::mock::{Mock, Step, advised};
use crate::operations::{Operation, mutate_rows};

const TIMEOUT: Duration = Duration::from_secs(2);
const LONG: Duration = Duration::from_secs(30);

/// Runs the operation; returns its code and checks the time that it took.
async fn timed(operation: Operation, script: impl FnOnce(&Mock), at_least: Duration) -> Code {
    let (driver, mock) = Driver::with_timeout(TIMEOUT).await;
    script(&mock);
    let start = Instant::now();
    let (code, message) = operation.run(&driver).await;
    let took = start.elapsed();
    assert!(
        took >= at_least,
        "{operation:?} ended after {took:?}: {message}"
    );
    assert!(
        took < 10 * TIMEOUT,
        "{operation:?} ended after {took:?}: {message}"
    );
    code
}

#[tokio::test]
async fn a_server_that_is_silent_is_not_waited_for() {
    join_all(Operation::ALL.map(|operation| async move {
        let silent = |mock: &Mock| operation.succeed(mock, LONG);
        let code = timed(operation, silent, TIMEOUT - TIMEOUT / 20).await;
        assert_eq!(code, Code::DeadlineExceeded, "{operation:?}");
    }))
    .await;
}

#[tokio::test]
async fn advice_to_wait_longer_than_there_is_time_ends_the_operation() {
    join_all(Operation::RETRIED.map(|operation| async move {
        let later = |mock: &Mock| {
            operation.fail(mock, advised(Duration::from_millis(100)));
            operation.fail(mock, advised(LONG));
            operation.succeed(mock, Duration::ZERO);
        };
        let code = timed(operation, later, Duration::from_millis(100)).await;
        let given_up = [Code::DeadlineExceeded, Code::Unavailable];
        assert!(given_up.contains(&code), "{operation:?}: {code:?}");
    }))
    .await;
}

#[tokio::test]
async fn entries_that_were_not_answered_in_time_fail_with_the_deadline() {
    let (driver, mock) = Driver::with_timeout(TIMEOUT).await;
    let answered = crate::operations::outcomes(&[(1, 0)]);
    mock.mutate_rows
        .on_call([Step::Send(answered), Step::Wait(LONG)]);
    let result = driver.bulk_mutate_rows(mutate_rows(["a", "b", "c"])).await;
    assert_eq!(code(&result.status).0, Code::DeadlineExceeded);
    let failed: Vec<_> = result.entries.iter().map(|entry| entry.index).collect();
    assert_eq!(failed, [0, 2]);
    for entry in &result.entries {
        assert_eq!(code(&entry.status).0, Code::DeadlineExceeded);
    }
}
