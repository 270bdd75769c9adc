//! Writes that depend on what the row holds.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};

use super::mutate::{self, Applying, encode, number};
use crate::Status;
use crate::data::check;
use crate::data::{
    AggregateKind, Cell, CheckAndMutateRow, ReadModifyWriteRow, ReadModifyWriteRule, Row,
    RowMutations, RuleAction,
};
use crate::memory::filter::Filter;
use crate::memory::read::sample::Sampler;
use crate::memory::refusal::{family_not_found, invalid, precondition};
use crate::memory::store::row::{ColumnName, StoredRow, Version};
use crate::memory::store::{Content, Store, Table, change_row};
use crate::memory::{Profile, emulator};

impl Store {
    pub(in crate::memory) fn check_and_mutate(
        &self,
        request: &CheckAndMutateRow,
    ) -> Result<bool, Status> {
        let table = self.table(&request.table)?;
        let now = self.clock.cell_time();
        let emulated = self.profile == Profile::Emulator;
        if !emulated {
            check::key(&request.key)?;
            if request.if_true.is_empty() && request.if_false.is_empty() {
                return Err(invalid("No mutations provided"));
            }
            check::mutations(&request.if_true)?;
            check::mutations(&request.if_false)?;
        }
        let filter = match &request.predicate {
            Some(predicate) => Some(Filter::compile(predicate, self.profile)?),
            None => None,
        };
        let content = &mut *table.write()?;
        if let Some(filter) = &filter {
            filter.check_families(content, &table.id, self.profile)?;
        }
        if !emulated {
            mutate::check_families(content, &table.id, &request.key, &request.if_true)?;
            mutate::check_families(content, &table.id, &request.key, &request.if_false)?;
        }
        let matched = self.matches(content, &request.key, filter.as_ref())?;
        let mutations = if matched {
            &request.if_true
        } else {
            &request.if_false
        };
        if emulated {
            emulator::apply(content, &request.key, mutations, now)?;
        } else {
            let write = RowMutations {
                key: request.key.clone(),
                mutations: mutations.clone(),
            };
            mutate::apply(content, write, now)?;
        }
        Ok(matched)
    }

    fn matches(
        &self,
        content: &Content,
        key: &Bytes,
        filter: Option<&Filter>,
    ) -> Result<bool, Status> {
        let Some(row) = content.rows.get(key) else {
            if let (Some(filter), Profile::Emulator) = (filter, self.profile) {
                filter.check_on_empty_row()?;
            }
            return Ok(false);
        };
        let row = self.visible(content, row);
        match filter {
            None => Ok(!row.is_empty()),
            Some(filter) => Ok(filter.apply(key, &row, &mut Sampler::default())?.is_some()),
        }
    }

    pub(in crate::memory) fn read_modify_write(
        &self,
        request: &ReadModifyWriteRow,
    ) -> Result<Row, Status> {
        let table = self.table(&request.table)?;
        let now = self.clock.cell_time();
        if self.profile == Profile::Service {
            check::rules(request)?;
        }
        let content = &mut *table.write()?;
        let held = content.rows.get(&request.key);
        let held = held.map(|row| self.visible(content, row));
        let mut written = Written {
            held: held.as_deref(),
            now,
            columns: BTreeMap::new(),
            shown: BTreeMap::new(),
        };
        let applied = request
            .rules
            .iter()
            .try_for_each(|rule| self.apply_rule(content, &table, request, rule, &mut written));
        let Written {
            mut columns, shown, ..
        } = written;
        match self.profile {
            Profile::Service => {
                applied?;
                check_size(held.as_deref(), &columns)?;
                commit(content, &request.key, held, &columns);
            }
            // The emulator keeps what the rules before the failing one did.
            Profile::Emulator => {
                commit(content, &request.key, held, &columns);
                applied?;
            }
        }
        columns.extend(shown);
        Ok(new_cells(&request.key, columns))
    }

    fn apply_rule(
        &self,
        content: &Content,
        table: &Table,
        request: &ReadModifyWriteRow,
        rule: &ReadModifyWriteRule,
        written: &mut Written<'_>,
    ) -> Result<(), Status> {
        let applying = Applying {
            families: &content.families,
            now: written.now,
        };
        let Some((column, schema)) = applying.column(&rule.family, rule.qualifier.clone()) else {
            return Err(match self.profile {
                Profile::Service => family_not_found(&request.key, &table.id),
                Profile::Emulator => emulator::unknown_family(&rule.family),
            });
        };
        if schema.aggregate.is_some() && self.profile == Profile::Service {
            return Err(invalid(format!(
                "ReadModifyWriteRow cannot write to the aggregate family '{}'",
                rule.family
            )));
        }
        let refuse = match self.profile {
            Profile::Service => precondition,
            Profile::Emulator => emulator::unknown,
        };
        written.apply(column, schema.aggregate, &rule.action, refuse)
    }
}

/// What the rules make of a row, without touching it: its columns' newest versions.
struct Written<'a> {
    held: Option<&'a StoredRow>,
    now: i64,
    columns: BTreeMap<ColumnName, Version>,
    /// Where the emulator's answer is not what it stores.
    shown: BTreeMap<ColumnName, Version>,
}

impl Written<'_> {
    fn apply(
        &mut self,
        column: ColumnName,
        aggregate: Option<AggregateKind>,
        action: &RuleAction,
        refuse: fn(&'static str) -> Status,
    ) -> Result<(), Status> {
        let newest = self.columns.get(&column);
        let newest = newest.or_else(|| self.held.and_then(|row| row.newest(&column)));
        let value = match (action, newest) {
            (RuleAction::Append(bytes), None) => bytes.clone(),
            (RuleAction::Append(bytes), Some(version)) => {
                let mut value = BytesMut::with_capacity(version.value.len() + bytes.len());
                value.extend_from_slice(&version.value);
                value.extend_from_slice(bytes);
                value.freeze()
            }
            (RuleAction::Increment(amount), None) => encode(*amount),
            (RuleAction::Increment(amount), Some(version)) => {
                let held = number(&version.value)
                    .ok_or_else(|| refuse("increment on non-64-bit value"))?;
                encode(held.wrapping_add(*amount))
            }
        };
        let timestamp = newest.map_or(self.now, |version| version.timestamp.max(self.now));
        let replaced = newest.filter(|version| version.timestamp == timestamp);
        // Only the emulator gets here with an aggregate: it adds a sum to the cell that the sum came from.
        let sums = aggregate == Some(AggregateKind::Sum);
        let held = replaced.filter(|_| sums);
        let merged = held.and_then(|held| emulator::added(&held.value, &value));
        let version = Version { timestamp, value };
        let stored = match merged {
            Some(value) => {
                self.shown.insert(column.clone(), version);
                Version { timestamp, value }
            }
            None => {
                self.shown.remove(&column);
                version
            }
        };
        self.columns.insert(column, stored);
        Ok(())
    }
}

fn check_size(
    held: Option<&StoredRow>,
    columns: &BTreeMap<ColumnName, Version>,
) -> Result<(), Status> {
    for version in columns.values() {
        check::value(&version.value)?;
    }
    let added = columns
        .iter()
        .map(|(column, version)| column.qualifier.len() + version.value.len());
    if held.map_or(0, StoredRow::bytes) + added.sum::<usize>() <= crate::data::limits::ROW {
        return Ok(());
    }
    let mut row = held.map_or_else(|| StoredRow::new(Bytes::new()), StoredRow::clone);
    set_all(&mut row, columns);
    mutate::check_row_size(&row)
}

/// Writes the new cells into the row that the rules saw.
fn commit(
    content: &mut Content,
    key: &Bytes,
    held: Option<Arc<StoredRow>>,
    columns: &BTreeMap<ColumnName, Version>,
) {
    // Let go of it, so that the row is changed in place.
    drop(held);
    change_row(&mut content.rows, key.clone(), |row| set_all(row, columns));
}

fn set_all(row: &mut StoredRow, columns: &BTreeMap<ColumnName, Version>) {
    for (column, version) in columns {
        row.set(column.clone(), version.timestamp, version.value.clone());
    }
}

/// The cells that the rules wrote, in the order of a read.
fn new_cells(key: &Bytes, columns: BTreeMap<ColumnName, Version>) -> Row {
    let cells = columns.into_iter().map(|(column, version)| Cell {
        timestamp_micros: version.timestamp,
        value: version.value,
        family: column.family,
        qualifier: column.qualifier,
        labels: Vec::new(),
    });
    Row {
        key: key.clone(),
        cells: cells.collect(),
    }
}
