//! Versions of a layout: a model in a new layout also reads events of its former layout, until they
//! are copied.
//!
//! Changing attributes does not change stored rows. A model with another key, bucket or layout gets
//! its own table, and names its former model:
//!
//! ```
//! use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp, former};
//!
//! /// As it was: the struct and its attributes are left alone.
//! #[derive(Debug, Model)]
//! #[bigtable(table = "QUOTE", family = "MD")]
//! struct QuoteV1 {
//!     #[bigtable(key)]
//!     symbol: String,
//!     #[bigtable(time, unit = "s")]
//!     at: Timestamp,
//!     bid: f64,
//! }
//!
//! /// As it is: an hour is a row.
//! #[derive(Debug, PartialEq, Model)]
//! #[bigtable(table = "QUOTE_V2", family = "MD", layout = "cells", was(QuoteV1))]
//! struct Quote {
//!     #[bigtable(key)]
//!     symbol: String,
//!     #[bigtable(time, bucket = "hour")]
//!     at: Timestamp,
//!     bid: f64,
//! }
//!
//! impl From<QuoteV1> for Quote {
//!     fn from(QuoteV1 { symbol, at, bid }: QuoteV1) -> Self {
//!         Self { symbol, at, bid }
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), bigtable_model::Error> {
//! let db = MemoryBackend::new();
//! db.ensure_tables::<QuoteV1>().await?;
//! let at = Timestamp::from_seconds;
//! for (second, bid) in [(10, 1.0), (20, 2.0), (30, 3.0)] {
//!     db.insert(&QuoteV1 { symbol: "ZXZZT".into(), at: at(second), bid }).await?;
//! }
//!
//! db.ensure_tables::<Quote>().await?;
//! db.insert(&Quote { symbol: "ZXZZT".into(), at: at(20), bid: 2.5 }).await?; // the new one wins
//! db.delete::<Quote>(&QuoteKey { symbol: "ZXZZT".into(), at: at(30) }).await?; // a tombstone
//! let bids = |quotes: Vec<Quote>| quotes.iter().map(|quote| quote.bid).collect::<Vec<_>>();
//! assert_eq!(bids(db.fetch(&Quote::query().symbol("ZXZZT")).await?), [1.0, 2.5]);
//!
//! let copied = former::copy::<Quote>(&db).await?;
//! assert_eq!((copied.events, copied.copied), (3, 1));
//! let finished = former::finish::<Quote>(&db).await?;
//! assert_eq!((finished.deleted, finished.tombstones), (3, 1));
//! assert_eq!(bids(db.fetch(&Quote::query().symbol("ZXZZT")).await?), [1.0, 2.5]);
//! // `was(QuoteV1)` and QuoteV1 can go, and table QUOTE.
//! # Ok(())
//! # }
//! ```
//!
//! # While `was` is declared
//!
//! - **Identity.** An event is the same in both layouts if its identifiers and its time have the
//!   same values. Both keys have the same identifiers by name, in any order. The conversion must
//!   change neither; an event for which it does is a bad row.
//! - **Writes** go to the current layout. A delete leaves a tombstone there, in a family `_deleted`
//!   that [`ensure_tables`](crate::BackendExt::ensure_tables) adds; with tables by period it fails
//!   if the table of the event's time is missing. An update, a counter or a delete of a column
//!   first copies an event that only the former layout has.
//! - **Queries** merge both layouts: they return each event once, preferring the current layout, in
//!   the requested order, with limits, pages, counts, series and conditions. Each layout is scanned
//!   as if it were queried alone, with a row of each scan in memory; the client applies limits and
//!   conditions. Events of the former layout are read as a whole; counts read only their keys. Key
//!   order requires keys that sort in the same order in both layouts; otherwise the query fails
//!   with [`QueryError::FormerOrder`](crate::QueryError::FormerOrder). Queries without an order,
//!   and counts and deletes without a limit, then read the current layout first and remember a hash
//!   of each event's key: some 30 bytes for each event of the current layout.
//!   [`series`](crate::BackendExt::series) reads the keys of all events. If the tables of either
//!   layout are by period and the range of time is open, the tables are listed, again for each
//!   page.
//! - **Garbage collection** rules of the current layout also apply to events of the former one:
//!   rules by age to the event's time, rules by number once the events are copied.
//! - **Refused with an error**: conditional writes, which would be atomic in one layout only
//!   ([`ConditionError::Former`](crate::condition::ConditionError::Former)); partitions, SQL and
//!   copy jobs of the model. Mirrors and the layouts `latest` and `qualifiers`
//!   are refused at compile time. [`history`](crate::BackendExt::history) and
//!   [`audit`](crate::BackendExt::audit) read only the current layout.
//! - **Roll-ups** of the current model are refused at compile time: marking them would miss events
//!   of the former layout.
//! - **One change at a time.** A former layout cannot have a former layout itself: [`finish`] one
//!   change, and remove its `was`, before the next.
//!
//! # Finishing
//!
//! First stop the programs that write the former layout. Then [`copy`] copies its events, each with
//! a `CheckAndMutateRow` that writes only if the current layout has neither the event nor its
//! tombstone: so no deleted or replaced event reappears. The events of a [packed](crate::packed)
//! row are one such request, after a claim and a read of the row. Events that a rule of the current
//! layout would delete are not copied. It needs an app profile with single-cluster routing and
//! single-row transactions. It can be killed at any time and run again. [`finish`] checks that the
//! current layout knows each event of the former one, or would have deleted it by a rule, empties
//! the former layout, and clears the tombstones. After that, remove `was(...)` and the family
//! `_deleted`, which `table_diff` then reports. A packed former table keeps its blocks, with all of
//! their events hidden, until it is deleted.

mod clear;
mod run;

use crate::Error;
use crate::backend::Backend;
pub use crate::error::FormerError;
use crate::model::Model;
pub use run::Copied;

/// The result of [`finish`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Finished {
    /// The number of events deleted from the former layout, since the current one knows them or
    /// would have deleted them by a rule.
    pub deleted: u64,
    /// The number of rows from which tombstones were cleared.
    pub tombstones: u64,
}

/// Copies the events of the former layout that the current one neither has nor has deleted, except
/// those that a garbage-collection rule of the current model would delete. Without a former layout
/// it copies nothing.
///
/// It reads the former layout in key order, 500 events at a time, and does not change it. If it is
/// interrupted, run it again: it starts over, but does not rewrite copied events.
///
/// # Errors
/// [`Error::Backend`] if a read or a write fails, and the error of the first event of the former
/// layout that cannot be read or cannot be stored in the current one: no event is skipped.
pub async fn copy<M: Model>(backend: &dyn Backend) -> Result<Copied, Error> {
    let mut copied = Copied::default();
    for former in M::SCHEMA.sources() {
        let of_one = run::copy(backend, M::SCHEMA, &former).await?;
        copied.events += of_one.events;
        copied.copied += of_one.copied;
    }
    Ok(copied)
}

/// Checks that the current layout knows every event of the former one, deletes them from the former
/// layout, and then clears the tombstones. Without a former layout it does nothing.
///
/// It deletes only events that the current layout has or has deleted, or that a rule of the current
/// model would delete by the backend's time. Reads that began before [`copy`] ended must have
/// ended: they would miss an event that was copied after they passed its position. It can be killed
/// at any time and run again. Former rows keep columns that belong to no event, and expired cells.
///
/// # Errors
/// [`Error::NotCopied`] if the former layout has events that the current one does not know, because
/// `copy` did not finish or a program still writes them; they are never deleted. [`Error::Former`]
/// if the backend keeps rows of both layouts in one table; then nothing is deleted from it.
/// [`Error::Backend`] if a read or a write fails, and the errors of events as for [`copy`].
pub async fn finish<M: Model>(backend: &dyn Backend) -> Result<Finished, Error> {
    let schema = M::SCHEMA;
    let mut finished = Finished::default();
    if !schema.is_united() {
        return Ok(finished);
    }
    // Twice: once tombstones are cleared, events that a program writes during the first pass would
    // reappear.
    for _ in 0..2 {
        for former in schema.sources() {
            finished.deleted += run::empty(backend, schema, &former).await?;
        }
    }
    finished.tombstones = clear::tombstones(backend, schema).await?;
    Ok(finished)
}
