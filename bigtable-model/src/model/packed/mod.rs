//! The form of packed rows: what packing adds to a row, and the row without packing.

mod block;
pub(in crate::model) mod names;
mod unpack;

use crate::Timestamp;
use crate::data::{Mutation, RowRef};
use crate::model::{ModelSchema, stamp_of};

pub(in crate::model) use block::names;
pub(crate) use block::{Cells, Held};
pub(crate) use names::{BLOCK, GUARD_NAME, HIDDEN, Kind, PACKED};
pub(in crate::model) use unpack::Stored;
pub(crate) use unpack::{Columns, or_stored, unpacked};

impl ModelSchema {
    /// Whether rows may hold blocks.
    pub(crate) const fn is_packed(&self) -> bool {
        self.pack_after_micros.is_some()
    }

    /// Whether a mutation changes a column that belongs to the row and not to an event.
    pub(crate) fn changes_row(&self, mutation: &Mutation) -> bool {
        let (Mutation::SetCell {
            family, qualifier, ..
        }
        | Mutation::DeleteFromColumn {
            family, qualifier, ..
        }) = mutation
        else {
            return false;
        };
        self.has_of_row(family, qualifier)
    }

    /// Whether a column belongs to the row and not to an event.
    pub(in crate::model) fn has_of_row(&self, family: &str, qualifier: &[u8]) -> bool {
        let mut columns = self.columns.iter().filter(|one| self.is_of_row(one));
        columns.any(|one| {
            let mut names = one.shared_names();
            *one.family == *family && names.any(|name| name.as_bytes() == qualifier)
        })
    }

    /// Whether a row, whose bucket begins at a time, has events outside blocks, or cells that hide
    /// events of blocks.
    pub(crate) fn has_to_pack(&self, row: RowRef<'_>, start: Timestamp) -> bool {
        let Some(mut cells) = Cells::new(self, start) else {
            return false;
        };
        let mut stored = row.cells();
        stored.any(|cell| match Kind::of(cell) {
            Some(kind) => matches!(kind, Kind::Hidden(..)),
            None => cells.find(cell).is_some(),
        })
    }

    /// The timestamp of the cells that packing adds to a row: the end of its bucket.
    pub(crate) fn packed_stamp(&self, start: Timestamp) -> i64 {
        let end = self.key.bucket().and_then(|bucket| bucket.next(start));
        stamp_of(end.unwrap_or(start))
    }

    /// The time from which the row of a bucket may be packed; `None` if the model's rows are not
    /// packed.
    pub(crate) fn settled_at(&self, start: Timestamp) -> Option<Timestamp> {
        let end = self.key.bucket()?.next(start)?;
        let micros = end.as_micros().checked_add(self.pack_after_micros?)?;
        Some(Timestamp::from_micros(micros))
    }
}
