//! The names of what packing adds to rows.

use std::borrow::Cow;

use crate::Timestamp;
use crate::data::{CellRef, RowFilter};

/// The family of blocks, of the guard, and of what hides events of blocks.
pub(crate) const PACKED: &str = "_packed";

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
    /// The event at a time, or a column of it: its family, a colon and its name.
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
                let (time, column) = rest.split_first_chunk()?;
                Some(Self::Hidden(i64::from_be_bytes(*time), column))
            }
            _ if cell.qualifier() == GUARD_NAME.as_bytes() => Some(Self::Guard),
            _ => None,
        }
    }
}

/// Appends the name of what hides a column of the event at a time, or all of it.
pub(crate) fn push_hidden(time: Timestamp, column: Option<(&str, &str)>, out: &mut Vec<u8>) {
    out.push(HIDDEN);
    out.extend(time.as_micros().to_be_bytes());
    if let Some((family, name)) = column {
        out.extend(name_of(family, name));
    }
}

/// The name of a column in blocks: no family has a colon.
pub(super) fn name_of(family: &str, name: &str) -> Vec<u8> {
    [family.as_bytes(), b":", name.as_bytes()].concat()
}

/// Lets through what packing adds to rows.
pub(crate) fn packed_cells() -> RowFilter {
    RowFilter::FamilyRegex(PACKED.to_owned())
}
