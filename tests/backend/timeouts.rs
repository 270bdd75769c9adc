//! Servers that end a call exactly at its deadline.
//!
//! Go's and Java's reset the stream with `CANCEL`; others, such as tonic's, answer `CANCELLED`. The
//! client's own clock ends the call at the same moment, and chance decides which comes first.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use bigtable_model::backend::grpc::CallOptions;
use bigtable_model::{Code, Status};
use futures::{StreamExt, stream};
use h2::Reason;

use crate::http2::{Call, Served, Stream};

/// How a server ends a call.
#[derive(Debug, Clone, Copy)]
enum End {
    Reset,
    /// After the headers of the answer.
    ResetLate,
    Status,
}

impl End {
    const ALL: [Self; 3] = [Self::Reset, Self::ResetLate, Self::Status];

    async fn after(self, time: Duration, mut stream: Stream) -> Result<(), h2::Error> {
        match self {
            Self::ResetLate => stream.reset_late(Reason::CANCEL, time).await,
            Self::Reset => {
                tokio::time::sleep(time).await;
                stream.reset(Reason::CANCEL)
            }
            Self::Status => {
                tokio::time::sleep(time).await;
                stream.fail("1")
            }
        }
    }
}

/// Makes every call many times in parallel; returns those that did not end with this code.
async fn others(
    server: &Served,
    options: impl Fn(usize) -> CallOptions,
    rounds: usize,
    code: Option<Code>,
) -> Vec<(Call, Result<(), Status>)> {
    let calls = (0..rounds).flat_map(|round| Call::ALL.map(|call| (round, call)));
    let calls = calls.map(|(round, call)| {
        let backend = server.backend.with_options(options(round)).unwrap();
        async move { (call, call.make(&backend).await) }
    });
    let ended = stream::iter(calls).buffer_unordered(50);
    ended
        .filter(|(_, ended)| {
            let as_expected = ended.as_ref().err().map(|status| status.code) == code;
            async move { !as_expected }
        })
        .collect()
        .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_is_ended_with_its_time_has_exceeded_its_deadline() {
    for end in End::ALL {
        let server = Served::start(move |stream: Stream| end.after(stream.timeout, stream)).await;
        // So they do not all end at the same fraction of a millisecond.
        let options = |round: usize| {
            let deadline = Duration::from_micros(50_000 + 137 * round as u64);
            CallOptions::new().deadline(deadline)
        };
        let rounds = 48;
        let wrong = others(&server, options, rounds, Some(Code::DeadlineExceeded)).await;
        assert!(
            wrong.is_empty(),
            "{end:?}: {} calls: {wrong:?}",
            wrong.len()
        );
        // On a busy machine some end before they are sent.
        let calls = server.calls();
        assert!(
            calls >= rounds * Call::ALL.len() / 2,
            "{end:?}: {calls} calls"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_attempt_that_is_ended_with_its_time_is_followed_by_another() {
    for end in End::ALL {
        let server = Served::start(move |mut stream: Stream| async move {
            match stream.attempt {
                0 => end.after(stream.timeout, stream).await,
                _ => stream.answer(),
            }
        })
        .await;
        let options = |round: usize| {
            let attempt = Duration::from_micros(50_000 + 137 * round as u64);
            CallOptions::new().attempt_deadline(attempt)
        };
        let failed = others(&server, options, 20, None).await;
        for (call, ended) in &failed {
            let code = ended.as_ref().unwrap_err().code;
            assert_eq!(code, Code::DeadlineExceeded, "{end:?}: {call:?}");
            assert!(!call.is_retried(), "{end:?}: {call:?}");
        }
        assert_eq!(failed.len(), 40, "{end:?}: calls that are made once");
        let calls = server.calls();
        assert!(calls >= 120, "{end:?}: {calls} calls");
    }
}

#[tokio::test]
async fn a_call_that_is_cancelled_before_stays_cancelled() {
    for end in End::ALL {
        let server = Served::start(move |stream| end.after(Duration::ZERO, stream)).await;
        let options = |_| CallOptions::new().deadline(Duration::from_secs(60));
        let wrong = others(&server, options, 3, Some(Code::Cancelled)).await;
        assert!(wrong.is_empty(), "{end:?}: {wrong:?}");
        assert_eq!(server.calls(), 21, "{end:?}: none is made again");
    }
}

/// A server that never answers: nobody but the client ends the call.
#[tokio::test]
async fn no_call_ends_before_its_deadline() {
    const TIME: Duration = Duration::from_millis(400);
    let calls = Call::ALL.map(|call| async move {
        let told = Arc::new(OnceLock::new());
        let seen = Arc::clone(&told);
        let server = Served::start(move |stream: Stream| {
            let _ = seen.set(stream.timeout);
            async move {
                let _held = stream;
                std::future::pending().await
            }
        })
        .await;
        let options = CallOptions::new().deadline(TIME);
        let backend = server.backend.with_options(options).unwrap();
        let begun = Instant::now();
        let error = call.make(&backend).await.unwrap_err();
        let took = begun.elapsed();
        let told = *told.get().unwrap();
        assert_eq!(error.code, Code::DeadlineExceeded, "{call:?}: {error}");
        assert!(took >= told, "{call:?}: it ended after {took:?}");
        assert!(told <= TIME, "{call:?}: the server is told {told:?}");
        assert_eq!(server.calls(), 1, "{call:?}");
    });
    futures::future::join_all(calls).await;
}
