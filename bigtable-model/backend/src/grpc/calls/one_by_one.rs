//! The rows of batches, one by one.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures::Stream;

use super::rows::Batches;
use crate::Status;
use crate::data::{Row, RowBatch};

/// Qualifiers that are remembered: those of the first cells of a row.
const NAMES: usize = 64;

/// The rows of a read. A row keeps in memory what
/// [`RowRef::to_row`](crate::data::RowRef::to_row) says; short names of columns are shared between
/// rows.
pub(crate) struct OneByOne {
    batches: Batches,
    batch: RowBatch,
    /// The index of the row that comes next.
    next: usize,
    /// The qualifiers of the row before: rows of one table tend to have the same columns.
    names: Vec<Bytes>,
}

impl OneByOne {
    pub(crate) fn new(batches: Batches) -> Self {
        Self {
            batches,
            batch: RowBatch::default(),
            next: 0,
            names: Vec::new(),
        }
    }

    fn next_row(&mut self) -> Option<Row> {
        let row = self.batch.row(self.next)?;
        self.next += 1;
        let names = &mut self.names;
        let cells = row.cells().enumerate().map(|(at, cell)| {
            let qualifier = match names.get(at) {
                Some(name) if name == cell.qualifier() => name.clone(),
                _ => {
                    let name = cell.shared_qualifier();
                    remember(names, at, &name);
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

/// Remembers a name, unless it is so long that it shares a message.
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

impl Stream for OneByOne {
    type Item = Result<Row, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            if let Some(row) = this.next_row() {
                return Poll::Ready(Some(Ok(row)));
            }
            match ready!(Pin::new(&mut this.batches).poll_next(cx)) {
                Some(Ok(batch)) => (this.batch, this.next) = (batch, 0),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }
}
