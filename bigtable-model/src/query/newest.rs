//! The newest events of each series.

use std::cmp::Ordering;
use std::collections::HashMap;

use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _};

use super::ask::state::QueryState;
use super::plan::planner::plan_known;
use super::run::execute::events;
use super::run::start::live_tables;
use super::series::{AT_ONCE, keys_of_series, series_of, split};
use super::{BadRows, Order, Plan, Query, SegmentSelection, Selection};
use crate::Timestamp;
use crate::backend::Backend;
use crate::error::Error;
use crate::key::{Segment, SegmentRole};
use crate::model::{Model, ModelSchema, Projection, RowEvents, Schema, foreign};

impl<M: Model, S, P: Projection<Model = M>> Query<M, S, P> {
    pub(crate) async fn latest_each(
        &self,
        n: u64,
        backend: &dyn Backend,
    ) -> Result<Vec<(M::Series, Vec<P>)>, Error>
    where
        S: QueryState<M>,
    {
        let selection = self.selection();
        let bad_rows = self.bad_rows();
        let read = RowEvents::read::<P>;
        let (keys, newest) =
            newest_of_each(backend, M::SCHEMA, selection, n, bad_rows, read).await?;
        let series = keys.iter().map(series_of::<M>);
        let each = series.zip(newest);
        each.map(|(series, newest)| Ok((series?, newest))).collect()
    }
}

/// The key of one row of each series, and the newest events of each, made by `read`.
pub(super) async fn newest_of_each<E>(
    backend: &dyn Backend,
    schema: &Schema,
    selection: Selection,
    n: u64,
    bad_rows: &BadRows,
    read: impl Fn(&RowEvents, usize) -> Result<E, Error> + Clone + Send + Sync + 'static,
) -> Result<(Vec<Bytes>, Vec<Vec<E>>), Error> {
    let live = live_tables(backend, schema, &selection).await?;
    let live = live.as_deref();
    let keys = keys_of_series(backend, schema, selection.clone(), live, bad_rows).await?;
    let asked = Asked {
        backend,
        schema: schema.clone(),
        selection,
        n,
        live,
        bad_rows,
        read,
    };
    let newest = asked.newest(&keys).await?;
    Ok((keys, newest))
}

/// What to read of each series.
pub(super) struct Asked<'a, R> {
    pub(super) backend: &'a dyn Backend,
    pub(super) schema: Schema,
    pub(super) selection: Selection,
    /// How many events of each series.
    pub(super) n: u64,
    /// The existing tables, if tables are by period.
    pub(super) live: Option<&'a [String]>,
    pub(super) bad_rows: &'a BadRows,
    /// Makes an event from its row and index.
    pub(super) read: R,
}

impl<R> Asked<'_, R> {
    /// The newest events of the series of each key.
    pub(super) async fn newest<E>(&self, keys: &[Bytes]) -> Result<Vec<Vec<E>>, Error>
    where
        R: Fn(&RowEvents, usize) -> Result<E, Error> + Clone + Send + Sync + 'static,
    {
        match self.are_apart(keys)? {
            false => self.one_by_one(keys).await,
            true => self.in_one_pass(keys).await,
        }
    }

    /// Whether the rows of a series cannot be read without those of others, which is the same for
    /// all series.
    fn are_apart(&self, keys: &[Bytes]) -> Result<bool, Error> {
        let Some(key) = keys.first() else {
            return Ok(false);
        };
        let of_one = of_series(&self.schema, &self.selection, key, 1)?;
        match plan_known(&self.schema, &of_one, self.live) {
            Ok(_) => Ok(false),
            Err(Error::Query { source, .. }) if source.is_refused_by_keys() => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// The newest events of the series of each key, by a query for each.
    async fn one_by_one<E>(&self, keys: &[Bytes]) -> Result<Vec<Vec<E>>, Error>
    where
        R: Fn(&RowEvents, usize) -> Result<E, Error> + Clone + Send + Sync + 'static,
    {
        let newest = keys.iter().map(|key| self.of_one(key));
        let newest: Vec<_> = newest.collect();
        futures::stream::iter(newest)
            .buffered(AT_ONCE)
            .try_collect()
            .await
    }

    async fn of_one<E>(&self, key: &Bytes) -> Result<Vec<E>, Error>
    where
        R: Fn(&RowEvents, usize) -> Result<E, Error> + Clone + Send + Sync + 'static,
    {
        let selection = of_series(&self.schema, &self.selection, key, self.n)?;
        let plan = plan_known(&self.schema, &selection, self.live)?;
        let read = self.read.clone();
        let mut events = events(self.backend, &self.schema, plan, self.bad_rows, read)?;
        let mut newest = Vec::new();
        while let Some(next) = events.next().await {
            newest.push(next?);
        }
        Ok(newest)
    }

    /// The newest events of the series of each key, by one query for all of them.
    async fn in_one_pass<E>(&self, keys: &[Bytes]) -> Result<Vec<Vec<E>>, Error>
    where
        R: Fn(&RowEvents, usize) -> Result<E, Error> + Clone + Send + Sync + 'static,
    {
        let selection = self.selection.clone();
        let (plan, newest_first) = plan_of_all(&self.schema, selection, self.live)?;
        let mut newest = Newest::new(&self.schema, keys, self.n, plan.descending)?;
        let read = self.read.clone();
        let mut events = events(self.backend, &self.schema, plan, self.bad_rows, read)?;
        let mut row_at_hand = Bytes::new();
        while let Some(next) = events.next().await {
            let event = next?;
            let Some((row, index)) = events.current() else {
                break;
            };
            if *row.key() != row_at_hand {
                // The rows that follow are older.
                if newest_first && newest.is_complete() {
                    break;
                }
                row_at_hand = row.shared_key();
            }
            newest.take(row, index, event)?;
        }
        Ok(newest.into_events())
    }
}

/// The selection narrowed to the newest events of a key's series.
fn of_series(
    schema: &ModelSchema,
    selection: &Selection,
    key: &Bytes,
    n: u64,
) -> Result<Selection, Error> {
    let values = schema.key.decode(key);
    let values = values.map_err(|source| foreign(schema, key, source))?;
    let segments = schema.key.valued().zip(values).enumerate();
    let mut is_named = false;
    let segments = segments.map(|(at, ((_, segment), value))| match segment.role {
        SegmentRole::Identifier => {
            is_named = true;
            SegmentSelection::Values(vec![value])
        }
        _ => {
            let asked = selection.segments.get(at);
            asked.cloned().unwrap_or(SegmentSelection::ALL)
        }
    });
    let segments = segments.collect();
    Ok(Selection {
        segments,
        order: match schema.key.time_segment() {
            Some(_) => Order::Time,
            None => Order::Key,
        },
        descending: true,
        limit: Some(n),
        // Without identifiers the whole table is one series.
        full_scan: selection.full_scan && !is_named,
        ..selection.clone()
    })
}

/// The plan for the events of all series, and whether it returns the rows of each series newest
/// first.
fn plan_of_all(
    schema: &ModelSchema,
    selection: Selection,
    live: Option<&[String]>,
) -> Result<(Plan, bool), Error> {
    let time = time_in_order(schema);
    let selection = Selection {
        order: match time {
            Some(_) => Order::Key,
            None => Order::Any,
        },
        descending: time.is_some_and(|time| !time.format.is_reversed()),
        limit: None,
        ..selection
    };
    let plan = plan_known(schema, &selection, live)?;
    Ok((plan, time.is_some()))
}

/// The segment of the time, if the rows of each series are sorted by it, ascending or descending.
pub(super) fn time_in_order(schema: &ModelSchema) -> Option<&Segment> {
    let (at, time) = schema.key.time_segment()?;
    let ties = schema.key.first_tie_breaker();
    // Such a salt spreads a series over several shards.
    let spreads = |of: &usize| *of == at || ties.is_some_and(|ties| *of >= ties);
    let salted = schema
        .key
        .salt()
        .is_some_and(|(_, salt)| salt.of.iter().any(spreads));
    (time.format.sorts() && !salted && schema.table.by_period().is_none()).then_some(time)
}

/// The newest events of some series so far.
struct Newest<E> {
    schema: Schema,
    /// The index of each series, by the bytes of its identifiers.
    places: HashMap<Vec<u8>, usize>,
    /// The events of each series with their times and keys, newest first.
    events: Vec<Vec<(Option<Timestamp>, Bytes, E)>>,
    /// How many events of each series are wanted.
    n: usize,
    /// How many series have fewer so far.
    incomplete: usize,
    /// Whether events of one row come newest first.
    descending: bool,
}

impl<E> Newest<E> {
    fn new(schema: &Schema, keys: &[Bytes], n: u64, descending: bool) -> Result<Self, Error> {
        let places = keys.iter().zip(0..).map(|(key, place)| {
            let series = split(&schema.key, key);
            let (series, _) = series.map_err(|source| foreign(schema, key, source))?;
            Ok((series, place))
        });
        let n = usize::try_from(n).unwrap_or(usize::MAX);
        Ok(Self {
            schema: schema.clone(),
            places: places.collect::<Result<_, Error>>()?,
            events: keys.iter().map(|_| Vec::new()).collect(),
            n,
            incomplete: if n == 0 { 0 } else { keys.len() },
            descending,
        })
    }

    fn is_complete(&self) -> bool {
        self.incomplete == 0
    }

    /// Takes an event if it is among the newest of a wanted series.
    fn take(&mut self, row: &RowEvents, index: usize, event: E) -> Result<(), Error> {
        let series = split(&self.schema.key, row.key());
        let (series, _) = series.map_err(|source| foreign(&self.schema, row.key(), source))?;
        let events = self.places.get(&series);
        let Some(events) = events.and_then(|place| self.events.get_mut(*place)) else {
            return Ok(());
        };
        let time = row.time(index)?;
        let layout = &self.schema.key;
        let place = events.partition_point(|(other, key, _)| {
            let order = other.cmp(&time);
            match order.then_with(|| layout.compare_ties(key, row.key())) {
                // Both are in one row.
                Ordering::Equal => self.descending,
                order => order.is_gt(),
            }
        });
        if place >= self.n {
            return Ok(());
        }
        if events.len() == self.n {
            events.pop();
        } else {
            self.incomplete -= usize::from(events.len() + 1 == self.n);
        }
        events.insert(place, (time, row.shared_key(), event));
        Ok(())
    }

    fn into_events(self) -> Vec<Vec<E>> {
        let events = self.events.into_iter();
        events
            .map(|events| events.into_iter().map(|(_, _, event)| event).collect())
            .collect()
    }
}
