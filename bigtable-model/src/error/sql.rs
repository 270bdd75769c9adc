/// What of a query GoogleSQL has no form for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SqlRefusal {
    /// SQL gives rows, and these hold several events, or cells of older ones.
    #[error(
        "in layout `{layout}` a row holds the cells of several events, and SQL gives rows: run the query itself, or write SQL of your own with `with_history`"
    )]
    Rows {
        /// The model's layout.
        layout: String,
    },
    /// The events are in several tables.
    #[error(
        "its events are in the tables {}, and SQL reads one: ask for a time within one period",
        tables.join(", ")
    )]
    Tables {
        /// Their IDs.
        tables: Vec<String>,
    },
    /// Results in order of time that stand at several places of the table.
    #[error(
        "its results are merged by time from {scans} scans, and SQL sorts by the key: ask for one series, or call `in_key_order()`"
    )]
    Order {
        /// How many scans it takes.
        scans: usize,
    },
    /// What is asked of these segments narrows no range of keys.
    #[error(
        "what is asked of {} is told by comparing each key, and not by ranges of keys: set the segments of the key from the first on",
        segments.join(", ")
    )]
    Compared {
        /// The segments.
        segments: Vec<String>,
    },
    /// Cells that a rule of garbage collection deletes and that are still stored.
    #[error(
        "it leaves out what `gc(...)` of the families {} deletes and Bigtable still has, and SQL gives the newest cell of a column however old it is: ask `with_expired()` for these too, or run the query itself",
        families.join(", ")
    )]
    Expired {
        /// The families with such rules.
        families: Vec<String>,
    },
    /// A column that stored rows may have by another name.
    #[error(
        "column {column} has an alias, and SQL names one column: run the query itself, or write SQL of your own"
    )]
    Alias {
        /// The column.
        column: String,
    },
    /// A condition that looks at columns named at run time.
    #[error(
        "its condition looks at all columns of family {family}, whose names are known at run time: name the columns"
    )]
    AnyColumn {
        /// The family.
        family: String,
    },
}
