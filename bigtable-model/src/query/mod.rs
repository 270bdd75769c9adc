//! Queries: what is asked, the plan that answers it, and its execution.

mod plan;
mod selection;

pub use plan::{Plan, Scan};
pub use selection::{DEFAULT_MAX_SCANS, Order, SegmentSelection, Selection};
