//! The windows of one series.

use crate::Timestamp;
use crate::error::SeriesError;

use super::aggregate::{Aggregate, Frame};
use super::grid::{Cell, Grid};
use super::panes::{Pane, Panes};
use super::windows::{Cut, Hops};

/// A window without the name of its series.
pub(super) struct Closed<O> {
    pub(super) start: Timestamp,
    pub(super) end: Timestamp,
    pub(super) events: u64,
    pub(super) value: O,
}

/// The open windows of one series.
pub(super) struct Lane<S> {
    /// The cell of the last event, for windows of time; for windows by count, its number is
    /// `now.at`.
    cell: Option<Cell>,
    /// The events of the last event's cell.
    now: Option<Pane<S>>,
    /// The earlier cells of the open windows.
    panes: Panes<S>,
    /// What is carried from events before the windows.
    before: S,
    /// The next window ends before the cell with this index; `None` if no window is open.
    end: Option<i64>,
    /// The number of events, for windows by count.
    events: u64,
    /// The number of events since the last window.
    since: u64,
    /// The time of the last event.
    last: Timestamp,
}

impl<S: Clone> Lane<S> {
    pub(super) fn new<E, A: Aggregate<E, State = S>>(aggregate: &A) -> Self {
        Self {
            cell: None,
            now: None,
            panes: Panes::new(),
            before: aggregate.start(),
            end: None,
            events: 0,
            since: 0,
            last: Timestamp::MIN,
        }
    }

    /// Begins, before any event, with the first window that touches a time.
    pub(super) fn begin_at(
        &mut self,
        grid: &Grid,
        steps: Hops,
        at: Timestamp,
    ) -> Result<(), SeriesError> {
        let cell = grid.cell(at)?;
        self.end = Some(steps.end_after(cell.index));
        self.cell = Some(cell);
        Ok(())
    }

    /// Whether a window of time is open.
    #[inline]
    pub(super) const fn is_under_way(&self) -> bool {
        self.end.is_some()
    }

    /// When the next window of time ends; `None` if none is open.
    pub(super) fn due(&self, cut: &Cut) -> Result<Option<Timestamp>, SeriesError> {
        match (cut, self.end, &self.cell) {
            (Cut::Cells { grid, .. }, Some(end), Some(cell)) => grid.start_at(end, cell).map(Some),
            _ => Ok(None),
        }
    }

    /// Adds an event, after all due windows were closed. It also closes windows that end with the
    /// event.
    #[inline]
    pub(super) fn add<E, A: Aggregate<E, State = S>>(
        &mut self,
        cut: &Cut,
        aggregate: &A,
        at: Timestamp,
        event: &E,
    ) -> Result<Option<Closed<A::Output>>, SeriesError> {
        let before = std::mem::replace(&mut self.last, at);
        match cut {
            Cut::Cells { grid, steps } => {
                match (&mut self.now, &self.cell) {
                    (Some(now), Some(cell)) if at < cell.end => now.add(aggregate, at, event),
                    _ => self.begin(grid, *steps, aggregate, at, event)?,
                }
                Ok(None)
            }
            Cut::Events { cell, steps } => Ok(self.count(*cell, *steps, aggregate, at, event)),
            Cut::Sliding { micros } => Ok(Some(self.slide(*micros, aggregate, at, event))),
            Cut::Session { micros } => {
                let gap = i128::from(at.as_micros()) - i128::from(before.as_micros());
                let closed = match gap > i128::from(*micros) {
                    true => self.close_session(aggregate, before),
                    false => None,
                };
                match &mut self.now {
                    Some(now) => now.add(aggregate, at, event),
                    None => self.now = Some(Pane::one(aggregate, 0, at, event)),
                }
                Ok(closed)
            }
        }
    }

    /// Closes the window whose last event was at `end`.
    fn close_session<E, A: Aggregate<E, State = S>>(
        &mut self,
        aggregate: &A,
        end: Timestamp,
    ) -> Option<Closed<A::Output>> {
        let all = self.now.take()?;
        let frame = Frame {
            start: all.first,
            end,
            before: &self.before,
        };
        let closed = Closed {
            start: all.first,
            end,
            events: all.events,
            value: aggregate.finish(&all.state, frame),
        };
        aggregate.carry(&mut self.before, &all.state);
        Some(closed)
    }

    /// Adds the first event of a cell.
    fn begin<E, A: Aggregate<E, State = S>>(
        &mut self,
        grid: &Grid,
        steps: Hops,
        aggregate: &A,
        at: Timestamp,
        event: &E,
    ) -> Result<(), SeriesError> {
        let cell = grid.cell(at)?;
        self.settle(aggregate);
        self.now = Some(Pane::one(aggregate, cell.index, at, event));
        self.end.get_or_insert(steps.end_after(cell.index));
        self.cell = Some(cell);
        Ok(())
    }

    /// Merges the events of the last cell into the earlier ones.
    fn settle<E, A: Aggregate<E, State = S>>(&mut self, aggregate: &A) {
        if let Some(now) = self.now.take() {
            self.panes.push(aggregate, now);
        }
    }

    /// Closes the due window; `None` if it has no event, unless empty windows are wanted.
    pub(super) fn close<E, A: Aggregate<E, State = S>>(
        &mut self,
        (grid, steps): (&Grid, Hops),
        empty: bool,
        aggregate: &A,
    ) -> Result<Option<Closed<A::Output>>, SeriesError> {
        let (Some(end), Some(cell)) = (self.end, self.cell) else {
            return Ok(None);
        };
        let frame = (
            grid.start_at(end.saturating_sub(steps.size), &cell)?,
            grid.start_at(end, &cell)?,
        );
        let closed = if steps.is_one() {
            let now = self.now.take();
            let closed = self.finish(aggregate, frame, now.as_ref(), empty);
            if let Some(now) = now {
                aggregate.carry(&mut self.before, &now.state);
            }
            closed
        } else {
            self.settle(aggregate);
            let first = end.saturating_sub(steps.size);
            self.panes.drop_before(aggregate, first, &mut self.before);
            let all = self.panes.merged(aggregate);
            self.finish(aggregate, frame, all.as_ref(), empty)
        };
        let goes_on = empty || self.now.is_some() || !self.panes.is_empty();
        self.end = goes_on.then(|| end.saturating_add(steps.step));
        Ok(closed)
    }

    /// Whether the next window begins after the last event of the stream, at `last`.
    pub(super) fn is_over(
        &self,
        (grid, steps): (&Grid, Hops),
        last: Timestamp,
    ) -> Result<bool, SeriesError> {
        let (Some(end), Some(cell)) = (self.end, self.cell) else {
            return Ok(true);
        };
        Ok(grid.start_at(end.saturating_sub(steps.size), &cell)? > last)
    }

    fn finish<E, A: Aggregate<E, State = S>>(
        &self,
        aggregate: &A,
        (start, end): (Timestamp, Timestamp),
        pane: Option<&Pane<S>>,
        empty: bool,
    ) -> Option<Closed<A::Output>> {
        // A day that a zone skips is not a window.
        if start == end || pane.is_none() && !empty {
            return None;
        }
        let none = aggregate.start();
        let frame = Frame {
            start,
            end,
            before: &self.before,
        };
        Some(Closed {
            start,
            end,
            events: pane.map_or(0, |pane| pane.events),
            value: aggregate.finish(pane.map_or(&none, |pane| &pane.state), frame),
        })
    }

    /// Adds an event to windows by count.
    fn count<E, A: Aggregate<E, State = S>>(
        &mut self,
        cell: u64,
        steps: Hops,
        aggregate: &A,
        at: Timestamp,
        event: &E,
    ) -> Option<Closed<A::Output>> {
        let index = i64::try_from(self.events / cell).unwrap_or(i64::MAX);
        match &mut self.now {
            Some(now) => now.add(aggregate, at, event),
            None => self.now = Some(Pane::one(aggregate, index, at, event)),
        }
        self.events += 1;
        self.since += 1;
        if !self.events.is_multiple_of(cell) {
            return None;
        }
        self.settle(aggregate);
        let end = self.end.unwrap_or_else(|| steps.end_after(0));
        let is_due = index + 1 == end;
        self.end = Some(if is_due { end + steps.step } else { end });
        if is_due {
            self.close_count(end - steps.size, aggregate)
        } else {
            // Events between windows are not needed.
            self.panes
                .drop_before(aggregate, end - steps.size, &mut self.before);
            None
        }
    }

    /// Closes a window by count, which begins with the cell `first`.
    fn close_count<E, A: Aggregate<E, State = S>>(
        &mut self,
        first: i64,
        aggregate: &A,
    ) -> Option<Closed<A::Output>> {
        self.since = 0;
        self.panes.drop_before(aggregate, first, &mut self.before);
        let all = self.panes.merged(aggregate)?;
        Some(self.closed_by_event(aggregate, all.first, &all))
    }

    /// The last window, if it ends with the series: a session, or a window by count, which may have
    /// fewer events. `None` if a window ended with the last event.
    pub(super) fn close_last<E, A: Aggregate<E, State = S>>(
        &mut self,
        cut: &Cut,
        aggregate: &A,
    ) -> Option<Closed<A::Output>> {
        match cut {
            Cut::Session { .. } => self.close_session(aggregate, self.last),
            Cut::Events { steps, .. } if self.since > 0 => {
                self.settle(aggregate);
                let end = self.end.unwrap_or_else(|| steps.end_after(0));
                self.close_count(end - steps.size, aggregate)
            }
            _ => None,
        }
    }

    /// Adds an event to sliding windows of a duration.
    fn slide<E, A: Aggregate<E, State = S>>(
        &mut self,
        micros: i64,
        aggregate: &A,
        at: Timestamp,
        event: &E,
    ) -> Closed<A::Output> {
        let pane = Pane::one(aggregate, at.as_micros(), at, event);
        self.panes.push(aggregate, pane);
        let start = at.as_micros().saturating_sub(micros);
        self.panes
            .drop_before(aggregate, start.saturating_add(1), &mut self.before);
        let all = self.panes.merged(aggregate);
        let all = all.unwrap_or_else(|| Pane::one(aggregate, at.as_micros(), at, event));
        self.closed_by_event(aggregate, Timestamp::from_micros(start), &all)
    }

    /// The window that ends with the last event.
    fn closed_by_event<E, A: Aggregate<E, State = S>>(
        &self,
        aggregate: &A,
        start: Timestamp,
        all: &Pane<S>,
    ) -> Closed<A::Output> {
        let frame = Frame {
            start,
            end: self.last,
            before: &self.before,
        };
        Closed {
            start,
            end: self.last,
            events: all.events,
            value: aggregate.finish(&all.state, frame),
        }
    }
}
