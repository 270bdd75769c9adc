//! Versions of a layout: a model in a new layout, whose events of the former one are read with it
//! until they are copied.
//!
//! What is stored does not change when attributes do. A model with another key, bucket or layout
//! takes a table of its own, and names the model that it was:
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
//! db.ensure_table::<QuoteV1>().await?;
//! let at = Timestamp::from_seconds;
//! for (second, bid) in [(10, 1.0), (20, 2.0), (30, 3.0)] {
//!     db.insert(&QuoteV1 { symbol: "ZXZZT".into(), at: at(second), bid }).await?;
//! }
//!
//! db.ensure_table::<Quote>().await?;
//! db.insert(&Quote { symbol: "ZXZZT".into(), at: at(20), bid: 2.5 }).await?; // the new one wins
//! db.delete::<Quote>(&QuoteKey { symbol: "ZXZZT".into(), at: at(30) }).await?; // a tombstone
//! let bids = |quotes: Vec<Quote>| quotes.iter().map(|quote| quote.bid).collect::<Vec<_>>();
//! assert_eq!(bids(Quote::query().symbol("ZXZZT").fetch(&db).await?), [1.0, 2.5]);
//!
//! let copied = former::copy::<Quote>(&db).await?;
//! assert_eq!((copied.events, copied.copied), (3, 1));
//! let finished = former::finish::<Quote>(&db).await?;
//! assert_eq!((finished.deleted, finished.tombstones), (3, 1));
//! assert_eq!(bids(Quote::query().symbol("ZXZZT").fetch(&db).await?), [1.0, 2.5]);
//! // `was(QuoteV1)` and QuoteV1 can go, and table QUOTE.
//! # Ok(())
//! # }
//! ```
//!
//! # While `was` stands
//!
//! - **Identity.** An event is the same in both layouts when its identifiers and its time are, as
//!   values. Both keys have the same identifiers by their names, in any order. The conversion
//!   changes neither; an event of which it does is a bad row.
//! - **Writes** go to the new layout. A delete leaves a tombstone there, in a family `_deleted`
//!   that [`ensure_table`](crate::BackendExt::ensure_table) adds. An update, a counter or a delete
//!   of a column first copies an event that only the former layout has.
//! - **Queries** unite both: each event once, the new one before the former, in the order asked
//!   for, with limits, pages, counts, series and conditions. Each layout is scanned as a query of
//!   it alone would, with a row of each scan in memory; limits and conditions are the client's.
//!   Events of the former layout are read as a whole, and only their keys for counts. Order of keys
//!   takes keys that stand in one order in both, and else it is refused by
//!   [`QueryError::FormerOrder`](crate::QueryError::FormerOrder).
//!   [`series`](crate::query::Query::series) goes through the keys of all events.
//! - **Garbage collection** of the new layout holds for events of the former one too: by the
//!   event's time.
//! - **Refused by name**: writes under a condition, which would be atomic in one layout alone;
//!   partitions, SQL and copy jobs of the model. Mirrors and layouts `latest` and `qualifiers` are
//!   refused while the model is compiled. [`history`](crate::BackendExt::history) and
//!   [`audit`](crate::BackendExt::audit) look at the new layout.
//! - **Roll-ups** of the new model are refused too: what would mark them does not see the former
//!   layout.
//!
//! # The end
//!
//! Programs that write the former layout are stopped, then [`copy`] copies its events, each by one
//! `CheckAndMutateRow` under the condition that today's layout has neither it nor its tombstone: so
//! nothing comes back that was deleted or replaced. It takes an app profile with single-cluster
//! routing and single-row transactions. It can be killed anywhere and begun again. [`finish`]
//! proves that today's layout knows each event of the former one, empties that, and clears the
//! tombstones. Then `was(...)` can go, and with it the family `_deleted`, which `table_diff` then
//! reports.

mod clear;
mod run;

use crate::Error;
use crate::backend::Backend;
pub use crate::error::FormerError;
use crate::model::Model;

/// What [`copy`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Copied {
    /// How many events the former layout has.
    pub events: u64,
    /// How many of them were written; today's layout knew the others.
    pub copied: u64,
}

/// What [`finish`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Finished {
    /// How many events of the former layout were deleted there, since today's knows them.
    pub deleted: u64,
    /// In how many rows tombstones were cleared.
    pub tombstones: u64,
}

/// Copies the events of the former layout that today's neither has nor had. Of a model without a
/// former layout there are none.
///
/// The former layout is read in order of its keys, 500 events at a time, and stays as it is. A call
/// that broke off is made again from the beginning: what it copied is looked up and not written.
///
/// # Errors
/// [`Error::Backend`] when a read or a write fails, and the error of the first event of the former
/// layout that can't be read or can't stand in today's: nothing is left out in silence.
pub async fn copy<M: Model>(backend: &dyn Backend) -> Result<Copied, Error> {
    match M::SCHEMA.former {
        Some(former) => run::copy(backend, M::SCHEMA, former).await,
        None => Ok(Copied::default()),
    }
}

/// Proves that today's layout knows every event of the former one, deletes these there, and then
/// clears the tombstones. Of a model without a former layout it does nothing.
///
/// Only events that today's layout has, or had and deleted, are deleted. Reads that began before
/// [`copy`] ended must be over by now: of an event that was copied after they passed its place they
/// would see neither. It can be killed anywhere and made again. Columns of former rows that are no
/// event stay, and what has expired.
///
/// # Errors
/// [`Error::NotCopied`] when events of the former layout are left that today's does not know, since
/// `copy` did not end or a program still writes them; nothing is deleted then.
/// [`Error::Backend`] when a read or a write fails, and the errors of events as for [`copy`].
pub async fn finish<M: Model>(backend: &dyn Backend) -> Result<Finished, Error> {
    let schema = M::SCHEMA;
    let Some(former) = schema.former else {
        return Ok(Finished::default());
    };
    let deleted = run::empty(backend, schema, former).await?;
    // What a program wrote meanwhile would come back without the tombstones.
    let late = run::empty(backend, schema, former).await?;
    let tombstones = clear::tombstones(backend, schema).await?;
    let deleted = deleted + late;
    Ok(Finished {
        deleted,
        tombstones,
    })
}
