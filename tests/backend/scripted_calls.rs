//! How the client handles split, truncated or wrong answers.

use std::time::Duration;

use bigtable_model::backend::grpc::{CallOptions, GrpcBackend, GrpcSettings, wire};
use bigtable_model::data::{EntryBatch, ReadRows, Row, RowMutations};
use bigtable_model::{Backend, Code, Status};
use futures::{FutureExt, StreamExt, TryStreamExt};

use crate::fixture::{TABLE, all, row, set, show};
use crate::scripted::{Scripted, Step, advised};

/// One cell `f:q` of row `key`; a `size` above 0 says that more of the value follows.
pub(crate) fn begin(key: &'static str, value: &'static str, size: i32) -> wire::CellChunk {
    let name = |name: &'static str| Some(wire::BytesValue { value: name.into() });
    wire::CellChunk {
        row_key: key.into(),
        family_name: name("f"),
        qualifier: name("q"),
        value: value.into(),
        value_size: size,
        ..wire::CellChunk::default()
    }
}

pub(crate) fn more(value: &'static str, size: i32) -> wire::CellChunk {
    wire::CellChunk {
        value: value.into(),
        value_size: size,
        ..wire::CellChunk::default()
    }
}

pub(crate) fn commit(chunk: wire::CellChunk) -> wire::CellChunk {
    wire::CellChunk {
        row_status: Some(wire::RowStatus::CommitRow(true)),
        ..chunk
    }
}

pub(crate) fn send(chunks: impl Into<Vec<wire::CellChunk>>) -> Step<wire::ReadRowsResponse> {
    Step::Send(wire::ReadRowsResponse {
        chunks: chunks.into(),
        ..wire::ReadRowsResponse::default()
    })
}

pub(crate) fn scanned(key: &'static str) -> Step<wire::ReadRowsResponse> {
    Step::Send(wire::ReadRowsResponse {
        last_scanned_row_key: key.into(),
        ..wire::ReadRowsResponse::default()
    })
}

pub(crate) async fn read(backend: &GrpcBackend) -> Result<Vec<Row>, Status> {
    backend.read_rows(all()).rows().try_collect().await
}

#[tokio::test]
async fn rows_and_values_are_put_together_over_messages() {
    let (server, backend) = Scripted::start().await;
    server.read_rows.script(vec![
        send([commit(begin("a", "1", 0)), begin("b", "one ", 12)]),
        send([]),
        send([more("value ", 12)]),
        send([more("in", 0)]),
        send([commit(more("2", 0))]),
        scanned("c"),
        send([commit(begin("d", "3", 0))]),
    ]);
    let rows = read(&backend).await.unwrap();
    let shown: Vec<_> = rows.iter().map(show).collect();
    assert_eq!(
        shown,
        [
            vec!["f:q@0=1"],
            vec!["f:q@0=one value in", "f:q@0=2"],
            vec!["f:q@0=3"],
        ]
    );
}

#[tokio::test]
async fn a_read_that_breaks_the_protocol_is_an_error_after_its_good_rows() {
    let broken = [
        (vec![send([begin("b", "1", 0)])], "ended inside row"),
        (vec![send([commit(begin("a", "1", 0))])], "increasing"),
        (
            vec![scanned("m"), send([commit(begin("c", "1", 0))])],
            "increasing",
        ),
        (vec![send([commit(more("1", 0))])], "without a key"),
    ];
    for (steps, words) in broken {
        let (server, backend) = Scripted::start().await;
        let mut script = vec![send([commit(begin("a", "1", 0))])];
        script.extend(steps);
        server.read_rows.script(script);
        let mut rows = backend.read_rows(all()).rows();
        assert_eq!(rows.next().await.unwrap().unwrap().key, "a");
        let error = rows.next().await.unwrap().unwrap_err();
        assert_eq!(error.code, Code::Internal);
        assert!(error.message.contains(words), "{error}");
        assert!(rows.next().await.is_none());
        assert!(rows.next().await.is_none());
    }
}

#[tokio::test]
async fn a_reversed_read_says_so_and_expects_descending_keys() {
    let (server, backend) = Scripted::start().await;
    let both = || {
        vec![send([
            commit(begin("b", "1", 0)),
            commit(begin("a", "1", 0)),
        ])]
    };
    server.read_rows.script(both());
    let request = ReadRows {
        reversed: true,
        ..all()
    };
    let rows: Vec<_> = backend
        .read_rows(request.clone())
        .rows()
        .try_collect()
        .await
        .unwrap();
    assert_eq!(rows.len(), 2);
    server.read_rows.script(vec![send([
        commit(begin("a", "1", 0)),
        commit(begin("b", "1", 0)),
    ])]);
    let rows: Result<Vec<_>, _> = backend.read_rows(request).rows().try_collect().await;
    assert!(rows.unwrap_err().message.contains("decreasing"));
    assert!(
        server
            .read_rows
            .messages()
            .iter()
            .all(|read| read.reversed && read.rows.is_none())
    );
}

#[tokio::test]
async fn advice_about_retries_comes_with_the_error() {
    let status = advised(
        tonic::Code::Unavailable,
        "try later",
        Duration::from_secs(3),
    );
    let (server, backend) = Scripted::start().await;
    let backend = backend
        .with_options(CallOptions::new().without_retries())
        .unwrap();
    server
        .read_rows
        .script(vec![send([commit(begin("a", "1", 0))]), Step::Fail(status)]);
    let mut rows = backend.read_rows(all()).rows();
    assert!(rows.next().await.unwrap().is_ok());
    let error = rows.next().await.unwrap().unwrap_err();
    assert_eq!(error.code, Code::Unavailable);
    assert_eq!(error.message, "try later");
    assert_eq!(error.retry_delay, Some(Duration::from_secs(3)));
}

#[tokio::test]
async fn a_read_begins_with_the_first_poll_and_ends_when_it_is_dropped() {
    let (server, backend) = Scripted::start().await;
    server
        .read_rows
        .script(vec![send([commit(begin("a", "1", 0))]), Step::Hang]);
    drop(backend.read_rows(all()).rows());
    let mut rows = backend.read_rows(all()).rows();
    assert!(server.read_rows.messages().is_empty());
    assert!(rows.next().await.unwrap().is_ok());
    assert_eq!((server.read_rows.messages().len(), server.ended()), (1, 0));
    drop(rows);
    let cancelled = async {
        while server.ended() == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let in_time = tokio::time::timeout(Duration::from_secs(10), cancelled);
    assert!(
        in_time.await.is_ok(),
        "the server did not see the call cancelled"
    );
}

#[tokio::test]
async fn every_call_carries_the_headers() {
    let (server, backend) = Scripted::start().await;
    let one = || row("k", vec![set("f", "q", 1000, "v")]);
    backend.mutate_row(TABLE, one()).await.unwrap();
    backend.tables().get(TABLE).await.unwrap();
    server.read_rows.script(vec![]);
    read(&backend).await.unwrap();
    let table = "projects%2Fp%2Finstances%2Fi%2Ftables%2Ft";
    let data = format!("table_name={table}&app_profile_id=my%20profile");
    let admin = format!("name={table}");
    let written = server.mutate_row.seen().pop().unwrap().headers;
    let looked_at = server.get_table.seen().pop().unwrap().headers;
    let scanned = server.read_rows.seen().pop().unwrap().headers;
    for (headers, params) in [(written, &data), (looked_at, &admin), (scanned, &data)] {
        let only = |name: &str| {
            let values: Vec<_> = headers.get_all(name).iter().collect();
            assert_eq!(values.len(), 1, "{name}");
            values[0].to_str().unwrap().to_owned()
        };
        assert_eq!(&only("x-goog-request-params"), params);
        assert!(only("x-goog-api-client").contains("gccl/"));
        assert!(only("user-agent").starts_with("bigtable-model/"));
        assert_eq!(only("bigtable-features"), "CAEgATABOAFAAQ==");
    }
    assert_eq!(
        server.read_rows.messages()[0].table_name,
        "projects/p/instances/i/tables/t"
    );
    assert_eq!(server.read_rows.messages()[0].app_profile_id, "my profile");
}

#[tokio::test]
async fn a_bulk_write_that_breaks_off_keeps_the_outcomes_it_has() {
    let answer = |index| {
        Step::Send(wire::MutateRowsResponse {
            entries: vec![wire::MutateRowsOutcome {
                index,
                status: None,
            }],
            rate_limit_info: None,
        })
    };
    let entries = || -> Vec<RowMutations> {
        let keys = ["a", "b", "c"];
        keys.map(|key| row(key, vec![set("f", "q", 1000, "v")]))
            .into()
    };
    let lost = || Step::Fail(tonic::Status::unavailable("lost"));
    let (server, backend) = Scripted::start().await;
    let backend = backend
        .with_options(CallOptions::new().without_retries())
        .unwrap();
    server
        .mutate_rows
        .script(vec![answer(2), answer(0), lost()]);
    let outcomes = backend
        .mutate_rows(TABLE, EntryBatch::of(entries()))
        .await
        .unwrap();
    let lost_one = Status::new(Code::Unavailable, "lost");
    assert_eq!(outcomes, [Ok(()), Err(lost_one.clone()), Ok(())]);

    server.mutate_rows.script(vec![lost()]);
    assert_eq!(
        backend.mutate_rows(TABLE, EntryBatch::of(entries())).await,
        Err(lost_one)
    );

    server.mutate_rows.script(vec![answer(1)]);
    let outcomes = backend
        .mutate_rows(TABLE, EntryBatch::of(entries()))
        .await
        .unwrap();
    assert_eq!(outcomes[0].as_ref().unwrap_err().code, Code::Internal);
    assert_eq!(outcomes[1], Ok(()));
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unavailable_and_the_cause_is_told() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap().to_string();
    drop(free);
    let backend = GrpcBackend::new(&GrpcSettings::new("p", "i").emulator(address)).unwrap();
    let backend = backend
        .with_options(CallOptions::new().without_retries())
        .unwrap();
    let error = backend.tables().list().await.unwrap_err();
    assert_eq!(error.code, Code::Unavailable);
    assert!(error.message.to_lowercase().contains("refused"), "{error}");
}

#[test]
fn outside_a_runtime_a_call_is_an_error_and_no_panic() {
    let backend = GrpcBackend::new(&GrpcSettings::new("p", "i").emulator("localhost:1")).unwrap();
    let answer = backend.tables().list().now_or_never().unwrap();
    let error = answer.unwrap_err();
    assert_eq!(error.code, Code::FailedPrecondition);
}

/// A merge of scans reads one scan as long as its keys come first; the others must not block it.
#[tokio::test]
async fn a_scan_goes_on_while_others_wait_to_be_read() {
    let in_time = tokio::time::timeout(Duration::from_secs(30), read_one_by_one());
    assert!(in_time.await.is_ok(), "scans wait for each other");
}

async fn read_one_by_one() {
    const SCANS: usize = 24;
    const KEYS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
    let (server, backend) = Scripted::start().await;
    let value = "x".repeat(256 << 10);
    let message = |key| {
        let cell = wire::CellChunk {
            value: value.clone().into(),
            ..begin(key, "", 0)
        };
        send([commit(cell)])
    };
    let mut scans = Vec::new();
    for _ in 0..SCANS {
        server.read_rows.script(KEYS.map(message));
        let mut scan = backend.read_rows(all()).rows();
        assert!(scan.next().await.unwrap().is_ok());
        scans.push(scan);
    }
    for scan in scans.iter_mut().rev() {
        let rest: Vec<_> = scan.try_collect().await.unwrap();
        assert_eq!(rest.len(), KEYS.len() - 1);
    }
}
