//! Where Google's emulator differs from the service, for tests that compare with it.

use std::borrow::Cow;
use std::ops::Bound;

use bytes::Bytes;

use super::apply::{Applying, encode, number};
use super::store::row::StoredRow;
use super::store::{Content, Table, change_row};
use crate::data::{AggregateKind, Mutation, RowMutations, RowRange, SERVER_TIME};
use crate::memory::check::{self, invalid};
use crate::{Code, EntryOutcome, Status};

pub(super) fn unknown_family(family: &str) -> Status {
    unknown(format!("unknown family {family:?}"))
}

/// An error without a code of its own, which gRPC for Go sends as UNKNOWN.
pub(super) fn unknown(message: impl Into<String>) -> Status {
    Status::new(Code::Unknown, message)
}

/// The emulator checks for mutations before it looks up the table.
pub(super) fn check_any(rows: &[RowMutations]) -> Result<(), Status> {
    match rows.iter().all(|row| row.mutations.is_empty()) {
        true => Err(invalid("No mutations provided")),
        false => Ok(()),
    }
}

/// Entries that fail are INTERNAL, whatever the reason; a reason with its own code is quoted with
/// it.
pub(super) fn mutate_rows(
    table: &Table,
    rows: &[RowMutations],
    now: i64,
) -> Result<Vec<EntryOutcome>, Status> {
    let outcome = |row: &RowMutations| {
        let content = &mut *table.write()?;
        let applied = apply(content, &row.key, &row.mutations, now);
        Ok(applied.map_err(|status| Status::new(Code::Internal, quoted(status))))
    };
    rows.iter().map(outcome).collect()
}

fn quoted(status: Status) -> String {
    match status.code {
        Code::InvalidArgument => format!(
            "rpc error: code = InvalidArgument desc = {}",
            status.message
        ),
        _ => status.message,
    }
}

/// Applies the mutations one after another; those before a failing one stay applied.
pub(super) fn apply(
    content: &mut Content,
    key: &Bytes,
    mutations: &[Mutation],
    now: i64,
) -> Result<(), Status> {
    if key.is_empty() {
        return Err(invalid("Row keys must be non-empty"));
    }
    let applying = Applying {
        families: &content.families,
        now,
    };
    change_row(&mut content.rows, key.clone(), |row| {
        mutations.iter().try_for_each(|mutation| {
            check(&applying, row, mutation)?;
            applying.apply(row, as_set(&applying, row, mutation).into_owned());
            Ok(())
        })
    })
}

/// To the emulator all writes of a cell are the same: they replace the value, or add to it in a
/// sum. Minima and maxima replace too.
fn as_set<'m>(
    applying: &Applying<'_>,
    row: &StoredRow,
    mutation: &'m Mutation,
) -> Cow<'m, Mutation> {
    let (family, qualifier, given, value) = match mutation {
        Mutation::SetCell {
            family,
            qualifier,
            timestamp_micros,
            value,
        } => (family, qualifier, *timestamp_micros, value.clone()),
        Mutation::AddToCell {
            family,
            qualifier,
            timestamp_micros,
            input,
        } => (family, qualifier, *timestamp_micros, encode(*input)),
        Mutation::MergeToCell {
            family,
            qualifier,
            timestamp_micros,
            input,
        } => (family, qualifier, *timestamp_micros, input.clone()),
        _ => return Cow::Borrowed(mutation),
    };
    let timestamp_micros = match given {
        SERVER_TIME => applying.now,
        given => given,
    };
    let column = applying.column(family, qualifier.clone());
    let sum = column.filter(|(_, schema)| schema.aggregate == Some(AggregateKind::Sum));
    let held = sum.and_then(|(column, _)| row.get(&column, timestamp_micros));
    let value = match held.and_then(|held| added(held, &value)) {
        Some(sum) => sum,
        None => value,
    };
    Cow::Owned(Mutation::SetCell {
        family: family.clone(),
        qualifier: qualifier.clone(),
        timestamp_micros,
        value,
    })
}

/// The sum of the first 8 bytes of each. `None` for shorter values, on which the emulator crashes.
pub(super) fn added(held: &[u8], value: &[u8]) -> Option<Bytes> {
    let sum = number(held.get(..8)?)?.wrapping_add(number(value.get(..8)?)?);
    Some(encode(sum))
}

fn check(applying: &Applying<'_>, row: &StoredRow, mutation: &Mutation) -> Result<(), Status> {
    match mutation {
        Mutation::SetCell {
            family,
            timestamp_micros,
            ..
        } => {
            known(applying, family)?;
            match *timestamp_micros {
                SERVER_TIME => Ok(()),
                given => valid(given),
            }
        }
        Mutation::AddToCell {
            family,
            timestamp_micros,
            ..
        } => aggregate(applying, "AddToCell", family, *timestamp_micros),
        Mutation::MergeToCell {
            family,
            timestamp_micros,
            ..
        } => aggregate(applying, "MergeToCell", family, *timestamp_micros),
        Mutation::DeleteFromColumn {
            family,
            start_micros,
            end_micros,
            ..
        } => {
            known(applying, family)?;
            // It checks the range only if the row has a cell in the family.
            if !row.has_family(family) {
                return Ok(());
            }
            valid(*start_micros)?;
            valid(*end_micros)?;
            if *end_micros != 0 && start_micros >= end_micros {
                return Err(unknown(format!(
                    "inverted or invalid timestamp range [{start_micros}, {end_micros}]"
                )));
            }
            Ok(())
        }
        Mutation::DeleteFromFamily { .. } | Mutation::DeleteFromRow => Ok(()),
    }
}

/// It does not require whole milliseconds here.
fn aggregate(
    applying: &Applying<'_>,
    mutation: &str,
    family: &str,
    timestamp_micros: i64,
) -> Result<(), Status> {
    known(applying, family)?;
    let schema = applying.families.get::<str>(family);
    if schema.is_none_or(|schema| schema.aggregate.is_none()) {
        return Err(unknown(format!(
            "illegal attempt to use {mutation} on non-aggregate cell"
        )));
    }
    if timestamp_micros < 0 {
        return Err(unknown(format!("{mutation} must set timestamp >= 0")));
    }
    Ok(())
}

fn known(applying: &Applying<'_>, family: &str) -> Result<(), Status> {
    match applying.families.contains_key(family) {
        true => Ok(()),
        false => Err(unknown_family(family)),
    }
}

fn valid(timestamp: i64) -> Result<(), Status> {
    check::timestamp(timestamp).map_err(|_| unknown(format!("invalid timestamp {timestamp}")))
}

/// Refuses a range that ends before it begins; `at` is its index in the request. Other empty
/// ranges, and ranges with an empty bound, select no rows.
pub(super) fn check_range(at: usize, range: &RowRange) -> Result<(), Status> {
    let (Some((start, start_name)), Some((end, end_name))) =
        (named(&range.start), named(&range.end))
    else {
        return Ok(());
    };
    if start.is_empty() || end.is_empty() || start <= end {
        return Ok(());
    }
    Err(invalid(format!(
        "Error in element #{at}: start_key_{start_name} must be less than end_key_{end_name}"
    )))
}

fn named(bound: &Bound<Bytes>) -> Option<(&Bytes, &'static str)> {
    match bound {
        Bound::Included(key) => Some((key, "closed")),
        Bound::Excluded(key) => Some((key, "open")),
        Bound::Unbounded => None,
    }
}
