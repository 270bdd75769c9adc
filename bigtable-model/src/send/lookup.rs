//! Reads of many rows by their keys, and of the events in them.

use std::collections::{BTreeMap, HashMap};
use std::future::ready;

use bytes::Bytes;
use futures::{Stream, StreamExt as _, TryStreamExt as _, stream};

use super::call::{at_table, lacks};
use super::expired::{expiry_of_blocks, unexpired_now};
use super::limits::{KEY_BYTES_PER_REQUEST, READS_IN_FLIGHT, ROWS_PER_REQUEST};
use super::sources;
use crate::Error;
use crate::backend::{Backend, Method};
use crate::data::{ReadRows, RowBatch, RowFilter, RowSet};
use crate::model::{EventReader, EventTimes, Model, ModelSchema, RowEvents};

/// The maximum overhead of a key in a request, in bytes.
const KEY_OVERHEAD: usize = 16;

/// The room for keys in one request.
#[derive(Debug)]
pub(crate) struct KeyRoom {
    keys: usize,
    bytes: usize,
}

impl Default for KeyRoom {
    fn default() -> Self {
        Self {
            keys: ROWS_PER_REQUEST,
            bytes: KEY_BYTES_PER_REQUEST,
        }
    }
}

impl KeyRoom {
    /// Takes a key, if there is room for it.
    pub(crate) fn take(&mut self, key: &[u8]) -> bool {
        let bytes = key.len() + KEY_OVERHEAD;
        let has_room = self.keys > 0 && self.bytes >= bytes;
        if has_room {
            self.keys -= 1;
            self.bytes -= bytes;
        }
        has_room
    }
}

/// Reads rows, several requests at once; the index of the request comes with its rows. Cells that
/// have expired are left out. A missing table by period has no rows.
pub(crate) fn look_up<'a>(
    backend: &'a dyn Backend,
    schema: &'a ModelSchema,
    requests: Vec<ReadRows>,
) -> impl Stream<Item = Result<(usize, RowBatch), Error>> + 'a {
    let reads = stream::iter(requests.into_iter().enumerate());
    let reads = reads.map(move |(index, request)| {
        read(backend, schema, request).map_ok(move |rows| (index, rows))
    });
    reads.flatten_unordered(READS_IN_FLIGHT)
}

fn read<'a>(
    backend: &'a dyn Backend,
    schema: &'a ModelSchema,
    mut request: ReadRows,
) -> impl Stream<Item = Result<RowBatch, Error>> + Unpin + 'a {
    match unexpired_now(backend, schema, request.filter.take()) {
        Ok(filter) => request.filter = filter,
        Err(error) => return stream::once(ready(Err(error))).left_stream(),
    }
    let table = request.table.clone();
    let rows = backend.read_rows(request).filter_map(move |rows| {
        ready(match rows {
            Err(status) if lacks(schema, &status) => None,
            rows => Some(rows.map_err(|source| at_table(&table, Method::ReadRows, source))),
        })
    });
    rows.right_stream()
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_so_many_keys_and_bytes_of_keys() {
        let taken = |length: usize| {
            let mut room = KeyRoom::default();
            let key = vec![b'k'; length];
            (0..10_000).take_while(|_| room.take(&key)).count()
        };
        assert_eq!(taken(10), ROWS_PER_REQUEST);
        let longest = crate::data::limits::KEY;
        let bytes = taken(longest) * longest;
        assert!(bytes <= KEY_BYTES_PER_REQUEST && bytes + 2 * longest > KEY_BYTES_PER_REQUEST);
    }
}
