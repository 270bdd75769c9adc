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
    /// A segment cannot hold a value or a bound. Values that fit into their segments, but together
    /// make a key that Bigtable does not take, are no error: they have no rows.
    #[error("the row key cannot hold a value of the query")]
    Key(#[from] KeyError),
    /// A segment is selected after one with a range or a prefix.
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
    /// What is forgotten is all that is stored under some keys.
    #[error("`forget` deletes whole rows: leave out {part}, or use `delete_all`")]
    ForgetsPart {
        /// What narrows the query.
        part: String,
    },
    /// Nothing says whom to forget.
    #[error("nothing says whom to forget: set a segment of the key; `drop_rows` empties a table")]
    ForgetsAll,
    /// Nothing narrows the query, and it does not ask for the whole table.
    #[error(
        "the query would read the whole table: set `{segment}`, or begin with `scan()` to do that on purpose"
    )]
    FullScan {
        /// The first segment of the key.
        segment: String,
    },
    /// Time order over more series, or key order over more tables, than may be read at once.
    #[error(
        "the query would run {scans} scans at once, {max_scans} are allowed: raise `max_scans`, or ask for fewer series"
    )]
    TooManyScans {
        /// How many it takes.
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
    /// Windows of a roll-up are cut from a range of time.
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
    /// Garbage-collection rules that are too large for a filter, so expired cells cannot be left
    /// out.
    #[error(
        "the filter that excludes cells expired by `gc(...)` is larger than Bigtable allows: declare simpler rules, or call `with_expired()` of a query"
    )]
    Rules,
    /// Windows of events with a limit: the events after it would be missing in some window.
    #[error("windows cover all events of a time range: remove `limit`")]
    LimitOfWindows,
    /// The windows cannot have this length.
    #[error(transparent)]
    Windows(SeriesError),
    /// What was made for a window without events belongs to another series.
    #[error(
        "the window {wanted} has no events, and {made} was made for it: give it the series that it is asked for"
    )]
    EmptyWindow {
        /// The key of the window.
        wanted: String,
        /// The key that was made.
        made: String,
    },
    /// No length of window keeps to this number of windows.
    #[error("{asked} cannot cover this time range: ask for more windows, or for longer ones")]
    Resolution {
        /// The requested windows.
        asked: String,
    },
    /// A page with a size of 0, after which the next would begin at the same position.
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
    /// Time order for a model without a time, or with identifiers left open.
    #[error(
        "results come in order of time only when every identifier of the key is fixed: `{segment}` is not"
    )]
    NoTimeOrder {
        /// The identifier that is open, or the model's name when it has no time.
        segment: String,
    },
}

impl QueryError {
    /// What is refused. A write may have to read first, without a query of its caller's.
    pub(super) const fn refused(&self) -> &'static str {
        match self {
            Self::Rules => "the read",
            _ => "the query",
        }
    }

    /// Whether the keys do not allow this way of reading: the same rows can be read in another
    /// order, or in one pass over all.
    pub(crate) const fn is_refused_by_keys(&self) -> bool {
        matches!(
            self,
            Self::Closed { .. } | Self::OpenTime { .. } | Self::TooManyCombinations { .. }
        )
    }
}
