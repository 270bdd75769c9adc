mod cell;
mod condition;
mod former;
mod rollup;
mod series;
mod sql;
mod words;

use crate::backend::missing::{lacks_family, lacks_table};
pub use cell::CellError;
pub use condition::ConditionError;
pub use former::FormerError;
pub use rollup::RollupError;
pub use series::SeriesError;
pub use sql::SqlRefusal;
pub(crate) use words::in_words;

use bytes::Bytes;

use crate::key::KeyError;
use crate::table::SchemaError;
use crate::value::ValueError;
use crate::{Status, Timestamp};

/// Why a typed operation failed.
///
/// It says what was wrong and where: the table, the key in decoded form, the column. Whether trying
/// again may help is [`Error::is_retryable`]. `Display` never repeats the source: print the chain.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A value can't stand in the row key; nothing was sent.
    #[error("table {table}: {key} is refused")]
    Key {
        /// The table's ID.
        table: String,
        /// The values of the key's segments by their names; those of a long key are cut.
        key: String,
        /// Which segment, and why.
        source: KeyError,
    },
    /// A row's key is not one of the model's.
    #[error("table {table}: \"{}\" is not a key of the model", key.escape_ascii())]
    ForeignKey {
        /// The table's ID.
        table: String,
        /// The key's bytes.
        key: Bytes,
        /// Which segment, and why.
        source: KeyError,
    },
    /// A row of many events holds a cell of one of the model's own columns that can be no event's.
    #[error("table {table}: a cell of column {column} of row {key} belongs to no event{}", and_more(*more))]
    ForeignCell {
        /// The table's ID.
        table: String,
        /// The row key in decoded form.
        key: String,
        /// Family and qualifier.
        column: String,
        /// How many cells of the row are told with it: those of other buckets and those without an
        /// offset are one error.
        more: usize,
        /// Why.
        source: CellError,
    },
    /// The query can't be planned; nothing was sent.
    #[error("table {table}: the query is refused")]
    Query {
        /// The table's ID.
        table: String,
        /// Why.
        source: QueryError,
    },
    /// The query cannot be said in SQL.
    #[error("table {table}: the query has no form in SQL")]
    Sql {
        /// The table's ID.
        table: String,
        /// What of it has none, and what to do instead.
        source: SqlRefusal,
    },
    /// A column's codec refused a value or the bytes of a cell.
    #[error("table {table}: column {column} of {key} is refused")]
    Value {
        /// The table's ID.
        table: String,
        /// The row key in decoded form.
        key: String,
        /// Family and qualifier.
        column: String,
        /// Why.
        source: ValueError,
    },
    /// A column's codec refused the bytes of an earlier version, or of the newest, in a column's
    /// history.
    #[error("table {table}: the version of {time} of column {column} of {key} is refused")]
    Version {
        /// The table's ID.
        table: String,
        /// The row key in decoded form.
        key: String,
        /// Family and qualifier.
        column: String,
        /// The version's timestamp.
        time: Timestamp,
        /// Why.
        source: ValueError,
    },
    /// A row holds an event without a column that every event has.
    #[error(
        "table {table}: {key} has no column {column}, which is neither an `Option` nor has a `default`"
    )]
    MissingColumn {
        /// The table's ID.
        table: String,
        /// The row key in decoded form.
        key: String,
        /// Family and qualifier.
        column: String,
    },
    /// An event was written, and a copy of it in another table was not; writing the event again is
    /// safe.
    #[error("table {table}: the event was written, a copy of it was not")]
    NotMirrored {
        /// The ID of the event's own table.
        table: String,
        /// Why; it names the copy's table.
        source: Box<Error>,
    },
    /// An update that changes nothing; Bigtable has no write without mutations.
    #[error("table {table}: the update of {key} sets no column")]
    EmptyUpdate {
        /// The table's ID.
        table: String,
        /// The row key in decoded form.
        key: String,
    },
    /// The condition of a write can't be sent; nothing was.
    #[error("table {table}: the condition of the write of {key} is refused")]
    Condition {
        /// The table's ID.
        table: String,
        /// The row key in decoded form.
        key: String,
        /// Why.
        source: ConditionError,
    },
    /// A table can't be what is wanted of it.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// An operation on a series failed.
    #[error(transparent)]
    Series(#[from] SeriesError),
    /// What some events come to can't be stored in their roll-up.
    #[error("table {table}: {key} can't be made of its events")]
    Rollup {
        /// The table's ID.
        table: String,
        /// The row key of the roll-up in decoded form.
        key: String,
        /// Why.
        source: RollupError,
    },
    /// An event of the layout that `was` names can't stand in today's.
    #[error("table {table}: {key}, an event of the former layout, is refused")]
    Former {
        /// The ID of the former layout's table.
        table: String,
        /// The former row key in decoded form.
        key: String,
        /// Why.
        source: FormerError,
    },
    /// Today's layout does not know all events of the former one.
    #[error(
        "table {table}: {left} events of the former layout are not in today's: run `former::copy` to its end, after the programs that write them are stopped"
    )]
    NotCopied {
        /// The ID of the former layout's table.
        table: String,
        /// How many they are.
        left: u64,
    },
    /// A table of the model's periods is not there, so that the event was not written. Where the
    /// period's table was deleted by retention on purpose, its events are past.
    #[error(
        "table {table} is not there, and {key} was not written: create the tables of times to come with `ensure_periods`"
    )]
    MissingTable {
        /// The table's ID.
        table: String,
        /// The row key in decoded form.
        key: String,
        /// The backend's answer.
        source: Status,
    },
    /// More tables than an instance of Bigtable has; none was created.
    #[error(
        "tables {table}: the times are of more than {most} periods, and an instance has at most as many tables"
    )]
    TooManyTables {
        /// The template of the tables' IDs.
        table: String,
        /// How many there can be.
        most: usize,
    },
    /// The backend refused a call or failed.
    #[error("table {table}: {method} failed{}{}", at_key(key), remedy(source))]
    Backend {
        /// The table's ID.
        table: String,
        /// The call, such as `ReadRows`.
        method: &'static str,
        /// The row key in decoded form, where the call concerns one row.
        key: Option<String>,
        /// Its answer.
        source: Status,
    },
}

/// The most combinations of sets, buckets and shards that a query may have: each is a row key or a
/// range in what is sent. They are sent in as many requests as it takes.
pub const MAX_COMBINATIONS: usize = 100_000;

/// The most keys of a scan that are read before its rows, where labels of buckets do not sort and a
/// query in order of time has no two ends. They are held.
pub const MAX_KEYS_FIRST: usize = 100_000;

/// Why a query can't be planned, or not be run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// A value or a bound can't stand in its segment.
    #[error("a value of the query can't stand in the row key")]
    Key(#[from] KeyError),
    /// A segment is narrowed after one that has a range or a prefix.
    #[error(
        "`{segment}` can't be narrowed behind `{closed_by}`: set `{closed_by}` to one value or several"
    )]
    Closed {
        /// The segment that can't be narrowed.
        segment: String,
        /// The segment before it that has more than a set of values.
        closed_by: String,
    },
    /// A column that the model does not have; only selections made at run time meet this.
    #[error("column {index} is asked for, the model has {columns}")]
    UnknownColumn {
        /// The index asked for.
        index: usize,
        /// How many columns there are.
        columns: usize,
    },
    /// What is asked of the columns can't be compared.
    #[error("the query's condition is refused")]
    Condition(#[from] ConditionError),
    /// A query with a limit is to be cut into partitions.
    #[error(
        "a query with a limit can't be cut into partitions, none of which could keep it: leave out `limit`"
    )]
    LimitOfPartitions,
    /// Nothing narrows the query and the whole table was not asked for.
    #[error(
        "the query would read the whole table: set `{segment}`, or call `scan()` to do that on purpose"
    )]
    FullScan {
        /// The first segment of the key.
        segment: String,
    },
    /// Order of time over more series than may be read at once, or order of keys over more tables.
    #[error(
        "the query would run {scans} scans at once, {max_scans} are allowed: raise `max_scans`, or ask for fewer series"
    )]
    TooManyScans {
        /// How many it takes.
        scans: usize,
        /// How many are allowed.
        max_scans: usize,
    },
    /// Sets of values, buckets, shards and tables whose combinations are too many ranges for one
    /// query.
    #[error(
        "the sets, buckets and tables of the query have {combinations} combinations or more, at most {} can be sent: ask for fewer values or a shorter time",
        MAX_COMBINATIONS
    )]
    TooManyCombinations {
        /// The product of the sets' sizes, or where counting stopped.
        combinations: usize,
    },
    /// Buckets that have to be listed one by one, of a time without two ends.
    #[error(
        "the buckets of `{segment}` have to be listed one by one, {reason}: give `{segment}` a range with both ends"
    )]
    OpenTime {
        /// The segment of the time.
        segment: String,
        /// Why they have to be.
        reason: &'static str,
    },
    /// Labels of buckets that do not sort, of a time without two ends, and more keys than are put
    /// in order.
    #[error(
        "the labels of `{segment}` do not sort as times do, and a scan has more than the {most} keys that are put in order: give `{segment}` a range with both ends"
    )]
    TooManyKeys {
        /// The segment of the time.
        segment: String,
        /// How many keys a scan may have.
        most: usize,
    },
    /// Tables by period, of a time without two ends: which ones there are is not known before they
    /// are listed. Running the query lists them.
    #[error(
        "which tables of `{segment}` there are is not known without asking: give `{segment}` a range with both ends, or plan with `plan_on(&db)`"
    )]
    OpenPeriods {
        /// The segment of the time.
        segment: String,
    },
    /// A page's token is not one of this query or of this layout, or its text is damaged.
    #[error("the page token is refused: {reason}")]
    PageToken {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Rules of garbage collection that no filter holds, so that expired cells can't be left out.
    #[error(
        "the cells that `gc(...)` deletes can't be left out, since the filter would be larger than Bigtable allows: declare simpler rules, or ask `with_expired()`"
    )]
    Rules,
    /// Windows of events with a limit: the events after it would be missing in some window.
    #[error("windows are of all events of a time: leave out `limit`")]
    LimitOfWindows,
    /// Windows of a length that there is none of.
    #[error(transparent)]
    Windows(SeriesError),
    /// A number of windows that no length of window keeps.
    #[error("{asked} can't be had of this time: ask for more windows, or for longer ones")]
    Resolution {
        /// What is asked.
        asked: String,
    },
    /// A page of no results, after which the next would begin at the same place.
    #[error("a page holds at least one result: give `page` a size above 0")]
    EmptyPage,
    /// The state at a time is asked of a model without a time.
    #[error("model `{model}` has no time, and so no state before one: read its rows")]
    NoTime {
        /// The model's name.
        model: String,
    },
    /// The state at a time is asked of a model that keeps one event of each series.
    #[error(
        "model `{model}` is in layout `latest`, which does not keep what came before the newest event: ask the model that keeps all events"
    )]
    NewestOnly {
        /// The model's name.
        model: String,
    },
    /// Order of keys asked of a model and its former layout, whose keys stand in another one: the
    /// events of both can't be united as they are read.
    #[error(
        "the keys of the former layout `{former}` stand in another order, so that its events can't be united with today's as they are read: ask for order of time, with a value for every identifier"
    )]
    FormerOrder {
        /// The former model's name.
        former: String,
    },
    /// What a model with a former layout can't be asked.
    #[error("{asked} can't unite the events of the former layout `{former}`: {instead}")]
    Former {
        /// What was asked for.
        asked: &'static str,
        /// The former model's name.
        former: String,
        /// What to do instead.
        instead: &'static str,
    },
    /// Order of time asked of a model without a time, or with identifiers left open.
    #[error(
        "results come in order of time only when every identifier of the key is fixed: `{segment}` is not"
    )]
    NoTimeOrder {
        /// The identifier that is open, or the model's name when it has no time.
        segment: String,
    },
}

fn and_more(more: usize) -> String {
    match more {
        0 => String::new(),
        more => format!(", and {more} more cells of the row"),
    }
}

fn at_key(key: &Option<String>) -> String {
    key.as_ref()
        .map_or_else(String::new, |key| format!(" at {key}"))
}

/// What to do about a table that is not what the model wants, where that is what the backend
/// refused.
fn remedy(source: &Status) -> &'static str {
    if lacks_table(source) {
        ": the table is missing, so create it with `ensure_table`, or tables by period with `ensure_periods`"
    } else if lacks_family(source) {
        ": the table lacks a column family, which `ensure_table` adds"
    } else {
        ""
    }
}

impl Error {
    /// The same of a table that is known better where the error is met: of a model by period the
    /// one that was read.
    #[cold]
    pub(crate) fn in_table(mut self, name: &str) -> Self {
        match &mut self {
            Self::Key { table, .. }
            | Self::ForeignKey { table, .. }
            | Self::ForeignCell { table, .. }
            | Self::Query { table, .. }
            | Self::Value { table, .. }
            | Self::MissingColumn { table, .. }
            | Self::EmptyUpdate { table, .. }
            | Self::Condition { table, .. }
            | Self::Sql { table, .. }
            | Self::Version { table, .. }
            | Self::MissingTable { table, .. }
            | Self::TooManyTables { table, .. }
            | Self::Rollup { table, .. }
            | Self::Former { table, .. }
            | Self::NotCopied { table, .. }
            | Self::Backend { table, .. } => name.clone_into(table),
            // They are of other tables, or of a table as it was asked for.
            Self::NotMirrored { .. } | Self::Schema(_) | Self::Series(_) => {}
        }
        self
    }

    /// Whether the same call may succeed later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Backend { source, .. } => source.is_retryable(),
            Self::NotMirrored { source, .. } => source.is_retryable(),
            _ => false,
        }
    }

    /// The ID of the table that it concerns: of an event that was written without a copy, the
    /// copy's. An operation on a series concerns none, and it is empty.
    #[must_use]
    pub fn table(&self) -> &str {
        match self {
            Self::NotMirrored { source, .. } => source.table(),
            Self::Schema(source) => source.table(),
            Self::Series(_) => "",
            Self::Key { table, .. }
            | Self::ForeignKey { table, .. }
            | Self::ForeignCell { table, .. }
            | Self::Query { table, .. }
            | Self::Value { table, .. }
            | Self::Version { table, .. }
            | Self::MissingColumn { table, .. }
            | Self::EmptyUpdate { table, .. }
            | Self::MissingTable { table, .. }
            | Self::TooManyTables { table, .. }
            | Self::Condition { table, .. }
            | Self::Sql { table, .. }
            | Self::Rollup { table, .. }
            | Self::Former { table, .. }
            | Self::NotCopied { table, .. }
            | Self::Backend { table, .. } => table,
        }
    }
}

impl QueryError {
    /// Whether the keys do not lead to the rows as they are asked for: the same rows can be read in
    /// another order, or in one pass over all.
    pub(crate) const fn is_refused_by_keys(&self) -> bool {
        matches!(
            self,
            Self::Closed { .. } | Self::OpenTime { .. } | Self::TooManyCombinations { .. }
        )
    }
}
