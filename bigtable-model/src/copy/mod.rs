//! Copies the events of a query into another table, like a nightly batch job: a day of `SENSOR`
//! into `SENSOR_20170726`.
//!
//! A [`CopyJob`] reads in parallel parts, writes in bulk, resumes after it is killed, and finally
//! reads the target back and compares.
//!
//! ```
//! use bigtable_model::copy::{CopyJob, FileCheckpoint};
//! # use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
//!
//! #[derive(Debug, Clone, Model)]
//! #[bigtable(table = "SENSOR", family = "METER", layout = "columns")]
//! struct Reading {
//!     #[bigtable(key, width = 10)]
//!     meter: u64,
//!     #[bigtable(time, bucket = "day", offset = "%H%M")]
//!     at: Timestamp,
//!     #[bigtable(text)]
//!     kilowatt_hours: f64,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let db = MemoryBackend::new();
//! # db.ensure_tables::<Reading>().await?;
//! # let at = "2017-07-26T00:15:00Z".parse()?;
//! # db.insert(&Reading { meter: 987_654, at, kilowatt_hours: 13.45 }).await?;
//! # let file = std::env::temp_dir().join(format!("doc-{}.checkpoint", std::process::id()));
//! let (start, end): (Timestamp, Timestamp) =
//!     ("2017-07-26T00:00:00Z".parse()?, "2017-07-27T00:00:00Z".parse()?);
//! let report = CopyJob::new(&Reading::scan().at(start..end), |reading: Reading| reading)
//!     .into_table("SENSOR_20170726")
//!     .checkpoint(FileCheckpoint::new(&file))
//!     .on_progress(|progress| println!("{:.0} %", progress.share * 100.0))
//!     .run(&db)
//!     .await?;
//! assert_eq!((report.events, report.verified), (1, true));
//! # std::fs::remove_file(file)?;
//! # Ok(())
//! # }
//! ```
//!
//! # Tables by period
//!
//! For a model with tables by period, such as `SENSOR_{at:%Y%m%d}`, every event is written to the
//! table of its period, which is created before its first event.
//! [`into_table`](CopyJob::into_table) writes all events to one table instead. The source may have
//! tables by period too: if the query's range of time is open at an end, the job reads the tables
//! that exist when it begins. A missing table has no events.
//!
//! # Parts
//!
//! The query's rows are cut at the source's keys of `SampleRowKeys`, where Bigtable's tablets
//! begin. Each part is a task that reads in order of the key. It holds one batch of the source's
//! rows and one bulk write; the next rows are read once that is answered.
//!
//! # Checkpoints
//!
//! For each part, a checkpoint has the last row of the source up to which everything is written,
//! with count and checksum. It is saved only after the writes of these rows were acknowledged. A
//! row is recorded as a whole, however many events it has.
//!
//! So a job may be killed, dropped, or ended by an error of the backend at any point: run again, it
//! repeats the writes not yet recorded, at most one bulk write for each part in progress, and
//! continues from there. Writing an event again changes nothing: cells with the time of the write
//! have the time at which the job was first started, which the checkpoint keeps.
//!
//! A checkpoint belongs to one job: another query, model, target or [`tag`](CopyJob::tag) is
//! refused. It stays after the job is done, and running the job again then only compares. Delete it
//! to copy again. Two runs at the same time do the work twice, and one may end with an error.
//!
//! # Comparing
//!
//! While copying, every cell written is hashed with its key, family, qualifier and timestamp
//! (XXH64), and the hashes are added up. Then the whole target is read and hashed in the same way,
//! and its events are counted: events that are missing, changed, or not from the job are a
//! [`Mismatch`]. So are two events that become one in the target: a conversion must keep them
//! distinct.
//!
//! With tables by period, only those that the job has written to are compared. In layout `latest`
//! the newest event of each series is compared: the source is read and converted once more, each of
//! its events must be its row's newest or older, and the rows must hold no other newest events.
//! Older events still in the rows do not count.

mod checkpoint;
mod error;
mod job;
mod latest;
mod parallel;
mod part;
mod run;
mod split;
mod start;
mod store;
mod tally;
mod target;
#[cfg(test)]
mod tests;
mod text;
mod verify;

pub use error::{CheckpointError, CopyError, DifferentPart, Mismatch};
pub use job::{CopyJob, CopyReport, DEFAULT_PARALLELISM, DEFAULT_ROWS_PER_WRITE, Progress, Stage};
pub use store::{CheckpointStore, FileCheckpoint, MemoryCheckpoint};
pub use tally::Tally;
