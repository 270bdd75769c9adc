//! Interrupted reads, and where they resume.

use std::ops::Bound;
use std::time::Duration;

use bigtable_model::backend::grpc::{CallOptions, GrpcBackend, SkippedRows, Timeouts, wire};
use bigtable_model::data::{ReadRows, RowRange, RowSet};
use bigtable_model::{Backend, Code, Status};
use futures::{StreamExt, TryStreamExt};

use crate::fixture::all;
use crate::scripted::{Scripted, Step, with_detail};
use crate::scripted_calls::{begin, commit, read, scanned, send};

fn unavailable<A>() -> Step<A> {
    Step::Fail(tonic::Status::unavailable("on purpose"))
}

fn full(key: &'static str) -> wire::CellChunk {
    commit(begin(key, "1", 0))
}

async fn keys(backend: &GrpcBackend, request: ReadRows) -> Result<Vec<String>, Status> {
    let rows = backend.read_rows(request).rows().map_ok(|row| row.key);
    rows.map_ok(|key| String::from_utf8(key.to_vec()).unwrap())
        .try_collect()
        .await
}

fn range(start: Bound<&'static str>, end: Bound<&'static str>) -> RowRange {
    RowRange {
        start: start.map(Into::into),
        end: end.map(Into::into),
    }
}

#[tokio::test]
async fn a_read_goes_on_after_the_last_row() {
    let (server, backend) = Scripted::start().await;
    server
        .read_rows
        .script([send([full("a"), full("b")]), unavailable()]);
    server.read_rows.script([unavailable()]);
    server
        .read_rows
        .script([send([full("c"), begin("d", "never", 0)]), unavailable()]);
    server.read_rows.script([send([full("d")])]);
    let rows = RowSet {
        keys: vec!["a".into(), "d".into()],
        ranges: vec![range(Bound::Included("b"), Bound::Excluded("d"))],
    };
    let request = ReadRows {
        rows: rows.clone(),
        rows_limit: 10,
        ..all()
    };
    assert_eq!(keys(&backend, request).await.unwrap(), ["a", "b", "c", "d"]);
    let sent = server.read_rows.messages();
    assert_eq!(sent[0].rows, Some(rows.into()));
    let left = RowSet {
        keys: vec!["d".into()],
        ranges: vec![range(Bound::Excluded("b"), Bound::Excluded("d"))],
    };
    assert_eq!(sent[1].rows, Some(left.into()));
    assert_eq!(sent[2], sent[1]);
    let left = RowSet {
        keys: vec!["d".into()],
        ranges: vec![range(Bound::Excluded("c"), Bound::Excluded("d"))],
    };
    assert_eq!(sent[3].rows, Some(left.into()));
    let limits: Vec<_> = sent.iter().map(|sent| sent.rows_limit).collect();
    assert_eq!(limits, [10, 8, 8, 7]);
}

#[tokio::test]
async fn a_reversed_read_goes_on_before_the_last_row() {
    let (server, backend) = Scripted::start().await;
    server
        .read_rows
        .script([send([full("c"), full("b")]), unavailable()]);
    server.read_rows.script([send([full("a")])]);
    let request = ReadRows {
        reversed: true,
        ..all()
    };
    assert_eq!(keys(&backend, request).await.unwrap(), ["c", "b", "a"]);
    let left = RowSet::range(range(Bound::Unbounded, Bound::Excluded("b")));
    assert_eq!(server.read_rows.messages()[1].rows, Some(left.into()));
}

#[tokio::test]
async fn a_scan_marker_is_a_point_to_go_on_from_and_no_row() {
    let (server, backend) = Scripted::start().await;
    server
        .read_rows
        .script([send([full("a")]), scanned("m"), unavailable()]);
    server.read_rows.script([scanned("x"), send([full("z")])]);
    let request = ReadRows {
        rows_limit: 2,
        ..all()
    };
    assert_eq!(keys(&backend, request).await.unwrap(), ["a", "z"]);
    let left = RowSet::range(range(Bound::Excluded("m"), Bound::Unbounded));
    let sent = &server.read_rows.messages()[1];
    assert_eq!((sent.rows.clone(), sent.rows_limit), (Some(left.into()), 1));
}

#[tokio::test]
async fn a_read_with_nothing_left_is_complete() {
    let (server, backend) = Scripted::start().await;
    for rows in [
        RowSet::key("a"),
        RowSet::range(range(Bound::Unbounded, Bound::Included("a"))),
        RowSet::range(RowRange::half_open("a", "a\0")),
    ] {
        server.read_rows.script([send([full("a")]), unavailable()]);
        let request = ReadRows { rows, ..all() };
        assert_eq!(keys(&backend, request).await.unwrap(), ["a"]);
    }
    assert_eq!(server.read_rows.seen().len(), 3);
}

#[tokio::test]
async fn an_error_after_the_limit_is_success() {
    let (server, backend) = Scripted::start().await;
    let late = tonic::Status::deadline_exceeded("late");
    server
        .read_rows
        .script([send([full("a"), full("b")]), Step::Fail(late)]);
    let request = ReadRows {
        rows_limit: 2,
        ..all()
    };
    assert_eq!(keys(&backend, request).await.unwrap(), ["a", "b"]);
    assert_eq!(server.read_rows.seen().len(), 1);
}

#[tokio::test]
async fn rows_after_the_limit_are_not_delivered() {
    let (server, backend) = Scripted::start().await;
    server
        .read_rows
        .script([send([full("a"), full("b"), full("c")])]);
    let request = ReadRows {
        rows_limit: 2,
        ..all()
    };
    assert_eq!(keys(&backend, request).await.unwrap(), ["a", "b"]);
}

#[tokio::test]
async fn order_is_checked_over_attempts() {
    let (server, backend) = Scripted::start().await;
    server.read_rows.script([send([full("b")]), unavailable()]);
    server.read_rows.script([send([full("a")])]);
    let error = keys(&backend, all()).await.unwrap_err();
    assert!(error.message.contains("increasing"), "{error}");
}

#[tokio::test]
async fn progress_begins_the_pauses_afresh() {
    let (server, backend) = Scripted::start().await;
    let keys: Vec<&'static str> = (0..40).map(|n| &*format!("{n:02}").leak()).collect();
    for key in &keys {
        server.read_rows.script([send([full(key)]), unavailable()]);
    }
    server.read_rows.script([]);
    let begun = std::time::Instant::now();
    assert_eq!(read(&backend).await.unwrap().len(), 40);
    // Forty pauses that double each time would take far too long.
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn a_server_that_goes_silent_is_asked_again() {
    let timeouts = Timeouts {
        read_rows_idle: Duration::from_secs(3),
        ..Timeouts::default()
    };
    let (server, backend) = Scripted::start_with(|settings| settings.timeouts(timeouts)).await;
    server.read_rows.script([Step::Hang]);
    server.read_rows.script([send([full("a")]), Step::Hang]);
    let wait = || Step::Wait(Duration::from_millis(1_200));
    server
        .read_rows
        .script([wait(), send([full("b")]), wait(), send([full("c")]), wait()]);
    assert_eq!(keys(&backend, all()).await.unwrap(), ["a", "b", "c"]);
    assert_eq!(server.read_rows.seen().len(), 3);
}

#[tokio::test]
async fn a_reader_that_takes_its_time_is_no_silent_server() {
    let timeouts = Timeouts {
        read_rows_idle: Duration::from_millis(1_500),
        ..Timeouts::default()
    };
    let (server, backend) = Scripted::start_with(|settings| settings.timeouts(timeouts)).await;
    server
        .read_rows
        .script([send([full("a")]), send([full("b")]), send([full("c")])]);
    let mut rows = backend.read_rows(all()).rows();
    for _ in 0..3 {
        assert!(rows.next().await.unwrap().is_ok());
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    assert!(rows.next().await.is_none());
    assert_eq!(server.read_rows.seen().len(), 1);
}

#[tokio::test]
async fn a_large_row_set_is_read_in_several_requests() {
    let (server, backend) = Scripted::start().await;
    let key = |n: usize| format!("{n:0>1000}");
    let rows = RowSet {
        keys: (0..1200).rev().map(|n| key(n).into()).collect(),
        ranges: Vec::new(),
    };
    let row = |n: usize| send([full(key(n).leak())]);
    for reversed in [false, true] {
        let before = server.read_rows.seen().len();
        let mut parts = [vec![row(1), row(2)], vec![row(600)], vec![row(1100)]];
        if reversed {
            parts = [vec![row(1100)], vec![row(600)], vec![row(2), row(1)]];
        }
        for part in parts {
            server.read_rows.script(part);
        }
        let request = ReadRows {
            rows: rows.clone(),
            reversed,
            rows_limit: 1000,
            ..all()
        };
        assert_eq!(keys(&backend, request).await.unwrap().len(), 4);
        let sent = server.read_rows.messages().split_off(before);
        assert_eq!(sent.len(), 3);
        let mut asked = Vec::new();
        for sent in &sent {
            let rows = sent.rows.clone().unwrap();
            assert!(prost::Message::encoded_len(&rows) <= 512_000);
            asked.push(rows.row_keys);
        }
        if reversed {
            asked.reverse();
        }
        let asked = asked.concat();
        assert!(asked.is_sorted() && asked.len() == 1200);
        let last = sent.last().unwrap().rows_limit;
        assert_eq!(last, if reversed { 998 } else { 997 });
    }
}

#[tokio::test]
async fn rows_too_large_to_read_are_left_out_on_demand() {
    let large = || {
        let metadata = [("rowKeyBase64Encoded", "bQ==")];
        let info = wire::ErrorInfo {
            reason: "LargeRowReadError".to_owned(),
            domain: "bigtable.googleapis.com".to_owned(),
            metadata: metadata
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .into(),
        };
        let code = tonic::Code::FailedPrecondition;
        Step::Fail(with_detail(
            code,
            "row too large",
            "google.rpc.ErrorInfo",
            info,
        ))
    };
    let (server, backend) = Scripted::start().await;
    server.read_rows.script([send([full("a")]), large()]);
    let error = keys(&backend, all()).await.unwrap_err();
    assert_eq!(error.code, Code::FailedPrecondition);

    let skipped = SkippedRows::new();
    let skipping = backend
        .with_options(CallOptions::new().skip_large_rows(skipped.clone()))
        .unwrap();
    server.read_rows.script([send([full("a")]), large()]);
    server.read_rows.script([send([full("b"), full("x")])]);
    assert_eq!(keys(&skipping, all()).await.unwrap(), ["a", "b", "x"]);
    assert_eq!(skipped.keys(), ["m"]);
    let left = RowSet {
        keys: Vec::new(),
        ranges: vec![
            range(Bound::Excluded("a"), Bound::Excluded("m")),
            range(Bound::Excluded("m"), Bound::Unbounded),
        ],
    };
    assert_eq!(server.read_rows.messages()[2].rows, Some(left.into()));

    server.read_rows.script([large()]);
    let request = ReadRows {
        rows: RowSet::key("m"),
        ..all()
    };
    assert_eq!(keys(&skipping, request).await, Ok(Vec::new()));
}

#[tokio::test]
async fn some_reads_can_be_less_patient_than_others() {
    let (server, backend) = Scripted::start().await;
    server
        .read_rows
        .script([send([commit(begin("a", "1", 0))]), Step::Hang]);
    server
        .read_rows
        .script([send([commit(begin("b", "1", 0))])]);
    let options = CallOptions::new().read_rows_idle(Duration::from_secs(2));
    let rows = read(&backend.with_options(options).unwrap()).await.unwrap();
    assert_eq!(rows.len(), 2);
    assert_eq!(server.read_rows.seen().len(), 2);
}
