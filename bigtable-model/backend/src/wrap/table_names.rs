//! Tables under other names: for tenants, environments, and tests that run side by side.
//!
//! The program keeps its own names; [`NamedTables`] sends every call to the table to which a
//! [`TableNames`] maps the name. The backend's answers have the program's names. SQL text is
//! refused, since it names tables itself; a [`SqlQuery`] knows where its text names the table, and
//! goes to the right one.
//!
//! ```
//! use std::sync::Arc;
//! use bigtable_backend::data::{FamilySchema, TableSchema};
//! use bigtable_backend::table_names::{NamedTables, Prefixed};
//! use bigtable_backend::{Backend, MemoryBackend};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), bigtable_backend::Status> {
//! let instance = MemoryBackend::new();
//! let staging = NamedTables::new(instance.handle(), Prefixed::new("staging_"));
//! let families = [("MD".to_owned(), FamilySchema::default())].into();
//! staging.create_table(TableSchema { table: "QUOTE".to_owned(), families, ..TableSchema::default() }, Vec::new()).await?;
//!
//! assert_eq!(instance.list_tables().await?, ["staging_QUOTE"]);
//! assert_eq!(staging.list_tables().await?, ["QUOTE"]);
//! # Ok(())
//! # }
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use futures::future::BoxFuture;

use crate::data::{
    CheckAndMutateRow, EntryBatch, EntrySize, FamilyChange, ReadModifyWriteRow, ReadRows, Row,
    RowDeletion, RowKeySample, RowKeySchema, RowMutations, RowOnce, TableSchema,
};
use crate::sql::{SqlParameters, SqlPlan, SqlQuery, SqlRows, SqlType};
use crate::{Backend, BatchStream, Code, EntryOutcome, ReadCounts, RowStream, Status, Timestamp};

/// How the program's tables are named in the instance.
///
/// Two names of the program must not become one name, or their rows are mixed. A function such as
/// `|name: &str| format!("{name}_v2")` implements this trait; it must add the same text before and
/// after each name. For anything else implement the trait.
pub trait TableNames: Send + Sync + 'static {
    /// The name in the instance of the table that the program calls `table`.
    fn stored(&self, table: &str) -> String;

    /// The program's name of the table with this name in the instance; `None` if the table is not
    /// the program's.
    ///
    /// # Errors
    /// Why the name cannot be determined.
    fn known(&self, stored: &str) -> Result<Option<String>, Status>;
}

/// The same prefix for each name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefixed(String);

impl Prefixed {
    /// Names that begin with `prefix`.
    pub fn new(prefix: impl Into<String>) -> Self {
        Self(prefix.into())
    }
}

impl TableNames for Prefixed {
    fn stored(&self, table: &str) -> String {
        format!("{}{table}", self.0)
    }

    fn known(&self, stored: &str) -> Result<Option<String>, Status> {
        Ok(stored.strip_prefix(&self.0).map(str::to_owned))
    }
}

/// A name that no program uses, since Bigtable refuses it.
const PROBE: &str = "\u{1}";

impl<F: Fn(&str) -> String + Send + Sync + 'static> TableNames for F {
    fn stored(&self, table: &str) -> String {
        self(table)
    }

    fn known(&self, stored: &str) -> Result<Option<String>, Status> {
        let probed = self(PROBE);
        let Some((before, after)) = probed.split_once(PROBE) else {
            return Err(Status::new(
                Code::FailedPrecondition,
                "the tables cannot be listed under the program's names: the function that makes names does more than to put \
                 text in front of a name and after it; implement `TableNames` instead",
            ));
        };
        let inner = stored.strip_prefix(before);
        let name = inner.and_then(|inner| inner.strip_suffix(after));
        Ok(name
            .filter(|name| !name.is_empty() && self(name) == stored)
            .map(str::to_owned))
    }
}

/// A backend whose tables have other names. Clones share the inner backend.
#[derive(Clone)]
pub struct NamedTables {
    inner: Arc<dyn Backend>,
    names: Arc<dyn TableNames>,
}

impl NamedTables {
    /// `inner` with its tables under the names that `names` makes.
    pub fn new(inner: Arc<dyn Backend>, names: impl TableNames) -> Self {
        Self {
            inner,
            names: Arc::new(names),
        }
    }

    fn known_schema(&self, stored: TableSchema, table: String) -> TableSchema {
        TableSchema { table, ..stored }
    }
}

impl fmt::Debug for NamedTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamedTables")
            .field("inner", &self.inner)
            .finish_non_exhaustive()
    }
}

impl Backend for NamedTables {
    fn handle(&self) -> Arc<dyn Backend> {
        Arc::new(self.clone())
    }

    fn read_rows(&self, mut request: ReadRows) -> RowStream {
        request.table = self.names.stored(&request.table);
        self.inner.read_rows(request)
    }

    fn read_rows_counted(&self, mut request: ReadRows) -> (RowStream, Option<Arc<ReadCounts>>) {
        request.table = self.names.stored(&request.table);
        self.inner.read_rows_counted(request)
    }

    fn read_batches(&self, mut request: ReadRows) -> BatchStream {
        request.table = self.names.stored(&request.table);
        self.inner.read_batches(request)
    }

    fn mutate_row<'a>(
        &'a self,
        table: &'a str,
        row: RowMutations,
    ) -> BoxFuture<'a, Result<(), Status>> {
        let table = self.names.stored(table);
        Box::pin(async move { self.inner.mutate_row(&table, row).await })
    }

    fn mutate_rows<'a>(
        &'a self,
        table: &'a str,
        rows: Vec<RowMutations>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        let table = self.names.stored(table);
        Box::pin(async move { self.inner.mutate_rows(&table, rows).await })
    }

    fn mutate_rows_once<'a>(
        &'a self,
        table: &'a str,
        rows: Vec<RowOnce>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        let table = self.names.stored(table);
        Box::pin(async move { self.inner.mutate_rows_once(&table, rows).await })
    }

    fn mutate_batch<'a>(
        &'a self,
        table: &'a str,
        entries: Arc<EntryBatch>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        let table = self.names.stored(table);
        Box::pin(async move { self.inner.mutate_batch(&table, entries).await })
    }

    fn takes_entry(&self, size: &EntrySize) -> bool {
        self.inner.takes_entry(size)
    }

    fn expiry_time(&self) -> Timestamp {
        self.inner.expiry_time()
    }

    fn stored_table(&self, table: &str) -> String {
        self.inner.stored_table(&self.names.stored(table))
    }

    fn keeps_tokens(&self) -> bool {
        self.inner.keeps_tokens()
    }

    fn check_entry(&self, row: &RowMutations) -> Result<usize, Status> {
        self.inner.check_entry(row)
    }

    fn check_and_mutate_row(
        &self,
        mut request: CheckAndMutateRow,
    ) -> BoxFuture<'_, Result<bool, Status>> {
        request.table = self.names.stored(&request.table);
        self.inner.check_and_mutate_row(request)
    }

    fn read_modify_write_row(
        &self,
        mut request: ReadModifyWriteRow,
    ) -> BoxFuture<'_, Result<Row, Status>> {
        request.table = self.names.stored(&request.table);
        self.inner.read_modify_write_row(request)
    }

    fn sample_row_keys<'a>(
        &'a self,
        table: &'a str,
    ) -> BoxFuture<'a, Result<Vec<RowKeySample>, Status>> {
        let table = self.names.stored(table);
        Box::pin(async move { self.inner.sample_row_keys(&table).await })
    }

    fn create_table(
        &self,
        mut schema: TableSchema,
        splits: Vec<Bytes>,
    ) -> BoxFuture<'_, Result<(), Status>> {
        if schema.table.is_empty() {
            // With text around it, the instance would accept it as a name.
            let refused = Status::new(Code::InvalidArgument, "a table needs a name");
            return Box::pin(async move { Err(refused) });
        }
        schema.table = self.names.stored(&schema.table);
        self.inner.create_table(schema, splits)
    }

    fn get_table<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<TableSchema, Status>> {
        let stored = self.names.stored(table);
        Box::pin(async move {
            let schema = self.inner.get_table(&stored).await?;
            Ok(self.known_schema(schema, table.to_owned()))
        })
    }

    fn list_tables(&self) -> BoxFuture<'_, Result<Vec<String>, Status>> {
        Box::pin(async move {
            let stored = self.inner.list_tables().await?;
            let known = stored.iter().map(|one| self.names.known(one).transpose());
            let mut known: Vec<String> = known.flatten().collect::<Result<_, _>>()?;
            known.sort_unstable();
            Ok(known)
        })
    }

    fn delete_table<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<(), Status>> {
        let table = self.names.stored(table);
        Box::pin(async move { self.inner.delete_table(&table).await })
    }

    fn modify_families<'a>(
        &'a self,
        table: &'a str,
        changes: Vec<FamilyChange>,
    ) -> BoxFuture<'a, Result<TableSchema, Status>> {
        let stored = self.names.stored(table);
        Box::pin(async move {
            let schema = self.inner.modify_families(&stored, changes).await?;
            Ok(self.known_schema(schema, table.to_owned()))
        })
    }

    fn set_row_key_schema<'a>(
        &'a self,
        table: &'a str,
        schema: Option<RowKeySchema>,
    ) -> BoxFuture<'a, Result<(), Status>> {
        let table = self.names.stored(table);
        Box::pin(async move { self.inner.set_row_key_schema(&table, schema).await })
    }

    fn prepare_sql<'a>(
        &'a self,
        _sql: &'a str,
        _parameters: BTreeMap<String, SqlType>,
    ) -> BoxFuture<'a, Result<SqlPlan, Status>> {
        Box::pin(async { Err(raw_sql()) })
    }

    fn prepare_query<'a>(&'a self, query: &'a SqlQuery) -> BoxFuture<'a, Result<SqlPlan, Status>> {
        let stored = self.names.stored(query.table());
        let query = query.clone().in_table(stored);
        Box::pin(async move {
            let plan = self.inner.prepare_query(&query).await?;
            Ok(plan.with_named_tables())
        })
    }

    fn execute_sql(&self, plan: &SqlPlan, parameters: SqlParameters) -> SqlRows {
        match plan.has_named_tables() {
            true => self.inner.execute_sql(plan, parameters),
            false => SqlRows::failed(raw_sql()),
        }
    }

    fn drop_rows<'a>(
        &'a self,
        table: &'a str,
        rows: RowDeletion,
    ) -> BoxFuture<'a, Result<(), Status>> {
        let table = self.names.stored(table);
        Box::pin(async move { self.inner.drop_rows(&table, rows).await })
    }
}

/// The names of tables are inside the text, which is not parsed here.
fn raw_sql() -> Status {
    Status::new(
        Code::FailedPrecondition,
        "SQL names tables as the instance does, and `with_tables` puts them under other names: run the query on the backend \
         that was wrapped, with the names of the instance",
    )
}

#[cfg(all(test, feature = "memory"))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use futures::executor::block_on;

    use super::*;
    use crate::MemoryBackend;

    fn named(table: &str) -> TableSchema {
        TableSchema {
            table: table.to_owned(),
            ..TableSchema::default()
        }
    }

    #[test]
    fn a_function_names_tables_both_ways() {
        let instance = MemoryBackend::new();
        let tenant = NamedTables::new(instance.handle(), |name: &str| format!("t7_{name}_v2"));
        block_on(async {
            tenant
                .create_table(named("QUOTE"), Vec::new())
                .await
                .unwrap();
            instance
                .create_table(named("t7__v2"), Vec::new())
                .await
                .unwrap();
            instance
                .create_table(named("OTHER"), Vec::new())
                .await
                .unwrap();
            assert_eq!(tenant.list_tables().await.unwrap(), ["QUOTE"]);
            assert_eq!(tenant.get_table("QUOTE").await.unwrap().table, "QUOTE");
            assert!(instance.get_table("t7_QUOTE_v2").await.is_ok());
            tenant.delete_table("QUOTE").await.unwrap();
            assert_eq!(instance.list_tables().await.unwrap(), ["OTHER", "t7__v2"]);
        });
    }

    #[test]
    fn a_function_that_cannot_be_turned_round_is_refused_where_that_is_needed() {
        let instance = MemoryBackend::new();
        let odd = NamedTables::new(instance.handle(), |name: &str| name.len().to_string());
        block_on(async {
            odd.create_table(named("QUOTE"), Vec::new()).await.unwrap();
            assert!(odd.get_table("TRADE").await.is_ok());
            let refused = odd.list_tables().await.unwrap_err();
            assert_eq!(refused.code, Code::FailedPrecondition);
            assert!(refused.message.contains("TableNames"), "{refused:?}");
        });
    }

    #[test]
    fn a_function_that_changes_names_lists_only_what_it_makes() {
        let instance = MemoryBackend::new();
        let upper = NamedTables::new(instance.handle(), |name: &str| name.to_uppercase());
        block_on(async {
            instance
                .create_table(named("QUOTE"), Vec::new())
                .await
                .unwrap();
            instance
                .create_table(named("quote"), Vec::new())
                .await
                .unwrap();
            assert_eq!(upper.list_tables().await.unwrap(), ["QUOTE"]);
        });
    }
}
