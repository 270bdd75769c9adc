//! Results page by page.

#[cfg(test)]
mod forged_tests;
mod spans;
mod stable;
mod text;
mod token;

use std::ops::Bound;

pub(crate) use stable::fingerprint;
pub use token::PageToken;

use self::spans::Spans;
use super::ask::state::{FixedOrder, QueryState};
use super::plan::planner::plan_known;
use super::run::execute::{QueryEvents, events};
use super::run::reading::behind;
use super::run::start::live_tables;
use super::{Order, Part, Place, Plan, Query, SegmentSelection, Selection};
use crate::backend::Backend;
use crate::error::{Error, QueryError};
use crate::key::{SegmentRole, SegmentValue};
use crate::model::{Holds, Model, ModelSchema, Projection, RowEvents};

/// Some results of a query, and where the others begin.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<P> {
    /// The results.
    pub events: Vec<P>,
    /// What asks for the next page; none when this is the last.
    pub next: Option<PageToken>,
}

impl<M: Model, S, P: Projection<Model = M>> Query<M, S, P> {
    /// Up to `size` results, from the beginning or from where another page ended.
    ///
    /// Pages together hold what [`fetch`](Query::fetch) gives. An event that is stored all the time
    /// is on exactly one page, whatever is written or deleted between them; an event that is
    /// written between pages is on one if its place comes after the last event so far. A limit is
    /// one on all pages.
    ///
    /// Where tables are by period and the query's time is open on a side, the first page lists the
    /// tables and the token keeps their periods: the other pages read those tables and list none.
    /// Tables that are created later are not read.
    ///
    /// # Errors
    /// The first error of [`stream`](Query::stream); [`Error::Query`] for a page of no size, and for a token of another query or
    /// layout.
    pub async fn page(
        &self,
        size: u64,
        token: Option<&PageToken>,
        backend: &dyn Backend,
    ) -> Result<Page<P>, Error>
    where
        S: QueryState<M>,
        S::Order: FixedOrder,
    {
        let selection = self.selection();
        page(backend, M::SCHEMA, selection, size, token, RowEvents::read).await
    }
}

/// Up to `size` results behind a token's place, each made by `read`.
pub(super) async fn page<T>(
    backend: &dyn Backend,
    schema: &'static ModelSchema,
    selection: Selection,
    size: u64,
    token: Option<&PageToken>,
    read: impl Fn(&RowEvents, usize) -> Result<T, Error>,
) -> Result<Page<T>, Error> {
    let query = PageToken::query(&selection);
    let layout = PageToken::layout(schema);
    let checked = match size {
        0 => Err(QueryError::EmptyPage),
        _ => token.map_or(Ok(()), |token| token.check(query, layout)),
    };
    checked.map_err(|source| Error::Query {
        table: schema.table.to_string(),
        source,
    })?;
    let delivered = token.map_or(0, |token| token.delivered);
    let left = selection.limit.map(|limit| limit.saturating_sub(delivered));
    // One more tells whether there is another page.
    let asked = size.saturating_add(1).min(left.unwrap_or(u64::MAX));
    let size = size.min(asked);
    let selection = Selection {
        limit: Some(asked),
        ..selection
    };
    let live = match token.and_then(|token| token.spans.as_ref()) {
        Some(spans) => spans.tables(schema)?,
        None => live_tables(backend, schema, &selection).await?,
    };
    let spans = live
        .as_deref()
        .and_then(|live| Spans::of(schema, &selection, live));
    let after = token.map(|token| &token.place);
    let plan = plan_after(schema, selection, after, live.as_deref())?;
    let mut events = events(backend, schema, plan)?;
    let mut page = Page {
        events: Vec::new(),
        next: None,
    };
    for _ in 0..size {
        match next(&mut events, &read).await? {
            Some(event) => page.events.push(event),
            None => return Ok(page),
        }
    }
    let place = place(&events)?.filter(|_| size < asked);
    if let Some(place) = place
        && has_more(&mut events).await?
    {
        page.next = Some(PageToken {
            query,
            layout,
            place,
            delivered: delivered.saturating_add(size),
            spans,
        });
    }
    Ok(page)
}

/// The next event, as `read` makes it.
async fn next<T>(
    events: &mut QueryEvents,
    read: impl Fn(&RowEvents, usize) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    if events.next().await.transpose()?.is_none() {
        return Ok(None);
    }
    let Some((row, index)) = events.current() else {
        return Ok(None);
    };
    let read = read(row, index);
    read.map(Some).map_err(|error| events.in_table(error))
}

/// The place of the event at hand.
fn place(events: &QueryEvents) -> Result<Option<Place>, Error> {
    let Some((row, index)) = events.current() else {
        return Ok(None);
    };
    Ok(Some(Place {
        time: row.time(index)?,
        key: row.key().to_vec(),
        qualifier: row.qualifier(index).map(<[u8]>::to_vec),
    }))
}

/// Whether there is another event; a row that can't be read is one, and an error of the next page.
async fn has_more(events: &mut QueryEvents) -> Result<bool, Error> {
    match events.next().await {
        Some(Err(error @ Error::Backend { .. })) => Err(error),
        next => Ok(next.is_some()),
    }
}

/// The plan of what follows a place in the results.
fn plan_after(
    schema: &ModelSchema,
    mut selection: Selection,
    after: Option<&Place>,
    live: Option<&[String]>,
) -> Result<Plan, Error> {
    let Some(after) = after else {
        return plan_known(schema, &selection, live);
    };
    if selection.order == Order::Time {
        narrow_time(schema, &mut selection, after);
        let mut plan = plan_known(schema, &selection, live)?;
        // One event of each row may be at the place itself.
        plan.newest = match schema.holds() {
            Holds::Newest => plan.newest,
            _ => plan.newest.map(|newest| newest.saturating_add(1)),
        };
        plan.after = Some(after.clone());
        return Ok(plan);
    }
    let mut plan = plan_known(schema, &selection, live)?;
    let key = after.key.clone().into();
    let from = match schema.has_one_event_a_row() {
        // What the row holds by now was delivered, or is newer than that: its turn is over.
        true => Bound::Excluded(key),
        // The row may hold more events.
        false => Bound::Included(key),
    };
    for scan in &mut plan.scans {
        let parts = scan.parts.iter();
        scan.parts = parts
            .filter_map(|part| {
                let rows = behind(&part.rows, from.clone(), plan.reversed)?;
                let table = part.table.clone();
                Some(Part { table, rows })
            })
            .collect();
    }
    // The newest of the place's own row were delivered.
    plan.newest = plan.newest.filter(|_| schema.holds() == Holds::Newest);
    plan.after = Some(after.clone());
    Ok(plan)
}

/// Takes what is before the place in order of time out of a range of times; a set of times stays as it is.
fn narrow_time(schema: &ModelSchema, selection: &mut Selection, after: &Place) {
    let is_time = |role| matches!(role, SegmentRole::Time | SegmentRole::Bucket);
    let mut valued = schema.key.valued();
    let (Some(place), Some(time)) = (
        valued.position(|(_, segment)| is_time(segment.role)),
        after.time,
    ) else {
        return;
    };
    let segments = &mut selection.segments;
    if segments.len() <= place {
        let open = SegmentSelection::Range(Bound::Unbounded, Bound::Unbounded);
        segments.resize(place + 1, open);
    }
    let Some(SegmentSelection::Range(start, end)) = segments.get_mut(place) else {
        return;
    };
    // The place is among what was asked for, so that its time narrows both.
    match selection.descending {
        false => *start = Bound::Included(SegmentValue::Time(time)),
        true => *end = Bound::Included(SegmentValue::Time(time)),
    }
}
