//! The names of the cells that packing adds to rows.

use std::borrow::Cow;

use xxhash_rust::xxh64::xxh64;

use crate::Timestamp;
use crate::data::{CellRef, RowFilter};
pub(crate) use crate::table::PACKED;

/// The family's name, as columns hold it.
pub(crate) static PACKED_FAMILY: Cow<'static, str> = Cow::Borrowed(PACKED);

/// The qualifier of the guard.
pub(crate) static GUARD: Cow<'static, str> = Cow::Borrowed(GUARD_NAME);

/// The guard's qualifier as text.
pub(crate) const GUARD_NAME: &str = "g";

/// The first byte of the names of blocks.
pub(crate) const BLOCK: u8 = b'b';

/// The first byte of the names of cells that hide events.
pub(crate) const HIDDEN: u8 = b'x';

/// A cell of the family of blocks.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Kind<'a> {
    Guard,
    Block,
    /// Hides the event at a time: the listed columns, or all if there is no list.
    Hidden(i64, &'a [u8]),
}

impl<'a> Kind<'a> {
    /// The kind of a cell; `None` if it is in another family or has no known name.
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

/// The name and value of the cell that hides columns of the event at a time, or all if none are
/// given. The name has a hash of the columns, so that two such cells of one event differ.
pub(crate) fn hidden_cell(time: Timestamp, columns: &[(&str, &[u8])]) -> (Vec<u8>, Vec<u8>) {
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

/// Whether the list in such a cell names a column.
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
pub(super) fn name_of(family: &str, name: &[u8]) -> Vec<u8> {
    [family.as_bytes(), b":", name].concat()
}

/// Lets through the cells that packing adds to rows.
pub(crate) fn packed_cells() -> RowFilter {
    RowFilter::FamilyRegex(PACKED.to_owned())
}
