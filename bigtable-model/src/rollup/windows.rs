//! Queries for windows.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;

use super::Rollup;
use super::cover::{Piece, cover};
use super::empty::{Empty, with_empty};
use super::fill::{Fill, Names};
use super::kept::Kept;
use super::tier::{Cut, Span, Tier, tiers};
use crate::Timestamp;
use crate::backend::Backend;
use crate::error::{Error, QueryError};
use crate::key::SegmentValue;
use crate::model::{Level, Model, ModelSchema, RolledUp};
use crate::query::{BadRows, Fetched, Query, QueryState, SegmentSelection, Selection};
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
    /// The query's time needs both ends. The first and the last window contain only events of that
    /// time. If the query leaves identifiers open, all events outside buckets are held in memory
    /// together. If the query has a condition, or sets an identifier that the roll-up leaves out,
    /// all windows are computed from events.
    pub fn resolution<R: Rollup<Source = M>>(&self, resolution: Resolution) -> WindowQuery<R> {
        WindowQuery {
            selection: self.selection(),
            bad_rows: self.bad_rows().clone(),
            resolution,
            empty: None,
        }
    }
}

/// A query for windows of events, each returned as the roll-up `R`: `db.fetch(&windows)` returns
/// those with events, ordered by time and then by the roll-up's keys, or [all of
/// them](WindowQuery::with_empty). All of them are held in memory, with the buckets from which they
/// are computed.
///
/// It is refused if the query cannot be planned, its time has an open end, it has a limit, or such
/// windows are impossible for its time.
#[must_use = "nothing is read before it is asked for"]
pub struct WindowQuery<R: Rollup> {
    selection: Selection,
    bad_rows: BadRows,
    resolution: Resolution,
    /// Makes the windows without events, if they are wanted.
    empty: Option<Empty<R>>,
}

/// How windows are answered; `Display` puts it into words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// The length of a window.
    pub window: Length,
    /// The number of windows that the time touches in each series; one more if a calendar skips a
    /// day.
    pub windows: u64,
    /// The reads, in time order.
    pub reads: Vec<ExplainedRead>,
}

/// The source of a span of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedRead {
    /// The ID of the table, or the template of tables by period.
    pub table: String,
    /// The length of the table's buckets; `None` if events are read.
    pub buckets: Option<Length>,
    /// Whether the server adds to the buckets; if not, a job computes them.
    pub is_added: bool,
    /// The start of the span.
    pub from: Timestamp,
    /// The end of the span.
    pub before: Timestamp,
}

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
        let windows = self.clone();
        Box::pin(async move { windows.run(&*backend).await })
    }
}

impl<R: Rollup> WindowQuery<R> {
    /// Adds the windows without events, each made by `empty` from its series and its start: all
    /// windows of the query's time, even before the first event and after the last one. They belong
    /// to the series that have an event in this time, and to the series that the query names by all
    /// of their identifiers. With many series, all of these windows are in memory.
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

    /// The windows with events, and the others if they are wanted.
    ///
    /// # Errors
    /// [`Error::Query`] if the query cannot be planned, its time has an open end, it has a limit,
    /// or such windows are impossible for its time; [`Error::Backend`] if a read fails;
    /// [`Error::Rollup`] if a column cannot hold its aggregate.
    async fn run(&self, backend: &dyn Backend) -> Result<Vec<R>, Error> {
        let asked = self.asked().map_err(|source| self.refused(source))?;
        let mut kept = Kept::of::<R>(backend, Duration::ZERO);
        loop {
            let fill = Fill::<R> {
                backend,
                rolled: rolled::<R>(),
                tiers: &asked.tiers,
                levels: &asked.levels,
                window: &asked.window.grid,
                base: &self.selection,
                bad_rows: &self.bad_rows,
                kept: &kept,
                rollup: PhantomData,
            };
            let windows = match fill.windows(&asked.names, asked.span).await? {
                Some(windows) => windows,
                None => {
                    kept = kept.again();
                    continue;
                }
            };
            return match &self.empty {
                Some(empty) => {
                    let grid = &asked.window.grid;
                    with_empty(windows, empty, grid, asked.span, &asked.names)
                }
                None => Ok(windows),
            };
        }
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

impl fmt::Display for Explained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "windows of {}", self.window)?;
        for read in &self.reads {
            write!(f, "{}, ", read.table)?;
            match &read.buckets {
                Some(length) if read.is_added => {
                    write!(f, "buckets of {length} that the server adds")?;
                }
                Some(length) => write!(f, "buckets of {length}")?,
                None => f.write_str("events")?,
            }
            writeln!(f, ": from {}, before {}", read.from, read.before)?;
        }
        let may_be_marked = |read: &ExplainedRead| read.buckets.is_some() && !read.is_added;
        match self.reads.iter().any(may_be_marked) {
            true => writeln!(f, "of marked buckets what is shorter, at last events"),
            false => Ok(()),
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
