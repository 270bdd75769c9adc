use serde::{Deserialize, Serialize};

use super::Order;
use crate::Timestamp;
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
    /// The times of the events that are wanted, where rows and filter may let through others: the client looks at every event.
    pub times: EventTimes,
}

/// One scan of a plan: reads that follow one another, whose events are in the plan's order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scan {
    /// The rows of each read, never the empty set unless the plan is a full scan. There are several where the labels of buckets do
    /// not sort as the buckets do, and where one request could not hold all keys.
    pub parts: Vec<RowSet>,
}

/// Times of events.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum EventTimes {
    /// All of them.
    #[default]
    All,
    /// From the first on, before the second.
    Between(Option<Timestamp>, Option<Timestamp>),
    /// These, ascending.
    In(Vec<Timestamp>),
}

impl EventTimes {
    /// Whether `time` is one of them.
    #[must_use]
    pub fn contain(&self, time: Timestamp) -> bool {
        match self {
            Self::All => true,
            Self::Between(start, end) => {
                start.is_none_or(|start| start <= time) && end.is_none_or(|end| time < end)
            }
            Self::In(times) => times.binary_search(&time).is_ok(),
        }
    }
}
