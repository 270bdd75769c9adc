//! Maps in layout `columns`: an offset follows each name.

use std::collections::BTreeMap;

use bigtable_model::{Model, Timestamp};

#[path = "asked.rs"]
#[allow(clippy::duplicate_mod, reason = "the same tests of another model")]
mod asked;
#[path = "bucket.rs"]
#[allow(clippy::duplicate_mod, reason = "the same tests of another model")]
mod bucket;

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

of_day!("columns", "HOST_SECONDS");
