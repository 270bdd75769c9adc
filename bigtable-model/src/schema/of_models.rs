//! The tables that models want.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use bytes::Bytes;

use super::{SchemaError, WantedTable};
use crate::data::TableSchema;
use crate::key::KeyLayout;
use crate::model::ModelSchema;
use crate::{Error, Timestamp};

impl WantedTable {
    /// The table of a model. With tables by period its name is the template; [`named`](Self::named)
    /// sets the name of one.
    #[must_use]
    pub fn of(model: &ModelSchema) -> Self {
        let families = model.families().into_iter();
        let families = families.map(|family| (family.to_owned(), model.family_schema(family)));
        Self {
            schema: TableSchema {
                table: model.table.to_string(),
                families: families.collect(),
                ..TableSchema::default()
            },
            splits: splits(&model.key),
            row_keys: model.row_key_schema().ok(),
        }
    }

    /// The table of a model; with tables by period, the current one.
    ///
    /// # Errors
    /// [`Error::Key`] if there is no table for the current time.
    pub fn of_now(model: &ModelSchema) -> Result<Self, Error> {
        let table = model.table_of(Some(Timestamp::now()))?;
        Ok(Self::of(model).named(table))
    }

    /// The tables of several models in the order of their names, one for all models that share it.
    ///
    /// # Errors
    /// [`SchemaError::Conflict`] if two models want a family to differ.
    pub fn of_models(
        models: impl IntoIterator<Item = impl AsRef<ModelSchema>>,
    ) -> Result<Vec<Self>, SchemaError> {
        let mut tables = BTreeMap::<_, Self>::new();
        for model in models {
            let wanted = Self::of(model.as_ref());
            match tables.entry(wanted.schema.table.clone()) {
                Entry::Vacant(place) => {
                    place.insert(wanted);
                }
                Entry::Occupied(mut place) => place.get_mut().join(wanted)?,
            }
        }
        Ok(tables.into_values().collect())
    }
}

/// The start of each shard except the first, if the key begins with a salt.
fn splits(key: &KeyLayout) -> Vec<Bytes> {
    let Some((0, salt)) = key.salt() else {
        return Vec::new();
    };
    let shards = salt.numbers().skip(1).map(|shard| {
        let mut split = key.beginning();
        salt.encode(shard, &mut split);
        split.into()
    });
    shards.collect()
}
