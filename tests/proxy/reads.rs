//! Reads: their requests, and rows assembled from chunks.

use bigtable_model::backend::grpc::wire;
use tonic::{Code, Status};

use crate::driver::{Driver, TABLE, code};
use crate::mock::Step;
use crate::operations::{all_rows, chunk, row};

fn keys(rows: &[wire::Row]) -> Vec<&[u8]> {
    rows.iter().map(|row| &row.key[..]).collect()
}

fn message(chunks: Vec<wire::CellChunk>) -> Step<wire::ReadRowsResponse> {
    Step::Send(wire::ReadRowsResponse {
        chunks,
        ..wire::ReadRowsResponse::default()
    })
}

#[tokio::test]
async fn one_key_is_read_with_a_limit_of_one_row() {
    let (driver, mock) = Driver::with_client().await;
    mock.read_rows.on_call([Step::Send(row("row-01"))]);
    let result = driver.read_row("row-01").await;
    assert_eq!(code(&result.status), (Code::Ok, ""));
    assert_eq!(result.row.unwrap().key, "row-01");
    let request = mock.read_rows.only().request;
    assert_eq!(request.table_name, TABLE);
    assert_eq!(
        (request.app_profile_id.as_str(), request.rows_limit),
        ("", 1)
    );
    let rows = request.rows.unwrap();
    assert_eq!(
        (rows.row_keys, rows.row_ranges.len()),
        (vec!["row-01".into()], 0)
    );
}

#[tokio::test]
async fn a_key_that_is_not_there_is_no_row_and_no_error() {
    let (driver, mock) = Driver::with_client().await;
    mock.read_rows.on_call([]);
    let result = driver.read_row("row-01").await;
    assert_eq!(code(&result.status), (Code::Ok, ""));
    assert_eq!(result.row, None);
}

#[tokio::test]
async fn a_request_is_passed_on_with_its_keys_ranges_filter_and_limit() {
    let (driver, mock) = Driver::with_client().await;
    mock.read_rows.on_call([]);
    let range = |start_key, end_key| wire::RowRange { start_key, end_key };
    let request = wire::ReadRowsRequest {
        rows: Some(wire::RowSet {
            row_keys: vec!["k".into()],
            row_ranges: vec![
                range(
                    Some(wire::RowKeyStart::Closed("a".into())),
                    Some(wire::RowKeyEnd::Open("b".into())),
                ),
                range(
                    Some(wire::RowKeyStart::Open("c".into())),
                    Some(wire::RowKeyEnd::Closed("d".into())),
                ),
                range(Some(wire::RowKeyStart::Closed("x".into())), None),
            ],
        }),
        filter: Some(wire::RowFilter {
            kind: Some(wire::RowFilterKind::CellsPerColumnLimit(1)),
        }),
        rows_limit: 7,
        reversed: true,
        ..all_rows()
    };
    let result = driver.read_rows(request.clone()).await;
    assert_eq!(code(&result.status), (Code::Ok, ""));
    let sent = mock.read_rows.only().request;
    assert_eq!(sent.filter, request.filter);
    assert_eq!((sent.rows_limit, sent.reversed), (7, true));
    let sent = sent.rows.unwrap();
    let given = request.rows.unwrap();
    assert_eq!(sent.row_keys, given.row_keys);
    assert_eq!(sent.row_ranges, given.row_ranges);
}

#[tokio::test]
async fn rows_come_in_any_number_of_messages() {
    let (driver, mock) = Driver::with_client().await;
    let part = |value: &'static str, value_size| wire::CellChunk {
        value: value.into(),
        value_size,
        row_status: None,
        ..chunk("row-02")
    };
    let commit = wire::CellChunk {
        value: "end".into(),
        row_status: Some(wire::RowStatus::CommitRow(true)),
        ..wire::CellChunk::default()
    };
    mock.read_rows.on_call([
        message(vec![chunk("row-01"), part("one ", 7)]),
        message(vec![]),
        message(vec![commit]),
        message(vec![chunk("row-03")]),
    ]);
    let result = driver.read_rows(all_rows()).await;
    assert_eq!(code(&result.status), (Code::Ok, ""));
    assert_eq!(keys(&result.rows), [b"row-01", b"row-02", b"row-03"]);
    let cells = &result.rows[1].families[0].columns[0].cells;
    assert_eq!(cells[0].value, "one end");
}

#[tokio::test]
async fn a_row_is_given_back_family_by_family() {
    let (driver, mock) = Driver::with_client().await;
    let cell = |key: &'static str, family: &'static str, timestamp_micros| wire::CellChunk {
        row_key: key.into(),
        family_name: Some(wire::BytesValue {
            value: family.into(),
        }),
        timestamp_micros,
        labels: vec!["label".to_owned()],
        row_status: (key.is_empty()).then_some(wire::RowStatus::CommitRow(true)),
        ..chunk("")
    };
    mock.read_rows
        .on_call([message(vec![cell("row-01", "A", 99), cell("", "B", 102)])]);
    let result = driver.read_row("row-01").await;
    let family = |name: &'static str, timestamp_micros| wire::Family {
        name: name.into(),
        columns: vec![wire::Column {
            qualifier: "col".into(),
            cells: vec![wire::Cell {
                timestamp_micros,
                value: "value".into(),
                labels: vec!["label".to_owned()],
            }],
        }],
    };
    let expected = wire::Row {
        key: "row-01".into(),
        families: vec![family("A", 99), family("B", 102)],
    };
    assert_eq!(result.row, Some(expected));
}

#[tokio::test]
async fn keys_out_of_order_are_an_error() {
    for (reversed, order, words) in [
        (false, ["row-01", "row-07", "row-03"], "increasing"),
        (true, ["row-07", "row-01", "row-03"], "decreasing"),
        (false, ["row-01", "row-03", "row-03"], "increasing"),
    ] {
        let (driver, mock) = Driver::with_client().await;
        mock.read_rows.on_call([message(order.map(chunk).into())]);
        let request = wire::ReadRowsRequest {
            reversed,
            ..all_rows()
        };
        let result = driver.read_rows(request).await;
        let (code, message) = code(&result.status);
        assert_ne!(code, Code::Ok);
        assert!(message.contains(words), "{message}");
        assert_eq!(result.rows.len(), 2, "the rows before it are there");
        assert_eq!(mock.read_rows.count(), 1);
    }
}

#[tokio::test]
async fn a_read_is_cut_short_on_demand() {
    let (driver, mock) = Driver::with_client().await;
    let rows = ["row-01", "row-02", "row-03"].map(|key| Step::Send(row(key)));
    mock.read_rows.on_call(rows.clone());
    let result = driver.read_rows_until(all_rows(), 2).await;
    assert_eq!(code(&result.status), (Code::Ok, ""));
    assert_eq!(result.rows.len(), 2);
    for never in [0, -1, 3, 9] {
        mock.read_rows.on_call(rows.clone());
        assert_eq!(
            driver.read_rows_until(all_rows(), never).await.rows.len(),
            3
        );
    }
}

#[tokio::test]
async fn samples_are_returned_as_they_come() {
    let (driver, mock) = Driver::with_client().await;
    let sample = |key: &'static str, offset_bytes| wire::SampleRowKeysResponse {
        row_key: key.into(),
        offset_bytes,
    };
    // The service ends the list with the empty key; a list without it is not completed.
    let samples = [sample("row-31", 30), sample("row-98", 65)];
    mock.sample_row_keys
        .on_call(samples.clone().map(Step::Send));
    let result = driver.sample_row_keys().await;
    assert_eq!(code(&result.status), (Code::Ok, ""));
    assert_eq!(result.samples, samples);
    let expected = wire::SampleRowKeysRequest {
        table_name: TABLE.to_owned(),
        app_profile_id: String::new(),
        ..wire::SampleRowKeysRequest::default()
    };
    assert_eq!(mock.sample_row_keys.only().request, expected);
}

#[tokio::test]
async fn samples_begin_anew_after_a_fault() {
    let (driver, mock) = Driver::with_client().await;
    let sample = |key: &'static str| {
        Step::Send(wire::SampleRowKeysResponse {
            row_key: key.into(),
            offset_bytes: 1,
        })
    };
    let fault = Step::Fail(Status::unavailable("gone"));
    mock.sample_row_keys.on_call([sample("a"), fault]);
    mock.sample_row_keys.on_call([sample("a"), sample("b")]);
    let result = driver.sample_row_keys().await;
    assert_eq!(code(&result.status), (Code::Ok, ""));
    assert_eq!(result.samples.len(), 2, "none of the first attempt");
}
