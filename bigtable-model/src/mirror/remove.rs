//! Deleting events with their copies.

use futures::future::join_all;

use super::insert::write_copy;
use super::outcome::{MirrorOutcome, TableOutcome, TableResult};
use super::schemas;
use crate::backend::Backend;
use crate::data::{Cell, Mutation};
use crate::model::{EventRow, Model, delete_mutations, insert_mutations};
use crate::{Error, Timestamp};

/// The delete of an event that is completely known, so nothing is read.
pub(super) fn deletion<M: Model>(event: &M, now: Timestamp) -> Result<Option<EventRow>, Error> {
    let written = insert_mutations(event, now)?;
    let cells: Vec<Cell> = written.mutations.into_iter().filter_map(cell).collect();
    let row = delete_mutations::<M>(&event.key(), &cells)?;
    let time = event.time();
    Ok(row.map(|row| EventRow { row, time }))
}

/// The cell that a mutation writes.
fn cell(mutation: Mutation) -> Option<Cell> {
    match mutation {
        Mutation::SetCell {
            family,
            qualifier,
            timestamp_micros,
            value,
        } => Some(Cell {
            family,
            qualifier,
            timestamp_micros,
            value,
            labels: Vec::new(),
        }),
        _ => None,
    }
}

/// The deletes of an event and its copies.
pub(crate) struct Deletions {
    source: Option<EventRow>,
    copies: Vec<Option<EventRow>>,
}

impl Deletions {
    /// The deletes, or the index of the table that refuses the event, and why.
    pub(crate) fn new<M: Model>(event: &M, now: Timestamp) -> Result<Self, (usize, Error)> {
        let source = deletion(event, now).map_err(|error| (0, error))?;
        let copies = M::MIRRORS.iter().zip(1..).map(|(mirror, at)| {
            let row = (mirror.deletion)(event, now);
            row.map_err(|error| (at, error))
        });
        Ok(Self {
            source,
            copies: copies.collect::<Result<_, _>>()?,
        })
    }
}

/// Deletes the copies of an event, all at once, and if that succeeds the event: after a failure the
/// event still exists and can be deleted again.
pub(crate) async fn delete_mirrored<B: Backend + ?Sized, M: Model>(
    backend: &B,
    rows: Result<Deletions, (usize, Error)>,
) -> MirrorOutcome {
    let rows = match rows {
        Ok(rows) => rows,
        Err((at, error)) => return MirrorOutcome::refused(schemas::<M>(), at, error),
    };
    let copies = M::MIRRORS.iter().zip(rows.copies);
    let copies = copies.map(|(mirror, row)| write_copy(backend, mirror.schema, row));
    let mut tables = vec![TableOutcome::new(M::SCHEMA, TableResult::NotTried)];
    tables.extend(join_all(copies).await);
    let failed = |one: &TableOutcome| matches!(one.result, TableResult::Failed(_));
    if !tables.iter().any(failed)
        && let Some(first) = tables.first_mut()
    {
        *first = write_copy(backend, M::SCHEMA, rows.source).await;
    }
    MirrorOutcome::new(tables)
}
