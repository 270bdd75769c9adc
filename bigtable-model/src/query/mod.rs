//! Queries: what is asked, the plan that answers it, and its execution.

mod plan;
mod select;
mod selection;
mod state;
mod typed;

pub use plan::{Plan, Scan};
pub use select::{
    Beginning, Between, One, SegmentArg, SelectionKind, Selects, Set, StartsWith, starts_with,
};
pub use selection::{DEFAULT_MAX_SCANS, Order, SegmentSelection, Selection};
pub use state::{
    Accepts, ByKey, ByTime, Closed, FullScan, Open, QueryState, ResultOrder, TimeOrder, Unset,
};
pub use typed::{EventStream, Query};
