//! Maps in layout `columns` with offsets that have colons.

use std::collections::BTreeMap;

use bigtable_model::{Model, Timestamp};

#[path = "asked.rs"]
#[allow(clippy::duplicate_mod, reason = "the same tests of another model")]
mod asked;
#[path = "bucket.rs"]
#[allow(clippy::duplicate_mod, reason = "the same tests of another model")]
mod bucket;

const QUALIFIERS: [&str; 4] = [
    "M:up:00:00:01",
    "cpu:user:00:00:01",
    "disk:IO/READ:00:00:01",
    "disk:spare:00:00:01",
];

/// Qualifier and timestamp of cells that belong to no event of 1970-01-01.
const FOREIGN: &[(&str, i64)] = &[("user:00:61:00", 1), ("user:1:2", 1), ("spare:00:00:61", 1)];

of_day!("columns", "HOST_CLOCK", offset = "%H:%M:%S");
