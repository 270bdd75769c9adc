//! Writes and deletes by the names of fields, and the tables for them.

use std::ops::Range;
use std::sync::Arc;

use futures::stream;

use super::batch::Fields;
use super::{AnyModel, AnyQuery, EventBatch};
use crate::backend::{Backend, InvalidSetting};
use crate::error::ModelError;
use crate::model::stored::{time_of_values, write_event_with};
use crate::model::{EventRow, RowEvents};
use crate::ops::{AuditJob, ensure_periods};
use crate::packed::{self, PackJob};
use crate::query::{self, Selection};
use crate::rollup;
use crate::schema::WantedTable;
use crate::send::{Bulk, Chunk, DeleteOutcome, EventRows, InsertOutcome, Inserted, Ready, Stamps};
use crate::{Error, Timestamp};

/// Writes the events of a batch, each like [`BackendExt::insert`](crate::BackendExt::insert) of the
/// struct: an event with the same key and time is replaced.
///
/// # Errors
/// [`Error::ByName`] if only the program with the struct can write the model's events;
/// [`Error::Key`] and [`Error::Value`] for values that a key or a cell cannot hold. Then nothing is
/// sent. The outcome lists the events that the backend refused.
pub async fn insert(backend: &dyn Backend, batch: &EventBatch) -> Result<InsertOutcome, Error> {
    let rows = rows(batch)?;
    let (schema, now) = (batch.model().schema(), backend.expiry_time());
    let expired = rows
        .iter()
        .filter(|row| schema.rule_against(row.time, now).is_some());
    let expired = u64::try_from(expired.count()).unwrap_or(u64::MAX);
    let rows = stream::iter(rows.into_iter().map(|row| Ok(Some(row))));
    let tally = Inserted {
        expired: Arc::new(expired.into()),
        ..Inserted::default()
    };
    let bulk = Bulk::new(backend, batch.model().shared_schema(), tally);
    Ok(bulk.run(rows, Ready).await.finish())
}

/// Deletes the events that a query selects, like
/// [`BackendExt::delete_all`](crate::BackendExt::delete_all) of the struct.
///
/// The outcome has [`Error::ByName`] if only the program with the struct can delete the model's
/// events, or if the model is `append_only`. Then nothing is deleted.
pub async fn delete(backend: &dyn Backend, query: &AnyQuery) -> DeleteOutcome {
    let model = query.model();
    let selection = model.check_deletes().and_then(|()| query.selection());
    query::delete(backend, model.shared_schema(), selection).await
}

/// Audits the model's tables, like [`BackendExt::audit`](crate::BackendExt::audit) of the struct.
/// Events of a model that only the program with the struct can read are not decoded.
pub fn audit<'a>(backend: &dyn Backend, model: &AnyModel) -> AuditJob<'a> {
    let own = model.clone();
    let is_read = model.check_reads().is_ok();
    let all = Selection::default();
    let read = move |row: &RowEvents, index| match is_read {
        true => Fields::read(&own, row, index, &all).map(drop),
        false => Ok(()),
    };
    AuditJob::new(backend.handle(), model.shared_schema(), Box::new(read))
}

/// The job that packs the model's rows.
///
/// # Errors
/// [`InvalidSetting`] if they are not packed.
pub fn pack(model: &AnyModel) -> Result<PackJob, InvalidSetting> {
    PackJob::new(model.shared_schema())
}

/// Writes the events of a batch into blocks, like [`packed::insert`](crate::packed::insert) of the
/// struct.
///
/// # Errors
/// Those of [`insert`]; [`ModelError::Writes`](super::ModelError::Writes) if the model's rows are
/// not packed, or the server computes its roll-ups.
pub async fn insert_packed(
    backend: &dyn Backend,
    batch: &EventBatch,
) -> Result<InsertOutcome, Error> {
    let model = batch.model();
    let can = packed::check_schema(model.shared_schema());
    can.map_err(|error| {
        let effect = error.to_string();
        model.refused(ModelError::Writes { effect })
    })?;
    let schema = model.shared_schema();
    let rows = rows(batch)?.into_iter();
    let rows = rows.map(|row| Ok(EventRows::alone(schema, row)));
    Ok(packed::insert_rows(backend, Chunk::alone(schema), rows).await)
}

/// Creates the model's table and those of its roll-ups, or adds the families that they lack; with
/// tables by period, the tables of `times`. It returns the IDs of the tables.
///
/// # Errors
/// [`Error::Backend`], and [`Error::Schema`] if the table has a family of another kind.
pub async fn ensure_tables(
    backend: &dyn Backend,
    model: &AnyModel,
    times: Range<Timestamp>,
) -> Result<Vec<String>, Error> {
    let schema = model.shared_schema();
    let mut tables = match schema.table.fixed() {
        Some(table) => {
            WantedTable::of(schema).ensure(backend).await?;
            vec![table.to_owned()]
        }
        None => ensure_periods(backend, schema, times).await?,
    };
    for rolled in &*schema.rollups {
        for table in rollup::tables(rolled) {
            table.ensure(backend).await?;
        }
        tables.extend(
            rolled
                .levels()
                .iter()
                .map(|one| rolled.table(one).to_owned()),
        );
    }
    Ok(tables)
}

fn rows(batch: &EventBatch) -> Result<Vec<EventRow>, Error> {
    let model = batch.model();
    model.check_writes()?;
    let schema = model.shared_schema();
    let mut stamps = Stamps::new(&[model.shared_schema()]);
    let rows = (0..batch.len()).map(|index| {
        let (values, now): (_, Timestamp) = (batch.key(index), stamps.next());
        let columns = batch.bytes(index).map_err(|source| model.refused(source))?;
        let entries = batch.entry_bytes(index);
        let entries = entries.map_err(|source| model.refused(source))?;
        let row = write_event_with(schema, &values, &columns, &entries, now)?;
        Ok(EventRow {
            time: time_of_values(schema, &values),
            row,
        })
    });
    rows.collect()
}
