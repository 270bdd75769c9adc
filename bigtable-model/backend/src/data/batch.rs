//! Rows that a read delivers together.

use std::fmt;

use bytes::Bytes;
use bytestring::ByteString;

use super::{Cell, Row};
use crate::Timestamp;

mod built;
#[cfg(feature = "memory")]
mod copied;
#[cfg(feature = "grpc")]
mod received;
#[cfg(any(feature = "grpc", feature = "memory"))]
mod taken;
#[cfg(test)]
mod tests;
mod write;

pub use built::{BuiltPart, RowBuilder};
#[cfg(feature = "grpc")]
pub(crate) use received::Held;
#[cfg(any(feature = "grpc", feature = "memory"))]
pub(crate) use taken::CELLS;
#[cfg(feature = "memory")]
pub(crate) use taken::COPIED;

/// Rows that a read delivered together: complete, and in the order of the read.
///
/// They are read in place, without counting references for each key and value: a [`RowRef`] and its
/// [`CellRef`]s borrow from the batch. [`RowRef::to_row`] makes an owned [`Row`].
///
/// ```
/// use bigtable_backend::data::{Cell, Row, RowBatch};
///
/// let cell = Cell { family: "m".into(), value: "21.5".into(), ..Cell::default() };
/// let batch = RowBatch::from(Row { key: "s1".into(), cells: vec![cell] });
/// for row in batch.rows() {
///     assert_eq!(row.key(), b"s1");
///     assert!(row.cells().all(|cell| cell.value() == b"21.5"));
/// }
/// ```
#[derive(Clone, Default)]
pub struct RowBatch {
    /// The bytes of keys, qualifiers and values.
    buffers: Vec<Bytes>,
    /// The copied bytes, which count as one more buffer after the others.
    copied: Vec<u8>,
    families: Vec<ByteString>,
    rows: Vec<RowAt>,
    /// The cells of all rows, then the cells of the row in progress.
    cells: Vec<CellAt>,
    /// The labels of cells that have some.
    labels: Vec<Vec<String>>,
}

/// A part of a buffer.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Span {
    buffer: u32,
    start: u32,
    /// The length; the highest number means the rest of the buffer.
    len: u32,
}

/// The place of a cell's parts in its batch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CellAt {
    pub(crate) family: u32,
    /// The index of its labels; the highest number for none.
    labels: u32,
    pub(crate) qualifier: Span,
    pub(crate) value: Span,
    pub(crate) timestamp_micros: i64,
}

impl CellAt {
    #[inline]
    pub(crate) fn new(family: u32, qualifier: Span, timestamp_micros: i64) -> Self {
        Self {
            family,
            labels: u32::MAX,
            qualifier,
            value: Span::default(),
            timestamp_micros,
        }
    }
}

/// The place of a row in its batch.
#[derive(Debug, Clone, Copy, Default)]
struct RowAt {
    key: Span,
    /// The index of its first cell, and the index after its last cell.
    cells: (u32, u32),
}

impl RowBatch {
    /// Bytes of at least this length, 4 KiB, are handed out as a share of the buffer that was read;
    /// shorter ones are copied, so that keeping a few does not keep the buffer in memory.
    pub const WORTH_SHARING: usize = 4 << 10;

    /// How many rows it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it has no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The row at an index.
    #[must_use]
    #[inline]
    pub fn row(&self, index: usize) -> Option<RowRef<'_>> {
        let at = *self.rows.get(index)?;
        Some(RowRef { batch: self, at })
    }

    /// The rows in order.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = RowRef<'_>> + ExactSizeIterator {
        let rows = self.rows.iter();
        rows.map(|at| RowRef {
            batch: self,
            at: *at,
        })
    }

    /// The bytes at a place.
    #[inline]
    pub(crate) fn bytes(&self, span: Span) -> &[u8] {
        let buffer = self.buffers.get(place(span.buffer));
        let buffer = buffer.map_or(self.copied.as_slice(), |buffer| buffer);
        let rest = buffer.get(place(span.start)..).unwrap_or_default();
        rest.get(..place(span.len)).unwrap_or(rest)
    }

    /// A copy, or a share of the buffer if copying costs more than keeping the buffer in memory.
    fn shared(&self, span: Span) -> Bytes {
        let bytes = self.bytes(span);
        match self.buffers.get(place(span.buffer)) {
            Some(buffer) if bytes.len() >= Self::WORTH_SHARING => buffer.slice_ref(bytes),
            _ => Bytes::copy_from_slice(bytes),
        }
    }
}

/// A batch without rows.
static EMPTY: RowBatch = RowBatch {
    buffers: Vec::new(),
    copied: Vec::new(),
    families: Vec::new(),
    rows: Vec::new(),
    cells: Vec::new(),
    labels: Vec::new(),
};

#[inline]
fn place(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// A row of a [`RowBatch`], like [`Row`]. The default has neither key nor cells.
#[derive(Clone, Copy)]
pub struct RowRef<'a> {
    batch: &'a RowBatch,
    at: RowAt,
}

impl<'a> RowRef<'a> {
    /// The row key.
    #[must_use]
    #[inline]
    pub fn key(&self) -> &'a [u8] {
        self.batch.bytes(self.at.key)
    }

    /// The row key as owned bytes, like [`CellRef::shared_value`].
    #[must_use]
    pub fn shared_key(&self) -> Bytes {
        self.batch.shared(self.at.key)
    }

    /// The cells, in the order of [`Row::cells`].
    #[inline]
    pub fn cells(&self) -> impl ExactSizeIterator<Item = CellRef<'a>> + Clone + use<'a> {
        let batch = self.batch;
        let cells = self.places().iter();
        cells.map(move |at| CellRef { batch, at })
    }

    /// The cell at an index.
    #[must_use]
    #[inline]
    pub fn cell(&self, index: usize) -> Option<CellRef<'a>> {
        let at = self.places().get(index)?;
        let batch = self.batch;
        Some(CellRef { batch, at })
    }

    #[inline]
    fn places(&self) -> &'a [CellAt] {
        let (start, end) = self.at.cells;
        let cells = self.batch.cells.get(place(start)..place(end));
        cells.unwrap_or_default()
    }

    /// An owned row. Keys, qualifiers and values under 4 KiB are copies; longer values share the
    /// buffer that was read with them, at most one message of the server.
    #[must_use]
    pub fn to_row(&self) -> Row {
        Row {
            key: self.shared_key(),
            cells: self.cells().map(|cell| cell.to_cell()).collect(),
        }
    }
}

impl Default for RowRef<'_> {
    fn default() -> Self {
        Self {
            batch: &EMPTY,
            at: RowAt::default(),
        }
    }
}

/// A cell of a [`RowRef`], like [`Cell`].
#[derive(Clone, Copy)]
pub struct CellRef<'a> {
    batch: &'a RowBatch,
    at: &'a CellAt,
}

impl<'a> CellRef<'a> {
    /// The family's name.
    #[must_use]
    #[inline]
    pub fn family(&self) -> &'a str {
        let family = self.batch.families.get(place(self.at.family));
        family.map_or("", |name| name)
    }

    /// The column's qualifier, which may be empty.
    #[must_use]
    #[inline]
    pub fn qualifier(&self) -> &'a [u8] {
        self.batch.bytes(self.at.qualifier)
    }

    /// Whether it belongs to this column.
    #[must_use]
    #[inline]
    pub fn is_of(&self, family: &str, qualifier: &[u8]) -> bool {
        self.qualifier() == qualifier && self.family() == family
    }

    /// The cell's timestamp in microseconds since 1970.
    #[must_use]
    #[inline]
    pub fn timestamp_micros(&self) -> i64 {
        self.at.timestamp_micros
    }

    /// The cell's timestamp as a [`Timestamp`].
    #[must_use]
    #[inline]
    pub fn time(&self) -> Timestamp {
        Timestamp::from_micros(self.at.timestamp_micros)
    }

    /// The value, which may be empty.
    #[must_use]
    #[inline]
    pub fn value(&self) -> &'a [u8] {
        self.batch.bytes(self.at.value)
    }

    /// The value as owned bytes: a copy under 4 KiB; a longer one shares the buffer that was read
    /// with it, at most one message of the server.
    #[must_use]
    pub fn shared_value(&self) -> Bytes {
        self.batch.shared(self.at.value)
    }

    /// The qualifier as owned bytes, like [`shared_value`](CellRef::shared_value).
    #[must_use]
    pub fn shared_qualifier(&self) -> Bytes {
        self.batch.shared(self.at.qualifier)
    }

    /// The labels that filters put on the cell.
    #[must_use]
    pub fn labels(&self) -> &'a [String] {
        let labels = self.batch.labels.get(place(self.at.labels));
        labels.map_or(&[], |labels| labels)
    }

    /// An owned cell.
    #[must_use]
    pub fn to_cell(&self) -> Cell {
        self.named(self.shared_qualifier())
    }

    /// An owned cell with this qualifier, which is equal to the cell's.
    pub(crate) fn named(&self, qualifier: Bytes) -> Cell {
        let family = self.batch.families.get(place(self.at.family));
        Cell {
            family: family.cloned().unwrap_or_default(),
            qualifier,
            timestamp_micros: self.at.timestamp_micros,
            value: self.shared_value(),
            labels: self.labels().to_vec(),
        }
    }
}

impl fmt::Debug for RowBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.rows()).finish()
    }
}

impl fmt::Debug for RowRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_row().fmt(f)
    }
}

impl fmt::Debug for CellRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_cell().fmt(f)
    }
}
