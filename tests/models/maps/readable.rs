//! Maps in layout `columns` with offsets that have colons.

use std::collections::BTreeMap;

use bigtable_model::{Model, Timestamp};

#[path = "asked.rs"]
#[allow(clippy::duplicate_mod, reason = "the same tests of another model")]
mod asked;
#[path = "bucket.rs"]
#[allow(clippy::duplicate_mod, reason = "the same tests of another model")]
mod bucket;

const TABLE: &str = "HOST_CLOCK";
const QUALIFIERS: [&str; 4] = [
    "M:up:00:00:01",
    "cpu:user:00:00:01",
    "disk:IO/READ:00:00:01",
    "disk:spare:00:00:01",
];

/// Qualifier and timestamp of cells that belong to no event of 1970-01-01.
const FOREIGN: &[(&str, i64)] = &[("user:00:61:00", 1), ("user:1:2", 1), ("spare:00:00:61", 1)];

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "HOST_CLOCK", family = "M", layout = "columns")]
struct OfDay {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, bucket = "day", unit = "s", offset = "%H:%M:%S")]
    at: Timestamp,
    up: bool,
    #[bigtable(columns, family = "cpu", text)]
    cpu: BTreeMap<String, f64>,
    #[bigtable(columns, family = "disk")]
    disk: BTreeMap<String, i64>,
    /// A declared column in the family of a map.
    #[bigtable(family = "disk")]
    spare: Option<i64>,
}
