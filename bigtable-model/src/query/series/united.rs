//! The series of two layouts.

use std::collections::HashSet;

use bytes::Bytes;

use super::split;
use crate::Error;
use crate::backend::Backend;
use crate::model::{ModelSchema, RowEvents, foreign};
use crate::query::plan::planner::plan_known;
use crate::query::run::execute::events;
use crate::query::{BadRows, Order, Selection};

/// The key of one row of each series, in order of the keys. A series may have no more than events
/// of the former layout that were deleted since, so that no row alone tells that it is there: the
/// events of both layouts are gone through, by their keys.
pub(super) async fn keys_of_series(
    backend: &dyn Backend,
    schema: &'static ModelSchema,
    selection: Selection,
    live: Option<&[String]>,
    bad_rows: &BadRows,
) -> Result<Vec<Bytes>, Error> {
    let limit = selection.limit.map(usize::try_from);
    let limit = limit.and_then(Result::ok).unwrap_or(usize::MAX);
    let plan = plan_known(schema, &selection.of_keys(), live)?;
    let in_order = plan.order == Order::Key;
    let series = move |row: &RowEvents, index| {
        row.check_place(index)?;
        let series = split(&schema.key, row.key());
        let (series, _) = series.map_err(|source| foreign(schema, row.key(), source))?;
        Ok((series, row.shared_key()))
    };
    let mut found = events(backend, schema, plan, bad_rows, series)?;
    let mut known = HashSet::new();
    let mut keys = Vec::new();
    while !(in_order && keys.len() >= limit) {
        let Some(next) = found.next().await else {
            break;
        };
        let (series, key) = next?;
        if known.insert(series) {
            keys.push(key);
        }
    }
    keys.sort_unstable();
    keys.truncate(limit);
    Ok(keys)
}
