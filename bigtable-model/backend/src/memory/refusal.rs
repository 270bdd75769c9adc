//! The statuses of refusals, in the service's words where they are known.

use crate::{Code, Status};

pub(super) use crate::memory::check::invalid;

pub(super) fn precondition(message: impl Into<String>) -> Status {
    Status::new(Code::FailedPrecondition, message)
}

pub(super) fn table_not_found(table: &str) -> Status {
    Status::new(Code::NotFound, format!("Table not found: {table}"))
}

pub(super) fn family_not_found(key: &[u8], table: &str) -> Status {
    let message = format!(
        "Error while mutating the row '{}' ({table}) : Requested column family not found.",
        key.escape_ascii()
    );
    Status::new(Code::NotFound, message)
}

pub(super) fn filter_family_not_found(family: &str, table: &str) -> Status {
    let message = format!(
        "Error while reading table '{table}' : Requested column family not found: {family}"
    );
    Status::new(Code::NotFound, message)
}
