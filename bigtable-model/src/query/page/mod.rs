//! Results page by page.

mod cut;
#[cfg(test)]
mod forged_tests;
mod range;
#[cfg(feature = "page_key")]
mod sealed;
mod spans;
mod stable;
mod text;
mod token;

use std::fmt;
use std::ops::Bound;
use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

pub(crate) use stable::fingerprint;
pub use token::PageToken;

use self::range::TimeRange;
use self::spans::Spans;
use self::token::{OpenTokens, Progress, Tokens};
use super::ask::state::{FixedOrder, QueryState};
use super::plan::planner::plan_known;
use super::run::execute::{QueryEvents, events};
use super::run::start::live_tables;
use super::{BadRows, Order, Place, Plan, Query, SegmentSelection, Selection};
use crate::backend::Backend;
use crate::error::{Error, QueryError};
use crate::key::SegmentValue;
use crate::model::{Holds, Model, ModelSchema, Projection, RowEvents, Schema};
use crate::{TimeGrid as _, Timestamp};

/// Some results of a query, and a token for the next ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Page<P> {
    /// The results.
    pub events: Vec<P>,
    /// The token of the next page; `None` if this is the last.
    pub next: Option<PageToken>,
}

impl<M: Model, S, P: Projection<Model = M>> Query<M, S, P> {
    pub(crate) async fn page(
        &self,
        size: u64,
        token: Option<&PageToken>,
        backend: &dyn Backend,
    ) -> Result<Page<P>, PageError>
    where
        S: QueryState<M>,
        S::Order: FixedOrder,
    {
        let (selection, read) = (self.selection(), RowEvents::read::<P>);
        let asked = Asked {
            backend,
            schema: M::SCHEMA.clone(),
            bad_rows: self.bad_rows(),
            tokens: self.tokens(),
        };
        asked.page(selection, size, token, read).await
    }

    /// How tokens are made.
    fn tokens(&self) -> &dyn Tokens {
        #[cfg(feature = "page_key")]
        if let Some(key) = self.key_of_pages() {
            return key;
        }
        &OpenTokens
    }
}

/// The pages of a selection of a described model, each result made by `read`.
#[cfg(test)]
pub(super) async fn page<T>(
    backend: &dyn Backend,
    schema: &Schema,
    selection: Selection,
    bad_rows: &BadRows,
    size: u64,
    token: Option<&PageToken>,
    read: impl Fn(&RowEvents, usize) -> Result<T, Error> + Send + Sync + 'static,
) -> Result<Page<T>, PageError> {
    let asked = Asked {
        backend,
        schema: schema.clone(),
        bad_rows,
        tokens: &OpenTokens,
    };
    asked.page(selection, size, token, read).await
}

/// The query of the pages, and how their tokens are made.
struct Asked<'a> {
    backend: &'a dyn Backend,
    schema: Schema,
    bad_rows: &'a BadRows,
    tokens: &'a dyn Tokens,
}

impl Asked<'_> {
    fn refused(&self, source: QueryError) -> Error {
        Error::Query {
            table: self.schema.table.to_string(),
            source,
        }
    }

    /// The progress in a token, if it belongs to this query.
    fn progress(
        &self,
        (query, layout): (u64, u64),
        size: u64,
        token: Option<&PageToken>,
    ) -> Result<Option<Progress>, QueryError> {
        if size == 0 {
            return Err(QueryError::EmptyPage);
        }
        let progress = token.map(|token| self.tokens.read(token)).transpose()?;
        if let Some(progress) = &progress {
            progress.check(query, layout)?;
        }
        Ok(progress)
    }

    async fn page<T>(
        &self,
        mut selection: Selection,
        size: u64,
        token: Option<&PageToken>,
        read: impl Fn(&RowEvents, usize) -> Result<T, Error> + Send + Sync + 'static,
    ) -> Result<Page<T>, PageError> {
        let (backend, schema, bad_rows) = (self.backend, &self.schema, self.bad_rows);
        let asked = TimeRange::of(schema, &selection).filter(|_| self.tokens.keep_range());
        let query = match asked {
            Some(range) => PageToken::query(&range.taken_out(schema, &selection)),
            None => PageToken::query(&selection),
        };
        let layout = PageToken::layout(backend, schema);
        let token = self.progress((query, layout), size, token);
        let token = token.map_err(|source| self.refused(source))?;
        let token = token.as_ref();
        let range = token.map_or(asked, |token| token.range);
        if let Some(range) = range {
            range.put_into(schema, &mut selection);
        }
        let delivered = token.map_or(0, |token| token.delivered);
        let left = selection.limit.map(|limit| limit.saturating_sub(delivered));
        // One event more shows whether there is another page.
        let asked = size.saturating_add(1).min(left.unwrap_or(u64::MAX));
        let size = size.min(asked);
        let by_time = selection.order == Order::Time;
        let selection = Selection {
            limit: Some(asked),
            ..selection
        };
        let spans = token.and_then(|token| token.spans.as_ref());
        let live = match spans.filter(|_| !schema.is_united()) {
            Some(spans) => spans.tables(schema)?,
            None => live_tables(backend, schema, &selection).await?,
        };
        let spans = live
            .as_deref()
            .and_then(|live| Spans::of(schema, &selection, live));
        let after = token.map(|token| &token.place);
        let plan = plan_after(schema, selection, after, live.as_deref())?;
        let reading = Reading::new(backend, schema, plan, bad_rows)?;
        let token = |place, delivered| {
            let written = self.tokens.write(Progress {
                query,
                layout,
                place,
                delivered,
                spans: spans.clone(),
                range,
            });
            written.map_err(|source| self.refused(source))
        };
        let Read {
            events,
            place,
            ended,
        } = reading.up_to(size, read).await?;
        let next = delivered.saturating_add(u64::try_from(events.len()).unwrap_or(u64::MAX));
        match ended {
            Ended::All => Ok(Page { events, next: None }),
            Ended::More if size == asked => Ok(Page { events, next: None }),
            Ended::More | Ended::Bad(..) if !events.is_empty() => Ok(Page {
                events,
                next: place.map(|place| token(place, next)).transpose()?,
            }),
            Ended::More => Ok(Page { events, next: None }),
            Ended::Bad(error, bad) => Err(PageError {
                // A row without a time has no position in order of time.
                next: bad
                    .filter(|bad| !by_time || bad.time.is_some())
                    .map(|bad| token(bad, next))
                    .transpose()?,
                error: *error,
            }),
        }
    }
}

/// A page that starts with a row or an event that does not fit the model.
///
/// With `?` it becomes the [`Error`] of that row. With [`Query::on_bad_row`] pages leave out such
/// rows.
#[derive(Debug)]
pub struct PageError {
    /// The row and the reason, or why there is no page at all.
    pub error: Error,
    /// The token of the page after it; `None` if there is none or, in order of time, if the row's
    /// key holds no time.
    pub next: Option<PageToken>,
}

impl From<Error> for PageError {
    fn from(error: Error) -> Self {
        Self { error, next: None }
    }
}

impl From<PageError> for Error {
    fn from(page: PageError) -> Self {
        page.error
    }
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for PageError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error.source()
    }
}

/// The events of a page in progress.
struct Reading {
    events: QueryEvents,
    /// The tables of sources other than the model's own rows.
    others: Vec<String>,
}

/// The content of a page.
struct Read<T> {
    events: Vec<T>,
    /// The position of the last event.
    place: Option<Place>,
    ended: Ended,
}

/// Why a page ends.
enum Ended {
    /// There are no more events.
    All,
    /// It is full, and there are more events.
    More,
    /// The next row or event does not fit the model; with its position, if it has one.
    Bad(Box<Error>, Option<Place>),
}

impl Reading {
    fn new(
        backend: &dyn Backend,
        schema: &Schema,
        plan: Plan,
        bad_rows: &BadRows,
    ) -> Result<Self, Error> {
        let others = plan.sources.iter().map(|source| source.plan.table.clone());
        let others = others.collect();
        Ok(Self {
            events: events(backend, schema, plan, bad_rows)?,
            others,
        })
    }

    async fn up_to<T>(
        mut self,
        size: u64,
        of: impl Fn(&RowEvents, usize) -> Result<T, Error>,
    ) -> Result<Read<T>, Error> {
        let of = |row: &RowEvents, index| Ok((of(row, index)?, place(row, index)));
        let mut read = Read {
            events: Vec::new(),
            place: None,
            ended: Ended::All,
        };
        loop {
            match self.events.next(&of).await {
                None => return Ok(read),
                Some(Ok(_)) if u64::try_from(read.events.len()).is_ok_and(|len| len == size) => {
                    read.ended = Ended::More;
                    return Ok(read);
                }
                Some(Ok((event, place))) => {
                    read.events.push(event);
                    read.place = Some(place);
                }
                Some(Err(error @ (Error::Backend { .. } | Error::Query { .. }))) => {
                    return Err(error);
                }
                Some(Err(error)) => {
                    let place = self.place_of(&error);
                    read.ended = Ended::Bad(Box::new(error), place);
                    return Ok(read);
                }
            }
        }
    }

    /// The position of a row or event that does not fit the model.
    fn place_of(&self, error: &Error) -> Option<Place> {
        let refused = self.events.refused();
        let refused = refused.map(|(row, index)| place(row, index));
        // A row whose bucket is unknown has no events, so none was refused.
        refused.or_else(|| match error {
            // A key of another source has no position among the model's own.
            Error::ForeignKey { key, table, .. } if !self.others.contains(table) => Some(Place {
                time: None,
                key: key.to_vec(),
                qualifier: None,
            }),
            _ => None,
        })
    }
}

/// The position of an event, without a time if none can be decoded from its key.
fn place(row: &RowEvents, index: usize) -> Place {
    Place {
        time: row.time(index).unwrap_or_default(),
        key: row.key_at(index).to_vec(),
        qualifier: row.qualifier(index).map(<[u8]>::to_vec),
    }
}

/// The plan for the results after a position.
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
        let whole = plan_known(schema, &selection, live)?;
        narrow_time(schema, &mut selection, after, whole.keys_first);
        let mut plan = plan_known(schema, &selection, live)?;
        if whole.keys_first {
            plan.times = plan.times.within(&whole.times);
        }
        // In each row one event may be at the position itself.
        plan.newest = match schema.holds() {
            Holds::Newest => plan.newest,
            _ => plan.newest.map(|newest| newest.saturating_add(1)),
        };
        cut::same_time(schema, &mut plan, &after.key, selection.descending);
        plan.after = Some(after.clone());
        return Ok(plan);
    }
    let mut plan = plan_known(schema, &selection, live)?;
    let key = Bytes::copy_from_slice(after.row(&schema.key));
    let from = match schema.has_one_event_a_row() && !schema.is_united() {
        // The row is done: its event was delivered, or is newer.
        true => Bound::Excluded(key),
        // The row may hold more events, or hide one of another source.
        false => Bound::Included(key),
    };
    cut::before(&mut plan, &from);
    for (source, asked) in schema.sources().zip(&mut plan.sources) {
        if let Some(key) = source.key_of(schema, &after.key, after.time) {
            cut::before(&mut asked.plan, &Bound::Included(key.into()));
        }
    }
    // The newest events of the position's own row were delivered.
    plan.newest = plan.newest.filter(|_| schema.holds_the_newest());
    plan.after = Some(after.clone());
    Ok(plan)
}

/// Narrows the selected times to those after the position. With `open` the other end becomes open,
/// so that its buckets are not listed if those of the whole range are not.
fn narrow_time(schema: &ModelSchema, selection: &mut Selection, after: &Place, open: bool) {
    let (Some(place), Some(time)) = (schema.key.place_of_time(), after.time) else {
        return;
    };
    // Cells that cannot belong to an event have times off the grid, and others may have the same
    // time.
    let grid = schema.key.bucket().map_or(1, |bucket| bucket.grid_micros);
    let before = Duration::from_micros(grid.unsigned_abs()).floor(time);
    let descending = selection.descending;
    match selection.segment_mut(place) {
        Some(SegmentSelection::Values(values)) => values.retain(|value| {
            let stored = schema.stored_value(value);
            stored.is_none_or(|stored| match descending {
                false => stored >= before,
                true => stored <= time,
            })
        }),
        Some(SegmentSelection::Range(start, end)) => {
            // A forged token may have any time, but it never widens the range.
            let other = match descending {
                false => {
                    cut_to(start, before, |start| start < before);
                    end
                }
                true => {
                    cut_to(end, time, |end| end > time);
                    start
                }
            };
            if open {
                *other = Bound::Unbounded;
            }
        }
        _ => {}
    }
}

/// Moves an end of a range to a time, inclusive, if the end is open or beyond it.
fn cut_to(end: &mut Bound<SegmentValue>, time: Timestamp, beyond: impl Fn(Timestamp) -> bool) {
    let is_cut = match end {
        Bound::Unbounded => true,
        Bound::Included(SegmentValue::Time(end)) | Bound::Excluded(SegmentValue::Time(end)) => {
            beyond(*end)
        }
        // The planner refuses a value that is not a time.
        Bound::Included(_) | Bound::Excluded(_) => false,
    };
    if is_cut {
        *end = Bound::Included(SegmentValue::Time(time));
    }
}
