//! Removes tombstones that are no longer needed.

use bytestring::ByteString;
use futures::TryStreamExt as _;

use super::run::write;
use crate::Error;
use crate::backend::{Backend, Method};
use crate::data::{Mutation, ReadRows, RowMutations, RowSet};
use crate::model::{ModelSchema, Schema, tombstones as of_rows};
use crate::query::one_cell;
use crate::send::{at_table, tables_of};
use crate::table::TOMBSTONES;

/// The number of rows cleared by one request.
const ROWS: usize = 1_000;

/// Deletes all tombstones, and returns the number of rows that had some.
pub(super) async fn tombstones(backend: &dyn Backend, schema: &Schema) -> Result<u64, Error> {
    let mut cleared = 0;
    for table in tables_of(backend, schema).await? {
        cleared += of_table(backend, schema, &table).await?;
    }
    Ok(cleared)
}

async fn of_table(backend: &dyn Backend, schema: &ModelSchema, table: &str) -> Result<u64, Error> {
    let mut rows = backend
        .read_rows(ReadRows {
            table: table.to_owned(),
            rows: RowSet::all(),
            filter: one_cell(Some(of_rows())),
            ..ReadRows::default()
        })
        .rows();
    let mut cleared = 0;
    let mut held = Vec::new();
    let failed = |source| at_table(table, Method::ReadRows, source);
    while let Some(row) = rows.try_next().await.map_err(failed)? {
        cleared += 1;
        let cleared_row = RowMutations {
            key: row.key,
            mutations: vec![Mutation::DeleteFromFamily {
                family: ByteString::from_static(TOMBSTONES),
            }],
        };
        held.push((table.into(), cleared_row));
        if held.len() == ROWS {
            write(backend, schema, std::mem::take(&mut held)).await?;
        }
    }
    write(backend, schema, held).await?;
    Ok(cleared)
}
