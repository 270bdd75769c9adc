//! Maps in layout `columns`: an offset follows each name.

use std::collections::BTreeMap;

use bigtable_model::{Model, Timestamp};

#[path = "asked.rs"]
#[allow(clippy::duplicate_mod, reason = "the same tests of another model")]
mod asked;
#[path = "bucket.rs"]
#[allow(clippy::duplicate_mod, reason = "the same tests of another model")]
mod bucket;

const TABLE: &str = "HOST_SECONDS";
const QUALIFIERS: [&str; 4] = [
    "M:up:00001",
    "cpu:user:00001",
    "disk:IO/READ:00001",
    "disk:spare:00001",
];

/// Qualifier and timestamp of cells that belong to no event of 1970-01-01.
const FOREIGN: &[(&str, i64)] = &[
    ("user:99999", 1),
    ("user:1", 1),
    ("user", 1),
    ("spare:1", 1),
    ("spare:x", 1),
];

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "HOST_SECONDS", family = "M", layout = "columns")]
struct OfDay {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, bucket = "day", unit = "s")]
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
