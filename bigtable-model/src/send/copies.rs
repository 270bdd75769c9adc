//! Writes of events with their copies in mirrors.

use std::collections::HashSet;
use std::pin::pin;

use futures::future::join_all;
use futures::{Stream, StreamExt as _};

use super::bulk::Tally;
use super::checked::send_checked;
use super::inserts::{FailedInsert, Stamps, write_rows};
use super::limits::{BYTES_PER_REQUEST, EVENTS_AT_ONCE};
use super::row::send_row;
use crate::backend::Backend;
use crate::condition::{CheckedWrite, ColumnTest, WritePlace, checked_insert};
use crate::model::{EventRow, Mirror, Model, ModelSchema, Schema, insert_row};
use crate::{Error, Timestamp};

/// What writes or deletes an event's copies: the table of each mirror, and the row if the event has
/// a copy there.
pub(crate) type Copies = Vec<(&'static Schema, Option<EventRow>)>;

/// Makes the row of each mirror.
pub(crate) fn copies<M: Model>(
    row: impl Fn(&Mirror<M>) -> Result<Option<EventRow>, Error>,
) -> Result<Copies, Error> {
    let mut copies = Vec::with_capacity(M::MIRRORS.len());
    for mirror in M::MIRRORS {
        copies.push((mirror.schema, row(mirror)?));
    }
    Ok(copies)
}

/// The tables of a model and of its mirrors, each with its families.
pub(crate) fn schemas<M: Model>() -> Vec<&'static Schema> {
    let mut schemas = vec![M::SCHEMA];
    for mirror in M::MIRRORS {
        schemas.push(mirror.schema);
    }
    schemas
}

/// The rows that write an event: its own, and one for each mirror that has a copy.
pub(crate) struct EventRows {
    schema: Schema,
    pub(crate) source: EventRow,
    copies: Copies,
}

/// An event's own row under a condition, and the rows of its copies.
pub(crate) struct CheckedRows {
    schema: Schema,
    write: CheckedWrite,
    copies: Copies,
}

impl EventRows {
    /// Encodes all rows before anything is sent.
    pub(crate) fn new<M: Model>(event: &M, now: Timestamp) -> Result<Self, Error> {
        Ok(Self {
            schema: M::SCHEMA.clone(),
            source: insert_row(event, now)?,
            copies: copies::<M>(|mirror| (mirror.row)(event, now))?,
        })
    }

    /// An event of a model without mirrors.
    pub(crate) fn alone(schema: &Schema, source: EventRow) -> Self {
        Self {
            schema: schema.clone(),
            source,
            copies: Vec::new(),
        }
    }

    fn size(&self) -> usize {
        let copies = self.copies.iter().filter_map(|(_, row)| row.as_ref());
        copies
            .chain([&self.source])
            .map(|one| one.row.wire_bytes())
            .sum()
    }
}

impl CheckedRows {
    /// Encodes all rows before anything is sent.
    pub(crate) fn new<M: Model>(
        event: &M,
        now: Timestamp,
        test: &ColumnTest,
    ) -> Result<Self, Error> {
        let rows = EventRows::new(event, now)?;
        Ok(Self {
            schema: rows.schema,
            write: checked_insert(event, rows.source.row, test)?,
            copies: rows.copies,
        })
    }

    /// The event's key and time.
    pub(crate) fn place(&self) -> WritePlace {
        self.write.place()
    }
}

/// Writes an event and, if that succeeds, all of its copies at once.
pub(crate) async fn insert_with_copies(
    backend: &dyn Backend,
    rows: EventRows,
) -> Result<(), Error> {
    send_row(backend, &rows.schema, rows.source).await?;
    write_copies(backend, &rows.schema, rows.copies).await
}

/// Writes an event under a condition and, if it was written, its copies.
pub(crate) async fn insert_if_with_copies(
    backend: &dyn Backend,
    rows: CheckedRows,
) -> Result<bool, Error> {
    if !send_checked(backend, &rows.schema, rows.write).await? {
        return Ok(false);
    }
    let written = write_copies(backend, &rows.schema, rows.copies).await;
    written.map(|()| true)
}

/// Writes the copies of an event that is written, and returns the first failure.
async fn write_copies(
    backend: &dyn Backend,
    of: &ModelSchema,
    copies: Copies,
) -> Result<(), Error> {
    let written = send_copies(backend, copies).await;
    written.map_err(|error| without_copy(of, error))
}

/// Sends writes to the tables of copies, all at once, and returns the first failure.
pub(crate) async fn send_copies(backend: &dyn Backend, copies: Copies) -> Result<(), Error> {
    let copies = copies.into_iter();
    let copies = copies.filter_map(|(schema, row)| Some(send_row(backend, schema, row?)));
    join_all(copies).await.into_iter().collect()
}

/// The error of a copy whose event is written.
fn without_copy(of: &ModelSchema, error: Error) -> Error {
    Error::NotMirrored {
        table: of.table.to_string(),
        source: Box::new(error),
    }
}

/// Rows of one table, each with the position of its event.
type Numbered = Vec<(usize, EventRow)>;

/// Some events that are written together, and their copies.
pub(crate) struct Chunk {
    schema: Schema,
    sources: Numbered,
    /// The copies in each mirror.
    copies: Vec<(&'static Schema, Numbered)>,
    bytes: usize,
}

impl Chunk {
    /// For events of a model with its mirrors.
    pub(crate) fn of<M: Model>() -> Self {
        let mirrors = M::MIRRORS.iter().map(Mirror::schema);
        Self {
            copies: mirrors.map(|schema| (schema, Vec::new())).collect(),
            ..Self::alone(M::SCHEMA)
        }
    }

    /// For events of a model without mirrors.
    pub(crate) fn alone(schema: &Schema) -> Self {
        Self {
            schema: schema.clone(),
            sources: Vec::new(),
            copies: Vec::new(),
            bytes: 0,
        }
    }

    /// The model.
    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// An empty one for further events of the model.
    fn next(&self) -> Self {
        let copies = self.copies.iter();
        Self {
            copies: copies.map(|(schema, _)| (*schema, Vec::new())).collect(),
            ..Self::alone(&self.schema)
        }
    }

    pub(crate) fn add(&mut self, index: usize, rows: EventRows) {
        self.bytes += rows.size();
        self.sources.push((index, rows.source));
        for ((_, of_mirror), (_, row)) in self.copies.iter_mut().zip(rows.copies) {
            of_mirror.extend(row.map(|row| (index, row)));
        }
    }

    /// The events so far, if they are that many or have that many bytes.
    pub(crate) fn take_if_full(&mut self, events: usize, bytes: usize) -> Option<Self> {
        let is_full = self.sources.len() >= events || self.bytes >= bytes;
        let next = is_full.then(|| self.next())?;
        Some(std::mem::replace(self, next))
    }

    /// Writes the events by a function that returns those that failed, then the copies of the
    /// others, all tables at once. An event counts as written if it is in all tables.
    pub(crate) async fn write<F>(
        self,
        backend: &dyn Backend,
        requests: usize,
        tally: &mut dyn Tally,
        sources: impl FnOnce(Schema, Numbered) -> F,
    ) where
        F: Future<Output = Vec<FailedInsert>>,
    {
        let indexes: Vec<usize> = self.sources.iter().map(|(index, _)| *index).collect();
        let mut failed = sources(self.schema.clone(), self.sources).await;
        let gone: HashSet<usize> = failed.iter().map(|failed| failed.index).collect();
        let copies = self.copies.into_iter().map(|(schema, mut rows)| {
            rows.retain(|(index, _)| !gone.contains(index));
            write_rows(backend, schema, rows, requests)
        });
        let incomplete = join_all(copies).await.into_iter().flatten();
        failed.extend(
            incomplete.map(|FailedInsert { index, error }| FailedInsert {
                index,
                error: without_copy(&self.schema, error),
            }),
        );
        let incomplete: HashSet<usize> = failed.iter().map(|failed| failed.index).collect();
        let whole = indexes.into_iter().filter(|one| !incomplete.contains(one));
        whole.for_each(|index| tally.count(index, Ok(())));
        for FailedInsert { index, error } in failed {
            tally.count(index, Err(error));
        }
        tally.report();
    }

    /// The same, with the events written as cells.
    async fn write_cells(self, backend: &dyn Backend, requests: usize, tally: &mut dyn Tally) {
        let sources = |schema: Schema, rows| async move {
            write_rows(backend, &schema, rows, requests).await
        };
        self.write(backend, requests, tally, sources).await;
    }
}

/// Writes many events with their copies. `rows` encodes an event with its position.
pub(crate) async fn insert_many_with_copies<M: Model, E, T: Tally>(
    backend: &dyn Backend,
    requests: usize,
    events: impl Stream<Item = E>,
    mut rows: impl FnMut(usize, E, Timestamp) -> Result<EventRows, Error>,
    mut tally: T,
) -> T {
    let mut stamps = Stamps::new(&schemas::<M>());
    // It does not wait for a slow source.
    let mut ready = pin!(events.enumerate().ready_chunks(EVENTS_AT_ONCE));
    while let Some(events) = ready.next().await {
        let mut chunk = Chunk::of::<M>();
        for (index, event) in events {
            match rows(index, event, stamps.next()) {
                Ok(rows) => chunk.add(index, rows),
                Err(error) => tally.count(index, Err(error)),
            }
            if let Some(full) = chunk.take_if_full(usize::MAX, BYTES_PER_REQUEST) {
                full.write_cells(backend, requests, &mut tally).await;
            }
        }
        chunk.write_cells(backend, requests, &mut tally).await;
    }
    tally
}
