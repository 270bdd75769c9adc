//! Kinds of families in words.

use std::fmt;

use crate::data::AggregateKind;

/// The kind of a family's cells: `sums`.
pub(super) struct Kind(pub(super) Option<AggregateKind>);

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("plain values"),
            Some(kind) => write!(f, "{kind}"),
        }
    }
}
