//! Wanted and existing tables as plain data: how they differ, and what a change would delete.

mod diff;
mod error;
mod rules;
mod wanted;
mod words;

pub use diff::{Difference, Safety, TableDiff};
pub(crate) use diff::{PACKED, TOMBSTONES};
pub use error::SchemaError;
pub(crate) use rules::{Corner, Deleted};
pub use rules::{RuleChange, compare_rules};
pub use wanted::WantedTable;
