mod added;
mod cell;
mod condition;
mod former;
mod kind;
mod model;
mod query;
mod rollup;
mod series;
mod sql;
mod words;

use crate::backend::missing::{lacks_family, lacks_table};
pub use added::NotAdded;
pub(crate) use added::PendingAdd;
pub use cell::CellError;
pub use condition::ConditionError;
pub use former::FormerError;
pub use kind::ErrorKind;
pub use model::ModelError;
pub use query::{MAX_COMBINATIONS, MAX_KEYS_FIRST, QueryError};
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
/// It says what went wrong and where: the table, the key in decoded form, the column.
/// [`Error::kind`] says how to answer and whether a retry may help. `Display` never repeats the
/// source: print the chain.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The row key cannot hold a value; nothing was sent.
    #[error("table {table}: {key} is refused")]
    Key {
        /// The table's ID.
        table: String,
        /// The values of the key's segments by their names; a long key is cut.
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
    /// A row of many events has a cell in one of the model's columns that belongs to no event.
    #[error("table {table}: a cell of column {column} of row {key} belongs to no event{}", and_more(*more))]
    ForeignCell {
        /// The table's ID.
        table: String,
        /// The row key in decoded form.
        key: String,
        /// Family and qualifier.
        column: String,
        /// How many more cells of the row this error is about: cells of other buckets and cells
        /// without an offset are reported together.
        more: usize,
        /// Why.
        source: CellError,
    },
    /// The query cannot be planned; nothing was sent.
    #[error("table {table}: {} is refused", source.refused())]
    Query {
        /// The table's ID.
        table: String,
        /// Why.
        source: QueryError,
    },
    /// A program without the model's struct asked for something that needs it; nothing was sent.
    #[error("table {table}: model {model} is refused")]
    ByName {
        /// The table's ID, or the template of the tables by period.
        table: String,
        /// The model's name.
        model: String,
        /// Why.
        source: ModelError,
    },
    /// SQL cannot express the query.
    #[error("table {table}: the query cannot be written in SQL")]
    Sql {
        /// The table's ID.
        table: String,
        /// What SQL cannot express, and what to do instead.
        source: SqlRefusal,
    },
    /// A column cannot hold a value; nothing was sent.
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
    /// The bytes of a cell are not a value of its column.
    #[error("table {table}: column {column} of {key} is refused")]
    BadCell {
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
    /// An event is older than the model keeps events, and such events are refused; nothing was
    /// sent.
    #[error(
        "table {table}: {key} has expired: no query finds it, since cells of {family} {rule} are deleted"
    )]
    Expired {
        /// The table's ID, or the template of the tables by period.
        table: String,
        /// The row key in decoded form.
        key: String,
        /// The family whose cells mark the event.
        family: String,
        /// The family's rule.
        rule: String,
    },
    /// An event cannot be written into a block of its row, which has not settled; nothing was sent.
    #[error(
        "table {table}: {key} is of a bucket that settles at {settled}: write it with `insert` until then"
    )]
    Unsettled {
        /// The table's ID, or the template of the tables by period.
        table: String,
        /// The row key in decoded form.
        key: String,
        /// When the row settles.
        settled: crate::Timestamp,
    },
    /// An event lacks a required column.
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
    /// An event was written, but a copy of it in another table was not; writing the event again is
    /// safe.
    #[error("table {table}: the event was written, but a copy of it was not")]
    NotMirrored {
        /// The ID of the event's own table.
        table: String,
        /// Why; it names the copy's table.
        source: Box<Error>,
    },
    /// An event was written, but a roll-up that the server adds may lack it.
    #[error(transparent)]
    NotAdded(Box<NotAdded>),
    /// An update changes nothing; Bigtable refuses a write without mutations.
    #[error("table {table}: the update of {key} sets no column")]
    EmptyUpdate {
        /// The table's ID.
        table: String,
        /// The row key in decoded form.
        key: String,
    },
    /// A write that states a version found another version or no event; nothing was written.
    #[error("table {table}: {key} {}", not_at(*version))]
    Conflict {
        /// The table's ID.
        table: String,
        /// The row key in decoded form.
        key: String,
        /// The version that the write states.
        version: u64,
    },
    /// The condition of a write cannot be sent; nothing was sent.
    #[error("table {table}: the condition of the write of {key} is refused")]
    Condition {
        /// The table's ID.
        table: String,
        /// The row key in decoded form.
        key: String,
        /// Why.
        source: ConditionError,
    },
    /// A table cannot be given the wanted schema.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// An operation on a series failed.
    #[error(transparent)]
    Series(#[from] SeriesError),
    /// The aggregate of some events cannot be stored in their roll-up.
    #[error("table {table}: {key} cannot be computed from its events")]
    Rollup {
        /// The table's ID.
        table: String,
        /// The row key of the roll-up in decoded form.
        key: String,
        /// Why.
        source: RollupError,
    },
    /// An event of the layout that `was` names cannot be stored in the current one.
    #[error("table {table}: {key}, an event of the former layout, is refused")]
    Former {
        /// The ID of the former layout's table.
        table: String,
        /// The former row key in decoded form.
        key: String,
        /// Why.
        source: FormerError,
    },
    /// The current layout lacks events of the former one.
    #[error(
        "table {table}: {left} events of the former layout are missing from the current one: stop the programs that write them, then run `former::copy` to its end"
    )]
    NotCopied {
        /// The ID of the former layout's table.
        table: String,
        /// The number of such events.
        left: u64,
    },
    /// The table of an event's period does not exist, so the event was not written. The table may
    /// have been deleted on purpose, by retention.
    #[error(
        "table {table} does not exist, so {key} was not written: create tables ahead of time with `ensure_periods`"
    )]
    MissingTable {
        /// The table's ID.
        table: String,
        /// The row key in decoded form.
        key: String,
        /// The backend's answer.
        source: Status,
    },
    /// More tables than an instance of Bigtable may have; none was created.
    #[error(
        "tables {table}: the times span more than {most} periods, the maximum number of tables in an instance"
    )]
    TooManyTables {
        /// The template of the tables' IDs.
        table: String,
        /// The maximum number of tables.
        most: usize,
    },
    /// The backend refused a call or failed.
    #[error("table {table}: {method} failed{}{}", at_key(key), remedy(source))]
    Backend {
        /// The table's ID.
        table: String,
        /// The call, such as `ReadRows`.
        method: &'static str,
        /// The row key in decoded form, if the call is for one row.
        key: Option<String>,
        /// Its answer.
        source: Status,
    },
}

fn and_more(more: usize) -> String {
    match more {
        0 => String::new(),
        more => format!(", and {more} more cells of the row"),
    }
}

/// How the event differs from the stated version.
fn not_at(version: u64) -> String {
    match version {
        0 => "already exists, but version 0 stands for a missing event: read it again".to_owned(),
        version => format!(
            "is no longer at version {version}, since it was changed or deleted: read it again"
        ),
    }
}

fn at_key(key: &Option<String>) -> String {
    key.as_ref()
        .map_or_else(String::new, |key| format!(" at {key}"))
}

/// What to do if the backend failed because the table or a family is missing.
fn remedy(source: &Status) -> &'static str {
    if lacks_table(source) {
        ": the table is missing, so create it with `ensure_tables`, or tables by period with `ensure_periods`"
    } else if lacks_family(source) {
        ": the table lacks a column family, which `ensure_tables` adds"
    } else {
        ""
    }
}

impl Error {
    /// Replaces the table's name with a more exact one: with tables by period, the table that was
    /// read.
    #[cold]
    pub(crate) fn in_table(mut self, name: &str) -> Self {
        match &mut self {
            Self::Key { table, .. }
            | Self::ForeignKey { table, .. }
            | Self::ForeignCell { table, .. }
            | Self::Query { table, .. }
            | Self::ByName { table, .. }
            | Self::Value { table, .. }
            | Self::BadCell { table, .. }
            | Self::MissingColumn { table, .. }
            | Self::Expired { table, .. }
            | Self::Unsettled { table, .. }
            | Self::EmptyUpdate { table, .. }
            | Self::Conflict { table, .. }
            | Self::Condition { table, .. }
            | Self::Sql { table, .. }
            | Self::Version { table, .. }
            | Self::MissingTable { table, .. }
            | Self::TooManyTables { table, .. }
            | Self::Rollup { table, .. }
            | Self::Former { table, .. }
            | Self::NotCopied { table, .. }
            | Self::Backend { table, .. } => name.clone_into(table),
            // These name other tables, or already the right one.
            Self::NotMirrored { .. } | Self::NotAdded(_) | Self::Schema(_) | Self::Series(_) => {}
        }
        self
    }

    /// Whether the backend may answer the same call later.
    ///
    /// This does not mean that the call was not applied. Reads, inserts, updates and deletes can be
    /// repeated, except inserts that the server adds to roll-ups. Before you repeat an increment,
    /// an append, an addition to an aggregate or a conditional write, read the event: the answer
    /// may have been lost.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Backend { source, .. } => source.is_retryable(),
            Self::NotMirrored { source, .. } => source.is_retryable(),
            _ => false,
        }
    }

    /// The ID of the affected table: the copy's, if an event was written without its copy. Empty
    /// for an operation on a series, which has no table.
    #[must_use]
    pub fn table(&self) -> &str {
        match self {
            Self::NotMirrored { source, .. } => source.table(),
            Self::NotAdded(missing) => missing.table(),
            Self::Schema(source) => source.table(),
            Self::Series(_) => "",
            Self::Key { table, .. }
            | Self::ForeignKey { table, .. }
            | Self::ForeignCell { table, .. }
            | Self::Query { table, .. }
            | Self::ByName { table, .. }
            | Self::Value { table, .. }
            | Self::BadCell { table, .. }
            | Self::Version { table, .. }
            | Self::MissingColumn { table, .. }
            | Self::Expired { table, .. }
            | Self::Unsettled { table, .. }
            | Self::EmptyUpdate { table, .. }
            | Self::Conflict { table, .. }
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
