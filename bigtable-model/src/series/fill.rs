//! Fills in values that a series lacks.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::ops::Range;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::aggregate::{Measured, Number};
use crate::error::SeriesError;
use crate::{Error, Timestamp};

use super::grid::{Cell, Grid};
use super::grouping::{Course, Follows, Grouping};
use super::length::Length;
use super::results::Machine;

/// How to fill in the value of a series at a time without one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fill {
    /// No value.
    Null,
    /// The last value before.
    Previous,
    /// Linear interpolation in time between the values before and after; NaN next to a NaN.
    Linear,
    /// Always this value.
    Value(f64),
}

/// The value of a series at a time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point<K = ()> {
    /// The series; `()` if the stream is one series.
    pub series: K,
    /// The time.
    pub at: Timestamp,
    /// The value; `None` if it is filled with [`Fill::Null`].
    pub value: Option<f64>,
    /// Whether the value was filled in.
    pub filled: bool,
}

/// A value that was measured.
#[derive(Debug, Clone, Copy)]
struct Known {
    at: Timestamp,
    value: f64,
}

impl Fill {
    /// The value at a time with no known value after it, or none before it.
    const fn beside(self, before: Option<Known>) -> Option<f64> {
        match (self, before) {
            (Self::Previous, Some(before)) => Some(before.value),
            (Self::Value(value), _) => Some(value),
            (Self::Null | Self::Previous | Self::Linear, _) => None,
        }
    }

    /// The value at a time between two known ones.
    fn between(self, before: Known, after: Known, at: Timestamp) -> Option<f64> {
        match self {
            Self::Null => None,
            Self::Previous => Some(before.value),
            Self::Value(value) => Some(value),
            Self::Linear => {
                let micros = |from: Timestamp, to: Timestamp| {
                    (i128::from(to.as_micros()) - i128::from(from.as_micros())) as f64
                };
                let share = micros(before.at, at) / micros(before.at, after.at);
                // This cannot overflow, unlike `before + (after - before) * share`.
                Some(before.value * (1.0 - share) + after.value * share)
            }
        }
    }
}

/// The steps of a grid, and the range of time that its points cover.
///
/// A [`Length`] is a step of a grid from the first event to the last.
///
/// ```
/// # use bigtable_model::Timestamp;
/// use bigtable_model::series::{self, Fill, Length, SeriesExt as _};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), bigtable_model::Error> {
/// let at = Timestamp::from_seconds;
/// let points = series::of([(70, 21.5)])
///     .timed(|(second, _)| Timestamp::from_seconds(*second))
///     .resample(Length::minutes(1).over(at(0)..at(240)), Fill::Previous, |(_, celsius)| *celsius);
/// let values: Vec<_> = points.fetch().await?.into_iter().map(|point| point.value).collect();
/// assert_eq!(values, [None, None, Some(21.5), Some(21.5)]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Steps {
    every: Length,
    over: Option<(Timestamp, Timestamp)>,
}

impl Length {
    /// Steps of this length over a range of time: each has a point, even before the first event and
    /// after the last one, and in a stream of one series even if there are no events. Events
    /// outside the range are left out.
    #[must_use]
    pub fn over(self, range: Range<impl Into<Timestamp>>) -> Steps {
        Steps {
            every: self,
            over: Some((range.start.into(), range.end.into())),
        }
    }
}

impl From<Length> for Steps {
    fn from(every: Length) -> Self {
        Self { every, over: None }
    }
}

impl From<Duration> for Steps {
    fn from(every: Duration) -> Self {
        Length::from(every).into()
    }
}

/// Fills the gaps of series, or takes their values on a grid.
pub(super) struct Filler<E, G: Grouping<E>, F> {
    grid: Result<Grid, SeriesError>,
    /// The range that points cover.
    over: Option<(Timestamp, Timestamp)>,
    fill: Fill,
    /// Whether only values on the grid are wanted.
    only_grid: bool,
    grouping: G,
    value: F,
    course: Course<G::Series>,
    /// The series that have begun and not ended: the current one, or all series of a stream in time
    /// order.
    under_way: BTreeMap<G::Series, UnderWay>,
    /// Whether a series has begun.
    begun: bool,
    events: PhantomData<fn(E)>,
}

struct UnderWay {
    /// The last value.
    last: Option<Known>,
    /// The first cell that needs a value: for gaps, a cell without any value; for a grid, a cell
    /// without a value at its start.
    next: Cell,
}

impl<E, G: Grouping<E>, F> Filler<E, G, F> {
    pub(super) fn gaps(steps: Steps, fill: Fill, grouping: G, value: F) -> Self {
        Self::new(steps, false, fill, grouping, value)
    }

    pub(super) fn grid(steps: Steps, fill: Fill, grouping: G, value: F) -> Self {
        Self::new(steps, true, fill, grouping, value)
    }

    fn new(
        Steps { every, over }: Steps,
        only_grid: bool,
        fill: Fill,
        grouping: G,
        value: F,
    ) -> Self {
        Self {
            grid: Grid::of(&every, &format!("a grid of {every}")),
            over,
            fill,
            only_grid,
            grouping,
            value,
            course: Course::new(),
            under_way: BTreeMap::new(),
            begun: false,
            events: PhantomData,
        }
    }

    /// Whether an event is in the range.
    fn covers(&self, at: Timestamp) -> bool {
        self.over.is_none_or(|(start, end)| start <= at && at < end)
    }

    /// The measured value of an event.
    fn known<V>(&self, at: Timestamp, event: &E) -> Option<Known>
    where
        V: Measured<Value: Number>,
        F: Fn(&E) -> V,
    {
        let value = (self.value)(event).into()?.to_f64();
        Some(Known { at, value })
    }

    /// Begins a series at the start of its range.
    fn open(&mut self, series: G::Series) -> Result<(), SeriesError> {
        let grid = self.grid.as_ref().map_err(SeriesError::clone)?;
        let Some((start, _)) = self.over else {
            return Ok(());
        };
        let cell = grid.cell(start)?;
        let next = match cell.start == start {
            true => cell,
            false => grid.next(&cell)?,
        };
        self.under_way.insert(series, UnderWay { last: None, next });
        self.begun = true;
        Ok(())
    }

    /// The value at the start of a series' next cell, if that is before a known value.
    fn fill_before(
        &mut self,
        series: &G::Series,
        known: Known,
    ) -> Result<Option<Point<G::Series>>, SeriesError> {
        let is_before = |next: &Cell| match self.only_grid {
            true => next.start < known.at,
            false => next.end <= known.at,
        };
        match self.under_way.get(series) {
            Some(UnderWay { next, .. }) if is_before(next) => self.fill_next(series, Some(known)),
            _ => Ok(None),
        }
    }

    /// The value at the start of a series' next cell, with this known value after it.
    fn fill_next(
        &mut self,
        series: &G::Series,
        after: Option<Known>,
    ) -> Result<Option<Point<G::Series>>, SeriesError> {
        let grid = self.grid.as_ref().map_err(SeriesError::clone)?;
        let Some(UnderWay { last, next }) = self.under_way.get_mut(series) else {
            return Ok(None);
        };
        let at = next.start;
        *next = grid.next(next)?;
        let (value, filled) = match (*last, after) {
            (Some(last), _) if last.at == at => (Some(last.value), false),
            (Some(last), Some(after)) => (self.fill.between(last, after, at), true),
            (last, _) => (self.fill.beside(last), true),
        };
        Ok(Some(Point {
            series: series.clone(),
            at,
            value,
            filled,
        }))
    }

    /// Takes a value; all cells before it are filled.
    fn take_known(&mut self, series: &G::Series, known: Known) -> Result<(), SeriesError> {
        let grid = self.grid.as_ref().map_err(SeriesError::clone)?;
        if let Some(under_way) = self.under_way.get_mut(series) {
            under_way.last = Some(known);
            if !self.only_grid && under_way.next.start <= known.at {
                under_way.next = grid.next(&under_way.next)?;
            }
            return Ok(());
        }
        let cell = grid.cell(known.at)?;
        let has_value = !self.only_grid || cell.start < known.at;
        let under_way = UnderWay {
            last: Some(known),
            next: if has_value { grid.next(&cell)? } else { cell },
        };
        self.under_way.insert(series.clone(), under_way);
        Ok(())
    }

    /// The remaining points of begun series after their last events, one by one: up to the end of
    /// their range, or the last value if it is on the grid.
    fn after_last(&mut self) -> Result<Option<Point<G::Series>>, SeriesError> {
        while let Some((series, UnderWay { last, next })) = self.under_way.first_key_value() {
            let is_last = self.only_grid && last.is_some_and(|last| last.at == next.start);
            let goes_on = self.over.map_or(is_last, |(_, end)| next.start < end);
            let series = series.clone();
            let point = match goes_on {
                true => self.fill_next(&series, None)?,
                false => None,
            };
            if point.is_none() || self.over.is_none() {
                self.under_way.remove(&series);
            }
            if point.is_some() {
                return Ok(point);
            }
        }
        Ok(None)
    }
}

impl<E, G, V, F> Machine<E> for Filler<E, G, F>
where
    G: Grouping<E>,
    V: Measured<Value: Number>,
    F: Fn(&E) -> V,
{
    type Item = Point<G::Series>;

    fn before(&mut self, at: Timestamp, event: &E) -> Result<Option<Self::Item>, Error> {
        let series = self.grouping.series(event);
        if self.course.follows::<E, G>(&series, at)? == Follows::NextRun {
            if let Some(point) = self.after_last()? {
                return Ok(Some(point));
            }
            self.course.end_run();
        }
        if !self.covers(at) {
            return Ok(None);
        }
        if !self.under_way.contains_key(&series) {
            self.open(series.clone())?;
        }
        match self.known(at, event) {
            Some(known) => Ok(self.fill_before(&series, known)?),
            None => Ok(None),
        }
    }

    fn take(&mut self, at: Timestamp, event: E) -> Result<Option<Self::Item>, Error> {
        let series = self.grouping.series(&event);
        self.course.take::<E, G>(&series, at);
        let Some(known) = self.known(at, &event).filter(|_| self.covers(at)) else {
            return Ok(None);
        };
        self.take_known(&series, known)?;
        Ok((!self.only_grid).then_some(Point {
            series,
            at,
            value: Some(known.value),
            filled: false,
        }))
    }

    fn end(&mut self) -> Result<Option<Self::Item>, Error> {
        self.grid.as_ref().map_err(SeriesError::clone)?;
        // A single series is known without any event.
        if !self.begun
            && let Some(series) = G::only()
        {
            self.open(series)?;
        }
        Ok(self.after_last()?)
    }
}
