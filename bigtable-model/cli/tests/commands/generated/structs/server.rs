//! What `generate` proposes.
#![allow(dead_code, unused_imports, reason = "as a user has them")]

pub(crate) mod server_metric {
use bigtable_model::{Model, Timestamp};

/// Keys `{part_1}#{at:013ms}` in table SERVER_METRIC.
///
/// It reads 1 of 1 sampled row.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SERVER_METRIC", family = "METRIC", cell_time = "write")]
pub struct ServerMetric {
    /// One value.
    #[bigtable(key)]
    pub part_1: String,
    /// Likely: one value, all times from 1990 to 2050.
    #[bigtable(time, unit = "ms")]
    pub at: Timestamp,
    /// Sure: numbers as text.
    #[bigtable(column = "CPU/CPU1_NICE", text)]
    pub cpu_cpu1_nice: f64,
    /// Sure: numbers as text.
    #[bigtable(column = "CPU/CPU1_USR", text)]
    pub cpu_cpu1_usr: f64,
    /// Sure: numbers as text.
    #[bigtable(column = "IO/BLK_READ", text)]
    pub io_blk_read: i64,
    /// Sure: numbers as text.
    #[bigtable(column = "MIO/BLK_WRTN", text)]
    pub mio_blk_wrtn: i64,
}
}

pub(crate) mod server_current_metric {
use bigtable_model::Model;

/// Keys `{part_1}` in table SERVER_CURRENT_METRIC.
///
/// It reads 1 of 1 sampled row.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SERVER_CURRENT_METRIC", family = "METRIC")]
pub struct ServerCurrentMetric {
    /// One value.
    #[bigtable(key)]
    pub part_1: String,
    /// Sure: numbers as text.
    #[bigtable(column = "CPU/CPU1_NICE", text)]
    pub cpu_cpu1_nice: f64,
    /// Sure: numbers as text.
    #[bigtable(column = "CPU/CPU1_USR", text)]
    pub cpu_cpu1_usr: f64,
    /// Sure: numbers as text.
    #[bigtable(column = "IO/BLK_READ", text)]
    pub io_blk_read: i64,
    /// Sure: numbers as text.
    #[bigtable(column = "MIO/BLK_WRTN", text)]
    pub mio_blk_wrtn: i64,
}
}
