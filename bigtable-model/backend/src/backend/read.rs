//! What a read delivers: batches of rows, or the same rows one by one.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{Stream, StreamExt as _, TryStreamExt as _};

use crate::Status;
use crate::data::{Row, RowBatch};

/// The rows of a read, some at a time. Dropping it cancels the read; it borrows nothing from the
/// backend.
///
/// No batch is empty. Rows before an error are delivered first, and after an error the stream ends.
/// A row of a batch needs neither a poll nor an allocation of its own; [`rows`](Self::rows)
/// delivers the rows one by one.
///
/// ```
/// use bigtable_backend::data::ReadRows;
/// use bigtable_backend::{Backend, MemoryBackend};
/// use futures::TryStreamExt;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), bigtable_backend::Status> {
/// let db = MemoryBackend::new();
/// # let families = [("m".to_owned(), Default::default())].into();
/// # let table = "SENSOR".to_owned();
/// # let schema = bigtable_backend::data::TableSchema { table, families, ..Default::default() };
/// # db.tables().create(schema, Vec::new()).await?;
/// let request = ReadRows { table: "SENSOR".to_owned(), ..ReadRows::default() };
/// let mut batches = db.read_rows(request);
/// while let Some(batch) = batches.try_next().await? {
///     for row in batch.rows() {
///         println!("{}", row.key().escape_ascii());
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "a read does nothing until it is polled"]
pub struct RowBatches {
    batches: BoxStream<'static, Result<RowBatch, Status>>,
    counts: Option<Arc<ReadCounts>>,
}

impl RowBatches {
    /// The batches of a stream; a backend leaves out empty ones.
    pub fn new(batches: impl Stream<Item = Result<RowBatch, Status>> + Send + 'static) -> Self {
        Self {
            batches: batches.boxed(),
            counts: None,
        }
    }

    /// Each row of a stream as a batch of its own, for backends that change rows.
    pub fn of_rows(rows: impl Stream<Item = Result<Row, Status>> + Send + 'static) -> Self {
        Self::new(rows.map_ok(RowBatch::from))
    }

    /// A read that was refused.
    pub fn failed(status: Status) -> Self {
        Self::new(futures::stream::once(async { Err(status) }))
    }

    /// The same batches, with what the read counts while it is polled.
    pub fn counted(self, counts: Arc<ReadCounts>) -> Self {
        Self {
            counts: Some(counts),
            ..self
        }
    }

    /// Other batches that `change` makes of these, with the same counts.
    pub fn through<S>(self, change: impl FnOnce(Self) -> S) -> Self
    where
        S: Stream<Item = Result<RowBatch, Status>> + Send + 'static,
    {
        let counts = self.counts.clone();
        let batches = Self::new(change(self));
        Self { counts, ..batches }
    }

    /// What the read has read so far, for backends that count.
    #[must_use]
    pub fn counts(&self) -> Option<&Arc<ReadCounts>> {
        self.counts.as_ref()
    }

    /// The rows one by one.
    pub fn rows(self) -> Rows {
        Rows {
            batches: self,
            batch: RowBatch::default(),
            next: 0,
            is_first: true,
            names: Vec::new(),
        }
    }
}

impl Stream for RowBatches {
    type Item = Result<RowBatch, Status>;

    #[inline]
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.batches.poll_next_unpin(cx)
    }
}

impl fmt::Debug for RowBatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowBatches").finish_non_exhaustive()
    }
}

/// How many qualifiers are remembered, from the first cells of a row.
const NAMES: usize = 64;

/// The rows of a read, one by one; see [`RowBatches::rows`]. A row keeps in memory what
/// [`RowRef::to_row`](crate::data::RowRef::to_row) says; short names of columns are shared between
/// rows.
#[must_use = "a read does nothing until it is polled"]
pub struct Rows {
    batches: RowBatches,
    batch: RowBatch,
    /// The index of the row that comes next.
    next: usize,
    /// Whether it is the first row of the read: many reads have no other.
    is_first: bool,
    /// The qualifiers of the row before: rows of one table tend to have the same columns.
    names: Vec<Bytes>,
}

impl Rows {
    fn next_row(&mut self) -> Option<Row> {
        let row = self.batch.row(self.next)?;
        self.next += 1;
        let is_first = std::mem::take(&mut self.is_first);
        let names = &mut self.names;
        let cells = row.cells().enumerate().map(|(at, cell)| {
            let qualifier = match names.get(at) {
                Some(name) if name == cell.qualifier() => name.clone(),
                _ => {
                    let name = cell.shared_qualifier();
                    if !is_first {
                        remember(names, at, &name);
                    }
                    name
                }
            };
            cell.named(qualifier)
        });
        Some(Row {
            cells: cells.collect(),
            key: row.shared_key(),
        })
    }
}

/// Remembers a name, unless it is so long that it shares the memory of a message.
fn remember(names: &mut Vec<Bytes>, at: usize, name: &Bytes) {
    if name.len() >= RowBatch::WORTH_SHARING {
        return;
    }
    match names.get_mut(at) {
        Some(known) => *known = name.clone(),
        None if at < NAMES => names.push(name.clone()),
        None => {}
    }
}

impl Stream for Rows {
    type Item = Result<Row, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            if let Some(row) = this.next_row() {
                return Poll::Ready(Some(Ok(row)));
            }
            match ready!(this.batches.poll_next_unpin(cx)) {
                Some(Ok(batch)) => (this.batch, this.next) = (batch, 0),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows").finish_non_exhaustive()
    }
}

/// What a read has read so far, whether or not its filter let it through.
#[derive(Debug, Default)]
pub struct ReadCounts {
    rows: AtomicU64,
    cells: AtomicU64,
    bytes: AtomicU64,
}

impl ReadCounts {
    /// Counts rows, the cells of all of them, and their bytes.
    pub fn add(&self, rows: usize, cells: usize, bytes: usize) {
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        self.rows.fetch_add(number(rows), Ordering::Relaxed);
        self.cells.fetch_add(number(cells), Ordering::Relaxed);
        self.bytes.fetch_add(number(bytes), Ordering::Relaxed);
    }

    /// The rows.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// The cells of these rows.
    #[must_use]
    pub fn cells(&self) -> u64 {
        self.cells.load(Ordering::Relaxed)
    }

    /// The bytes of these rows: the key of each row, and for each cell its qualifier, its value and
    /// 8 bytes for its timestamp.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}
