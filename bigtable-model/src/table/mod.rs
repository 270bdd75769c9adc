//! Tables as they are wanted and as they are, as plain data: what differs, and what a change would
//! delete.

mod diff;
mod error;
mod rules;
mod wanted;
mod words;

pub use diff::{Difference, Safety, TableDiff};
pub use error::SchemaError;
pub(crate) use rules::{Corner, Deleted};
pub use rules::{RuleChange, compare_rules};
pub use wanted::WantedTable;
