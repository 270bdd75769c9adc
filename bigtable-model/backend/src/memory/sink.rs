//! What a read makes of the rows that it delivers: a batch of copies, or one row that shares the
//! stored bytes.

use bytes::Bytes;
use bytestring::ByteString;

use crate::data::batch::{CELLS, COPIED, CellAt};
use crate::data::{Cell, Row, RowBatch};

/// Takes the cells of rows, row by row.
pub(super) trait Sink: Default + Send + 'static {
    /// Whether it shares stored bytes, so that their references are counted.
    const SHARES: bool;
    /// What the read delivers.
    type Item;
    /// The names of a column.
    type Column: Copy + Send;

    /// How many rows were ended.
    fn count(&self) -> usize;

    /// Whether they should be delivered.
    fn is_full(&self) -> bool;

    /// Begins a row with about this many cells.
    fn begin_row(&mut self, cells: usize);

    /// The names of a column, for the cells of the row that follow.
    fn column(&mut self, family: &ByteString, qualifier: &Bytes) -> Self::Column;

    /// Adds a cell to the row.
    fn cell(&mut self, column: Self::Column, micros: i64, value: &Bytes, labels: Vec<String>);

    /// Ends the row.
    fn end(&mut self, key: &Bytes);

    /// Gives up the row that was begun.
    fn give_up(&mut self);

    /// The rows that were ended; `None` for none.
    fn take(&mut self) -> Option<Self::Item>;

    /// An empty sink with memory for one row of this many cells and bytes.
    fn for_one(_cells: usize, _bytes: usize) -> Self {
        Self::default()
    }

    /// The rows that were ended, if no other follows.
    fn finish(mut self) -> Option<Self::Item> {
        self.take()
    }
}

/// Short bytes are copied, long values shared.
impl Sink for RowBatch {
    const SHARES: bool = false;
    type Item = Self;
    /// A cell without a value.
    type Column = CellAt;

    fn count(&self) -> usize {
        self.len()
    }

    fn is_full(&self) -> bool {
        self.complete() >= CELLS || self.copied() >= COPIED
    }

    fn begin_row(&mut self, _: usize) {}

    #[inline]
    fn column(&mut self, family: &ByteString, qualifier: &Bytes) -> CellAt {
        let family = self.family_like(family);
        CellAt::new(family, self.copy(qualifier), 0)
    }

    #[inline]
    fn cell(&mut self, column: CellAt, micros: i64, value: &Bytes, labels: Vec<String>) {
        let mut cell = column;
        cell.timestamp_micros = micros;
        cell.value = self.copy(value);
        self.add_cell(cell, labels);
    }

    #[inline]
    fn end(&mut self, key: &Bytes) {
        let key = self.copy(key);
        self.end_row(key);
    }

    fn give_up(&mut self) {
        self.drop_open();
    }

    fn take(&mut self) -> Option<Self> {
        (!self.is_empty()).then(|| self.take_rows(Vec::new()))
    }

    fn for_one(cells: usize, bytes: usize) -> Self {
        Self::with_memory(cells, bytes)
    }

    fn finish(self) -> Option<Self> {
        (!self.is_empty()).then_some(self)
    }
}

/// One row.
#[derive(Debug, Default)]
pub(super) struct OneRow {
    row: Row,
    /// The names of a column that has no cell yet.
    column: Option<(ByteString, Bytes)>,
    is_ended: bool,
}

impl Sink for OneRow {
    const SHARES: bool = true;
    type Item = Row;
    type Column = ();

    fn count(&self) -> usize {
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
    fn cell(&mut self, (): (), micros: i64, value: &Bytes, labels: Vec<String>) {
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
    fn end(&mut self, key: &Bytes) {
        let cells = &mut self.row.cells;
        // The caller may keep many rows of which a filter left few cells.
        if cells.capacity() > 2 * cells.len() {
            cells.shrink_to_fit();
        }
        self.row.key = key.clone();
        self.is_ended = true;
    }

    fn give_up(&mut self) {
        self.row.cells.clear();
    }

    #[inline]
    fn take(&mut self) -> Option<Row> {
        let is_ended = std::mem::take(&mut self.is_ended);
        is_ended.then(|| std::mem::take(&mut self.row))
    }
}
