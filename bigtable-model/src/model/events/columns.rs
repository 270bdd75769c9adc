//! Finds the column of a cell.

use bytes::Bytes;
use bytestring::ByteString;

use crate::data::{CellRef, RowRef};
use crate::model::layout::TimeIn;
use crate::model::{ModelSchema, NamedBy, Presence, Schema, shared};

/// The slot of a missing column.
pub(super) const ABSENT: u32 = u32::MAX;

/// The columns that a reader looks for.
#[derive(Debug)]
pub(super) struct Columns {
    /// In the order of a row's cells.
    wanted: Vec<Wanted>,
    /// The part of a qualifier that names the column.
    named_by: NamedBy,
    /// The slot of the column that marks an event.
    presence: usize,
    /// Whether columns are also searched by former names.
    has_aliases: bool,
}

/// A column to look for, and the slot that it fills.
#[derive(Debug)]
struct Wanted {
    family: ByteString,
    qualifier: Bytes,
    slot: usize,
    /// Whether it is a former name of the column.
    is_alias: bool,
}

impl Columns {
    /// The columns of an event, including its marker, without those that belong to the row.
    pub(super) fn new(schema: &Schema) -> Self {
        let columns = schema.columns.iter().enumerate();
        let mut wanted: Vec<_> = columns
            .filter(|(_, column)| !schema.is_of_row(column))
            .flat_map(|(slot, column)| {
                column
                    .shared_names()
                    .enumerate()
                    .map(move |(at, name)| Wanted {
                        family: shared(&column.family),
                        qualifier: name.into_bytes(),
                        slot,
                        is_alias: at > 0,
                    })
            })
            .collect();
        let presence = match &schema.presence {
            Presence::Column(index) => *index,
            Presence::Marker { family, qualifier } => {
                wanted.push(Wanted {
                    family: shared(family),
                    qualifier: shared(qualifier).into_bytes(),
                    slot: schema.columns.len(),
                    is_alias: false,
                });
                schema.columns.len()
            }
        };
        wanted.sort_by(|a, b| (&a.family, &a.qualifier).cmp(&(&b.family, &b.qualifier)));
        let named_by = schema.in_layout().named_by();
        Self {
            wanted,
            named_by,
            presence,
            has_aliases: schema.has_aliases(),
        }
    }

    /// The slot of the column that marks an event.
    pub(super) fn presence(&self) -> usize {
        self.presence
    }

    /// The slot of a column, and whether this is a former name of it.
    pub(super) fn slot_of(&self, family: &str, name: &[u8]) -> Option<(usize, bool)> {
        let mut wanted = self.wanted.iter();
        let found = wanted.find(|one| *one.family == *family && *one.qualifier == *name);
        found.map(|one| (one.slot, one.is_alias))
    }

    /// How many slots an event has: one for each column of the model, and one for the marker.
    pub(super) fn slots(&self, schema: &ModelSchema) -> usize {
        schema.columns.len().max(self.presence + 1)
    }

    /// Fills the slot of each column with its newest cell, if each row is one event.
    ///
    /// Cells come in the order of `wanted`, except for families, whose order Bigtable does not
    /// specify. So the next column, which is tried first, is nearly always right.
    pub(super) fn newest(&self, row: RowRef<'_>, slots: &mut [u32]) {
        let mut expected = 0;
        for (index, cell) in row.cells().enumerate() {
            let is = |one: &Wanted| cell.is_of(&one.family, &one.qualifier);
            let found = match self.wanted.get(expected) {
                Some(one) if is(one) => Some(expected),
                _ => self.wanted.iter().position(is),
            };
            let Some(found) = found else { continue };
            expected = found + 1;
            let Some(one) = self.wanted.get(found) else {
                continue;
            };
            if let Some(slot) = slots.get_mut(one.slot)
                && (*slot == ABSENT || self.goes_before(one, row, *slot))
            {
                *slot = u32::try_from(index).unwrap_or(ABSENT);
            }
        }
    }

    /// Whether a column's current name was found after a former one.
    fn goes_before(&self, one: &Wanted, row: RowRef<'_>, slot: u32) -> bool {
        if !self.has_aliases || one.is_alias {
            return false;
        }
        let found = usize::try_from(slot).ok().and_then(|at| row.cell(at));
        found.is_some_and(|cell| cell.qualifier() != one.qualifier)
    }

    /// The slot of a cell's column in a row of many events, whether it has a former name, and the
    /// result of `time_of` for the rest of its qualifier; `None` if the cell does not belong to a
    /// column of an event.
    ///
    /// `expected` is the index of the column found last, whose cells are adjacent; it is tried
    /// first, then the next. A qualifier may begin with the names of several columns (`a` and
    /// `a:b`), but a derived model lets only one of them precede an offset.
    #[inline]
    pub(super) fn find<T>(
        &self,
        cell: CellRef<'_>,
        expected: &mut usize,
        mut time_of: impl FnMut(&[u8]) -> Option<T>,
    ) -> Option<(usize, bool, T)> {
        let near = self.wanted.iter().enumerate().skip(*expected).take(2);
        let (place, one, time) = near
            .chain(self.wanted.iter().enumerate())
            .find_map(|(place, one)| Some((place, one, time_of(self.rest(one, cell)?)?)))?;
        *expected = place;
        Some((one.slot, one.is_alias, time))
    }

    /// Whether a cell that does not belong to an event's column looks like one: the qualifier is a
    /// column's name and a colon with something after it, or, if the offset is the whole qualifier,
    /// it has the characters of an offset, or its family is a map's. The columns of a row never do.
    #[cold]
    pub(super) fn could_be(&self, schema: &ModelSchema, cell: CellRef<'_>) -> bool {
        let TimeIn::Qualifier(offset) = schema.in_layout().time_in() else {
            return false;
        };
        let rest = self.wanted.iter().find_map(|one| self.rest(one, cell));
        let is_alike = |rest: &&[u8]| {
            let before_ties = schema.key.has_ties_in_cells();
            let before_ties = before_ties.then(|| offset.before_ties(rest)).flatten();
            offset.is_alike(before_ties.map_or(*rest, |(rest, _)| rest))
        };
        let rest = rest.filter(|rest| self.named_by == NamedBy::Prefix || is_alike(rest));
        let is_in_map = schema.maps().any(|family| family == cell.family());
        (rest.is_some() || is_in_map) && !schema.declares(cell.family(), cell.qualifier())
    }

    /// The part of a cell's qualifier after the column's name, if the cell belongs to the column.
    #[inline]
    fn rest<'c>(&self, one: &Wanted, cell: CellRef<'c>) -> Option<&'c [u8]> {
        let qualifier = cell.qualifier();
        let rest = match self.named_by {
            NamedBy::Qualifier => (qualifier == one.qualifier).then_some(&[] as &[u8])?,
            NamedBy::Prefix => qualifier
                .strip_prefix(&*one.qualifier)?
                .strip_prefix(b":")?,
            NamedBy::Family => qualifier,
        };
        (*cell.family() == *one.family).then_some(rest)
    }
}
