//! The former layout of a model's events.

use std::fmt;

use crate::Error;

use super::{EventRow, FoundEvent, Schema};

/// The model of the former layout, as `was(...)` names it.
#[derive(Clone, Copy)]
pub struct Former {
    pub(crate) schema: &'static Schema,
    /// The write of a found event in the current layout.
    pub(in crate::model) convert: fn(&FoundEvent<'_>) -> Result<EventRow, Error>,
}

impl Former {
    /// The description of the former model.
    #[must_use]
    pub const fn schema(&self) -> &'static Schema {
        self.schema
    }
}

/// Compares the model's name and table, since equality of functions means nothing.
impl PartialEq for Former {
    fn eq(&self, other: &Self) -> bool {
        self.schema.model == other.schema.model && self.schema.table == other.schema.table
    }
}

impl Eq for Former {}

impl std::hash::Hash for Former {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.schema.model.hash(state);
        self.schema.table.hash(state);
    }
}

impl fmt::Debug for Former {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Former({})", self.schema.model)
    }
}
