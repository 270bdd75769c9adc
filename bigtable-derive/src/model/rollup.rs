//! Checked roll-ups.

use syn::{Ident, Path, Type};

use super::Span;

/// A model whose columns are aggregates of another model's events.
pub(crate) struct Rollup {
    pub(crate) ident: Ident,
    /// The runtime crate.
    pub(crate) krate: Path,
    /// The model whose events it aggregates.
    pub(crate) source: Path,
    /// The shortest first.
    pub(crate) levels: Vec<RollupLevel>,
    /// Whether the server adds.
    pub(crate) is_added: bool,
    /// `None` if a mistake in one of them was reported.
    pub(crate) fields: Option<Vec<RolledField>>,
}

/// How long buckets are, and which table holds them.
pub(crate) struct RollupLevel {
    pub(crate) span: Span,
    pub(crate) zone: Option<String>,
    /// `None` for the model's own table.
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
    /// An aggregate of the events.
    Column(RolledBy, RolledFrom),
}

/// How values are aggregated.
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
    /// A field of the events.
    Field(Ident),
    /// The result of a function of the event.
    Function(Path),
}
