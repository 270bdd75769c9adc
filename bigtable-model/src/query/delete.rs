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
    /// Deletes the events that the query selects, in every layout: while they are read, in requests
    /// of up to 1,000 rows, several at once. Memory does not grow with their number.
    ///
    /// - It deletes what [`count`](Query::count) counts with
    ///   [`with_expired`](Query::with_expired): `limit` and `newest_first` apply, only a condition
    ///   reads values, and an event that is written while the query runs may stay. If a row is an
    ///   event, the whole row is deleted, with run-time columns; so is an event that is written
    ///   again between its read and its delete, even if it no longer meets a condition;
    ///   [`delete_if`](crate::BackendExt::delete_if) prevents it.
    /// - In a row of many events only the events' cells are deleted. Columns that belong to the row
    ///   stay, even after its last event, since an insert in flight may rely on them. A row with
    ///   only these has no events: no query returns it and no count includes it.
    /// - In layout `latest` the newest event of a row is deleted. An older one that is still stored
    ///   then becomes the row's newest, as after [`delete`](crate::BackendExt::delete). If older
    ///   events must not come back, repeat the delete until it finds none, or use
    ///   [`drop_rows`](crate::backend::Tables::drop_rows).
    /// - Events that have expired by a garbage-collection rule of the model are deleted too, and
    ///   count towards a limit.
    /// - A row whose key is not the model's is not deleted but reported as a failure.
    /// - The whole table needs `scan()`. [`drop_rows`](crate::backend::Tables::drop_rows) empties it
    ///   without reading.
    ///
    /// The outcome says how many were deleted, and which were not. An error of a read is the last
    /// failure: events before it are deleted, and repeating the call continues from there.
    ///
    /// ```
    /// use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
    ///
    /// #[derive(Debug, PartialEq, Model)]
    /// #[bigtable(table = "QUOTE", family = "MD", layout = "cells")]
    /// struct Quote {
    ///     #[bigtable(key)]
    ///     symbol: String,
    ///     #[bigtable(time, bucket = "hour")]
    ///     at: Timestamp,
    ///     bid: f64,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), bigtable_model::Error> {
    /// let db = MemoryBackend::new();
    /// db.ensure_table::<Quote>().await?;
    /// let at = Timestamp::from_seconds;
    /// for second in 0..10 {
    ///     db.insert(&Quote { symbol: "ZXZZT".into(), at: at(second), bid: 600.55 }).await?;
    /// }
    /// let first = Quote::query().symbol("ZXZZT").at(at(0)..at(8));
    /// assert_eq!(first.delete(&db).await.into_result()?, 8);
    /// assert_eq!(Quote::query().symbol("ZXZZT").count(&db).await?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete<'a>(&self, backend: &'a dyn Backend) -> BoxFuture<'a, DeleteOutcome>
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
