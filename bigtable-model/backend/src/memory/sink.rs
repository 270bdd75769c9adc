//! What a read makes of the rows that it delivers: a batch of copies, or one row that shares the
//! stored bytes.

use bytes::Bytes;
use bytestring::ByteString;

use crate::data::batch::{ColumnAt, Copies};
use crate::data::{Cell, Row, RowBatch};

/// Takes the cells of rows, row by row.
pub(in crate::memory) trait Sink: Default + Send + 'static {
    /// Whether it shares stored bytes, so that their references are counted.
    const SHARES: bool;
    /// What the read delivers.
    type Item;
    /// The names of a column.
    type Column: Copy + Send;

    /// How many rows were ended.
    fn len(&self) -> usize;

    /// Whether they should be delivered.
    fn is_full(&self) -> bool;

    /// Begins a row with about this many cells.
    fn begin_row(&mut self, cells: usize);

    /// The names of a column, for cells of the row.
    fn column(&mut self, family: &ByteString, qualifier: &Bytes) -> Self::Column;

    /// Adds a cell to the row.
    fn add_cell(&mut self, column: Self::Column, micros: i64, value: &Bytes, labels: Vec<String>);

    /// Ends the row.
    fn end_row(&mut self, key: &Bytes);

    /// Gives up the row that was begun.
    fn drop_row(&mut self);

    /// The rows that were ended; `None` for none.
    fn take(&mut self) -> Option<Self::Item>;
}

impl Sink for Copies {
    const SHARES: bool = false;
    type Item = RowBatch;
    type Column = ColumnAt;

    fn len(&self) -> usize {
        self.len()
    }

    fn is_full(&self) -> bool {
        self.is_full()
    }

    fn begin_row(&mut self, _: usize) {}

    #[inline]
    fn column(&mut self, family: &ByteString, qualifier: &Bytes) -> ColumnAt {
        self.column(family, qualifier)
    }

    #[inline]
    fn add_cell(&mut self, column: ColumnAt, micros: i64, value: &Bytes, labels: Vec<String>) {
        self.add_cell(column, micros, value, labels);
    }

    #[inline]
    fn end_row(&mut self, key: &Bytes) {
        self.end_row(key);
    }

    fn drop_row(&mut self) {
        self.drop_open();
    }

    fn take(&mut self) -> Option<RowBatch> {
        self.take()
    }
}

/// One row.
#[derive(Debug, Default)]
pub(in crate::memory) struct OneRow {
    row: Row,
    /// The names of a column that has no cell yet.
    column: Option<(ByteString, Bytes)>,
    is_ended: bool,
}

impl Sink for OneRow {
    const SHARES: bool = true;
    type Item = Row;
    type Column = ();

    fn len(&self) -> usize {
        usize::from(self.is_ended)
    }

    fn is_full(&self) -> bool {
        self.is_ended
    }

    #[inline]
    fn begin_row(&mut self, cells: usize) {
        self.row.cells.reserve_exact(cells);
    }

    #[inline]
    fn column(&mut self, family: &ByteString, qualifier: &Bytes) {
        self.column = Some((family.clone(), qualifier.clone()));
    }

    #[inline]
    fn add_cell(&mut self, (): (), micros: i64, value: &Bytes, labels: Vec<String>) {
        let last = self.row.cells.last();
        let column = self.column.take();
        let column = column.or_else(|| last.map(|one| (one.family.clone(), one.qualifier.clone())));
        let (family, qualifier) = column.unwrap_or_default();
        self.row.cells.push(Cell {
            family,
            qualifier,
            timestamp_micros: micros,
            value: value.clone(),
            labels,
        });
    }

    #[inline]
    fn end_row(&mut self, key: &Bytes) {
        self.row.key = key.clone();
        self.is_ended = true;
    }

    fn drop_row(&mut self) {
        self.row.cells.clear();
    }

    #[inline]
    fn take(&mut self) -> Option<Row> {
        let is_ended = std::mem::take(&mut self.is_ended);
        is_ended.then(|| std::mem::take(&mut self.row))
    }
}
