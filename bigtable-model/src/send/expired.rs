//! Reads and predicates without the cells that a model's rules would delete.

use crate::backend::Backend;
use crate::condition::{ConditionError, fits};
use crate::data::RowFilter;
use crate::error::QueryError;
use crate::model::ModelSchema;
use crate::{Error, Timestamp};

/// A filter that sees only what the model's rules keep at a time. If the two filters together are
/// too large, only the rules' filter is sent: the client checks all that it lets through.
///
/// # Errors
/// [`Error::Query`] if the rules' filter itself is too large.
pub(crate) fn without_expired(
    schema: &ModelSchema,
    at: Timestamp,
    filter: Option<RowFilter>,
) -> Result<Option<RowFilter>, Error> {
    let Some(kept) = schema.unexpired(at) else {
        return Ok(filter);
    };
    let Some(whole) = before(kept.clone(), filter) else {
        return Ok(None);
    };
    if fits(&whole).is_ok() {
        return Ok(Some(whole));
    }
    match fits(&kept) {
        Ok(()) => Ok(Some(kept)),
        Err(_) => Err(Error::Query {
            table: schema.table.to_string(),
            source: QueryError::Rules,
        }),
    }
}

/// Like [`without_expired`], at the time of a backend.
pub(crate) fn unexpired_now(
    backend: &dyn Backend,
    schema: &ModelSchema,
    filter: Option<RowFilter>,
) -> Result<Option<RowFilter>, Error> {
    match schema.expires() {
        true => without_expired(schema, backend.expiry_time(), filter),
        false => Ok(filter),
    }
}

/// The backend's time for expiry of events in blocks, which no filter of the server sees; `None` if
/// no rule deletes any.
pub(crate) fn expiry_of_blocks(backend: &dyn Backend, schema: &ModelSchema) -> Option<Timestamp> {
    let expires = schema.is_packed() && schema.expires();
    expires.then(|| backend.expiry_time())
}

/// A predicate that sees only what the model's rules keep at the time of a backend.
///
/// # Errors
/// [`ConditionError::Rules`] if the filter would be too large.
pub(super) fn unexpired_predicate(
    backend: &dyn Backend,
    schema: &ModelSchema,
    predicate: RowFilter,
) -> Result<RowFilter, ConditionError> {
    if !schema.expires() {
        return Ok(predicate);
    }
    let Some(kept) = schema.unexpired(backend.expiry_time()) else {
        return Ok(predicate);
    };
    let whole = before(kept, Some(predicate)).unwrap_or(RowFilter::BlockAll);
    match fits(&whole) {
        Ok(()) => Ok(whole),
        Err(_) => Err(ConditionError::Rules),
    }
}

/// A chain of one filter before another.
fn before(first: RowFilter, then: Option<RowFilter>) -> Option<RowFilter> {
    let filters = |filter| match filter {
        RowFilter::Chain(filters) => filters,
        filter => vec![filter],
    };
    let then = then.map(filters).unwrap_or_default();
    RowFilter::chain(filters(first).into_iter().chain(then))
}
