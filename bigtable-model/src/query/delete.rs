//! Deletes of the events that a query selects.

use std::task::{Poll, ready};

use futures::future::BoxFuture;
use futures::{FutureExt as _, Stream, stream};

use super::ask::state::QueryState;
use super::run::execute::{QueryEvents, events};
use super::run::start::planned;
use super::{BadRows, Order, Query, Selection};
use crate::Error;
use crate::backend::Backend;
use crate::data::RowFilter;
use crate::model::{Editable, EventRow, Holds, Model, Projection, RowEvents, Schema};
use crate::send::{DeleteOutcome, Entry, delete_found};

impl<M: Model, S, P: Projection<Model = M>> Query<M, S, P> {
    pub(crate) fn delete_all<'a>(&self, backend: &'a dyn Backend) -> BoxFuture<'a, DeleteOutcome>
    where
        S: QueryState<M>,
        M: Editable,
    {
        delete(backend, M::SCHEMA, self.selection()).boxed()
    }
}

/// Deletes the events of a selection.
pub(crate) async fn delete(
    backend: &dyn Backend,
    schema: &Schema,
    selection: Selection,
) -> DeleteOutcome {
    match start(backend, schema, selection).await {
        Ok(found) => delete_found(backend, schema, deletions(found)).await,
        Err(error) => {
            let refused = stream::iter([Err(error)]);
            delete_found(backend, schema, refused).await
        }
    }
}

/// Reads what deletes need: the cells of the events, without their values. If a row is an event,
/// its key suffices.
async fn start(
    backend: &dyn Backend,
    schema: &Schema,
    selection: Selection,
) -> Result<Deletions, Error> {
    let order = match selection.limit {
        Some(_) => selection.order,
        // The order only decides which events are beyond the limit.
        None => Order::Any,
    };
    let selection = Selection {
        columns: None,
        keys_only: schema.holds() == Holds::One,
        order,
        with_expired: true,
        // A series that another writer begins meanwhile is deleted too.
        max_seeks: 0,
        ..selection
    };
    let mut plan = planned(backend, schema, &selection).await?;
    // A condition reads values.
    if schema.holds() != Holds::One && plan.condition.is_none() {
        plan.filter = without_values(plan.filter);
    }
    let own = schema.clone();
    let deletion = move |events: &RowEvents, index| deletion(&own, events, index);
    events(backend, schema, plan, &BadRows::fail(), deletion)
}

/// The delete of an event, with its time.
fn deletion(schema: &Schema, events: &RowEvents, index: usize) -> Result<Option<EventRow>, Error> {
    let found = events.deletion(index)?;
    let time = events.time(index)?;
    let row = match schema.is_united() {
        true => schema.event_deletion(events.key(), time)?,
        false => found,
    };
    Ok(row.map(|row| EventRow { row, time }))
}

fn without_values(filter: Option<RowFilter>) -> Option<RowFilter> {
    let filters = match filter {
        Some(RowFilter::Chain(filters)) => filters,
        filter => filter.into_iter().collect(),
    };
    RowFilter::chain(filters.into_iter().chain([RowFilter::StripValue]))
}

/// The deletes of the events that are found.
type Deletions = QueryEvents<Option<EventRow>>;

fn deletions(mut found: Deletions) -> impl Stream<Item = Entry> {
    stream::poll_fn(move |context| {
        let next = ready!(found.poll_next(context));
        Poll::Ready(next)
    })
}
