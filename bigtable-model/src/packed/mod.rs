//! Packed buckets: the events of a settled row as blocks of compressed columns in the same row.
//!
//! A cell of Bigtable costs its qualifier and timestamp beside a value of eight bytes, and each is
//! a thing to store, to send and to parse. A day of a value a minute is 1,440 cells, or one block
//! of about a byte a value.
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
//! Layouts `cells` and `columns`, whose rows are buckets with an end. `pack(after = "1h")` says how
//! long after that end a row has settled: later writes are rare, and cost more until the row is
//! packed again. A [`PackJob`] puts the cells of settled rows into blocks; queries, counts, pages,
//! windows, conditions, deletes and programs [without the struct](crate::dynamic) read both alike.
//! [`PackReport`] says what was saved.
//!
//! It does not go with columns that the server changes (counters, aggregates, appends), with
//! `cell_time = "write"`, with columns named at run time, and with mirrors, on either side; the
//! compiler says so. Columns that belong to the row stay as they are. Both layouts of a model with
//! [`was`](crate::former) may be packed.
//!
//! # Events that are old already
//!
//! [`insert`] writes events of settled rows into blocks at once, as a backfill does: three requests
//! and two cells a row, whatever the number of its events. What was there stays, late writes
//! meanwhile are not lost, and an event whose row has not settled is refused by name.
//!
//! # Reading columns
//!
//! A query [by column](crate::dynamic::AnyQuery::by_column) gives a
//! [batch](crate::dynamic::EventBatch) of typed vectors. It makes no struct and no key of any
//! event, so it reads blocks several times faster than a query of structs does:
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
//! one: no predicate of the server sees into a block, so the condition is judged by the client, and
//! the row is changed if nobody wrote to it meanwhile. The server compares no column values for
//! queries.
//!
//! # Rolling it out, and back
//!
//! 1. Add `pack`, run `ensure_tables`, and let every program that reads or writes the table have
//!    this model: one without it does not see events in blocks, and its writes set no guard. The
//!    [lock](crate::lock) reports the change.
//! 2. Run the job. It changes nothing that has not settled, looks only at rows that have something
//!    to pack, and may be killed, run again, or run twice at once.
//!
//! The way back is [`PackJob::unpack`], and then to remove `pack`.
//!
//! [`PackJob::backlog`] counts what there is to do, for a gauge; so does an
//! [audit](crate::BackendExt::audit).
//!
//! # Replication
//!
//! Writes and jobs must meet in one cluster: the guard compares and writes a row in one step, which
//! Bigtable does in single-cluster routing with single-row transactions. Where a write of a settled
//! row reaches another cluster, and not yet the job's when it packs the row, one thing is lost: a
//! correction, if it replaced a cell that the job deletes, since of two writes the later one
//! counts. New events, other columns and deletes are kept. With
//! [`after_replication`](PackJob::after_replication) the job first waits until all writes so far
//! are in every cluster, so only corrections that are made while it runs can meet it.
//!
//! If the calls of a job go over to another cluster, the claim is not there, and nothing is changed
//! until the job has claimed and read the row there: then the same is true of what has not reached
//! that cluster.
//!
//! # What is stored
//!
//! A block is another form of the row's cells, nothing else: what is read is the row that would be
//! there without packing, so whatever finds, judges, orders and counts events knows nothing of
//! blocks. All that packing adds to a row is in the family `_packed`, under three kinds of names:
//!
//! - The *guard*, `g`: each write of the model's cells sets it in its own entry. Whoever changes
//!   blocks first writes a random claim there, then reads the row, and changes it in one request
//!   that asks for exactly this claim. So no write between the read and the change is lost, and a
//!   guard that is absent proves nothing. Such a request is never sent again: after a lost answer
//!   the row is read.
//! - A *block*, `b` and the time of its first event in eight bytes: the columns as the crate
//!   `bigtable-pack` writes them, each named by what its values are, its family, a colon and its
//!   qualifier. A row has one, or several of at most 8 MB. Before a row is changed, the change is
//!   applied to what was read, and compared: a row that would not come back stays as it is.
//! - What is *hidden*, `x` and a time in eight bytes: the event was deleted; or, with a hash after
//!   the time and a list of columns as the value, these columns of it were deleted, or left out by
//!   an insert. A cell of a column hides the block's value of that column by itself.
//!
//! All have the same timestamp, the end of the row's bucket: a write replaces the cell that was
//! there, whichever clock wrote it, and a rule by age takes no block before its last event. Each
//! event of a block expires at its own time.

mod compact;
mod insert;
mod job;
mod report;

pub use insert::insert;
pub(crate) use insert::{check_schema, insert_rows};
pub use job::PackJob;
pub use report::PackReport;
