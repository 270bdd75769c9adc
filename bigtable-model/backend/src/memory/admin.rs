//! Tables and families.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use bytestring::ByteString;

use super::steps::{Steps, TURN};
use super::store::gc;
use super::store::row::StoredRow;
use super::store::{Content, Families, Rows, Store, Table};
use super::{Profile, emulator};
use crate::backend::tables::without_row_key_schemas;
use crate::data::{FamilyChange, FamilySchema, RowDeletion, RowKeySample, RowRange, TableSchema};
use crate::memory::check::{self, invalid, table_not_found};
use crate::{Code, Status};

/// How many rows are dropped or counted under one lock.
const AT_ONCE: usize = 256;

/// Steps for each of them, and for each of its cells.
const STEPS: usize = 16;

impl Store {
    pub(super) fn create_table(
        &self,
        schema: TableSchema,
        splits: Vec<Bytes>,
    ) -> Result<(), Status> {
        if schema.row_key_schema.is_some() {
            return Err(without_row_key_schemas());
        }
        let splits = match self.profile {
            Profile::Service => {
                check_table(&schema, &splits)?;
                splits.into_iter().collect()
            }
            Profile::Emulator => BTreeSet::new(),
        };
        let families = schema.families.into_iter();
        let content = Content {
            families: Arc::new(
                families
                    .map(|(name, family)| (name.into(), family))
                    .collect(),
            ),
            splits,
            ..Content::default()
        };
        let mut tables = self.tables_mut();
        if tables.contains_key(&schema.table) {
            let message = format!("Table already exists: {}", schema.table);
            return Err(Status::new(Code::AlreadyExists, message));
        }
        let table = Table::new(schema.table.clone(), content);
        tables.insert(schema.table, Arc::new(table));
        Ok(())
    }

    pub(super) fn get_table(&self, id: &str) -> Result<TableSchema, Status> {
        let table = self.table(id)?;
        let content = table.read()?;
        Ok(schema(&table.id, &content.families))
    }

    pub(super) async fn delete_table(&self, id: &str) -> Result<(), Status> {
        let removed = self.tables_mut().remove(id);
        let table = removed.ok_or_else(|| table_not_found(id))?;
        let nothing = Content {
            deleted: true,
            ..Content::default()
        };
        let content = std::mem::replace(&mut *table.write()?, nothing);
        free(content.rows, &mut Steps::default()).await;
        Ok(())
    }

    pub(super) fn modify_families(
        &self,
        id: &str,
        changes: Vec<FamilyChange>,
    ) -> Result<TableSchema, Status> {
        let table = self.table(id)?;
        let content = &mut *table.write()?;
        let mut families = Families::clone(&content.families);
        let mut dropped = BTreeSet::new();
        let applied = changes
            .into_iter()
            .try_for_each(|change| apply_change(&mut families, &mut dropped, change, self.profile));
        // The emulator keeps the changes before the failing one.
        if self.profile == Profile::Service {
            applied.clone()?;
        }
        content.families = Arc::new(families);
        content.modified = true;
        if !dropped.is_empty() {
            content.rows.retain(|_, row| {
                if dropped.iter().any(|family| row.has_family(family)) {
                    let row = Arc::make_mut(row);
                    dropped.iter().for_each(|family| row.delete_family(family));
                }
                !row.is_empty()
            });
        }
        applied?;
        Ok(schema(&table.id, &content.families))
    }

    /// Drops the rows that exist now; with a prefix, in several turns.
    pub(super) async fn drop_rows(&self, id: &str, rows: RowDeletion) -> Result<(), Status> {
        let table = self.table(id)?;
        let prefix = match rows {
            RowDeletion::All => Bytes::new(),
            RowDeletion::Prefix(prefix)
                if prefix.is_empty() && self.profile == Profile::Service =>
            {
                return Err(invalid("Row key prefix must be non-empty"));
            }
            RowDeletion::Prefix(prefix) => prefix,
        };
        let mut steps = Steps::default();
        if prefix.is_empty() {
            let rows = std::mem::take(&mut table.write()?.rows);
            free(rows, &mut steps).await;
            return Ok(());
        }
        let mut range = RowRange::prefix(prefix);
        loop {
            let dropped = take(&mut table.write()?.rows, &range);
            let Some((last, _)) = dropped.last() else {
                return Ok(());
            };
            range.start = Bound::Excluded(last.clone());
            free(dropped, &mut steps).await;
        }
    }

    /// One boundary per tablet, with the bytes before it. A few rows are counted at a time.
    pub(super) async fn sample_row_keys(&self, id: &str) -> Result<Vec<RowKeySample>, Status> {
        let table = self.table(id)?;
        let splits = table.read()?.splits.clone();
        let mut samples = Vec::with_capacity(splits.len() + 1);
        let mut splits = splits.iter().peekable();
        let mut offset = 0_usize;
        let mut range = RowRange::all();
        let mut steps = Steps::default();
        let sample = |key: &Bytes, offset: usize| RowKeySample {
            key: key.clone(),
            offset_bytes: i64::try_from(offset).unwrap_or(i64::MAX),
        };
        loop {
            steps.take_of_turn(AT_ONCE * STEPS).await;
            let content = table.read()?;
            let bounds = range.bounds();
            let mut last = None;
            for (key, row) in content.rows.range::<[u8], _>(bounds).take(AT_ONCE) {
                while let Some(split) = splits.next_if(|split| *split <= key) {
                    samples.push(sample(split, offset));
                }
                offset += key.len() + row.bytes();
                last = Some(key.clone());
            }
            let Some(last) = last else {
                break;
            };
            range.start = Bound::Excluded(last);
        }
        samples.extend(splits.map(|split| sample(split, offset)));
        samples.push(sample(&Bytes::new(), offset));
        Ok(samples)
    }
}

/// Takes the first rows of a range out of a table.
fn take(rows: &mut Rows, range: &RowRange) -> Vec<(Bytes, Arc<StoredRow>)> {
    let keys = rows.range::<[u8], _>(range.bounds()).take(AT_ONCE);
    let keys: Vec<_> = keys.map(|(key, _)| key.clone()).collect();
    let taken = keys.iter().filter_map(|key| rows.remove_entry(key));
    taken.collect()
}

/// Frees the memory of rows, in turns.
async fn free(rows: impl IntoIterator<Item = (Bytes, Arc<StoredRow>)>, steps: &mut Steps) {
    for (_, row) in rows {
        let cells = STEPS.saturating_mul(row.cell_count() + 1);
        steps.take_of_turn(cells.min(TURN)).await;
    }
}

fn schema(id: &str, families: &BTreeMap<ByteString, FamilySchema>) -> TableSchema {
    let families = families.iter();
    TableSchema {
        table: id.to_owned(),
        families: families
            .map(|(name, family)| (name.to_string(), family.clone()))
            .collect(),
        ..TableSchema::default()
    }
}

fn apply_change(
    families: &mut BTreeMap<ByteString, FamilySchema>,
    dropped: &mut BTreeSet<ByteString>,
    change: FamilyChange,
    profile: Profile,
) -> Result<(), Status> {
    match change {
        FamilyChange::Create(name, family) => {
            check_family(&name, &family, profile)?;
            if families.contains_key(name.as_str()) {
                let message = match profile {
                    Profile::Service => format!("Column family already exists: {name}"),
                    Profile::Emulator => format!("family {name:?} already exists"),
                };
                return Err(Status::new(Code::AlreadyExists, message));
            }
            families.insert(name.into(), family);
        }
        FamilyChange::Update(name, update) => {
            check_family(&name, &update, profile)?;
            let family = families
                .get_mut(name.as_str())
                .ok_or_else(|| no_family("no such", &name, profile))?;
            // Without a mask the service updates the rule and nothing else.
            family.gc_rule = update.gc_rule;
        }
        FamilyChange::Drop(name) => {
            families
                .remove(name.as_str())
                .ok_or_else(|| no_family("can't delete unknown", &name, profile))?;
            dropped.insert(name.into());
        }
    }
    Ok(())
}

/// `words` are the emulator's.
fn no_family(words: &str, name: &str, profile: Profile) -> Status {
    if profile == Profile::Emulator {
        return emulator::unknown(format!("{words} family {name:?}"));
    }
    Status::new(Code::NotFound, format!("Column family not found: {name}"))
}

fn check_table(schema: &TableSchema, splits: &[Bytes]) -> Result<(), Status> {
    check_name("table", &schema.table, 50)?;
    for (name, family) in &schema.families {
        check_family(name, family, Profile::Service)?;
    }
    splits.iter().try_for_each(check::key)
}

fn check_family(name: &str, family: &FamilySchema, profile: Profile) -> Result<(), Status> {
    if profile == Profile::Emulator {
        return Ok(());
    }
    check_name("column family", name, 64)?;
    family.gc_rule.as_ref().map_or(Ok(()), gc::check)
}

/// Names are letters, digits and `_-.`, the first of them neither `-` nor `.`.
fn check_name(what: &str, name: &str, longest: usize) -> Result<(), Status> {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    let first = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let valid =
        name.bytes().next().is_some_and(first) && name.bytes().all(inner) && name.len() <= longest;
    if valid {
        return Ok(());
    }
    Err(invalid(format!(
        "Invalid {what} name '{name}': 1 to {longest} characters of [-_.a-zA-Z0-9], the first not '-' or '.'"
    )))
}
