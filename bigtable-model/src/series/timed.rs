//! Streams of events with times, the start of operations on series.

use std::fmt;
use std::time::Duration;

use futures::{TryStream, stream};

use crate::aggregate::{Measured, Number};
use crate::{Error, Timestamp};

use super::aggregate::Aggregate;
use super::fill::{Fill, Filler, Point, Steps};
use super::grouping::{By, ByRun, Grouping, One};
use super::join::asof::{AsOf, AsOfJoin, Joined};
use super::join::each::EachAsOf;
use super::join::zip::{Zip, Zipped};
use super::moving::{Moved, Mover, Moving};
use super::results::{Fed, Pull, Results};
use super::windowed::{Window, Windower};
use super::windows::Windows;

/// A stream of events in memory, for any operation.
pub fn of<E>(
    events: impl IntoIterator<Item = E>,
) -> impl futures::Stream<Item = Result<E, Error>> + Unpin {
    stream::iter(events.into_iter().map(Ok))
}

/// Sets the times of a stream's events: every operation on a series begins with it.
///
/// It is implemented for any stream of `Result<E, Error>`: the results of a query's
/// [`stream`](crate::BackendExt::stream) or of other operations, and events in memory from
/// [`of`].
pub trait SeriesExt: TryStream<Error = Error> + Sized {
    /// The stream as one series, with these times of its events.
    ///
    /// ```
    /// # use bigtable_model::Timestamp;
    /// use bigtable_model::series::{self, Length, SeriesExt as _, Windows, mean};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), bigtable_model::Error> {
    /// let readings = series::of([(0, 18.0), (30, 20.0), (90, 21.5)]); // or `db.stream(&query)`
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

/// A stream of events with times, of one or several series.
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
    /// Assigns each event to the series that `series` names. Events of all series come in time
    /// order, as from a query whose identifiers are all set. It holds one window for each series in
    /// memory, and results come in time order.
    pub fn by<K, F>(self, series: F) -> Timed<S, T, By<F>>
    where
        K: Clone + Ord + fmt::Debug,
        F: Fn(&S::Ok) -> K,
    {
        self.grouped(By(series))
    }

    /// Assigns each event to the series that `series` names. The events of a series come in time
    /// order, before those of the next series, as from a query in key order whose keys begin with
    /// the identifiers. It holds one window and the names of completed series in memory; a series
    /// that starts again fails.
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

    /// Joins each event with the event of another series that was valid at its time: the last
    /// before it, the first after it or the nearest, at most `tolerance` away. An event at the same
    /// time is valid in each direction.
    ///
    /// If the other series has several events at one time, the last one is used if that time is
    /// before, and the first one if it is after; of two equally near events, the earlier is used.
    /// Two events of the other series are held in memory.
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

    /// Pairs events of two series whose times are at most `tolerance` apart; each event is in one
    /// pair or is single.
    ///
    /// The earliest remaining events of both series are a pair if they are near enough; otherwise
    /// the earlier one is single. One event of each series is held in memory.
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

impl<S, T, F> Timed<S, T, By<F>>
where
    S: TryStream<Error = Error> + Unpin,
    T: Fn(&S::Ok) -> Timestamp,
{
    /// Joins each event with the last event, not later and at most `tolerance` before, of the
    /// series with the same name in another stream: trades of all symbols with their quotes. Both
    /// streams are in order of time. It holds one event of each series in memory, so it only joins
    /// [backward](AsOf::Backward).
    pub fn asof_join<R, U, O, K>(
        self,
        other: Timed<R, U, By<O>>,
        direction: AsOf,
        tolerance: Duration,
    ) -> Results<impl Pull<Item = Joined<S::Ok, R::Ok>>>
    where
        F: Fn(&S::Ok) -> K,
        R: TryStream<Error = Error, Ok: Clone> + Unpin,
        U: Fn(&R::Ok) -> Timestamp,
        O: Fn(&R::Ok) -> K,
        K: Ord,
    {
        let left = (self.feed, self.time, self.grouping.0);
        let right = (other.feed, other.time, other.grouping.0);
        Results::new(EachAsOf::new(left, right, direction, tolerance))
    }
}

impl<S, T, G> Timed<S, T, G>
where
    S: TryStream<Error = Error> + Unpin,
    T: Fn(&S::Ok) -> Timestamp,
    G: Grouping<S::Ok>,
{
    /// Divides each series into windows.
    pub const fn windows(self, windows: Windows) -> InWindows<S, T, G> {
        InWindows {
            timed: self,
            windows,
        }
    }

    /// Computes a moving average of each series, or several as a tuple.
    pub fn moving<M: Moving<S::Ok>>(
        self,
        moving: M,
    ) -> Results<impl Pull<Item = Moved<S::Ok, M::Output, G::Series>>> {
        let mover = Mover::new(self.grouping, moving);
        Results::new(Fed::new(self.feed, self.time, mover))
    }

    /// The values of each series, and a [filled](Fill) value at the start of each step without a
    /// value, between the first and the last. It holds a value of each series in memory; after
    /// [`by`](Timed::by), the points of each series are in time order, but points of different
    /// series come as they become known.
    ///
    /// Steps are durations counted from 1970, or single calendar units; over a range
    /// ([`Length::over`](super::Length::over)), each step in it. Events keep their times; events
    /// without a value are left out.
    pub fn gap_fill<V, F>(
        self,
        every: impl Into<Steps>,
        fill: Fill,
        value: F,
    ) -> Results<impl Pull<Item = Point<G::Series>>>
    where
        V: Measured<Value: Number>,
        F: Fn(&S::Ok) -> V,
    {
        let filler = Filler::gaps(every.into(), fill, self.grouping, value);
        Results::new(Fed::new(self.feed, self.time, filler))
    }

    /// The value of each series at the start of each step, from the first event to the last: the
    /// value of the last event at that time, or a [filled](Fill) one. It holds a value of each
    /// series in memory; after [`by`](Timed::by), the points of each series are in time order, but
    /// points of different series come as they become known.
    ///
    /// Steps are durations counted from 1970, or single calendar units; over a range
    /// ([`Length::over`](super::Length::over)), each step in it. Events without a value are left
    /// out.
    pub fn resample<V, F>(
        self,
        every: impl Into<Steps>,
        fill: Fill,
        value: F,
    ) -> Results<impl Pull<Item = Point<G::Series>>>
    where
        V: Measured<Value: Number>,
        F: Fn(&S::Ok) -> V,
    {
        let filler = Filler::grid(every.into(), fill, self.grouping, value);
        Results::new(Fed::new(self.feed, self.time, filler))
    }
}

/// A stream divided into windows, to be aggregated.
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
    /// Windows of time are ordered by their ends and then by series; others come as they end.
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
