//! Rules in words.

use std::fmt;

use crate::data::{AggregateKind, FamilySchema, GcRule};

/// What becomes of a family's cells: `deletes cells older than 7d`.
pub(super) struct Rule<'a>(pub(super) Option<&'a GcRule>);

impl fmt::Display for Rule<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(rule) => write!(f, "deletes cells {rule}"),
            None => f.write_str("keeps every cell"),
        }
    }
}

/// The same, and what the cells are in a family of aggregates: `of sums, keeps every cell`.
pub(super) struct Family<'a>(pub(super) &'a FamilySchema);

impl fmt::Display for Family<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(kind) = self.0.aggregate {
            write!(f, "of {}, ", Kind(Some(kind)))?;
        }
        write!(f, "{}", Rule(self.0.gc_rule.as_ref()))
    }
}

/// What the cells of a family are: `sums`.
pub(super) struct Kind(pub(super) Option<AggregateKind>);

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("plain values"),
            Some(kind) => write!(f, "{kind}"),
        }
    }
}
