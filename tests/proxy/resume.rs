//! Interrupted reads continue after the last row.

use std::time::Duration;

use bigtable_model::backend::grpc::wire;
use tonic::{Code, Status};

use crate::driver::{CLIENT, Driver, client_of, code};
use crate::mock::{Mock, Step};
use crate::operations::{all_rows, chunk, row};

fn keys(rows: &[wire::Row]) -> Vec<&str> {
    rows.iter()
        .map(|row| std::str::from_utf8(&row.key).unwrap())
        .collect()
}

fn scanned(key: &'static str) -> Step<wire::ReadRowsResponse> {
    Step::Send(wire::ReadRowsResponse {
        last_scanned_row_key: key.into(),
        ..wire::ReadRowsResponse::default()
    })
}

/// Everything after this key, in the direction of the read.
fn after(key: &'static str, reversed: bool) -> wire::RowRange {
    match reversed {
        false => wire::RowRange {
            start_key: Some(wire::RowKeyStart::Open(key.into())),
            end_key: None,
        },
        true => wire::RowRange {
            start_key: None,
            end_key: Some(wire::RowKeyEnd::Open(key.into())),
        },
    }
}

/// The two requests of a read that was interrupted once.
fn two_requests(mock: &Mock) -> [wire::ReadRowsRequest; 2] {
    let seen = mock.read_rows.seen();
    assert_eq!(seen.len(), 2, "requests");
    let requests: Vec<_> = seen.into_iter().map(|call| call.request).collect();
    requests.try_into().unwrap()
}

#[tokio::test]
async fn a_read_goes_on_after_its_last_row() {
    let faults = [
        Status::aborted("paused"),
        Status::unavailable("gone"),
        Status::deadline_exceeded("slow"),
    ];
    for fault in faults {
        for reversed in [false, true] {
            let (driver, mock) = Driver::with_client().await;
            let [first, second] = match reversed {
                false => ["row-01", "row-05"],
                true => ["row-05", "row-01"],
            };
            mock.read_rows
                .on_call([Step::Send(row(first)), Step::Fail(fault.clone())]);
            mock.read_rows.on_call([Step::Send(row(second))]);
            let request = wire::ReadRowsRequest {
                reversed,
                ..all_rows()
            };
            let result = driver.read_rows(request).await;
            assert_eq!(code(&result.status), (Code::Ok, ""));
            assert_eq!(keys(&result.rows), [first, second]);
            let [original, resumed] = two_requests(&mock);
            assert!(original.rows.is_none_or(|rows| rows.row_ranges.is_empty()));
            assert_eq!(resumed.rows.unwrap().row_ranges, [after(first, reversed)]);
            assert_eq!(resumed.reversed, reversed);
        }
    }
}

#[tokio::test]
async fn a_read_goes_on_after_the_last_key_scanned() {
    for reversed in [false, true] {
        let (driver, mock) = Driver::with_client().await;
        let [first, last] = match reversed {
            false => ["abar", "zbar"],
            true => ["zbar", "abar"],
        };
        let fault = Step::Fail(Status::deadline_exceeded("slow"));
        mock.read_rows
            .on_call([Step::Send(row(first)), scanned("qfoo"), fault]);
        mock.read_rows.on_call([Step::Send(row(last))]);
        let request = wire::ReadRowsRequest {
            reversed,
            ..all_rows()
        };
        let result = driver.read_rows(request).await;
        assert_eq!(code(&result.status), (Code::Ok, ""));
        assert_eq!(keys(&result.rows), [first, last]);
        let [_, resumed] = two_requests(&mock);
        assert_eq!(resumed.rows.unwrap().row_ranges, [after("qfoo", reversed)]);
    }
}

#[tokio::test]
async fn a_row_that_was_cut_is_read_again_from_its_beginning() {
    let (driver, mock) = Driver::with_client().await;
    let part = wire::ReadRowsResponse {
        chunks: vec![
            chunk("row-01"),
            wire::CellChunk {
                row_status: None,
                ..chunk("row-02")
            },
        ],
        ..wire::ReadRowsResponse::default()
    };
    mock.read_rows
        .on_call([Step::Send(part), Step::Fail(Status::unavailable("gone"))]);
    mock.read_rows.on_call([Step::Send(row("row-02"))]);
    let result = driver.read_rows(all_rows()).await;
    assert_eq!(code(&result.status), (Code::Ok, ""));
    assert_eq!(keys(&result.rows), ["row-01", "row-02"]);
    assert_eq!(result.rows[1].families[0].columns[0].cells.len(), 1);
    let [_, resumed] = two_requests(&mock);
    assert_eq!(resumed.rows.unwrap().row_ranges, [after("row-01", false)]);
}

#[tokio::test]
async fn keys_and_rows_that_are_there_are_not_asked_for_again() {
    let (driver, mock) = Driver::with_client().await;
    mock.read_rows.on_call([
        Step::Send(row("b")),
        Step::Fail(Status::unavailable("gone")),
    ]);
    mock.read_rows.on_call([Step::Send(row("c"))]);
    let request = wire::ReadRowsRequest {
        rows: Some(wire::RowSet {
            row_keys: vec!["a".into(), "b".into(), "c".into()],
            row_ranges: Vec::new(),
        }),
        rows_limit: 5,
        ..all_rows()
    };
    let result = driver.read_rows(request).await;
    assert_eq!(code(&result.status), (Code::Ok, ""));
    let [_, resumed] = two_requests(&mock);
    assert_eq!(resumed.rows_limit, 4);
    let rows = resumed.rows.unwrap();
    assert_eq!(
        (rows.row_keys, rows.row_ranges.len()),
        (vec!["c".into()], 0)
    );
}

#[tokio::test]
async fn a_fault_after_the_last_row_wanted_is_no_fault() {
    for limit in [1, 0] {
        let (driver, mock) = Driver::with_client().await;
        let fault = Step::Fail(Status::deadline_exceeded("slow"));
        mock.read_rows.on_call([Step::Send(row("row-01")), fault]);
        mock.read_rows.on_call([Step::Send(row("row-05"))]);
        let request = wire::ReadRowsRequest {
            rows_limit: limit,
            rows: (limit == 0).then(|| wire::RowSet {
                row_keys: vec!["row-01".into()],
                row_ranges: Vec::new(),
            }),
            ..all_rows()
        };
        let result = driver.read_rows(request).await;
        assert_eq!(code(&result.status), (Code::Ok, ""));
        assert_eq!(keys(&result.rows), ["row-01"]);
        assert_eq!(mock.read_rows.count(), 1, "nothing is left to ask for");
    }
}

/// A server that closes old connections says goodbye, and later resets the remaining streams.
#[tokio::test]
async fn a_connection_that_is_closed_under_a_read_costs_one_more_request() {
    let age = Duration::from_secs(2);
    let (mock, address) = Mock::start_short_lived(age);
    let driver = Driver::start();
    driver.create(&client_of(&address)).await.unwrap();
    mock.read_rows.on_call([
        Step::Send(row("abar")),
        Step::Wait(20 * age),
        Step::Send(row("qbar")),
    ]);
    mock.read_rows
        .on_call([Step::Send(row("qbar")), Step::Send(row("zbar"))]);
    let result = driver.read_rows(all_rows()).await;
    assert_eq!(code(&result.status), (Code::Ok, ""));
    assert_eq!(keys(&result.rows), ["abar", "qbar", "zbar"]);
    let [_, resumed] = two_requests(&mock);
    assert_eq!(resumed.rows.unwrap().row_ranges, [after("abar", false)]);
    driver.remove(CLIENT).await.unwrap();
}
