//! Queries: what is asked, the plan that answers it, and its execution.

mod asked;
mod buckets;
mod cells;
mod check;
mod compare;
mod delete;
mod describe;
mod execute;
mod explain;
mod gather;
mod hidden;
mod losers;
mod merge;
mod narrow;
mod newest;
mod page;
mod pattern;
mod plan;
mod planner;
mod quote;
mod reading;
mod results;
mod scan;
mod select;
mod selection;
mod series;
mod start;
mod state;
mod tables;
mod typed;
mod words;

pub(crate) use execute::events;
pub use explain::Explanation;
pub(crate) use page::fingerprint;
pub use page::{Page, PageToken};
pub use plan::{ByServer, Compared, EventTimes, Part, Place, Plan, ReadsMore, Scan};
pub use planner::{plan, plan_over};
pub(crate) use reading::behind;
pub use results::EventStream;
pub use select::{
    Beginning, Between, One, SegmentArg, SelectionKind, Selects, Set, StartsWith, starts_with,
};
pub use selection::{DEFAULT_MAX_SCANS, MAX_COMBINATIONS, Order, SegmentSelection, Selection};
pub(crate) use start::planned;
pub use state::{
    Accepts, ByKey, ByTime, Closed, FixedOrder, FullScan, InOrder, Open, QueryState, ResultOrder,
    TimeOrder, Unordered, Unset,
};
pub use typed::Query;

#[cfg(test)]
mod tests;
