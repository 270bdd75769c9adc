//! Which calls are retried, when, and with what.

use std::time::Duration;

use bigtable_model::backend::grpc::{CallOptions, GrpcBackend, GrpcSettings, RetrySettings, wire};
use bigtable_model::data::{
    CheckAndMutateRow, EntryBatch, Mutation, ReadModifyWriteRow, ReadModifyWriteRule, RowMutations,
    RuleAction, SERVER_TIME,
};
use bigtable_model::{Backend, Code, Status};
use tonic::Code as Grpc;
use tonic::metadata::MetadataMap;

use crate::fixture::{TABLE, row, set};
use crate::scripted::{Scripted, Seen, Step, advised};
use crate::scripted_calls::{begin, commit, read, scanned, send};

fn fail<A>(code: Grpc) -> Step<A> {
    Step::Fail(tonic::Status::new(code, "on purpose"))
}

fn one() -> RowMutations {
    row("k", vec![set("f", "q", 1000, "v")])
}

fn written() -> Step<wire::MutateRowResponse> {
    Step::Send(wire::MutateRowResponse {})
}

fn check() -> CheckAndMutateRow {
    CheckAndMutateRow {
        table: TABLE.to_owned(),
        key: "k".into(),
        predicate: None,
        if_true: one().mutations,
        if_false: Vec::new(),
    }
}

fn modify() -> ReadModifyWriteRow {
    let rule = ReadModifyWriteRule {
        family: "f".into(),
        qualifier: "q".into(),
        action: RuleAction::Increment(1),
    };
    ReadModifyWriteRow {
        table: TABLE.to_owned(),
        key: "k".into(),
        rules: vec![rule],
    }
}

/// The time between each call and the previous one.
fn gaps<Q>(seen: &[Seen<Q>]) -> Vec<Duration> {
    seen.windows(2).map(|two| two[1].at - two[0].at).collect()
}

#[tokio::test]
async fn a_write_is_retried_on_the_codes_that_pass_and_on_no_others() {
    for number in 1..=16 {
        let code = Grpc::from_i32(number);
        let retried = matches!(code, Grpc::DeadlineExceeded | Grpc::Unavailable);
        let (server, backend) = Scripted::start().await;
        server.mutate_row.script([fail(code)]);
        server.mutate_row.script([written()]);
        let result = backend.mutate_row(TABLE, one()).await;
        assert_eq!(result.is_ok(), retried, "{code:?}");
        let calls = server.mutate_row.messages();
        assert_eq!(calls.len(), if retried { 2 } else { 1 }, "{code:?}");
        assert!(calls.iter().all(|call| *call == calls[0]));
    }
}

#[tokio::test]
async fn a_read_is_retried_on_aborted_and_broken_streams_too() {
    for number in 1..=16 {
        let code = Grpc::from_i32(number);
        let retried = matches!(
            code,
            Grpc::DeadlineExceeded | Grpc::Unavailable | Grpc::Aborted
        );
        let (server, backend) = Scripted::start().await;
        server.read_rows.script([fail(code)]);
        server
            .read_rows
            .script([send([commit(begin("a", "1", 0))])]);
        assert_eq!(read(&backend).await.is_ok(), retried, "{code:?}");
    }
    for (text, retried) in [
        (
            "HTTP/2 error code: INTERNAL_ERROR\nReceived Rst stream",
            true,
        ),
        ("RST_STREAM closed stream", true),
        ("Received unexpected EOS on DATA frame from server", true),
        ("tablet server broke", false),
    ] {
        let (server, backend) = Scripted::start().await;
        let broken = tonic::Status::internal(text);
        server.read_rows.script([Step::Fail(broken)]);
        server.read_rows.script([]);
        assert_eq!(read(&backend).await.is_ok(), retried, "{text}");
    }
}

#[tokio::test]
async fn what_may_not_be_applied_twice_is_sent_once() {
    let advice = || advised(Grpc::Unavailable, "try later", Duration::from_millis(1));
    let (server, backend) = Scripted::start().await;
    server.check.script([Step::Fail(advice())]);
    assert!(backend.check_and_mutate_row(check()).await.is_err());
    assert_eq!(server.check.messages().len(), 1);
    server.modify.script([Step::Fail(advice())]);
    assert!(backend.read_modify_write_row(modify()).await.is_err());
    assert_eq!(server.modify.messages().len(), 1);
    let add = Mutation::AddToCell {
        family: "f".into(),
        qualifier: "q".into(),
        timestamp_micros: 0,
        input: 1,
    };
    for (sent, mutation) in [add, set("f", "q", SERVER_TIME, "v")]
        .into_iter()
        .enumerate()
    {
        server.mutate_row.script([Step::Fail(advice())]);
        let result = backend.mutate_row(TABLE, row("k", vec![mutation])).await;
        assert_eq!(result.unwrap_err().code, Code::Unavailable);
        assert_eq!(server.mutate_row.messages().len(), sent + 1);
    }
}

#[tokio::test]
async fn the_servers_advice_decides_whether_and_when() {
    let delay = Duration::from_secs(3);
    let (server, backend) = Scripted::start().await;
    server.mutate_row.script([Step::Fail(advised(
        Grpc::ResourceExhausted,
        "slow down",
        delay,
    ))]);
    server.mutate_row.script([fail(Grpc::Unavailable)]);
    server.mutate_row.script([written()]);
    backend.mutate_row(TABLE, one()).await.unwrap();
    let gaps = gaps(&server.mutate_row.seen());
    assert!(gaps[0] >= delay, "{gaps:?}");
    assert!(gaps[1] < delay, "{gaps:?}");
}

#[tokio::test]
async fn an_attempt_that_can_not_begin_in_time_is_not_waited_for() {
    let (server, backend) = Scripted::start().await;
    let backend = backend
        .with_options(CallOptions::new().deadline(Duration::from_secs(60)))
        .unwrap();
    let later = || {
        Step::Fail(advised(
            Grpc::Unavailable,
            "in an hour",
            Duration::from_secs(3600),
        ))
    };
    server.mutate_row.script([later()]);
    let begun = std::time::Instant::now();
    let error = backend.mutate_row(TABLE, one()).await.unwrap_err();
    assert_eq!(
        (error.code, error.message.as_str()),
        (Code::Unavailable, "in an hour")
    );
    server.read_rows.script([Step::Fail(advised(
        Grpc::Unavailable,
        "in an hour",
        Duration::from_secs(3600),
    ))]);
    assert_eq!(read(&backend).await.unwrap_err().message, "in an hour");
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[tokio::test]
async fn a_deadline_ends_every_kind_of_operation() {
    let (server, backend) = Scripted::start().await;
    let deadline = Duration::from_millis(100);
    let backend = backend
        .with_options(CallOptions::new().deadline(deadline))
        .unwrap();
    let begun = std::time::Instant::now();
    let over = |result: Result<(), Status>| {
        assert_eq!(result.unwrap_err().code, Code::DeadlineExceeded);
    };
    server.mutate_row.script([Step::Hang]);
    over(backend.mutate_row(TABLE, one()).await);
    server.check.script([Step::Hang]);
    over(backend.check_and_mutate_row(check()).await.map(drop));
    server.modify.script([Step::Hang]);
    over(backend.read_modify_write_row(modify()).await.map(drop));
    server.sample_row_keys.script([Step::Hang]);
    over(backend.sample_row_keys(TABLE).await.map(drop));
    server.mutate_rows.script([Step::Hang]);
    over(
        backend
            .mutate_rows(TABLE, EntryBatch::of([one()]))
            .await
            .map(drop),
    );
    server
        .read_rows
        .script([send([commit(begin("a", "1", 0))]), Step::Hang]);
    over(read(&backend).await.map(drop));
    server.get_table.script([Step::Hang]);
    over(backend.tables().get(TABLE).await.map(drop));
    let took = begun.elapsed();
    assert!(
        took >= 7 * deadline && took < 7 * deadline + Duration::from_secs(30),
        "{took:?}"
    );
}

#[tokio::test]
async fn an_attempt_has_a_deadline_too_and_the_server_is_told() {
    let (server, backend) = Scripted::start().await;
    let options = CallOptions::new().attempt_deadline(Duration::from_secs(2));
    let backend = backend.with_options(options).unwrap();
    server.mutate_row.script([Step::Hang]);
    server.mutate_row.script([written()]);
    backend.mutate_row(TABLE, one()).await.unwrap();
    let seen = server.mutate_row.seen();
    assert!(gaps(&seen)[0] >= Duration::from_millis(1_800));
    let told = seen[0]
        .headers
        .get("grpc-timeout")
        .unwrap()
        .to_str()
        .unwrap();
    assert_eq!(told, "2000000u");
    server
        .read_rows
        .script([send([commit(begin("a", "1", 0))]), Step::Hang]);
    server
        .read_rows
        .script([send([commit(begin("b", "1", 0))])]);
    assert_eq!(read(&backend).await.unwrap().len(), 2);
    server.sample_row_keys.script([Step::Hang]);
    server.sample_row_keys.script([]);
    assert_eq!(backend.sample_row_keys(TABLE).await, Ok(Vec::new()));
}

#[tokio::test]
async fn attempts_are_counted_and_dated() {
    let (server, backend) = Scripted::start().await;
    for _ in 0..2 {
        server.read_rows.script([fail(Grpc::Unavailable)]);
    }
    server.read_rows.script([]);
    read(&backend).await.unwrap();
    let seen = server.read_rows.seen();
    let number = |headers: &MetadataMap, name: &str| -> u64 {
        assert_eq!(headers.get_all(name).iter().count(), 1);
        headers
            .get(name)
            .unwrap()
            .to_str()
            .unwrap()
            .parse()
            .unwrap()
    };
    let attempts: Vec<_> = (seen.iter())
        .map(|seen| number(&seen.headers, "bigtable-attempt"))
        .collect();
    assert_eq!(attempts, [0, 1, 2]);
    let begun: Vec<_> = (seen.iter())
        .map(|seen| number(&seen.headers, "bigtable-client-attempt-epoch-usec"))
        .collect();
    assert!(begun.is_sorted() && begun[0] > 1_600_000_000_000_000);
}

fn cookies(pairs: &[(&'static str, &'static str)]) -> MetadataMap {
    let mut metadata = MetadataMap::new();
    for (name, value) in pairs {
        metadata.insert(*name, value.parse().unwrap());
    }
    metadata
}

#[tokio::test]
async fn cookies_of_failed_attempts_go_into_all_later_ones_until_replaced() {
    let (server, backend) = Scripted::start().await;
    let status = |trailers| tonic::Status::with_metadata(Grpc::Unavailable, "", trailers);
    let failed = |trailers| Step::Fail(status(trailers));
    let (a, b) = ("x-goog-cbt-cookie-a", "x-goog-cbt-cookie-b");
    let headers = cookies(&[(a, "1")]);
    let first = [scanned("a"), failed(cookies(&[(b, "2"), ("x-other", "3")]))];
    server.read_rows.script_with(headers, first);
    server.read_rows.script([fail(Grpc::Unavailable)]);
    server.read_rows.script([failed(cookies(&[(b, "4")]))]);
    server.read_rows.script([]);
    read(&backend).await.unwrap();
    let sent: Vec<_> = (server.read_rows.seen().iter())
        .map(|seen| {
            let value = |name: &str| {
                assert!(seen.headers.get_all(name).iter().count() <= 1);
                seen.headers
                    .get(name)
                    .map(|value| value.to_str().unwrap().to_owned())
            };
            assert_eq!(value("x-other"), None);
            (value(a), value(b))
        })
        .collect();
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(sent[0], (None, None));
    assert_eq!(sent[1], (some("1"), some("2")));
    assert_eq!(sent[2], (some("1"), some("2")));
    assert_eq!(sent[3], (some("1"), some("4")));

    server
        .mutate_row
        .script([Step::Fail(status(cookies(&[(a, "5")])))]);
    backend.mutate_row(TABLE, one()).await.unwrap();
    let seen = server.mutate_row.seen();
    assert!(!seen[0].headers.contains_key(a));
    assert_eq!(seen[1].headers.get(a).unwrap(), "5");
}

#[tokio::test]
async fn pauses_grow() {
    let retry = RetrySettings {
        first_delay: Duration::from_millis(1),
        factor: 10.0,
        max_delay: Duration::from_millis(200),
        ..RetrySettings::default()
    };
    let (server, backend) = Scripted::start_with(|settings| settings.retry(retry)).await;
    for _ in 0..12 {
        server.sample_row_keys.script([fail(Grpc::Unavailable)]);
    }
    server.sample_row_keys.script([]);
    backend.sample_row_keys(TABLE).await.unwrap();
    let gaps = gaps(&server.sample_row_keys.seen());
    let late: Duration = gaps[4..].iter().sum();
    // Eight draws from 0 to 200 ms: less than 100 ms together once in ten million times.
    assert!(late > Duration::from_millis(100), "{gaps:?}");
}

#[tokio::test]
async fn samples_of_a_broken_attempt_are_thrown_away() {
    let (server, backend) = Scripted::start().await;
    let sample = |key: &'static str, offset_bytes| {
        Step::Send(wire::SampleRowKeysResponse {
            row_key: key.into(),
            offset_bytes,
        })
    };
    server
        .sample_row_keys
        .script([sample("a", 1), sample("b", 2), fail(Grpc::Unavailable)]);
    server
        .sample_row_keys
        .script([sample("c", 3), sample("d", 4)]);
    let samples = backend.sample_row_keys(TABLE).await.unwrap();
    let keys: Vec<_> = samples.iter().map(|sample| sample.key.clone()).collect();
    assert_eq!(keys, ["c", "d"]);
}

#[tokio::test]
async fn nothing_over_a_limit_is_sent() {
    let (server, backend) = Scripted::start().await;
    let wrong = || row("", vec![set("f", "q", 1000, "v")]);
    let refused = |result: Result<(), Status>| {
        let error = result.unwrap_err();
        assert_eq!(error.code, Code::InvalidArgument);
        assert!(error.message.contains("nothing was sent"), "{error}");
    };
    refused(backend.mutate_row(TABLE, wrong()).await);
    refused(
        backend
            .mutate_rows(TABLE, EntryBatch::of([one(), wrong()]))
            .await
            .map(drop),
    );
    let key = "k".repeat(4097);
    let mut request = check();
    request.key = key.clone().into();
    refused(backend.check_and_mutate_row(request).await.map(drop));
    let mut request = modify();
    request.key = key.into();
    refused(backend.read_modify_write_row(request).await.map(drop));
    assert_eq!(
        server.mutate_row.seen().len() + server.mutate_rows.seen().len(),
        0
    );
    assert_eq!(server.check.seen().len() + server.modify.seen().len(), 0);
}

#[tokio::test]
async fn app_profiles_are_set_for_the_client_and_for_calls() {
    let (server, backend) = Scripted::start().await;
    let other = backend
        .with_options(CallOptions::new().app_profile("other"))
        .unwrap();
    for backend in [&backend, &other] {
        backend.mutate_row(TABLE, one()).await.unwrap();
    }
    let seen = server.mutate_row.seen();
    for (seen, profile) in seen.iter().zip(["my profile", "other"]) {
        assert_eq!(seen.message.app_profile_id, profile);
        let params = seen.headers.get("x-goog-request-params").unwrap();
        let end = format!("&app_profile_id={}", profile.replace(' ', "%20"));
        assert!(params.to_str().unwrap().ends_with(&end));
    }
}

#[tokio::test]
async fn a_server_that_comes_up_late_is_waited_for() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let settings = GrpcSettings::new("p", "i").emulator(address.to_string());
    let backend = GrpcBackend::new(&settings).unwrap();
    let write = backend.mutate_row(TABLE, one());
    let server = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        Scripted::start_at(address)
    };
    let (written, server) = tokio::join!(write, server);
    written.unwrap();
    assert_eq!(server.mutate_row.seen().len(), 1);
}
