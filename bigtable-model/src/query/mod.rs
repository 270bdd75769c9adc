//! Queries: what is asked, the plan that answers it, and its execution.

mod cells;
mod describe;
mod execute;
mod explain;
mod gather;
mod merge;
mod narrow;
mod plan;
mod planner;
mod quote;
mod scan;
mod selection;
mod words;

pub use execute::{QueryRows, rows};
pub use explain::Explanation;
pub use plan::{Plan, Scan};
pub use planner::plan;
pub use selection::{DEFAULT_MAX_SCANS, Order, SegmentSelection, Selection};

#[cfg(test)]
mod tests;
