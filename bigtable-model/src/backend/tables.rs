//! Tables by period: created ahead, and deleted when all of their events are past.

use std::ops::Range;

use super::row::at_table;
use super::{Backend, Code, Status};
use crate::model::{ModelSchema, PeriodTable};
use crate::schema::WantedTable;
use crate::{Error, Timestamp};

/// The most tables of an instance: <https://cloud.google.com/bigtable/quotas>.
pub(crate) const MOST_TABLES: usize = 1_000;

/// Whether a call failed because its table is not there. A family, an instance and an app profile that is not there has the same code.
pub(crate) fn lacks_table(status: &Status) -> bool {
    let names = |what: &str| status.message.to_lowercase().contains(what);
    let of_instance = names("instance") && !names("table");
    status.code == Code::NotFound && !names("column family") && !of_instance
}

/// The IDs of all tables, asked for on behalf of a model.
pub(crate) async fn list_tables<B: Backend + ?Sized>(
    backend: &B,
    schema: &ModelSchema,
) -> Result<Vec<String>, Error> {
    let listed = backend.list_tables().await;
    listed.map_err(|source| at_table(&schema.table.to_string(), "ListTables", source))
}

/// Creates the tables of the periods that hold some of the times, or adds the families that they lack.
pub(super) async fn ensure<B: Backend + ?Sized>(
    backend: &B,
    schema: &'static ModelSchema,
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
pub(super) async fn before<B: Backend + ?Sized>(
    backend: &B,
    schema: &'static ModelSchema,
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
pub(super) async fn drop_before<B: Backend + ?Sized>(
    backend: &B,
    schema: &'static ModelSchema,
    time: Timestamp,
) -> Result<Vec<String>, Error> {
    let past = before(backend, schema, time).await?;
    for table in &past {
        match backend.delete_table(table).await {
            // Another has deleted it meanwhile.
            Err(status) if status.code == Code::NotFound => {}
            deleted => deleted.map_err(|source| at_table(table, "DeleteTable", source))?,
        }
    }
    Ok(past)
}

fn ids(tables: Vec<PeriodTable>) -> Vec<String> {
    tables.into_iter().map(|one| one.table).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_table_is_told_from_other_things_that_are_missing() {
        let missing = |message: &str| lacks_table(&Status::new(Code::NotFound, message));
        assert!(missing("Table not found: SENSOR_20170726"));
        assert!(missing("Table not found: projects/p/instances/i/tables/t"));
        assert!(missing(
            "table \"projects/p/instances/i/tables/t\" not found"
        ));
        assert!(missing(""));
        assert!(!missing(
            "Error while reading table 't' : Requested column family not found: MD"
        ));
        assert!(!missing("Instance not found: projects/p/instances/i"));
        assert!(!missing(
            "App profile projects/p/instances/i/appProfiles/a not found"
        ));
        let other = Status::new(Code::Unavailable, "Table not found: t");
        assert!(!lacks_table(&other));
    }
}
