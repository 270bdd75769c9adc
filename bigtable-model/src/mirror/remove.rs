//! Deleting events with their copies.

use std::collections::BTreeMap;

use bytes::Bytes;
use futures::TryStreamExt as _;
use futures::future::BoxFuture;

use super::MirrorOf;
use super::insert::{Copies, send_copies};
use super::lookup::{Sought, find, requests};
use super::repair::are_same;
use super::report::count;
use crate::backend::{Backend, Method};
use crate::data::{Cell, Mutation, RowFilter, RowMutations};
use crate::model::{EventRow, Holds, Model, Released, Schema, delete_mutations, insert_mutations};
use crate::send::limits::REQUESTS_IN_FLIGHT;
use crate::send::{FailedInsert, at_table, send_row, write_rows};
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

/// Deletes the copies of some events in one table.
///
/// A copy with its event's time is its event's. One that events of several times share, such as the
/// current value of a device, may have been written by another event: it is read, and stays if it
/// says so. Its older versions may be of these events: they go unless they are kept.
///
/// # Errors
/// If such copies can't be read; then none was deleted.
pub(super) fn of_events<'a, S: Model, C: MirrorOf<S>>(
    backend: &'a dyn Backend,
    events: &'a [S],
    keep_older: bool,
) -> BoxFuture<'a, Result<Released, Error>> {
    Box::pin(async move {
        let now = Timestamp::now();
        let mut released = Released::default();
        let (mut rows, mut shared) = (Vec::new(), Vec::new());
        for (at, event) in events.iter().enumerate() {
            let Some(copy) = C::mirror_of(event) else {
                continue;
            };
            let is_timed =
                C::SCHEMA.stored_time(copy.time()) == S::SCHEMA.stored_time(event.time());
            match (deletion(&copy, now), is_timed) {
                (Ok(row), true) => rows.extend(row.map(|row| (at, row))),
                (Ok(row), false) => shared.extend(row.map(|row| (at, copy, row))),
                (Err(error), _) => released.failed.push((at, error)),
            }
        }
        if !shared.is_empty() {
            let is_own = are_own::<S, C>(backend, events, &shared, now).await?;
            let mut others = BTreeMap::new();
            for ((at, _, row), is_own) in shared.into_iter().zip(is_own) {
                match is_own {
                    Ok(true) => rows.push((at, row)),
                    Ok(false) => drop(others.insert(row.row.key, at)),
                    Err(error) => released.failed.push((at, error)),
                }
            }
            if !keep_older && C::SCHEMA.holds() == Holds::One {
                rows.extend(older_versions(backend, C::SCHEMA, &others).await?);
            }
        }
        released.deleted = count(rows.len());
        for FailedInsert { index, error } in
            write_rows(backend, C::SCHEMA, rows, REQUESTS_IN_FLIGHT).await
        {
            released.deleted -= 1;
            // In a table by period that is not there is no copy.
            if !matches!(error, Error::MissingTable { .. }) {
                released.failed.push((index, error));
            }
        }
        Ok(released)
    })
}

/// The deletes of all but the newest versions of the model's columns in some rows.
async fn older_versions(
    backend: &dyn Backend,
    schema: &Schema,
    rows: &BTreeMap<Bytes, usize>,
) -> Result<Vec<(usize, EventRow)>, Error> {
    let newest = [RowFilter::CellsPerColumnLimit(1), RowFilter::StripValue];
    let mut deletions = Vec::new();
    for request in requests(schema, rows.keys(), RowFilter::chain(newest).as_ref())? {
        let table = request.table.clone();
        let mut found = backend.read_rows(request).rows();
        let failed = |source| at_table(&table, Method::ReadRows, source);
        while let Some(row) = found.try_next().await.map_err(failed)? {
            let is_own = |cell: &Cell| {
                schema.declares(&cell.family, &cell.qualifier)
                    || schema.map_family.as_deref() == Some(&*cell.family)
            };
            // No version is older than 1970, and an end of 0 would be none.
            let cells = row.cells.into_iter().filter(is_own);
            let cells = cells.filter(|cell| cell.timestamp_micros > 0);
            let mutations = cells.map(|cell| Mutation::DeleteFromColumn {
                family: cell.family,
                qualifier: cell.qualifier,
                start_micros: 0,
                end_micros: cell.timestamp_micros,
            });
            let at = rows.get(&row.key).copied().unwrap_or_default();
            let (key, mutations) = (row.key, mutations.collect());
            let row = RowMutations { key, mutations };
            deletions.push((at, EventRow { row, time: None }));
        }
    }
    deletions.retain(|(_, deletion)| !deletion.row.mutations.is_empty());
    Ok(deletions)
}

/// For each of these copies whether it is stored as its event's: it names the event, or if it names
/// none, it holds what the event writes.
async fn are_own<S: Model, C: MirrorOf<S>>(
    backend: &dyn Backend,
    events: &[S],
    copies: &[(usize, C, EventRow)],
    now: Timestamp,
) -> Result<Vec<Result<bool, Error>>, Error> {
    let sought = copies
        .iter()
        .map(|(_, copy, _)| Sought::new::<C>(&copy.key()));
    let sought: Vec<Sought> = sought.collect::<Result<_, _>>()?;
    let sought: Vec<&Sought> = sought.iter().collect();
    let found = find::<C>(backend, &sought).await?;
    let judged = copies.iter().zip(found).map(|((at, copy, _), found)| {
        let event = events.get(*at).map(Model::key);
        for found in found {
            let stored = found.event?;
            let is_own = match C::source_key(&stored) {
                Some(source) => Some(source) == event,
                None => are_same(
                    &insert_mutations(&stored, now)?,
                    &insert_mutations(copy, now)?,
                ),
            };
            if is_own {
                return Ok(true);
            }
        }
        Ok(false)
    });
    Ok(judged.collect())
}
