//! Writing events with their copies.

use std::collections::HashSet;
use std::pin::pin;

use futures::future::join_all;
use futures::{Stream, StreamExt as _};

use super::schemas;
use crate::backend::Backend;
use crate::condition::checked_insert;
use crate::condition::{CheckedWrite, ColumnTest};
use crate::model::{EventRow, Model, insert_row};
use crate::send::limits::{BYTES_PER_REQUEST, EVENTS_AT_ONCE};
use crate::send::{FailedInsert, Stamps, Tally, send_checked, send_row, write_rows};
use crate::{Error, Timestamp};

/// The rows of an event's copies, one for each mirror that has one.
pub(crate) type Copies = Vec<Option<EventRow>>;

/// The rows that write an event: its own, and one for each mirror that has a copy.
pub(crate) struct EventRows {
    source: EventRow,
    copies: Copies,
}

impl EventRows {
    /// Encodes all rows before anything is sent.
    pub(crate) fn new<M: Model>(event: &M, now: Timestamp) -> Result<Self, Error> {
        let source = insert_row(event, now)?;
        let copies = M::MIRRORS.iter().map(|mirror| (mirror.row)(event, now));
        let copies = copies.collect::<Result<_, _>>()?;
        Ok(Self { source, copies })
    }

    fn size(&self) -> usize {
        let all = self.copies.iter().flatten().chain([&self.source]);
        all.map(|one| one.row.wire_bytes()).sum()
    }
}

/// Writes an event and, if that succeeds, all of its copies at once.
pub(crate) async fn insert<B: Backend + ?Sized, M: Model>(
    backend: &B,
    rows: EventRows,
) -> Result<(), Error> {
    send_row(backend, M::SCHEMA, rows.source).await?;
    write_copies::<_, M>(backend, rows.copies).await
}

/// An event's own row under a condition, and the rows of its copies.
pub(crate) fn checked<M: Model>(
    event: &M,
    now: Timestamp,
    test: &ColumnTest,
) -> Result<(CheckedWrite, Copies), Error> {
    let rows = EventRows::new(event, now)?;
    let write = checked_insert(event, rows.source.row, test)?;
    Ok((write, rows.copies))
}

/// Writes an event under a condition and, if it was written, its copies.
pub(crate) async fn insert_if<B: Backend + ?Sized, M: Model>(
    backend: &B,
    (write, copies): (CheckedWrite, Copies),
) -> Result<bool, Error> {
    if !send_checked(backend, M::SCHEMA, write).await? {
        return Ok(false);
    }
    write_copies::<_, M>(backend, copies).await.map(|()| true)
}

/// Writes the copies of an event that is written, and returns the first failure.
async fn write_copies<B: Backend + ?Sized, M: Model>(
    backend: &B,
    copies: Copies,
) -> Result<(), Error> {
    let written = send_copies::<_, M>(backend, copies).await;
    written.map_err(without_copy::<M>)
}

/// Sends writes to the tables of copies, all at once, and returns the first failure.
pub(super) async fn send_copies<B: Backend + ?Sized, M: Model>(
    backend: &B,
    copies: Copies,
) -> Result<(), Error> {
    let copies = M::MIRRORS.iter().zip(copies);
    let copies = copies.filter_map(|(mirror, row)| Some(send_row(backend, mirror.schema, row?)));
    join_all(copies).await.into_iter().collect()
}

/// The error of a copy whose event is written.
fn without_copy<M: Model>(error: Error) -> Error {
    Error::NotMirrored {
        table: M::SCHEMA.table.to_string(),
        source: Box::new(error),
    }
}

/// Rows of one table, each with the position of its event.
type Numbered = Vec<(usize, EventRow)>;

/// Some events of [`insert_many`] in flight.
struct Chunk {
    sources: Numbered,
    /// The copies in each mirror.
    copies: Vec<Numbered>,
    bytes: usize,
}

impl Chunk {
    fn new(mirrors: usize) -> Self {
        Self {
            sources: Vec::new(),
            copies: (0..mirrors).map(|_| Vec::new()).collect(),
            bytes: 0,
        }
    }

    fn has_room(&self) -> bool {
        self.bytes < BYTES_PER_REQUEST
    }

    fn add(&mut self, index: usize, rows: EventRows) {
        self.bytes += rows.size();
        self.sources.push((index, rows.source));
        for (of_mirror, row) in self.copies.iter_mut().zip(rows.copies) {
            of_mirror.extend(row.map(|row| (index, row)));
        }
    }

    /// Writes the events, then the copies of those that were written, all tables at once. An event
    /// counts as written if it is in all tables.
    async fn write<B: Backend + ?Sized, M: Model>(
        self,
        backend: &B,
        requests: usize,
        tally: &mut impl Tally,
    ) {
        let indexes: Vec<usize> = self.sources.iter().map(|(index, _)| *index).collect();
        let mut failed = write_rows(backend, M::SCHEMA, self.sources, requests).await;
        let gone: HashSet<usize> = failed.iter().map(|failed| failed.index).collect();
        let copies = M::MIRRORS
            .iter()
            .zip(self.copies)
            .map(|(mirror, mut rows)| {
                rows.retain(|(index, _)| !gone.contains(index));
                write_rows(backend, mirror.schema, rows, requests)
            });
        let incomplete = join_all(copies).await.into_iter().flatten();
        failed.extend(
            incomplete.map(|FailedInsert { index, error }| FailedInsert {
                index,
                error: without_copy::<M>(error),
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
pub(crate) async fn insert_many<B, M, E, T>(
    backend: &B,
    requests: usize,
    events: impl Stream<Item = E>,
    mut rows: impl FnMut(usize, E, Timestamp) -> Result<EventRows, Error>,
    mut tally: T,
) -> T
where
    B: Backend + ?Sized,
    M: Model,
    T: Tally,
{
    let mut stamps = Stamps::new(schemas::<M>().map(|one| &**one));
    // It does not wait for a slow source.
    let mut ready = pin!(events.enumerate().ready_chunks(EVENTS_AT_ONCE));
    while let Some(events) = ready.next().await {
        let mut chunk = Chunk::new(M::MIRRORS.len());
        for (index, event) in events {
            match rows(index, event, stamps.next()) {
                Ok(rows) => chunk.add(index, rows),
                Err(error) => tally.count(index, Err(error)),
            }
            if !chunk.has_room() {
                let full = std::mem::replace(&mut chunk, Chunk::new(M::MIRRORS.len()));
                full.write::<B, M>(backend, requests, &mut tally).await;
            }
        }
        chunk.write::<B, M>(backend, requests, &mut tally).await;
    }
    tally
}
