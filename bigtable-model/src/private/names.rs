//! Names of variants, in keys and in cells.

use crate::key::SegmentError;
use crate::value::ValueError;

/// The refusal of a name that no variant has.
#[cold]
#[must_use]
pub fn unknown_variant(name: &str, title: &str, known: &[&str]) -> SegmentError {
    let known = known.join(", ");
    SegmentError::Refused(format!("`{name}` is no `{title}`: there are {known}"))
}

/// An alias, since the compiler would name the type by this module where it was re-exported.
pub type CellBytes = bytes::Bytes;

/// The name in a cell; none where it is no text.
#[must_use]
pub fn name_in_cell(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// A cell that holds the name of no variant.
#[cold]
#[must_use]
pub fn unknown_name(bytes: &[u8], title: &str, known: &[&str]) -> ValueError {
    let known = known.join(", ");
    ValueError::malformed(format!("a name of `{title}`: {known}"), bytes)
}
