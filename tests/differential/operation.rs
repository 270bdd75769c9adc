//! An operation and a backend's answer.

use bigtable_model::backend::EntryOutcome;
use bigtable_model::data::{
    CheckAndMutateRow, EntryBatch, FamilyChange, Mutation, ReadModifyWriteRow, ReadRows, Row,
    RowDeletion, RowMutations, TableSchema,
};
use bigtable_model::{Backend, Status};
use bytes::Bytes;
use futures::StreamExt;

/// The request to a backend; the table's name is filled in when it runs.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    MutateRow(RowMutations),
    MutateRows(Vec<RowMutations>),
    Check(CheckAndMutateRow),
    Modify(ReadModifyWriteRow),
    Read(ReadRows),
    GetTable,
    Families(Vec<FamilyChange>),
    DropRows(RowDeletion),
    CreateTable(TableSchema),
    DeleteTable,
}

/// A backend's answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    Done(Result<(), Status>),
    Entries(Result<Vec<EntryOutcome>, Status>),
    Matched(Result<bool, Status>),
    Row(Result<Row, Status>),
    /// Rows before an error are part of the answer.
    Rows(Vec<Row>, Result<(), Status>),
    Schema(Result<TableSchema, Status>),
}

impl Operation {
    pub(crate) async fn run(&self, backend: &dyn Backend, table: &str) -> Outcome {
        let name = table.to_owned();
        match self.clone() {
            Self::MutateRow(row) => Outcome::Done(backend.mutate_row(table, row).await),
            Self::MutateRows(rows) => {
                Outcome::Entries(backend.mutate_rows(table, EntryBatch::of(rows)).await)
            }
            Self::Check(request) => {
                let request = CheckAndMutateRow {
                    table: name,
                    ..request
                };
                Outcome::Matched(backend.check_and_mutate_row(request).await)
            }
            Self::Modify(request) => {
                let request = ReadModifyWriteRow {
                    table: name,
                    ..request
                };
                Outcome::Row(backend.read_modify_write_row(request).await)
            }
            Self::Read(request) => {
                read(
                    backend,
                    ReadRows {
                        table: name,
                        ..request
                    },
                )
                .await
            }
            Self::GetTable => Outcome::Schema(backend.tables().get(table).await),
            Self::Families(changes) => {
                Outcome::Schema(backend.tables().modify_families(table, changes).await)
            }
            Self::DropRows(rows) => Outcome::Done(backend.tables().drop_rows(table, rows).await),
            Self::CreateTable(schema) => {
                let schema = TableSchema {
                    table: name,
                    ..schema
                };
                Outcome::Done(backend.tables().create(schema, Vec::new()).await)
            }
            Self::DeleteTable => Outcome::Done(backend.tables().delete(table).await),
        }
    }

    /// The rows that the operation writes to.
    pub(crate) fn written(&self) -> Vec<Bytes> {
        match self {
            Self::MutateRow(row) => vec![row.key.clone()],
            Self::MutateRows(rows) => rows.iter().map(|row| row.key.clone()).collect(),
            Self::Check(request) => vec![request.key.clone()],
            Self::Modify(request) => vec![request.key.clone()],
            _ => Vec::new(),
        }
    }

    /// Whether it may leave cells with the server's time.
    pub(crate) fn stamps(&self) -> bool {
        let any = |mutations: &[Mutation]| mutations.iter().any(is_stamped);
        match self {
            Self::MutateRow(row) => any(&row.mutations),
            Self::MutateRows(rows) => rows.iter().any(|row| any(&row.mutations)),
            Self::Check(request) => any(&request.if_true) || any(&request.if_false),
            Self::Modify(_) => true,
            _ => false,
        }
    }
}

fn is_stamped(mutation: &Mutation) -> bool {
    matches!(mutation, Mutation::SetCell { .. }) && !mutation.is_idempotent()
}

async fn read(backend: &dyn Backend, request: ReadRows) -> Outcome {
    let mut stream = backend.read_rows(request).rows();
    let mut rows = Vec::new();
    while let Some(next) = stream.next().await {
        match next {
            Ok(row) => rows.push(row),
            Err(status) => return Outcome::Rows(rows, Err(status)),
        }
    }
    Outcome::Rows(rows, Ok(()))
}
