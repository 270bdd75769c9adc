/// Why a query cannot be written in GoogleSQL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SqlRefusal {
    /// The names of a row's columns contain times, values or tie-breakers of its events.
    #[error(
        "in layout `{layout}` the names of columns hold times, values or tie-breakers of the events, which `to_sql` does not take apart: run the query itself, or copy the events into layout `row`, or into `cells` if they have no tie-breakers"
    )]
    Names {
        /// The model's layout.
        layout: String,
    },
    /// A row may still have cells of older events beside those of the newest.
    #[error(
        "in layout `{layout}` a row may still have cells of older events, and SQL returns the newest cell of each column whichever event it is of: run the query itself"
    )]
    Newest {
        /// The model's layout.
        layout: String,
    },
    /// Events may be packed into blocks.
    #[error(
        "its model has `pack`, and SQL does not read the blocks of packed events: run the query itself"
    )]
    Packed,
    /// The events are in several tables.
    #[error(
        "its events are in the tables {}, but SQL reads one table: query a time within one period",
        tables.join(", ")
    )]
    Tables {
        /// Their IDs.
        tables: Vec<String>,
    },
    /// Results in time order come from several places of the table.
    #[error(
        "its results are merged by time from {scans} scans, which `to_sql` does not do: query one series, or call `in_key_order()`"
    )]
    Order {
        /// The number of scans.
        scans: usize,
    },
    /// The selection of these segments does not narrow a range of keys.
    #[error(
        "the selection of {} does not narrow a range of keys: set the segments of the key from the first on",
        segments.join(", ")
    )]
    Compared {
        /// The segments.
        segments: Vec<String>,
    },
    /// The query excludes expired cells, which may still be stored.
    #[error(
        "it excludes expired cells of the families {}, but SQL returns cells however old they are: include expired cells with `with_expired()`, or run the query itself",
        families.join(", ")
    )]
    Expired {
        /// The families with such rules.
        families: Vec<String>,
    },
    /// Stored rows may have the column under another name.
    #[error(
        "column {column} has an alias, but SQL reads one name: run the query itself, or write your own SQL"
    )]
    Alias {
        /// The column.
        column: String,
    },
    /// The condition asks for any column, and some are named at run time.
    #[error(
        "its condition looks at all columns of family {family}, whose names are known only at run time: name the columns"
    )]
    AnyColumn {
        /// The family.
        family: String,
    },
    /// Whole events have all columns of a family, and some are named at run time.
    #[error(
        "it reads all run-time columns of family {family}, and what `UNPACK` makes of a whole family is not documented: name the columns in a projection, or run the query itself"
    )]
    WholeFamily {
        /// The family.
        family: String,
    },
    /// A field of serialised events has a name that a JSON path cannot hold.
    #[error(
        "field `{field}` is {name:?} in the JSON of an event, and a JSON path holds no such name: run the query itself, or ask for whole events, whose JSON is returned as it is"
    )]
    FieldName {
        /// The field.
        field: String,
        /// Its name in the payload.
        name: String,
    },
    /// A field of an event's message has a form whose value in SQL is not documented.
    #[error(
        "field `{field}` is `{form}` in the message of an event, whose value in Bigtable's SQL is not documented: run the query itself, or ask for whole events, whose messages are returned as they are"
    )]
    FieldForm {
        /// The field.
        field: String,
        /// Its declaration in the `.proto`.
        form: String,
    },
}
