//! The newest events of each series.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

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
        let slots = Slots::new(RowEvents::read::<P>);
        let keep = |free, row: &RowEvents, index| slots.keep(free, row, index);
        let (keys, newest) =
            newest_of_each(backend, M::SCHEMA, selection, n, bad_rows, &keep).await?;
        let mut each = Vec::with_capacity(keys.len());
        for (key, newest) in keys.iter().zip(&newest) {
            each.push((series_of::<M>(key)?, slots.take(newest)));
        }
        Ok(each)
    }
}

/// Makes something of an event and keeps it: in this slot, which is free, or in a new one. Returns
/// the number of the slot.
pub(super) type Keep<'a> =
    dyn Fn(Option<usize>, &RowEvents, usize) -> Result<usize, Error> + Send + Sync + 'a;

/// What is made of the events of many series, each in a slot with a number. What decides which
/// events are wanted knows only the numbers, so that it is compiled once for all models.
pub(super) struct Slots<E, R> {
    kept: Mutex<Vec<Option<E>>>,
    read: R,
}

impl<E, R: Fn(&RowEvents, usize) -> Result<E, Error>> Slots<E, R> {
    pub(super) fn new(read: R) -> Self {
        Self {
            kept: Mutex::default(),
            read,
        }
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Option<E>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// See [`Keep`].
    pub(super) fn keep(
        &self,
        free: Option<usize>,
        row: &RowEvents,
        index: usize,
    ) -> Result<usize, Error> {
        let event = Some((self.read)(row, index)?);
        let mut kept = self.kept();
        let slot = free.unwrap_or(kept.len());
        match kept.get_mut(slot) {
            Some(place) => *place = event,
            None => kept.push(event),
        }
        Ok(slot)
    }

    /// What is in these slots.
    pub(super) fn take(&self, slots: &[usize]) -> Vec<E> {
        let mut kept = self.kept();
        let mut taken = Vec::with_capacity(slots.len());
        for slot in slots {
            if let Some(event) = kept.get_mut(*slot).and_then(Option::take) {
                taken.push(event);
            }
        }
        taken
    }
}

/// The key of one row of each series, and the slots of the newest events of each.
pub(super) async fn newest_of_each(
    backend: &dyn Backend,
    schema: &Schema,
    selection: Selection,
    n: u64,
    bad_rows: &BadRows,
    keep: &Keep<'_>,
) -> Result<(Vec<Bytes>, Vec<Vec<usize>>), Error> {
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
        keep,
    };
    let newest = asked.newest(&keys).await?;
    Ok((keys, newest))
}

/// What to read of each series.
pub(super) struct Asked<'a> {
    pub(super) backend: &'a dyn Backend,
    pub(super) schema: Schema,
    pub(super) selection: Selection,
    /// How many events of each series.
    pub(super) n: u64,
    /// The existing tables, if tables are by period.
    pub(super) live: Option<&'a [String]>,
    pub(super) bad_rows: &'a BadRows,
    pub(super) keep: &'a Keep<'a>,
}

impl Asked<'_> {
    /// The slots of the newest events of the series of each key.
    pub(super) async fn newest(&self, keys: &[Bytes]) -> Result<Vec<Vec<usize>>, Error> {
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
    async fn one_by_one(&self, keys: &[Bytes]) -> Result<Vec<Vec<usize>>, Error> {
        let newest = keys.iter().map(|key| self.of_one(key));
        let newest: Vec<_> = newest.collect();
        futures::stream::iter(newest)
            .buffered(AT_ONCE)
            .try_collect()
            .await
    }

    async fn of_one(&self, key: &Bytes) -> Result<Vec<usize>, Error> {
        let selection = of_series(&self.schema, &self.selection, key, self.n)?;
        let plan = plan_known(&self.schema, &selection, self.live)?;
        let mut events = events(self.backend, &self.schema, plan, self.bad_rows)?;
        let mut newest = Vec::new();
        while let Some(next) = events
            .next(|row, index| (self.keep)(None, row, index))
            .await
        {
            newest.push(next?);
        }
        Ok(newest)
    }

    /// The newest events of the series of each key, by one query for all of them.
    async fn in_one_pass(&self, keys: &[Bytes]) -> Result<Vec<Vec<usize>>, Error> {
        let selection = self.selection.clone();
        let (plan, newest_first) = plan_of_all(&self.schema, selection, self.live)?;
        let mut newest = Newest::new(&self.schema, keys, self.n, plan.descending)?;
        let mut events = events(self.backend, &self.schema, plan, self.bad_rows)?;
        let mut row_at_hand = Bytes::new();
        let mut free = None;
        while let Some(next) = events
            .next(|row, index| (self.keep)(free, row, index))
            .await
        {
            let slot = next?;
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
            free = newest.take(row, index, slot)?;
        }
        Ok(newest.into_slots())
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
struct Newest {
    schema: Schema,
    /// The index of each series, by the bytes of its identifiers.
    places: HashMap<Vec<u8>, usize>,
    /// The slots of each series' events with their times and keys, newest first.
    events: Vec<Vec<(Option<Timestamp>, Bytes, usize)>>,
    /// How many events of each series are wanted.
    n: usize,
    /// How many series have fewer so far.
    incomplete: usize,
    /// Whether events of one row come newest first.
    descending: bool,
}

impl Newest {
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

    /// Takes an event if it is among the newest of a wanted series, and returns the slot of the one
    /// that is left out.
    fn take(&mut self, row: &RowEvents, index: usize, slot: usize) -> Result<Option<usize>, Error> {
        let key = row.key_at(index);
        let series = split(&self.schema.key, key);
        let (series, _) = series.map_err(|source| foreign(&self.schema, key, source))?;
        let events = self.places.get(&series);
        let Some(events) = events.and_then(|place| self.events.get_mut(*place)) else {
            return Ok(Some(slot));
        };
        let time = row.time(index)?;
        let layout = &self.schema.key;
        let place = events.partition_point(|(other, other_key, _)| {
            let order = other.cmp(&time);
            match order.then_with(|| layout.compare_ties(other_key, key)) {
                // Both are in one row.
                Ordering::Equal => self.descending,
                order => order.is_gt(),
            }
        });
        if place >= self.n {
            return Ok(Some(slot));
        }
        let left_out = match events.len() == self.n {
            true => events.pop().map(|(_, _, slot)| slot),
            false => {
                self.incomplete -= usize::from(events.len() + 1 == self.n);
                None
            }
        };
        events.insert(place, (time, row.shared_key_at(index), slot));
        Ok(left_out)
    }

    fn into_slots(self) -> Vec<Vec<usize>> {
        let events = self.events.into_iter();
        events
            .map(|events| events.into_iter().map(|(_, _, slot)| slot).collect())
            .collect()
    }
}
