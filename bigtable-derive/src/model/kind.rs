//! How columns may be changed, and what absent ones become.

use syn::Path;

/// How a column may be changed; the names are those of the runtime's `ColumnKind`.
pub(crate) enum ColumnKind {
    /// By writing it as a whole.
    Plain,
    /// Also by increments.
    Counter,
    /// Also by appending to it.
    Append,
    /// By adding to what it holds.
    Aggregate(Aggregate),
    /// By one, with every write that states it.
    Version,
}

/// How added values are combined; the names are those of the runtime's `AggregateKind`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Aggregate {
    Sum,
    Min,
    Max,
}

/// What an absent column becomes.
pub(crate) enum Absent {
    /// What the type says: `None`, or an error.
    ByType,
    /// `Default::default()`.
    Default,
    /// What a function returns.
    Call(Path),
}
