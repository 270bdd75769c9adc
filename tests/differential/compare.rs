//! Compares two answers, apart from the listed differences.

use bigtable_model::data::{Cell, Row};
use bigtable_model::{Code, Status};

use crate::operation::Outcome;

/// A known difference that is meant to stay: in the words of a refusal with the same code.
pub(crate) struct Deviation {
    /// Why the two cannot be made equal.
    pub(crate) reason: &'static str,
    code: Code,
    /// The beginning of the emulator's words.
    emulator: &'static str,
    /// The beginning of the memory backend's words.
    memory: &'static str,
}

const fn words(
    reason: &'static str,
    code: Code,
    emulator: &'static str,
    memory: &'static str,
) -> Deviation {
    Deviation {
        reason,
        code,
        emulator,
        memory,
    }
}

const fn regex(emulator: &'static str, memory: &'static str) -> Deviation {
    words(ENGINE, Code::InvalidArgument, emulator, memory)
}

/// The emulator names tables in full; a backend in memory has neither project nor instance.
const FULL_NAME: &str = "the emulator names the table in full, with project and instance";

/// Two engines: Go's, and the one here.
const ENGINE: &str = "an invalid regex is explained in the words of the engine that refuses it";

/// Every known difference. Any other one fails the test.
pub(crate) const DEVIATIONS: &[Deviation] = &[
    words(
        FULL_NAME,
        Code::NotFound,
        "table \"projects/",
        "Table not found: ",
    ),
    words(
        FULL_NAME,
        Code::AlreadyExists,
        "table \"projects/",
        "Table already exists: ",
    ),
    regex(
        "Error in field 'row_key_regex_filter' : error parsing regexp: ",
        "Error in field 'row_key_regex_filter' : ",
    ),
    regex(
        "Error in field 'family_name_regex_filter' : error parsing regexp: ",
        "Error in field 'family_name_regex_filter' : ",
    ),
    regex(
        "Error in field 'column_qualifier_regex_filter' : error parsing regexp: ",
        "Error in field 'column_qualifier_regex_filter' : ",
    ),
    regex(
        "Error in field 'value_regex_filter' : error parsing regexp: ",
        "Error in field 'value_regex_filter' : ",
    ),
];

/// Whether the answers are equal, with sorted families.
pub(crate) fn same(emulator: &Outcome, memory: &Outcome) -> bool {
    match (emulator, memory) {
        (Outcome::Done(theirs), Outcome::Done(ours)) => same_result(theirs, ours, PartialEq::eq),
        (Outcome::Entries(theirs), Outcome::Entries(ours)) => {
            same_result(theirs, ours, |theirs, ours| {
                theirs.len() == ours.len()
                    && (theirs.iter().zip(ours))
                        .all(|(theirs, ours)| same_result(theirs, ours, PartialEq::eq))
            })
        }
        (Outcome::Matched(theirs), Outcome::Matched(ours)) => {
            same_result(theirs, ours, PartialEq::eq)
        }
        (Outcome::Row(theirs), Outcome::Row(ours)) => same_result(theirs, ours, same_row),
        (Outcome::Rows(theirs, their_end), Outcome::Rows(ours, our_end)) => {
            theirs.len() == ours.len()
                && theirs
                    .iter()
                    .zip(ours)
                    .all(|(theirs, ours)| same_row(theirs, ours))
                && same_result(their_end, our_end, PartialEq::eq)
        }
        (Outcome::Schema(theirs), Outcome::Schema(ours)) => {
            same_result(theirs, ours, PartialEq::eq)
        }
        _ => false,
    }
}

fn same_result<T>(
    theirs: &Result<T, Status>,
    ours: &Result<T, Status>,
    same: impl Fn(&T, &T) -> bool,
) -> bool {
    match (theirs, ours) {
        (Ok(theirs), Ok(ours)) => same(theirs, ours),
        (Err(theirs), Err(ours)) => same_status(theirs, ours),
        _ => false,
    }
}

fn same_status(theirs: &Status, ours: &Status) -> bool {
    theirs == ours
        || DEVIATIONS.iter().any(|known| {
            theirs.code == known.code
                && ours.code == known.code
                && theirs.message.starts_with(known.emulator)
                && ours.message.starts_with(known.memory)
        })
}

fn same_row(theirs: &Row, ours: &Row) -> bool {
    theirs.key == ours.key && in_order(theirs) == in_order(ours)
}

/// The cells sorted by family; the order within a family is kept.
fn in_order(row: &Row) -> Vec<&Cell> {
    let mut cells: Vec<_> = row.cells.iter().collect();
    cells.sort_by(|a, b| a.family.cmp(&b.family));
    cells
}
