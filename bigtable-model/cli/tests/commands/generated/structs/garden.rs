//! What `generate` proposes.
#![allow(dead_code, unused_imports, reason = "as a user has them")]

pub(crate) mod garden_tall {
use bigtable_model::{Model, Timestamp};

/// Keys `{part_1}#{at:%Y%m%d}` in table GARDEN_TALL.
///
/// It reads 6 of 6 sampled rows.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "GARDEN_TALL", family = "DAILY", cell_time = "write")]
pub struct GardenTall {
    /// One value.
    #[bigtable(key)]
    pub part_1: String,
    /// Sure: 6 values, all dates from 1990 to 2050.
    #[bigtable(time, format = "%Y%m%d")]
    pub at: Timestamp,
    /// Sure: numbers as text.
    #[bigtable(column = "TEMP", text)]
    pub temp: f64,
}
}

pub(crate) mod garden_wide {
use bigtable_model::{Model, Timestamp};

/// Keys `{part_1}#{at:%Y%m%d}` in table GARDEN_WIDE.
///
/// It reads 1 of 1 sampled row, 6 events.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "GARDEN_WIDE", family = "TEMP", layout = "columns")]
pub struct GardenWide {
    /// One value.
    #[bigtable(key)]
    pub part_1: String,
    /// Likely: one value, all dates from 1990 to 2050.
    #[bigtable(time, bucket = "month", label = "%Y%m%d", offset = "%-d")]
    pub at: Timestamp,
    /// Sure: numbers as text.
    #[bigtable(text)]
    pub value: f64,
}
}
