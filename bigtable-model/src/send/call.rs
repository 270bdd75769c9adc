//! Calls whose errors name the table and the row: the read of one row, lists of tables.

use futures::StreamExt as _;

use crate::backend::missing::lacks_table;
use crate::backend::{Backend, Code, Method, Status};
use crate::data::{ReadRows, Row};
use crate::model::{ModelSchema, TableName, described_event};
use crate::query::EventTimes;
use crate::{Error, Timestamp};

pub(crate) const CHECK: Method = Method::CheckAndMutateRow;

/// The maximum number of tables of an instance: <https://cloud.google.com/bigtable/quotas>.
pub(crate) const MOST_TABLES: usize = 1_000;

/// The error of a call for one row or, with a time, for one event of it.
pub(crate) fn at_row(
    schema: &ModelSchema,
    table: &str,
    method: Method,
    (key, time): (&[u8], Option<Timestamp>),
    source: Status,
) -> Error {
    let (table, key) = (table.to_owned(), described_event(schema, key, time));
    if lacks(schema, &source) {
        return Error::MissingTable { table, key, source };
    }
    Error::Backend {
        table,
        method: method.name(),
        key: Some(key),
        source,
    }
}

/// The error of a `row`, or of an `event` in it, to which others wrote at each attempt.
pub(crate) fn contended(
    schema: &ModelSchema,
    what: &str,
    place: (&[u8], Option<Timestamp>),
    attempts: usize,
) -> Error {
    let changed = format!("the {what} was changed by others during each of {attempts} attempts");
    let source = Status::new(Code::Aborted, changed);
    match schema.table_of_row(place.0) {
        Ok(table) => at_row(schema, &table, CHECK, place, source),
        Err(error) => error,
    }
}

pub(crate) fn at_table(table: &str, method: Method, source: Status) -> Error {
    Error::Backend {
        table: table.to_owned(),
        method: method.name(),
        key: None,
        source,
    }
}

/// Whether a call failed because a table by period is missing, and so has no event.
pub(crate) fn lacks(schema: &ModelSchema, status: &Status) -> bool {
    schema.table.by_period().is_some() && lacks_table(status)
}

/// The time of a read of one event, if rows hold many.
pub(super) fn only(times: &EventTimes) -> Option<Timestamp> {
    match times {
        EventTimes::In(times) => times.first().copied(),
        EventTimes::All | EventTimes::Between(..) => None,
    }
}

/// The row of a read of one row.
pub(crate) async fn read_row(
    backend: &dyn Backend,
    schema: &ModelSchema,
    request: ReadRows,
    time: Option<Timestamp>,
) -> Result<Option<Row>, Error> {
    let key = request.rows.keys.first().cloned().unwrap_or_default();
    let table = request.table.clone();
    let row = backend.read_rows(request).rows().next().await.transpose();
    match row.map_err(|source| at_row(schema, &table, Method::ReadRows, (&key, time), source)) {
        // A missing table holds no event.
        Err(Error::MissingTable { .. }) => Ok(None),
        row => row,
    }
}

/// The model's table, or the tables of its periods that exist, in order.
pub(crate) async fn tables_of(
    backend: &dyn Backend,
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
pub(crate) async fn list_tables(
    backend: &dyn Backend,
    schema: &ModelSchema,
) -> Result<Vec<String>, Error> {
    let listed = backend.tables().list().await;
    listed.map_err(|source| at_table(&schema.table.to_string(), Method::ListTables, source))
}
