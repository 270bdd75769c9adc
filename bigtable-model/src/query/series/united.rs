//! The series of events with several sources.

use std::collections::HashMap;

use bytes::Bytes;

use super::split;
use crate::Error;
use crate::backend::Backend;
use crate::model::{RowEvents, Schema, foreign};
use crate::query::plan::planner::plan_known;
use crate::query::run::execute::events;
use crate::query::{BadRows, Order, Selection};

/// The first key of each series, in order of the keys. A series may have only events of another
/// source that have been deleted since, so no single row shows that it exists: the keys of all
/// events in all sources are read.
pub(super) async fn keys_of_series(
    backend: &dyn Backend,
    schema: &Schema,
    selection: Selection,
    live: Option<&[String]>,
    bad_rows: &BadRows,
) -> Result<Vec<Bytes>, Error> {
    let limit = selection.limit.map(usize::try_from);
    let limit = limit.and_then(Result::ok).unwrap_or(usize::MAX);
    let plan = plan_known(schema, &selection.of_keys(), live)?;
    let in_order = plan.order == Order::Key;
    let series = |row: &RowEvents, index| {
        row.check_place(index)?;
        let series = split(&schema.key, row.key());
        let (series, _) = series.map_err(|source| foreign(schema, row.key(), source))?;
        Ok((series, row.shared_key()))
    };
    let mut found = events(backend, schema, plan, bad_rows)?;
    let mut first: HashMap<Vec<u8>, Bytes> = HashMap::new();
    while !(in_order && first.len() >= limit) {
        let Some(next) = found.next(&series).await else {
            break;
        };
        let (series, key) = next?;
        let least = first.entry(series).or_insert_with(|| key.clone());
        if key < *least {
            *least = key;
        }
    }
    let mut keys: Vec<_> = first.into_values().collect();
    keys.sort_unstable();
    keys.truncate(limit);
    Ok(keys)
}
