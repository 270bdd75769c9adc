//! Lists of tables.

use super::row::at_table;
use crate::Error;
use crate::backend::{Backend, Method};
use crate::model::ModelSchema;

/// The maximum number of tables of an instance: <https://cloud.google.com/bigtable/quotas>.
pub(crate) const MOST_TABLES: usize = 1_000;

/// The IDs of all tables, with errors that name a model.
pub(crate) async fn list_tables<B: Backend + ?Sized>(
    backend: &B,
    schema: &ModelSchema,
) -> Result<Vec<String>, Error> {
    let listed = backend.tables().list().await;
    listed.map_err(|source| at_table(&schema.table.to_string(), Method::ListTables, source))
}
