use std::collections::BTreeSet;
use std::iter;

use super::{Difference, RuleChange, Safety, SchemaError, TableDiff, WantedTable, compare_rules};
use crate::Error;
use crate::backend::{Backend, Code, Method, Status};
use crate::data::{FamilyChange, FamilySchema, RowKeySchema, SchemaBundle, TableSchema};
use crate::send::at_table;

/// How often a table is read again while others create the same families.
const TRIES: u32 = 5;

/// Which changes may be made to a table; by default only safe ones.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ApplyOptions {
    allow_unsafe: bool,
    drop: BTreeSet<String>,
    row_key_schema: Option<RowKeyChange>,
    bundles: Vec<SchemaBundle>,
}

/// The change of a table's row key schema.
#[derive(Debug, Clone, PartialEq, Eq)]
enum RowKeyChange {
    Add(RowKeySchema),
    Remove,
}

impl ApplyOptions {
    /// Only safe changes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Allows changes of rules that may delete cells that are now kept.
    #[must_use]
    pub fn allow_unsafe(mut self, allow: bool) -> Self {
        self.allow_unsafe = allow;
        self
    }

    /// Drops a family that the model does not have, with all its cells.
    #[must_use]
    pub fn drop_family(mut self, family: impl Into<String>) -> Self {
        self.drop.insert(family.into());
        self
    }

    /// Sets the table's row key schema, usually to that of its model
    /// ([`Model::row_key_schema`](crate::Model::row_key_schema)): SQL then has a column for each
    /// part of the key. A table that already has it is not changed.
    ///
    /// Rows whose keys do not conform, such as those of other models in the table, make every query
    /// that selects columns of the key fail. Only Bigtable itself keeps row key schemas; other
    /// backends answer `UNIMPLEMENTED`.
    #[must_use]
    pub fn add_row_key_schema(mut self, schema: RowKeySchema) -> Self {
        self.row_key_schema = Some(RowKeyChange::Add(schema));
        self
    }

    /// Removes the table's row key schema, if it has one. Queries that select columns of the key
    /// fail afterwards.
    #[must_use]
    pub fn remove_row_key_schema(mut self) -> Self {
        self.row_key_schema = Some(RowKeyChange::Remove);
        self
    }

    /// Creates a schema bundle of the table, usually that of its model
    /// (`Model::schema_bundle`, feature `prost`), or replaces the one with its ID: SQL then reads
    /// the fields of the model's messages. Of tables by period, each needs its own.
    ///
    /// Bigtable refuses to replace a bundle by one that it finds incompatible. Only Bigtable itself
    /// keeps schema bundles; other backends answer `UNIMPLEMENTED`.
    #[must_use]
    pub fn add_schema_bundle(mut self, bundle: SchemaBundle) -> Self {
        self.bundles.push(bundle);
        self
    }
}

/// A change to a table: one call each, or two for a schema bundle that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableChange {
    /// Creates the table.
    Create(WantedTable),
    /// Changes its families, all or none.
    Families(Vec<FamilyChange>),
    /// Sets or removes its row key schema.
    RowKeySchema(Option<RowKeySchema>),
    /// Creates or replaces a schema bundle.
    SchemaBundle(SchemaBundle),
}

impl TableDiff {
    /// The changes that remove the differences, in order; empty if there is nothing to do. The
    /// change of families comes before that of the row key schema, and schema bundles come last.
    ///
    /// # Errors
    /// [`SchemaError::Fixed`], [`SchemaError::Unsafe`], [`SchemaError::NotUnknown`],
    /// [`SchemaError::RowKeySchema`] and [`SchemaError::OtherRowKeySchema`] if a difference cannot
    /// be removed, or not with these options; [`SchemaError::SameBundle`].
    pub fn changes(&self, options: &ApplyOptions) -> Result<Vec<TableChange>, SchemaError> {
        self.check(options)?;
        let row_keys = self.row_key_change(options)?;
        let bundles = self.bundles(options)?.into_iter();
        let bundles = bundles.map(TableChange::SchemaBundle);
        let mut families = Vec::new();
        for difference in &self.differences {
            match difference {
                Difference::MissingTable(wanted) => {
                    let mut wanted = wanted.clone();
                    wanted.schema.row_key_schema = row_keys.flatten();
                    self.check_row_keys(&wanted.schema)?;
                    let create = TableChange::Create(wanted);
                    return Ok(iter::once(create).chain(bundles).collect());
                }
                other => families.extend(family_change(other, options)),
            }
        }
        let families = (!families.is_empty()).then_some(TableChange::Families(families));
        let row_keys = row_keys.map(TableChange::RowKeySchema);
        Ok(families
            .into_iter()
            .chain(row_keys)
            .chain(bundles)
            .collect())
    }

    /// The new row key schema; `None` if it does not change.
    fn row_key_change(
        &self,
        options: &ApplyOptions,
    ) -> Result<Option<Option<RowKeySchema>>, SchemaError> {
        match (&options.row_key_schema, &self.row_key_schema) {
            (None, _) | (Some(RowKeyChange::Remove), None) => Ok(None),
            (Some(RowKeyChange::Remove), Some(_)) => Ok(Some(None)),
            (Some(RowKeyChange::Add(schema)), Some(have)) if schema == have => Ok(None),
            (Some(RowKeyChange::Add(schema)), None) => {
                self.check_row_key_schema(schema, [])?;
                Ok(Some(Some(schema.clone())))
            }
            (Some(RowKeyChange::Add(_)), Some(have)) => Err(SchemaError::OtherRowKeySchema {
                table: self.table.clone(),
                have: Box::new(have.clone()),
            }),
        }
    }

    /// The schema bundles to add, each once.
    fn bundles(&self, options: &ApplyOptions) -> Result<Vec<SchemaBundle>, SchemaError> {
        let mut added: Vec<SchemaBundle> = Vec::new();
        for bundle in &options.bundles {
            match added.iter().find(|other| other.id == bundle.id) {
                None => added.push(bundle.clone()),
                Some(same) if same == bundle => {}
                Some(_) => {
                    return Err(SchemaError::SameBundle {
                        table: self.table.clone(),
                        id: bundle.id.clone(),
                    });
                }
            }
        }
        Ok(added)
    }

    /// Refuses a schema that Bigtable refuses for a table with these families.
    fn check_row_keys(&self, table: &TableSchema) -> Result<(), SchemaError> {
        let families = table.families.keys().map(String::as_str);
        let schema = table.row_key_schema.as_ref();
        schema.map_or(Ok(()), |schema| self.check_row_key_schema(schema, families))
    }

    fn check_row_key_schema<'a>(
        &self,
        schema: &RowKeySchema,
        families: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), SchemaError> {
        let refused = |source| SchemaError::RowKeySchema {
            table: self.table.clone(),
            source,
        };
        schema.check(families).map_err(refused)
    }

    /// Checks everything before any change.
    fn check(&self, options: &ApplyOptions) -> Result<(), SchemaError> {
        let table = &self.table;
        let of = |safety| -> Vec<_> {
            let all = self.differences.iter();
            all.filter(|one| one.safety() == safety).cloned().collect()
        };
        let is_unknown = |family: &str| {
            let mut all = self.differences.iter();
            all.any(|one| one.safety() == Safety::LeftAlone && one.family() == Some(family))
        };
        if let Some(family) = options.drop.iter().find(|family| !is_unknown(family)) {
            return Err(SchemaError::NotUnknown {
                table: table.clone(),
                family: family.clone(),
            });
        }
        let fixed = of(Safety::Fixed);
        if !fixed.is_empty() {
            return Err(SchemaError::Fixed {
                table: table.clone(),
                differences: fixed,
            });
        }
        let unsafe_ones = of(Safety::Unsafe);
        if !unsafe_ones.is_empty() && !options.allow_unsafe {
            return Err(SchemaError::Unsafe {
                table: table.clone(),
                differences: unsafe_ones,
            });
        }
        Ok(())
    }

    /// Executes [`BackendExt::apply`](crate::BackendExt::apply).
    pub(crate) async fn apply_on(
        &self,
        db: &dyn Backend,
        options: &ApplyOptions,
    ) -> Result<(), Error> {
        for change in self.changes(options)? {
            self.make(db, change, options).await?;
        }
        Ok(())
    }

    async fn make(
        &self,
        db: &dyn Backend,
        change: TableChange,
        options: &ApplyOptions,
    ) -> Result<(), Error> {
        match change {
            TableChange::Create(wanted) => {
                let created = db.tables().create(wanted.schema, wanted.splits).await;
                created.map_err(|status| match status.code {
                    Code::AlreadyExists => self.changed(None).into(),
                    _ => at_table(&self.table, Method::CreateTable, status),
                })
            }
            TableChange::RowKeySchema(schema) => {
                let now = get_table(db, &self.table).await?;
                let mut now = now.ok_or_else(|| self.changed(None))?;
                if now.row_key_schema != self.row_key_schema {
                    return Err(self.changed(None).into());
                }
                now.row_key_schema.clone_from(&schema);
                self.check_row_keys(&now)?;
                let set = db.tables().set_row_key_schema(&self.table, schema).await;
                set.map_err(|status| at_table(&self.table, Method::UpdateTable, status))
            }
            TableChange::SchemaBundle(bundle) => {
                let set = db.tables().set_schema_bundle(&self.table, bundle).await;
                set.map_err(|status| at_table(&self.table, Method::CreateSchemaBundle, status))
            }
            TableChange::Families(changes) => {
                let now = get_table(db, &self.table).await?;
                self.check_unchanged(now.as_ref(), options)?;
                modify(db, &self.table, changes)
                    .await
                    .map_err(|status| at_table(&self.table, Method::ModifyColumnFamilies, status))
            }
        }
    }

    /// Refuses a table if a family to be changed has changed since the comparison: a change that
    /// was safe then may not be now.
    fn check_unchanged(
        &self,
        now: Option<&TableSchema>,
        options: &ApplyOptions,
    ) -> Result<(), SchemaError> {
        let Some(now) = now else {
            return Err(self.changed(None));
        };
        let changed = self.differences.iter().find(|difference| {
            family_change(difference, options).is_some() && !difference.still_is(now)
        });
        match changed {
            Some(difference) => Err(self.changed(difference.family())),
            None => Ok(()),
        }
    }

    fn changed(&self, family: Option<&str>) -> SchemaError {
        SchemaError::Changed {
            table: self.table.clone(),
            family: family.map(str::to_owned),
        }
    }
}

/// The change that removes a difference; `None` if there is nothing to do.
fn family_change(difference: &Difference, options: &ApplyOptions) -> Option<FamilyChange> {
    match difference {
        Difference::MissingFamily { family, want } => {
            Some(FamilyChange::Create(family.clone(), want.clone()))
        }
        Difference::Rule { family, want, .. } => {
            let update = FamilySchema {
                gc_rule: want.clone(),
                aggregate: None,
            };
            Some(FamilyChange::Update(family.clone(), update))
        }
        Difference::UnknownFamily { family, .. } if options.drop.contains(family) => {
            Some(FamilyChange::Drop(family.clone()))
        }
        Difference::UnknownFamily { .. }
        | Difference::RowKeySchema { .. }
        | Difference::Aggregate { .. }
        | Difference::MissingTable(_) => None,
    }
}

impl Difference {
    /// Whether a table still differs in this way.
    fn still_is(&self, now: &TableSchema) -> bool {
        let now = self.family().and_then(|family| now.families.get(family));
        match (self, now) {
            (Self::MissingFamily { .. }, now) => now.is_none(),
            (Self::Rule { have, .. }, Some(now)) => {
                compare_rules(have.as_ref(), now.gc_rule.as_ref()) == RuleChange::Same
            }
            (Self::UnknownFamily { have, .. }, Some(now)) => now == have,
            _ => false,
        }
    }
}

impl WantedTable {
    /// Creates the table, or adds the families that it lacks; the rest is unchanged.
    ///
    /// # Errors
    /// [`Error::Backend`] when the backend refuses.
    pub async fn ensure(&self, db: &dyn Backend) -> Result<(), Error> {
        let table = &self.schema.table;
        let created = db.tables().create(self.schema.clone(), self.splits.clone());
        match created.await {
            Err(status) if status.code == Code::AlreadyExists => {}
            other => return other.map_err(|status| at_table(table, Method::CreateTable, status)),
        }
        let mut tries = TRIES;
        loop {
            let have = db.tables().get(table).await;
            let have = have.map_err(|status| at_table(table, Method::GetTable, status))?;
            let missing = self.missing_families(&have);
            if missing.is_empty() {
                return Ok(());
            }
            tries -= 1;
            match modify(db, table, missing).await {
                // Another process ensures the same table, so fewer families are missing now.
                Err(status) if status.code == Code::AlreadyExists && tries > 0 => {}
                other => {
                    let failed = |status| at_table(table, Method::ModifyColumnFamilies, status);
                    return other.map_err(failed);
                }
            }
        }
    }

    /// How the table differs from what is wanted.
    ///
    /// # Errors
    /// [`Error::Backend`] when the backend refuses. A missing table is a difference, not an error.
    pub async fn diff_on(&self, db: &dyn Backend) -> Result<TableDiff, Error> {
        let have = get_table(db, &self.schema.table).await?;
        Ok(self.diff(have.as_ref()))
    }

    fn missing_families(&self, have: &TableSchema) -> Vec<FamilyChange> {
        let wanted = self.schema.families.iter();
        wanted
            .filter(|(name, _)| !have.families.contains_key(*name))
            .map(|(name, family)| FamilyChange::Create(name.clone(), family.clone()))
            .collect()
    }
}

/// A table, if there is one.
async fn get_table(db: &dyn Backend, table: &str) -> Result<Option<TableSchema>, Error> {
    match db.tables().get(table).await {
        Err(status) if status.code == Code::NotFound => Ok(None),
        found => found
            .map(Some)
            .map_err(|status| at_table(table, Method::GetTable, status)),
    }
}

async fn modify(db: &dyn Backend, table: &str, changes: Vec<FamilyChange>) -> Result<(), Status> {
    db.tables().modify_families(table, changes).await.map(drop)
}
