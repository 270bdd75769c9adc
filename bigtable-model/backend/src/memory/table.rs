//! A table's stored rows, for programs that hold the backend itself.

use std::collections::VecDeque;
use std::fmt;
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use bytestring::ByteString;

use super::MemoryBackend;
use super::read::scan::{FIRST_BATCH, LARGEST_BATCH};
use super::store::row::StoredRow;
use super::store::{Store, Table};
use crate::Status;
use crate::data::{Row, RowRange};

/// One table of a [`MemoryBackend`], read without requests: rows are shared as they are stored, not
/// copied.
///
/// With it tests check what was written, and exports and snapshots read faster than with
/// [`read_rows`](crate::Backend::read_rows), which builds a [`Row`] of each.
///
/// ```
/// use bigtable_backend::{Backend, memory::MemoryBackend};
/// use bigtable_backend::data::{FamilySchema, Mutation, RowMutations, RowRange, TableSchema};
/// use bytes::Bytes;
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let db = MemoryBackend::new();
/// # let families = [("f".to_owned(), FamilySchema::default())].into();
/// # db.tables().create(TableSchema { table: "t".to_owned(), families, ..TableSchema::default() }, Vec::new()).await?;
/// let set = Mutation::SetCell {
///     family: "f".into(),
///     qualifier: Bytes::from_static(b"q"),
///     timestamp_micros: 0,
///     value: Bytes::from_static(b"v"),
/// };
/// db.mutate_row("t", RowMutations { key: "r1".into(), mutations: vec![set] }).await?;
///
/// for row in db.table("t")?.range(RowRange::prefix("r")) {
///     let row = row?;
///     assert_eq!(row.key(), "r1");
///     assert_eq!(row.newest("f", b"q").map(|cell| cell.value.as_ref()), Some(b"v".as_ref()));
/// }
/// # Ok::<(), bigtable_backend::Status>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct MemoryTable {
    store: Arc<Store>,
    table: Arc<Table>,
}

/// A row as it was when it was taken: later writes change a copy.
///
/// Clones share the row.
#[derive(Clone)]
pub struct MemoryRow(Arc<StoredRow>);

/// One version of one column of a [`MemoryRow`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryCell<'a> {
    /// The family's name.
    pub family: &'a ByteString,
    /// The column's qualifier.
    pub qualifier: &'a Bytes,
    /// The timestamp in microseconds since 1970.
    pub timestamp_micros: i64,
    /// The value.
    pub value: &'a Bytes,
}

/// The rows of a range in ascending order.
///
/// It takes a few rows at a time (256 at most) and holds no lock in between: like a stream of
/// [`read_rows`](crate::Backend::read_rows), it shows each row as it was at one moment, and may be
/// kept across an await. If the table is deleted meanwhile, it yields one error and ends.
#[must_use = "nothing is read before the first row is asked for"]
pub struct MemoryRows {
    table: MemoryTable,
    /// The rest of the range; `None` if nothing is left.
    range: Option<RowRange>,
    batch: usize,
    taken: VecDeque<MemoryRow>,
}

impl MemoryBackend {
    /// A table, to read its rows as they are stored.
    ///
    /// # Errors
    /// `NOT_FOUND` when there is no such table.
    pub fn table(&self, id: &str) -> Result<MemoryTable, Status> {
        Ok(MemoryTable {
            store: self.store.clone(),
            table: self.store.table(id)?,
        })
    }
}

impl MemoryTable {
    /// The row with this key.
    ///
    /// # Errors
    /// `NOT_FOUND` when the table was deleted meanwhile.
    pub fn get(&self, key: &[u8]) -> Result<Option<MemoryRow>, Status> {
        let content = self.table.read()?;
        let found = content.rows.get(key);
        Ok(found
            .map(|row| self.store.visible(&content, row))
            .filter(|row| !row.is_empty())
            .map(MemoryRow))
    }

    /// The rows with keys in a range; an empty range has none.
    pub fn range(&self, range: RowRange) -> MemoryRows {
        MemoryRows {
            table: self.clone(),
            range: (!range.is_empty()).then_some(range),
            batch: FIRST_BATCH,
            taken: VecDeque::new(),
        }
    }
}

impl MemoryRow {
    /// The row key.
    #[must_use]
    pub fn key(&self) -> &Bytes {
        self.0.key()
    }

    /// The cells: families by name, qualifiers by their bytes, newest versions first.
    pub fn cells(&self) -> impl Iterator<Item = MemoryCell<'_>> {
        self.0.columns().flat_map(|(name, versions)| {
            versions.iter().rev().map(|version| MemoryCell {
                family: &name.family,
                qualifier: &name.qualifier,
                timestamp_micros: version.timestamp,
                value: version.value,
            })
        })
    }

    /// The newest version of a column.
    #[must_use]
    pub fn newest(&self, family: &str, qualifier: &[u8]) -> Option<MemoryCell<'_>> {
        self.cells()
            .find(|cell| *cell.family == *family && *cell.qualifier == *qualifier)
    }

    /// The row with all its cells, as an unfiltered read returns it.
    #[must_use]
    pub fn to_row(&self) -> Row {
        self.0.to_row()
    }
}

impl Iterator for MemoryRows {
    type Item = Result<MemoryRow, Status>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(row) = self.taken.pop_front() {
                return Some(Ok(row));
            }
            let range = self.range.take()?;
            if let Err(status) = self.take(range) {
                return Some(Err(status));
            }
        }
    }
}

impl MemoryRows {
    /// The next batch of rows; empty at the end. It is the fastest way through a table: many rows
    /// share the costs of a call.
    ///
    /// # Errors
    /// `NOT_FOUND` when the table was deleted meanwhile.
    pub fn next_batch(&mut self) -> Result<&[MemoryRow], Status> {
        self.taken.clear();
        while self.taken.is_empty()
            && let Some(range) = self.range.take()
        {
            self.take(range)?;
        }
        Ok(self.taken.make_contiguous())
    }

    /// Takes the next rows of the range, and leaves the rest for later.
    fn take(&mut self, range: RowRange) -> Result<(), Status> {
        let MemoryTable { store, table } = &self.table;
        let content = table.read()?;
        let bounds = range.bounds();
        let rows = content.rows.range::<[u8], _>(bounds).take(self.batch);
        self.taken.extend(
            store
                .share(&content, rows, StoredRow::cell_count)
                .map(MemoryRow),
        );
        if self.taken.len() == self.batch
            && let Some(last) = self.taken.back()
        {
            let rest = RowRange {
                start: Bound::Excluded(last.key().clone()),
                end: range.end,
            };
            self.range = (!rest.is_empty()).then_some(rest);
        }
        self.batch = (self.batch * 2).min(LARGEST_BATCH);
        // Rows without visible cells are left out.
        if store.mask_expired {
            self.taken.retain(|row| !row.0.is_empty());
        }
        Ok(())
    }
}

/// The key and how many cells there are: values are too much for a log line.
impl fmt::Debug for MemoryRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryRow")
            .field("key", self.key())
            .field("cells", &self.0.cell_count())
            .finish()
    }
}

impl fmt::Debug for MemoryRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryRows")
            .field("table", &self.table.table.id)
            .field("range", &self.range)
            .finish_non_exhaustive()
    }
}
