//! Typed time-series models on Google Bigtable.
//!
//! A struct is one event: a measurement at a time. Attributes say which fields make the row key and which are columns. From
//! them `#[derive(Model)]` makes the key type, the query and the update, and a description of the schema as plain data.
//!
//! This page tells what there is. Which key and which layout to choose for what you have is the matter of [`modelling`]; every attribute
//! is listed at [`Model`](macro@Model).
//!
//! ```
//! use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
//!
//! /// A sample of one machine.
//! #[derive(Debug, Clone, PartialEq, Model)]
//! #[bigtable(table = "METRIC", family = "METRIC")]
//! struct Sample {
//!     #[bigtable(key)]
//!     host: String,
//!     #[bigtable(time, unit = "ms")]
//!     at: Timestamp,
//!     #[bigtable(column = "CPU/USR", text)]
//!     user: f64,
//!     #[bigtable(column = "IO/READ")]
//!     read: Option<u64>,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), bigtable_model::Error> {
//! let db = MemoryBackend::new();
//! db.ensure_table::<Sample>().await?;
//! let sample = Sample {
//!     host: "server1.bbb.com".into(),
//!     at: Timestamp::from_millis(1_426_535_612_045),
//!     user: 0.02,
//!     read: Some(253_453_634),
//! };
//! db.insert(&sample).await?;
//! let newest = Sample::query().host("server1.bbb.com").latest(1, &db).await?;
//! assert_eq!(newest, [sample]);
//! # Ok(())
//! # }
//! ```
//!
//! # Keys
//!
//! The row key is an optional literal `prefix` and the fields marked `key` and `time`, in the order of the struct, joined by
//! the `separator` (`#`). `Sample`'s is `{host}#{at:013ms}`, here `server1.bbb.com#1426535612045`. The byte order of keys is
//! the order of the values, segment by segment, and decoding gives back what was encoded; a value that can't be kept so
//! is an error that names the segment, and nothing is sent. What each type looks like in a key is in [`key::SegmentFormat`];
//! what can be declared is listed [there](macro@Model#on-a-field-of-the-key).
//!
//! Times are whole microseconds: of finer ones, as `chrono` and `SystemTime` have them, the rest is left out before anything else.
//!
//! A key that begins with the time sends all new events to one node of the cluster, and the derive refuses it: put what
//! names the series first ([more on keys](modelling#the-row-key)). To read the newest events first without a reversed scan, `reverse` the time.
//!
//! # Columns
//!
//! Every other field is a column of one cell. Its value is the type's native form ([`value::CellValue`]: integers are 8
//! bytes big-endian, as Bigtable's counters are), its text (`text`), JSON (`json`) or what a codec of yours writes (`with`). A field that is
//! an `Option` may be absent and takes no space then; the first column that is always there marks the event, and a model
//! without one declares a `marker`.
//!
//! # Layouts, buckets and salts
//!
//! Where an event's time goes, and how its columns are stored, is a matter of attributes; what is written and asked does not change.
//! [`modelling`](modelling#the-layout) tells when to take which, with a model of each.
//!
//! | `layout` | rows | an event is | good for |
//! |---|---|---|---|
//! | `"row"` (default) | one an event | its columns | events of many columns, reads of single events, everything to begin with |
//! | `"cells"` | one a bucket | a cell of each column, at the event's time | many small events: over the wire, reads are several times faster |
//! | `"columns"` | one a bucket | a column, or one for each field, named by the time inside the bucket | events at fixed times of the day |
//! | `"qualifiers"` | one a bucket | the qualifier of an empty cell, at the event's time | one small value an event |
//! | `"latest"` | one a series | a cell of each column, at the event's time; only the newest is read | the current value of everything |
//!
//! In `"latest"` a late or repeated event takes no newer one's place, since its cells are older, and a column that the newest event lacks is
//! absent even where an older event had it. Old cells stay until garbage collection takes them: declare `gc(max_versions = 1)`.
//!
//! `serialize(json)`, `serialize(postcard)`, `serialize(prost)` and `serialize(MyCodec)` put all columns of an event into one: less
//! space, but no column is read or updated by itself.
//!
//! A **bucket** is declared at the time: `bucket = "day"`, or `"minute"`, `"hour"`, `"week"`, `"month"`, `"year"`, a duration such as
//! `"15m"`, or `"none"`. Its `label` stands in the key: a format, `"{start}"`, or `"week{n}"` counted from an `origin`; days and
//! longer may have a `zone`. A row is read as a whole and Bigtable advises at most 100 MB, so declare what you expect:
//! `expect(every = "5s", size = 100)` has the compiler work it out.
//!
//! A **salt** spreads keys that would all be written at one place: `salt(shards = 64, of(symbol, at))` puts a number in front that is made
//! from these segments. A query whose values give them reads one shard, every other one scans all shards and merges them by time. What
//! is hashed and into how many shards can't change once rows are stored.
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
//! # db.ensure_table::<Reading>().await?;
//! let at = |seconds: i64| Timestamp::from_seconds(1_501_027_200 + seconds);
//! let reading = Reading { meter: 987_654, at: at(900), kilowatt_hours: 13.45 };
//! db.insert(&reading).await?;
//! let morning = Reading::query().meter(987_654_u64).at(at(0)..at(43_200));
//! assert_eq!(morning.fetch(&db).await?, [reading]);
//! assert_eq!(morning.plan()?.scans[0].parts[0].keys[0], "0000987654#20170726");
//! # Ok(())
//! # }
//! ```
//!
//! # Tables by period
//!
//! `table = "SENSOR_{at:%Y%m%d}"` gives each day a table of its own, so that old events go as a whole and at once, which costs next to nothing. Writes
//! go to the table of the event's time, queries unite the tables that their range of time touches.
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
//! let mut both = Reading::query().meter(987_654_u64).at(hour(0)..hour(72)).stream(&db);
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
//! A query in order of time reads one table after another; in order of keys it takes a scan for each, so that wide ranges need `max_scans`. Where its
//! time is open on a side, it first asks which tables there are; [`plan`](query::Query::plan), which asks nothing, refuses it, and
//! [`plan_on`](query::Query::plan_on) does the same.
//!
//! # Queries
//!
//! [`Model::query`] has a setter for each segment, in the order of the key. A value or a set leaves the key open for the next
//! segment, a range or [`starts_with`](query::starts_with) closes it; skipping a segment does not compile. Ranges of time are half-open.
//! When every identifier is set to a value or a set, results come in order of time, merged from one scan for each series and shard; otherwise
//! in order of the key, and the type of the stream says which. With buckets a range of time leaves the key open too.
//!
//! | on a query | |
//! |---|---|
//! | `limit(n)` | at most n events |
//! | `newest_first()`, `reversed()` | the newest, or the last key, first |
//! | `select::<P>()` | a projection: its columns only |
//! | `scan()` | the whole table, on purpose, in place of the first segment |
//! | `max_scans(n)` | how many series may be read at once |
//! | [`stream(&db)`](query::Query::stream) | the results one by one; a bad row is one error and the stream goes on |
//! | [`fetch(&db)`](query::Query::fetch) | all of them; the first bad row ends it |
//! | [`latest(n, &db)`](query::Query::latest) | the newest n, newest first |
//! | [`page(size, token, &db)`](query::Query::page) | up to so many, and a token that asks for the next ones, after a restart too |
//! | [`in_key_order()`](query::Query::in_key_order), [`unordered()`](query::Query::unordered) | the same query in one scan, or in several that run at once |
//! | [`series(&db)`](query::Query::series) | the series that the query's events are of, found by seeking past each |
//! | [`latest_each(n, &db)`](query::Query::latest_each) | the newest n of each series |
//! | [`count(&db)`](query::Query::count) | how many, without reading values |
//! | [`plan()`](query::Query::plan), [`explain()`](query::Query::explain) | what will be read, as data and in words |
//! | [`missing_tables(&db)`](query::Query::missing_tables) | the tables that it looks into and that are not there |
//!
//! A range over an enum goes by the names that stand in the key, not by the order of its variants.
//!
//! # Writes
//!
//! | | |
//! |---|---|
//! | [`insert`](BackendExt::insert), [`insert_many`](BackendExt::insert_many) | an event, or many of them with an outcome for each |
//! | [`inserts`](BackendExt::inserts) | events of an iterator or a stream, with back-pressure and progress |
//! | [`Model::update`] | some columns of an event; it does not look whether there is an event |
//! | [`delete`](BackendExt::delete), [`delete_many`](BackendExt::delete_many) | events by their keys |
//! | [`query.delete(&db)`](query::Query::delete) | the events that a query selects, and so those of a range of time |
//! | [`delete_cell`](BackendExt::delete_cell), [`delete_entry`](BackendExt::delete_entry) | a column of an event, one that was named at run time |
//! | [`history`](BackendExt::history), [`event_history`](BackendExt::event_history) | what a column, or a serialised event, held before it was corrected |
//!
//! An insert replaces the event: columns that are `None` are deleted, with
//! their earlier versions, and so are run-time columns that the event does not have. The cells' timestamp is the event's time, or with
//! `cell_time = "write"` the client's clock, and then earlier values stay readable as versions. It is never the server's time, so that a
//! write can be repeated safely. Changes of one row go out in their order, never two at a time.
//!
//! In layout `qualifiers` the value is a qualifier: updates and deletes read it first, and two events of one identity are both kept until an
//! update puts one in their place.
//!
//! # Counters and aggregates
//!
//! Columns of three kinds can also be changed by what they hold. The server does it, so that many may write at once without reading first.
//!
//! | on the field | its type, or an `Option` of it | changed by | in layouts |
//! |---|---|---|---|
//! | `counter` | `i64` | [`increment`](BackendExt::increment), which gives the new value | `row`, `columns` |
//! | `append` | `String`, `ByteString`, `Vec<u8>`, `Bytes` | [`append`](BackendExt::append), which gives the new value | `row`, `columns` |
//! | `aggregate = "sum"`, `"min"`, `"max"` | `i64` | [`add`](BackendExt::add), or `add_total` of an update for column `total` | `row`, `cells`, `columns` |
//!
//! The handle of a column tells its kind by its type: `db.increment(&key, Quote::FIELDS.bid, 1)` compiles for counters alone.
//! [`Model::modify`] increments and appends to several columns at once. None of these calls is ever sent twice, since adding twice is not
//! adding once: after an error that leaves open whether it arrived, only a read tells.
//!
//! **Counters and texts that grow.** Bigtable gives their new cells its own time, or that of the cell before if it is later. That is why `cells`,
//! where timestamps are the events' times, refuses them, and why an insert, or a setter of an update, deletes all versions of the column before it
//! writes: it still replaces what was counted. An absent counter counts from 0; an event that was never counted lacks it, so make it an
//! `Option`, or add `default`. Former values stay as older versions, so that [`ensure_table`](BackendExt::ensure_table)
//! creates families of counters with a rule of one version. Bigtable takes these calls through app profiles with single-row transactions only.
//!
//! **Aggregates.** All columns of a family are aggregates of one kind, and such a family holds nothing else. What is added is merged without a
//! read, into a cell at the event's time (0 without one, which any rule by age deletes), whatever
//! `cell_time` says. An insert begins anew with the value that the event has.
//!
//! A roll-up that many writers fill, with minutes as events and a day of them in a row:
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
//! db.ensure_table::<Minute>().await?;
//! for (second, millis) in [(3, 12), (59, 7), (61, 30)] {
//!     let minute = Timestamp::from_seconds(1_700_000_040 + second / 60 * 60);
//!     let key = MinuteKey { host: "web1".into(), at: minute };
//!     let taken = Minute::update(&key).add_requests(1).add_fastest(millis).add_slowest(millis);
//!     taken.send(&db).await?;
//! }
//! let first = Timestamp::from_seconds(1_700_000_040);
//! let found = Minute::query().host("web1").limit(1).fetch(&db).await?;
//! assert_eq!(found, [Minute { host: "web1".into(), at: first, requests: 2, fastest: 7, slowest: 12 }]);
//! # Ok(())
//! # }
//! ```
//!
//! # Copies
//!
//! A model may name [mirrors](mirror), which hold copies of its events in other tables: in another order of the key, or the latest value of
//! each series. `insert` and `insert_many` write them behind the event, and [`repair`](query::Query::repair) makes them right again after a failure.
//!
//! A [`CopyJob`](job::CopyJob) copies the events of a query into another table, such as a day into a table of its own: in parts side by
//! side, resumable after a kill, and compared at the end.
//!
//! # Backends
//!
//! [`connect`] opens `memory:` or `bigtable://project/instance`, and honours `BIGTABLE_EMULATOR_HOST`. A [`Backend`] executes plain
//! requests ([`data`]); what it must promise is written there, and `testing::backend_suite` (feature `testing`) tests it.
//! [`FaultyBackend`](backend::faults::FaultyBackend) makes calls to any of them fail as a test says, and
//! [`Batcher`](backend::batcher::Batcher) sends single writes of many tasks together.
//!
//! # Tables
//!
//! [`BackendExt::ensure_table`] creates a model's table: its families with the garbage-collection rules that `gc(...)` declares, split where
//! the shards of a salt begin. What a table that is there has otherwise, [`BackendExt::table_diff`] says as data and in words, and
//! [`BackendExt::apply`] puts it right as far as no cell goes that is kept today; the module [`schema`] tells more.
//!
//! A rule deletes cells, not events. `gc(max_age = "90d")` is the retention of events, by their time unless `cell_time = "write"`.
//! `gc(max_versions = 1)` is right where an event has cells of its own, so in layouts `row` and `columns`, and in `latest`, whose older events nothing reads; in `cells` and `qualifiers`,
//! where the events of a row are versions of one column, it would delete all but the newest of them, and is refused.
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `grpc` (default) | Bigtable's protocol: Bigtable itself and Google's emulator |
//! | `auth` (default) | Application Default Credentials; without it, credentials of your own |
//! | `json` (default), `postcard`, `prost` | columns and events serialised so |
//! | `chrono`, `time`, `uuid`, `rust_decimal` | types of these crates in keys and columns |
//! | `metrics` | latencies, retries and broken connections through the `metrics` facade, and `backend::metered` |
//! | `server` | the module `server`: any backend over Bigtable's protocol |
//! | `testing` | the module `testing`: the conformance suite for backends, and `check_laws` of models |

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
pub mod backend;
pub mod bucket;
pub mod data;
mod error;
mod file;
pub mod job;
pub mod key;
pub mod mirror;
pub mod model;
pub mod modelling;
pub mod query;
pub mod schema;
#[cfg(feature = "server")]
pub mod server;
#[cfg(feature = "testing")]
pub mod testing;
pub mod time;
pub mod value;

pub use backend::memory::MemoryBackend;
pub use backend::{
    Backend, BackendExt, Code, ConnectError, DeleteOutcome, FailedDelete, FailedInsert, History,
    InsertOutcome, InsertProgress, Inserts, Status, connect,
};

/// Implements [`KeySegment`](trait@KeySegment) for a newtype around another segment type, which is written as that one, and for
/// an enum without fields, which is written by the names of its variants and sorts by them. The type must be `Clone`.
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
/// Makes a struct with named fields a [`Model`](trait@Model).
///
/// # On the struct
///
/// | attribute | meaning |
/// |---|---|
/// | `table = "QUOTE"` | the table's ID; required. `"SENSOR_{at:%Y%m%d}"` names a table for each period of the time, [below](#tables-by-period) |
/// | `family = "MD"` | the family of columns that name none |
/// | `prefix = "BATTERY"` | literal text in front of the key |
/// | `separator = "#"` | what stands between segments: 1 to 50 characters of ASCII punctuation. Strings of variable width hold only bytes above its first one, so that `#` leaves all letters, digits and `-`, and `_` no capitals |
/// | `layout = "row"` | where the event's time and fields go, [below](#layouts): `"row"` (default), `"cells"`, `"columns"`, `"qualifiers"` or `"latest"` |
/// | `salt(shards = 64, of(symbol, at))` | a shard's number in front of the key, behind the prefix: a hash of these key fields; of a time in a bucket, the bucket is hashed. On a field of the key it stands in front of that one |
/// | `serialize(json)` | the fields of an event in one column: `json`, `prost`, `postcard`, or a [`CellCodec`](value::CellCodec) of yours for the whole struct; its qualifier is `event` or `serialize(json, column = "...")` |
/// | `mirror(CurrentMetric)` | the [models](mirror) that hold copies of its events, each made by `From<&Self>` or [`MirrorOf`](mirror::MirrorOf) |
/// | `expect(every = "5s", size = 100)` | a row's events come so often, each with so many bytes: refuses a bucket whose row passes 100 MB, and the key's docs tell what a row holds |
/// | `gc(max_versions = 1)` | which cells of the struct's family may be deleted, of another with `gc(family = "MD", ...)`, once for each: `max_versions = 1` all but the newest, `max_age = "30d"` those that are older, `any(...)` those that one of several rules deletes, `all(...)` those that each does. Without it every cell is kept |
/// | `marker = "EVENT"` | the qualifier of an empty cell that marks an event, for models whose columns may all be absent |
/// | `cell_time = "event"` | the timestamp of cells: the event's time (default where there is one), or `"write"` |
/// | `allow(...)` | accepts what is refused otherwise: `time_first` a key that begins with the time or its bucket, `endless_rows` all of a series in one row, `wide_rows` rows over 100 MB, `long_qualifiers` qualifiers over 64 bytes, `dropped_events` a garbage-collection rule that deletes events of a row by their number |
/// | `crate = path` | where the runtime crate is, when it is not `::bigtable_model` |
///
/// # On a field of the key
///
/// | attribute | meaning |
/// |---|---|
/// | `key` | a segment of the row key |
/// | `time` | the segment that is the event's time |
/// | `width = 6` | a string padded to 6 bytes, an integer or a count of time in 6 digits |
/// | `pad = '_'` | what pads a string; a space unless declared |
/// | `escape` | a string may hold any bytes |
/// | `binary` | fixed-width bytes in place of text |
/// | `unit = "ms"` | a time counted in `s`, `ms` or `us` (default) since 1970 |
/// | `format = "%Y%m%d"` | a time by its calendar fields in UTC: `%Y %m %d %j %H %M %S %3f %6f` |
/// | `truncate` | rounds a time down to its unit or format |
/// | `reverse` | the newest first: the largest value minus the time |
/// | `salt(shards = 3, of(at))` | a shard's number in front of this segment |
/// | `column = "SYMBOL"` | stores the field as a column too, with `family`, `text`, `json` and `with` as below; it is read from the key. A time's `text` is that of the key |
///
/// # On the time, in layouts with buckets
///
/// | attribute | meaning |
/// |---|---|
/// | `bucket = "day"` | the span that shares a row: `"minute"`, `"hour"`, `"day"`, `"week"` (ISO), `"month"`, `"year"`, a duration like `"15m"`, or `"none"`: all of a series in one row |
/// | `label = "%Y%m%d"` | how it stands in the key: the bucket's beginning by calendar fields (`%-d` without leading zeros, in weeks also `%G %V`), `"{start}"` in seconds since 1970, or a number like `"week{n}"` or `"{n:04}"` counted from 1. By default `%Y%m%d%H%M`, `%Y%m%d%H`, `%Y%m%d`, `%G-W%V`, `%Y%m`, `%Y`, and `{start}` of durations |
/// | `origin = "2021-03-01"` | a day in the first bucket of `{n}`; in a zone a moment with its offset |
/// | `zone = "Europe/Berlin"` | the time zone whose days, weeks, months or years the buckets are; UTC unless declared |
/// | `offset = "%H%M"` | in `columns` the fields below the bucket that tell the event's time, which are then whole ones of the last; unless declared, units since the bucket's beginning |
/// | `unit = "ms"` | what the events' times are whole multiples of: `us` unless declared in `columns`, `ms` in `cells`, `qualifiers` and `latest` |
/// | `truncate` | rounds a time down to that |
/// | `reverse` | the newest first: `{start}` and offsets are counted from the end; `width` is the digits of `{start}` |
/// | `binary` | the bucket's beginning as 8 bytes |
///
/// # On any other field
///
/// | attribute | meaning |
/// |---|---|
/// | `column = "BID"` | the qualifier, or the name in a serialised event; the field's name unless declared |
/// | `family = "MD"` | the family |
/// | `text` | stored as what `Display` writes and `FromStr` reads |
/// | `json` | stored as JSON by serde |
/// | `with = Codec` | stored by a [`CellCodec`](value::CellCodec) of your own |
/// | `counter` | takes increments; of type `i64` |
/// | `append` | can be appended to; of type `String`, `ByteString`, `Vec<u8>` or `Bytes` |
/// | `aggregate = "sum"` | what is added is merged by the server: `"sum"`, `"min"` or `"max"`; of type `i64`, in a family of such columns |
/// | `default`, `default = path` | what an absent column becomes: `Default::default()`, or what a function returns |
/// | `columns` | a map that collects the family's other columns, named at run time; an insert empties the family first |
/// | `skip` | not stored; read as `Default::default()` |
///
/// # Tables by period
///
/// In the `table` one `{field:format}` may stand between letters, digits, `-`, `_` and `.`: the time's field, and from the year down the fields that tell
/// the periods apart, with their leading zeros. `%Y` names a table a year, `%Y%m` a month, `%G-W%V` an ISO week, `%Y%m%d` and `%Y%j` a day, `%Y%m%d%H` an
/// hour. Periods are those of UTC, or of the bucket's `zone`; a bucket lies in one of them, since its row lies in one table. Tables begin
/// with 1970, and no event before it is written. The model is [`TablesByPeriod`](model::TablesByPeriod).
///
/// # Layouts
///
/// | layout | the time is in | a field is |
/// |---|---|---|
/// | `row` | the row key | a column with one cell |
/// | `cells` | the cells' timestamps, its bucket in the row key | a column with one cell for each event |
/// | `columns` | the qualifiers, its bucket in the row key | a column for each event: the offset, or with several fields `{column}:{offset}` |
/// | `qualifiers` | the cells' timestamps, its bucket in the row key | the only one: its value is the qualifier of an empty cell |
/// | `latest` | the cells' timestamps, nothing of it in the row key | a column, whose newest cell is the newest event's if it has its time |
///
/// In `latest` a row is a series. Its newest event is the one that queries give, and a range of time gives that event or none. An event that
/// is written again at the same time replaces the one before, but for run-time columns that it does not have any more.
///
/// In all but the first a row holds the events of a bucket. A key field that is a column too is then written once for the row, in `columns` under a
/// name that can't be an event's, in `qualifiers` in another family. With `serialize(...)`, which `qualifiers` has no room for, there is one column for
/// all fields, and updates of single fields are not generated.
///
/// ```
/// use bigtable_model::{Model, Timestamp};
///
/// /// A meter's readings of a day in one row: `0000987654#20170726` with columns `0000` to `2345`.
/// #[derive(Model)]
/// #[bigtable(table = "SENSOR", family = "METER", layout = "columns", expect(every = "15m", size = 5))]
/// struct Reading {
///     #[bigtable(key, width = 10)]
///     meter: u32,
///     #[bigtable(time, bucket = "day", offset = "%H%M")]
///     at: Timestamp,
///     #[bigtable(text)]
///     value: f64,
/// }
///
/// let at = "2017-07-26T23:45:00Z".parse()?;
/// let reading = Reading { meter: 987_654, at, value: 28.9 };
/// assert_eq!(reading.key().encode()?, b"0000987654#20170726");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # What it makes
///
/// For a struct `Quote`: `QuoteKey` with a public field for each segment, `QuoteKeyRef<'_>` borrowed from a key's bytes, `QuoteQuery`,
/// `QuoteUpdate` and `QuoteFields`, each documented.
pub use bigtable_derive::Model;
/// Makes a struct a [`Projection`](trait@Projection) of a model: `#[bigtable(model = Quote)]`. Its fields have names and types of the model's.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), bigtable_model::Error> {
/// use bigtable_model::{BackendExt, MemoryBackend, Model, Projection, Timestamp};
///
/// #[derive(Model)]
/// #[bigtable(table = "QUOTE", family = "MD")]
/// struct Quote {
///     #[bigtable(key)]
///     symbol: String,
///     #[bigtable(time)]
///     at: Timestamp,
///     bid: f64,
///     ask: f64,
/// }
///
/// #[derive(Debug, PartialEq, Projection)]
/// #[bigtable(model = Quote)]
/// struct Bid {
///     at: Timestamp,
///     bid: f64,
/// }
///
/// let db = MemoryBackend::new();
/// db.ensure_table::<Quote>().await?;
/// let at = Timestamp::from_seconds(1);
/// db.insert(&Quote { symbol: "ZXZZT".into(), at, bid: 600.55, ask: 600.60 }).await?;
/// let bids = Quote::query().symbol("ZXZZT").select::<Bid>().fetch(&db).await?;
/// assert_eq!(bids, [Bid { at, bid: 600.55 }]);
/// # Ok(())
/// # }
/// ```
pub use bigtable_derive::Projection;
pub use error::{Error, QueryError};
pub use key::KeySegment;
pub use model::{Model, ModelSchema, Projection, Version};
pub use time::{ParseTimestampError, Timestamp, TimestampRangeError};

/// The README's code is compiled and run with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
