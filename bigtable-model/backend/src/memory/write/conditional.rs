//! Writes that depend on the row's cells.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures::FutureExt as _;

use super::mutate::{self, Applying, encode, number};
use crate::data::check;
use crate::data::{
    AggregateKind, Cell, CheckAndMutateRow, ReadModifyWriteRow, ReadModifyWriteRule, Row,
    RowMutations, RuleAction,
};
use crate::memory::filter::{Filter, Work};
use crate::memory::refusal::{family_not_found, invalid, precondition};
use crate::memory::store::row::{ColumnName, StoredRow, Version};
use crate::memory::store::{Content, Store, Table, change_row};
use crate::memory::{Profile, emulator};
use crate::{Code, Status};

/// How often a slow predicate is evaluated again because the row was written to meanwhile.
const ATTEMPTS: usize = 10;

/// The outcome of an attempt at a conditional write.
enum Attempt {
    Done(bool),
    Asking(Asking),
}

/// A row on which a predicate is evaluated while the table is not locked.
struct Asking {
    held: Arc<StoredRow>,
    /// The row without masked cells.
    visible: Arc<StoredRow>,
}

impl Store {
    /// A fast predicate is evaluated with the table locked. Others are evaluated on the row as it
    /// was; if the row has changed by then, they are evaluated again.
    pub(in crate::memory) async fn check_and_mutate(
        &self,
        request: &CheckAndMutateRow,
    ) -> Result<bool, Status> {
        let table = self.table(&request.table)?;
        if self.profile == Profile::Service {
            check::key(&request.key)?;
            if request.if_true.is_empty() && request.if_false.is_empty() {
                return Err(invalid("No mutations provided"));
            }
            check::mutations(&request.if_true)?;
            check::mutations(&request.if_false)?;
        }
        let filter = match &request.predicate {
            Some(predicate) => Filter::compile(predicate, self.profile)?,
            None => Filter::pass_all(),
        };
        let mut asked = None;
        for _ in 0..ATTEMPTS {
            let asking = match self.try_check_and_mutate(&table, request, &filter, asked)? {
                Attempt::Done(matched) => return Ok(matched),
                Attempt::Asking(asking) => asking,
            };
            let mut work = Work::default();
            let matched = filter.matches(&asking.visible, &mut work).await?;
            asked = Some((asking.held, matched));
        }
        Err(Status::new(
            Code::Aborted,
            format!(
                "The row '{}' was written to each time that the predicate was asked about it",
                request.key.escape_ascii()
            ),
        ))
    }

    /// Writes if it is known whether the predicate matches, or can be decided at once.
    fn try_check_and_mutate(
        &self,
        table: &Table,
        request: &CheckAndMutateRow,
        filter: &Filter,
        asked: Option<(Arc<StoredRow>, bool)>,
    ) -> Result<Attempt, Status> {
        let now = self.clock.cell_time();
        let content = &mut *table.write()?;
        filter.check_families(content, &table.id, self.profile)?;
        if self.profile == Profile::Service {
            mutate::check_families(content, &table.id, &request.key, &request.if_true)?;
            mutate::check_families(content, &table.id, &request.key, &request.if_false)?;
        }
        let matched = match (content.rows.get(&request.key), asked) {
            (None, _) => {
                if self.profile == Profile::Emulator && request.predicate.is_some() {
                    filter.check_on_empty_row()?;
                }
                false
            }
            // As long as it is held here, a write replaces the row.
            (Some(held), Some((row, matched))) if Arc::ptr_eq(held, &row) => matched,
            (Some(held), _) => {
                let visible = self.visible(content, held);
                let mut work = Work::default();
                match filter.matches(&visible, &mut work).now_or_never() {
                    Some(matched) => matched?,
                    None => {
                        let held = Arc::clone(held);
                        return Ok(Attempt::Asking(Asking { held, visible }));
                    }
                }
            }
        };
        let mutations = match matched {
            true => &request.if_true,
            false => &request.if_false,
        };
        match self.profile {
            Profile::Emulator => emulator::apply(content, &request.key, mutations, now)?,
            Profile::Service => {
                let write = RowMutations {
                    key: request.key.clone(),
                    mutations: mutations.clone(),
                };
                mutate::apply(content, write, now)?;
            }
        }
        Ok(Attempt::Done(matched))
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

/// The result of the rules, without changing the row: the newest versions of columns.
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
        let held = self.held.and_then(|row| row.newest(&column));
        let newest = self.columns.get(&column).map(Version::as_ref).or(held);
        let timestamp = newest.map_or(self.now, |version| version.timestamp.max(self.now));
        // Only the emulator gets here with an aggregate: it adds a sum to the cell that the sum
        // came from.
        let sums = aggregate == Some(AggregateKind::Sum);
        let replaced = newest.filter(|version| sums && version.timestamp == timestamp);
        let replaced = replaced.map(|version| version.value.clone());
        let value = match (action, newest) {
            (RuleAction::Append(bytes), None) => bytes.clone(),
            (RuleAction::Append(bytes), Some(version)) => {
                let value = version.value.clone();
                // A value that these rules wrote is not shared, and grows in place.
                drop(self.columns.remove(&column));
                appended(value, bytes)
            }
            (RuleAction::Increment(amount), None) => encode(*amount),
            (RuleAction::Increment(amount), Some(version)) => {
                let held =
                    number(version.value).ok_or_else(|| refuse("increment on non-64-bit value"))?;
                encode(held.wrapping_add(*amount))
            }
        };
        let merged = replaced.and_then(|held| emulator::added(&held, &value));
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

/// A value with more bytes appended: thousands of rules may append to a large value, so it is
/// copied only if it is shared.
fn appended(value: Bytes, more: &[u8]) -> Bytes {
    let mut grown = value.try_into_mut().unwrap_or_else(|value| {
        let mut copy = BytesMut::with_capacity(value.len() + more.len());
        copy.extend_from_slice(&value);
        copy
    });
    grown.extend_from_slice(more);
    grown.freeze()
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
    // Drop it, so the row is changed in place.
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
