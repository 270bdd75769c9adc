//! A shared backend is a backend.

use std::sync::Arc;

use bytes::Bytes;
use futures::future::BoxFuture;

use super::{Backend, EntryOutcome, RowStream, Status};
use crate::data::{
    CheckAndMutateRow, FamilyChange, ReadModifyWriteRow, ReadRows, Row, RowDeletion, RowKeySample,
    RowMutations, TableSchema,
};

/// So that `&Arc<dyn Backend>` goes wherever `&dyn Backend` does.
impl<B: Backend + ?Sized> Backend for Arc<B> {
    fn handle(&self) -> Arc<dyn Backend> {
        (**self).handle()
    }

    fn read_rows(&self, request: ReadRows) -> RowStream {
        (**self).read_rows(request)
    }

    fn mutate_row<'a>(
        &'a self,
        table: &'a str,
        row: RowMutations,
    ) -> BoxFuture<'a, Result<(), Status>> {
        (**self).mutate_row(table, row)
    }

    fn mutate_rows<'a>(
        &'a self,
        table: &'a str,
        rows: Vec<RowMutations>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        (**self).mutate_rows(table, rows)
    }

    fn check_and_mutate_row(
        &self,
        request: CheckAndMutateRow,
    ) -> BoxFuture<'_, Result<bool, Status>> {
        (**self).check_and_mutate_row(request)
    }

    fn read_modify_write_row(
        &self,
        request: ReadModifyWriteRow,
    ) -> BoxFuture<'_, Result<Row, Status>> {
        (**self).read_modify_write_row(request)
    }

    fn sample_row_keys<'a>(
        &'a self,
        table: &'a str,
    ) -> BoxFuture<'a, Result<Vec<RowKeySample>, Status>> {
        (**self).sample_row_keys(table)
    }

    fn create_table(
        &self,
        schema: TableSchema,
        splits: Vec<Bytes>,
    ) -> BoxFuture<'_, Result<(), Status>> {
        (**self).create_table(schema, splits)
    }

    fn get_table<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<TableSchema, Status>> {
        (**self).get_table(table)
    }

    fn list_tables(&self) -> BoxFuture<'_, Result<Vec<String>, Status>> {
        (**self).list_tables()
    }

    fn delete_table<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<(), Status>> {
        (**self).delete_table(table)
    }

    fn modify_families<'a>(
        &'a self,
        table: &'a str,
        changes: Vec<FamilyChange>,
    ) -> BoxFuture<'a, Result<TableSchema, Status>> {
        (**self).modify_families(table, changes)
    }

    fn drop_rows<'a>(
        &'a self,
        table: &'a str,
        rows: RowDeletion,
    ) -> BoxFuture<'a, Result<(), Status>> {
        (**self).drop_rows(table, rows)
    }
}
