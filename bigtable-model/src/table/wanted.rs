use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::{Difference, RuleChange, SchemaError, TableDiff, compare_rules};
use crate::data::{FamilySchema, RowKeySchema, TableSchema};

/// A table as wanted by one model, or by several that share it.
///
/// ```
/// use bigtable_model::schema::WantedTable;
/// use bigtable_model::{Model, Timestamp};
///
/// #[derive(Model)]
/// #[bigtable(table = "MARKET", family = "QUOTE", prefix = "Q", salt(shards = 4, of(symbol)))]
/// struct Quote {
///     #[bigtable(key)]
///     symbol: String,
///     #[bigtable(time)]
///     at: Timestamp,
///     bid: f64,
/// }
///
/// #[derive(Model)]
/// #[bigtable(table = "MARKET", family = "TRADE", prefix = "T", gc(max_age = "30d"))]
/// struct Trade {
///     #[bigtable(key)]
///     symbol: String,
///     #[bigtable(time)]
///     at: Timestamp,
///     price: f64,
/// }
///
/// let tables = WantedTable::of_models([Quote::SCHEMA, Trade::SCHEMA])?;
/// let [market] = tables.as_slice() else { panic!() };
/// assert_eq!(market.schema.families.len(), 2);
/// assert_eq!(market.splits, ["Q#1", "Q#2", "Q#3"]);
/// # Ok::<(), bigtable_model::schema::SchemaError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WantedTable {
    /// Its ID and its families.
    pub schema: TableSchema,
    /// The row keys at which a new table is split, ascending: the starts of the shards, if the key
    /// begins with a salt. An existing table is not split; Bigtable does so as it fills.
    pub splits: Vec<Bytes>,
    /// The row key schema by which SQL can decode the models' keys; `None` if Bigtable's encodings
    /// cannot express them, or if the models' keys differ. Only [`apply`](crate::BackendExt::apply)
    /// with the option to add it sets it on a table.
    #[serde(default)]
    pub row_keys: Option<RowKeySchema>,
}

impl WantedTable {
    /// The same table under another name, for a model with several tables.
    #[must_use]
    pub fn named(mut self, table: impl Into<String>) -> Self {
        self.schema.table = table.into();
        self
    }

    /// Adds what another model wants of the same table: its families and its splits. The row key
    /// schema stays only if both have the same.
    ///
    /// # Errors
    /// [`SchemaError::Conflict`] if they want a family to differ, [`SchemaError::TwoTables`] if it
    /// is another table. This one is then unchanged.
    pub fn join(&mut self, other: Self) -> Result<(), SchemaError> {
        if self.schema.table != other.schema.table {
            return Err(SchemaError::TwoTables {
                table: self.schema.table.clone(),
                other: other.schema.table,
            });
        }
        self.check_conflicts(&other)?;
        for (name, family) in other.schema.families {
            self.schema.families.entry(name).or_insert(family);
        }
        if self.row_keys != other.row_keys {
            self.row_keys = None;
        }
        self.splits.extend(other.splits);
        self.splits.sort_unstable();
        self.splits.dedup();
        Ok(())
    }

    fn check_conflicts(&self, other: &Self) -> Result<(), SchemaError> {
        for (name, family) in &self.schema.families {
            let others = other.schema.families.get(name);
            if let Some(others) = others.filter(|others| !is_same(family, others)) {
                return Err(SchemaError::Conflict {
                    table: self.schema.table.clone(),
                    family: name.clone(),
                    wants: Box::new((family.clone(), others.clone())),
                });
            }
        }
        Ok(())
    }

    /// How a table differs; `None` means that it does not exist.
    #[must_use]
    pub fn diff(&self, have: Option<&TableSchema>) -> TableDiff {
        let differences = match have {
            None => vec![Difference::MissingTable(self.clone())],
            Some(have) => self.differences(have),
        };
        TableDiff {
            table: self.schema.table.clone(),
            row_key_schema: have.and_then(|have| have.row_key_schema.clone()),
            differences,
        }
    }

    fn differences(&self, have: &TableSchema) -> Vec<Difference> {
        let mut found = Vec::new();
        for (name, want) in &self.schema.families {
            match have.families.get(name) {
                Some(have) => found.extend(family_differences(name, have, want)),
                None => found.push(Difference::MissingFamily {
                    family: name.clone(),
                    want: want.clone(),
                }),
            }
        }
        let unknown = have.families.iter();
        let unknown = unknown.filter(|(name, _)| !self.schema.families.contains_key(*name));
        found.extend(unknown.map(|(name, have)| Difference::UnknownFamily {
            family: name.clone(),
            have: have.clone(),
        }));
        // Most tables have no row key schema, and most programs do not need one.
        let schema = have.row_key_schema.as_ref();
        let other = schema.filter(|have| Some(*have) != self.row_keys.as_ref());
        found.extend(other.map(|have| Difference::RowKeySchema {
            have: have.clone(),
            keys: self.row_keys.clone(),
        }));
        found
    }
}

fn is_same(one: &FamilySchema, other: &FamilySchema) -> bool {
    let rules = compare_rules(one.gc_rule.as_ref(), other.gc_rule.as_ref());
    rules == RuleChange::Same && one.aggregate == other.aggregate
}

/// A family can differ in two ways.
fn family_differences(
    name: &str,
    have: &FamilySchema,
    want: &FamilySchema,
) -> impl Iterator<Item = Difference> {
    let rules = compare_rules(have.gc_rule.as_ref(), want.gc_rule.as_ref());
    let rule = (rules != RuleChange::Same).then(|| Difference::Rule {
        family: name.to_owned(),
        have: have.gc_rule.clone(),
        want: want.gc_rule.clone(),
    });
    let kind = (have.aggregate != want.aggregate).then(|| Difference::Aggregate {
        family: name.to_owned(),
        have: have.aggregate,
        want: want.aggregate,
    });
    kind.into_iter().chain(rule)
}
