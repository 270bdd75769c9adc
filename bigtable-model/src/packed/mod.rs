//! Packed buckets: the events of a settled row as blocks of compressed columns in the same row.
//!
//! Beside a value of eight bytes, a Bigtable cell costs its qualifier and timestamp, all of which
//! are stored, sent and parsed. A day with a value per minute is 1,440 cells, or one block with
//! about a byte per value.
//!
//! ```
//! use bigtable_model::packed::PackJob;
//! use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
//!
//! #[derive(Debug, Clone, PartialEq, Model)]
//! #[bigtable(table = "POWER", family = "M", layout = "cells", pack(after = "1h"))]
//! struct Power {
//!     #[bigtable(key)]
//!     meter: String,
//!     #[bigtable(time, unit = "s", bucket = "day")]
//!     at: Timestamp,
//!     watts: f64,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let db = MemoryBackend::new();
//! db.ensure_tables::<Power>().await?; // with the family `_packed`
//! let midnight: Timestamp = "2024-03-01T00:00:00Z".parse()?;
//! let minutes = (0..1_440).map(|minute| Power {
//!     meter: "m1".to_owned(),
//!     at: Timestamp::from_seconds(midnight.as_seconds() + minute * 60),
//!     watts: 40.0,
//! });
//! db.insert_many(minutes).await.into_result()?;
//!
//! // Once in a while, in any program.
//! let report = PackJob::new(Power::SCHEMA)?.run(&db).await?;
//! assert_eq!((report.events, report.cells_before, report.cells_after), (1_440, 1_441, 2));
//!
//! // Everything is read and written as before.
//! let day = Power::query().meter("m1");
//! assert_eq!(db.count(&day).await?, 1_440);
//! let late = Power { meter: "m1".to_owned(), at: midnight, watts: 41.0 };
//! db.insert(&late).await?;
//! assert_eq!(db.fetch(&day.events().limit(1)).await?, [late]);
//! # Ok(())
//! # }
//! ```
//!
//! # What it is for
//!
//! Layouts `cells` and `columns`, whose rows are buckets with an end. `pack(after = "1h")` declares
//! how long after that end a row has settled: later writes are rare, and cost more until the row is
//! packed again. A [`PackJob`] puts the cells of settled rows into blocks; queries, counts, pages,
//! windows, conditions, deletes and programs [without the struct](crate::dynamic) read both alike.
//! [`PackReport`] shows the savings.
//!
//! It does not support columns that the server changes (counters, aggregates, appends), or
//! `cell_time = "write"`; the compiler refuses these. Columns that are named at run time are packed
//! like others; columns that belong to the row stay unchanged. Both layouts of a model with
//! [`was`](crate::former) may be packed, and so may a model with [mirrors](crate::mirror), and each
//! mirror.
//!
//! # Events that are old already
//!
//! [`insert`] writes events of settled rows directly into blocks, for a backfill: three requests
//! and two cells per row, for any number of events. Existing events stay, concurrent late writes
//! are not lost, and an event whose row has not settled is refused by name.
//!
//! # Reading columns
//!
//! A query [by column](crate::dynamic::AnyQuery::by_column) returns
//! [batches](crate::dynamic::EventBatch) of typed vectors. It makes no struct or key of an event,
//! so it reads blocks several times faster than a query of structs. `fetch` returns all events in
//! one batch, [`stream`](crate::BackendExt::stream) 1,000 in each, or the whole of a packed row:
//!
//! ```
//! # use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp, packed};
//! # #[derive(Model)]
//! # #[bigtable(table = "POWER", family = "M", layout = "cells", pack(after = "1h"))]
//! # struct Power {
//! #     #[bigtable(key)]
//! #     meter: String,
//! #     #[bigtable(time, unit = "s", bucket = "day")]
//! #     at: Timestamp,
//! #     watts: f64,
//! # }
//! use bigtable_model::dynamic::{AnyQuery, Values};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let db = MemoryBackend::new();
//! # db.ensure_tables::<Power>().await?;
//! # let midnight: Timestamp = "2024-03-01T00:00:00Z".parse()?;
//! let minutes = (0..1_440).map(|minute| Power {
//!     meter: "m1".to_owned(),
//!     at: Timestamp::from_seconds(midnight.as_seconds() + minute * 60),
//!     watts: 40.0,
//! });
//! packed::insert(&db, minutes).await?.into_result()?;
//!
//! let day = db.fetch(&AnyQuery::by_column(&Power::query().meter("m1"))).await?;
//! let Some(Values::Float(watts)) = day.column("watts").map(|one| one.values()) else {
//!     return Err("no watts".into());
//! };
//! assert_eq!(watts.iter().sum::<f64>() / watts.len() as f64, 40.0);
//! assert_eq!(day.segment("at").map(|one| one.times()[0]), Some(midnight));
//! # Ok(())
//! # }
//! ```
//!
//! # What a write costs
//!
//! Each write of the model adds one cell to its row's entry, the guard below, and one more for each
//! event that lacks a column or is deleted. A write under a condition takes three requests, not
//! one: no predicate of the server sees into a block, so the client evaluates the condition, and
//! changes the row if nobody wrote to it meanwhile. For queries, too, the server compares no column
//! values.
//!
//! # Rolling it out, and back
//!
//! 1. Add `pack`, run `ensure_tables`, and let every program that reads or writes the table have
//!    this model: a program without it does not see events in blocks, and its writes set no guard.
//!    The [lock](crate::lock) reports the change.
//! 2. Run the job. It changes only settled rows, visits only rows with something to pack, and may
//!    be killed, run again, or run twice at once.
//!
//! To go back, run [`PackJob::unpack`], then remove `pack`.
//!
//! [`PackJob::backlog`] counts the remaining work, for a gauge; so does an
//! [audit](crate::BackendExt::audit).
//!
//! # Replication
//!
//! Writes and jobs must meet in one cluster: the guard compares and writes a row in one step, which
//! Bigtable does in single-cluster routing with single-row transactions. If a write of a settled
//! row reaches another cluster, but not yet the job's cluster when it packs the row, one thing can
//! be lost: a correction that replaced a cell that the job deletes, since the later of two writes
//! counts. New events, other columns and deletes are kept. With
//! [`after_replication`](PackJob::after_replication) the job first waits until all writes so far
//! are in every cluster, so only corrections made while it runs can collide with it.
//!
//! If the calls of a job fail over to another cluster, the claim is missing there, and nothing is
//! changed until the job has claimed and read the row there: then the same holds for writes that
//! have not reached that cluster.
//!
//! # What is stored
//!
//! A block is only another form of the row's cells: a read returns the row without packing, so the
//! code that finds, checks, orders and counts events knows nothing of blocks. Everything that
//! packing adds to a row is in the family `_packed`, under three kinds of names:
//!
//! - The *guard*, `g`: each write of the model's cells sets it in its own entry. A change of blocks
//!   first writes a random claim there, then reads the row, and changes it in one request that
//!   requires exactly this claim. So no write between the read and the change is lost, and an
//!   absent guard proves nothing. Such a request is never repeated: after a lost answer the row is
//!   read.
//! - A *block*, `b` and the time of its first event in eight bytes: the columns as the crate
//!   `bigtable-pack` writes them, each named by the type of its values, its family, a colon and its
//!   qualifier. A row has one block, or several of at most 8 MB. Before a row is changed, the
//!   change is applied to the row as read, and compared: a row that would not be read back the same
//!   stays unchanged.
//! - A *hidden* event, `x` and a time in eight bytes: the event was deleted; or, with a hash after
//!   the time and a list of columns as the value, these of its columns were deleted, or left out by
//!   an insert. A cell of a column itself hides the block's value of that column.
//!
//! All have the same timestamp, the end of the row's bucket: a write replaces the existing cell,
//! regardless of clocks, and a rule by age deletes no block before its last event. Each event of a
//! block expires at its own time.
//!
//! A query [`with_expired`](crate::query::Query::with_expired) and a
//! [`history`](crate::BackendExt::history) read what is still stored: if an event was corrected
//! after its row was packed, the correction may be deleted by age before the block with the former
//! value is.

mod compact;
mod insert;
mod job;
mod report;

pub(crate) use compact::without_deleted;
pub use insert::insert;
pub(crate) use insert::{check_schema, insert_rows};
pub use job::PackJob;
pub use report::PackReport;
