//! Fills in values that a series lacks.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use crate::aggregate::{Measured, Number};
use crate::error::SeriesError;
use crate::{Error, Timestamp};

use super::grid::{Cell, Grid};
use super::grouping::{Course, Follows, Grouping};
use super::length::Length;
use super::results::Machine;

/// The value of a series at a time without one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fill {
    /// No value.
    Null,
    /// The last value before.
    Previous,
    /// Interpolated between the values before and after, in proportion to time. Next to a NaN it is
    /// NaN.
    Linear,
    /// Always this one.
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
                // It does not overflow, unlike `before + (after - before) * share`.
                Some(before.value * (1.0 - share) + after.value * share)
            }
        }
    }
}

/// Fills the gaps of series, or takes their values on a grid.
pub(super) struct Filler<E, G: Grouping<E>, F> {
    grid: Result<Grid, SeriesError>,
    fill: Fill,
    /// Whether only values on the grid are wanted.
    only_grid: bool,
    grouping: G,
    value: F,
    course: Course<G::Series>,
    /// The current series.
    under_way: Option<UnderWay<G::Series>>,
    events: PhantomData<fn(E)>,
}

struct UnderWay<K> {
    series: K,
    /// The last value.
    last: Known,
    /// The first cell that needs a value: for gaps, a cell without any value; for a grid, a cell
    /// without a value at its beginning.
    next: Cell,
}

impl<E, G: Grouping<E>, F> Filler<E, G, F> {
    pub(super) fn gaps(every: &Length, fill: Fill, grouping: G, value: F) -> Self {
        let grid = Grid::of(every, &format!("a grid of {every}"));
        Self::new(grid, false, fill, grouping, value)
    }

    pub(super) fn grid(every: &Length, fill: Fill, grouping: G, value: F) -> Self {
        let grid = Grid::of(every, &format!("a grid of {every}"));
        Self::new(grid, true, fill, grouping, value)
    }

    const fn new(
        grid: Result<Grid, SeriesError>,
        only_grid: bool,
        fill: Fill,
        grouping: G,
        value: F,
    ) -> Self {
        Self {
            grid,
            fill,
            only_grid,
            grouping,
            value,
            course: Course::new(),
            under_way: None,
            events: PhantomData,
        }
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

    /// The value at the beginning of the next cell, if that is before a known value.
    fn fill_before(&mut self, known: Known) -> Result<Option<Point<G::Series>>, SeriesError> {
        let grid = self.grid.as_ref().map_err(SeriesError::clone)?;
        let Some(UnderWay { series, last, next }) = &mut self.under_way else {
            return Ok(None);
        };
        let at = next.start;
        let is_before = if self.only_grid {
            at < known.at
        } else {
            next.end <= known.at
        };
        if !is_before {
            return Ok(None);
        }
        *next = grid.next(next)?;
        let filled = at != last.at;
        let value = if filled {
            self.fill.between(*last, known, at)
        } else {
            Some(last.value)
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
        match &mut self.under_way {
            Some(under_way) => {
                under_way.last = known;
                if !self.only_grid && under_way.next.start <= known.at {
                    under_way.next = grid.next(&under_way.next)?;
                }
            }
            None => {
                let cell = grid.cell(known.at)?;
                let has_value = !self.only_grid || cell.start < known.at;
                self.under_way = Some(UnderWay {
                    series: series.clone(),
                    last: known,
                    next: if has_value { grid.next(&cell)? } else { cell },
                });
            }
        }
        Ok(())
    }

    /// Ends the current series: its last value may be on the grid.
    fn end_series(&mut self) -> Option<Point<G::Series>> {
        let UnderWay { series, last, next } = self.under_way.take()?;
        (self.only_grid && next.start == last.at).then_some(Point {
            series,
            at: last.at,
            value: Some(last.value),
            filled: false,
        })
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
            self.course.end_run();
            return Ok(self.end_series());
        }
        match self.known(at, event) {
            Some(known) => Ok(self.fill_before(known)?),
            None => Ok(None),
        }
    }

    fn take(&mut self, at: Timestamp, event: E) -> Result<Option<Self::Item>, Error> {
        let series = self.grouping.series(&event);
        self.course.take::<E, G>(&series, at);
        let Some(known) = self.known(at, &event) else {
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
        Ok(self.end_series())
    }
}
