//! Writes that depend on what the row holds.

use bytes::{Bytes, BytesMut};

use super::check;
use super::filter::Filter;
use super::mutate::{self, Applying, encode, number};
use super::refusal::{family_not_found, invalid, precondition};
use super::row::{ColumnName, StoredRow};
use super::sample::Sampler;
use super::store::{Content, Store, change_row};
use super::{Profile, emulator};
use crate::backend::Status;
use crate::data::{Cell, CheckAndMutateRow, ReadModifyWriteRow, Row, RuleAction};

impl Store {
    pub(super) fn check_and_mutate(&self, request: &CheckAndMutateRow) -> Result<bool, Status> {
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
        let matched = self.matches(content, &request.key, filter.as_ref());
        let mutations = if matched {
            &request.if_true
        } else {
            &request.if_false
        };
        if emulated {
            emulator::apply(content, &request.key, mutations, now)?;
        } else {
            mutate::apply(content, &request.key, mutations, now)?;
        }
        Ok(matched)
    }

    fn matches(&self, content: &Content, key: &Bytes, filter: Option<&Filter>) -> bool {
        let Some(row) = content.rows.get(key) else {
            return false;
        };
        let row = self.visible(content, row);
        match filter {
            None => !row.is_empty(),
            Some(filter) => filter
                .apply(key, &row, &mut Sampler::default())
                .is_some_and(|row| !row.cells.is_empty()),
        }
    }

    pub(super) fn read_modify_write(&self, request: &ReadModifyWriteRow) -> Result<Row, Status> {
        let table = self.table(&request.table)?;
        let now = self.clock.cell_time();
        if self.profile == Profile::Service {
            check::rules(request)?;
        }
        let content = &mut *table.write()?;
        let applying = Applying {
            families: &content.families,
            now,
        };
        // The rules work on a copy, which shares the values: a rule that fails leaves the row as it was.
        let mut changed = match content.rows.get(&request.key) {
            Some(row) => StoredRow::clone(&self.visible(content, row)),
            None => StoredRow::default(),
        };
        let mut columns = Vec::new();
        for rule in &request.rules {
            let Some((column, schema)) = applying.column(&rule.family, &rule.qualifier) else {
                return Err(match self.profile {
                    Profile::Service => family_not_found(&request.key, &table.id),
                    Profile::Emulator => emulator::unknown_family(&rule.family),
                });
            };
            if schema.aggregate.is_some() {
                return Err(invalid(format!(
                    "ReadModifyWriteRow cannot write to the aggregate family '{}'",
                    rule.family
                )));
            }
            apply_rule(&mut changed, &column, &rule.action, now)?;
            if !columns.contains(&column) {
                columns.push(column);
            }
        }
        if self.profile == Profile::Service {
            mutate::check_row_size(&changed)?;
        }
        let result = newest_cells(&request.key, &changed, columns);
        change_row(&mut content.rows, &request.key, |row| *row = changed);
        Ok(result)
    }
}

fn apply_rule(
    row: &mut StoredRow,
    column: &ColumnName,
    action: &RuleAction,
    now: i64,
) -> Result<(), Status> {
    let newest = row.newest(column);
    let timestamp = newest.map_or(now, |version| version.timestamp.max(now));
    let value = match action {
        RuleAction::Append(bytes) => match newest {
            None => bytes.clone(),
            Some(version) => {
                let mut value = BytesMut::with_capacity(version.value.len() + bytes.len());
                value.extend_from_slice(&version.value);
                value.extend_from_slice(bytes);
                value.freeze()
            }
        },
        RuleAction::Increment(amount) => {
            let held = match newest {
                None => 0,
                Some(version) => number(&version.value).ok_or_else(|| {
                    precondition(format!(
                        "An increment needs a value of 8 bytes, not {}",
                        version.value.len()
                    ))
                })?,
            };
            encode(held.wrapping_add(*amount))
        }
    };
    row.set(column.clone(), timestamp, value);
    Ok(())
}

/// The cells that the rules wrote, in the order of a read.
fn newest_cells(key: &Bytes, row: &StoredRow, mut columns: Vec<ColumnName>) -> Row {
    columns.sort();
    let cells = columns.into_iter().filter_map(|column| {
        let version = row.newest(&column)?;
        Some(Cell {
            timestamp_micros: version.timestamp,
            value: version.value.clone(),
            family: column.family,
            qualifier: column.qualifier,
            labels: Vec::new(),
        })
    });
    Row {
        key: key.clone(),
        cells: cells.collect(),
    }
}
