//! Writes of rows, many at a time.

use std::collections::VecDeque;
use std::sync::Arc;

use bigtable_model::backend::batcher::{Batcher, BatcherSettings, Outcome};
use bigtable_model::data::{Mutation, RowMutations};
use bigtable_model::{Backend, Status};
use bytes::Bytes;

use crate::failure::{Doing as _, Failure};
use crate::text;

/// How many writes may wait for their answers.
pub(super) const OUTSTANDING: usize = 20_000;

/// A write of one row's cells, which are on adjacent lines.
pub(super) struct Lot {
    first: u64,
    last: u64,
    /// How many lines it has; lines between them may be no rows.
    lines: u64,
    row: RowMutations,
    bytes: usize,
}

impl Lot {
    /// A row with more cells takes several writes.
    const MOST_CELLS: usize = 1_000;
    const MOST_BYTES: usize = 1 << 20;

    pub(super) fn of(line: u64, row: RowMutations) -> Self {
        Self {
            first: line,
            last: line,
            lines: 1,
            bytes: bytes(&row),
            row,
        }
    }

    /// Adds a line to its row; gives it back if it belongs to another row or does not fit.
    pub(super) fn join(&mut self, line: u64, row: RowMutations) -> Option<RowMutations> {
        let bytes = bytes(&row);
        let is_room = self.row.mutations.len() + row.mutations.len() <= Self::MOST_CELLS
            && self.bytes + bytes <= Self::MOST_BYTES;
        if self.row.key != row.key || !is_room {
            return Some(row);
        }
        self.last = line;
        self.lines += 1;
        self.bytes += bytes;
        self.row.mutations.extend(row.mutations);
        None
    }
}

fn bytes(row: &RowMutations) -> usize {
    let values = row.mutations.iter().map(|cell| match cell {
        Mutation::SetCell { value, .. } => value.len(),
        _ => 0,
    });
    values.sum()
}

/// A write that waits for its answer.
pub(super) struct Sent {
    pub(super) first: u64,
    pub(super) last: u64,
    pub(super) lines: u64,
    pub(super) key: Bytes,
}

/// Writes that wait for their answers, in their order.
pub(super) struct Writes {
    batcher: Batcher,
    waiting: VecDeque<(Sent, Outcome)>,
}

impl Writes {
    pub(super) fn new(db: &Arc<dyn Backend>, table: &str) -> Result<Self, Failure> {
        let settings = BatcherSettings::default();
        Ok(Self {
            batcher: Batcher::new(Arc::clone(db), table, settings)?,
            waiting: VecDeque::new(),
        })
    }

    pub(super) async fn add(&mut self, lot: Lot) -> Result<(), Failure> {
        let sent = Sent {
            first: lot.first,
            last: lot.last,
            lines: lot.lines,
            key: lot.row.key.clone(),
        };
        let outcome = self.batcher.add(lot.row).await;
        let outcome = outcome.doing(|| format!("row {}", text::of_bytes(&sent.key)))?;
        self.waiting.push_back((sent, outcome));
        Ok(())
    }

    /// Waits until at most this many writes are unanswered. `failed` decides about refused ones.
    /// Returns the last line of the last answered write.
    pub(super) async fn settle(
        &mut self,
        most: usize,
        failed: &mut impl FnMut(&Sent, Status) -> Result<(), Failure>,
    ) -> Result<Option<u64>, Failure> {
        let mut last = None;
        if most == 0 {
            self.batcher.flush().await;
        }
        while self.waiting.len() > most
            && let Some((sent, outcome)) = self.waiting.pop_front()
        {
            if let Err(error) = outcome.await {
                failed(&sent, error)?;
            }
            last = Some(sent.last);
        }
        Ok(last)
    }
}
