//! A row as the chunks of the protocol.

use std::vec;

use bytes::Bytes;

use super::cuts::Cuts;
use crate::data::{Cell, Row};
use crate::grpc::protocol::wire::{BytesValue, CellChunk, RowStatus};

/// The chunks of one row, the last of which commits it.
#[derive(Debug)]
pub(super) struct RowChunks {
    key: Bytes,
    cells: vec::IntoIter<Cell>,
    /// The rest of the value in progress.
    rest: Bytes,
    /// The size of the whole value, which every part but the last states.
    value_size: i32,
    /// The column of the previous chunk.
    column: Option<(Bytes, Bytes)>,
}

impl RowChunks {
    pub(super) fn new(row: Row) -> Self {
        Self {
            key: row.key,
            cells: row.cells.into_iter(),
            rest: Bytes::new(),
            value_size: 0,
            column: None,
        }
    }

    /// The next chunk; `None` at the end of the row.
    pub(super) fn next(&mut self, cuts: &mut Cuts) -> Option<CellChunk> {
        let mut chunk = if self.rest.is_empty() {
            let cell = self.cells.next()?;
            self.begin(cell)
        } else {
            CellChunk::default()
        };
        chunk.value = self.rest.split_to(cuts.value(self.rest.len()));
        if !self.rest.is_empty() {
            chunk.value_size = self.value_size;
        } else if self.cells.as_slice().is_empty() {
            chunk.row_status = Some(RowStatus::CommitRow(true));
        }
        Some(chunk)
    }

    /// A cell's first chunk, still without the value. Fields that equal those of the previous chunk
    /// are left out.
    fn begin(&mut self, cell: Cell) -> CellChunk {
        self.value_size = i32::try_from(cell.value.len()).unwrap_or(i32::MAX);
        self.rest = cell.value;
        let family = cell.family.into_bytes();
        let held = self
            .column
            .replace((family.clone(), cell.qualifier.clone()));
        let same_family = held.as_ref().is_some_and(|held| held.0 == family);
        let same_column = same_family && held.as_ref().is_some_and(|held| held.1 == cell.qualifier);
        CellChunk {
            row_key: match held {
                None => self.key.clone(),
                Some(_) => Bytes::new(),
            },
            family_name: (!same_family).then_some(BytesValue { value: family }),
            qualifier: (!same_column).then_some(BytesValue {
                value: cell.qualifier,
            }),
            timestamp_micros: cell.timestamp_micros,
            labels: cell.labels,
            ..CellChunk::default()
        }
    }
}

/// The approximate size of a chunk in a message.
pub(super) fn size(chunk: &CellChunk) -> usize {
    let name = |name: &Option<BytesValue>| name.as_ref().map_or(0, |name| name.value.len());
    let labels: usize = chunk.labels.iter().map(String::len).sum();
    chunk.row_key.len()
        + name(&chunk.family_name)
        + name(&chunk.qualifier)
        + labels
        + chunk.value.len()
        + 16
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::grpc::RowAssembler;

    fn cell() -> impl Strategy<Value = Cell> {
        let names = ("[fg]", "[abc]?", 0..3_i64);
        (names, vec(any::<u8>(), 0..40), vec("[a-z]", 0..2)).prop_map(
            |((family, qualifier, millis), value, labels)| Cell {
                family: family.into(),
                qualifier: qualifier.into(),
                timestamp_micros: millis * 1000,
                value: value.into(),
                labels,
            },
        )
    }

    proptest! {
        #[test]
        fn a_client_puts_the_row_together_again(
            cells in vec(cell(), 1..20),
            seed in proptest::option::of(any::<u64>()),
        ) {
            let row = Row { key: "k".into(), cells };
            let mut chunks = RowChunks::new(row.clone());
            let mut cuts = Cuts::new(seed, true);
            let mut assembler = RowAssembler::new(false);
            let mut read = Vec::new();
            while let Some(chunk) = chunks.next(&mut cuts) {
                read.extend(assembler.take(chunk).unwrap());
            }
            prop_assert_eq!(read, [row]);
        }
    }

    #[test]
    fn values_are_cut_at_random_and_where_they_must_be() {
        let count = |len: usize, seed| {
            let cell = Cell {
                value: vec![0; len].into(),
                ..Cell::default()
            };
            let mut chunks = RowChunks::new(Row {
                key: "k".into(),
                cells: vec![cell],
            });
            let mut cuts = Cuts::new(seed, true);
            std::iter::from_fn(|| chunks.next(&mut cuts)).count()
        };
        assert_eq!(count(1000, None), 1);
        assert_eq!(count(1 << 20, None), 4);
        assert!((0..100).any(|seed| count(1000, Some(seed)) > 1));
        assert!((0..100).any(|seed| count(1000, Some(seed)) == 1));
    }
}
