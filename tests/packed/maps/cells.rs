//! Packed maps in layout `cells`.

use std::collections::BTreeMap;

use bigtable_model::{Model, Timestamp};

#[path = "rounds.rs"]
#[allow(clippy::duplicate_mod, reason = "the same tests of another model")]
mod rounds;

const MARKED: &str = "MARKED";
const TABLE: &str = "HOST";

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "HOST", family = "M", layout = "cells", pack(after = "1h"))]
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

/// Nothing but columns of a map, and one that may be absent, beside the cell that marks an event.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "MARKED",
    family = "M",
    layout = "cells",
    marker = "e",
    pack(after = "1h")
)]
struct Marked {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, bucket = "day", unit = "s")]
    at: Timestamp,
    note: Option<String>,
    #[bigtable(columns, family = "cpu")]
    cpu: BTreeMap<String, i64>,
}
