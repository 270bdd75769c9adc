//! Rows for which not all cells were requested.

use crate::data::{CellRef, RowRef};
use crate::model::{ModelSchema, PACKED, PackedKind};

/// What a row may lack if only some of the newest cells of each column were requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::query) enum Lacks {
    /// Nothing: the presence column came whole.
    Nothing,
    /// Older events. Nothing is missing if each cell of the presence column is an event.
    OlderEvents,
    /// Columns of its newest events: a column has as many cells as were requested, all newer than
    /// the oldest of the presence column, so some of them belong to no event.
    Columns,
}

/// What a row may lack if `newest` cells of each column were requested.
pub(in crate::query) fn lacks(schema: &ModelSchema, row: RowRef<'_>, newest: u32) -> Lacks {
    let Some((family, qualifier)) = schema.presence_column() else {
        return Lacks::Nothing;
    };
    let newest = usize::try_from(newest).unwrap_or(usize::MAX);
    // A block comes with all of its events, which cells that were left out may hide or change.
    if schema.is_packed()
        && row
            .cells()
            .any(|cell| PackedKind::of(cell) == Some(PackedKind::Block))
    {
        return match has_column(row, newest, i64::MIN) {
            true => Lacks::Columns,
            false => Lacks::Nothing,
        };
    }
    let (mut marks, mut oldest) = (0, i64::MAX);
    for cell in row
        .cells()
        .filter(|cell| cell.is_of(family, qualifier.as_bytes()))
    {
        marks += 1;
        oldest = cell.timestamp_micros();
    }
    let hides = marks > 0 && has_column(row, newest, oldest);
    match (hides, marks >= newest) {
        (true, _) => Lacks::Columns,
        (false, true) => Lacks::OlderEvents,
        (false, false) => Lacks::Nothing,
    }
}

/// Whether a column has at least `count` cells, all of them after a time.
fn has_column(row: RowRef<'_>, count: usize, after: i64) -> bool {
    let mut column: Option<CellRef<'_>> = None;
    let mut cells = 0;
    let mut own = row.cells().filter(|cell| cell.family() != PACKED);
    own.any(|cell| {
        let is_same = column.is_some_and(|last| last.is_of(cell.family(), cell.qualifier()));
        cells = if is_same { cells + 1 } else { 1 };
        column = Some(cell);
        // A column's last cell is its oldest.
        cells >= count && cell.timestamp_micros() > after
    })
}
