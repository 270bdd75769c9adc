//! Changes to rows that hold many events.

use bigtable_model::Timestamp;

use crate::prove::{Former, change};

/// A reading: a cell at the event's time, a day in a row.
#[derive(Debug, Clone, PartialEq, bigtable_model::Model)]
#[bigtable(table = "CELLS", family = "S", layout = "cells")]
pub(crate) struct InCells {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "ms", bucket = "day")]
    at: Timestamp,
    load: f64,
}

/// The minutes of two days, at odd milliseconds.
fn times() -> impl Iterator<Item = Timestamp> {
    let start = 1_426_534_201_001;
    (0..30).map(move |number| Timestamp::from_millis(start + number * 60_000 * 97))
}

impl Former for InCells {
    fn events() -> Vec<Self> {
        let event = |at| Self {
            host: "web1".to_owned(),
            at,
            load: 0.25,
        };
        times().map(event).collect()
    }
}

macro_rules! in_cells {
    ($name:ident: $class:tt, $fate:ident; [$($attribute:tt)*] [$($time:tt)*]) => {
        change! {
            $name: $class, $fate; InCells => {
                #[bigtable(table = "CELLS", family = "S", $($attribute)*)]
                struct Now {
                    #[bigtable(key)] host: String,
                    #[bigtable(time, $($time)*)] at: Timestamp,
                    load: f64,
                }
            } |was| Now { host: was.host.clone(), at: was.at, load: was.load }
        }
    };
}

in_cells! { the_bucket_is_shorter: StoredBytes, Error; [layout = "cells"] [unit = "ms", bucket = "hour"] }
in_cells! { the_bucket_is_longer: StoredBytes, Error; [layout = "cells"] [unit = "ms", bucket = "month"] }
in_cells! { the_label_is_another: StoredBytes, Error; [layout = "cells"] [unit = "ms", bucket = "day", label = "%Y-%m-%d"] }
in_cells! { the_bucket_has_a_zone: StoredBytes, Error; [layout = "cells"] [unit = "ms", bucket = "day", zone = "America/New_York"] }
in_cells! { the_unit_is_coarser: StoredBytes, Error; [layout = "cells"] [unit = "s", bucket = "day"] }
in_cells! { cells_become_columns: StoredBytes, Hidden; [layout = "columns"] [unit = "ms", bucket = "day"] }
in_cells! { cells_become_the_latest: StoredBytes, Error; [layout = "latest"] [unit = "ms"] }
in_cells! { times_of_buckets_are_rounded: Reads, Equal; [layout = "cells"] [unit = "ms", bucket = "day", truncate] }

/// A reading: a column at its minute, a day in a row.
#[derive(Debug, Clone, PartialEq, bigtable_model::Model)]
#[bigtable(table = "COLUMNS", family = "S", layout = "columns")]
pub(crate) struct InColumns {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, bucket = "day", offset = "%H%M")]
    at: Timestamp,
    load: f64,
}

impl Former for InColumns {
    fn events() -> Vec<Self> {
        let event = |number: i64| Self {
            host: "web1".to_owned(),
            at: Timestamp::from_seconds(1_426_464_000 + number * 60 * 97),
            load: 0.25,
        };
        (0..30).map(event).collect()
    }
}

macro_rules! in_columns {
    ($name:ident: $class:tt, $fate:ident; [$($time:tt)*] { $($field:tt)* } |$was:ident| { $($value:tt)* }) => {
        change! {
            $name: $class, $fate; InColumns => {
                #[bigtable(table = "COLUMNS", family = "S", layout = "columns")]
                struct Now {
                    #[bigtable(key)] host: String,
                    #[bigtable(time, $($time)*)] at: Timestamp,
                    load: f64,
                    $($field)*
                }
            } |$was| Now { host: $was.host.clone(), at: $was.at, load: $was.load, $($value)* }
        }
    };
}

in_columns! {
    the_offset_has_another_format: StoredBytes, Error;
    [bucket = "day", offset = "%H-%M"] {} |was| {}
}

in_columns! {
    the_offset_counts_seconds: StoredBytes, Error;
    [bucket = "day", unit = "s"] {} |was| {}
}

// With a second field, qualifiers begin with the columns' names.
in_columns! {
    an_optional_column_is_new_where_qualifiers_had_no_names: StoredBytes, Hidden;
    [bucket = "day", offset = "%H%M"] { users: Option<u32>, } |was| { users: None, }
}
