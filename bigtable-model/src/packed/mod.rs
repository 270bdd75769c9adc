//! Packed buckets: the events of a settled row as blocks of compressed columns in the same row.
//!
//! A block is another form of the row's cells, nothing else: what is read is the row that would be
//! there without packing, so whatever finds, judges, orders and counts events knows nothing of
//! blocks. All that packing adds to a row is in one family, [`PACKED`], under three kinds of names:
//!
//! - The *guard*, one cell: each write of the model's cells sets it in its own entry. Whoever
//!   changes blocks first writes a random claim there, then reads the row, and changes it in one
//!   request that asks for exactly this claim. So no write between the read and the change is lost.
//! - A *block*, a cell each, named by the time of its first event.
//! - What is *hidden*: a cell for each event, or each column of one, that was deleted or replaced.
//!   It hides the block's value. A cell of a column hides the block's value of that column by
//!   itself.
//!
//! All of them have the same timestamp, the end of the row's bucket: a write replaces the cell that
//! was there, whichever clock wrote it, and a rule by age takes no block before its last event.

mod block;
mod compact;
mod guard;
mod job;
mod report;
mod unpack;

use std::borrow::Cow;

use crate::Timestamp;
use crate::data::{CellRef, RowFilter};
use crate::model::ModelSchema;

pub(crate) use guard::write_checked;
pub use job::PackJob;
pub use report::PackReport;
pub(crate) use unpack::unpacked;

/// The family of blocks, of the guard, and of what hides events of blocks.
pub(crate) const PACKED: &str = "_packed";

/// The same as columns name their families.
pub(crate) static PACKED_FAMILY: Cow<'static, str> = Cow::Borrowed(PACKED);

/// The qualifier of the guard.
pub(crate) static GUARD: Cow<'static, str> = Cow::Borrowed(GUARD_NAME);

/// The same as text.
const GUARD_NAME: &str = "g";

/// What the names of blocks begin with.
const BLOCK: u8 = b'b';

/// What the names begin with of what hides events.
const HIDDEN: u8 = b'x';

/// A cell of the family of blocks.
#[derive(Debug, PartialEq, Eq)]
enum Kind<'a> {
    Guard,
    Block,
    /// The event at a time, or a column of it: its family, a colon and its name.
    Hidden(i64, &'a [u8]),
}

impl<'a> Kind<'a> {
    /// The kind of a cell; none where it is of another family, or has no known name.
    fn of(cell: CellRef<'a>) -> Option<Self> {
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
        out.extend(column_name(family, name));
    }
}

/// The name of a column in blocks: no family has a colon.
fn column_name(family: &str, name: &str) -> Vec<u8> {
    [family.as_bytes(), b":", name.as_bytes()].concat()
}

/// Lets through what packing adds to rows.
pub(crate) fn packed_cells() -> RowFilter {
    RowFilter::FamilyRegex(PACKED.to_owned())
}

impl ModelSchema {
    /// Whether rows may hold blocks.
    pub(crate) const fn is_packed(&self) -> bool {
        self.pack_after_micros.is_some()
    }

    /// The timestamp of what packing adds to a row: the end of its bucket.
    pub(crate) fn packed_stamp(&self, start: Timestamp) -> i64 {
        let end = self.key.bucket().and_then(|bucket| bucket.next(start));
        crate::model::stamp_of(end.unwrap_or(start))
    }

    /// The time from which on the row of a bucket may be packed; none where the model's rows are
    /// not.
    pub(crate) fn settled_at(&self, start: Timestamp) -> Option<Timestamp> {
        let end = self.key.bucket()?.next(start)?;
        let micros = end.as_micros().checked_add(self.pack_after_micros?)?;
        Some(Timestamp::from_micros(micros))
    }
}
