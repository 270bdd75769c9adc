//! Checks of a write that need no table: keys, timestamps, sizes, counts. And the statuses of
//! refusals, in the service's words where they are known.

use bytes::Bytes;

use crate::data::{Mutation, ReadModifyWriteRow, RowMutations, RuleAction, SERVER_TIME, limits};
use crate::{Code, Status};

/// Refuses an invalid row key.
pub(crate) fn key(key: &Bytes) -> Result<(), Status> {
    if key.is_empty() {
        return Err(empty_key());
    }
    at_most("row key", key.len(), limits::KEY)
}

/// Refuses an entry that every table would refuse.
pub(crate) fn entry(row: &RowMutations) -> Result<(), Status> {
    key(&row.key)?;
    if row.mutations.is_empty() {
        return Err(invalid("No mutations provided"));
    }
    mutations(&row.mutations)
}

/// Refuses mutations that every table would refuse; an empty list is fine here.
pub(crate) fn mutations(mutations: &[Mutation]) -> Result<(), Status> {
    count(mutations.len())?;
    mutations.iter().try_for_each(mutation)
}

/// Refuses more mutations than a request may hold.
pub(crate) fn count(mutations: usize) -> Result<(), Status> {
    if mutations > limits::MUTATIONS {
        return Err(invalid(format!(
            "{mutations} mutations, but at most {} are allowed",
            limits::MUTATIONS
        )));
    }
    Ok(())
}

fn mutation(mutation: &Mutation) -> Result<(), Status> {
    match mutation {
        Mutation::SetCell {
            qualifier: name,
            timestamp_micros,
            value: bytes,
            ..
        } => {
            qualifier(name)?;
            if *timestamp_micros != SERVER_TIME {
                timestamp(*timestamp_micros)?;
            }
            value(bytes)
        }
        Mutation::AddToCell {
            qualifier: name,
            timestamp_micros,
            ..
        } => {
            qualifier(name)?;
            timestamp(*timestamp_micros)
        }
        Mutation::MergeToCell {
            qualifier: name,
            timestamp_micros,
            input,
            ..
        } => {
            qualifier(name)?;
            timestamp(*timestamp_micros)?;
            match input.len() {
                8 => Ok(()),
                len => Err(invalid(format!(
                    "the state of an aggregate has 8 bytes, not {len}"
                ))),
            }
        }
        Mutation::DeleteFromColumn {
            start_micros,
            end_micros,
            ..
        } => delete_range(*start_micros, *end_micros),
        Mutation::DeleteFromFamily { .. } | Mutation::DeleteFromRow => Ok(()),
    }
}

/// Refuses a timestamp that no cell can have.
pub(crate) fn timestamp(micros: i64) -> Result<(), Status> {
    if !(0..=limits::TIMESTAMP).contains(&micros) {
        return Err(invalid(format!(
            "Timestamp {micros} is out of range: 0 to {}",
            limits::TIMESTAMP
        )));
    }
    if micros % 1_000 != 0 {
        return Err(granularity());
    }
    Ok(())
}

fn delete_range(start: i64, end: i64) -> Result<(), Status> {
    timestamp(start)?;
    timestamp(end)?;
    if end != 0 && start >= end {
        return Err(invalid(format!(
            "Inverted or empty timestamp range [{start}, {end})"
        )));
    }
    Ok(())
}

/// Refuses rules that every table would refuse.
pub(crate) fn rules(request: &ReadModifyWriteRow) -> Result<(), Status> {
    key(&request.key)?;
    if request.rules.is_empty() {
        return Err(invalid("No rules provided"));
    }
    count(request.rules.len())?;
    request.rules.iter().try_for_each(|rule| {
        qualifier(&rule.qualifier)?;
        match &rule.action {
            RuleAction::Append(bytes) => value(bytes),
            RuleAction::Increment(_) => Ok(()),
        }
    })
}

/// Refuses a value over the limit.
pub(crate) fn value(bytes: &Bytes) -> Result<(), Status> {
    at_most("value", bytes.len(), limits::VALUE)
}

fn qualifier(name: &Bytes) -> Result<(), Status> {
    at_most("column qualifier", name.len(), limits::QUALIFIER)
}

fn at_most(what: &str, len: usize, limit: usize) -> Result<(), Status> {
    if len > limit {
        return Err(invalid(format!(
            "A {what} has at most {limit} bytes, not {len}"
        )));
    }
    Ok(())
}

pub(crate) fn invalid(message: impl Into<String>) -> Status {
    Status::new(Code::InvalidArgument, message)
}

fn granularity() -> Status {
    invalid("Timestamp granularity mismatch. Expected a multiple of 1000 (millisecond granularity)")
}

fn empty_key() -> Status {
    invalid("Row keys must be non-empty")
}

pub(in crate::memory) fn precondition(message: impl Into<String>) -> Status {
    Status::new(Code::FailedPrecondition, message)
}

pub(in crate::memory) fn table_not_found(table: &str) -> Status {
    Status::new(Code::NotFound, format!("Table not found: {table}"))
}

pub(in crate::memory) fn family_not_found(key: &[u8], table: &str) -> Status {
    let message = format!(
        "Error while mutating the row '{}' ({table}) : Requested column family not found.",
        key.escape_ascii()
    );
    Status::new(Code::NotFound, message)
}

pub(in crate::memory) fn filter_family_not_found(family: &str, table: &str) -> Status {
    let message = format!(
        "Error while reading table '{table}' : Requested column family not found: {family}"
    );
    Status::new(Code::NotFound, message)
}
