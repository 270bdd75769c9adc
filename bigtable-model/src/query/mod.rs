//! Queries: what they ask for, their plans, and execution.

mod ask;
mod before;
mod cost;
mod delete;
mod explain;
mod forget;
mod marked;
mod newest;
mod page;
mod partition;
mod plan;
mod run;
mod series;
mod split;
mod sql;
mod terminals;
mod verbs;

pub use crate::error::{CellError, MAX_COMBINATIONS, MAX_KEYS_FIRST, SqlRefusal};
pub use crate::model::EventTimes;
pub use ask::bad_rows::BadRows;
#[cfg(feature = "page_key")]
pub use ask::page_key::PageKey;
#[doc(hidden)]
pub use ask::select::{
    AnyOf, Beginning, Between, Maybe, One, SegmentArg, SelectionKind, Selects, Set, StartsWith,
};
pub use ask::select::{any_of, starts_with};
pub use ask::selection::SegmentSelection;
pub use ask::selection::{DEFAULT_MAX_SCANS, DEFAULT_MAX_SEEKS, Order};
#[doc(hidden)]
pub use ask::selection::{PayloadField, Selection};
#[doc(hidden)]
pub use ask::state::{Accepts, Closed, Filtered, FullScan, InOrder, Open, ResultOrder, Start};
pub use ask::state::{ByKey, ByTime, Erased, FixedOrder, QueryState, TimeOrder, Unordered};
pub use ask::typed::{AsQuery, Query};
pub use cost::{Amount, Cost};
pub(crate) use delete::delete;
pub use explain::Explanation;
#[doc(hidden)]
pub use forget::Forgotten;
pub(crate) use forget::forget;
pub use forget::{ForgetReport, ForgottenModel, ForgottenTable};
pub(crate) use page::fingerprint;
pub use page::{Page, PageError, PageToken};
pub use partition::Partition;
#[doc(hidden)]
pub use plan::planner::{plan, plan_over};
pub use plan::{ByServer, Compared, Expiry, Part, Place, Plan, ReadsMore, Scan, SourcePlan};
pub(crate) use run::check::KeyCheck;
pub(crate) use run::execute::{QueryEvents, events, found_events};
pub(crate) use run::keys_first::one_cell;
pub use run::results::EventStream;
pub(crate) use run::start::planned;
pub(crate) use split::{KeySpan, Samples, TableSamples};
#[doc(hidden)]
pub use sql::to_sql;
pub(crate) use terminals::{cost, count};
#[doc(hidden)]
pub use verbs::{Counted, Fetched, Streamed};

#[cfg(test)]
mod tests;
