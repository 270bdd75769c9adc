//! What is retried, when, and with what.

use std::time::Duration;

use futures::future::join_all;
use tonic::{Code, Status};

use crate::driver::Driver;
use crate::mock::{advised, with_cookie};
use crate::operations::Operation;

#[tokio::test]
async fn what_is_safe_goes_out_again_after_a_passing_fault() {
    for operation in Operation::RETRIED {
        let (driver, mock) = Driver::with_client().await;
        operation.fail(&mock, Status::unavailable("gone for a moment"));
        operation.fail(&mock, Status::unavailable("gone for a moment"));
        operation.succeed(&mock, Duration::ZERO);
        let (code, message) = operation.run(&driver).await;
        assert_eq!(code, Code::Ok, "{operation:?}: {message}");
        assert_eq!(mock.count(), 3, "{operation:?}");
    }
}

#[tokio::test]
async fn a_lasting_fault_is_returned_at_once() {
    for operation in Operation::ALL {
        let (driver, mock) = Driver::with_client().await;
        operation.fail(&mock, Status::permission_denied("not yours"));
        let (code, message) = operation.run(&driver).await;
        assert_eq!(
            (code, message.as_str()),
            (Code::PermissionDenied, "not yours")
        );
        assert_eq!(mock.count(), 1, "{operation:?}");
    }
}

#[tokio::test]
async fn what_may_be_applied_twice_is_sent_once() {
    for operation in [Operation::CheckAndMutateRow, Operation::ReadModifyWriteRow] {
        for status in [
            Status::unavailable("gone"),
            advised(Duration::from_millis(1)),
        ] {
            let (driver, mock) = Driver::with_client().await;
            operation.fail(&mock, status);
            operation.succeed(&mock, Duration::ZERO);
            assert_eq!(operation.run(&driver).await.0, Code::Unavailable);
            assert_eq!(mock.count(), 1, "{operation:?}");
        }
    }
}

#[tokio::test]
async fn a_cookie_goes_into_every_later_attempt_until_there_is_another() {
    for operation in Operation::RETRIED {
        let (driver, mock) = Driver::with_client().await;
        operation.fail(&mock, with_cookie("first"));
        operation.fail(&mock, Status::unavailable("without a cookie"));
        operation.fail(&mock, with_cookie("second"));
        operation.succeed(&mock, Duration::ZERO);
        assert_eq!(operation.run(&driver).await.0, Code::Ok, "{operation:?}");
        let cookies: Vec<Vec<_>> = (operation.seen(&mock).iter())
            .map(|call| {
                call.headers
                    .get_all("x-goog-cbt-cookie-test")
                    .iter()
                    .cloned()
                    .collect()
            })
            .collect();
        let expected: [&[&str]; 4] = [&[], &["first"], &["first"], &["second"]];
        assert_eq!(cookies, expected, "{operation:?}");
    }
}

#[tokio::test]
async fn an_attempt_does_not_come_before_the_server_wants_it() {
    const DELAY: Duration = Duration::from_secs(3);
    join_all(Operation::RETRIED.map(|operation| async move {
        let (driver, mock) = Driver::with_client().await;
        operation.fail(&mock, advised(DELAY));
        operation.fail(&mock, Status::unavailable("without advice"));
        operation.succeed(&mock, Duration::ZERO);
        assert_eq!(operation.run(&driver).await.0, Code::Ok, "{operation:?}");
        let seen = operation.seen(&mock);
        assert_eq!(seen.len(), 3, "{operation:?}");
        let waited = seen[1].at - seen[0].at;
        assert!(waited >= DELAY, "{operation:?} waited {waited:?}");
        let waited = seen[2].at - seen[1].at;
        assert!(
            waited < DELAY,
            "{operation:?} waited {waited:?} without advice"
        );
    }))
    .await;
}

/// Retry advice makes an otherwise permanent error transient.
#[tokio::test]
async fn advice_alone_is_enough_for_another_attempt() {
    for operation in Operation::RETRIED {
        let (driver, mock) = Driver::with_client().await;
        let advice = advised(Duration::from_millis(1));
        let exhausted = Status::with_details(
            Code::ResourceExhausted,
            "slow down",
            advice.details().to_vec().into(),
        );
        operation.fail(&mock, exhausted);
        operation.succeed(&mock, Duration::ZERO);
        assert_eq!(operation.run(&driver).await.0, Code::Ok, "{operation:?}");
    }
}
