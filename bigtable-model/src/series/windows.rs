//! How a series is divided into windows.

use std::fmt;
use std::ops::Range;

use crate::Timestamp;
use crate::error::SeriesError;

use super::grid::{Grid, refused};
use super::hours::Hours;
use super::length::{Amount, Length};

/// How a series is divided into windows.
///
/// | | a window | by duration | by calendar | by count |
/// |---|---|---|---|---|
/// | [`tumbling`](Windows::tumbling) | begins where the previous one ends | yes | yes | yes |
/// | [`hopping`](Windows::hopping) | begins a step after the previous one began | yes | yes | yes |
/// | [`sliding`](Windows::sliding) | ends with each event | yes | days and weeks of UTC | yes |
/// | [`session`](Windows::session) | ends before a gap | yes | days and weeks of UTC | |
///
/// Tumbling and hopping windows of time include their start and exclude their end. Durations and
/// calendar units are counted from 1970-01-01 (so three months are a quarter of the year), events
/// from the first of the series. Windows without events are left out, unless
/// [`with_empty`](Windows::with_empty) or [`with_empty_over`](Windows::with_empty_over) adds them.
///
/// ```
/// use bigtable_model::series::{Length, Windows};
///
/// let days = Windows::tumbling(Length::days(1).zone("America/New_York"));
/// let last_hour_each_minute = Windows::hopping(Length::hours(1), Length::minutes(1));
/// let hour_up_to_each_event = Windows::sliding(Length::hours(1));
/// let hundreds = Windows::tumbling(Length::events(100));
/// assert_eq!(days.to_string(), "tumbling windows of 1 day in America/New_York");
/// # let _ = (last_hour_each_minute, hour_up_to_each_event, hundreds);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Windows {
    kind: Kind,
    pub(super) empty: bool,
    /// The range that windows cover, whether or not there are events.
    pub(super) over: Option<(Timestamp, Timestamp)>,
    pub(super) during: Option<Hours>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Tumbling(Length),
    Hopping { size: Length, every: Length },
    Sliding(Length),
    Session(Length),
}

/// Checked windows.
#[derive(Debug, Clone)]
pub(super) enum Cut {
    /// Windows of `size` cells; one begins every `step` cells.
    Cells { grid: Grid, steps: Hops },
    /// Windows of cells with this many events each.
    Events { cell: u64, steps: Hops },
    /// A window for each event: this event, and the previous events less than this many
    /// microseconds earlier.
    Sliding { micros: i64 },
    /// Events, each at most this many microseconds after the previous one.
    Session { micros: i64 },
}

/// The number of cells of a window, and the number of cells from its start to the start of the
/// next.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hops {
    pub(super) size: i64,
    pub(super) step: i64,
}

impl Hops {
    const ONE: Self = Self { size: 1, step: 1 };

    /// The end (exclusive) of the first window that ends after a cell.
    pub(super) fn end_after(self, index: i64) -> i64 {
        let [size, step, index] = [self.size, self.step, index].map(i128::from);
        let end = size + step * ((index - size).div_euclid(step) + 1);
        i64::try_from(end).unwrap_or(i64::MAX)
    }

    /// Whether each cell is a window.
    pub(super) const fn is_one(self) -> bool {
        self.size == 1 && self.step == 1
    }
}

impl Windows {
    /// Consecutive windows without gaps.
    pub fn tumbling(length: impl Into<Length>) -> Self {
        Self::new(Kind::Tumbling(length.into()))
    }

    /// Windows of a size, one starting every `every`. They overlap if `size` is longer than
    /// `every`; both are durations, units of one calendar, or numbers of events.
    pub fn hopping(size: impl Into<Length>, every: impl Into<Length>) -> Self {
        Self::new(Kind::Hopping {
            size: size.into(),
            every: every.into(),
        })
    }

    /// A window for each event, which ends with it. Several events at one time each have their own
    /// window that ends with them, in the order of the stream. A window of a duration starts that
    /// long before its event; an event exactly at the start is not in it.
    pub fn sliding(length: impl Into<Length>) -> Self {
        Self::new(Kind::Sliding(length.into()))
    }

    /// Windows of consecutive events: a window ends if the next event of its series comes more than
    /// `gap` later. It starts and ends with an event, and is returned when the next window of its
    /// series starts, or at the end of the stream.
    ///
    /// ```
    /// # use bigtable_model::Timestamp;
    /// use bigtable_model::series::{self, Length, SeriesExt as _, Windows, count};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), bigtable_model::Error> {
    /// let visits = series::of([0, 10, 30, 2_000, 2_010])
    ///     .timed(|second| Timestamp::from_seconds(*second))
    ///     .windows(Windows::session(Length::minutes(30)))
    ///     .aggregate(count());
    /// let clicks: Vec<_> = visits.fetch().await?.into_iter().map(|visit| visit.value).collect();
    /// assert_eq!(clicks, [3, 2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn session(gap: impl Into<Length>) -> Self {
        Self::new(Kind::Session(gap.into()))
    }

    /// Includes windows without events: from the first event of each series to the last of the
    /// stream, or, with [`by_run`](super::Timed::by_run), to the last of the series. They are
    /// returned one by one and take no memory. It applies to windows of time; windows by count and
    /// sliding ones are never empty, and refuse it.
    #[must_use]
    pub const fn with_empty(mut self) -> Self {
        self.empty = true;
        self
    }

    /// Like [`with_empty`](Windows::with_empty), for all windows that touch a range: even before
    /// the first event and after the last one, and even without any event unless the stream is
    /// divided [by](super::Timed::by) a name. Events outside the range are left out.
    ///
    /// An aggregate of no events is `None` or 0; [`or_value`](super::or_value) sets another value.
    ///
    /// ```
    /// # use bigtable_model::Timestamp;
    /// use bigtable_model::series::{self, Length, SeriesExt as _, Windows, mean, or_value};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), bigtable_model::Error> {
    /// let at = Timestamp::from_seconds;
    /// let minutes = series::of([(70, 21.5)])
    ///     .timed(|(second, _)| Timestamp::from_seconds(*second))
    ///     .windows(Windows::tumbling(Length::minutes(1)).with_empty_over(at(0)..at(240)))
    ///     .aggregate(or_value(mean(|(_, celsius): &(i64, f64)| *celsius), 0.0));
    /// let means: Vec<_> = minutes.fetch().await?.into_iter().map(|minute| minute.value).collect();
    /// assert_eq!(means, [0.0, 21.5, 0.0, 0.0]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_empty_over(mut self, range: Range<impl Into<Timestamp>>) -> Self {
        self.empty = true;
        self.over = Some((range.start.into(), range.end.into()));
        self
    }

    /// Only events at certain [hours](Hours), and no empty windows outside them.
    #[must_use]
    pub fn during(mut self, hours: Hours) -> Self {
        self.during = Some(hours);
        self
    }

    const fn new(kind: Kind) -> Self {
        Self {
            kind,
            empty: false,
            over: None,
            during: None,
        }
    }

    /// Checks the windows.
    pub(super) fn cut(&self) -> Result<Cut, SeriesError> {
        let cut = match &self.kind {
            Kind::Tumbling(length) => self.hops(length, length),
            Kind::Hopping { size, every } => self.hops(size, every),
            Kind::Sliding(length) => self.slides(length),
            Kind::Session(gap) => match gap.amount {
                Amount::Events(_) => {
                    Err(self.refused("they have a duration, or days or weeks of UTC"))
                }
                _ => self.duration(gap).map(|micros| Cut::Session { micros }),
            },
        }?;
        if let Some(hours) = &self.during {
            hours.check()?;
        }
        if self.empty && !matches!(cut, Cut::Cells { .. }) {
            return Err(self.refused("they are never empty: remove `with_empty`"));
        }
        Ok(cut)
    }

    fn hops(&self, size: &Length, every: &Length) -> Result<Cut, SeriesError> {
        let what = self.to_string();
        match (size.amount, every.amount) {
            (Amount::Micros(one), Amount::Micros(other)) => {
                Grid::every(one, size, &what)?;
                Grid::every(other, every, &what)?;
                let (one, other) = (one.unwrap_or_default(), other.unwrap_or_default());
                let (cell, steps) = common(one, other);
                let grid = Grid::Every(cell);
                Ok(Cut::Cells { grid, steps })
            }
            (Amount::Units(one, units), Amount::Units(other, every_units)) => {
                let grid = Grid::units(size, &what)?;
                Grid::units(every, &what)?;
                if one != other || size.zone != every.zone {
                    let reason = "give both lengths in one unit, with one time zone";
                    return Err(self.refused(reason));
                }
                let steps = Hops {
                    size: units.into(),
                    step: every_units.into(),
                };
                Ok(Cut::Cells { grid, steps })
            }
            (Amount::Events(0), _) | (_, Amount::Events(0)) => Err(self.refused(NO_EVENTS)),
            (Amount::Events(one), Amount::Events(other)) => {
                let (cell, steps) = common(one.into(), other.into());
                let cell = cell.unsigned_abs();
                Ok(Cut::Events { cell, steps })
            }
            _ => Err(self.refused("give both lengths as durations, calendar units or events")),
        }
    }

    fn slides(&self, length: &Length) -> Result<Cut, SeriesError> {
        match length.amount {
            Amount::Events(0) => Err(self.refused(NO_EVENTS)),
            Amount::Events(events) if length.zone.is_none() => {
                let steps = Hops {
                    size: events.into(),
                    ..Hops::ONE
                };
                Ok(Cut::Events { cell: 1, steps })
            }
            _ => self.duration(length).map(|micros| Cut::Sliding { micros }),
        }
    }

    /// The microseconds of a length, if it is always the same.
    fn duration(&self, length: &Length) -> Result<i64, SeriesError> {
        use crate::key::time::bucket::BucketSpan;
        const DAY: i64 = 86_400_000_000;
        const REASON: &str = "they have a duration, days or weeks of UTC, or a number of events";
        let micros = match length.amount {
            _ if length.zone.is_some() => return Err(self.refused(REASON)),
            Amount::Micros(micros) => micros,
            Amount::Units(BucketSpan::Day, days) => DAY.checked_mul(days.into()),
            Amount::Units(BucketSpan::Week, weeks) => (7 * DAY).checked_mul(weeks.into()),
            Amount::Units(..) | Amount::Events(_) => return Err(self.refused(REASON)),
        };
        match Grid::every(micros, length, &self.to_string())? {
            Grid::Every(micros) => Ok(micros),
            Grid::Calendar(_) => Err(self.refused(REASON)),
        }
    }

    fn refused(&self, reason: &str) -> SeriesError {
        refused(&self.to_string(), reason)
    }
}

const NO_EVENTS: &str = "the length is 0: give at least one event";

/// The longest cell that divides two lengths, and both lengths in such cells.
fn common(size: i64, step: i64) -> (i64, Hops) {
    let (mut cell, mut rest) = (size, step);
    while rest != 0 {
        (cell, rest) = (rest, cell % rest);
    }
    let cell = cell.max(1);
    let steps = Hops {
        size: size / cell,
        step: step / cell,
    };
    (cell, steps)
}

impl fmt::Display for Windows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Tumbling(length) => write!(f, "tumbling windows of {length}"),
            Kind::Hopping { size, every } => write!(f, "windows of {size}, one every {every}"),
            Kind::Sliding(length) => write!(f, "sliding windows of {length}"),
            Kind::Session(gap) => write!(f, "windows that a gap of {gap} ends"),
        }
    }
}
