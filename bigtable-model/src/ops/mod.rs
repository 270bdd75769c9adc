//! The typed operations on a backend, in [`BackendExt`].

mod args;
mod audit;
mod batcher;
mod change;
mod ext;
mod history;
mod inserts;
mod tables;
mod versioned;

pub use args::{BorrowedEvent, EventArg, EventKind, OwnedEvent};
pub use audit::{Audit, AuditCounts, AuditJob, Finding, LargeRow, SeriesShare};
pub use batcher::{EventBatcher, EventOutcome};
pub use change::Change;
pub use ext::BackendExt;
pub use history::History;
pub use inserts::Inserts;
pub(crate) use tables::ensure as ensure_periods;
