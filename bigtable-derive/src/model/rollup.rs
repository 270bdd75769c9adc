//! Checked roll-ups.

use syn::{Ident, Path, Type};

use super::Span;

/// A model whose columns are aggregates of another one's events.
pub(crate) struct Rollup {
    pub(crate) ident: Ident,
    /// The runtime crate.
    pub(crate) krate: Path,
    /// The model whose events it is of.
    pub(crate) source: Path,
    /// The shortest first.
    pub(crate) levels: Vec<RollupLevel>,
    /// Whether the server adds.
    pub(crate) is_added: bool,
    /// None where a mistake was reported of one.
    pub(crate) fields: Option<Vec<RolledField>>,
}

/// How long buckets are, and which table holds them.
pub(crate) struct RollupLevel {
    pub(crate) span: Span,
    pub(crate) zone: Option<String>,
    /// None is the model's own table.
    pub(crate) table: Option<String>,
}

/// A field of a roll-up.
pub(crate) struct RolledField {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    pub(crate) role: RolledRole,
}

/// What a field of a roll-up is.
pub(crate) enum RolledRole {
    /// The same as in the event.
    Identifier,
    /// The beginning of the bucket.
    Start,
    /// Not stored.
    Skipped,
    /// What the events come to.
    Column(RolledBy, RolledFrom),
}

/// What is made of values.
pub(crate) enum RolledBy {
    /// One of the runtime's, by its name there.
    Known(&'static str),
    /// A type of the user's own.
    Own(Path),
}

/// What the values are.
pub(crate) enum RolledFrom {
    /// The events themselves.
    Events,
    /// A field of them.
    Field(Ident),
    /// What a function makes of them.
    Function(Path),
}
