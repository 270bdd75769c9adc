#![doc = include_str!("guide/begin.md")]
#![doc = include_str!("guide/times.md")]
#![doc = include_str!("guide/columns.md")]
//!
//! # Layouts, buckets and salts
//!
//! Attributes decide where an event's time goes and how its columns are stored; writes and queries
//! stay the same. [`guide`](guide#the-layout) explains when to use which layout, with a model of
//! each.
//!
//! | `layout` | rows | an event is | good for |
//! |---|---|---|---|
//! | `"row"` (default) | one an event | its columns | events of many columns, reads of single events, and to begin with |
//! | `"cells"` | one a bucket | a cell of each column, at the event's time | many small events: over the wire, reads are several times faster |
//! | `"columns"` | one a bucket | a column, or one for each field, named by the time within the bucket | events at fixed times of the day |
//! | `"qualifiers"` | one a bucket | the qualifier of an empty cell, at the event's time | one small value an event |
//! | `"latest"` | one a series | a cell of each column, at the event's time; only the newest is read | the current value of everything |
//!
//! In `"latest"` a late or repeated event never replaces a newer one, since its cells are older. A
//! column that the newest event lacks is absent even if an older event had it. Old cells stay until
//! garbage collection: declare `gc(max_versions = 1)`.
//!
//! `serialize(json)`, `serialize(postcard)`, `serialize(proto)` and `serialize(MyCodec)` put all
//! columns of an event into one: less space, but no column can be read or updated separately.
//!
//! A **bucket** is declared on the time: `bucket = "day"`, or `"minute"`, `"hour"`, `"week"`,
//! `"month"`, `"year"`, a duration such as `"15m"`, or `"none"`. Its `label` is its form in the
//! key: a format, `"{start}"`, or `"week{n}"` counted from an `origin`; days and longer may have a
//! `zone`. A row is read as a whole and Bigtable advises at most 100 MB, so declare what you
//! expect: with `expect(every = "5s", size = 100)` the compiler computes the size of a row.
//!
//! A **salt** spreads keys that would otherwise all be written in one place:
//! `salt(shards = 64, of(symbol, at))` begins the key with a shard number, a hash of these
//! segments. A query with values for all of them reads one shard; any other query scans all shards
//! and merges them by time. Neither the segments nor the number of shards can change once rows are
//! stored.
//!
//! ```
//! # use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
//! /// A reading of an electricity meter: column `0015` of the row `0000987654#20170726`.
//! #[derive(Debug, Clone, PartialEq, Model)]
//! #[bigtable(table = "SENSOR", family = "METER", layout = "columns", expect(every = "15m", size = 60))]
//! struct Reading {
//!     #[bigtable(key, width = 10, column = "ID", text)] // a column of the row, written once
//!     meter: u64,
//!     #[bigtable(time, bucket = "day", offset = "%H%M")]
//!     at: Timestamp,
//!     #[bigtable(text)]
//!     kilowatt_hours: f64,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), bigtable_model::Error> {
//! # let db = MemoryBackend::new();
//! # db.ensure_tables::<Reading>().await?;
//! let at = |seconds: i64| Timestamp::from_seconds(1_501_027_200 + seconds);
//! let reading = Reading { meter: 987_654, at: at(900), kilowatt_hours: 13.45 };
//! db.insert(&reading).await?;
//! let morning = Reading::query().meter(987_654_u64).at(at(0)..at(43_200));
//! assert_eq!(db.fetch(&morning).await?, [reading]);
//! assert_eq!(morning.events().plan()?.scans[0].parts[0].keys[0], "0000987654#20170726");
//! # Ok(())
//! # }
//! ```
//!
//! # Tables by period
//!
//! `table = "SENSOR_{at:%Y%m%d}"` gives each day its own table: dropping it deletes old events
//! immediately and costs next to nothing. Writes go to the table of the event's time; queries read
//! the tables that their range of time touches.
//!
//! ```
//! # use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
//! #[derive(Debug, Clone, PartialEq, Model)]
//! #[bigtable(table = "SENSOR_{at:%Y%m%d}", family = "METER", layout = "columns")]
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
//! # async fn main() -> Result<(), bigtable_model::Error> {
//! # let db = MemoryBackend::new();
//! let hour = |hour: i64| Timestamp::from_seconds(1_501_027_200 + hour * 3_600); // of the 26th of July 2017
//! let tables = db.ensure_periods::<Reading>(hour(0)..hour(48)).await?; // ahead of the events
//! assert_eq!(tables, ["SENSOR_20170726", "SENSOR_20170727"]);
//! let readings = [23, 24].map(|at| Reading { meter: 987_654, at: hour(at), kilowatt_hours: 13.45 });
//! db.insert_many(&readings).await.into_result()?;
//! let mut both = db.stream(&Reading::query().meter(987_654_u64).at(hour(0)..hour(72)));
//! let mut found = Vec::new();
//! while let Some(reading) = both.try_next().await? {
//!     found.push(reading);
//! }
//! assert_eq!(found, readings);
//! assert_eq!(both.missing_tables(), ["SENSOR_20170728"]); // which is no error
//! assert_eq!(db.drop_tables_before::<Reading>(hour(24)).await?, ["SENSOR_20170726"]);
//! # Ok(())
//! # }
//! ```
//!
//! A query in order of time reads one table after another. In order of keys it needs a scan for
//! each table, so wide ranges need `max_scans`. If its range of time is open at an end, it first
//! asks which tables exist. [`Query::plan`](query::Query::plan) sends nothing and refuses such a
//! query; [`db.plan(&query)`](BackendExt::plan) asks the backend.
//!
//! # Queries
//!
//! [`Model::query`] has a setter for each segment, in the order of the key. After a value or a set
//! the next segment can be set; after a range or [`starts_with`](query::starts_with) no segment
//! can. Skipping one does not compile. Ranges are those of Rust: `a..b`, `a..`, `..b`, `a..=b`. If
//! every identifier is set to a value or a set, results come in order of time, merged from one scan
//! for each series and shard; otherwise they come in key order. The type of the stream shows which.
//! With buckets, segments after a range of time can be set too.
//!
//! A value has the field's type, or is a reference to it; for a `String` it may be a `&str`, for a
//! [`Timestamp`] a time of std or jiff, or with their features of chrono or `time`. Numbers need no
//! suffix. Updates and conditions take the column's type, for text also a `&str`, for bytes also a
//! `&[u8]`, and for an `Option` the value itself or `None`.
//!
//! A set is an array, a slice, a vector, a `HashSet`, a `BTreeSet` or an iterator in
//! [`any_of`](query::any_of). `..` is all times. An `Option` of any of these selects everything if
//! it is `None`, so optional filters need no branches: segments after an open identifier are
//! compared with each row, and results come in key order; for the order of time set a list instead,
//! such as that of [`series`](BackendExt::series). The first segment may only be open in a query
//! that begins with [`scan()`](Model::scan). Branches that set different segments have the
//! same type after [`erase()`](query::Query::erase). `events()`, `select()` and the calls of
//! `db` borrow the query, which can be used again.
//!
//! A query has setters and only two more methods, so that fields may have any other name:
//! `select::<P>()` reads a [projection](Projection) instead of whole events, and `events()` returns
//! the [`Query`](query::Query) so far, which has the options, in any order and with any segments
//! set.
//!
//! | option | |
//! |---|---|
//! | [`limit(n)`](query::Query::limit) | at most n events |
//! | [`newest_first()`](query::Query::newest_first), [`reversed()`](query::Query::reversed) | the newest, or the last key, first |
//! | [`matching(condition)`](query::Query::matching) | events whose columns meet a [condition] |
//! | [`max_scans(n)`](query::Query::max_scans), [`max_seeks(n)`](query::Query::max_seeks) | how many series may be read at once; how many are sought if the query leaves them open |
//! | [`on_bad_row(BadRows::skip())`](query::Query::on_bad_row) | rows, events and cells that do not fit the model are skipped, counted and listed, instead of failing |
//! | [`in_key_order()`](query::Query::in_key_order), [`unordered()`](query::Query::unordered) | the same query in one scan, or in several that run at once |
//! | [`erase()`](query::Query::erase) | the same query as a type that does not say which segments are set |
//! | `page_key(&key)` (feature `page_key`) | sealed page tokens, also of moving windows |
//!
//! The database runs a query, by the same call with or without options:
//!
//! | | |
//! |---|---|
//! | [`db.fetch(&query)`](BackendExt::fetch) | all results; the first bad row ends it |
//! | [`db.stream(&query)`](BackendExt::stream) | the results one by one; a bad row is one error and the stream goes on |
//! | [`db.count(&query)`](BackendExt::count) | how many; checks keys like `fetch`, reads only tested values |
//! | [`db.page(&query, size, token)`](BackendExt::page) | up to `size` results, and a token for the next page, also after a restart |
//! | [`db.partitions(&query, n)`](BackendExt::partitions) | up to n queries that together are this one, to run in parallel |
//! | [`db.series(&query)`](BackendExt::series) | the series of the query's events, found by seeking past each |
//! | [`db.latest_each(&query, n)`](BackendExt::latest_each) | the newest n of each series |
//! | [`db.latest_before(&query, t)`](BackendExt::latest_before) | the state of each series at a time: its newest event before it |
//! | [`db.missing_tables(&query)`](BackendExt::missing_tables) | the tables that it reads and that do not exist |
//! | [`db.plan(&query)`](BackendExt::plan), [`query.events().explain()`](query::Query::explain) | what will be read, as data and in words |
//! | [`query.events().to_sql()`](query::Query::to_sql) | the query in GoogleSQL, with parameters, for [`db.sql_query(..)`](SqlExt::sql_query) |
//!
//! [`Model::scan`] reads the whole table, on purpose. Segments set after it narrow the scan if they
//! are at the start of the key; if not, they are compared with each row.
//!
//! [`get`](BackendExt::get) and [`get_many`](BackendExt::get_many) read events with known keys.
//!
//! A condition is built from the handles of columns:
//! `Quote::FIELDS.bid_size.within(100..).or(Quote::FIELDS.bid_size.is_absent())`. It filters events
//! in every layout; the rows are read in any case, since only the key narrows a query.
//! [`condition`] says what the server compares.
//!
//! A range over an enum follows the names in the key, not the order of the variants.
//!
//! # Series
//!
//! Results in order of time can be aggregated in windows of any duration, calendar unit or number
//! of events; there are moving averages, gap filling and joins of two series by time. All of these
//! stream, with one window of each series in memory: see [`series`], and the
//! [guide](guide#series-analysis) for examples.
//!
//! ```
//! use bigtable_model::series::{Length, SeriesExt as _, Windows, max, mean};
//! # use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
//! # #[derive(Debug, Clone, Model)]
//! # #[bigtable(table = "METRIC", family = "METRIC")]
//! # struct Sample {
//! #     #[bigtable(key)]
//! #     host: String,
//! #     #[bigtable(time, unit = "ms")]
//! #     at: Timestamp,
//! #     #[bigtable(column = "CPU/USR", text)]
//! #     user: f64,
//! # }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), bigtable_model::Error> {
//! # let db = MemoryBackend::new();
//! # db.ensure_tables::<Sample>().await?;
//! # for (second, user) in [(0, 0.25), (30, 0.75), (60, 0.5)] {
//! #     db.insert(&Sample { host: "web1".into(), at: Timestamp::from_seconds(second), user }).await?;
//! # }
//! let samples = db.stream(&Sample::query().host("web1")).timed(|sample| sample.at);
//! let user = |sample: &Sample| sample.user;
//! let minutes = samples.windows(Windows::tumbling(Length::minutes(1))).aggregate((mean(user), max(user)));
//! let values: Vec<_> = minutes.fetch().await?.into_iter().map(|minute| minute.value).collect();
//! assert_eq!(values, [(Some(0.5), Some(0.75)), (Some(0.5), Some(0.5))]);
//! # Ok(())
//! # }
//! ```
//!
//! # Writes
//!
//! | | |
//! |---|---|
//! | [`insert`](BackendExt::insert), [`insert_many`](BackendExt::insert_many) | an event, or many of them with an outcome for each |
//! | [`insert_stream`](BackendExt::insert_stream) | events of a stream, with back-pressure; [`give_back`](Inserts::give_back) returns those that failed |
//! | [`batcher`](BackendExt::batcher) | single events of many tasks, written together, with an outcome for each |
//! | [`insert_if_absent`](BackendExt::insert_if_absent), [`insert_if`](BackendExt::insert_if) | an event, if no column is stored under its key, or if a [condition] holds |
//! | [`insert_if_unchanged`](BackendExt::insert_if_unchanged) | an event that was read before, if its `version` field shows no change since |
//! | [`Model::update`] | some columns of an event; it does not check that the event exists, unless sent by [`send_if`](BackendExt::send_if) |
//! | [`delete`](BackendExt::delete), [`delete_many`](BackendExt::delete_many) | events by their keys |
//! | [`delete_if`](BackendExt::delete_if) | an event, if a condition holds |
//! | [`delete_all`](BackendExt::delete_all) | the events that a query selects, for instance those of a range of time |
//! | [`delete_cell`](BackendExt::delete_cell) | a column of an event |
//! | [`history`](BackendExt::history) | what a column, or a serialised event, held before it was corrected |
//!
//! An insert replaces the event: columns that are `None` are deleted, with their earlier versions,
//! and in layout `row` so are run-time columns that the event lacks. The cells' timestamp is the
//! event's time. With `cell_time = "write"` it is the client's clock, and earlier values stay
//! readable as versions. It is never the server's time, so a write can be repeated safely. A call
//! sends its changes of a row in order, never concurrently.
//!
//! Conditional writes compare and write in one step; the app profile must allow single-row
//! transactions. They are sent once, unless HTTP/2 proves that the first was not processed. If an
//! error leaves open whether it arrived, only a read shows whether it did.
//!
//! ```
//! # use bigtable_model::condition::Condition;
//! # use bigtable_model::{BackendExt, MemoryBackend, Model};
//! /// A job that one worker at a time may take.
//! #[derive(Debug, PartialEq, Model)]
//! #[bigtable(table = "JOB", family = "J", marker = "JOB")]
//! struct Job {
//!     #[bigtable(key)]
//!     name: String,
//!     owner: Option<String>,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), bigtable_model::Error> {
//! # let db = MemoryBackend::new();
//! # db.ensure_tables::<Job>().await?;
//! assert!(db.insert_if_absent(&Job { name: "roll-up".into(), owner: None }).await?);
//! let key = JobKey { name: "roll-up".into() };
//! let free = Condition::exists().and(Job::FIELDS.owner.is_absent());
//! for (worker, gets_it) in [("anna", true), ("ben", false)] {
//!     let taken = db.send_if(Job::update(&key).owner(worker.to_owned()), free.clone()).await?;
//!     assert_eq!(taken, gets_it);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! In layout `qualifiers` the value is a qualifier: updates and deletes read it first, and two
//! events with the same key are both kept until an update replaces them with one.
//!
//! # Counters and aggregates
//!
//! The server can change three kinds of columns based on their values, so many clients can write at
//! once without reading.
//!
//! | on the field | its type, or an `Option` of it | changed by | in layouts |
//! |---|---|---|---|
//! | `counter` | `i64` | [`Model::modify`], which gives the new value | `row`, `columns` |
//! | `append` | `String`, `ByteString`, `Vec<u8>`, `Bytes` | [`Model::modify`], which gives the new value | `row`, `columns` |
//! | `aggregate = "sum"`, `"min"`, `"max"` | `i64` | `add_total` of an [update](Model::update) for column `total` | `row`, `cells`, `columns` |
//!
//! [`db.send(..)`](BackendExt::send) sends either. A handle's type includes its kind:
//! `Page::modify(&key).increment(Page::FIELDS.views, 1)` compiles only for counters. These calls
//! are sent once, as another could add twice, unless HTTP/2 proves that the first was not processed
//! or, for aggregates, the server keeps tokens. If an error leaves this open, only a read shows it.
//!
//! **Counters and texts that grow.** Bigtable gives their new cells its own time, or the previous
//! cell's time if that is later. So `cells`, where timestamps are the events' times, refuses them.
//! For the same reason an insert, or a setter of an update, deletes all versions of the column
//! before it writes: only then does it replace the count. An absent counter counts from 0; an event
//! that was never counted lacks it, so make it an `Option` or add `default`. Former values stay as
//! older versions, so by default [`ensure_tables`](BackendExt::ensure_tables) keeps one version in
//! families of counters. The app profile must allow single-row transactions.
//!
//! **Aggregates.** All columns of a family are aggregates of one kind, and such a family has no
//! other columns. Additions are merged without a read, into a cell at the event's time, regardless
//! of `cell_time`. Without a time the timestamp is 0, which any rule by age deletes. An insert
//! restarts it from the event's value.
//!
//! A roll-up that many writers fill, with an event for each minute and one row per day:
//!
//! ```
//! use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
//!
//! #[derive(Debug, PartialEq, Model)]
//! #[bigtable(table = "REQUESTS", layout = "cells")]
//! struct Minute {
//!     #[bigtable(key)]
//!     host: String,
//!     #[bigtable(time, bucket = "day", unit = "s")]
//!     at: Timestamp,
//!     #[bigtable(aggregate = "sum", family = "sum")]
//!     requests: i64,
//!     #[bigtable(aggregate = "min", family = "min")]
//!     fastest: i64,
//!     #[bigtable(aggregate = "max", family = "max")]
//!     slowest: i64,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), bigtable_model::Error> {
//! let db = MemoryBackend::new();
//! db.ensure_tables::<Minute>().await?;
//! for (second, millis) in [(3, 12), (59, 7), (61, 30)] {
//!     let minute = Timestamp::from_seconds(1_700_000_040 + second / 60 * 60);
//!     let key = MinuteKey { host: "web1".into(), at: minute };
//!     let taken = Minute::update(&key).add_requests(1).add_fastest(millis).add_slowest(millis);
//!     db.send(taken).await?;
//! }
//! let first = Timestamp::from_seconds(1_700_000_040);
//! let found = db.fetch(&Minute::query().host("web1").events().limit(1)).await?;
//! assert_eq!(found, [Minute { host: "web1".into(), at: first, requests: 2, fastest: 7, slowest: 12 }]);
//! # Ok(())
//! # }
//! ```
//!
//! # Copies
//!
//! A model may name [mirrors](mirror), which hold copies of its events in other tables: under a
//! reordered key, or the latest value of each series. `insert` and `insert_many` write them after
//! the event, and [`repair`](BackendExt::repair) corrects them after a failure.
//!
//! A [`CopyJob`](copy::CopyJob) copies the events of a query into another table, such as a day into
//! its own table, all days into tables by period, or every event into layout `latest`. It works on
//! parts in parallel, can be resumed after a kill, and compares the copies at the end.
//!
//! # Backends
//!
//! [`connect`] opens `memory:` or `bigtable://project/instance`, and honours
//! `BIGTABLE_EMULATOR_HOST`. A [`Backend`] executes plain requests ([`data`]); its documentation
//! states its contract, and `testing::backend_suite` (feature `testing`) tests it. An application
//! holds an `Arc<dyn Backend>`; jobs and functions take a `&` of it as `&dyn Backend`.
//! [`FaultyBackend`](backend::faults::FaultyBackend) makes calls to any backend fail on request of
//! a test, and [`Wrapper`](backend::Wrapper) is for your own wrappers, which implement only the
//! methods that differ.
//!
//! # Tables
//!
//! [`BackendExt::ensure_tables`] creates a model's table, split at the shards of a salt, and its
//! families with the garbage-collection rules that `gc(...)` declares. [`BackendExt::table_diff`]
//! shows how an existing table differs, as data and in words, and [`BackendExt::apply`] makes the
//! changes that delete no cells; see the module [`schema`].
//!
//! A rule deletes cells, not events. `gc(max_age = "90d")` is the retention of events, by their
//! time unless `cell_time = "write"`. `gc(max_versions = 1)` is right if an event has its own
//! cells, as in layouts `row` and `columns`, and in `latest`, whose older events nothing reads. In
//! `cells` and `qualifiers` the events of a row are versions of one column: there it would delete
//! all except the newest, and is refused.
//!
//! Cells that a rule deletes are left out of reads at once, although Bigtable takes up to a week to
//! delete them: see [`with_expired`](query::Query::with_expired).
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `grpc` (default) | Bigtable's protocol: Bigtable itself and Google's emulator |
//! | `auth` (default) | Application Default Credentials; without it, credentials of your own |
//! | `memory` (default) | [`MemoryBackend`]: Bigtable in memory |
//! | `json` (default), `postcard`, `prost` | columns and events serialised in these formats |
//! | `chrono`, `time`, `uuid`, `rust_decimal` | types of these crates in keys and columns |
//! | `lock` | [lock files](lock), which a test compares with the models |
//! | `page_key` | page tokens that a key encrypts and authenticates |
//! | `metrics` | latencies, retries and broken connections through the `metrics` facade, and `backend::metered` |
//! | `server` | the module `server`: any backend over Bigtable's protocol |
//! | `testing` | the module `testing`: the conformance suite for backends, and `check_laws` of models |
//!
//! gRPC, TLS and credentials are most of a cold build. If models and tests need only the memory
//! backend, `default-features = false, features = ["memory"]` compiles 70 crates instead of 173;
//! the program that connects enables the rest.

#[doc(hidden)]
#[path = "private/mod.rs"]
pub mod __private;
mod aggregate;
pub mod condition;
pub mod copy;
pub mod dynamic;
mod error;
pub mod former;
pub mod guide;
pub mod key;
pub mod lock;
pub mod mirror;
pub mod model;
mod ops;
pub mod packed;
pub mod query;
mod re2;
pub mod rollup;
pub mod schema;
mod send;
pub mod series;
mod table;
#[cfg(feature = "testing")]
pub mod testing;
pub mod value;

pub use bigtable_backend as backend;
#[cfg(feature = "memory")]
#[doc(inline)]
pub use bigtable_backend::MemoryBackend;
#[cfg(feature = "server")]
#[doc(inline)]
pub use bigtable_backend::server;
#[doc(inline)]
pub use bigtable_backend::{
    Backend, Code, ConnectError, InvalidSetting, ParseTimestampError, SqlExt, Statement, Status,
    TimeGrid, Timestamp, TimestampRangeError, connect, data, sql, timestamp,
};
pub use ops::{
    Audit, AuditCounts, AuditJob, BackendExt, EventBatcher, EventOutcome, Finding, History,
    Inserts, LargeRow, SeriesShare,
};
#[doc(hidden)]
pub use ops::{BorrowedEvent, Change, EventArg, EventKind, OwnedEvent};
pub use send::{
    DeadLetter, DeleteOutcome, FailedDelete, FailedInsert, InsertOutcome, InsertProgress, Written,
};

#[doc = include_str!("guide/cell_value.md")]
pub use bigtable_derive::CellValue;
/// Implements [`KeySegment`](trait@KeySegment) for a newtype around another segment type, written
/// as the type inside, and for an enum without fields, written as and sorted by the name of its
/// variant. The type must be `Clone`.
///
/// `#[bigtable(name = "...")]` on a variant gives it another name in keys.
///
/// ```
/// use bigtable_model::KeySegment;
///
/// #[derive(Debug, Clone, PartialEq, KeySegment)]
/// enum Venue {
///     Nasdaq,
///     #[bigtable(name = "NYSE-ARCA")]
///     Arca,
/// }
///
/// #[derive(Debug, Clone, PartialEq, KeySegment)]
/// struct Symbol(String);
///
/// assert_eq!(Venue::Arca.store(), "NYSE-ARCA");
/// assert_eq!(Symbol("ZXZZT".into()).store(), "ZXZZT");
/// ```
pub use bigtable_derive::KeySegment;
#[doc = include_str!("guide/attributes.md")]
pub use bigtable_derive::Model;
#[doc = include_str!("guide/projection.md")]
pub use bigtable_derive::Projection;
pub use error::{Error, ErrorKind, QueryError};
pub use key::{KeySegment, TimeUnit};
pub use model::{Model, Projection, Version};
pub use value::CellValue;

/// Compiles and runs the README's code like the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
