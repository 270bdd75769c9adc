//! Streams whose events have times: where operations on series begin.

use std::fmt;
use std::time::Duration;

use futures::{TryStream, stream};

use crate::{Error, Timestamp};

use super::aggregate::{Aggregate, Measured, Number};
use super::fill::{Fill, Filler, Point};
use super::grouping::{By, ByRun, Grouping, One, OneByOne};
use super::join::asof::{AsOf, AsOfJoin, Joined};
use super::join::zip::{Zip, Zipped};
use super::length::Length;
use super::moving::{Moved, Mover, Moving};
use super::results::{Fed, Pull, Results};
use super::windowed::{Window, Windower};
use super::windows::Windows;

/// Events in memory as a stream, to which every operation applies.
pub fn of<E>(
    events: impl IntoIterator<Item = E>,
) -> impl futures::Stream<Item = Result<E, Error>> + Unpin {
    stream::iter(events.into_iter().map(Ok))
}

/// Says of a stream of events when each of them was, which every operation on a series begins with.
///
/// It is implemented for each stream of `Result<E, Error>`: what a query's
/// [`stream`](crate::query::Query::stream) gives, what other operations give, and what [`of`] makes
/// of events in memory.
pub trait SeriesExt: TryStream<Error = Error> + Sized {
    /// The stream as one series whose events have these times.
    ///
    /// ```
    /// # use bigtable_model::Timestamp;
    /// use bigtable_model::series::{self, Length, SeriesExt as _, Windows, mean};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), bigtable_model::Error> {
    /// let readings = series::of([(0, 18.0), (30, 20.0), (90, 21.5)]); // or `Reading::query()...stream(&db)`
    /// let minutes = readings
    ///     .timed(|(second, _)| Timestamp::from_seconds(*second))
    ///     .windows(Windows::tumbling(Length::minutes(1)))
    ///     .aggregate(mean(|(_, celsius): &(i64, f64)| *celsius));
    /// let means: Vec<_> = minutes.fetch().await?.into_iter().map(|minute| minute.value).collect();
    /// assert_eq!(means, [Some(19.0), Some(21.5)]);
    /// # Ok(())
    /// # }
    /// ```
    fn timed<T: Fn(&Self::Ok) -> Timestamp>(self, time: T) -> Timed<Self, T> {
        Timed {
            feed: self,
            time,
            grouping: One,
        }
    }
}

impl<S: TryStream<Error = Error>> SeriesExt for S {}

/// A stream whose events have times, of one series or of many.
#[must_use = "nothing is read before an operation's results are polled"]
pub struct Timed<S, T, G = One> {
    feed: S,
    time: T,
    grouping: G,
}

impl<S, T> Timed<S, T>
where
    S: TryStream<Error = Error> + Unpin,
    T: Fn(&S::Ok) -> Timestamp,
{
    /// Each event belongs to the series that `series` names, and events of all series come in order
    /// of time, as those of a query do whose identifiers are all set. Memory is that of a window
    /// for each series, and results come in order of time.
    pub fn by<K, F>(self, series: F) -> Timed<S, T, By<F>>
    where
        K: Clone + Ord + fmt::Debug,
        F: Fn(&S::Ok) -> K,
    {
        self.grouped(By(series))
    }

    /// Each event belongs to the series that `series` names, and the events of one series, in order
    /// of time, come before those of the next, as those of a query do in order of keys that begin
    /// with the identifiers. Memory is that of one window, and the names of the series that are
    /// over: one that comes again is an error.
    pub fn by_run<K, F>(self, series: F) -> Timed<S, T, ByRun<F>>
    where
        K: Clone + Ord + fmt::Debug,
        F: Fn(&S::Ok) -> K,
    {
        self.grouped(ByRun(series))
    }

    fn grouped<G>(self, grouping: G) -> Timed<S, T, G> {
        Timed {
            feed: self.feed,
            time: self.time,
            grouping,
        }
    }

    /// Joins each event with the one of another series that was valid then: the last before it, the
    /// first after it or the nearest of both, at most `tolerance` away. An event at the same time
    /// is valid in each direction.
    ///
    /// Of events of the other series at one time, the last is before and the first is after; of two
    /// equally near, the earlier is taken. Two events of the other series are held.
    pub fn asof_join<R, U>(
        self,
        other: Timed<R, U>,
        direction: AsOf,
        tolerance: Duration,
    ) -> Results<impl Pull<Item = Joined<S::Ok, R::Ok>>>
    where
        R: TryStream<Error = Error, Ok: Clone> + Unpin,
        U: Fn(&R::Ok) -> Timestamp,
    {
        let (left, right) = ((self.feed, self.time), (other.feed, other.time));
        Results::new(AsOfJoin::new(left, right, direction, tolerance))
    }

    /// Pairs the events of two series whose times are at most `tolerance` apart; each is in one
    /// pair, or alone.
    ///
    /// The earliest events that are left of both series are a pair if they are near enough, and
    /// otherwise the earlier of them is alone. One event of each series is held.
    pub fn zip_by_time<R, U>(
        self,
        other: Timed<R, U>,
        tolerance: Duration,
    ) -> Results<impl Pull<Item = Zipped<S::Ok, R::Ok>>>
    where
        R: TryStream<Error = Error> + Unpin,
        U: Fn(&R::Ok) -> Timestamp,
    {
        let (left, right) = ((self.feed, self.time), (other.feed, other.time));
        Results::new(Zip::new(left, right, tolerance))
    }
}

impl<S, T, G> Timed<S, T, G>
where
    S: TryStream<Error = Error> + Unpin,
    T: Fn(&S::Ok) -> Timestamp,
    G: Grouping<S::Ok>,
{
    /// Cuts each series into windows.
    pub const fn windows(self, windows: Windows) -> InWindows<S, T, G> {
        InWindows {
            timed: self,
            windows,
        }
    }

    /// What moves along with each series: an average up to each event, or several as a tuple.
    pub fn moving<M: Moving<S::Ok>>(
        self,
        moving: M,
    ) -> Results<impl Pull<Item = Moved<S::Ok, M::Output, G::Series>>> {
        let mover = Mover::new(self.grouping, moving);
        Results::new(Fed::new(self.feed, self.time, mover))
    }

    /// The values of each series, and a [filled](Fill) one at the beginning of each step without
    /// any between the first and the last.
    ///
    /// Steps are durations counted from 1970, or single calendar units. Events keep their times,
    /// and those without a value are left out.
    pub fn gap_fill<V, F>(
        self,
        every: impl Into<Length>,
        fill: Fill,
        value: F,
    ) -> Results<impl Pull<Item = Point<G::Series>>>
    where
        G: OneByOne,
        V: Measured<Value: Number>,
        F: Fn(&S::Ok) -> V,
    {
        let filler = Filler::gaps(&every.into(), fill, self.grouping, value);
        Results::new(Fed::new(self.feed, self.time, filler))
    }

    /// The value of each series at the beginning of each step, from the first event to the last:
    /// the event's at that time, the last one of several, or a [filled](Fill) one.
    ///
    /// Steps are durations counted from 1970, or single calendar units. Events without a value are
    /// left out.
    pub fn resample<V, F>(
        self,
        every: impl Into<Length>,
        fill: Fill,
        value: F,
    ) -> Results<impl Pull<Item = Point<G::Series>>>
    where
        G: OneByOne,
        V: Measured<Value: Number>,
        F: Fn(&S::Ok) -> V,
    {
        let filler = Filler::grid(&every.into(), fill, self.grouping, value);
        Results::new(Fed::new(self.feed, self.time, filler))
    }
}

/// Series that are cut into windows, of which something is to be computed.
#[must_use = "nothing is read before an aggregate's results are polled"]
pub struct InWindows<S, T, G> {
    timed: Timed<S, T, G>,
    windows: Windows,
}

impl<S, T, G> InWindows<S, T, G>
where
    S: TryStream<Error = Error> + Unpin,
    T: Fn(&S::Ok) -> Timestamp,
    G: Grouping<S::Ok>,
{
    /// Computes an aggregate of each window, or several as a tuple.
    ///
    /// Windows of time come in order of their ends and then of the series, the others as they end.
    pub fn aggregate<A: Aggregate<S::Ok>>(
        self,
        aggregate: A,
    ) -> Results<impl Pull<Item = Window<A::Output, G::Series>>> {
        let timed = self.timed;
        let windower = Windower::new(&self.windows, timed.grouping, aggregate);
        Results::new(Fed::new(timed.feed, timed.time, windower))
    }
}

impl<S, T, G> fmt::Debug for Timed<S, T, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timed").finish_non_exhaustive()
    }
}

impl<S, T, G> fmt::Debug for InWindows<S, T, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InWindows")
            .field("windows", &self.windows)
            .finish_non_exhaustive()
    }
}
