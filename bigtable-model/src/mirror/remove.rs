//! Deleting events with their copies.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use futures::future::{BoxFuture, ready};
use futures::{StreamExt as _, TryStreamExt as _, stream};

use super::MirrorOf;
use super::lookup::{Sought, find, requests};
use super::repair::are_same;
use super::report::count;
use crate::backend::{Backend, Method};
use crate::data::{Cell, Mutation, RowFilter, RowMutations};
use crate::model::{EventRow, Holds, Model, Released, Schema, delete_mutations, insert_mutations};
use crate::packed;
use crate::send::limits::{PARTS_AT_ONCE, REQUESTS_IN_FLIGHT};
use crate::send::{
    Copies, FailedInsert, at_table, copies, lacks, send_copies, send_row, write_rows,
};
use crate::{Error, Timestamp};

/// The delete of a completely known event, which needs no read.
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
    schema: &'static Schema,
    source: Option<EventRow>,
    copies: Copies,
}

impl Deletions {
    /// Encodes all deletes before anything is sent.
    pub(crate) fn new<M: Model>(event: &M, now: Timestamp) -> Result<Self, Error> {
        Ok(Self {
            schema: M::SCHEMA,
            source: deletion(event, now)?,
            copies: copies::<M>(|mirror| (mirror.deletion)(event, now))?,
        })
    }
}

/// Deletes all copies of an event at once and, if that succeeds, the event: after a failure the
/// event still exists and can be deleted again.
pub(crate) async fn delete_mirrored(backend: &dyn Backend, rows: Deletions) -> Result<(), Error> {
    send_copies(backend, rows.copies).await?;
    match rows.source {
        Some(row) => send_row(backend, rows.schema, row).await,
        None => Ok(()),
    }
}

/// Deletes the copies of some events in one table.
///
/// A copy that no other event can have is deleted. Another copy, such as the current value of a
/// device, may have been overwritten by another event: it is read, and stays if it is that event's.
/// Its older versions may belong to these events: they are deleted unless they are kept.
///
/// # Errors
/// If such copies cannot be read; then none was deleted.
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
            let row = match deletion(&copy, now) {
                // A copy that cannot be encoded was never written.
                Err(Error::Key { .. } | Error::Value { .. }) | Ok(None) => continue,
                Err(error) => {
                    released.failed.push((at, error));
                    continue;
                }
                Ok(Some(row)) => row,
            };
            match is_its_own::<S, C>(event, &copy, keep_older) {
                true => rows.push((at, row)),
                false => shared.push((at, copy, row)),
            }
        }
        // The copies that other events have overwritten.
        let mut others = BTreeMap::new();
        if !shared.is_empty() {
            let are_own = are_own::<S, C>(backend, events, &shared, (now, keep_older)).await?;
            for ((at, _, row), is_own) in shared.into_iter().zip(are_own) {
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
        // Blocks keep no copy that was deleted or overwritten.
        let emptied = match C::SCHEMA.is_packed() && !keep_older {
            true => {
                let deleted = rows.iter().map(|(at, row)| (row.row.key.clone(), *at));
                deleted.chain(others).collect()
            }
            false => BTreeMap::new(),
        };
        released.deleted = count(rows.len());
        for FailedInsert { index, error } in
            write_rows(backend, C::SCHEMA, rows, REQUESTS_IN_FLIGHT).await
        {
            released.deleted -= 1;
            // A missing table by period has no copies.
            if !matches!(error, Error::MissingTable { .. }) {
                released.failed.push((index, error));
            }
        }
        let left = emptied_rows(backend, C::SCHEMA, emptied).await;
        released.failed.extend(left);
        Ok(released)
    })
}

/// Rewrites rows in which copies were deleted, each with the position of a copy's event, so that
/// nothing of them is left in blocks; returns those that failed.
async fn emptied_rows(
    backend: &dyn Backend,
    schema: &Schema,
    rows: BTreeMap<Bytes, usize>,
) -> Vec<(usize, Error)> {
    let rows = rows.into_iter().map(|(key, at)| async move {
        let emptied = packed::without_deleted(backend, schema, &key).await;
        emptied.err().map(|error| (at, error))
    });
    let rows = stream::iter(rows).buffer_unordered(PARTS_AT_ONCE);
    rows.filter_map(ready).collect().await
}

/// Whether a copy is its event's regardless of its contents, since its key has all that
/// distinguishes events. If older versions are deleted too, the event's time suffices for a copy
/// that does not contain its event's key: a copy that remained after an update would not be found.
fn is_its_own<S: Model, C: MirrorOf<S>>(event: &S, copy: &C, keep_older: bool) -> bool {
    let (own, of_copy) = (&S::SCHEMA.key, &C::SCHEMA.key);
    let has = |name: &str| {
        let mut identifiers = of_copy.valued();
        identifiers.any(|(_, one)| one.role.is_named() && one.name == *name)
    };
    let mut identifiers = own.valued().filter(|(_, one)| one.role.is_named());
    let has_all = identifiers.all(|(_, one)| has(&one.name));
    match (own.time_segment(), of_copy.time_segment()) {
        (None, None) => has_all,
        (Some(_), Some(_)) => {
            // A read of a row in layout `latest` shows only the newest event.
            let is_told = has_all || C::SCHEMA.holds_the_newest();
            is_at_its_time::<S, C>(event, copy) && (is_told || !keep_older && !C::KNOWS_SOURCE)
        }
        _ => false,
    }
}

/// Whether a copy has its event's time, and no event at another time has a copy there.
fn is_at_its_time<S: Model, C: Model>(event: &S, copy: &C) -> bool {
    const STEPS: [u64; 6] = [
        1,
        1_000,
        1_000_000,
        60_000_000,
        3_600_000_000,
        86_400_000_000,
    ];
    let own = S::SCHEMA.stored_time(event.time());
    let holds = |later: u64| {
        let later = own.map(|time| time + Duration::from_micros(later));
        let stored = S::SCHEMA.stored_time(later);
        C::SCHEMA.stored_time(stored) == stored
    };
    C::SCHEMA.stored_time(copy.time()) == own && STEPS.into_iter().all(holds)
}

/// The deletes of all except the newest versions of the model's columns in some rows.
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
        loop {
            let row = match found.try_next().await {
                Ok(Some(row)) => row,
                Ok(None) => break,
                Err(status) if lacks(schema, &status) => break,
                Err(status) => return Err(at_table(&table, Method::ReadRows, status)),
            };
            let is_own = |cell: &Cell| {
                schema.declares(&cell.family, &cell.qualifier)
                    || schema.maps().any(|family| *family == *cell.family)
            };
            // No version is older than 1970, and 0 would mean no end.
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

/// Whether each of these copies is stored for its event: it names the event, or it names none and
/// has the cells that the event writes. An expired copy belongs to no event.
async fn are_own<S: Model, C: MirrorOf<S>>(
    backend: &dyn Backend,
    events: &[S],
    copies: &[(usize, C, EventRow)],
    (now, keep_older): (Timestamp, bool),
) -> Result<Vec<Result<bool, Error>>, Error> {
    let sought = copies
        .iter()
        .map(|(_, copy, _)| Sought::new::<C>(&copy.key()));
    let sought: Vec<Sought> = sought.collect::<Result<_, _>>()?;
    let sought: Vec<&Sought> = sought.iter().collect();
    let found = find::<C>(backend, &sought).await?;
    let judged = copies.iter().zip(found).map(|((at, copy, _), found)| {
        let event = events.get(*at).map(Model::key);
        let event = event.map(|key| Sought::new::<S>(&key)).transpose()?;
        let is_expired = found.is_empty() && !keep_older;
        for found in found {
            let stored = found.event?;
            let is_own = match (C::source_key(&stored), &event) {
                (Some(source), Some(event)) => Sought::new::<S>(&source)?.is(event),
                _ => are_same(
                    &insert_mutations(&stored, now)?,
                    &insert_mutations(copy, now)?,
                ),
            };
            if is_own {
                return Ok(true);
            }
        }
        Ok(is_expired)
    });
    Ok(judged.collect())
}
