//! Columns named at run time in packed rows, in either layout.

/// Models with maps in one layout.
macro_rules! models {
    ($layout:literal, $host:literal, $marked:literal) => {
        const MARKED: &str = $marked;
        const TABLE: &str = $host;

        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable(table = $host, family = "M", layout = $layout, pack(after = "1h"))]
        struct Host {
            #[bigtable(key)]
            host: String,
            #[bigtable(time, bucket = "day", unit = "s")]
            at: Timestamp,
            up: bool,
            #[bigtable(columns, family = "cpu", text)]
            cpu: BTreeMap<String, f64>,
            #[bigtable(columns, family = "disk")]
            disk: BTreeMap<String, i64>,
            /// Declared columns in the family of a map, between names of the map.
            #[bigtable(family = "disk")]
            spare: Option<i64>,
            #[bigtable(family = "disk", column = "a")]
            first: Option<String>,
        }

        /// Nothing but columns of a map, and one that may be absent, beside the cell that marks an
        /// event. (Two attributes: rustfmt moves one of several lines further at each run.)
        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable(table = $marked, family = "M", layout = $layout)]
        #[bigtable(marker = "e", pack(after = "1h"))]
        struct Marked {
            #[bigtable(key)]
            host: String,
            #[bigtable(time, bucket = "day", unit = "s")]
            at: Timestamp,
            note: Option<String>,
            #[bigtable(columns, family = "cpu")]
            cpu: BTreeMap<String, i64>,
        }
    };
}

mod cells;
mod columns;
