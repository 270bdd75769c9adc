//! Mutations of rows: everything for a row is checked before anything is applied.

use std::collections::BTreeMap;
use std::vec;

use bytes::Bytes;
use bytestring::ByteString;

use crate::data::{
    AggregateKind, Decoded, EntryBatch, EntryLimits, FamilySchema, Idempotency, Mutation,
    RowMutations, SERVER_TIME,
};
use crate::memory::check;
use crate::memory::refusal::{family_not_found, invalid, precondition};
use crate::memory::steps::Steps;
use crate::memory::store::row::{ColumnName, StoredRow};
use crate::memory::store::{Content, Store, Table, change_row};
use crate::memory::{Profile, emulator};
use crate::{EntryOutcome, Status};

/// Steps for each mutation, and for each row.
const STEPS: usize = 16;

/// The families of the table, and the server's time for the whole request.
#[derive(Clone, Copy)]
pub(in crate::memory) struct Applying<'a> {
    pub(in crate::memory) families: &'a BTreeMap<ByteString, FamilySchema>,
    pub(in crate::memory) now: i64,
}

impl Store {
    pub(in crate::memory) fn mutate_row(
        &self,
        table: &str,
        row: RowMutations,
    ) -> Result<(), Status> {
        if self.profile == Profile::Emulator {
            emulator::check_any(std::slice::from_ref(&row))?;
        }
        let table = self.table(table)?;
        let now = self.clock.cell_time();
        if self.profile == Profile::Emulator {
            return emulator::apply(&mut *table.write()?, &row.key, &row.mutations, now);
        }
        check::entry(&row)?;
        let content = &mut *table.write()?;
        check_families(content, &table.id, &row.key, &row.mutations)?;
        apply_row(content, row, now)
    }

    /// The emulator knows no tokens.
    pub(in crate::memory) async fn mutate_rows(
        &self,
        table: &str,
        entries: &EntryBatch,
    ) -> Result<Vec<EntryOutcome>, Status> {
        if self.profile == Profile::Emulator {
            let rows = entries.to_rows()?;
            emulator::check_any(&rows)?;
            let table = self.table(table)?;
            return emulator::mutate_rows(&table, &rows, self.clock.cell_time());
        }
        let table = self.table(table)?;
        let now = self.clock.cell_time();
        if entries.is_empty() {
            return Err(invalid("No entries provided"));
        }
        check::count(entries.size().mutations)?;
        if !EntryLimits::default().take(entries.size()) || entries.has_hollow() {
            entries.to_rows()?.iter().try_for_each(check::entry)?;
        }
        let decoded = entries.decode()?;
        // The service checks the families of the whole request first: a missing one fails every
        // entry.
        if let Err(status) = check_all_families(&table, &decoded) {
            return Ok(vec![Err(status); entries.len()]);
        }
        let mut outcomes = Vec::with_capacity(entries.len());
        let mut steps = Steps::default();
        let mut mutations = decoded.mutations.into_iter();
        for (index, (key, count)) in decoded.entries.into_iter().enumerate() {
            steps.take_of_turn(STEPS * (1 + count)).await;
            let left = mutations.len() - count;
            // A lock for each row: rows are atomic, requests are not, and readers get their turn.
            let content = &mut *table.write()?;
            let own = mutations.as_slice().get(..count).unwrap_or_default();
            let checked = check_families(content, &table.id, &key, own);
            outcomes.push(checked.and_then(|()| match entries.token(index) {
                Some(token) => apply_once(content, (key, count), &mut mutations, token, now),
                None => apply(content, (key, count), &mut mutations, now),
            }));
            // Those of an entry that was refused are left.
            let unused = mutations.len() - left;
            mutations.by_ref().take(unused).for_each(drop);
        }
        Ok(outcomes)
    }
}

fn check_all_families(table: &Table, decoded: &Decoded) -> Result<(), Status> {
    let content = table.read()?;
    let mut rest = decoded.mutations.as_slice();
    decoded.entries.iter().try_for_each(|(key, count)| {
        let (own, later) = rest.split_at_checked(*count).unwrap_or((rest, &[]));
        rest = later;
        check_families(&content, &table.id, key, own)
    })
}

/// Applies the mutations of a row, unless their token is known.
fn apply_once(
    content: &mut Content,
    row: (Bytes, usize),
    mutations: &mut vec::IntoIter<Mutation>,
    token: &Idempotency,
    now: i64,
) -> Result<(), Status> {
    let Some(new) = content.tokens.judge(&row.0, token, now)? else {
        return Ok(());
    };
    apply(content, row, mutations, now)?;
    content.tokens.keep(new);
    Ok(())
}

/// Refuses mutations that the table's families do not accept, or whose family is missing.
pub(in crate::memory) fn check_families(
    content: &Content,
    table: &str,
    key: &[u8],
    mutations: &[Mutation],
) -> Result<(), Status> {
    for mutation in mutations {
        let Some(name) = mutation.family() else {
            continue;
        };
        let Some((_, schema)) = content.family(name) else {
            return Err(family_not_found(key, table));
        };
        check_kind(mutation, name, schema)?;
    }
    Ok(())
}

fn check_kind(mutation: &Mutation, family: &str, schema: &FamilySchema) -> Result<(), Status> {
    match mutation {
        Mutation::SetCell { .. } if schema.aggregate.is_some() => Err(invalid(format!(
            "SetCell cannot write to the aggregate family '{family}'"
        ))),
        Mutation::AddToCell { .. } | Mutation::MergeToCell { .. } if schema.aggregate.is_none() => {
            Err(invalid(format!("'{family}' is not an aggregate family")))
        }
        _ => Ok(()),
    }
}

/// Applies all mutations to a row.
pub(in crate::memory) fn apply_row(
    content: &mut Content,
    row: RowMutations,
    now: i64,
) -> Result<(), Status> {
    let count = row.mutations.len();
    apply(
        content,
        (row.key, count),
        &mut row.mutations.into_iter(),
        now,
    )
}

/// Applies the first of some checked mutations to a row; refuses them all if the row would become
/// too large.
fn apply(
    content: &mut Content,
    (key, count): (Bytes, usize),
    mutations: &mut vec::IntoIter<Mutation>,
    now: i64,
) -> Result<(), Status> {
    let applying = Applying {
        families: &content.families,
        now,
    };
    change_row(&mut content.rows, key, |row| {
        let own = mutations.as_slice().get(..count).unwrap_or_default();
        let added: usize = own.iter().map(bytes_added).sum();
        if row.bytes() + added > crate::data::limits::ROW {
            check_size(row, own, applying)?;
        }
        row.reserve(count);
        for mutation in mutations.take(count) {
            applying.apply(row, mutation);
        }
        Ok(())
    })
}

/// Applies the mutations to a copy, which shares the values, and checks its size.
fn check_size(
    row: &StoredRow,
    mutations: &[Mutation],
    applying: Applying<'_>,
) -> Result<(), Status> {
    let mut copy = row.clone();
    for mutation in mutations {
        applying.apply(&mut copy, mutation.clone());
    }
    check_row_size(&copy)
}

/// Refuses a row over the limit.
pub(in crate::memory) fn check_row_size(row: &StoredRow) -> Result<(), Status> {
    if row.bytes() > crate::data::limits::ROW {
        return Err(precondition(format!(
            "A row holds at most {} bytes; the write would make it {}",
            crate::data::limits::ROW,
            row.bytes()
        )));
    }
    Ok(())
}

fn bytes_added(mutation: &Mutation) -> usize {
    match mutation {
        Mutation::SetCell {
            qualifier, value, ..
        } => qualifier.len() + value.len(),
        Mutation::AddToCell { qualifier, .. } | Mutation::MergeToCell { qualifier, .. } => {
            qualifier.len() + 8
        }
        _ => 0,
    }
}

impl Applying<'_> {
    /// Applies one checked mutation; a missing family is ignored.
    pub(in crate::memory) fn apply(&self, row: &mut StoredRow, mutation: Mutation) {
        match mutation {
            Mutation::SetCell {
                family,
                qualifier,
                timestamp_micros,
                value,
            } => {
                let timestamp = match timestamp_micros {
                    SERVER_TIME => self.now,
                    given => given,
                };
                if let Some((column, _)) = self.column(&family, qualifier) {
                    row.set(column, timestamp, value);
                }
            }
            Mutation::AddToCell {
                family,
                qualifier,
                timestamp_micros,
                input,
            } => self.merge(row, &family, qualifier, timestamp_micros, input),
            Mutation::MergeToCell {
                family,
                qualifier,
                timestamp_micros,
                input,
            } => {
                if let Some(input) = number(&input) {
                    self.merge(row, &family, qualifier, timestamp_micros, input);
                }
            }
            Mutation::DeleteFromColumn {
                family,
                qualifier,
                start_micros,
                end_micros,
            } => {
                if let Some((column, _)) = self.column(&family, qualifier) {
                    row.delete_from_column(&column, start_micros, end_micros);
                }
            }
            Mutation::DeleteFromFamily { family } => row.delete_family(&family),
            Mutation::DeleteFromRow => row.clear(),
        }
    }

    /// The column, with the table's own copy of the family's name.
    pub(in crate::memory) fn column(
        &self,
        family: &ByteString,
        qualifier: Bytes,
    ) -> Option<(ColumnName, &FamilySchema)> {
        let name: &str = family;
        let (family, schema) = self.families.get_key_value(name)?;
        let column = ColumnName {
            family: family.clone(),
            qualifier,
        };
        Some((column, schema))
    }

    fn merge(
        &self,
        row: &mut StoredRow,
        family: &ByteString,
        qualifier: Bytes,
        timestamp: i64,
        input: i64,
    ) {
        let Some((column, schema)) = self.column(family, qualifier) else {
            return;
        };
        let Some(kind) = schema.aggregate else {
            return;
        };
        let state = row.get(&column, timestamp).and_then(|held| number(held));
        let merged = match (state, kind) {
            (None, _) => input,
            (Some(held), AggregateKind::Sum) => held.wrapping_add(input),
            (Some(held), AggregateKind::Min) => held.min(input),
            (Some(held), AggregateKind::Max) => held.max(input),
        };
        row.set(column, timestamp, encode(merged));
    }
}

/// A cell's value as a number, for increments and aggregates.
pub(in crate::memory) fn number(value: &[u8]) -> Option<i64> {
    value.try_into().ok().map(i64::from_be_bytes)
}

/// A number as a cell's value.
pub(in crate::memory) fn encode(number: i64) -> Bytes {
    Bytes::copy_from_slice(&number.to_be_bytes())
}
