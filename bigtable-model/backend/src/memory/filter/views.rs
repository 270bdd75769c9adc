//! The cells of a row on their way through a filter.
//!
//! All of this is done in pieces, since a row may have millions of cells, and a filter may copy
//! them.

use bytes::Bytes;

use super::tree::STRIPPED;
use crate::memory::steps::{Steps, TURN, TooMany};
use crate::memory::store::row::{ColumnName, StoredRow, VersionRef};

/// Cells that are processed before steps are taken for the next ones.
pub(super) const PIECE: usize = 1 << 10;

/// Cells that are sorted at once.
const SORTED_AT_ONCE: usize = 1 << 12;

/// A stored cell of the row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stored<'a> {
    pub(super) column: &'a ColumnName,
    pub(super) version: VersionRef<'a>,
}

/// A cell on its way through the filter, or a copy of one: its index in the row, and what was done
/// to it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct View {
    place: u32,
    /// Twice the number of its label, counted from 1, plus one if its value was stripped.
    marks: u32,
}

impl View {
    pub(super) fn place(self) -> usize {
        // A place is made from a length.
        usize::try_from(self.place).unwrap_or(usize::MAX)
    }

    pub(super) fn strip(&mut self) {
        self.marks |= 1;
    }

    pub(super) fn set_label(&mut self, label: u32) {
        self.marks = (label + 1) << 1 | (self.marks & 1);
    }

    pub(super) fn unlabel(&mut self) {
        self.marks &= 1;
    }

    pub(super) fn label(self) -> Option<u32> {
        (self.marks >> 1).checked_sub(1)
    }

    pub(super) fn value<'a>(self, stored: Stored<'a>) -> &'a Bytes {
        match self.marks & 1 {
            0 => stored.version.value,
            _ => &STRIPPED,
        }
    }
}

/// The cells of a row, newest versions first, and a view of each.
pub(super) async fn of<'a>(
    row: &'a StoredRow,
    steps: &mut Steps,
) -> Result<(Vec<Stored<'a>>, Vec<View>), TooMany> {
    let count = row.cell_count();
    let (mut stored, mut views) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for (column, versions) in row.columns() {
        for (at, version) in versions.iter().rev().enumerate() {
            if at % PIECE == 0 {
                steps.take(PIECE.min(versions.len() - at)).await?;
            }
            let place = u32::try_from(stored.len()).unwrap_or(u32::MAX);
            stored.push(Stored { column, version });
            views.push(View { place, marks: 0 });
        }
    }
    Ok((stored, views))
}

/// A copy of the views.
pub(super) async fn copy(views: &[View], steps: &mut Steps) -> Result<Vec<View>, TooMany> {
    let mut copies = Vec::with_capacity(views.len());
    for piece in views.chunks(PIECE) {
        steps.take(piece.len()).await?;
        copies.extend_from_slice(piece);
    }
    Ok(copies)
}

/// Keeps the views for which `keep` is true, at this cost in steps for each.
pub(super) async fn retain(
    views: &mut Vec<View>,
    cost: usize,
    steps: &mut Steps,
    mut keep: impl FnMut(View) -> bool,
) -> Result<(), TooMany> {
    let piece = (TURN / cost.max(1)).clamp(1, PIECE);
    let (mut at, mut kept) = (0, 0);
    while at < views.len() {
        let end = views.len().min(at + piece);
        steps.take((end - at) * cost.max(1)).await?;
        for index in at..end {
            if let Some(view) = views.get(index).copied()
                && keep(view)
            {
                put(views, &mut kept, view);
            }
        }
        at = end;
    }
    views.truncate(kept);
    Ok(())
}

/// Moves a view to the end of the kept views, which is never after its old position.
pub(super) fn put(views: &mut [View], kept: &mut usize, view: View) {
    if let Some(place) = views.get_mut(*kept) {
        *place = view;
        *kept += 1;
    }
}

/// Does the same to all.
pub(super) async fn mark(
    views: &mut [View],
    steps: &mut Steps,
    mut change: impl FnMut(&mut View),
) -> Result<(), TooMany> {
    for piece in views.chunks_mut(PIECE) {
        steps.take(piece.len()).await?;
        piece.iter_mut().for_each(&mut change);
    }
    Ok(())
}

/// Sorts the cells of an interleave into the order of the row, which has `cells` cells; copies keep
/// their order.
pub(super) async fn in_order(
    mut views: Vec<View>,
    cells: usize,
    steps: &mut Steps,
) -> Result<Vec<View>, TooMany> {
    if views.len() <= SORTED_AT_ONCE {
        steps.take(2 * views.len()).await?;
        views.sort_by_key(|view| view.place);
        return Ok(views);
    }
    // Where the copies of each cell begin: a counting sort, which takes a step for each.
    let mut starts = vec![0_usize; cells + 1];
    for piece in views.chunks(PIECE) {
        steps.take(piece.len()).await?;
        for view in piece {
            if let Some(count) = starts.get_mut(view.place() + 1) {
                *count += 1;
            }
        }
    }
    let mut before = 0;
    for piece in starts.chunks_mut(PIECE) {
        steps.take(piece.len()).await?;
        for start in piece {
            before += *start;
            *start = before;
        }
    }
    let mut ordered = vec![View::default(); views.len()];
    for piece in views.chunks(PIECE) {
        steps.take(piece.len()).await?;
        for view in piece {
            if let Some(start) = starts.get_mut(view.place()) {
                put(&mut ordered, start, *view);
            }
        }
    }
    Ok(ordered)
}
