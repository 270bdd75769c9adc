//! Deleting events with their copies.

use super::insert::{Copies, send_copies};
use crate::backend::Backend;
use crate::data::{Cell, Mutation};
use crate::model::{EventRow, Model, delete_mutations, insert_mutations};
use crate::send::send_row;
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
    copies: Copies,
}

impl Deletions {
    /// Encodes all deletes before anything is sent.
    pub(crate) fn new<M: Model>(event: &M, now: Timestamp) -> Result<Self, Error> {
        let source = deletion(event, now)?;
        let copies = M::MIRRORS
            .iter()
            .map(|mirror| (mirror.deletion)(event, now));
        let copies = copies.collect::<Result<_, _>>()?;
        Ok(Self { source, copies })
    }
}

/// Deletes the copies of an event, all at once, and if that succeeds the event: after a failure the
/// event still exists and can be deleted again.
pub(crate) async fn delete_mirrored<B: Backend + ?Sized, M: Model>(
    backend: &B,
    rows: Deletions,
) -> Result<(), Error> {
    send_copies::<_, M>(backend, rows.copies).await?;
    match rows.source {
        Some(row) => send_row(backend, M::SCHEMA, row).await,
        None => Ok(()),
    }
}
