//! What `generate` proposes.
#![allow(dead_code, unused_imports, reason = "as a user has them")]

pub(crate) mod balloon_columns_per_event {
use bigtable_model::Model;

/// Keys `{part_1}#{part_2}#{part_3}#{part_4}` in table BALLOON_COLUMNS_PER_EVENT.
///
/// It reads 1 of 1 sampled row.
/// Not in it: that the 3 columns from 94122 to 95992 are named by data: they hold nothing, so their names may be values, as layout `qualifiers` has them.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "BALLOON_COLUMNS_PER_EVENT", family = "F")]
pub struct BalloonColumnsPerEvent {
    /// One value.
    #[bigtable(key)]
    pub part_1: String,
    /// A guess: one value of digits; as a text they are read whatever they are.
    #[bigtable(key)]
    pub part_2: String,
    /// One value.
    #[bigtable(key)]
    pub part_3: String,
    /// One value.
    #[bigtable(key)]
    pub part_4: String,
    /// Sure: text.
    #[bigtable(column = "94122")]
    pub column_94122: String,
    /// Sure: text.
    #[bigtable(column = "94558")]
    pub column_94558: String,
    /// Sure: text.
    #[bigtable(column = "95992")]
    pub column_95992: String,
}
}

pub(crate) mod balloon_cells_per_event {
use bigtable_model::Model;

/// Keys `{part_1}#{part_2}#{part_3}` in table BALLOON_CELLS_PER_EVENT.
///
/// It reads 1 of 1 sampled row.
/// Not in it: older versions of cells: the newest is read.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "BALLOON_CELLS_PER_EVENT", family = "measurements")]
pub struct BalloonCellsPerEvent {
    /// One value.
    #[bigtable(key)]
    pub part_1: String,
    /// A guess: one value of digits; as a text they are read whatever they are.
    #[bigtable(key)]
    pub part_2: String,
    /// One value.
    #[bigtable(key)]
    pub part_3: String,
    /// Sure: numbers as text.
    #[bigtable(text)]
    pub pressure: i64,
    /// Sure: numbers as text.
    #[bigtable(text)]
    pub temp: f64,
}
}

pub(crate) mod balloon_serialized {
use bigtable_model::{Model, Timestamp};

/// Keys `{part_1}#{part_2}#{at:%Y-%m-%d-%H%M}` in table BALLOON_SERIALIZED.
///
/// It reads 4 of 4 sampled rows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "BALLOON_SERIALIZED", family = "F", cell_time = "write")]
pub struct BalloonSerialized {
    /// One value.
    #[bigtable(key)]
    pub part_1: String,
    /// A guess: one value of digits; as a text they are read whatever they are.
    #[bigtable(key)]
    pub part_2: String,
    /// Likely: 4 values, all dates from 1990 to 2050.
    #[bigtable(time, format = "%Y-%m-%d-%H%M")]
    pub at: Timestamp,
    /// Sure: text.
    pub measurements_blob: String,
}
}

pub(crate) mod balloon_unserialized {
use bigtable_model::{Model, Timestamp};

/// Keys `{part_1}#{part_2}#{at:%Y-%m-%d-%H%M}` in table BALLOON_UNSERIALIZED.
///
/// It reads 5 of 5 sampled rows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "BALLOON_UNSERIALIZED", family = "measurements", cell_time = "write")]
pub struct BalloonUnserialized {
    /// One value.
    #[bigtable(key)]
    pub part_1: String,
    /// A guess: one value of digits; as a text they are read whatever they are.
    #[bigtable(key)]
    pub part_2: String,
    /// Sure: 5 values, all dates from 1990 to 2050.
    #[bigtable(time, format = "%Y-%m-%d-%H%M")]
    pub at: Timestamp,
    /// Sure: numbers as text.
    #[bigtable(text)]
    pub altitude: i64,
    /// Sure: numbers as text.
    #[bigtable(text)]
    pub humidity: i64,
    /// Sure: numbers as text.
    #[bigtable(text)]
    pub pressure: i64,
    /// Sure: numbers as text.
    #[bigtable(text)]
    pub temperature: f64,
}
}
