//! Processes the events of a former layout.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _, stream};

use crate::backend::{Backend, Method};
use crate::data::{ReadRows, RowMutations, RowSet};
use crate::error::FormerError;
use crate::model::{
    EventReader, EventRow, EventTimes, ModelSchema, RowEvents, Schema, Source, described_event,
};
use crate::query::{BadRows, Order, QueryEvents, Selection, events, planned};
use crate::send::{at_row, at_table, copy_events, lacks_table, write_ready};
use crate::{Error, Timestamp};

/// The number of events looked up at once.
const BATCH: usize = 500;

/// The number of conditional writes in flight.
const WRITES_AT_ONCE: usize = 16;

/// An event of the former layout.
struct Found {
    /// The write to the current layout.
    event: EventRow,
    /// The delete from the former layout.
    deletion: Option<RowMutations>,
}

/// The identity of an event: its row's key, and its time.
type Identity = (Bytes, Option<Timestamp>);

impl Found {
    fn identity(&self) -> Identity {
        (self.event.row.key.clone(), self.event.time)
    }
}

/// What the current layout knows about some events.
struct KnownEvents {
    /// Those that it has or has deleted.
    identities: HashSet<Identity>,
    /// The times of the other events in their rows, ascending, if a rule deletes events.
    times: HashMap<Bytes, Vec<Option<Timestamp>>>,
    /// The time of the rules; `None` if no rule deletes events.
    now: Option<Timestamp>,
}

impl KnownEvents {
    /// Whether the current layout has the event, has deleted it, or would have deleted it by a
    /// rule.
    fn includes(&self, schema: &Schema, found: &Found) -> Result<bool, Error> {
        let identity = found.identity();
        if self.identities.contains(&identity) {
            return Ok(true);
        }
        let Some(now) = self.now else {
            return Ok(false);
        };
        let (row, time) = identity;
        let times = self.times.get(&row).map_or(&[][..], Vec::as_slice);
        let newer = times.len() - times.partition_point(|one| *one <= time);
        schema.has_expired(&found.event, u64::try_from(newer).unwrap_or(u64::MAX), now)
    }
}

/// The result of [`copy`](super::copy).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Copied {
    /// The number of events in the former layout.
    pub events: u64,
    /// The number of events written; the current layout knew the others, or would have deleted
    /// them by a rule.
    pub copied: u64,
}

/// Writes the events that the current layout does not know.
pub(super) async fn copy(
    backend: &dyn Backend,
    schema: &Schema,
    former: &Arc<dyn Source>,
) -> Result<Copied, Error> {
    let mut all = all(backend, former).await?;
    let mut copied = Copied::default();
    loop {
        let batch = batch(&mut all, schema, former).await?;
        if batch.is_empty() {
            return Ok(copied);
        }
        copied.events += u64::try_from(batch.len()).unwrap_or(u64::MAX);
        let known = known(backend, schema, &batch).await?;
        let mut rows: BTreeMap<(Bytes, usize), Vec<EventRow>> = BTreeMap::new();
        for (number, found) in batch.into_iter().enumerate() {
            if !known.includes(schema, &found)? {
                // A packed row is claimed once for all of its events.
                let number = if schema.is_packed() { 0 } else { number };
                let row = rows.entry((found.event.row.key.clone(), number));
                row.or_default().push(found.event);
            }
        }
        let writes = rows.into_values();
        let writes = writes.map(|events| copy_events(backend, schema, events));
        let mut writes = stream::iter(writes).buffer_unordered(WRITES_AT_ONCE);
        while let Some(written) = writes.try_next().await? {
            copied.copied += written;
        }
    }
}

/// Deletes the events of the former layout after checking that the current one knows all of them,
/// or would have deleted them, and returns their number.
///
/// # Errors
/// [`Error::NotCopied`] if the former layout has other events; these are never deleted.
/// [`Error::Former`] if a row of the former layout is in a table of the current one.
pub(super) async fn empty(
    backend: &dyn Backend,
    schema: &Schema,
    former: &Arc<dyn Source>,
) -> Result<u64, Error> {
    walk(backend, schema, former, Known::Stay).await?;
    walk(backend, schema, former, Known::Go).await
}

/// What to do with events that the current layout knows.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Known {
    Stay,
    Go,
}

/// Reads the former layout, and returns how many of its events the current one knows.
async fn walk(
    backend: &dyn Backend,
    schema: &Schema,
    former: &Arc<dyn Source>,
    then: Known,
) -> Result<u64, Error> {
    let mut all = all(backend, former).await?;
    let (mut counted, mut left) = (0, 0);
    loop {
        let batch = batch(&mut all, schema, former).await?;
        if batch.is_empty() {
            break;
        }
        let known = known(backend, schema, &batch).await?;
        let mut deletions = Vec::new();
        for found in batch {
            match known.includes(schema, &found)? {
                true => deletions.extend(found.deletion),
                false => left += 1,
            }
        }
        for row in &deletions {
            check_apart(backend, schema, former.schema(), &row.key)?;
        }
        counted += u64::try_from(deletions.len()).unwrap_or(u64::MAX);
        if then == Known::Go {
            delete(backend, former.schema(), deletions).await?;
        }
    }
    match left {
        0 => Ok(counted),
        left => Err(Error::NotCopied {
            table: former.schema().table.to_string(),
            left,
        }),
    }
}

/// All events of the former layout, in key order.
async fn all(backend: &dyn Backend, former: &Arc<dyn Source>) -> Result<QueryEvents, Error> {
    let selection = Selection {
        order: Order::Key,
        full_scan: true,
        max_scans: usize::MAX,
        ..Selection::default()
    };
    let plan = planned(backend, former.schema(), &selection).await?;
    events(backend, former.schema(), plan, &BadRows::fail())
}

/// The next events of the former layout, as what the current one would write.
async fn batch(
    all: &mut QueryEvents,
    schema: &Schema,
    former: &Arc<dyn Source>,
) -> Result<Vec<Found>, Error> {
    let found = |events: &RowEvents, index| {
        Ok(Found {
            event: former.insertion(schema, events, index)?,
            deletion: events.deletion(index)?,
        })
    };
    let mut batch = Vec::new();
    while batch.len() < BATCH
        && let Some(next) = all.next(found).await
    {
        batch.push(next?);
    }
    Ok(batch)
}

/// Refuses to delete a row of the former layout if its table is also a table of the current layout,
/// by the backend's names.
fn check_apart(
    backend: &dyn Backend,
    schema: &ModelSchema,
    former: &ModelSchema,
    key: &[u8],
) -> Result<(), Error> {
    let Ok(own) = schema.table_of_row(key) else {
        return Ok(());
    };
    let table = former.table_of_row(key)?;
    if backend.stored_table(&own) != backend.stored_table(&table) {
        return Ok(());
    }
    Err(Error::Former {
        table: table.into_owned(),
        key: described_event(former, key, None),
        source: FormerError::SharedTable,
    })
}

/// What the current layout knows about a batch of events.
async fn known(
    backend: &dyn Backend,
    schema: &Schema,
    batch: &[Found],
) -> Result<KnownEvents, Error> {
    let mut tables: BTreeMap<String, Vec<Bytes>> = BTreeMap::new();
    for found in batch {
        let key = &found.event.row.key;
        let table = schema.table_of_row(key)?.into_owned();
        tables.entry(table).or_default().push(key.clone());
    }
    let reader = EventReader::telling(schema);
    let mut events = RowEvents::default();
    let mut known = KnownEvents {
        identities: HashSet::new(),
        times: HashMap::new(),
        now: schema.expires().then(|| backend.expiry_time()),
    };
    for (table, mut keys) in tables {
        keys.sort_unstable();
        keys.dedup();
        let mut batches = backend.read_rows(ReadRows {
            table: table.clone(),
            rows: RowSet {
                keys,
                ..RowSet::default()
            },
            filter: schema.marks(),
            ..ReadRows::default()
        });
        loop {
            let rows = match batches.try_next().await {
                Ok(Some(rows)) => rows,
                Ok(None) => break,
                // A missing table by period knows no events.
                Err(status) if schema.table.by_period().is_some() && lacks_table(&status) => break,
                Err(status) => return Err(at_table(&table, Method::ReadRows, status)),
            };
            events.put(rows);
            while let Some(found) = reader.load_next(&EventTimes::All, &mut events) {
                found?;
                for index in 0..events.len() {
                    let (key, time) = (events.shared_key(), events.time(index)?);
                    if known.now.is_some() && !events.is_deleted(index) {
                        known.times.entry(key.clone()).or_default().push(time);
                    }
                    known.identities.insert((key, time));
                }
            }
        }
    }
    Ok(known)
}

async fn delete(
    backend: &dyn Backend,
    schema: &ModelSchema,
    rows: Vec<RowMutations>,
) -> Result<(), Error> {
    let of_table = |row: RowMutations| {
        let table = schema.table_of_row(&row.key)?.into_owned();
        Ok((table.into(), row))
    };
    let rows = rows.into_iter().map(of_table);
    write(backend, schema, rows.collect::<Result<_, Error>>()?).await
}

/// Writes rows to their tables; fails with the first row that was not written.
pub(super) async fn write(
    backend: &dyn Backend,
    schema: &ModelSchema,
    rows: Vec<(Cow<'_, str>, RowMutations)>,
) -> Result<(), Error> {
    let places = rows
        .iter()
        .map(|(table, row)| (table.clone(), row.key.clone()));
    let places: Vec<_> = places.collect();
    let outcomes = write_ready(backend, rows).await;
    for ((table, key), outcome) in places.iter().zip(outcomes) {
        outcome.map_err(|source| at_row(schema, table, Method::MutateRows, (key, None), source))?;
    }
    Ok(())
}
