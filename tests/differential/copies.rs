//! The number of copies of a cell that a filter may make.
//!
//! The emulator sorts the results of an interleave by time, with a sort that is stable only up to
//! 12 cells of a column. Beyond that, copies that differ by label or stripped value come in another
//! order.

use bigtable_model::backend::memory::MemoryBackend;
use bigtable_model::data::{ReadRows, Row, RowFilter};

use crate::operation::{Operation, Outcome};

/// The number of equal cells that the sort keeps in order.
const KEPT: usize = 12;

/// Whether the order of copies may differ in the answer to this operation on the current table.
pub(crate) async fn are_shuffled(
    operation: &Operation,
    memory: &MemoryBackend,
    table: &str,
) -> bool {
    let filter = match operation {
        Operation::Read(request) => request.filter.as_ref(),
        Operation::Check(request) => request.predicate.as_ref(),
        _ => None,
    };
    let copies = filter.map_or(1, copies);
    if copies == 1 {
        return false;
    }
    let all = Operation::Read(ReadRows::default());
    match all.run(memory, table).await {
        Outcome::Rows(rows, _) => longest_column(&rows) * copies > KEPT,
        _ => false,
    }
}

fn longest_column(rows: &[Row]) -> usize {
    let columns = rows.iter().flat_map(|row| {
        (row.cells).chunk_by(|a, b| (&a.family, &a.qualifier) == (&b.family, &b.qualifier))
    });
    columns.map(<[_]>::len).max().unwrap_or(0)
}

fn copies(filter: &RowFilter) -> usize {
    match filter {
        RowFilter::Chain(filters) => filters.iter().map(copies).product(),
        RowFilter::Interleave(filters) => filters.iter().map(copies).sum(),
        RowFilter::Condition {
            predicate,
            if_true,
            if_false,
        } => [Some(predicate), if_true.as_ref(), if_false.as_ref()]
            .into_iter()
            .flatten()
            .map(|filter| copies(filter))
            .max()
            .unwrap_or(1),
        _ => 1,
    }
}
