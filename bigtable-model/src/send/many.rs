//! Reads of many events by their keys.

use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _, stream};

use super::expired::expiry_of_blocks;
use super::limits::READS_IN_FLIGHT;
use super::lookup::{KeyRoom, look_up};
use super::sources;
use crate::Error;
use crate::backend::Backend;
use crate::data::{ReadRows, RowFilter, RowSet};
use crate::model::{EventReader, EventTimes, Model, RowEvents};

/// A read of events with the same filter, each with its indexes among the given keys.
struct Lot {
    table: String,
    filter: Option<RowFilter>,
    times: EventTimes,
    places: HashMap<Bytes, Vec<usize>>,
    room: KeyRoom,
}

impl Lot {
    /// Adds a key if its event is read with the same filter and there is room.
    fn add(&mut self, key: &Bytes, request: &ReadRows, times: &EventTimes, place: usize) -> bool {
        let is_like =
            self.table == request.table && self.filter == request.filter && self.times == *times;
        let takes = is_like && (self.places.contains_key(key) || self.room.take(key));
        if takes {
            self.places.entry(key.clone()).or_default().push(place);
        }
        takes
    }

    fn request(&self) -> ReadRows {
        let mut keys: Vec<_> = self.places.keys().cloned().collect();
        keys.sort_unstable();
        ReadRows {
            table: self.table.clone(),
            rows: RowSet {
                keys,
                ..RowSet::default()
            },
            filter: self.filter.clone(),
            ..ReadRows::default()
        }
    }
}

/// The events of many keys, in the order of the keys.
pub(crate) async fn get_many<M: Model>(
    backend: &dyn Backend,
    requests: Vec<(ReadRows, EventTimes)>,
) -> Result<Vec<Option<M>>, Error> {
    let mut found: Vec<Option<M>> = requests.iter().map(|_| None).collect();
    // Events that the model's own rows neither have nor report as deleted are looked up in other
    // sources.
    let mut sought: BTreeMap<usize, (Bytes, EventTimes)> = BTreeMap::new();
    if M::SCHEMA.is_united() {
        let requests = requests.iter().enumerate();
        sought.extend(requests.filter_map(|(place, (request, times))| {
            let key = request.rows.keys.first()?.clone();
            Some((place, (key, times.clone())))
        }));
    }
    let lots = lots(requests);
    let mut rows = look_up(backend, M::SCHEMA, lots.iter().map(Lot::request).collect());
    let expiry = expiry_of_blocks(backend, M::SCHEMA);
    let reader = EventReader::telling(M::SCHEMA).without_expired(expiry);
    let mut events = RowEvents::default();
    while let Some((at, rows)) = rows.try_next().await? {
        let Some(lot) = lots.get(at) else {
            continue;
        };
        events.put(rows);
        while let Some(loaded) = reader.load_next(&lot.times, &mut events) {
            loaded?;
            if events.is_empty() {
                continue;
            }
            for place in lot.places.get(events.key()).into_iter().flatten() {
                sought.remove(place);
                if let (Some(slot), false) = (found.get_mut(*place), events.is_deleted(0)) {
                    *slot = Some(events.read(0)?);
                }
            }
        }
    }
    let others = sought.iter().map(|(place, (key, times))| async move {
        let event = sources::get::<M>(backend, key, times).await?;
        Ok::<_, Error>((*place, event))
    });
    let others: Vec<_> = others.collect();
    let mut others = stream::iter(others).buffer_unordered(READS_IN_FLIGHT);
    while let Some((place, event)) = others.try_next().await? {
        if let Some(slot) = found.get_mut(place) {
            *slot = event;
        }
    }
    Ok(found)
}

/// Merges requests with the same filter.
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
            && lot.add(&key, &request, &times, place)
        {
            continue;
        }
        *open = lots.len();
        let mut lot = Lot {
            table: request.table.clone(),
            filter: request.filter.clone(),
            times: times.clone(),
            places: HashMap::new(),
            room: KeyRoom::default(),
        };
        lot.add(&key, &request, &times, place);
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
