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
mod select;
mod selection;
mod state;
mod typed;
mod words;

pub use execute::{QueryRows, rows};
pub use explain::Explanation;
pub use plan::{EventTimes, Plan, Scan};
pub use planner::plan;
pub use select::{
    Beginning, Between, One, SegmentArg, SelectionKind, Selects, Set, StartsWith, starts_with,
};
pub use selection::{DEFAULT_MAX_SCANS, MAX_COMBINATIONS, Order, SegmentSelection, Selection};
pub use state::{
    Accepts, ByKey, ByTime, Closed, FullScan, Open, QueryState, ResultOrder, TimeOrder, Unset,
};
pub use typed::{EventStream, Query};

#[cfg(test)]
mod tests;
