//! Lists of tables.

use super::row::at_table;
use crate::Error;
use crate::backend::{Backend, Method};
use crate::model::{ModelSchema, TableName};

/// The maximum number of tables of an instance: <https://cloud.google.com/bigtable/quotas>.
pub(crate) const MOST_TABLES: usize = 1_000;

/// The model's table, or those of its periods that there are, in order.
pub(crate) async fn tables_of<B: Backend + ?Sized>(
    backend: &B,
    schema: &ModelSchema,
) -> Result<Vec<String>, Error> {
    Ok(match &schema.table {
        TableName::Fixed(table) => vec![table.to_string()],
        TableName::ByPeriod(periods) => {
            let mut tables = list_tables(backend, schema).await?;
            tables.retain(|table| periods.parse(table).is_some());
            tables.sort_unstable();
            tables
        }
    })
}

/// The IDs of all tables, with errors that name a model.
pub(crate) async fn list_tables<B: Backend + ?Sized>(
    backend: &B,
    schema: &ModelSchema,
) -> Result<Vec<String>, Error> {
    let listed = backend.tables().list().await;
    listed.map_err(|source| at_table(&schema.table.to_string(), Method::ListTables, source))
}
