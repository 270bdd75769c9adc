//! Roll-ups: precomputed aggregates of each minute, hour or day of a series, which stay correct
//! after any write.
//!
//! A model names the models that hold its roll-ups: `#[bigtable(rollup(QuoteBar))]`. Each of them
//! derives [`Rollup`](derive@Rollup), which sets the length of buckets and the aggregate of each
//! column. Longer buckets are in separate tables. [`ensure_tables`] creates all tables.
//!
//! - **Every write** of the model marks the buckets that it touches before it touches an event:
//!   inserts, updates, conditional writes, deletes, counters. An interrupted write leaves its mark.
//! - **A job**, [`RollupJob`], computes marked buckets from their events and removes the marks,
//!   unless they were marked again meanwhile. It can be killed at any time, and several can run at
//!   once: a bucket and its mark are one row, which changes only if the mark has not changed since
//!   it was read.
//! - **A query** returns windows: [`resolution`](crate::query::Query::resolution) reads whole
//!   buckets from the table with the longest ones that fit. It reads the ends from shorter buckets
//!   and finally from events, and does the same instead of marked buckets. So the result agrees
//!   with the events, whether or not the job has run.
//! - **A bucket outlives its events**: once a rule or a dropped table has removed some of them, it
//!   is not computed from the others. It keeps its values, in windows and in the job: [the
//!   guide](crate::guide#roll-ups-that-outlive-their-events) says when.
//!
//! ```
//! use std::time::Duration;
//!
//! use bigtable_model::rollup::{Mean, Rollup, RollupJob, at_most};
//! use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
//!
//! #[derive(Debug, Clone, Model)]
//! #[bigtable(table = "READING", family = "R", rollup(Hour))]
//! struct Reading {
//!     #[bigtable(key)]
//!     sensor: String,
//!     #[bigtable(time, unit = "s")]
//!     at: Timestamp,
//!     celsius: f64,
//! }
//!
//! /// An hour of a sensor, or a day.
//! #[derive(Debug, Clone, PartialEq, Model, Rollup)]
//! #[bigtable(table = "READING_HOUR", family = "R")]
//! #[rollup(of = Reading, every = "1h", longer(every = "1d", table = "READING_DAY"))]
//! struct Hour {
//!     #[bigtable(key)]
//!     sensor: String,
//!     #[bigtable(time, unit = "s")]
//!     start: Timestamp,
//!     #[rollup(count)]
//!     readings: u64,
//!     #[rollup(max(celsius))]
//!     warmest: f64,
//!     #[rollup(mean)]
//!     celsius: Mean,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let db = MemoryBackend::new();
//! db.ensure_tables::<Reading>().await?; // READING, READING_HOUR and READING_DAY
//! let at = |minute: i64| Timestamp::from_seconds(1_714_521_600 + minute * 60);
//! for minute in 0..180 {
//!     let celsius = 20.0 + (minute % 7) as f64;
//!     db.insert(&Reading { sensor: "attic".into(), at: at(minute), celsius }).await?;
//! }
//! RollupJob::<Hour>::new().settle(Duration::ZERO).run(&db).await?.into_result()?;
//!
//! let readings = Reading::query().sensor("attic").at(at(0)..at(150));
//! let hours = readings.events().resolution::<Hour>(at_most(10));
//! let found = db.fetch(&hours).await?;
//! let readings: Vec<u64> = found.iter().map(|hour| hour.readings).collect();
//! assert_eq!(readings, [60, 60, 30]); // half an hour is read from READING
//! assert_eq!(found[1].celsius.value(), Some(23.05));
//! assert_eq!(
//!     hours.explain()?.to_string(),
//!     "windows of 3600 seconds\n\
//!      READING_HOUR, buckets of 3600 seconds: from 2024-05-01T00:00:00Z, before 2024-05-01T02:00:00Z\n\
//!      READING, events: from 2024-05-01T02:00:00Z, before 2024-05-01T02:30:00Z\n\
//!      of marked buckets what is shorter, at last events\n"
//! );
//! # Ok(())
//! # }
//! ```
//!
//! If a model is declared `append_only`, the server can add sums, counts, minima and maxima itself,
//! without marks or a job: [the guide](crate::guide#what-the-server-adds) has an example, and
//! explains what happens when answers are lost.
//!
//! # Requirements
//!
//! - The roll-up's key has identifiers of the model's key, with the same names, followed by the
//!   start of the bucket. Its layout is `row`, in one table. It may leave out identifiers: then a
//!   bucket [covers many series](crate::guide#roll-ups-over-many-series).
//! - The clocks of writers and of the job differ by less than [`RollupJob::settle`], and a write
//!   takes less time than that: the job skips younger marks, since their events may not be stored
//!   yet. Events are kept longer than a shortest bucket, `settle` and the time between two jobs
//!   together.
//! - Events older than the roll-up are not in it. Writes that bypass the model are not marked:
//!   those of a [`Backend`](crate::Backend)'s own methods, `drop_rows`, a restored backup and other
//!   programs. [`mark_events`] marks the buckets that they touched. A
//!   [`CopyJob`](crate::copy::CopyJob) marks what it writes, but refuses to copy into roll-ups that
//!   the server adds, since it would add twice; [`recount`] computes those.
//! - A bucket with another length or zone is a different bucket, and so is a day whose start a new
//!   version of the time zone database moves. [`mark_events`] marks the current buckets and the
//!   stored ones, and the job deletes the rows of former buckets whose events are still stored.
//!
//! [`ensure_tables`]: crate::BackendExt::ensure_tables

mod added;
mod check;
pub(crate) mod column;
mod cover;
mod fill;
mod job;
mod kept;
mod marking;
mod parts;
mod recount;
mod report;
mod row;
mod tier;
mod windows;

use std::borrow::Cow;

use crate::Timestamp;
#[doc(hidden)]
pub use crate::aggregate::Total;
pub use crate::aggregate::{Combine, Mean};
pub use crate::error::{NotAdded, RollupError};
use crate::key::borrow;
use crate::key::identifiers::{are_same, declared_text, named};
use crate::key::{KeyLayout, Segment, SegmentRole};
pub use crate::model::Level;
use crate::model::{
    AddsOf, ColumnKind, ColumnSchema, Layout, MARK, Model, ModelKey, RolledUp, TableName,
    check_levels,
};
use crate::table::WantedTable;
#[doc = include_str!("../guide/rollup.md")]
pub use bigtable_derive::Rollup;
#[doc(hidden)]
pub use check::in_own_tables;
pub use job::{DEFAULT_SETTLE, RollupJob};
pub use marking::mark_events;
pub use recount::recount;
pub use report::RollupReport;
pub use windows::{Explained, ExplainedRead, Resolution, WindowQuery, at_most, every};

/// A model that aggregates the events of another model over spans of time. See the [module](self).
///
/// [`#[derive(Rollup)]`](derive@Rollup) implements it for columns with one aggregate each.
/// Implement it by hand if a column depends on several values, such as the time of the maximum.
///
/// Merging the parts of a span must give the same result as the whole span. This holds for a count,
/// a sum, the minimum, the maximum, the first and the last value; a mean is a sum and a count.
///
/// ```
/// use bigtable_model::rollup::{Level, Rollup, RollupError};
/// use bigtable_model::{Model, Timestamp};
///
/// #[derive(Model)]
/// #[bigtable(table = "READING", family = "R", rollup(Warmest))]
/// struct Reading {
///     #[bigtable(key)]
///     sensor: String,
///     #[bigtable(time, unit = "s")]
///     at: Timestamp,
///     celsius: f64,
/// }
///
/// #[derive(Model)]
/// #[bigtable(table = "WARMEST", family = "R")]
/// struct Warmest {
///     #[bigtable(key)]
///     sensor: String,
///     #[bigtable(time, unit = "s")]
///     day: Timestamp,
///     celsius: f64,
///     at: Timestamp,
/// }
///
/// impl Rollup for Warmest {
///     type Source = Reading;
///     const LEVELS: &'static [Level] = &[Level::day().zone("Europe/Berlin")];
///
///     fn of(reading: &Reading, day: Timestamp) -> Self {
///         let Reading { sensor, at, celsius } = reading;
///         Self { sensor: sensor.clone(), day, celsius: *celsius, at: *at }
///     }
///
///     fn merge(&mut self, later: &Self) -> Result<(), RollupError> {
///         if later.celsius > self.celsius {
///             (self.celsius, self.at) = (later.celsius, later.at);
///         }
///         Ok(())
///     }
///
///     fn starting(self, day: Timestamp) -> Self {
///         Self { day, ..self }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no roll-up",
    label = "not a roll-up",
    note = "derive it: `#[derive(Rollup)] #[rollup(of = ..., every = \"1m\")]` beside `Model`, or write `impl Rollup for {Self}`"
)]
pub trait Rollup: Model {
    /// The model whose events are aggregated, which names this roll-up by `rollup(...)`.
    type Source: Model;

    /// The lengths of buckets, shortest first: the first in the model's own table, longer ones in
    /// the tables that they name. Durations come first, each a multiple of the previous one,
    /// followed by days, weeks, months and years.
    const LEVELS: &'static [Level];

    /// Whether the server adds events as they are written: `added`. Then the source is append-only,
    /// and every column is an aggregate of the server.
    const ADDED: bool = false;

    /// The roll-up of one event, in a span that begins at `start`.
    fn of(event: &Self::Source, start: Timestamp) -> Self;

    /// Adds the roll-up of later events of the same span.
    ///
    /// # Errors
    /// [`RollupError`] if a column cannot hold the result.
    fn merge(&mut self, later: &Self) -> Result<(), RollupError>;

    /// The same roll-up in a span that begins at another time, as a part of a longer span.
    #[must_use]
    fn starting(self, start: Timestamp) -> Self;
}

/// A roll-up in the list of its source. The derive passes whether the source is append-only, and
/// calls this in a constant.
///
/// # Panics
/// If it breaks a rule for roll-ups, which stops the build.
#[doc(hidden)]
#[must_use]
pub const fn rolled_up<S: Model, R: Rollup<Source = S>>(append_only: bool) -> RolledUp {
    check_levels(R::LEVELS);
    check_keys(
        const { &<S::Key as ModelKey>::LAYOUT },
        &R::SCHEMA.of_struct().key,
    );
    check::check_starts(R::LEVELS, &R::SCHEMA.of_struct().key);
    assert!(
        matches!(R::SCHEMA.of_struct().table, TableName::Fixed(_)),
        "a roll-up has one table for each level: leave out the period, and let a rule delete old buckets"
    );
    assert!(
        matches!(R::SCHEMA.of_struct().layout, Layout::Row),
        "a roll-up has a row for each bucket: leave out `layout`"
    );
    assert!(
        matches!(R::SCHEMA.of_struct().map_families, Cow::Borrowed([])),
        "a roll-up has no columns that are named at run time: leave out `columns`"
    );
    check_columns(R::COLUMNS);
    if R::ADDED {
        check_added(append_only, R::COLUMNS);
    }
    assert!(
        borrow::list(&R::SCHEMA.of_struct().rollups).is_empty() && R::MIRRORS.is_empty(),
        "a roll-up has no roll-ups or mirrors of its own: name all of them on the model that is written"
    );
    RolledUp {
        schema: Cow::Borrowed(R::SCHEMA),
        levels: Cow::Borrowed(R::LEVELS),
        is_added: R::ADDED,
        adds: if R::ADDED {
            Some(AddsOf(added::adds::<R>))
        } else {
            None
        },
    }
}

/// Stops the build if its source does not name a derived roll-up.
///
/// # Panics
/// If no write of the source would mark the roll-up.
#[doc(hidden)]
pub const fn check_names_rollup<S: Model, R: Rollup<Source = S>>() {
    let mut is_named = false;
    let mut rest = borrow::list(&S::SCHEMA.of_struct().rollups);
    while let Some((one, others)) = rest.split_first() {
        if let (Cow::Borrowed(one), Cow::Borrowed(name)) = (
            &one.schema().of_struct().model,
            &R::SCHEMA.of_struct().model,
        ) {
            is_named |= are_same(one.as_bytes(), name.as_bytes());
        }
        rest = others;
    }
    assert!(
        is_named,
        "this model does not name the roll-up, and no write would mark it: add `rollup(...)` with the roll-up's name there"
    );
}

/// Checks the key of a roll-up against its source's.
const fn check_keys(source: &KeyLayout, rollup: &KeyLayout) {
    let (of_source, of_rollup) = (source.declared(), rollup.declared());
    assert!(
        hold_all(of_source, of_rollup),
        "the roll-up's key has an identifier that its source's key lacks: remove the field, or give it the source's name for it"
    );
    let mut last = None;
    let mut rest = of_rollup;
    while let Some((segment, after)) = rest.split_first() {
        if !matches!(segment.role, SegmentRole::Salt) {
            last = Some(segment);
        }
        rest = after;
    }
    assert!(
        matches!(last, Some(segment) if matches!(segment.role, SegmentRole::Time)),
        "the beginning of a roll-up's bucket is the last segment of its key: put the field with `time` last"
    );
}

/// Checks that no column has the name of the buckets' marks.
const fn check_columns(columns: &[ColumnSchema]) {
    let mut rest = columns;
    while let Some((column, others)) = rest.split_first() {
        if let Cow::Borrowed(qualifier) = &column.qualifier {
            assert!(
                !are_same(qualifier.as_bytes(), MARK),
                "the column `~dirty` of a roll-up marks the buckets that must be computed: give this one another name"
            );
        }
        rest = others;
    }
}

/// Checks a roll-up that the server adds.
const fn check_added(append_only: bool, columns: &[ColumnSchema]) {
    assert!(
        append_only,
        "events of this model may change, but the server cannot take back what it added: add `append_only` to it, or remove `added` from the roll-up"
    );
    let mut rest = columns;
    while let Some((column, others)) = rest.split_first() {
        assert!(
            matches!(column.kind, ColumnKind::Aggregate(_)),
            "a roll-up that the server adds needs an aggregate in every column: add `aggregate = \"sum\"`, \"min\" or \"max\" to it"
        );
        rest = others;
    }
}

/// Whether the identifiers in `sought` are all in `held`.
const fn hold_all(held: &[Segment], sought: &[Segment]) -> bool {
    let mut sought = sought;
    while let Some((one, after)) = sought.split_first() {
        let is_held = matches!(
            named(held, declared_text(&one.name)),
            Some(Segment {
                role: SegmentRole::Identifier,
                ..
            })
        );
        if matches!(one.role, SegmentRole::Identifier) && !is_held {
            return false;
        }
        sought = after;
    }
    true
}

/// The tables of a roll-up, one for each level of
/// [`ModelSchema::rollups`](crate::schema::ModelSchema::rollups).
pub fn tables(rolled: &RolledUp) -> impl Iterator<Item = WantedTable> {
    let levels = rolled.levels.iter();
    levels.map(|level| WantedTable::of(rolled.schema()).named(rolled.table(level)))
}
