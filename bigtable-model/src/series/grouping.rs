//! The series of an event, and the required order of a stream.

use std::collections::BTreeSet;
use std::fmt;

use crate::Timestamp;
use crate::error::SeriesError;

/// How events belong to series. There are three ways: one series ([`One`]), several series in time
/// order ([`By`]), and one series after another ([`ByRun`]).
pub trait Grouping<E> {
    /// The name of a series.
    type Series: Clone + Ord + fmt::Debug;

    /// Whether the series follow one another.
    #[doc(hidden)]
    const RUNS: bool;

    /// The series of an event.
    #[doc(hidden)]
    fn series(&self, event: &E) -> Self::Series;

    /// The series, if there is just one.
    #[doc(hidden)]
    fn only() -> Option<Self::Series> {
        None
    }

    /// The name of a series, if there are several.
    #[doc(hidden)]
    fn name(series: &Self::Series) -> Option<String> {
        Some(format!("{series:?}"))
    }
}

/// All events belong to one series.
#[derive(Debug, Clone, Copy)]
pub struct One;

/// Events of several series in time order.
#[derive(Clone, Copy)]
pub struct By<F>(pub(super) F);

/// Events of several series, one series after another.
#[derive(Clone, Copy)]
pub struct ByRun<F>(pub(super) F);

impl<E> Grouping<E> for One {
    type Series = ();
    const RUNS: bool = false;

    #[inline]
    fn series(&self, _event: &E) {}

    fn only() -> Option<()> {
        Some(())
    }

    fn name((): &()) -> Option<String> {
        None
    }
}

impl<E, K: Clone + Ord + fmt::Debug, F: Fn(&E) -> K> Grouping<E> for By<F> {
    type Series = K;
    const RUNS: bool = false;

    fn series(&self, event: &E) -> K {
        (self.0)(event)
    }
}

impl<E, K: Clone + Ord + fmt::Debug, F: Fn(&E) -> K> Grouping<E> for ByRun<F> {
    type Series = K;
    const RUNS: bool = true;

    fn series(&self, event: &E) -> K {
        (self.0)(event)
    }
}

impl<F> fmt::Debug for By<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("By")
    }
}

impl<F> fmt::Debug for ByRun<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ByRun")
    }
}

/// The position in a stream: it detects events that are out of order, and where the next series
/// begins.
pub(super) struct Course<K> {
    /// The time of the last event, in the current run if series follow one another.
    pub(super) last: Timestamp,
    /// The series of the current run.
    run: Option<K>,
    /// The series of completed runs.
    over: BTreeSet<K>,
}

/// The relation of an event to the previous one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Follows {
    /// It continues the run.
    On,
    /// It is the first of the next series: the previous one is over.
    NextRun,
}

impl<K: Clone + Ord> Course<K> {
    pub(super) const fn new() -> Self {
        Self {
            last: Timestamp::MIN,
            run: None,
            over: BTreeSet::new(),
        }
    }

    /// How an event follows the previous one, without a change of state; see
    /// [`take`](Course::take).
    #[inline]
    pub(super) fn follows<E, G: Grouping<E, Series = K>>(
        &self,
        series: &K,
        at: Timestamp,
    ) -> Result<Follows, SeriesError> {
        if G::RUNS && self.run.as_ref() != Some(series) {
            if self.over.contains(series) {
                return Err(SeriesError::Again {
                    series: G::name(series).unwrap_or_default(),
                });
            }
            return Ok(match self.run {
                Some(_) => Follows::NextRun,
                None => Follows::On,
            });
        }
        if at < self.last {
            return Err(SeriesError::Unordered {
                at,
                after: self.last,
                series: G::name(series).filter(|_| G::RUNS),
            });
        }
        Ok(Follows::On)
    }

    /// Ends the current run.
    pub(super) fn end_run(&mut self) {
        self.over.extend(self.run.take());
        self.last = Timestamp::MIN;
    }

    /// Takes the next event.
    #[inline]
    pub(super) fn take<E, G: Grouping<E, Series = K>>(&mut self, series: &K, at: Timestamp) {
        if G::RUNS && self.run.is_none() {
            self.run = Some(series.clone());
        }
        self.last = at;
    }
}
