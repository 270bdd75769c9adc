//! The seven operations in their simplest form, for behaviour that they share.

use std::time::Duration;

use bigtable_model::backend::grpc::wire;
use tonic::Code;

use crate::driver::{Driver, TABLE, code};
use crate::mock::{Mock, Seen, Step};

/// An operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    ReadRow,
    ReadRows,
    SampleRowKeys,
    MutateRow,
    BulkMutateRows,
    CheckAndMutateRow,
    ReadModifyWriteRow,
}

impl Operation {
    pub(crate) const ALL: [Self; 7] = [
        Self::ReadRow,
        Self::ReadRows,
        Self::SampleRowKeys,
        Self::MutateRow,
        Self::BulkMutateRows,
        Self::CheckAndMutateRow,
        Self::ReadModifyWriteRow,
    ];

    /// The operations that are retried after a failure.
    pub(crate) const RETRIED: [Self; 5] = [
        Self::ReadRow,
        Self::ReadRows,
        Self::SampleRowKeys,
        Self::MutateRow,
        Self::BulkMutateRows,
    ];

    /// Lets the next call succeed after a delay.
    pub(crate) fn succeed(self, mock: &Mock, after: Duration) {
        match self {
            Self::ReadRow | Self::ReadRows => {
                mock.read_rows
                    .on_call([Step::Wait(after), Step::Send(row("row"))]);
            }
            Self::SampleRowKeys => {
                let sample = wire::SampleRowKeysResponse {
                    row_key: "row".into(),
                    offset_bytes: 1,
                };
                mock.sample_row_keys
                    .on_call([Step::Wait(after), Step::Send(sample)]);
            }
            Self::MutateRow => {
                let answer = wire::MutateRowResponse {};
                mock.mutate_row
                    .on_call([Step::Wait(after), Step::Send(answer)]);
            }
            Self::BulkMutateRows => {
                mock.mutate_rows
                    .on_call([Step::Wait(after), Step::Send(outcomes(&[(0, 0)]))]);
            }
            Self::CheckAndMutateRow => {
                let answer = wire::CheckAndMutateRowResponse::default();
                mock.check_and_mutate_row
                    .on_call([Step::Wait(after), Step::Send(answer)]);
            }
            Self::ReadModifyWriteRow => {
                let answer = wire::ReadModifyWriteRowResponse::default();
                mock.read_modify_write_row
                    .on_call([Step::Wait(after), Step::Send(answer)]);
            }
        }
    }

    /// Lets the next call fail at once.
    pub(crate) fn fail(self, mock: &Mock, status: tonic::Status) {
        match self {
            Self::ReadRow | Self::ReadRows => mock.read_rows.on_call([Step::Fail(status)]),
            Self::SampleRowKeys => mock.sample_row_keys.on_call([Step::Fail(status)]),
            Self::MutateRow => mock.mutate_row.on_call([Step::Fail(status)]),
            Self::BulkMutateRows => mock.mutate_rows.on_call([Step::Fail(status)]),
            Self::CheckAndMutateRow => mock.check_and_mutate_row.on_call([Step::Fail(status)]),
            Self::ReadModifyWriteRow => mock.read_modify_write_row.on_call([Step::Fail(status)]),
        }
    }

    /// Runs it; returns its status.
    pub(crate) async fn run(self, driver: &Driver) -> (Code, String) {
        let status = match self {
            Self::ReadRow => driver.read_row("row").await.status,
            Self::ReadRows => driver.read_rows(all_rows()).await.status,
            Self::SampleRowKeys => driver.sample_row_keys().await.status,
            Self::MutateRow => driver.mutate_row(mutate_row()).await.status,
            Self::BulkMutateRows => driver.bulk_mutate_rows(mutate_rows(["row"])).await.status,
            Self::CheckAndMutateRow => driver.check_and_mutate_row(check_row()).await.status,
            Self::ReadModifyWriteRow => driver.read_modify_write_row(modify_row()).await.status,
        };
        let (code, message) = code(&status);
        (code, message.to_owned())
    }

    /// The calls that the server saw, without their contents.
    pub(crate) fn seen(self, mock: &Mock) -> Vec<Seen<()>> {
        fn bare<Q>(seen: Vec<Seen<Q>>) -> Vec<Seen<()>> {
            let calls = seen.into_iter();
            let bare = calls.map(|call| Seen {
                at: call.at,
                headers: call.headers,
                request: (),
            });
            bare.collect()
        }
        match self {
            Self::ReadRow | Self::ReadRows => bare(mock.read_rows.seen()),
            Self::SampleRowKeys => bare(mock.sample_row_keys.seen()),
            Self::MutateRow => bare(mock.mutate_row.seen()),
            Self::BulkMutateRows => bare(mock.mutate_rows.seen()),
            Self::CheckAndMutateRow => bare(mock.check_and_mutate_row.seen()),
            Self::ReadModifyWriteRow => bare(mock.read_modify_write_row.seen()),
        }
    }
}

pub(crate) fn all_rows() -> wire::ReadRowsRequest {
    wire::ReadRowsRequest {
        table_name: TABLE.to_owned(),
        ..wire::ReadRowsRequest::default()
    }
}

/// A chunk with a complete row.
pub(crate) fn chunk(key: &'static str) -> wire::CellChunk {
    wire::CellChunk {
        row_key: key.into(),
        family_name: Some(wire::BytesValue { value: "f".into() }),
        qualifier: Some(wire::BytesValue {
            value: "col".into(),
        }),
        value: "value".into(),
        row_status: Some(wire::RowStatus::CommitRow(true)),
        ..wire::CellChunk::default()
    }
}

/// A message with a row.
pub(crate) fn row(key: &'static str) -> wire::ReadRowsResponse {
    wire::ReadRowsResponse {
        chunks: vec![chunk(key)],
        ..wire::ReadRowsResponse::default()
    }
}

/// A mutation that may be sent twice.
pub(crate) fn set_cell() -> wire::Mutation {
    wire::Mutation {
        kind: Some(wire::MutationKind::SetCell(wire::SetCell {
            family_name: "f".into(),
            column_qualifier: "col".into(),
            timestamp_micros: 1000,
            value: "value".into(),
        })),
    }
}

pub(crate) fn mutate_row() -> wire::MutateRowRequest {
    wire::MutateRowRequest {
        table_name: TABLE.to_owned(),
        row_key: "row".into(),
        mutations: vec![set_cell()],
        ..wire::MutateRowRequest::default()
    }
}

pub(crate) fn mutate_rows<const N: usize>(keys: [&'static str; N]) -> wire::MutateRowsRequest {
    let entries = keys.map(|key| wire::MutateRowsEntry {
        row_key: key.into(),
        mutations: vec![set_cell()],
        ..wire::MutateRowsEntry::default()
    });
    wire::MutateRowsRequest {
        table_name: TABLE.to_owned(),
        entries: entries.into(),
        ..wire::MutateRowsRequest::default()
    }
}

/// Outcomes of entries: index and code.
pub(crate) fn outcomes(entries: &[(i64, i32)]) -> wire::MutateRowsResponse {
    let entries = entries.iter().map(|(index, code)| wire::MutateRowsOutcome {
        index: *index,
        status: Some(wire::RpcStatus {
            code: *code,
            ..wire::RpcStatus::default()
        }),
    });
    wire::MutateRowsResponse {
        entries: entries.collect(),
        rate_limit_info: None,
    }
}

pub(crate) fn check_row() -> wire::CheckAndMutateRowRequest {
    wire::CheckAndMutateRowRequest {
        table_name: TABLE.to_owned(),
        row_key: "row".into(),
        true_mutations: vec![set_cell()],
        ..wire::CheckAndMutateRowRequest::default()
    }
}

pub(crate) fn modify_row() -> wire::ReadModifyWriteRowRequest {
    wire::ReadModifyWriteRowRequest {
        table_name: TABLE.to_owned(),
        row_key: "row".into(),
        rules: vec![wire::ReadModifyWriteRule {
            family_name: "f".into(),
            column_qualifier: "col".into(),
            rule: Some(wire::RuleKind::AppendValue("more".into())),
        }],
        ..wire::ReadModifyWriteRowRequest::default()
    }
}
