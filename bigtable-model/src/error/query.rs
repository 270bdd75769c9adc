//! Why a query has no plan.

use super::{ConditionError, SeriesError};
use crate::key::KeyError;

/// The maximum number of combinations of sets, buckets and shards in a query: each is a row key or
/// a range. They are sent in as many requests as needed.
pub const MAX_COMBINATIONS: usize = 100_000;

/// The maximum number of keys of a scan that are read before its rows and held in memory, if labels
/// of buckets do not sort and a query in order of time has an open range.
pub const MAX_KEYS_FIRST: usize = 100_000;

/// Why a query cannot be planned or run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// A segment cannot hold a value or a bound. Values that fit their segments but together make a
    /// key that Bigtable refuses are no error: they have no rows.
    #[error("the row key cannot hold a value of the query")]
    Key(#[from] KeyError),
    /// A segment after a range or a prefix is selected.
    #[error(
        "`{segment}` cannot be narrowed after `{closed_by}`: set `{closed_by}` to one value or several"
    )]
    Closed {
        /// The segment that cannot be selected.
        segment: String,
        /// The segment before it with a range or a prefix.
        closed_by: String,
    },
    /// The model does not have this column; only possible for selections made at run time.
    #[error("the query selects column {index}, but the model has {columns} columns")]
    UnknownColumn {
        /// The index asked for.
        index: usize,
        /// How many columns there are.
        columns: usize,
    },
    /// A column that the query selects from a map is not one of the map's.
    #[error(
        "`{column}` is no column of a map: the model has no such map, or declares the column, so select the field"
    )]
    NotOfMap {
        /// The column.
        column: String,
    },
    /// The condition on the columns cannot be compared.
    #[error("the query's condition is refused")]
    Condition(#[from] ConditionError),
    /// A query with a limit cannot be split into partitions.
    #[error("a query with a limit cannot be split into partitions: remove `limit`")]
    LimitOfPartitions,
    /// `forget` deletes all that is stored under some keys, not a part of it.
    #[error("`forget` deletes whole rows: leave out {part}, or use `delete_all`")]
    ForgetsPart {
        /// What narrows the query.
        part: String,
    },
    /// `forget` was called without a selected segment.
    #[error("nothing says whom to forget: set a segment of the key; `drop_rows` empties a table")]
    ForgetsAll,
    /// Nothing narrows the query, but it does not ask for the whole table.
    #[error(
        "the query would read the whole table: set `{segment}`, or begin with `scan()` to do that on purpose"
    )]
    FullScan {
        /// The first segment of the key.
        segment: String,
    },
    /// Time order over too many series, or key order over too many tables, to read at once.
    #[error(
        "the query would run {scans} scans at once, {max_scans} are allowed: raise `max_scans`, or ask for fewer series"
    )]
    TooManyScans {
        /// How many it needs.
        scans: usize,
        /// How many are allowed.
        max_scans: usize,
    },
    /// Sets of values, buckets, shards and tables have too many combinations for one query.
    #[error(
        "the sets, buckets and tables of the query have {combinations} combinations or more, at most {} can be sent: ask for fewer values or a shorter time",
        MAX_COMBINATIONS
    )]
    TooManyCombinations {
        /// The product of the sets' sizes, or where counting stopped.
        combinations: usize,
    },
    /// The buckets must be listed one by one, but the time has an open end.
    #[error(
        "the buckets of `{segment}` must be listed one by one, {reason}: give `{segment}` a range with both ends"
    )]
    OpenTime {
        /// The segment of the time.
        segment: String,
        /// Why they must be listed.
        reason: &'static str,
    },
    /// Windows of a roll-up need a range of time with both ends.
    #[error(
        "which tables answer, and where the first window begins and the last one ends, depends on both ends of the time: give `{segment}` a range with both"
    )]
    OpenWindows {
        /// The segment of the time.
        segment: String,
    },
    /// The labels of buckets do not sort by time, the time has an open end, and a scan has too many
    /// keys to sort.
    #[error(
        "the labels of `{segment}` do not sort by time, and a scan has more than the {most} keys that can be sorted: give `{segment}` a range with both ends"
    )]
    TooManyKeys {
        /// The segment of the time.
        segment: String,
        /// The maximum number of keys of a scan.
        most: usize,
    },
    /// With tables by period and an open range of time, the existing tables must be listed first.
    /// Running the query lists them.
    #[error(
        "the tables of `{segment}` must be listed first: give `{segment}` a range with both ends, or plan with `db.plan(&query)`"
    )]
    OpenPeriods {
        /// The segment of the time.
        segment: String,
    },
    /// A page's token belongs to another query or layout, or its text is damaged.
    #[error("the page token is refused: {reason}")]
    PageToken {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The garbage-collection rules are too large for a filter, so expired cells cannot be left
    /// out.
    #[error(
        "the filter that excludes cells expired by `gc(...)` is larger than Bigtable allows: declare simpler rules, or call `with_expired()` of a query"
    )]
    Rules,
    /// Windows of events with a limit: events beyond it would be missing from some window.
    #[error("windows cover all events of a time range: remove `limit`")]
    LimitOfWindows,
    /// The windows cannot have this length.
    #[error(transparent)]
    Windows(SeriesError),
    /// The roll-up made for a window without events belongs to another series.
    #[error(
        "the window {wanted} has no events, and {made} was made for it: give it the series that it is asked for"
    )]
    EmptyWindow {
        /// The key of the window.
        wanted: String,
        /// The key that was made.
        made: String,
    },
    /// No length of windows keeps their number within this limit.
    #[error("{asked} cannot cover this time range: ask for more windows, or for longer ones")]
    Resolution {
        /// The requested windows.
        asked: String,
    },
    /// A page of size 0, after which the next page would begin at the same position.
    #[error("a page holds at least one result: give `page` a size above 0")]
    EmptyPage,
    /// A query asks for the state at a time of a model without a time.
    #[error("model `{model}` has no time, so it has no state at a time: read its rows")]
    NoTime {
        /// The model's name.
        model: String,
    },
    /// A query asks for the state at a time of a model that keeps one event of each series.
    #[error(
        "model `{model}` has layout `latest`, which keeps only the newest event: query the model that keeps all events"
    )]
    NewestOnly {
        /// The model's name.
        model: String,
    },
    /// Key order over a model and its former layout, whose keys sort in another order: their events
    /// cannot be merged as they are read.
    #[error(
        "the keys of the former layout `{former}` sort in another order, so its events cannot be merged by key: order by time, with one value for every identifier, or leave the order open with `unordered()`"
    )]
    FormerOrder {
        /// The former model's name.
        former: String,
    },
    /// A query that a model with a former layout cannot answer.
    #[error("{asked} cannot include the events of the former layout `{former}`: {instead}")]
    Former {
        /// The kind of query.
        asked: &'static str,
        /// The former model's name.
        former: String,
        /// What to do instead.
        instead: &'static str,
    },
    /// Time order for a model without a time, or with open identifiers.
    #[error(
        "results come in order of time only when every identifier of the key is fixed: `{segment}` is not"
    )]
    NoTimeOrder {
        /// The identifier that is open, or the model's name when it has no time.
        segment: String,
    },
}

impl QueryError {
    /// The refused operation. A write may have to read first, without a query by its caller.
    pub(super) const fn refused(&self) -> &'static str {
        match self {
            Self::Rules => "the read",
            _ => "the query",
        }
    }

    /// Whether the keys rule out this way of reading: the same rows can be read in another order,
    /// or in one pass over all.
    pub(crate) const fn is_refused_by_keys(&self) -> bool {
        matches!(
            self,
            Self::Closed { .. } | Self::OpenTime { .. } | Self::TooManyCombinations { .. }
        )
    }
}
