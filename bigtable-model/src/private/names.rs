//! Names of variants, in keys and in cells.

use crate::key::SegmentError;
use crate::value::ValueError;

/// The error for a name that no variant has.
#[cold]
#[must_use]
pub fn unknown_variant(name: &str, title: &str, known: &[&str]) -> SegmentError {
    let known = known.join(", ");
    SegmentError::Refused(format!("`{name}` is no `{title}`: there are {known}"))
}

/// An alias: the compiler would name a re-exported type by this module.
pub type CellBytes = bytes::Bytes;

/// The name in a cell; `None` if it is not text.
#[must_use]
pub fn name_in_cell(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// The error of a cell without the name of a variant.
#[cold]
#[must_use]
pub fn unknown_name(bytes: &[u8], title: &str, known: &[&str]) -> ValueError {
    let known = known.join(", ");
    ValueError::malformed(format!("a name of `{title}`: {known}"), bytes)
}
