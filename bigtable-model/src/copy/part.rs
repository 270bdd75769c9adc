//! Copies one part.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _, stream};

use super::checkpoint::Copied;
use super::run::Run;
use super::{CopyError, tally};
use crate::backend::Method;
use crate::data::RowMutations;
use crate::model::{EventRow, Made, Model, Projection, RowEvents};
use crate::query::found_events;
use crate::send::limits::{BYTES_PER_REQUEST, REQUESTS_IN_FLIGHT};
use crate::send::{Batch, at_table, mark, outcome_of, write};
use crate::{Error, Status, Timestamp};

const WRITE: Method = Method::MutateRows;

/// Copies the rest of a part, and records it as done.
pub(super) async fn copy_part<P: Projection, T: Model>(
    run: Arc<Run<P, T>>,
    index: usize,
) -> Result<(), CopyError> {
    let mut copy = Copy {
        run: &run,
        index,
        batches: BTreeMap::new(),
        held: 0,
        whole: Copied::default(),
        done: None,
        row: Copied::default(),
        key: None,
    };
    if let Some(plan) = run.plan_of(index) {
        let mut events = found_events(&*run.db, P::Model::SCHEMA, plan)?;
        while let Some(next) = events.advance().await {
            next?;
            let Some((row, at)) = events.current() else {
                break;
            };
            copy.event(row, at).await?;
        }
    }
    copy.end_row();
    copy.flush(true).await
}

/// A part in progress: it holds one bulk write, or with tables by period one for each table.
struct Copy<'a, P, T> {
    run: &'a Run<P, T>,
    index: usize,
    /// The rows to be written to each table.
    batches: BTreeMap<String, Batch>,
    /// Their approximate size in bytes, at most that of a bulk write of one table.
    held: usize,
    /// The rows that are completely in the batches, or written.
    whole: Copied,
    /// The key of the last of these.
    done: Option<Bytes>,
    /// The part of the current row that is in the batches, or written.
    row: Copied,
    /// The key of the current row.
    key: Option<Bytes>,
}

impl<P: Projection, T: Model> Copy<'_, P, T> {
    async fn event(&mut self, row: &RowEvents, at: usize) -> Result<(), CopyError> {
        if self.key.as_deref() != Some(row.key()) {
            self.end_row();
            if self.is_full() {
                self.flush(false).await?;
            }
            self.key = Some(row.shared_key());
        }
        match self.run.converted(row, at)? {
            Some((time, event)) => self.add(time, event).await,
            None => Ok(()),
        }
    }

    async fn add(&mut self, time: Option<Timestamp>, event: RowMutations) -> Result<(), CopyError> {
        let run = self.run;
        let table = run.targets.of_row(&event.key)?;
        if run.targets.are_by_period() && run.sources.contains(&*table) {
            let table = table.into_owned();
            return Err(CopyError::SameTable { table });
        }
        if let Some(limits) = run.db.capabilities().limits {
            let checked = limits.check(&event);
            checked.map_err(|refused| at_row::<T>(&table, &event.key, refused))?;
        }
        let held = event.wire_bytes();
        if self.held > 0 && self.held + held > BYTES_PER_REQUEST {
            self.flush(false).await?;
        }
        let (tally, bytes) = tally::of_event(&event);
        self.row.tally.add(tally);
        self.row.bytes = self.row.bytes.saturating_add(bytes);
        self.row.add_key(&event.key);
        let entry = Made::Row(EventRow { row: event, time });
        let batch = self.batches.entry(table.to_string()).or_default();
        if let Some(entry) = batch.add(T::SCHEMA, 0, entry) {
            self.flush(false).await?;
            let batch = self.batches.entry(table.into_owned()).or_default();
            batch.add(T::SCHEMA, 0, entry);
        }
        self.held += held;
        Ok(())
    }

    /// Ends the current row, if there is one.
    fn end_row(&mut self) {
        if let Some(key) = self.key.take() {
            self.row.rows = 1;
            self.whole.add(std::mem::take(&mut self.row));
            self.done = Some(key);
        }
    }

    /// Rows without copied events are recorded too, so that they are not read again.
    fn is_full(&self) -> bool {
        let most = self.run.job.rows_per_write;
        let read = usize::try_from(self.whole.rows).unwrap_or(usize::MAX);
        let rows: usize = self.batches.values().map(|batch| batch.writes.len()).sum();
        rows >= most || read >= most
    }

    /// Writes the batches, and records the complete rows.
    async fn flush(&mut self, finished: bool) -> Result<(), CopyError> {
        let batches = std::mem::take(&mut self.batches);
        self.held = 0;
        let tables = match self.run.targets.are_by_period() {
            true => batches.keys().cloned().collect(),
            false => Vec::new(),
        };
        let batches = batches.into_iter();
        let sends: Vec<_> = batches
            .map(|(table, batch)| self.send(table, batch))
            .collect();
        let sends = stream::iter(sends).buffer_unordered(REQUESTS_IN_FLIGHT);
        sends.try_collect::<()>().await?;
        let whole = std::mem::take(&mut self.whole);
        let done = self.done.take();
        let noted = self.run.note(self.index, whole, done, finished, tables);
        Ok(noted.await?)
    }

    async fn send(&self, table: String, batch: Batch) -> Result<(), Error> {
        self.run.targets.ensure(&*self.run.db, &table).await?;
        // Roll-ups belong to the model's own table only.
        if T::SCHEMA.table.fixed().is_none_or(|own| own == table) {
            mark(&*self.run.db, T::SCHEMA, batch.events()).await?;
        }
        self.run.pace.wait(batch.writes.len()).await;
        let (answer, _) = write(&*self.run.db, &table, batch.writes).await;
        for (index, key) in batch.places.keys().enumerate() {
            let outcome = outcome_of(&answer, index);
            outcome.map_err(|source| match answer {
                Ok(_) => at_row::<T>(&table, key, source),
                Err(_) => at_table(&table, WRITE, source),
            })?;
        }
        Ok(())
    }
}

/// The error of a row that the target refuses.
#[cold]
fn at_row<T: Model>(table: &str, key: &[u8], source: Status) -> Error {
    Error::Backend {
        table: table.to_owned(),
        method: WRITE.name(),
        key: Some(T::SCHEMA.key.describe(key).to_string()),
        source,
    }
}
