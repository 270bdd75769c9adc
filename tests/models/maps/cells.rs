//! Maps in layout `cells`.

use std::collections::BTreeMap;

use bigtable_model::{Model, Timestamp};

#[path = "asked.rs"]
#[allow(clippy::duplicate_mod, reason = "the same tests of another model")]
mod asked;
#[path = "bucket.rs"]
#[allow(clippy::duplicate_mod, reason = "the same tests of another model")]
mod bucket;

const QUALIFIERS: [&str; 4] = ["M:up", "cpu:user", "disk:IO/READ", "disk:spare"];

/// Qualifier and timestamp of cells that belong to no event of 1970-01-01.
const FOREIGN: &[(&str, i64)] = &[("user", 86_400)];

of_day!("cells", "HOST_DAY");
