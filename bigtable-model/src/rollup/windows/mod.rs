//! Queries for windows.

mod empty;
mod explain;
mod slices;
#[cfg(test)]
mod tests;

use std::fmt;
use std::marker::PhantomData;
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use futures::{StreamExt as _, TryStreamExt as _};

use self::empty::{Empty, with_empty};
pub use self::explain::{Explained, ExplainedRead};
use self::slices::Slices;
use super::Rollup;
use super::cover::{Piece, cover};
use super::fill::{Fill, Names, in_time_order};
use super::kept::Kept;
use super::parts::Filled;
use super::tier::{Cut, Span, Tier, tiers};
use crate::Timestamp;
use crate::backend::Backend;
use crate::error::{Error, QueryError};
use crate::key::SegmentValue;
use crate::model::{Level, Model, ModelSchema, RolledUp};
use crate::query::{
    BadRows, Fetched, Query, QueryState, SegmentSelection, Selection, Streamed, planned,
};
use crate::series::Length;

/// The length of windows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Resolution {
    /// The shortest buckets or longer windows, such that there are at most this many.
    AtMost(u32),
    /// Exactly this length: durations are counted from 1970.
    Every(Length),
}

/// At most this many windows: the shortest buckets that are few enough, buckets of a level joined
/// to a usual length (2, 5, 10, 15, 20 or 30 minutes, 2, 3, 4, 6, 8 or 12 hours, and likewise of
/// seconds), or multiples of the longest buckets; above calendar days these are weeks, months and
/// years.
#[must_use]
pub const fn at_most(windows: u32) -> Resolution {
    Resolution::AtMost(windows)
}

/// Windows of a duration, counted from 1970, or of a calendar unit. Levels with buckets that
/// overlap two windows are not used; if none is left, windows are computed from events.
///
/// ```
/// use std::time::Duration;
///
/// use bigtable_model::rollup::every;
/// use bigtable_model::series::Length;
///
/// let hours = every(Duration::from_secs(3_600));
/// let months = every(Length::months(1).zone("America/New_York"));
/// # assert_ne!(hours, months);
/// ```
#[must_use]
pub fn every(length: impl Into<Length>) -> Resolution {
    Resolution::Every(length.into())
}

impl<M: Model, S: QueryState<M>> Query<M, S, M> {
    /// Aggregates the query's events in windows, using the [roll-up](crate::rollup) `R`: it reads
    /// whole buckets from the table with the longest ones that fit, the ends from shorter ones, and
    /// finally events. The result agrees with the events, whichever buckets have been computed; an
    /// event that is written during the read may be missing. Buckets whose events are no longer all
    /// stored keep [their values](crate::guide#roll-ups-that-outlive-their-events). If a rule has
    /// deleted buckets, events are read if they are kept longer. Buckets that the server adds are
    /// read as they are: they agree with the events after every successful write.
    ///
    /// The query's time needs both ends. The first and the last window hold only events of that
    /// time. If the query leaves identifiers open, windows are fetched, not streamed, and events
    /// that no bucket holds are in memory together. If the query has a condition, or sets an
    /// identifier that the roll-up leaves out, all windows are computed from events.
    pub fn resolution<R: Rollup<Source = M>>(&self, resolution: Resolution) -> WindowQuery<R> {
        WindowQuery {
            selection: self.selection(),
            bad_rows: self.bad_rows().clone(),
            resolution,
            empty: None,
        }
    }
}

/// A query for windows of events, each returned as the roll-up `R`: those that hold events, ordered
/// by time and then by the roll-up's keys, or [all of them](WindowQuery::with_empty).
///
/// `db.fetch(&windows)` returns them together. `db.stream(&windows)` returns the same ones as they
/// are complete: it reads a slice of the time, one window first and then more of them, as long as
/// they have few events and buckets. It holds the windows of one slice in memory, and the buckets
/// of it that are marked. A callback for [bad rows](Query::on_bad_row) may see one again, when a
/// slice has too much and is read again as a shorter one.
///
/// Both are refused if the query cannot be planned, its time has an open end, it has a limit, or
/// such windows are impossible for its time. The stream is refused too if events cannot be read in
/// order of time: the query has to set every identifier to one value or several, for at most
/// [`max_scans`](Query::max_scans) series, also those that the roll-up leaves out.
#[must_use = "nothing is read before it is asked for"]
pub struct WindowQuery<R: Rollup> {
    selection: Selection,
    bad_rows: BadRows,
    resolution: Resolution,
    /// Makes the windows without events, if they are wanted.
    empty: Option<Empty<R>>,
}

/// How many parts of windows a stream holds, unless one window has more.
const PARTS: usize = 4_096;

/// The checked query.
struct Asked {
    span: Span,
    window: Cut,
    tiers: Vec<Tier>,
    /// The levels that may answer.
    levels: Vec<Tier>,
    names: Names,
}

impl<R: Rollup> Clone for WindowQuery<R> {
    fn clone(&self) -> Self {
        Self {
            selection: self.selection.clone(),
            bad_rows: self.bad_rows.clone(),
            resolution: self.resolution.clone(),
            empty: self.empty.clone(),
        }
    }
}

impl<R: Rollup> Fetched for WindowQuery<R> {
    type Output = Vec<R>;

    fn fetched(&self, backend: Arc<dyn Backend>) -> BoxFuture<'static, Result<Vec<R>, Error>> {
        Box::pin(self.read(backend, None).try_collect())
    }
}

/// The windows come as they are complete. An error ends the stream.
impl<R: Rollup> Streamed for WindowQuery<R> {
    type Output = BoxStream<'static, Result<R, Error>>;

    fn streamed(&self, backend: &dyn Backend) -> Self::Output {
        self.read(backend.handle(), Some(PARTS))
    }
}

impl<R: Rollup> WindowQuery<R> {
    /// Adds the windows without events, each as `empty` makes it of its series and its beginning:
    /// all windows of the query's time, also before the first event and after the last one. They
    /// are those of the series that have an event in this time, and of the series that the query
    /// names by all of their identifiers. All of these windows are in memory if they are fetched.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use bigtable_model::rollup::{Rollup, every};
    /// use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
    ///
    /// #[derive(Model)]
    /// #[bigtable(table = "VISIT", family = "V", rollup(Visits))]
    /// struct Visit {
    ///     #[bigtable(key)]
    ///     page: String,
    ///     #[bigtable(time)]
    ///     at: Timestamp,
    ///     millis: u32,
    /// }
    ///
    /// #[derive(Debug, PartialEq, Model, Rollup)]
    /// #[bigtable(table = "VISITS", family = "V")]
    /// #[rollup(of = Visit, every = "1m")]
    /// struct Visits {
    ///     #[bigtable(key)]
    ///     page: String,
    ///     #[bigtable(time, unit = "s")]
    ///     start: Timestamp,
    ///     #[rollup(count)]
    ///     visits: u64,
    ///     #[rollup(max(millis))]
    ///     slowest: u32,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), bigtable_model::Error> {
    /// # let db = MemoryBackend::new();
    /// # db.ensure_tables::<Visit>().await?;
    /// let at = Timestamp::from_seconds;
    /// db.insert(&Visit { page: "/".into(), at: at(90), millis: 7 }).await?;
    /// let four = Visit::query().page("/").at(at(0)..at(240));
    /// let windows = four.events().resolution::<Visits>(every(Duration::from_secs(60)));
    /// let none = |page, start| Visits { page, start, visits: 0, slowest: 0 };
    /// let visits = db.fetch(&windows.with_empty(none)).await?;
    /// assert_eq!(visits.iter().map(|one| one.visits).collect::<Vec<_>>(), [0, 1, 0, 0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_empty(
        self,
        empty: impl Fn(R::Series, Timestamp) -> R + Send + Sync + 'static,
    ) -> Self {
        Self {
            empty: Some(Arc::new(empty)),
            ..self
        }
    }

    /// The windows that hold events, and the others if they are wanted. With `most` it reads slices
    /// of the time that have at most as many parts, otherwise all of it at once. Its first error
    /// ends it.
    ///
    /// # Errors
    /// [`Error::Query`] if the query cannot be planned, its time has an open end, it has a limit,
    /// such windows are impossible for its time, or slices cannot be read in order of time;
    /// [`Error::Backend`] if a read fails; [`Error::Rollup`] if a column cannot hold its aggregate.
    fn read(
        &self,
        backend: Arc<dyn Backend>,
        most: Option<usize>,
    ) -> BoxStream<'static, Result<R, Error>> {
        let begun = Reading::begun(self.clone(), backend, most);
        let slices = |reading| stream::try_unfold(reading, Reading::<R>::next);
        let slices = stream::once(begun).map_ok(slices).try_flatten();
        let windows = |slice: Vec<R>| stream::iter(slice.into_iter().map(Ok));
        slices.map_ok(windows).try_flatten().boxed()
    }

    /// Which tables answer. Only a running query reads marks, and events instead of buckets that a
    /// rule has deleted.
    ///
    /// # Errors
    /// [`Error::Query`], as when it is fetched.
    pub fn explain(&self) -> Result<Explained, Error> {
        let asked = self.asked().map_err(|source| self.refused(source))?;
        let pieces = cover(&asked.levels, asked.span, None).into_iter();
        let windows = asked.window.count(asked.span);
        Ok(Explained {
            reads: pieces
                .map(|piece| read::<R>(&asked.levels, piece))
                .collect(),
            window: asked.window.length,
            windows: u64::try_from(windows).unwrap_or(u64::MAX),
        })
    }

    fn asked(&self) -> Result<Asked, QueryError> {
        if self.selection.limit.is_some() {
            return Err(QueryError::LimitOfWindows);
        }
        let schema = R::Source::SCHEMA;
        let span = span(schema, &self.selection)?;
        let window = match &self.resolution {
            Resolution::AtMost(most) => Cut::at_most(*most, R::LEVELS, span),
            Resolution::Every(length) => {
                Some(Cut::of(length.clone()).map_err(QueryError::Windows)?)
            }
        };
        let window = window.ok_or_else(|| QueryError::Resolution {
            asked: self.resolution.to_string(),
        })?;
        // Roll-ups aggregate all events, possibly of many series.
        let is_part =
            self.selection.condition.is_some() || self.selection.is_beyond(schema, &R::SCHEMA.key);
        let tiers = match is_part {
            true => Vec::new(),
            false => tiers(R::LEVELS).map_err(QueryError::Windows)?,
        };
        let fitting = tiers.iter().filter(|tier| window.holds(tier, span));
        Ok(Asked {
            span,
            levels: fitting.cloned().collect(),
            window,
            tiers,
            names: names(schema, &self.selection),
        })
    }

    fn refused(&self, source: QueryError) -> Error {
        Error::Query {
            table: R::Source::SCHEMA.table.to_string(),
            source,
        }
    }
}

/// Windows that are being read.
struct Reading<R: Rollup> {
    query: WindowQuery<R>,
    backend: Arc<dyn Backend>,
    asked: Asked,
    most: Option<usize>,
    slices: Slices,
}

impl<R: Rollup> Reading<R> {
    async fn begun(
        query: WindowQuery<R>,
        backend: Arc<dyn Backend>,
        most: Option<usize>,
    ) -> Result<Self, Error> {
        let asked = query.asked().map_err(|source| query.refused(source))?;
        if most.is_some() {
            // Slices of unordered events would be sorted in memory, and each would read the events
            // of all of the time.
            let schema = R::Source::SCHEMA;
            let events = in_time_order(schema, &query.selection, &asked.names, asked.span);
            planned(&*backend, schema, &events).await?;
        }
        Ok(Self {
            slices: Slices::of(&asked.window.grid, asked.span, most),
            query,
            backend,
            asked,
            most,
        })
    }

    /// The windows of the next slice that has any.
    async fn next(mut self) -> Result<Option<(Vec<R>, Self)>, Error> {
        let (asked, backend) = (&self.asked, &*self.backend);
        let (grid, names) = (&asked.window.grid, &asked.names);
        let mut kept = Kept::of::<R>(backend, Duration::ZERO);
        while let Some(span) = self.slices.current() {
            let fill = Fill::<R> {
                backend,
                rolled: rolled::<R>(),
                tiers: &asked.tiers,
                levels: &asked.levels,
                window: grid,
                base: &self.query.selection,
                bad_rows: &self.query.bad_rows,
                kept: &kept,
                most: self.most,
                rollup: PhantomData,
            };
            match fill.windows(names, span).await? {
                Filled::Expired => kept = kept.again(),
                Filled::Full(end) => self.slices.shorten(grid, end.as_micros()),
                Filled::Windows(windows, read) => {
                    let windows = match &self.query.empty {
                        Some(empty) => with_empty(windows, empty, grid, span, names)?,
                        None => windows,
                    };
                    self.slices.advance(grid, read.max(windows.len()));
                    if !windows.is_empty() {
                        return Ok(Some((windows, self)));
                    }
                    kept = Kept::of::<R>(backend, Duration::ZERO);
                }
            }
        }
        Ok(None)
    }
}

/// The roll-up as its source lists it.
pub(super) fn rolled<R: Rollup>() -> &'static RolledUp {
    const { &super::rolled_up::<R::Source, R>(R::Source::SCHEMA.of_struct().append_only) }
}

fn read<R: Rollup>(levels: &[Tier], Piece { level, span }: Piece) -> ExplainedRead {
    let tier = level.and_then(|level| levels.get(level));
    let level = tier.map(|tier| &tier.level);
    ExplainedRead {
        table: match level {
            Some(level) => rolled::<R>().table(level).to_owned(),
            None => R::Source::SCHEMA.table.to_string(),
        },
        buckets: level.map(Level::length),
        is_added: level.is_some() && R::ADDED,
        from: Timestamp::from_micros(span.0),
        before: Timestamp::from_micros(span.1),
    }
}

/// The selections of the identifiers and of tie-breakers.
pub(super) fn names(schema: &ModelSchema, selection: &Selection) -> Names {
    let segments = schema.key.valued().zip(&selection.segments);
    let names = segments.filter(|((_, segment), _)| segment.role.is_named());
    names
        .map(|((_, segment), asked)| (segment.name.to_string(), asked.clone()))
        .collect()
}

/// The query's time.
pub(super) fn span(schema: &ModelSchema, selection: &Selection) -> Result<Span, QueryError> {
    let mut segments = schema.key.valued().zip(&selection.segments);
    let times = segments.find(|((_, segment), _)| segment.role.is_time());
    let open = || QueryError::OpenWindows {
        segment: match schema.key.time_segment() {
            Some((_, time)) => time.name.to_string(),
            None => schema.model.to_string(),
        },
    };
    let Some((_, SegmentSelection::Range(start, end))) = times else {
        return Err(open());
    };
    let micros = |value: &SegmentValue| match value {
        SegmentValue::Time(time) => Some(time.as_micros()),
        _ => None,
    };
    let from = match start {
        Bound::Included(time) => micros(time),
        Bound::Excluded(time) => micros(time).map(|time| time.saturating_add(1)),
        Bound::Unbounded => None,
    };
    let to = match end {
        Bound::Included(time) => micros(time).map(|time| time.saturating_add(1)),
        Bound::Excluded(time) => micros(time),
        Bound::Unbounded => None,
    };
    from.zip(to).ok_or_else(open)
}

impl fmt::Display for Resolution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtMost(windows) => write!(f, "at most {windows} windows"),
            Self::Every(length) => write!(f, "windows of {length}"),
        }
    }
}

impl<R: Rollup> fmt::Debug for WindowQuery<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WindowQuery")
            .field("selection", &self.selection)
            .field("resolution", &self.resolution)
            .finish_non_exhaustive()
    }
}
