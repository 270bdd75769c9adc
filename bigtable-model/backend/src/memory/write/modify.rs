//! Writes that compute new values from the row's.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures::FutureExt as _;

use super::mutate;
use crate::Status;
use crate::data::{AggregateKind, Cell, ReadModifyWriteRow, ReadModifyWriteRule, Row, RuleAction};
use crate::memory::apply::{Applying, encode, number};
use crate::memory::check::{self, family_not_found, invalid, precondition};
use crate::memory::steps::{Steps, steps_of_copy};
use crate::memory::store::row::{ColumnName, StoredRow, Version};
use crate::memory::store::{Content, Families, Store, Table, change_row};
use crate::memory::{Profile, emulator};

/// How often long rules are computed again because the row was written to meanwhile. After that,
/// they are computed with the table locked.
const ATTEMPTS: usize = 10;

/// Steps for each rule without its bytes.
const STEPS: usize = 16;

/// Bytes that are copied at once: a value may have a hundred megabytes.
const PIECE: usize = 1 << 18;

/// The outcome of an attempt.
enum Attempt {
    Done(Row),
    Computing(Seen),
}

/// What rules are computed from while the table is not locked.
struct Seen {
    held: Option<Arc<StoredRow>>,
    /// The row without masked cells.
    visible: Option<Arc<StoredRow>>,
    families: Arc<Families>,
    now: i64,
}

impl Seen {
    /// Whether the rules would see the same now. As long as the row is held here, a write replaces
    /// it.
    fn is_current(&self, content: &Content, key: &Bytes) -> bool {
        let same_row = match (&self.held, content.rows.get(key)) {
            (Some(seen), Some(held)) => Arc::ptr_eq(seen, held),
            (None, None) => true,
            _ => false,
        };
        same_row && self.families == content.families
    }
}

impl Store {
    /// Few rules are computed with the table locked. Others, and those that copy large values, are
    /// computed from the row as it was; if the row has changed by then, they are computed again.
    pub(in crate::memory) async fn read_modify_write(
        &self,
        request: &ReadModifyWriteRow,
    ) -> Result<Row, Status> {
        let table = self.table(&request.table)?;
        if self.profile == Profile::Service {
            check::rules(request)?;
        }
        let mut computed = None;
        let mut attempts = 0;
        loop {
            let steps = match attempts < ATTEMPTS {
                true => Steps::default(),
                false => Steps::of_one_turn(),
            };
            attempts += 1;
            let seen = match self.try_read_modify_write(&table, request, computed, steps)? {
                Attempt::Done(row) => return Ok(row),
                Attempt::Computing(seen) => seen,
            };
            let rules = Rules {
                store: self,
                table: &table.id,
                request,
                families: &seen.families,
                now: seen.now,
            };
            let mut steps = Steps::default();
            let written = rules.apply(seen.visible.as_deref(), &mut steps).await;
            computed = Some((seen, written));
        }
    }

    /// Writes if the result of the rules is known, or can be computed at once.
    fn try_read_modify_write(
        &self,
        table: &Table,
        request: &ReadModifyWriteRow,
        computed: Option<(Seen, Written)>,
        mut steps: Steps,
    ) -> Result<Attempt, Status> {
        let content = &mut *table.write()?;
        if let Some((seen, written)) = computed
            && seen.is_current(content, &request.key)
        {
            let Seen { held, visible, .. } = seen;
            drop(held);
            return self.commit(content, &request.key, visible, written);
        }
        let held = content.rows.get(&request.key);
        let visible = held.map(|row| self.visible(content, row));
        let now = self.clock.cell_time();
        let rules = Rules {
            store: self,
            table: &table.id,
            request,
            families: &content.families,
            now,
        };
        let at_once = rules.apply(visible.as_deref(), &mut steps).now_or_never();
        match at_once {
            Some(written) => self.commit(content, &request.key, visible, written),
            None => Ok(Attempt::Computing(Seen {
                held: held.cloned(),
                visible,
                families: Arc::clone(&content.families),
                now,
            })),
        }
    }

    /// Writes the new cells into the row that the rules saw.
    fn commit(
        &self,
        content: &mut Content,
        key: &Bytes,
        seen: Option<Arc<StoredRow>>,
        written: Written,
    ) -> Result<Attempt, Status> {
        let Written {
            mut columns,
            shown,
            failed,
        } = written;
        if self.profile == Profile::Service {
            if let Some(status) = failed {
                return Err(status);
            }
            check_size(seen.as_deref(), &columns)?;
        }
        // Dropped, so the row is changed in place.
        drop(seen);
        change_row(&mut content.rows, key.clone(), |row| set_all(row, &columns));
        // The emulator keeps what the rules before the failing one did.
        if let Some(status) = failed {
            return Err(status);
        }
        columns.extend(shown);
        Ok(Attempt::Done(new_cells(key, columns)))
    }
}

/// The rules of a request, and what they depend on beside the row.
struct Rules<'a> {
    store: &'a Store,
    table: &'a str,
    request: &'a ReadModifyWriteRow,
    families: &'a Families,
    now: i64,
}

/// The result of the rules, without changing the row: the newest versions of columns.
#[derive(Default)]
struct Written {
    columns: BTreeMap<ColumnName, Version>,
    /// Where the emulator's answer is not what it stores.
    shown: BTreeMap<ColumnName, Version>,
    /// Why a rule was refused; those after it are not applied.
    failed: Option<Status>,
}

impl Rules<'_> {
    /// What the rules make of a row.
    async fn apply(&self, row: Option<&StoredRow>, steps: &mut Steps) -> Written {
        let mut written = Written::default();
        for rule in &self.request.rules {
            if let Err(status) = self.apply_rule(rule, row, &mut written, steps).await {
                written.failed = Some(status);
                break;
            }
        }
        written
    }

    async fn apply_rule(
        &self,
        rule: &ReadModifyWriteRule,
        row: Option<&StoredRow>,
        written: &mut Written,
        steps: &mut Steps,
    ) -> Result<(), Status> {
        let profile = self.store.profile;
        let applying = Applying {
            families: self.families,
            now: self.now,
        };
        let Some((column, schema)) = applying.column(&rule.family, rule.qualifier.clone()) else {
            return Err(match profile {
                Profile::Service => family_not_found(&self.request.key, self.table),
                Profile::Emulator => emulator::unknown_family(&rule.family),
            });
        };
        if schema.aggregate.is_some() && profile == Profile::Service {
            return Err(invalid(format!(
                "ReadModifyWriteRow cannot write to the aggregate family '{}'",
                rule.family
            )));
        }
        let refuse = match profile {
            Profile::Service => precondition,
            Profile::Emulator => emulator::unknown,
        };
        steps.take_of_turn(STEPS).await;
        let held = row.and_then(|row| row.newest(&column));
        let newest = written.columns.get(&column).map(Version::as_ref).or(held);
        let timestamp = newest.map_or(self.now, |version| version.timestamp.max(self.now));
        // Only the emulator gets here with an aggregate: it adds a sum to the cell that the sum
        // came from.
        let sums = schema.aggregate == Some(AggregateKind::Sum);
        let replaced = newest.filter(|version| sums && version.timestamp == timestamp);
        let replaced = replaced.map(|version| version.value.clone());
        let value = match (&rule.action, newest) {
            (RuleAction::Append(bytes), None) => bytes.clone(),
            (RuleAction::Append(bytes), Some(version)) => {
                let value = version.value.clone();
                // A value that these rules wrote is not shared, and grows in place.
                drop(written.columns.remove(&column));
                appended(value, bytes, steps).await
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
                written.shown.insert(column.clone(), version);
                Version { timestamp, value }
            }
            None => {
                written.shown.remove(&column);
                version
            }
        };
        written.columns.insert(column, stored);
        Ok(())
    }
}

/// A value with more bytes appended: thousands of rules may append to a large value, so it is
/// copied only if it is shared.
async fn appended(value: Bytes, more: &[u8], steps: &mut Steps) -> Bytes {
    let mut grown = match value.try_into_mut() {
        Ok(grown) => grown,
        Err(value) => {
            let mut copy = BytesMut::with_capacity(value.len() + more.len());
            append(&mut copy, &value, steps).await;
            copy
        }
    };
    append(&mut grown, more, steps).await;
    grown.freeze()
}

async fn append(grown: &mut BytesMut, more: &[u8], steps: &mut Steps) {
    for piece in more.chunks(PIECE) {
        steps.take_of_turn(steps_of_copy(piece.len())).await;
        grown.extend_from_slice(piece);
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
