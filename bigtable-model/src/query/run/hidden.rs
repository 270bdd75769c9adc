//! Rows of which not all cells were requested.

use crate::data::{Cell, Row};
use crate::model::ModelSchema;

/// What a row may lack if only a number of the newest cells of each column were requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::query) enum Lacks {
    /// Nothing: the presence column came whole.
    Nothing,
    /// Older events. Nothing is missing if each cell of the presence column is an event.
    OlderEvents,
    /// Columns of its newest events: a column has as many cells as were requested, all newer than
    /// the oldest of the presence column, so some belong to no event.
    Columns,
}

/// What a row may lack if `newest` cells of each column were requested.
pub(in crate::query) fn lacks(schema: &ModelSchema, row: &Row, newest: u32) -> Lacks {
    let Some((family, qualifier)) = schema.presence_column() else {
        return Lacks::Nothing;
    };
    let newest = usize::try_from(newest).unwrap_or(usize::MAX);
    let (mut marks, mut oldest) = (0, i64::MAX);
    for cell in row.column(family, qualifier.as_bytes()) {
        marks += 1;
        oldest = cell.timestamp_micros;
    }
    let mut columns = row.cells.chunk_by(same_column);
    let hides = marks > 0
        && columns.any(|cells| {
            cells.len() >= newest
                && cells
                    .last()
                    .is_some_and(|cell| cell.timestamp_micros > oldest)
        });
    match (hides, marks >= newest) {
        (true, _) => Lacks::Columns,
        (false, true) => Lacks::OlderEvents,
        (false, false) => Lacks::Nothing,
    }
}

fn same_column(a: &Cell, b: &Cell) -> bool {
    a.qualifier == b.qualifier && a.family == b.family
}
