//! Deletes of the events that a query selects.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::future::{BoxFuture, join_all};
use futures::stream::BoxStream;
use futures::{FutureExt as _, Stream, StreamExt as _, TryStreamExt as _, stream};

use super::ask::state::QueryState;
use super::run::execute::{QueryEvents, events};
use super::run::start::planned;
use super::{BadRows, Order, Query, Selection};
use crate::Error;
use crate::backend::Backend;
use crate::data::{RowFilter, RowMutations};
use crate::model::{Editable, EventRow, Holds, Model, Projection, RowEvents, Schema};
use crate::send::limits::COMPARED_AT_ONCE;
use crate::send::{DeleteOutcome, Entry, delete_found};

impl<M: Model, S, P: Projection<Model = M>> Query<M, S, P> {
    pub(crate) fn delete_all<'a>(&self, backend: &'a dyn Backend) -> BoxFuture<'a, DeleteOutcome>
    where
        S: QueryState<M>,
        M: Editable,
    {
        // A constant, so that the other branch is not compiled.
        if const { M::MIRRORS.is_empty() } {
            return delete(backend, M::SCHEMA, Ok(self.selection())).boxed();
        }
        delete_with_copies::<M>(backend, self.selection(), true).boxed()
    }
}

/// Deletes the events of a selection.
pub(crate) async fn delete(
    backend: &dyn Backend,
    schema: &Schema,
    selection: Result<Selection, Error>,
) -> DeleteOutcome {
    let own = schema.clone();
    let read = move |events: &RowEvents, index| deletion(&own, events, index);
    let started = match selection {
        Ok(selection) => start(backend, schema, selection, false).await,
        Err(refused) => Err(refused),
    };
    match started {
        Ok(found) => delete_found(backend, schema, in_order(found, read)).await,
        Err(error) => {
            let refused = stream::iter([Err(error)]);
            delete_found(backend, schema, refused).await
        }
    }
}

/// Deletes the events of a selection with their copies: first the copies, then the event, so that
/// it can be found again after a failure. Older versions of copies that other events overwrote are
/// deleted too, unless `keep_older` is set.
pub(super) async fn delete_with_copies<M: Model>(
    backend: &dyn Backend,
    selection: Selection,
    keep_older: bool,
) -> DeleteOutcome {
    let read = |events: &RowEvents, index| {
        let row = deletion(M::SCHEMA, events, index)?;
        Ok((row, events.read::<M>(index)?))
    };
    let found = match start(backend, M::SCHEMA, selection, true).await {
        Ok(found) => in_order(found, read).boxed(),
        Err(error) => stream::iter([Err(error)]).boxed(),
    };
    let copies = Arc::default();
    let entries = after_copies(backend.handle(), found, keep_older, Arc::clone(&copies));
    let outcome = delete_found(backend, M::SCHEMA, entries).await;
    outcome.with_copies(copies.load(Ordering::Relaxed))
}

/// The deletes of events, each after those of its copies, which are sent here and counted.
fn after_copies<M: Model>(
    backend: Arc<dyn Backend>,
    found: BoxStream<'static, WithEvent<M>>,
    keep_older: bool,
    copies: Arc<AtomicU64>,
) -> BoxStream<'static, Entry> {
    let chunks = found.ready_chunks(COMPARED_AT_ONCE);
    let entries = stream::try_unfold(chunks, move |mut chunks| {
        let (backend, copies) = (backend.clone(), copies.clone());
        async move {
            let Some(chunk) = chunks.next().await else {
                return Ok::<_, Error>(None);
            };
            // After a failed read the copies of later events are unknown too.
            let entries = without_copies(&*backend, chunk, keep_older, &copies).await?;
            Ok(Some((stream::iter(entries), chunks)))
        }
    });
    entries.try_flatten().boxed()
}

/// An event with its delete.
type WithEvent<M> = Result<(Option<EventRow>, M), Error>;

/// Deletes the copies of some events, and returns the deletes of the events. In place of an event's
/// delete there is an error if one of its copies may still exist.
async fn without_copies<M: Model>(
    backend: &dyn Backend,
    chunk: Vec<WithEvent<M>>,
    keep_older: bool,
    copies: &AtomicU64,
) -> Result<Vec<Entry>, Error> {
    let (mut entries, mut events, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for (place, one) in chunk.into_iter().enumerate() {
        entries.push(one.map(|(row, event)| {
            events.push(event);
            places.push(place);
            row
        }));
    }
    let mirrors = M::MIRRORS.iter();
    let released = mirrors.map(|mirror| (mirror.release)(backend, &events, keep_older));
    for released in join_all(released).await {
        let released = released?;
        copies.fetch_add(released.deleted, Ordering::Relaxed);
        for (at, error) in released.failed {
            let entry = places.get(at).and_then(|place| entries.get_mut(*place));
            if let Some(entry) = entry {
                *entry = Err(error);
            }
        }
    }
    Ok(entries)
}

/// Reads what deletes need: events without values, unless `whole` asks for them. If a row is one
/// event, its key suffices.
async fn start(
    backend: &dyn Backend,
    schema: &Schema,
    selection: Selection,
    whole: bool,
) -> Result<QueryEvents, Error> {
    let order = match selection.limit {
        Some(_) => selection.order,
        // The order only decides which events are beyond the limit.
        None => Order::Any,
    };
    let selection = Selection {
        columns: None,
        keys_only: schema.holds() == Holds::One && !whole,
        order,
        with_expired: true,
        // A series that another writer begins meanwhile is deleted too.
        max_seeks: 0,
        ..selection
    };
    let mut plan = planned(backend, schema, &selection).await?;
    // A condition needs values, and blocks are values.
    let is_stripped = schema.holds() != Holds::One && !schema.is_packed();
    if is_stripped && plan.condition.is_none() && !whole {
        plan.filter = without_values(plan.filter);
    }
    events(backend, schema, plan, &BadRows::fail())
}

/// The delete of an event, with its time.
fn deletion(schema: &Schema, events: &RowEvents, index: usize) -> Result<Option<EventRow>, Error> {
    let found = events.deletion(index)?;
    let time = events.time(index)?;
    let row = match schema.is_united() {
        true => {
            let known = schema.event_deletion(events.key_at(index), time)?;
            // Only what was read shows the columns that are named at run time.
            match found.filter(|_| schema.has_maps()) {
                Some(found) => known.map(|known| joined(found, known)),
                None => known,
            }
        }
        false => found,
    };
    Ok(row.map(|row| EventRow { row, time }))
}

/// Both, of one row.
fn joined(mut one: RowMutations, other: RowMutations) -> RowMutations {
    one.mutations.extend(other.mutations);
    one
}

fn without_values(filter: Option<RowFilter>) -> Option<RowFilter> {
    let filters = match filter {
        Some(RowFilter::Chain(filters)) => filters,
        filter => filter.into_iter().collect(),
    };
    RowFilter::chain(filters.into_iter().chain([RowFilter::StripValue]))
}

/// The results, in the order in which they arrive.
fn in_order<E>(
    mut found: QueryEvents,
    read: impl Fn(&RowEvents, usize) -> Result<E, Error>,
) -> impl Stream<Item = Result<E, Error>> {
    stream::poll_fn(move |context| found.poll_next(&read, context))
}
