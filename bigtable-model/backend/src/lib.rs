//! A Google Bigtable client that retries and resumes, an in-memory backend, and a server that
//! speaks Bigtable's protocol.
//!
//! A [`Backend`] is one Bigtable instance: tables, rows and cells, as plain [data]. [`connect`]
//! opens one by name:
//!
//! | target | backend |
//! |---|---|
//! | `bigtable://my-project/my-instance` | Bigtable over gRPC, or the emulator that `BIGTABLE_EMULATOR_HOST` names |
//! | `memory:` | tables in this process, which behave like Bigtable, refusals included |
//!
//! ```
//! use bigtable_backend::data::{EntryBatch,
//!     FamilySchema, Mutation, ReadRows, RowMutations, RowRange, RowSet, TableSchema,
//! };
//! use bigtable_backend::{Backend, connect};
//! use futures::TryStreamExt;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let db = connect("memory:").await?; // or "bigtable://my-project/my-instance"
//! let families = [("m".to_owned(), FamilySchema::default())].into();
//! let table = TableSchema { table: "SENSOR".to_owned(), families, ..TableSchema::default() };
//! db.tables().create(table, Vec::new()).await?;
//!
//! let reading = |key: &'static str, celsius: &'static str| RowMutations {
//!     key: key.into(),
//!     mutations: vec![Mutation::SetCell {
//!         family: "m".into(),
//!         qualifier: "celsius".into(),
//!         timestamp_micros: 1_714_564_800_000_000,
//!         value: celsius.into(),
//!     }],
//! };
//! let outcomes = db
//!     .mutate_rows("SENSOR", EntryBatch::of([reading("attic#1", "21.5"), reading("attic#2", "22.0")]))
//!     .await?;
//! assert!(outcomes.iter().all(Result::is_ok)); // an outcome for each entry
//!
//! let mut rows = db.read_rows(ReadRows {
//!     table: "SENSOR".to_owned(),
//!     rows: RowSet { ranges: vec![RowRange::prefix("attic#")], ..RowSet::default() },
//!     ..ReadRows::default()
//! }).rows();
//! let mut found = Vec::new();
//! while let Some(row) = rows.try_next().await? {
//!     found.push(row.key);
//! }
//! assert_eq!(found, ["attic#1", "attic#2"]);
//! # Ok(())
//! # }
//! ```
//!
//! A read delivers [batches](RowBatches), whose rows are read in place, which is faster than
//! reading owned rows:
//!
//! ```
//! # use bigtable_backend::data::ReadRows;
//! # use bigtable_backend::{Backend, Status};
//! # use futures::TryStreamExt;
//! async fn bytes_of_values(db: &dyn Backend, request: ReadRows) -> Result<usize, Status> {
//!     let mut batches = db.read_rows(request);
//!     let mut bytes = 0;
//!     while let Some(batch) = batches.try_next().await? {
//!         for row in batch.rows() {
//!             bytes += row.cells().map(|cell| cell.value().len()).sum::<usize>();
//!         }
//!     }
//!     Ok(bytes)
//! }
//! ```
//!
//! # What the client does when calls fail
//!
//! - A read that is interrupted resumes after the last row that it delivered: each row arrives
//!   once, in order. The [rows](RowBatches) are a stream; a long scan needs no more memory than a
//!   short one. Parts of a row that you keep hold little else in memory: bytes under 4 KiB are
//!   copies, and a longer value holds at most the message that brought it.
//! - Rows are checked against the request and its order. A row that was not asked for, or one that
//!   takes over [256 MiB](grpc::GrpcSettings::row_bytes), ends the read with an error after the
//!   rows before it.
//! - Bulk writes resend only the entries that failed and that are safe to repeat. Each entry has
//!   its own outcome.
//! - Pauses between attempts grow, with jitter, unless the server sets one (`RetryInfo`). Every
//!   operation has a deadline over all its attempts ([`Timeouts`](grpc::Timeouts)).
//! - A write that is not [idempotent](data::RowMutations::is_idempotent), a conditional write and a
//!   read-modify-write are sent once; additions to aggregates are repeated if
//!   [`repeat_adds`](grpc::GrpcSettings::repeat_adds) says that the server keeps tokens.
//! - Requests over Bigtable's limits are refused before they are sent
//!   ([`RequestLimits`](grpc::RequestLimits)).
//! - Calls go to a pool of connections, which are warmed up before use and replaced before the
//!   server closes them for their age.
//!
//! All numbers are settings of [`GrpcBackend`](grpc::GrpcBackend); some can be set for single
//! calls.
//!
//! # SQL
//!
//! Bigtable itself runs queries in GoogleSQL: [`db.sql(..)`](SqlExt::sql) takes the text and its
//! parameters, and returns rows as your structs, matched by column names. A family is a map of its
//! columns, and with `with_history` each column is an array of cells. [`sql`] lists the Rust type
//! for each SQL type. Only Bigtable itself runs them: `MemoryBackend` and Google's emulator answer
//! `UNIMPLEMENTED`.
//!
//! ```no_run
//! use std::collections::BTreeMap;
//!
//! use bigtable_backend::{SqlExt, Timestamp, connect};
//! use bytes::Bytes;
//! use futures::TryStreamExt;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize)]
//! struct Reading {
//!     #[serde(rename = "_key")]
//!     key: String,
//!     /// Each column's cells, the newest first.
//!     #[serde(rename = "m")]
//!     columns: BTreeMap<String, Vec<Cell>>,
//! }
//!
//! #[derive(Deserialize)]
//! struct Cell {
//!     timestamp: Timestamp,
//!     value: Bytes,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let db = connect("bigtable://my-project/my-instance").await?;
//! let mut readings = db
//!     .sql("SELECT _key, m FROM SENSOR(with_history => TRUE) WHERE STARTS_WITH(_key, @sensor)")
//!     .bind("sensor", b"attic#")
//!     .stream::<Reading>();
//! while let Some(reading) = readings.try_next().await? {
//!     if let Some(newest) = reading.columns.get("celsius").and_then(|cells| cells.first()) {
//!         println!("{} at {}: {:?}", reading.key, newest.timestamp, newest.value);
//!     }
//! }
//! let count: Option<i64> = db.sql("SELECT COUNT(*) FROM SENSOR").fetch_first().await?;
//! # Ok(())
//! # }
//! ```
//!
//! Rows are delivered when the server sends a resume token, and an interrupted query resumes from
//! the last token: each row arrives once. An expired plan is prepared again if no token has arrived
//! yet.
//!
//! # Wrappers
//!
//! [`batcher`] sends single writes of many tasks together, with back-pressure and an outcome for
//! each. [`faults`] makes calls fail by rule, for tests. [`table_names`] puts a program's tables
//! under other names. [`expiry`] makes typed reads use an earlier time to decide what has expired.
//! `metered` (feature `metrics`) counts calls, [`observed`] shows each to a function. All but the
//! batcher are [`Backend`]s too. Your own implement [`Wrapper`], with only the methods that differ.
//!
//! # Testing
//!
//! [`MemoryBackend`] has the service's semantics, a clock that a test controls, and snapshots in a
//! file. `server` (feature `server`) serves it on a port, for programs in any language.
//! `testing::backend_suite` (feature `testing`) is the suite that every backend passes: memory, the
//! client against our server, the client against Google's emulator, and any of your own.
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `grpc` (default) | Bigtable's protocol: Bigtable itself and Google's emulator |
//! | `auth` (default) | Application Default Credentials; without it, credentials of your own |
//! | `memory` (default) | [`MemoryBackend`] and the target `memory:` |
//! | `metrics` | latencies, retries and broken connections through the `metrics` facade, and `metered` |
//! | `server` | the module `server`: any backend over Bigtable's protocol |
//! | `testing` | the module `testing`: the conformance suite for backends |
//! | `chrono`, `time` | conversions of [`Timestamp`] |
//!
//! The crate `bigtable-model` adds typed models, where a struct is a row's key and columns.

mod backend;
mod connect;
pub mod data;
mod fields;
#[doc(hidden)]
pub mod file;
#[cfg(feature = "grpc")]
pub mod grpc;
#[cfg(feature = "memory")]
pub mod memory;
#[cfg(feature = "server")]
pub mod server;
pub mod sql;
mod status;
#[cfg(feature = "testing")]
pub mod testing;
mod time;
mod wrap;

pub use backend::connect_error::ConnectError;
pub use backend::method::Method;
pub use backend::read::{ReadCounts, RowBatches, Rows};
pub use backend::statement::{SqlExt, Statement};
pub use backend::tables::{SqlService, Tables};
pub use backend::{Backend, Capabilities, EntryOutcome};
pub use connect::connect;
#[cfg(feature = "memory")]
pub use memory::MemoryBackend;
pub use status::setting::InvalidSetting;
pub use status::{Code, Status};
#[doc(hidden)]
pub use status::{missing, setting};
pub use time::{ParseTimestampError, TimeGrid, Timestamp, TimestampRangeError};
#[cfg(feature = "metrics")]
pub use wrap::metered;
pub use wrap::{Wrapper, batcher, expiry, faults, observed, table_names};

/// Forms of a [`Timestamp`] for serde.
pub mod timestamp {
    pub use crate::time::rfc3339;
}
