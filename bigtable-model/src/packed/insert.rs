//! Writes events directly into blocks.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;

use bytes::Bytes;
use futures::{StreamExt as _, stream};

use super::PackJob;
use super::compact::merge;
use crate::backend::setting::check;
use crate::backend::{Backend, InvalidSetting, Status};
use crate::model::{EventRow, Model, RolledUp, Schema, described_event};
use crate::send::limits::{PARTS_AT_ONCE, REQUESTS_IN_FLIGHT};
use crate::send::{
    CHECK, Chunk, EventRows, FailedInsert, InsertOutcome, Inserted, Stamps, Tally as _, as_status,
    at_row, mark, schemas,
};
use crate::{Error, Timestamp};

/// How many events are collected before their rows are written.
const EVENTS: usize = 100_000;

/// The size of events in bytes, with their copies, from which their rows are written.
const BYTES: usize = 64 << 20;

/// The events of each row, with their numbers.
type Rows = BTreeMap<Bytes, Vec<(usize, EventRow)>>;

/// Writes events into the blocks of their rows, for a backfill: a row of 1,440 events takes three
/// requests and two cells.
///
/// Each event is written as by [`insert_many`](crate::BackendExt::insert_many): it replaces an
/// event with the same key and time, packed or not; of two such events the later one stays. Its row
/// must have settled, so that a [`PackJob`] would pack it: an event of any other row fails with
/// [`Error::Unsettled`], and the rest are written. The buckets of roll-ups that a job computes are
/// marked first. Copies in [mirrors](crate::mirror) follow the events, written as
/// [`insert_many`](crate::BackendExt::insert_many) writes them, even if a mirror is packed itself.
///
/// Events are collected up to 100,000 or 64 MB, so the rows of a series should come one after
/// another.
///
/// # Errors
/// [`InvalidSetting`] if the model's rows are not packed, or if the server adds its events to a
/// roll-up, which would count repeated events twice. The outcome lists what happened to each event.
#[doc(alias = "insert_packed")]
pub async fn insert<M: Model>(
    backend: &dyn Backend,
    events: impl IntoIterator<Item = M>,
) -> Result<InsertOutcome, InvalidSetting> {
    check_schema(M::SCHEMA)?;
    let mut stamps = Stamps::new(&schemas::<M>());
    let rows = events
        .into_iter()
        .map(|event| EventRows::new(&event, stamps.next()));
    Ok(insert_rows(backend, Chunk::of::<M>(), rows).await)
}

/// Checks that a model's events can be written into blocks.
pub(crate) fn check_schema(schema: &Schema) -> Result<(), InvalidSetting> {
    PackJob::new(schema)?;
    let is_added = schema.rollups.iter().any(RolledUp::is_added);
    let instead = "use `insert_many`, and pack afterwards: the server adds its events to a roll-up";
    check("packed::insert", &schema.model, !is_added, instead)
}

/// Writes the rows of events into blocks, then those of their copies; `chunk` is an empty one for
/// the model's events.
pub(crate) async fn insert_rows(
    backend: &dyn Backend,
    mut chunk: Chunk,
    events: impl Iterator<Item = Result<EventRows, Error>>,
) -> InsertOutcome {
    let mut tally = Inserted::default();
    let (schema, now) = (chunk.schema().clone(), backend.expiry_time());
    for (number, event) in events.enumerate() {
        match event {
            Ok(event) => {
                let is_expired = schema.rule_against(event.source.time, now).is_some();
                tally.expired.fetch_add(is_expired.into(), Relaxed);
                chunk.add(number, event);
            }
            Err(error) => tally.count(number, Err(error)),
        }
        if let Some(full) = chunk.take_if_full(EVENTS, BYTES) {
            write(backend, full, &mut tally).await;
        }
    }
    write(backend, chunk, &mut tally).await;
    tally.finish()
}

async fn write(backend: &dyn Backend, chunk: Chunk, tally: &mut Inserted<'_>) {
    let sources = |schema, rows| write_rows(backend, schema, rows);
    let written = chunk.write(backend, REQUESTS_IN_FLIGHT, tally, sources);
    written.await;
}

/// Writes events into the blocks of their rows, several rows at once, and returns those that
/// failed.
async fn write_rows(
    backend: &dyn Backend,
    schema: Schema,
    events: Vec<(usize, EventRow)>,
) -> Vec<FailedInsert> {
    let mut rows = Rows::new();
    for (number, event) in events {
        let of_row = rows.entry(event.row.key.clone()).or_default();
        of_row.push((number, event));
    }
    let (schema, now) = (&schema, backend.expiry_time());
    let written = rows.into_iter().map(|(key, events)| async move {
        let (numbers, events): (Vec<_>, Vec<_>) = events.into_iter().unzip();
        let refused = write_row(backend, schema, &key, &events, now).await.err();
        let failed = events.iter().filter_map(|event| {
            let error = refused.as_ref()?.error(schema, &key, event.time);
            Some(error.unwrap_or_else(|error| error))
        });
        let failed = numbers.into_iter().zip(failed);
        let failed = failed.map(|(index, error)| FailedInsert { index, error });
        stream::iter(failed.collect::<Vec<_>>())
    });
    let written = stream::iter(written).buffer_unordered(PARTS_AT_ONCE);
    written.flatten().collect().await
}

/// Why the events of a row are not written.
enum Refused {
    /// The row settles only at this time.
    Until(Timestamp),
    By(Status),
}

impl Refused {
    /// The error of one of the events.
    fn error(&self, schema: &Schema, key: &[u8], time: Option<Timestamp>) -> Result<Error, Error> {
        Ok(match self {
            Self::Until(settled) => Error::Unsettled {
                table: schema.table.to_string(),
                key: described_event(schema, key, time),
                settled: *settled,
            },
            Self::By(status) => {
                let table = schema.table_of_row(key)?;
                at_row(schema, &table, CHECK, (key, time), status.clone())
            }
        })
    }
}

async fn write_row(
    backend: &dyn Backend,
    schema: &Schema,
    key: &Bytes,
    events: &[EventRow],
    now: Timestamp,
) -> Result<(), Refused> {
    let by = |error| Refused::By(as_status(error));
    let start = schema.time_of_row(key).map_err(by)?.unwrap_or_default();
    match schema.settled_at(start) {
        Some(settled) if settled <= now => {}
        settled => return Err(Refused::Until(settled.unwrap_or(Timestamp::MAX))),
    }
    let places = events.iter().map(|event| (&**key, event.time));
    mark(backend, schema, places).await.map_err(by)?;
    merge(backend, schema, key, events).await.map_err(by)
}
