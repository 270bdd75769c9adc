//! The commands about a model.

/// A command about the events of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Query,
    Count,
    Latest,
    Watch,
    Explain,
    Price,
    Heat,
    Audit,
    Pack,
    Unpack,
    Insert,
    Delete,
}

impl Verb {
    /// Its name on the command line.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Count => "count",
            Self::Latest => "latest",
            Self::Watch => "watch",
            Self::Explain => "explain",
            Self::Price => "price",
            Self::Heat => "heat",
            Self::Audit => "audit",
            Self::Pack => "pack",
            Self::Unpack => "unpack",
            Self::Insert => "insert",
            Self::Delete => "delete",
        }
    }
}
