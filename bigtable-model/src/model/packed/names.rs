//! The names of what packing adds to rows.

use std::borrow::Cow;

use xxhash_rust::xxh64::xxh64;

use crate::Timestamp;
use crate::data::{CellRef, RowFilter};
pub(crate) use crate::table::PACKED;

/// The same as columns name their families.
pub(crate) static PACKED_FAMILY: Cow<'static, str> = Cow::Borrowed(PACKED);

/// The qualifier of the guard.
pub(crate) static GUARD: Cow<'static, str> = Cow::Borrowed(GUARD_NAME);

/// The same as text.
pub(crate) const GUARD_NAME: &str = "g";

/// What the names of blocks begin with.
pub(crate) const BLOCK: u8 = b'b';

/// What the names begin with of what hides events.
pub(crate) const HIDDEN: u8 = b'x';

/// A cell of the family of blocks.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Kind<'a> {
    Guard,
    Block,
    /// The event at a time: some columns of it, or all where there is no list.
    Hidden(i64, &'a [u8]),
}

impl<'a> Kind<'a> {
    /// The kind of a cell; none where it is of another family, or has no known name.
    pub(crate) fn of(cell: CellRef<'a>) -> Option<Self> {
        if cell.family() != PACKED {
            return None;
        }
        match cell.qualifier().split_first()? {
            (&BLOCK, _) => Some(Self::Block),
            (&HIDDEN, rest) => {
                let (time, _) = rest.split_first_chunk()?;
                Some(Self::Hidden(i64::from_be_bytes(*time), cell.value()))
            }
            _ if cell.qualifier() == GUARD_NAME.as_bytes() => Some(Self::Guard),
            _ => None,
        }
    }
}

/// What hides columns of the event at a time, or all of them if there are none: its name and its
/// value. Two such cells of one event are apart, since the name has a hash of the columns.
pub(crate) fn hidden_cell(time: Timestamp, columns: &[(&str, &str)]) -> (Vec<u8>, Vec<u8>) {
    let mut list = Vec::new();
    for (family, name) in columns {
        let name = name_of(family, name);
        list.extend(u32::try_from(name.len()).unwrap_or(u32::MAX).to_be_bytes());
        list.extend(name);
    }
    let mut name = vec![HIDDEN];
    name.extend(time.as_micros().to_be_bytes());
    if !list.is_empty() {
        name.extend(xxh64(&list, 0).to_be_bytes());
    }
    (name, list)
}

/// Whether such a list names a column.
pub(super) fn hides(mut list: &[u8], column: &[u8]) -> bool {
    if list.is_empty() {
        return true;
    }
    while let Some((len, rest)) = list.split_first_chunk() {
        let len = usize::try_from(u32::from_be_bytes(*len)).unwrap_or(usize::MAX);
        let Some((name, rest)) = rest.split_at_checked(len) else {
            return false;
        };
        if name == column {
            return true;
        }
        list = rest;
    }
    false
}

/// The name of a column in blocks: no family has a colon.
pub(super) fn name_of(family: &str, name: &str) -> Vec<u8> {
    [family.as_bytes(), b":", name.as_bytes()].concat()
}

/// Lets through what packing adds to rows.
pub(crate) fn packed_cells() -> RowFilter {
    RowFilter::FamilyRegex(PACKED.to_owned())
}
