//! Tables by period: created ahead, and deleted when all of their events are past.

use std::ops::Range;

use crate::backend::{Backend, Code, Method};
use crate::model::{PeriodTable, Schema};
use crate::schema::WantedTable;
use crate::send::{MOST_TABLES, at_table, list_tables};
use crate::{Error, Timestamp, rollup};

/// Creates the tables of a model, of its mirrors and of their roll-ups, or adds the families that
/// they lack.
pub(super) async fn ensure_all(
    backend: &dyn Backend,
    schemas: Vec<&'static Schema>,
) -> Result<(), Error> {
    for schema in schemas {
        WantedTable::of_now(schema)?.ensure(backend).await?;
        for rolled in &*schema.rollups {
            for table in rollup::tables(rolled) {
                table.ensure(backend).await?;
            }
        }
    }
    Ok(())
}

/// Creates the tables of the periods that contain these times, or adds the families that they lack.
pub(crate) async fn ensure(
    backend: &dyn Backend,
    schema: &Schema,
    times: Range<Timestamp>,
) -> Result<Vec<String>, Error> {
    let tables = schema.table.by_period().into_iter();
    let tables = tables.flat_map(|tables| tables.between(times.start, times.end));
    let tables: Vec<_> = tables.take(MOST_TABLES + 1).collect();
    if tables.len() > MOST_TABLES {
        return Err(Error::TooManyTables {
            table: schema.table.to_string(),
            most: MOST_TABLES,
        });
    }
    for one in &tables {
        let wanted = WantedTable::of(schema).named(one.table.as_str());
        wanted.ensure(backend).await?;
    }
    Ok(ids(tables))
}

/// The model's tables whose whole period lies before a time.
pub(super) async fn before(
    backend: &dyn Backend,
    schema: &Schema,
    time: Timestamp,
) -> Result<Vec<String>, Error> {
    let Some(tables) = schema.table.by_period() else {
        return Ok(Vec::new());
    };
    let listed = list_tables(backend, schema).await?;
    let found = listed.iter().filter_map(|table| tables.parse(table));
    let mut past: Vec<_> = found
        .filter(|period| period.end.is_some_and(|end| end <= time))
        .collect();
    past.sort_unstable_by_key(|period| period.start);
    Ok(ids(past))
}

/// Deletes the model's tables whose whole period lies before a time.
pub(super) async fn drop_before(
    backend: &dyn Backend,
    schema: &Schema,
    time: Timestamp,
) -> Result<Vec<String>, Error> {
    let past = before(backend, schema, time).await?;
    for table in &past {
        match backend.tables().delete(table).await {
            // Another caller has deleted it meanwhile.
            Err(status) if status.code == Code::NotFound => {}
            deleted => deleted.map_err(|source| at_table(table, Method::DeleteTable, source))?,
        }
    }
    Ok(past)
}

fn ids(tables: Vec<PeriodTable>) -> Vec<String> {
    tables.into_iter().map(|one| one.table).collect()
}
