//! Reads of many events by their keys.

use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _, stream};

use super::expired::unexpired_now;
use super::row::{at_table, lacks};
use super::sources;
use crate::Error;
use crate::backend::{Backend, Method};
use crate::data::{ReadRows, RowFilter, RowSet};
use crate::model::{EventReader, EventTimes, Model, RowEvents};

/// The maximum number of row keys in one request, and their maximum size: half of Bigtable's limit.
const MOST_KEYS: usize = 1_000;
const MOST_KEY_BYTES: usize = 256_000;

/// How many requests are in flight at once.
const AT_ONCE: usize = 8;

/// A read of events with the same filter, each with its indexes among the given keys.
struct Lot {
    table: String,
    filter: Option<RowFilter>,
    times: EventTimes,
    places: HashMap<Bytes, Vec<usize>>,
    bytes: usize,
}

/// What a key's row tells.
enum Found<M> {
    Event(M),
    /// It is gone in other sources too.
    Deleted,
}

impl Lot {
    fn takes(&self, request: &ReadRows, times: &EventTimes) -> bool {
        self.places.len() < MOST_KEYS
            && self.bytes < MOST_KEY_BYTES
            && self.table == request.table
            && self.filter == request.filter
            && self.times == *times
    }

    fn add(&mut self, key: Bytes, place: usize) {
        self.bytes += key.len();
        self.places.entry(key).or_default().push(place);
    }

    /// The events that exist, with their indexes.
    async fn read<M: Model>(self, backend: &dyn Backend) -> Result<Vec<(usize, Found<M>)>, Error> {
        let mut keys: Vec<_> = self.places.keys().cloned().collect();
        keys.sort_unstable();
        let rows = RowSet {
            keys,
            ..RowSet::default()
        };
        let mut batches = backend.read_rows(ReadRows {
            table: self.table.clone(),
            rows,
            filter: unexpired_now(backend, M::SCHEMA, self.filter.clone())?,
            ..ReadRows::default()
        });
        let reader = EventReader::telling(M::SCHEMA);
        let mut events = RowEvents::default();
        let mut found = Vec::new();
        while let Some(rows) = batches.next().await {
            match rows {
                Ok(rows) => events.put(rows),
                // A missing table holds no event.
                Err(status) if lacks(M::SCHEMA, &status) => return Ok(Vec::new()),
                Err(status) => return Err(at_table(&self.table, Method::ReadRows, status)),
            }
            while let Some(loaded) = reader.load_next(&self.times, &mut events) {
                loaded?;
                self.note(&events, &mut found)?;
            }
        }
        Ok(found)
    }

    /// Notes the event of a row for each place of its key.
    fn note<M: Model>(
        &self,
        events: &RowEvents,
        found: &mut Vec<(usize, Found<M>)>,
    ) -> Result<(), Error> {
        if events.is_empty() {
            return Ok(());
        }
        for place in self.places.get(events.key()).into_iter().flatten() {
            let event = match events.is_deleted(0) {
                true => Found::Deleted,
                false => Found::Event(events.read(0)?),
            };
            found.push((*place, event));
        }
        Ok(())
    }
}

/// The events of many keys, in the order of the keys.
pub(crate) async fn get_many<M: Model>(
    backend: &dyn Backend,
    requests: Vec<(ReadRows, EventTimes)>,
) -> Result<Vec<Option<M>>, Error> {
    let mut found: Vec<Option<M>> = requests.iter().map(|_| None).collect();
    // Those of which the model's own rows tell nothing are looked for in other sources.
    let mut sought: BTreeMap<usize, (Bytes, EventTimes)> = BTreeMap::new();
    if M::SCHEMA.is_united() {
        let requests = requests.iter().enumerate();
        sought.extend(requests.filter_map(|(place, (request, times))| {
            let key = request.rows.keys.first()?.clone();
            Some((place, (key, times.clone())))
        }));
    }
    let lots = lots(requests);
    let reads: Vec<_> = lots.into_iter().map(|lot| lot.read::<M>(backend)).collect();
    let mut reads = stream::iter(reads).buffer_unordered(AT_ONCE);
    while let Some(events) = reads.try_next().await? {
        for (place, event) in events {
            sought.remove(&place);
            if let (Some(slot), Found::Event(event)) = (found.get_mut(place), event) {
                *slot = Some(event);
            }
        }
    }
    let others = sought.iter().map(|(place, (key, times))| async move {
        let event = sources::get::<_, M>(backend, key, times).await?;
        Ok::<_, Error>((*place, event))
    });
    let others: Vec<_> = others.collect();
    let mut others = stream::iter(others).buffer_unordered(AT_ONCE);
    while let Some((place, event)) = others.try_next().await? {
        if let Some(slot) = found.get_mut(place) {
            *slot = event;
        }
    }
    Ok(found)
}

/// Unites requests with the same filter.
fn lots(requests: Vec<(ReadRows, EventTimes)>) -> Vec<Lot> {
    let mut lots: Vec<Lot> = Vec::new();
    // The lots that can grow, by the values that distinguish most of them.
    let mut open: HashMap<(String, Option<i64>), usize> = HashMap::new();
    for (place, (request, times)) in requests.into_iter().enumerate() {
        let Some(key) = request.rows.keys.first().cloned() else {
            continue;
        };
        let open = open
            .entry((request.table.clone(), first(&times)))
            .or_insert(usize::MAX);
        if let Some(lot) = lots.get_mut(*open)
            && lot.takes(&request, &times)
        {
            lot.add(key, place);
            continue;
        }
        *open = lots.len();
        let mut lot = Lot {
            table: request.table,
            filter: request.filter,
            times,
            places: HashMap::new(),
            bytes: 0,
        };
        lot.add(key, place);
        lots.push(lot);
    }
    lots
}

/// The time of the event in microseconds, if rows hold many.
fn first(times: &EventTimes) -> Option<i64> {
    match times {
        EventTimes::In(times) => times.first().map(|time| time.as_micros()),
        EventTimes::All | EventTimes::Between(..) => None,
    }
}
