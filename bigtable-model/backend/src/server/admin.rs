//! Calls of the table admin API.

use std::sync::Arc;

use crate::data::{FamilyChange, FamilySchema, RowDeletion, TableSchema};
use crate::grpc::protocol::wire::{self, VIEW_NAME_ONLY};
use crate::{Backend, Code, Status};

/// A table and the instance that has it.
pub(super) struct Target {
    pub(super) db: Arc<dyn Backend>,
    pub(super) table: String,
}

/// `Table.View`: everything.
const VIEW_FULL: i32 = 4;

/// `Table.TimestampGranularity`: milliseconds, the only one that exists.
const GRANULARITY_MILLIS: i32 = 1;

/// The views that include families.
const WITH_FAMILIES: [i32; 2] = [wire::VIEW_SCHEMA, VIEW_FULL];

fn invalid(message: impl Into<String>) -> Status {
    Status::new(Code::InvalidArgument, message)
}

fn table(name: String, schema: TableSchema) -> wire::Table {
    wire::Table {
        name,
        granularity: GRANULARITY_MILLIS,
        ..schema.into()
    }
}

/// A family that the server can store: a type that [`FamilySchema`] cannot express would be lost.
fn family(family: wire::ColumnFamily) -> Result<FamilySchema, Status> {
    let kind = family.value_type.as_ref().and_then(|one| one.kind.as_ref());
    let typed = matches!(kind, Some(wire::TypeKind::Aggregate(_)));
    let family = FamilySchema::try_from(family)?;
    if typed && family.aggregate.is_none() {
        return Err(Status::new(
            Code::Unimplemented,
            "value_type.aggregate_type is supported with sum, min or max: choose one of them",
        ));
    }
    Ok(family)
}

pub(super) async fn create_table(
    db: &dyn Backend,
    request: wire::CreateTableRequest,
) -> Result<wire::Table, Status> {
    if request.table_id.is_empty() || request.table_id.contains('/') {
        return Err(invalid(format!("\"{}\" is no table ID", request.table_id)));
    }
    let families = request.table.unwrap_or_default().column_families;
    let schema = TableSchema {
        table: request.table_id,
        families: (families.into_iter())
            .map(|entry| Ok((entry.name, family(entry.family)?)))
            .collect::<Result<_, Status>>()?,
        ..TableSchema::default()
    };
    let splits = request.initial_splits.into_iter().map(|split| split.key);
    db.tables().create(schema.clone(), splits.collect()).await?;
    let name = format!("{}/tables/{}", request.parent, schema.table);
    Ok(table(name, schema))
}

pub(super) async fn get_table(
    target: Target,
    request: wire::GetTableRequest,
) -> Result<wire::Table, Status> {
    let schema = target.db.tables().get(&target.table).await?;
    Ok(match request.view {
        VIEW_NAME_ONLY => wire::Table {
            name: request.name,
            ..wire::Table::default()
        },
        _ => table(request.name, schema),
    })
}

/// Pages continue after the table that the token names.
pub(super) async fn list_tables(
    db: &dyn Backend,
    request: wire::ListTablesRequest,
) -> Result<wire::ListTablesResponse, Status> {
    let size = match request.page_size {
        0 => usize::MAX,
        size => usize::try_from(size).map_err(|_| invalid("page_size is negative"))?,
    };
    let mut ids = db.tables().list().await?;
    ids.retain(|id| *id > request.page_token);
    let more = ids.len() > size;
    ids.truncate(size);
    let mut page = wire::ListTablesResponse {
        next_page_token: match ids.last() {
            Some(last) if more => last.clone(),
            _ => String::new(),
        },
        tables: Vec::with_capacity(ids.len()),
    };
    for id in ids {
        let name = format!("{}/tables/{id}", request.parent);
        let schema = match WITH_FAMILIES.contains(&request.view) {
            true => db.tables().get(&id).await,
            false => Ok(TableSchema::default()),
        };
        match schema {
            Ok(schema) => page.tables.push(table(name, schema)),
            // Deleted meanwhile.
            Err(status) if status.code == Code::NotFound => {}
            Err(status) => return Err(status),
        }
    }
    Ok(page)
}

pub(super) async fn modify_families(
    target: Target,
    request: wire::ModifyColumnFamiliesRequest,
) -> Result<wire::Table, Status> {
    let changes = request.modifications.into_iter().map(|change| {
        if let Some(wire::ModificationKind::Create(one)) = &change.kind {
            family(one.clone())?;
        }
        FamilyChange::try_from(change)
    });
    let changes = changes.collect::<Result<_, _>>()?;
    let schema = target
        .db
        .tables()
        .modify_families(&target.table, changes)
        .await?;
    Ok(table(request.name, schema))
}

pub(super) async fn drop_row_range(
    target: Target,
    request: wire::DropRowRangeRequest,
) -> Result<wire::Empty, Status> {
    let rows = match request.target {
        Some(wire::DropTarget::RowKeyPrefix(prefix)) => RowDeletion::Prefix(prefix),
        Some(wire::DropTarget::DeleteAllDataFromTable(true)) => RowDeletion::All,
        Some(wire::DropTarget::DeleteAllDataFromTable(false)) | None => {
            return Err(invalid("neither a row key prefix nor all rows are named"));
        }
    };
    target.db.tables().drop_rows(&target.table, rows).await?;
    Ok(wire::Empty {})
}

/// There is one copy of the data, so any token of the table means consistent data.
fn token(table: &str) -> String {
    format!("consistent:{table}")
}

pub(super) async fn generate_token(
    target: Target,
) -> Result<wire::GenerateConsistencyTokenResponse, Status> {
    target.db.tables().get(&target.table).await?;
    Ok(wire::GenerateConsistencyTokenResponse {
        consistency_token: token(&target.table),
    })
}

pub(super) async fn check_token(
    target: Target,
    request: wire::CheckConsistencyRequest,
) -> Result<wire::CheckConsistencyResponse, Status> {
    target.db.tables().get(&target.table).await?;
    if request.consistency_token != token(&target.table) {
        return Err(invalid("the consistency token is not one of this table"));
    }
    Ok(wire::CheckConsistencyResponse { consistent: true })
}
