//! Copies one part.

use std::sync::Arc;

use bytes::Bytes;

use super::checkpoint::Copied;
use super::run::Run;
use super::{CopyError, tally};
use crate::backend::{Batch, at_table};
use crate::data::RowMutations;
use crate::model::{Model, Projection, RowEvents, insert_mutations};
use crate::query::events;
use crate::{Code, Error, Status};

/// Copies what is left of a part, and notes it as done.
pub(super) async fn copy_part<P: Projection, T: Model>(
    run: Arc<Run<P, T>>,
    index: usize,
) -> Result<(), CopyError> {
    let mut copy = Copy {
        run: &run,
        index,
        batch: Batch::default(),
        whole: Copied::default(),
        done: None,
        row: Copied::default(),
        key: None,
    };
    if let Some(plan) = run.plan_of(index) {
        let mut events = events(&*run.db, P::Model::SCHEMA, plan)?;
        while let Some(next) = events.next().await {
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

/// A part under way: it holds what one bulk write does.
struct Copy<'a, P, T> {
    run: &'a Run<P, T>,
    index: usize,
    batch: Batch,
    /// The rows of which all is in the batch, or written.
    whole: Copied,
    /// The last of these.
    done: Option<Bytes>,
    /// What is in the batch, or written, of the row at hand.
    row: Copied,
    /// The key of the row at hand.
    key: Option<Bytes>,
}

impl<P: Projection, T: Model> Copy<'_, P, T> {
    async fn event(&mut self, row: &RowEvents, at: usize) -> Result<(), CopyError> {
        if self.key.as_ref() != Some(row.key()) {
            self.end_row();
            if self.is_full() {
                self.flush(false).await?;
            }
            self.key = Some(row.key().clone());
        }
        match self.converted(row, at)? {
            Some(event) => self.add(event).await,
            None => Ok(()),
        }
    }

    /// What an event of the source writes; none when it is left out.
    fn converted(&self, row: &RowEvents, at: usize) -> Result<Option<RowMutations>, CopyError> {
        let Some(event) = (self.run.job.convert)(row.read(at)?) else {
            return Ok(None);
        };
        let event = insert_mutations::<T>(&event, self.run.started)
            .map_err(|error| of_table(error, &self.run.job.table))?;
        if event.is_idempotent() {
            return Ok(Some(event));
        }
        Err(CopyError::NotRepeatable {
            table: self.run.job.table.clone(),
            key: T::SCHEMA.key.describe(&event.key).to_string(),
        })
    }

    async fn add(&mut self, event: RowMutations) -> Result<(), CopyError> {
        if !self.batch.has_room_for(&event) {
            self.flush(false).await?;
        }
        let (tally, bytes) = tally::of_event(&event);
        self.row.tally.add(tally);
        self.row.bytes = self.row.bytes.saturating_add(bytes);
        self.row.add_key(&event.key);
        self.batch.add(T::SCHEMA, (0, None), event);
        Ok(())
    }

    /// The row at hand, if there is one, is whole.
    fn end_row(&mut self) {
        if let Some(key) = self.key.take() {
            self.row.rows = 1;
            self.whole.add(std::mem::take(&mut self.row));
            self.done = Some(key);
        }
    }

    /// Rows of which nothing is copied are noted too, so that they are not read again.
    fn is_full(&self) -> bool {
        let most = self.run.job.rows_per_write;
        let read = usize::try_from(self.whole.rows).unwrap_or(usize::MAX);
        self.batch.rows.len() >= most || read >= most
    }

    /// Writes the batch, and notes the rows that are whole.
    async fn flush(&mut self, finished: bool) -> Result<(), CopyError> {
        let rows = std::mem::take(&mut self.batch).rows;
        if !rows.is_empty() {
            self.send(rows).await?;
        }
        let whole = std::mem::take(&mut self.whole);
        let done = self.done.take();
        Ok(self.run.note(self.index, whole, done, finished).await?)
    }

    async fn send(&self, rows: Vec<RowMutations>) -> Result<(), Error> {
        let table = &self.run.job.table;
        let keys: Vec<_> = rows.iter().map(|row| row.key.clone()).collect();
        let sent = self.run.db.mutate_rows(table, rows).await;
        let mut entries = sent
            .map_err(|source| at_table(table, "MutateRows", source))?
            .into_iter();
        let unanswered = || Err(Status::new(Code::Internal, "the entry was not answered"));
        for key in keys {
            let entry = entries.next().unwrap_or_else(unanswered);
            entry.map_err(|source| Error::Backend {
                table: table.clone(),
                method: "MutateRows",
                key: Some(T::SCHEMA.key.describe(&key).to_string()),
                source,
            })?;
        }
        Ok(())
    }
}

/// An error of an event, which names its model's table, with the name of the target.
fn of_table(mut error: Error, target: &str) -> Error {
    if let Error::Key { table, .. } | Error::Value { table, .. } = &mut error {
        target.clone_into(table);
    }
    error
}
