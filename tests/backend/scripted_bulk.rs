//! Bulk writes, entry by entry.

use std::time::Duration;

use bigtable_model::backend::grpc::{CallOptions, wire};
use bigtable_model::data::{EntryBatch, RowMutations, SERVER_TIME};
use bigtable_model::{Backend, Code, Status};
use tonic::Code as Grpc;

use crate::fixture::{TABLE, row, set};
use crate::scripted::{Scripted, Step, advised};

fn entries<const N: usize>(keys: [&str; N]) -> Vec<RowMutations> {
    keys.map(|key| row(key, vec![set("f", "q", 1000, "v")]))
        .into()
}

/// Answers in one message: index and code.
fn answers(codes: &[(i64, Grpc)]) -> Step<wire::MutateRowsResponse> {
    let entries = codes.iter().map(|(index, code)| wire::MutateRowsOutcome {
        index: *index,
        status: Some(wire::RpcStatus {
            code: *code as i32,
            message: "on purpose".to_owned(),
            details: Vec::new(),
        }),
    });
    Step::Send(wire::MutateRowsResponse {
        entries: entries.collect(),
        rate_limit_info: None,
    })
}

fn fail(code: Grpc) -> Step<wire::MutateRowsResponse> {
    Step::Fail(tonic::Status::new(code, "on purpose"))
}

/// The keys of each request.
fn sent(server: &Scripted) -> Vec<Vec<String>> {
    let keys = |call: wire::MutateRowsRequest| {
        let keys = call.entries.into_iter().map(|entry| entry.row_key.to_vec());
        keys.map(|key| String::from_utf8(key).unwrap()).collect()
    };
    server
        .mutate_rows
        .messages()
        .into_iter()
        .map(keys)
        .collect()
}

#[tokio::test]
async fn only_what_failed_in_passing_goes_out_again_in_order() {
    use Grpc::{DeadlineExceeded, Ok, PermissionDenied, Unavailable};
    let (server, backend) = Scripted::start().await;
    server.mutate_rows.script([
        answers(&[(3, Unavailable), (0, Ok)]),
        answers(&[(1, DeadlineExceeded), (2, PermissionDenied), (4, Ok)]),
    ]);
    server
        .mutate_rows
        .script([answers(&[(0, Unavailable), (1, Ok)])]);
    server.mutate_rows.script([answers(&[(0, Ok)])]);
    let written = backend.mutate_rows(TABLE, EntryBatch::of(entries(["a", "b", "c", "d", "e"])));
    let outcomes = written.await.unwrap();
    assert_eq!(
        sent(&server),
        [vec!["a", "b", "c", "d", "e"], vec!["b", "d"], vec!["b"]]
    );
    let codes: Vec<_> = outcomes
        .iter()
        .map(|outcome| outcome.as_ref().err().map(|status| status.code))
        .collect();
    assert_eq!(
        codes,
        [None, None, Some(Code::PermissionDenied), None, None]
    );
    let all = server.mutate_rows.messages();
    assert_eq!(
        all[1].entries[..],
        [all[0].entries[1].clone(), all[0].entries[3].clone()]
    );
    assert!(all.iter().all(|call| call.app_profile_id == "my profile"));
}

#[tokio::test]
async fn entries_that_were_not_answered_go_out_again_when_the_call_failed() {
    let (server, backend) = Scripted::start().await;
    server
        .mutate_rows
        .script([answers(&[(1, Grpc::Ok)]), fail(Grpc::Unavailable)]);
    server.mutate_rows.script([fail(Grpc::Unavailable)]);
    server.mutate_rows.script([answers(&[(0, Grpc::Ok)])]);
    let outcomes = backend
        .mutate_rows(TABLE, EntryBatch::of(entries(["a", "b"])))
        .await
        .unwrap();
    assert_eq!(outcomes, [Ok(()), Ok(())]);
    assert_eq!(sent(&server), [vec!["a", "b"], vec!["a"], vec!["a"]]);
}

#[tokio::test]
async fn entries_that_were_not_answered_keep_the_last_error() {
    let (server, backend) = Scripted::start().await;
    server
        .mutate_rows
        .script([answers(&[(1, Grpc::Ok)]), fail(Grpc::NotFound)]);
    let outcomes = backend
        .mutate_rows(TABLE, EntryBatch::of(entries(["a", "b"])))
        .await
        .unwrap();
    assert_eq!(outcomes[0].as_ref().unwrap_err().code, Code::NotFound);
    assert_eq!(outcomes[1], Ok(()));

    server.mutate_rows.script([answers(&[(1, Grpc::Ok)])]);
    let outcomes = backend
        .mutate_rows(TABLE, EntryBatch::of(entries(["a", "b"])))
        .await
        .unwrap();
    assert_eq!(outcomes[0].as_ref().unwrap_err().code, Code::Internal);
    assert_eq!(sent(&server).len(), 2);

    let options = CallOptions::new().deadline(Duration::from_secs(3));
    let backend = backend.with_options(options).unwrap();
    server
        .mutate_rows
        .script([answers(&[(1, Grpc::Ok)]), Step::Hang]);
    let outcomes = backend
        .mutate_rows(TABLE, EntryBatch::of(entries(["a", "b"])))
        .await
        .unwrap();
    assert_eq!(
        outcomes[0].as_ref().unwrap_err().code,
        Code::DeadlineExceeded
    );
    assert_eq!(outcomes[1], Ok(()));
}

#[tokio::test]
async fn what_may_not_be_sent_twice_is_not() {
    let (server, backend) = Scripted::start().await;
    let stamped = |key| row(key, vec![set("f", "q", SERVER_TIME, "v")]);
    let mut rows = entries(["a", "b"]);
    rows.push(stamped("c"));
    rows.push(stamped("d"));
    server.mutate_rows.script([
        answers(&[(0, Grpc::Unavailable), (2, Grpc::Unavailable)]),
        fail(Grpc::Unavailable),
    ]);
    server
        .mutate_rows
        .script([answers(&[(0, Grpc::Ok), (1, Grpc::Ok)])]);
    let outcomes = backend
        .mutate_rows(TABLE, EntryBatch::of(rows))
        .await
        .unwrap();
    assert_eq!(sent(&server), [vec!["a", "b", "c", "d"], vec!["a", "b"]]);
    assert_eq!(outcomes[..2], [Ok(()), Ok(())]);
    assert!(outcomes[2..].iter().all(Result::is_err));
}

#[tokio::test]
async fn entries_of_a_row_are_sent_one_after_the_other() {
    let (server, backend) = Scripted::start().await;
    let rows = entries(["a", "b", "a", "a"]);
    server
        .mutate_rows
        .script([answers(&[(0, Grpc::Unavailable), (1, Grpc::Ok)])]);
    server.mutate_rows.script([answers(&[(0, Grpc::Ok)])]);
    server
        .mutate_rows
        .script([answers(&[(0, Grpc::PermissionDenied)])]);
    server.mutate_rows.script([answers(&[(0, Grpc::Ok)])]);
    let outcomes = backend
        .mutate_rows(TABLE, EntryBatch::of(rows))
        .await
        .unwrap();
    assert_eq!(
        sent(&server),
        [vec!["a", "b"], vec!["a"], vec!["a"], vec!["a"]]
    );
    let failed: Vec<_> = outcomes.iter().map(Result::is_err).collect();
    assert_eq!(failed, [false, false, true, false]);

    let unordered = backend
        .with_options(CallOptions::new().unordered())
        .unwrap();
    server
        .mutate_rows
        .script([answers(&[(0, Grpc::Ok), (1, Grpc::Ok)])]);
    let outcomes = unordered
        .mutate_rows(TABLE, EntryBatch::of(entries(["a", "a"])))
        .await;
    assert_eq!(outcomes, Ok(vec![Ok(()), Ok(())]));
    assert_eq!(sent(&server)[4], ["a", "a"]);
}

/// The second entry of a row waits for the first one, which the server wants to see again much
/// later.
#[tokio::test]
async fn an_entry_that_was_never_sent_says_so() {
    let patience = CallOptions::new().deadline(Duration::from_secs(20));
    let late = || advised(Grpc::Unavailable, "later", Duration::from_secs(3600));
    let (server, backend) = Scripted::start().await;
    let backend = backend.with_options(patience).unwrap();
    let status = <wire::RpcStatus as prost::Message>::decode(late().details()).unwrap();
    let entry = |index, status| wire::MutateRowsOutcome { index, status };
    server
        .mutate_rows
        .script([Step::Send(wire::MutateRowsResponse {
            entries: vec![entry(0, Some(status)), entry(1, None)],
            rate_limit_info: None,
        })]);
    let written = backend.mutate_rows(TABLE, EntryBatch::of(entries(["a", "b", "a"])));
    let outcomes = written.await.unwrap();
    let [met, Ok(()), unsent] = &outcomes[..] else {
        panic!("{outcomes:?}");
    };
    assert_eq!(met.as_ref().unwrap_err().code, Code::Unavailable);
    not_sent(unsent.as_ref().unwrap_err(), "UNAVAILABLE: later");
    assert_eq!(sent(&server), [["a", "b"]]);

    // No entry is answered, but it is known that this one was not sent.
    server.mutate_rows.script([Step::Fail(late())]);
    let outcomes = backend
        .mutate_rows(TABLE, EntryBatch::of(entries(["a", "a"])))
        .await;
    let outcomes = outcomes.unwrap();
    assert_eq!(outcomes[0].as_ref().unwrap_err().code, Code::Unavailable);
    not_sent(outcomes[1].as_ref().unwrap_err(), "UNAVAILABLE: later");
    assert_eq!(sent(&server).len(), 2);
}

/// An entry that must not be sent twice uses up the time.
#[tokio::test]
async fn nothing_is_sent_after_the_deadline() {
    let (server, backend) = Scripted::start().await;
    let short = CallOptions::new().deadline(Duration::from_secs(3));
    let backend = backend.with_options(short).unwrap();
    let stamped = row("a", vec![set("f", "q", SERVER_TIME, "v")]);
    server.mutate_rows.script([Step::Hang]);
    let outcomes = backend.mutate_rows(TABLE, EntryBatch::of([stamped.clone(), stamped]));
    let outcomes = outcomes.await.unwrap();
    let lost = outcomes[0].as_ref().unwrap_err();
    assert_eq!(lost.code, Code::DeadlineExceeded, "{lost}");
    assert!(!lost.message.contains("not sent"), "{lost}");
    not_sent(outcomes[1].as_ref().unwrap_err(), "DEADLINE_EXCEEDED");
    assert_eq!(server.mutate_rows.seen().len(), 1);
}

fn not_sent(status: &Status, last: &str) {
    assert_eq!(status.code, Code::DeadlineExceeded, "{status}");
    assert!(status.is_retryable());
    for words in [
        "was not sent before the deadline",
        "may be sent again",
        last,
    ] {
        assert!(status.message.contains(words), "{status}");
    }
}

#[tokio::test]
async fn the_servers_advice_counts_for_the_call_and_for_entries() {
    let delay = Duration::from_millis(200);
    let advice = || advised(Grpc::ResourceExhausted, "slow down", delay);
    let (server, backend) = Scripted::start().await;
    server.mutate_rows.script([Step::Fail(advice())]);
    let status = <wire::RpcStatus as prost::Message>::decode(advice().details()).unwrap();
    server
        .mutate_rows
        .script([Step::Send(wire::MutateRowsResponse {
            entries: vec![wire::MutateRowsOutcome {
                index: 0,
                status: Some(status),
            }],
            rate_limit_info: None,
        })]);
    server.mutate_rows.script([answers(&[(0, Grpc::Ok)])]);
    let outcomes = backend
        .mutate_rows(TABLE, EntryBatch::of(entries(["a"])))
        .await;
    assert_eq!(outcomes, Ok(vec![Ok(())]));
    let seen = server.mutate_rows.seen();
    assert!(seen.windows(2).all(|two| two[1].at - two[0].at >= delay));
}

/// A call that succeeds, but whose entries are retried, counts as a failed attempt.
#[tokio::test]
async fn cookies_of_a_call_with_failed_entries_come_back() {
    const COOKIE: &str = "x-goog-cbt-cookie-a";
    let (server, backend) = Scripted::start().await;
    let mut headers = tonic::metadata::MetadataMap::new();
    headers.insert(COOKIE, "1".parse().unwrap());
    let failed = [answers(&[(0, Grpc::Unavailable)])];
    server.mutate_rows.script_with(headers, failed);
    server.mutate_rows.script([answers(&[(0, Grpc::Ok)])]);
    let outcomes = backend
        .mutate_rows(TABLE, EntryBatch::of(entries(["a"])))
        .await;
    assert_eq!(outcomes.unwrap(), [Ok(())]);
    let seen = server.mutate_rows.seen();
    assert!(!seen[0].headers.contains_key(COOKIE));
    assert_eq!(seen[1].headers.get(COOKIE).unwrap(), "1");
}
