use serde::{Deserialize, Serialize};

use super::Order;
use crate::data::{RowFilter, RowSet};

/// What a query will send: plain data, made before anything is sent. Its `Display` tells it in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The table's ID.
    pub table: String,
    /// The scans, whose results are merged; none when no row can match, and nothing is sent then.
    pub scans: Vec<Scan>,
    /// What the server lets through.
    pub filter: Option<RowFilter>,
    /// The order of the results.
    pub order: Order,
    /// Newest first, or last key first.
    pub descending: bool,
    /// Whether the scans run from the last key to the first.
    pub reversed: bool,
    /// At most this many events.
    pub limit: Option<u64>,
    /// Whether every row of the table is read.
    pub full_scan: bool,
}

/// One read of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scan {
    /// Its rows, never the empty set unless the plan is a full scan.
    pub rows: RowSet,
}
