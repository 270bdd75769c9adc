//! The tables of an instance, and the queries in SQL that it may run.

use bytes::Bytes;
use futures::future::BoxFuture;

use crate::data::{FamilyChange, RowDeletion, RowKeySchema, SchemaBundle, TableSchema};
use crate::sql::{SqlParameters, SqlPlan, SqlQuery, SqlRows};
use crate::{Code, Status};

/// The tables of an instance: [`Backend::tables`](crate::Backend::tables).
pub trait Tables: Send + Sync {
    /// Creates a table, split at `splits` if the backend has tablets; `ALREADY_EXISTS` if it
    /// exists.
    fn create(&self, schema: TableSchema, splits: Vec<Bytes>) -> BoxFuture<'_, Result<(), Status>>;

    /// A table's families and its row key schema; `NOT_FOUND` if it does not exist.
    fn get<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<TableSchema, Status>>;

    /// The IDs of all tables, in order.
    fn list(&self) -> BoxFuture<'_, Result<Vec<String>, Status>>;

    /// Deletes a table and its rows.
    fn delete<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<(), Status>>;

    /// Changes families, all of them or none.
    fn modify_families<'a>(
        &'a self,
        table: &'a str,
        changes: Vec<FamilyChange>,
    ) -> BoxFuture<'a, Result<TableSchema, Status>>;

    /// Sets the row key schema with which SQL decodes a table's keys, or removes it with `None`. In
    /// Bigtable a schema can be added or removed, but not changed.
    ///
    /// By default, for backends without SQL, it answers `UNIMPLEMENTED`.
    fn set_row_key_schema<'a>(
        &'a self,
        table: &'a str,
        schema: Option<RowKeySchema>,
    ) -> BoxFuture<'a, Result<(), Status>> {
        let _ = (table, schema);
        Box::pin(async { Err(without_row_key_schemas()) })
    }

    /// Creates a schema bundle of a table, with whose messages SQL reads its values, or replaces
    /// the one with its ID. Bigtable refuses one that is not compatible with that.
    ///
    /// By default, for backends without SQL, it answers `UNIMPLEMENTED`.
    fn set_schema_bundle<'a>(
        &'a self,
        table: &'a str,
        bundle: SchemaBundle,
    ) -> BoxFuture<'a, Result<(), Status>> {
        let _ = (table, bundle);
        Box::pin(async { Err(without_schema_bundles()) })
    }

    /// Deletes a range of rows.
    fn drop_rows<'a>(
        &'a self,
        table: &'a str,
        rows: RowDeletion,
    ) -> BoxFuture<'a, Result<(), Status>>;

    /// A token for the writes to a table so far, to ask [whether](Self::is_consistent) they are in
    /// every cluster of a replicated instance.
    ///
    /// By default, for backends with one copy of the rows, it is empty.
    fn consistency_token<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<String, Status>> {
        let _ = table;
        Box::pin(async { Ok(String::new()) })
    }

    /// Whether the writes before a [token](Self::consistency_token) are in every cluster.
    ///
    /// By default, for backends with one copy of the rows, they are.
    fn is_consistent<'a>(
        &'a self,
        table: &'a str,
        token: &'a str,
    ) -> BoxFuture<'a, Result<bool, Status>> {
        let _ = (table, token);
        Box::pin(async { Ok(true) })
    }
}

/// Queries in GoogleSQL: [`Backend::sql_service`](crate::Backend::sql_service). To run a query, use
/// [`db.sql(..)`](crate::SqlExt::sql); this is for programs that run one query many times.
pub trait SqlService: Send + Sync {
    /// Prepares a query. Only the types of its parameters matter: each [execution](Self::execute)
    /// has its own values.
    fn prepare<'a>(&'a self, query: &'a SqlQuery) -> BoxFuture<'a, Result<SqlPlan, Status>>;

    /// Executes a plan that this backend has prepared, with a value for each of its parameters.
    /// Each row is delivered once, in the order of the query.
    fn execute(&self, plan: &SqlPlan, parameters: SqlParameters) -> SqlRows;
}

/// Also for a new table that has a schema.
pub(crate) fn without_row_key_schemas() -> Status {
    Status::new(
        Code::Unimplemented,
        "this backend keeps no row key schemas, since it runs no SQL: only Bigtable itself does, over gRPC",
    )
}

fn without_schema_bundles() -> Status {
    Status::new(
        Code::Unimplemented,
        "this backend keeps no schema bundles, since it runs no SQL: only Bigtable itself does, over gRPC",
    )
}

/// Answers for a backend without SQL.
pub(crate) struct WithoutSql;

impl SqlService for WithoutSql {
    fn prepare<'a>(&'a self, _: &'a SqlQuery) -> BoxFuture<'a, Result<SqlPlan, Status>> {
        Box::pin(async { Err(without_sql()) })
    }

    fn execute(&self, _: &SqlPlan, _: SqlParameters) -> SqlRows {
        SqlRows::failed(without_sql())
    }
}

fn without_sql() -> Status {
    Status::new(
        Code::Unimplemented,
        "this backend runs no SQL: only Bigtable itself does, over gRPC; ask with the typed queries of a model, which every backend answers",
    )
}
