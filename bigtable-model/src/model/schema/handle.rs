//! A shared handle on a schema.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::ModelSchema;

/// A handle on the schema of a model: a struct's constant, or a schema made at run time and shared
/// by its users. A clone copies no schema.
///
/// It dereferences to its [`ModelSchema`]. A struct has one in
/// [`Model::SCHEMA`](crate::Model::SCHEMA); any other schema becomes one by `From`:
///
/// ```
/// use bigtable_model::model::Schema;
/// use bigtable_model::{Model, Timestamp};
///
/// #[derive(Model)]
/// #[bigtable(table = "QUOTE", family = "MD")]
/// struct Quote {
///     #[bigtable(key)]
///     symbol: String,
///     #[bigtable(time, unit = "s")]
///     at: Timestamp,
///     bid: f64,
/// }
///
/// let mut schema = Quote::SCHEMA.to_schema();
/// schema.table = bigtable_model::model::TableName::Fixed("QUOTE_COPY".into());
/// let copy = Schema::from(schema);
/// assert_eq!(copy.columns, Quote::SCHEMA.columns);
/// ```
#[derive(Clone)]
pub struct Schema {
    #[doc(hidden)]
    pub owner: Owner,
}

/// Who owns a schema. Generated code writes a constant as a literal: a function could not return a
/// reference to it.
#[doc(hidden)]
#[derive(Clone)]
#[allow(missing_debug_implementations, reason = "its schema is shown")]
pub enum Owner {
    Constant { schema: &'static ModelSchema },
    Shared(Arc<ModelSchema>),
}

impl Schema {
    /// The schema of a struct, in constants.
    #[allow(
        clippy::panic,
        reason = "a struct's schema is a constant, and others are not asked"
    )]
    pub(crate) const fn of_struct(&self) -> &'static ModelSchema {
        match &self.owner {
            Owner::Constant { schema } => schema,
            Owner::Shared(_) => panic!("a schema that was made at run time is no constant"),
        }
    }

    /// A copy of the schema, to change.
    #[must_use]
    pub fn to_schema(&self) -> ModelSchema {
        (**self).clone()
    }
}

impl Deref for Schema {
    type Target = ModelSchema;

    #[inline]
    fn deref(&self) -> &ModelSchema {
        match &self.owner {
            Owner::Constant { schema } => schema,
            Owner::Shared(schema) => schema,
        }
    }
}

impl AsRef<ModelSchema> for Schema {
    fn as_ref(&self) -> &ModelSchema {
        self
    }
}

impl AsRef<Self> for ModelSchema {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl From<ModelSchema> for Schema {
    fn from(schema: ModelSchema) -> Self {
        Self {
            owner: Owner::Shared(Arc::new(schema)),
        }
    }
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Schema {}

impl Hash for Schema {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Schema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ModelSchema::deserialize(deserializer).map(Self::from)
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
