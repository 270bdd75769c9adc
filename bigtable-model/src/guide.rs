//! Choosing a row key and a layout: the published advice, the cost of each choice, and a model of
//! each that compiles.
//!
//! This module contains no code. The advice comes from two of Google's pages, which are worth
//! reading in full: [Schema design best
//! practices](https://cloud.google.com/bigtable/docs/schema-design) and [Schema design for time
//! series data](https://cloud.google.com/bigtable/docs/schema-design-time-series). Below they are
//! called *best practices* and *time series*; *the earlier edition* is a former version of the
//! second, *Cloud Bigtable schema design for time series data*, with other examples: batteries, a
//! garden, games, meters. Statements without a source describe this crate or Bigtable's protocol.
//!
//! # By task
//!
//! | you want to | read |
//! |---|---|
//! | choose a key | [the row key](#the-row-key), [a second question](#a-second-question), [newest first](#newest-first) |
//! | choose a layout | the table below, [the layout](#the-layout) |
//! | choose a salt, or spread hot series only | [salts](#salts), [hot series](#hot-series) |
//! | read the newest event of each series | [`latest_each`](crate::BackendExt::latest_each) |
//! | know how everything stood at a time | [the state at a time](#the-state-at-a-time) |
//! | show messages in pages, newest first | [events of one instant](#events-of-one-instant) |
//! | read a day of all series | [only what is read](#only-what-is-read) |
//! | read rows that others wrote | [rows that others write](#rows-that-others-write) |
//! | change a model that has rows | [changes](#changing-a-model-that-has-rows) |
//! | chart long times | [series](#series-analysis), [roll-ups](#precomputed-roll-ups) |
//! | delete a user, create and compare tables, watch a service | [operating tables](#operating-tables) |
//! | test an application | [testing](#testing-an-application) |
//! | know before the first row what a model costs, and where it gets hot | [before production](#before-production) |
//! | answer errors over HTTP | [errors in handlers](#errors-in-handlers) |
//! | write code for any model | [code for any model](#code-for-any-model) |
//!
//! # A key and a layout for each kind of data
//!
//! Start from the questions. A table has one index, its row key, and is fast at two things: a row
//! by its key, and a range of keys. So write down the questions, most frequent first; choose the
//! key that makes the first question one range; then choose the layout by how often events come and
//! how large they are.
//!
//! | you have | you ask | row key | layout, bucket | section |
//! |---|---|---|---|---|
//! | events of several columns: quotes, trades, samples | a series over a range of time, single events | `exchange#symbol#time` | `row` | [what comes first](#what-comes-first), [an event a row](#an-event-a-row) |
//! | such events, always read whole | the same | the same | `row`, `serialize(...)` | [serialised](#all-columns-in-one) |
//! | a value a day of each series | months of it | `garden#date` | `row`: tall | [tall or wide](#tall-or-wide) |
//! | a few small values every second or minute | hours or days of a series, for charts | `location#balloon#week` | `cells`, a bucket by `expect(...)` | [a cell an event](#a-cell-an-event) |
//! | readings at fixed times of the day | a day of one meter, corrections | `meter#day` | `columns`, a day | [a column an event](#a-column-an-event) |
//! | one small number an event, written once | all of a bucket | `location#balloon#metric#week` | `qualifiers` | [the value as the qualifier](#the-value-as-the-qualifier) |
//! | any of these | also what happened everywhere on a day | a second table, `game#date#player` | `mirror(...)` | [a second question](#a-second-question) |
//! | any of these | also the current state of everything | a second table, `host` | `mirror(...)` of a `latest` | [the latest value](#the-latest-value) |
//! | columns that must change together, are kept for another time, or are read by themselves | | | one row, families | [rows and families](#rows-and-families) |
//! | events of no series, or one series too hot for a node | ranges of time | a salt, then time | `salt(shards = ..., of(...))` | [salts](#salts) |
//! | totals that many processes add to | a day of them | `host#day` | `cells`, `aggregate` | [roll-ups](#roll-ups) |
//! | any of these | a value an hour, moving averages, joins of two series | | | [series](#series-analysis) |
//! | any of these | charts of a year, of events that are corrected and come late | a second table, `symbol#start` | `rollup(...)` | [precomputed](#precomputed-roll-ups) |
//! | stored rows, and a struct that has to change | | | | [changes](#changing-a-model-that-has-rows) |
//! | events to be deleted after a time | | any | `gc(max_age = ...)`, tables by period | [how long](#how-long-events-are-kept) |
//!
//! You can change the layout in a test and compare: the struct's fields, writes and queries stay
//! the same. In production a changed attribute does not convert stored rows; a
//! [`CopyJob`](crate::copy::CopyJob) copies events from one model's table into another's.
#![doc = include_str!("guide/keys.md")]
#![doc = include_str!("guide/rows.md")]
#![doc = include_str!("guide/layouts.md")]
#![doc = include_str!("guide/series.md")]
#![doc = include_str!("guide/rollups.md")]
#![doc = include_str!("guide/changes.md")]
#![doc = include_str!("guide/operate.md")]
#![doc = include_str!("guide/testing.md")]
#![doc = include_str!("guide/production.md")]
#![doc = include_str!("guide/errors.md")]
#![doc = include_str!("guide/generic.md")]
