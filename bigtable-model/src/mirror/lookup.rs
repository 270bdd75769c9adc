//! Reads many events of a table by their keys, in few requests.

use std::collections::BTreeMap;

use bytes::Bytes;
use futures::TryStreamExt as _;

use crate::Timestamp;
use crate::backend::{Backend, Method, Rows};
use crate::data::{ReadRows, Row, RowFilter, RowSet};
use crate::error::Error;
use crate::model::{EventReader, Holds, Model, RowEvents, event_request};
use crate::query::EventTimes;
use crate::send::{at_table, lacks_table, unexpired_now};

/// The maximum size of keys in one request; 512 KiB are allowed.
const KEY_BYTES: usize = 256 << 10;

/// An event to look for.
#[derive(Debug, Clone)]
pub(super) struct Sought {
    /// The key of its row.
    pub(super) row: Bytes,
    /// Its stored time, if rows hold many events.
    pub(super) time: Option<Timestamp>,
    filter: Option<RowFilter>,
}

/// An event that was found, or why it cannot be read.
pub(super) struct Found<M> {
    pub(super) time: Option<Timestamp>,
    pub(super) event: Result<M, Error>,
}

impl Sought {
    /// The event with this key.
    pub(super) fn new<M: Model>(key: &M::Key) -> Result<Self, Error> {
        let (request, times) = event_request::<M>(key)?;
        let time = match times {
            EventTimes::In(times) => times.first().copied(),
            EventTimes::All | EventTimes::Between(..) => None,
        };
        Ok(Self {
            row: request.rows.keys.into_iter().next().unwrap_or_default(),
            time,
            filter: request.filter,
        })
    }

    /// Whether both have the same key and time.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.row == other.row && self.time == other.time
    }
}

/// The stored event for each sought event; in layout `latest` it may be a later event of the
/// series.
///
/// One row is held at a time. In layouts with many events a row, rows are read only as far as the
/// sought events of the request need.
pub(super) async fn find<M: Model>(
    backend: &dyn Backend,
    sought: &[&Sought],
) -> Result<Vec<Vec<Found<M>>>, Error> {
    let mut by_row: BTreeMap<&Bytes, Vec<usize>> = BTreeMap::new();
    for (at, one) in sought.iter().enumerate() {
        by_row.entry(&one.row).or_default().push(at);
    }
    let mut found: Vec<Vec<Found<M>>> = sought.iter().map(|_| Vec::new()).collect();
    let reader = EventReader::new(M::SCHEMA);
    let mut events = RowEvents::default();
    let mut by_table: BTreeMap<String, Vec<&Bytes>> = BTreeMap::new();
    for &key in by_row.keys() {
        let table = M::SCHEMA.table_of_row(key)?.into_owned();
        by_table.entry(table).or_default().push(key);
    }
    let requests = by_table.iter().flat_map(|(table, keys)| {
        let requests = requests(keys.iter().copied()).into_iter();
        requests.map(move |keys| (table, keys))
    });
    for (table, keys) in requests {
        let request = ReadRows {
            table: table.clone(),
            filter: unexpired_now(
                backend,
                M::SCHEMA,
                united(sought.iter().map(|one| one.filter.as_ref())),
            )?,
            rows: RowSet {
                keys,
                ranges: Vec::new(),
            },
            ..ReadRows::default()
        };
        let mut rows = backend.read_rows(request).rows();
        while let Some(row) = next::<M>(&mut rows, table).await? {
            let places = by_row.get(&row.key).cloned().unwrap_or_default();
            load::<M>(&reader, row, &places, sought, &mut events)?;
            for index in 0..events.len() {
                hand_out(&events, index, &places, sought, &mut found);
            }
        }
    }
    Ok(found)
}

/// Finds the events of a row that are sought at these indexes.
fn load<M: Model>(
    reader: &EventReader,
    row: Row,
    places: &[usize],
    sought: &[&Sought],
    events: &mut RowEvents,
) -> Result<(), Error> {
    let times = match M::SCHEMA.has_one_event_a_row() {
        true => EventTimes::All,
        false => {
            let places = places.iter().filter_map(|at| sought.get(*at));
            let mut times: Vec<_> = places.filter_map(|one| one.time).collect();
            times.sort_unstable();
            EventTimes::In(times)
        }
    };
    reader.load(row, &times, events)
}

/// Passes one of a row's events to those that seek it.
fn hand_out<M: Model>(
    events: &RowEvents,
    index: usize,
    places: &[usize],
    sought: &[&Sought],
    found: &mut [Vec<Found<M>>],
) {
    let holds = M::SCHEMA.holds();
    let time = match holds {
        Holds::One => None,
        _ => events.time(index).unwrap_or_default(),
    };
    for &at in places {
        let is_it = sought.get(at).is_some_and(|one| match holds {
            Holds::Newest => one.time <= time,
            _ => one.time == time,
        });
        if let (true, Some(found)) = (is_it, found.get_mut(at)) {
            let event = events.read(index);
            found.push(Found { time, event });
        }
    }
}

/// The next row of a read. A missing table by period has no events.
async fn next<M: Model>(rows: &mut Rows, table: &str) -> Result<Option<Row>, Error> {
    match rows.try_next().await {
        Err(source) if M::SCHEMA.table.by_period().is_some() && lacks_table(&source) => Ok(None),
        row => row.map_err(|source| at_table(table, Method::ReadRows, source)),
    }
}

/// The keys of each request.
fn requests<'a>(keys: impl Iterator<Item = &'a Bytes>) -> Vec<Vec<Bytes>> {
    let mut requests: Vec<Vec<Bytes>> = Vec::new();
    let mut left = 0;
    for key in keys {
        let bytes = key.len() + 16;
        if bytes > left {
            requests.push(Vec::new());
            left = KEY_BYTES;
        }
        left = left.saturating_sub(bytes);
        if let Some(request) = requests.last_mut() {
            request.push(key.clone());
        }
    }
    requests
}

/// A filter for everything that any of several filters lets through.
fn united<'a>(filters: impl Iterator<Item = Option<&'a RowFilter>>) -> Option<RowFilter> {
    let filters = filters.flatten().cloned();
    filters.reduce(|one, other| match (one, other) {
        (one, other) if one == other => one,
        (
            RowFilter::TimestampRange {
                start_micros,
                end_micros,
            },
            RowFilter::TimestampRange {
                start_micros: start,
                end_micros: end,
            },
        ) => RowFilter::TimestampRange {
            start_micros: start_micros.min(start),
            // 0 means no end.
            end_micros: match (end_micros, end) {
                (0, _) | (_, 0) => 0,
                (one, other) => one.max(other),
            },
        },
        // The newest cells of columns named by times: a part of each filter, which lets through
        // more than any of them.
        _ => RowFilter::CellsPerColumnLimit(1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start_micros: i64, end_micros: i64) -> RowFilter {
        RowFilter::TimestampRange {
            start_micros,
            end_micros,
        }
    }

    fn of(filters: &[RowFilter]) -> Option<RowFilter> {
        united(filters.iter().map(Some))
    }

    #[test]
    fn ranges_of_time_are_united() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[range(5, 6), range(2, 3)]), Some(range(2, 6)));
        assert_eq!(of(&[range(5, 0), range(2, 3)]), Some(range(2, 0)));
        assert_eq!(of(&[range(5, 6), range(7, 0)]), Some(range(5, 0)));
    }

    #[test]
    fn other_filters_are_kept_when_they_are_one() {
        let newest = RowFilter::CellsPerColumnLimit(1);
        let all = RowFilter::PassAll;
        assert_eq!(of(&[newest.clone(), newest.clone()]), Some(newest.clone()));
        assert_eq!(of(&[all, newest.clone()]), Some(newest));
    }

    #[test]
    fn keys_are_dealt_to_requests_that_hold_them() {
        let keys: Vec<Bytes> = (0..100).map(|_| Bytes::from(vec![b'k'; 4_096])).collect();
        let requests = requests(keys.iter());
        assert!(requests.len() > 1);
        assert_eq!(requests.concat(), keys);
        let bytes = |keys: &Vec<Bytes>| keys.iter().map(|key| key.len()).sum::<usize>();
        assert!(requests.iter().all(|keys| bytes(keys) <= KEY_BYTES));
    }
}
