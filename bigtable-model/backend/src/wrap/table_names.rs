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
//! staging.tables().create(TableSchema { table: "QUOTE".to_owned(), families, ..TableSchema::default() }, Vec::new()).await?;
//!
//! assert_eq!(instance.tables().list().await?, ["staging_QUOTE"]);
//! assert_eq!(staging.tables().list().await?, ["QUOTE"]);
//! # Ok(())
//! # }
//! ```

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use futures::future::BoxFuture;

use crate::data::{
    CheckAndMutateRow, EntryBatch, FamilyChange, ReadModifyWriteRow, ReadRows, Row, RowDeletion,
    RowKeySample, RowKeySchema, RowMutations, SchemaBundle, TableSchema,
};
use crate::sql::{SqlParameters, SqlPlan, SqlQuery, SqlRows};
use crate::{
    Backend, Capabilities, Code, EntryOutcome, RowBatches, SqlService, Status, Tables, Timestamp,
};

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

    fn read_rows(&self, mut request: ReadRows) -> RowBatches {
        request.table = self.names.stored(&request.table);
        self.inner.read_rows(request)
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
        entries: Arc<EntryBatch>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        let table = self.names.stored(table);
        Box::pin(async move { self.inner.mutate_rows(&table, entries).await })
    }

    fn expiry_time(&self) -> Timestamp {
        self.inner.expiry_time()
    }

    fn stored_table(&self, table: &str) -> String {
        self.inner.stored_table(&self.names.stored(table))
    }

    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
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

    fn tables(&self) -> &dyn Tables {
        self
    }

    fn sql_service(&self) -> &dyn SqlService {
        self
    }
}

impl Tables for NamedTables {
    fn create(
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
        self.inner.tables().create(schema, splits)
    }

    fn get<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<TableSchema, Status>> {
        let stored = self.names.stored(table);
        Box::pin(async move {
            let schema = self.inner.tables().get(&stored).await?;
            Ok(self.known_schema(schema, table.to_owned()))
        })
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<String>, Status>> {
        Box::pin(async move {
            let stored = self.inner.tables().list().await?;
            let known = stored.iter().map(|one| self.names.known(one).transpose());
            let mut known: Vec<String> = known.flatten().collect::<Result<_, _>>()?;
            known.sort_unstable();
            Ok(known)
        })
    }

    fn delete<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<(), Status>> {
        let table = self.names.stored(table);
        Box::pin(async move { self.inner.tables().delete(&table).await })
    }

    fn modify_families<'a>(
        &'a self,
        table: &'a str,
        changes: Vec<FamilyChange>,
    ) -> BoxFuture<'a, Result<TableSchema, Status>> {
        let stored = self.names.stored(table);
        Box::pin(async move {
            let schema = self
                .inner
                .tables()
                .modify_families(&stored, changes)
                .await?;
            Ok(self.known_schema(schema, table.to_owned()))
        })
    }

    fn set_row_key_schema<'a>(
        &'a self,
        table: &'a str,
        schema: Option<RowKeySchema>,
    ) -> BoxFuture<'a, Result<(), Status>> {
        let table = self.names.stored(table);
        Box::pin(async move { self.inner.tables().set_row_key_schema(&table, schema).await })
    }

    fn set_schema_bundle<'a>(
        &'a self,
        table: &'a str,
        bundle: SchemaBundle,
    ) -> BoxFuture<'a, Result<(), Status>> {
        let table = self.names.stored(table);
        Box::pin(async move { self.inner.tables().set_schema_bundle(&table, bundle).await })
    }

    fn drop_rows<'a>(
        &'a self,
        table: &'a str,
        rows: RowDeletion,
    ) -> BoxFuture<'a, Result<(), Status>> {
        let table = self.names.stored(table);
        Box::pin(async move { self.inner.tables().drop_rows(&table, rows).await })
    }

    fn consistency_token<'a>(&'a self, table: &'a str) -> BoxFuture<'a, Result<String, Status>> {
        let table = self.names.stored(table);
        Box::pin(async move { self.inner.tables().consistency_token(&table).await })
    }

    fn is_consistent<'a>(
        &'a self,
        table: &'a str,
        token: &'a str,
    ) -> BoxFuture<'a, Result<bool, Status>> {
        let table = self.names.stored(table);
        Box::pin(async move { self.inner.tables().is_consistent(&table, token).await })
    }
}

impl SqlService for NamedTables {
    fn prepare<'a>(&'a self, query: &'a SqlQuery) -> BoxFuture<'a, Result<SqlPlan, Status>> {
        Box::pin(async move {
            let table = query.table().ok_or_else(raw_sql)?;
            let query = query.clone().in_table(self.names.stored(table));
            let plan = self.inner.sql_service().prepare(&query).await?;
            Ok(plan.with_named_tables())
        })
    }

    fn execute(&self, plan: &SqlPlan, parameters: SqlParameters) -> SqlRows {
        match plan.has_named_tables() {
            true => self.inner.sql_service().execute(plan, parameters),
            false => SqlRows::failed(raw_sql()),
        }
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
                .tables()
                .create(named("QUOTE"), Vec::new())
                .await
                .unwrap();
            instance
                .tables()
                .create(named("t7__v2"), Vec::new())
                .await
                .unwrap();
            instance
                .tables()
                .create(named("OTHER"), Vec::new())
                .await
                .unwrap();
            assert_eq!(tenant.tables().list().await.unwrap(), ["QUOTE"]);
            assert_eq!(tenant.tables().get("QUOTE").await.unwrap().table, "QUOTE");
            assert!(instance.tables().get("t7_QUOTE_v2").await.is_ok());
            tenant.tables().delete("QUOTE").await.unwrap();
            assert_eq!(instance.tables().list().await.unwrap(), ["OTHER", "t7__v2"]);
        });
    }

    #[test]
    fn a_function_that_cannot_be_turned_round_is_refused_where_that_is_needed() {
        let instance = MemoryBackend::new();
        let odd = NamedTables::new(instance.handle(), |name: &str| name.len().to_string());
        block_on(async {
            odd.tables()
                .create(named("QUOTE"), Vec::new())
                .await
                .unwrap();
            assert!(odd.tables().get("TRADE").await.is_ok());
            let refused = odd.tables().list().await.unwrap_err();
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
                .tables()
                .create(named("QUOTE"), Vec::new())
                .await
                .unwrap();
            instance
                .tables()
                .create(named("quote"), Vec::new())
                .await
                .unwrap();
            assert_eq!(upper.tables().list().await.unwrap(), ["QUOTE"]);
        });
    }
}
