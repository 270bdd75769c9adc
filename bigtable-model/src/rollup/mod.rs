//! Roll-ups: what the events of each minute, hour or day of a series come to, computed ahead and
//! right whatever is written.
//!
//! A model names the models that hold its roll-ups: `#[bigtable(rollup(QuoteBar))]`. Each of these
//! derives [`Rollup`](derive@Rollup): it says how long buckets are, and of each column what it
//! holds of the events. Longer buckets stand in tables of their own. [`ensure_tables`] creates all
//! of them.
//!
//! - **Every write** of the model marks the buckets that it touches before it touches an event:
//!   inserts, updates, conditional writes, deletes, counters. A write that breaks off leaves its
//!   mark.
//! - **A job**, [`RollupJob`], computes marked buckets anew from their events and takes the marks
//!   away, unless somebody marked them again meanwhile. It can be killed anywhere and run by many
//!   at once: a bucket and its mark are one row, which changes under the condition that the mark is
//!   still the one that was read.
//! - **A query** asks for windows: [`resolution`](crate::query::Query::resolution) reads whole
//!   buckets from the table of the longest ones that fit, what is left at the ends from shorter
//!   ones and at last from events, and of a marked bucket what is shorter. So its answer is that of
//!   the events, whether or not the job has run.
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
//! RollupJob::<Hour>::new().settle(Duration::ZERO).run(&db).await?;
//!
//! let hours = Reading::query().sensor("attic").at(at(0)..at(150)).resolution::<Hour>(at_most(10));
//! let found = hours.fetch(&db).await?;
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
//! Of a model that is declared `append_only` the server can add sums, counts, minima and maxima by
//! itself, without marks and a job: [the guide](crate::guide#what-the-server-adds) has an example,
//! and tells what becomes of lost answers.
//!
//! # What it takes
//!
//! - The roll-up's key has the identifiers of the model's key, under the same names, and after them
//!   the beginning of the bucket. It is in layout `row`, in one table.
//! - The clocks of writers and of the job differ by less than [`RollupJob::settle`], and a write
//!   takes less: the job leaves younger marks alone, since their events may still be on their way.
//! - Events that were there before the model had the roll-up are not in it, and writes that go
//!   around the model are not marked: those of a [`Backend`](crate::Backend)'s own methods,
//!   `drop_rows`, a restored backup, other programs, and what garbage collection takes away.
//!   [`mark_events`] marks what they touched. A [`CopyJob`](crate::copy::CopyJob) marks what it
//!   writes. To roll-ups that the server adds it would add again, so that it is refused;
//!   [`recount`] computes them.
//! - Buckets of another length or zone are others, also where a new version of the time zone
//!   database moves the beginning of a day: [`mark_events`] marks today's and those that are
//!   stored, and the job deletes the rows of former ones.
//!
//! [`ensure_tables`]: crate::BackendExt::ensure_tables

mod added;
pub(crate) mod column;
mod cover;
mod fill;
mod job;
mod marking;
mod recount;
mod report;
mod tier;
mod total;
mod windows;

use std::borrow::Cow;

use crate::Timestamp;
pub use crate::error::{NotAdded, RollupError};
use crate::key::identifiers::{are_same, named};
use crate::key::{KeyLayout, Segment, SegmentRole};
pub use crate::model::Level;
use crate::model::{
    AddsOf, ColumnKind, ColumnSchema, Layout, MARK, Model, ModelKey, RolledUp, check_levels,
};
use crate::table::WantedTable;
#[doc = include_str!("../guide/rollup.md")]
pub use bigtable_derive::Rollup;
pub use column::Combine;
pub use job::{DEFAULT_SETTLE, RollupJob};
pub use marking::mark_events;
pub use recount::recount;
pub use report::RollupReport;
pub use total::{Mean, Total};
pub use windows::{Explained, ExplainedRead, Resolution, Windows, at_most, every};

/// A model whose events are what the events of another come to in a span of time. See the
/// [module](self).
///
/// [`#[derive(Rollup)]`](derive@Rollup) writes it for columns that hold one aggregate each. By hand
/// it is needed where a column depends on several values, such as the time of the greatest.
///
/// Whatever is made of the parts of a span must be what is made of the whole: a count, a sum, the
/// least, the greatest, the first and the last value are such; a mean is a sum and a count.
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
    /// The model whose events it is of, which names it by `rollup(...)`.
    type Source: Model;

    /// How long buckets are, the shortest first: in the model's own table, and longer ones in
    /// tables that they name. Durations come first, each a multiple of the one before it; after
    /// them days, weeks, months and years.
    const LEVELS: &'static [Level];

    /// Whether the server adds what events come to as they are written: `added`. The source is
    /// append-only then, and every column an aggregate of the server's.
    const ADDED: bool = false;

    /// What one event comes to, in a span that begins at `start`.
    fn of(event: &Self::Source, start: Timestamp) -> Self;

    /// Adds what later events of the same span come to.
    ///
    /// # Errors
    /// [`RollupError`] when a column can't hold it.
    fn merge(&mut self, later: &Self) -> Result<(), RollupError>;

    /// The same of a span that begins at another time, as a part of a longer one.
    #[must_use]
    fn starting(self, start: Timestamp) -> Self;
}

/// A roll-up in the list of its source, of which the derive knows whether it is append-only; it
/// calls this in a constant.
///
/// # Panics
/// When it is not as roll-ups have to be, so that the build stops.
#[doc(hidden)]
#[must_use]
pub const fn rolled_up<S: Model, R: Rollup<Source = S>>(append_only: bool) -> RolledUp {
    check_levels(R::LEVELS);
    check_keys(const { &<S::Key as ModelKey>::LAYOUT }, &R::SCHEMA.key);
    assert!(
        matches!(R::SCHEMA.layout, Layout::Row),
        "a roll-up has a row for each bucket: leave out `layout`"
    );
    assert!(
        R::SCHEMA.map_family.is_none(),
        "a roll-up has no columns that are named at run time: leave out `columns`"
    );
    check_columns(R::COLUMNS);
    if R::ADDED {
        check_added(append_only, R::COLUMNS);
    }
    assert!(
        R::SCHEMA.rollups.is_empty() && R::MIRRORS.is_empty(),
        "a roll-up has no roll-ups or mirrors of its own: name all of them on the model that is written"
    );
    RolledUp {
        schema: R::SCHEMA,
        levels: R::LEVELS,
        adds: if R::ADDED {
            Some(AddsOf(added::adds::<R>))
        } else {
            None
        },
    }
}

/// Stops the build at a derived roll-up that its source does not name.
///
/// # Panics
/// When no write of the source would mark it.
#[doc(hidden)]
pub const fn check_names_rollup<S: Model, R: Rollup<Source = S>>() {
    let mut is_named = false;
    let mut rest = S::SCHEMA.rollups;
    while let Some((one, others)) = rest.split_first() {
        if let (Cow::Borrowed(one), Cow::Borrowed(name)) = (&one.schema.model, &R::SCHEMA.model) {
            is_named |= are_same(one.as_bytes(), name.as_bytes());
        }
        rest = others;
    }
    assert!(
        is_named,
        "this model does not name the roll-up, and no write would mark it: add `rollup(...)` with the roll-up's name there"
    );
}

/// Checks the key of a roll-up beside its source's.
const fn check_keys(source: &KeyLayout, rollup: &KeyLayout) {
    let (of_source, of_rollup) = (source.declared(), rollup.declared());
    assert!(
        hold_all(of_source, of_rollup) && hold_all(of_rollup, of_source),
        "a roll-up's key has the identifiers of its source's key, under the same names"
    );
    let mut last = None;
    let mut rest = of_rollup;
    while let Some((segment, behind)) = rest.split_first() {
        if !matches!(segment.role, SegmentRole::Salt) {
            last = Some(segment);
        }
        rest = behind;
    }
    assert!(
        matches!(last, Some(segment) if matches!(segment.role, SegmentRole::Time)),
        "the beginning of a roll-up's bucket is the last segment of its key: put the field with `time` last"
    );
}

/// Checks that no column stands where the buckets' marks do.
const fn check_columns(columns: &[ColumnSchema]) {
    let mut rest = columns;
    while let Some((column, others)) = rest.split_first() {
        if let Cow::Borrowed(qualifier) = &column.qualifier {
            assert!(
                !are_same(qualifier.as_bytes(), MARK),
                "the column `~dirty` of a roll-up marks the buckets that have to be computed: give this one another name"
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

/// Whether all identifiers among some segments are among others.
const fn hold_all(held: &[Segment], sought: &[Segment]) -> bool {
    let mut sought = sought;
    while let Some((one, behind)) = sought.split_first() {
        if matches!(one.role, SegmentRole::Identifier) && named(held, &one.name).is_none() {
            return false;
        }
        sought = behind;
    }
    true
}

/// The tables of a roll-up.
pub(crate) fn tables(rolled: &RolledUp) -> impl Iterator<Item = WantedTable> {
    let levels = rolled.levels.iter();
    levels.map(|level| WantedTable::of(rolled.schema).named(rolled.table(level)))
}
