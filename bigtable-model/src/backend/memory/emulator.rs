//! What Google's emulator does otherwise than the service, for tests that compare with it.

use std::borrow::Cow;

use bytes::Bytes;

use super::check;
use super::mutate::Applying;
use super::refusal::invalid;
use super::row::StoredRow;
use super::store::{Content, Table, change_row};
use crate::backend::{Code, EntryOutcome, Status};
use crate::data::{Mutation, RowMutations, SERVER_TIME};

pub(super) fn unknown_family(family: &str) -> Status {
    unknown(format!("unknown family {family:?}"))
}

/// An error without a code of its own, which gRPC for Go sends as UNKNOWN.
pub(super) fn unknown(message: impl Into<String>) -> Status {
    Status::new(Code::Unknown, message)
}

pub(super) fn mutate(content: &mut Content, row: &RowMutations, now: i64) -> Result<(), Status> {
    if row.mutations.is_empty() {
        return Err(invalid("No mutations provided"));
    }
    apply(content, &row.key, &row.mutations, now)
}

/// Entries that fail are INTERNAL, whatever the reason.
pub(super) fn mutate_rows(
    table: &Table,
    rows: &[RowMutations],
    now: i64,
) -> Result<Vec<EntryOutcome>, Status> {
    if rows.iter().all(|row| row.mutations.is_empty()) {
        return Err(invalid("No mutations provided"));
    }
    let outcome = |row: &RowMutations| {
        let content = &mut *table.write()?;
        let applied = apply(content, &row.key, &row.mutations, now);
        Ok(applied.map_err(|status| Status::new(Code::Internal, status.message)))
    };
    rows.iter().map(outcome).collect()
}

/// Applies the mutations one after the other; those before a failing one stay applied.
pub(super) fn apply(
    content: &mut Content,
    key: &Bytes,
    mutations: &[Mutation],
    now: i64,
) -> Result<(), Status> {
    let applying = Applying {
        families: &content.families,
        now,
    };
    change_row(&mut content.rows, key.clone(), |row| {
        mutations.iter().try_for_each(|mutation| {
            check(&applying, row, mutation)?;
            applying.apply(row, as_merge(&applying, mutation).into_owned());
            Ok(())
        })
    })
}

/// A cell set in an aggregate family is merged into what is there.
fn as_merge<'m>(applying: &Applying<'_>, mutation: &'m Mutation) -> Cow<'m, Mutation> {
    let Mutation::SetCell {
        family,
        qualifier,
        timestamp_micros,
        value,
    } = mutation
    else {
        return Cow::Borrowed(mutation);
    };
    let schema = applying.families.get::<str>(family);
    if value.len() != 8 || schema.is_none_or(|schema| schema.aggregate.is_none()) {
        return Cow::Borrowed(mutation);
    }
    Cow::Owned(Mutation::MergeToCell {
        family: family.clone(),
        qualifier: qualifier.clone(),
        timestamp_micros: match *timestamp_micros {
            SERVER_TIME => applying.now,
            given => given,
        },
        input: value.clone(),
    })
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
        } => {
            known(applying, family)?;
            let schema = applying.families.get::<str>(family);
            if schema.is_none_or(|schema| schema.aggregate.is_none()) {
                return Err(unknown(
                    "illegal attempt to use AddToCell on non-aggregate cell",
                ));
            }
            if *timestamp_micros < 0 {
                return Err(unknown("AddToCell must set timestamp >= 0"));
            }
            Ok(())
        }
        Mutation::MergeToCell { .. } => Err(unknown(
            "can't handle mutation type *bigtable.Mutation_MergeToCell_",
        )),
        Mutation::DeleteFromColumn {
            family,
            start_micros,
            end_micros,
            ..
        } => {
            known(applying, family)?;
            // It looks at the range only when the row has something in the family.
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

fn known(applying: &Applying<'_>, family: &str) -> Result<(), Status> {
    match applying.families.contains_key(family) {
        true => Ok(()),
        false => Err(unknown_family(family)),
    }
}

fn valid(timestamp: i64) -> Result<(), Status> {
    check::timestamp(timestamp).map_err(|_| unknown(format!("invalid timestamp {timestamp}")))
}
