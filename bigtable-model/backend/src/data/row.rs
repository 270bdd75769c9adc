use bytes::Bytes;
use bytestring::ByteString;

use crate::Timestamp;

/// A row as a read delivers it: its key and the cells that the filter let through.
///
/// Cells of one column are adjacent, newest first; columns of one family are adjacent, in the order
/// of their qualifiers' bytes. The order of families is not specified by Bigtable.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// The row key, 1 byte to 4 KiB.
    pub key: Bytes,
    /// The cells, in the order above.
    pub cells: Vec<Cell>,
}

/// One version of one column of one row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cell {
    /// The family's name.
    pub family: ByteString,
    /// The column's qualifier, which may be empty.
    pub qualifier: Bytes,
    /// The cell's timestamp in microseconds since 1970, whole milliseconds as Bigtable stores them.
    pub timestamp_micros: i64,
    /// The value, which may be empty.
    pub value: Bytes,
    /// Labels that filters ([`Label`](super::RowFilter::Label)) put on the cell in this read.
    pub labels: Vec<String>,
}

impl Cell {
    /// The cell's timestamp as a [`Timestamp`].
    #[must_use]
    pub fn time(&self) -> Timestamp {
        Timestamp::from_micros(self.timestamp_micros)
    }
}

impl Row {
    /// The cells of one column, newest first.
    pub fn column<'a>(
        &'a self,
        family: &'a str,
        qualifier: &'a [u8],
    ) -> impl Iterator<Item = &'a Cell> {
        self.cells
            .iter()
            .filter(move |cell| cell.family == *family && cell.qualifier == qualifier)
    }
}
