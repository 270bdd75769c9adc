//! Answers that nobody asked for, and answers without an end.

use std::ops::Bound;

use bigtable_model::backend::ConnectError;
use bigtable_model::backend::grpc::{CallOptions, GrpcBackend, GrpcSettings, SkippedRows, wire};
use bigtable_model::data::{
    ReadModifyWriteRow, ReadModifyWriteRule, ReadRows, RowRange, RowSet, RuleAction,
};
use bigtable_model::{Backend, Code, Status};
use futures::{StreamExt, TryStreamExt};

use crate::fixture::{TABLE, all};
use crate::scripted::{Scripted, Step, with_detail};
use crate::scripted_calls::{begin, commit, more, send};

fn full(key: &'static str) -> wire::CellChunk {
    commit(begin(key, "1", 0))
}

/// The keys before the end or the error.
async fn keys(backend: &GrpcBackend, request: ReadRows) -> (Vec<String>, Result<(), Status>) {
    let mut rows = backend.read_rows(request).rows();
    let mut keys = Vec::new();
    while let Some(row) = rows.next().await {
        match row {
            Ok(row) => keys.push(String::from_utf8(row.key.to_vec()).unwrap()),
            Err(error) => return (keys, Err(error)),
        }
    }
    (keys, Ok(()))
}

#[tokio::test]
async fn a_row_that_was_not_asked_for_is_an_error_after_the_rows_before_it() {
    let (server, backend) = Scripted::start().await;
    let two = RowSet {
        keys: vec!["k".into()],
        ranges: vec![RowRange::half_open("a", "c")],
    };
    let after = RowSet::range(RowRange {
        start: Bound::Excluded("b".into()),
        end: Bound::Unbounded,
    });
    let cases: [(RowSet, bool, &[&str], &str); 6] = [
        (RowSet::key("k"), false, &[], "j"),
        (RowSet::key("k"), false, &["k"], "l"),
        (two.clone(), false, &["a", "b"], "c"),
        (two.clone(), false, &["b", "k"], "m"),
        (two, true, &["k", "b"], "Z"),
        (after, true, &["z", "c"], "b"),
    ];
    for (rows, reversed, good, wrong) in cases {
        let answer: Vec<_> = good.iter().copied().chain([wrong, "never"]).collect();
        let chunks: Vec<_> = answer
            .iter()
            .map(|key| full(key.to_string().leak()))
            .collect();
        server.read_rows.script([send(chunks)]);
        let request = ReadRows {
            rows,
            reversed,
            ..all()
        };
        let (keys, end) = keys(&backend, request).await;
        assert_eq!(keys, good);
        let error = end.unwrap_err();
        assert_eq!(error.code, Code::Internal);
        let words = format!("row \"{wrong}\" was not asked for");
        assert!(error.message.contains(&words), "{error}");
    }
    // Nothing was read twice.
    assert_eq!(server.read_rows.seen().len(), 6);
}

/// While a read is interrupted inside a row, another may have been written before it.
#[tokio::test]
async fn a_row_before_an_interrupted_one_was_asked_for() {
    let (server, backend) = Scripted::start().await;
    let lost = || Step::Fail(tonic::Status::unavailable("on purpose"));
    let half = |key| send([begin(key, "1", 0)]);
    server.read_rows.script([half("x"), lost()]);
    let reset = wire::CellChunk {
        row_status: Some(wire::RowStatus::ResetRow(true)),
        ..wire::CellChunk::default()
    };
    let again = [begin("x", "1", 0), reset, full("b"), full("x")];
    server.read_rows.script([send(again)]);
    let rows = RowSet {
        keys: vec!["x".into()],
        ranges: vec![RowRange::prefix("b")],
    };
    let (keys, end) = keys(&backend, ReadRows { rows, ..all() }).await;
    assert_eq!((keys, end), (vec!["b".to_owned(), "x".to_owned()], Ok(())));
}

#[tokio::test]
async fn a_row_left_out_as_too_large_is_not_asked_for_again() {
    let (server, backend) = Scripted::start().await;
    let large = wire::ErrorInfo {
        reason: "LargeRowReadError".to_owned(),
        metadata: [("rowKeyBase64Encoded".to_owned(), "aw==".to_owned())].into(),
        ..wire::ErrorInfo::default()
    };
    let large = with_detail(
        tonic::Code::FailedPrecondition,
        "too large",
        "google.rpc.ErrorInfo",
        large,
    );
    server
        .read_rows
        .script([send([full("a")]), Step::Fail(large)]);
    server.read_rows.script([send([full("k")])]);
    let skipping = CallOptions::new().skip_large_rows(SkippedRows::new());
    let skipping = backend.with_options(skipping).unwrap();
    let (keys, end) = keys(&skipping, all()).await;
    assert_eq!(keys, ["a"]);
    assert!(
        end.unwrap_err()
            .message
            .contains("row \"k\" was not asked for")
    );
}

#[tokio::test]
async fn a_row_without_an_end_is_refused_by_name_after_the_rows_before_it() {
    let small = |settings: GrpcSettings| settings.row_bytes(1_000);
    let (server, backend) = Scripted::start_with(small).await;
    let mut steps = vec![send([full("a"), begin("b", "", 0)])];
    steps.extend((0..200).map(|_| send([more("0123456789", 0)])));
    steps.push(Step::Hang);
    server.read_rows.script(steps);
    let (keys, end) = keys(&backend, all()).await;
    assert_eq!(keys, ["a"]);
    let error = end.unwrap_err();
    assert_eq!(error.code, Code::ResourceExhausted);
    let words = "row \"b\" takes over 1000 bytes after the filter";
    assert!(error.message.contains(words), "{error}");
    assert_eq!(server.read_rows.seen().len(), 1, "it is not read again");
    // The same number of cells in many rows does no harm.
    let rows = (0..300).map(|n| full(format!("{n:03}").leak()));
    server.read_rows.script([send(rows.collect::<Vec<_>>())]);
    let rows: Vec<_> = backend.read_rows(all()).rows().try_collect().await.unwrap();
    assert_eq!(rows.len(), 300);

    let sample = |n: i64| {
        Step::Send(wire::SampleRowKeysResponse {
            row_key: format!("{n:04}").into(),
            offset_bytes: n,
        })
    };
    let samples: Vec<_> = (0..100).map(sample).chain([Step::Hang]).collect();
    server.sample_row_keys.script(samples);
    let error = backend.sample_row_keys(TABLE).await.unwrap_err();
    assert_eq!(error.code, Code::ResourceExhausted);
    let none = GrpcSettings::new("p", "i")
        .emulator("localhost:1")
        .row_bytes(0);
    match GrpcBackend::new(&none) {
        Err(ConnectError::Setting(setting)) => assert_eq!(setting.field, "GrpcSettings::row_bytes"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_write_answered_with_another_row_is_an_error() {
    let (server, backend) = Scripted::start().await;
    let row = |key: &'static str| wire::ReadModifyWriteRowResponse {
        row: Some(wire::Row {
            key: key.into(),
            families: Vec::new(),
        }),
    };
    for key in ["k", "other"] {
        server.modify.script([Step::Send(row(key))]);
    }
    let rule = ReadModifyWriteRule {
        family: "f".into(),
        qualifier: "q".into(),
        action: RuleAction::Increment(1),
    };
    let request = || ReadModifyWriteRow {
        table: TABLE.to_owned(),
        key: "k".into(),
        rules: vec![rule.clone()],
    };
    let answer = backend.read_modify_write_row(request()).await.unwrap();
    assert_eq!(answer.key, "k");
    let error = backend.read_modify_write_row(request()).await.unwrap_err();
    assert_eq!(error.code, Code::Internal);
    assert!(
        error.message.contains("row \"k\" with row \"other\""),
        "{error}"
    );
}
