//! The events of a query, for marks of roll-ups.

use bytes::Bytes;

use super::{Order, Selection, found_events, planned};
use crate::backend::Backend;
use crate::model::Schema;
use crate::send::limits::EVENTS_AT_ONCE;
use crate::send::mark;
use crate::{Error, Timestamp};

/// Marks the buckets of the selected events in all roll-ups of a model, and returns the number of
/// events. `judge` is given the error of a row that does not fit the model, and returns it if the
/// call is to fail.
pub(crate) async fn mark_found(
    backend: &dyn Backend,
    schema: &Schema,
    asked: Selection,
    judge: impl Fn(Error) -> Result<(), Error>,
) -> Result<u64, Error> {
    let selection = Selection {
        keys_only: true,
        order: match asked.limit {
            Some(_) => asked.order,
            None => Order::Any,
        },
        ..asked
    };
    let plan = planned(backend, schema, &selection).await?;
    let mut found = found_events(backend, schema, plan)?;
    let mut events: Vec<(Bytes, Option<Timestamp>)> = Vec::new();
    let mut count = 0;
    loop {
        let next = found.next().await;
        let is_last = next.is_none();
        match next {
            Some(Ok(())) => {
                if let Some((row, index)) = found.current() {
                    events.push((row.shared_key(), row.time(index)?));
                    count += 1;
                }
            }
            Some(Err(error @ Error::Backend { .. })) => return Err(error),
            Some(Err(error)) => judge(error)?,
            None => {}
        }
        if events.len() == EVENTS_AT_ONCE || is_last {
            let marked = events.iter().map(|(key, time)| (&**key, *time));
            mark(backend, schema, marked).await?;
            events.clear();
        }
        if is_last {
            return Ok(count);
        }
    }
}
