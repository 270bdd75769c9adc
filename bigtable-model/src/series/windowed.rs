//! Windows over a stream.

use std::collections::{BTreeMap, BTreeSet};
use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use crate::error::SeriesError;
use crate::{Error, Timestamp};

use super::aggregate::Aggregate;
use super::grouping::{Course, Follows, Grouping};
use super::hours::Hours;
use super::lane::{Closed, Lane};
use super::results::Machine;
use super::windows::{Cut, Windows};

/// A window of a series, and its aggregate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window<V, K = ()> {
    /// The series; `()` if the stream is one series.
    pub series: K,
    /// The start: for windows by count and sessions, the time of the first event. It is inclusive
    /// for windows of time, except sliding ones.
    pub start: Timestamp,
    /// The end. It is exclusive for windows of time; for windows by count, sliding ones and
    /// sessions, it is the time of the last event.
    pub end: Timestamp,
    /// The number of events.
    pub events: u64,
    /// The aggregate of the events.
    pub value: V,
}

/// A window over a series of events, with the output of an aggregate.
type WindowOf<E, G, A> = Window<<A as Aggregate<E>>::Output, <G as Grouping<E>>::Series>;

/// Divides a stream's series into windows.
pub(super) struct Windower<E, G: Grouping<E>, A: Aggregate<E>> {
    cut: Result<Cut, SeriesError>,
    empty: bool,
    /// The range that the windows of each series cover.
    over: Option<(Timestamp, Timestamp)>,
    during: Option<Hours>,
    /// Whether a series has begun.
    begun: bool,
    aggregate: A,
    grouping: G,
    course: Course<G::Series>,
    lanes: BTreeMap<G::Series, Lane<A::State>>,
    /// The ends of the next windows, with their series.
    due: BTreeSet<(Timestamp, G::Series)>,
    /// The first of these times.
    next_due: Timestamp,
    /// The series of the next event.
    series: Option<G::Series>,
    /// Whether the next event is left out.
    left_out: bool,
    events: PhantomData<fn(E)>,
}

impl<E, G: Grouping<E>, A: Aggregate<E>> Windower<E, G, A> {
    pub(super) fn new(windows: &Windows, grouping: G, aggregate: A) -> Self {
        let checked = aggregate.check();
        Self {
            cut: checked.and_then(|()| windows.cut()),
            empty: windows.empty,
            over: windows.over,
            during: windows.during.clone(),
            begun: false,
            aggregate,
            grouping,
            course: Course::new(),
            lanes: BTreeMap::new(),
            due: BTreeSet::new(),
            next_due: Timestamp::MAX,
            series: None,
            left_out: false,
            events: PhantomData,
        }
    }

    /// Closes the next window that ends at or before a time; without a time, the next window.
    fn close_due(
        &mut self,
        at: Option<Timestamp>,
    ) -> Result<Option<WindowOf<E, G, A>>, SeriesError> {
        let cut = self.cut.as_ref().map_err(SeriesError::clone)?;
        let Cut::Cells { grid, steps } = cut else {
            return Ok(None);
        };
        let cells = (grid, *steps);
        let mut found = None;
        while found.is_none()
            && let Some((end, _)) = self.due.first()
            && at.is_none_or(|at| *end <= at)
            && let Some((_, series)) = self.due.pop_first()
            && let Some(lane) = self.lanes.get_mut(&series)
        {
            let last = match self.over {
                Some((_, end)) => Timestamp::from_micros(end.as_micros().saturating_sub(1)),
                None => self.course.last,
            };
            if at.is_none() && self.empty && lane.is_over(cells, last)? {
                continue;
            }
            let closed = lane.close(cells, self.empty, &self.aggregate)?;
            let is_wanted = |closed: &Closed<_>| match &self.during {
                Some(hours) => closed.events > 0 || hours.touch(closed.start, closed.end),
                None => true,
            };
            found = closed
                .filter(is_wanted)
                .map(|closed| window(closed, series.clone()));
            if let Some(due) = lane.due(cut)? {
                self.due.insert((due, series));
            }
        }
        self.next_due = match self.due.first() {
            Some((due, _)) => *due,
            None => Timestamp::MAX,
        };
        Ok(found)
    }

    /// Closes the next remaining window at the end of a stream or a run.
    fn close_rest(&mut self) -> Result<Option<WindowOf<E, G, A>>, SeriesError> {
        let found = self.close_due(None)?;
        if found.is_some() {
            return Ok(found);
        }
        while let Some((series, mut lane)) = self.lanes.pop_first() {
            if let Ok(cut) = &self.cut
                && let Some(closed) = lane.close_last(cut, &self.aggregate)
            {
                return Ok(Some(window(closed, series)));
            }
        }
        Ok(None)
    }

    /// Whether an event is left out.
    fn leaves_out(&self, at: Timestamp) -> bool {
        let outside = |(start, end): (Timestamp, Timestamp)| at < start || at >= end;
        self.over.is_some_and(outside)
            || self
                .during
                .as_ref()
                .is_some_and(|hours| !hours.contains(at))
    }

    /// Opens the windows of a series at the start of its range.
    fn open(&mut self, series: &G::Series) -> Result<(), SeriesError> {
        let Some((start, end)) = self.over else {
            return Ok(());
        };
        let cut = self.cut.as_ref().map_err(SeriesError::clone)?;
        let Cut::Cells { grid, steps } = cut else {
            return Ok(());
        };
        if self.lanes.contains_key(series) || start >= end {
            return Ok(());
        }
        let mut lane = Lane::new(&self.aggregate);
        lane.begin_at(grid, *steps, start)?;
        if let Some(due) = lane.due(cut)? {
            self.next_due = self.next_due.min(due);
            self.due.insert((due, series.clone()));
        }
        self.lanes.insert(series.clone(), lane);
        self.begun = true;
        Ok(())
    }
}

fn window<V, K>(closed: Closed<V>, series: K) -> Window<V, K> {
    Window {
        series,
        start: closed.start,
        end: closed.end,
        events: closed.events,
        value: closed.value,
    }
}

impl<E, G: Grouping<E>, A: Aggregate<E>> Machine<E> for Windower<E, G, A> {
    type Item = WindowOf<E, G, A>;

    #[inline]
    fn before(&mut self, at: Timestamp, event: &E) -> Result<Option<Self::Item>, Error> {
        let series = match self.series.take() {
            Some(series) => series,
            None => self.grouping.series(event),
        };
        let follows = self.course.follows::<E, G>(&series, at)?;
        if follows == Follows::NextRun {
            let found = self.close_rest()?;
            if found.is_some() {
                self.series = Some(series);
                return Ok(found);
            }
            self.course.end_run();
        }
        self.left_out = self.leaves_out(at);
        if !self.left_out {
            self.open(&series)?;
        }
        self.series = Some(series);
        match self.left_out || at < self.next_due {
            true => Ok(None),
            false => Ok(self.close_due(Some(at))?),
        }
    }

    #[inline]
    fn take(&mut self, at: Timestamp, event: E) -> Result<Option<Self::Item>, Error> {
        let series = match self.series.take() {
            Some(series) => series,
            None => self.grouping.series(&event),
        };
        self.course.take::<E, G>(&series, at);
        if self.left_out {
            return Ok(None);
        }
        let cut = self.cut.as_ref().map_err(SeriesError::clone)?;
        let aggregate = &self.aggregate;
        let lane = match self.lanes.get_mut(&series) {
            Some(lane) => lane,
            None => (self.lanes.entry(series.clone())).or_insert_with(|| Lane::new(aggregate)),
        };
        let is_under_way = lane.is_under_way();
        if let Some(closed) = lane.add(cut, aggregate, at, &event)? {
            return Ok(Some(window(closed, series)));
        }
        if !is_under_way && let Some(due) = lane.due(cut)? {
            self.next_due = self.next_due.min(due);
            self.due.insert((due, series));
        }
        Ok(None)
    }

    fn end(&mut self) -> Result<Option<Self::Item>, Error> {
        // A single series is known without any event.
        if !self.begun
            && let Some(series) = G::only()
        {
            self.open(&series)?;
        }
        Ok(self.close_rest()?)
    }
}
