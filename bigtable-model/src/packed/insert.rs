//! Writes events directly into blocks.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;

use bytes::Bytes;
use futures::{StreamExt as _, stream};

use super::PackJob;
use super::compact::merge;
use crate::backend::setting::check;
use crate::backend::{Backend, InvalidSetting, Status};
use crate::model::{EventRow, Model, RolledUp, Schema, described_event, insert_row};
use crate::send::limits::PARTS_AT_ONCE;
use crate::send::{CHECK, InsertOutcome, Inserted, Stamps, Tally as _, as_status, at_row, mark};
use crate::{Error, Timestamp};

/// The maximum number of events that are collected before their rows are written.
const EVENTS: usize = 100_000;

/// The events of each row, with their numbers.
type Rows = BTreeMap<Bytes, Vec<(usize, EventRow)>>;

/// Writes events into the blocks of their rows, for a backfill: a row of 1,440 events takes three
/// requests and two cells.
///
/// Each event is written as by [`insert_many`](crate::BackendExt::insert_many): it replaces an
/// event with the same key and time, packed or not; of two such events the later one stays. Its row
/// must have settled, so that a [`PackJob`] would pack it: an event of any other row fails with
/// [`Error::Unsettled`], and the rest are written. The buckets of roll-ups that a job computes are
/// marked first.
///
/// Events are collected up to 100,000, so the rows of a series should come one after another.
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
    let mut stamps = Stamps::new(&[M::SCHEMA]);
    let rows = events
        .into_iter()
        .map(|event| insert_row(&event, stamps.next()));
    Ok(insert_rows(backend, M::SCHEMA, rows).await)
}

/// Checks that a model's events can be written into blocks.
pub(crate) fn check_schema(schema: &Schema) -> Result<(), InvalidSetting> {
    PackJob::new(schema)?;
    let is_added = schema.rollups.iter().any(RolledUp::is_added);
    let instead = "use `insert_many`, and pack afterwards: the server adds its events to a roll-up";
    check("packed::insert", &schema.model, !is_added, instead)
}

/// Writes the rows of events into blocks.
pub(crate) async fn insert_rows(
    backend: &dyn Backend,
    schema: &Schema,
    events: impl Iterator<Item = Result<EventRow, Error>>,
) -> InsertOutcome {
    let mut tally = Inserted::default();
    let mut rows = Rows::new();
    let mut collected = 0;
    for (number, event) in events.enumerate() {
        match event {
            Ok(event) => {
                let of_row = rows.entry(event.row.key.clone()).or_default();
                of_row.push((number, event));
                collected += 1;
            }
            Err(error) => tally.count(number, Err(error)),
        }
        if collected == EVENTS {
            write(backend, schema, std::mem::take(&mut rows), &mut tally).await;
            collected = 0;
        }
    }
    write(backend, schema, rows, &mut tally).await;
    tally.finish()
}

/// Writes rows, several at once.
async fn write(backend: &dyn Backend, schema: &Schema, rows: Rows, tally: &mut Inserted<'_>) {
    let now = backend.expiry_time();
    let written = rows.into_iter().map(|(key, events)| async move {
        let (numbers, events): (Vec<_>, Vec<_>) = events.into_iter().unzip();
        let refused = write_row(backend, schema, &key, &events, now).await.err();
        let outcomes = events.iter().map(|event| {
            let is_expired = schema.rule_against(event.time, now).is_some();
            let refused = refused
                .as_ref()
                .map(|one| one.error(schema, &key, event.time));
            (is_expired, refused.map_or(Ok(()), |error| Err(error?)))
        });
        numbers.into_iter().zip(outcomes.collect::<Vec<_>>())
    });
    let mut written = stream::iter(written).buffer_unordered(PARTS_AT_ONCE);
    while let Some(row) = written.next().await {
        for (number, (is_expired, outcome)) in row {
            tally.expired.fetch_add(is_expired.into(), Relaxed);
            tally.count(number, outcome);
        }
    }
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
