//! Mutations of rows: everything for a row is checked before anything is applied.

use std::sync::Arc;

use bytes::Bytes;
use bytestring::ByteString;

use crate::data::limits::ROW;
use crate::data::{
    EntryBatch, EntryLimits, FamilySchema, Idempotency, Kept, KeptEntry, Mutation, MutationRef,
    RowMutations,
};
use crate::memory::apply::Applying;
use crate::memory::check::{self, family_not_found, invalid, precondition};
use crate::memory::steps::Steps;
use crate::memory::store::row::StoredRow;
use crate::memory::store::{Content, Families, Store, Table, change_row};
use crate::memory::{Profile, emulator};
use crate::{EntryOutcome, Status};

/// Steps for each mutation, and for each row.
const STEPS: usize = 16;

/// The steps of the rows that are written with the table locked once. Rows are atomic and requests
/// are not, so readers get their turn in between.
const LOCKED: usize = 1 << 10;

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
        check_families(&content.families, &table.id, &row.key, &row.mutations)?;
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
        // The service checks the families of the whole request first: a missing one fails every
        // entry.
        let families = Arc::clone(&table.read()?.families);
        if let Err(status) = check_entries(&families, &table.id, entries) {
            return Ok(vec![Err(status); entries.len()]);
        }
        let mut writing = Writing {
            table: &table,
            families: &families,
            entries,
            now,
            outcomes: Vec::with_capacity(entries.len()),
        };
        let mut kept = entries.keep();
        let mut steps = Steps::default();
        while let Some((rows, count)) = locked_once(entries, writing.outcomes.len()) {
            steps.take_of_turn(count).await;
            writing.write(rows, &mut kept)?;
        }
        Ok(writing.outcomes)
    }
}

/// How many of the rows from an index on are written with the table locked once, and the steps for
/// that; `None` at the end.
fn locked_once(entries: &EntryBatch, from: usize) -> Option<(usize, usize)> {
    let (mut rows, mut steps) = (0, 0);
    for index in from..entries.len() {
        let more = STEPS * (1 + entries.count(index));
        if rows > 0 && steps + more > LOCKED {
            break;
        }
        rows += 1;
        steps += more;
    }
    (rows > 0).then_some((rows, steps))
}

/// A bulk write, after its entries were checked.
struct Writing<'a> {
    table: &'a Table,
    /// The families with which the entries were checked.
    families: &'a Arc<Families>,
    entries: &'a EntryBatch,
    now: i64,
    outcomes: Vec<EntryOutcome>,
}

impl Writing<'_> {
    /// Writes the next rows.
    fn write(&mut self, rows: usize, kept: &mut Kept<'_>) -> Result<(), Status> {
        let content = &mut *self.table.write()?;
        let is_checked = Arc::ptr_eq(self.families, &content.families);
        for _ in 0..rows {
            let index = self.outcomes.len();
            let entry = kept.entry(index);
            let key = entry.key();
            let checked = match is_checked {
                true => Ok(()),
                false => {
                    let (families, mutations) = (&content.families, entry.mutations());
                    check_all(families, &self.table.id, &key, mutations)
                }
            };
            let token = self.entries.token(index);
            let outcome = checked.and_then(|()| match token {
                Some(token) => apply_once(content, (key, entry), token, self.now),
                None => apply_entry(content, (key, entry), self.now),
            });
            self.outcomes.push(outcome);
        }
        Ok(())
    }
}

/// An entry with its key.
type Row<'a> = (Bytes, KeptEntry<'a>);

/// Applies the mutations of an entry, unless its token is known.
fn apply_once(
    content: &mut Content,
    row: Row<'_>,
    token: &Idempotency,
    now: i64,
) -> Result<(), Status> {
    let Some(new) = content.tokens.judge(&row.0, token, now)? else {
        return Ok(());
    };
    apply_entry(content, row, now)?;
    content.tokens.keep(new);
    Ok(())
}

/// Applies the checked mutations of an entry; refuses them all if the row would become too large.
fn apply_entry(content: &mut Content, (key, entry): Row<'_>, now: i64) -> Result<(), Status> {
    let applying = Applying {
        families: &content.families,
        now,
    };
    let apply = |row: &mut StoredRow| {
        for mutation in entry.mutations().flatten() {
            applying.apply_kept(row, &mutation, entry);
        }
    };
    change_row(&mut content.rows, key, |row| {
        if row.bytes() + entry.most_bytes() > ROW {
            // A copy, which shares the values, shows how large it becomes.
            let mut copy = row.clone();
            apply(&mut copy);
            check_row_size(&copy)?;
        }
        row.reserve(entry.count());
        apply(row);
        Ok(())
    })
}

/// Refuses mutations that the table's families do not accept, or whose family is missing.
pub(in crate::memory) fn check_families(
    families: &Families,
    table: &str,
    key: &[u8],
    mutations: &[Mutation],
) -> Result<(), Status> {
    let mutations = mutations.iter().map(|one| Ok::<_, Status>(one.into()));
    check_all(families, table, key, mutations)
}

/// The same for all entries of a bulk write.
fn check_entries(families: &Families, table: &str, entries: &EntryBatch) -> Result<(), Status> {
    let is_plain = |name: &ByteString| {
        let family = families.get::<str>(name);
        family.is_some_and(|schema| schema.aggregate.is_none())
    };
    // Mostly the entries need not be searched.
    if let Some(known) = entries.plain_families()
        && known.iter().all(is_plain)
    {
        return Ok(());
    }
    (0..entries.len()).try_for_each(|index| {
        let key = entries.key(index).unwrap_or_default();
        check_all(families, table, key, entries.mutations(index))
    })
}

fn check_all<'m, E: Into<Status>>(
    families: &Families,
    table: &str,
    key: &[u8],
    mutations: impl Iterator<Item = Result<MutationRef<'m>, E>>,
) -> Result<(), Status> {
    for mutation in mutations {
        let mutation = mutation.map_err(Into::into)?;
        let Some(name) = mutation.family() else {
            continue;
        };
        let Some(schema) = families.get(name) else {
            return Err(family_not_found(key, table));
        };
        check_kind(&mutation, name, schema)?;
    }
    Ok(())
}

fn check_kind(
    mutation: &MutationRef<'_>,
    family: &str,
    schema: &FamilySchema,
) -> Result<(), Status> {
    match mutation {
        MutationRef::SetCell { .. } if schema.aggregate.is_some() => Err(invalid(format!(
            "SetCell cannot write to the aggregate family '{family}'"
        ))),
        _ if mutation.is_addition() && schema.aggregate.is_none() => {
            Err(invalid(format!("'{family}' is not an aggregate family")))
        }
        _ => Ok(()),
    }
}

/// Applies checked mutations to a row; refuses them all if the row would become too large.
pub(in crate::memory) fn apply_row(
    content: &mut Content,
    row: RowMutations,
    now: i64,
) -> Result<(), Status> {
    let applying = Applying {
        families: &content.families,
        now,
    };
    let RowMutations { key, mutations } = row;
    change_row(&mut content.rows, key, |row| {
        let added: usize = mutations.iter().map(bytes_added).sum();
        if row.bytes() + added > ROW {
            check_size(row, &mutations, applying)?;
        }
        row.reserve(mutations.len());
        for mutation in mutations {
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
    if row.bytes() > ROW {
        return Err(precondition(format!(
            "A row holds at most {} bytes; the write would make it {}",
            ROW,
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
