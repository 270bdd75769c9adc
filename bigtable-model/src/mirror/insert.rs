//! Writing events with their copies.

use std::collections::HashSet;
use std::pin::pin;

use futures::future::join_all;
use futures::{Stream, StreamExt as _};

use super::schemas;
use crate::backend::Backend;
use crate::condition::checked_insert;
use crate::condition::{CheckedWrite, ColumnTest, WritePlace};
use crate::model::{EventRow, Mirror, Model, ModelSchema, Schema, insert_row};
use crate::send::limits::{BYTES_PER_REQUEST, EVENTS_AT_ONCE};
use crate::send::{FailedInsert, Stamps, Tally, send_checked, send_row, write_rows};
use crate::{Error, Timestamp};

/// What writes or deletes an event's copies: the table of each mirror, and the row if the event has
/// a copy there.
pub(crate) type Copies = Vec<(&'static Schema, Option<EventRow>)>;

/// Makes the row of each mirror.
pub(super) fn copies<M: Model>(
    row: impl Fn(&Mirror<M>) -> Result<Option<EventRow>, Error>,
) -> Result<Copies, Error> {
    let mut copies = Vec::with_capacity(M::MIRRORS.len());
    for mirror in M::MIRRORS {
        copies.push((mirror.schema, row(mirror)?));
    }
    Ok(copies)
}

/// The rows that write an event: its own, and one for each mirror that has a copy.
pub(crate) struct EventRows {
    schema: &'static Schema,
    source: EventRow,
    copies: Copies,
}

/// An event's own row under a condition, and the rows of its copies.
pub(crate) struct CheckedRows {
    schema: &'static Schema,
    write: CheckedWrite,
    copies: Copies,
}

impl EventRows {
    /// Encodes all rows before anything is sent.
    pub(crate) fn new<M: Model>(event: &M, now: Timestamp) -> Result<Self, Error> {
        Ok(Self {
            schema: M::SCHEMA,
            source: insert_row(event, now)?,
            copies: copies::<M>(|mirror| (mirror.row)(event, now))?,
        })
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
pub(crate) async fn insert(backend: &dyn Backend, rows: EventRows) -> Result<(), Error> {
    send_row(backend, rows.schema, rows.source).await?;
    write_copies(backend, rows.schema, rows.copies).await
}

/// Writes an event under a condition and, if it was written, its copies.
pub(crate) async fn insert_if(backend: &dyn Backend, rows: CheckedRows) -> Result<bool, Error> {
    if !send_checked(backend, rows.schema, rows.write).await? {
        return Ok(false);
    }
    let written = write_copies(backend, rows.schema, rows.copies).await;
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
pub(super) async fn send_copies(backend: &dyn Backend, copies: Copies) -> Result<(), Error> {
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

/// Some events of [`insert_many`] in flight.
struct Chunk {
    schema: &'static Schema,
    sources: Numbered,
    /// The copies in each mirror.
    copies: Vec<(&'static Schema, Numbered)>,
    bytes: usize,
}

impl Chunk {
    fn new<M: Model>() -> Self {
        let mirrors = M::MIRRORS.iter().map(Mirror::schema);
        Self {
            schema: M::SCHEMA,
            sources: Vec::new(),
            copies: mirrors.map(|schema| (schema, Vec::new())).collect(),
            bytes: 0,
        }
    }

    fn has_room(&self) -> bool {
        self.bytes < BYTES_PER_REQUEST
    }

    fn add(&mut self, index: usize, rows: EventRows) {
        self.bytes += rows.size();
        self.sources.push((index, rows.source));
        for ((_, of_mirror), (_, row)) in self.copies.iter_mut().zip(rows.copies) {
            of_mirror.extend(row.map(|row| (index, row)));
        }
    }

    /// Writes the events, then the copies of those that were written, all tables at once. An event
    /// counts as written if it is in all tables.
    async fn write(self, backend: &dyn Backend, requests: usize, tally: &mut dyn Tally) {
        let indexes: Vec<usize> = self.sources.iter().map(|(index, _)| *index).collect();
        let mut failed = write_rows(backend, self.schema, self.sources, requests).await;
        let gone: HashSet<usize> = failed.iter().map(|failed| failed.index).collect();
        let copies = self.copies.into_iter().map(|(schema, mut rows)| {
            rows.retain(|(index, _)| !gone.contains(index));
            write_rows(backend, schema, rows, requests)
        });
        let incomplete = join_all(copies).await.into_iter().flatten();
        failed.extend(
            incomplete.map(|FailedInsert { index, error }| FailedInsert {
                index,
                error: without_copy(self.schema, error),
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
}

/// Writes many events with their copies. `rows` encodes an event with its position.
pub(crate) async fn insert_many<M: Model, E, T: Tally>(
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
        let mut chunk = Chunk::new::<M>();
        for (index, event) in events {
            match rows(index, event, stamps.next()) {
                Ok(rows) => chunk.add(index, rows),
                Err(error) => tally.count(index, Err(error)),
            }
            if !chunk.has_room() {
                let full = std::mem::replace(&mut chunk, Chunk::new::<M>());
                full.write(backend, requests, &mut tally).await;
            }
        }
        chunk.write(backend, requests, &mut tally).await;
    }
    tally
}
