//! Execution of plans: reads, scans, and their results in order.

pub(super) mod check;
pub(super) mod execute;
pub(super) mod hidden;
pub(super) mod keys_first;
mod losers;
pub(super) mod merge;
pub(super) mod reading;
pub(super) mod results;
pub(super) mod scan;
pub(super) mod seek;
mod sources;
pub(super) mod start;
