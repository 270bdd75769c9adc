//! Reads many events of a table by their keys, in few requests.

use std::collections::BTreeMap;

use bytes::Bytes;
use futures::{Stream, StreamExt as _, TryStreamExt as _};

use crate::Timestamp;
use crate::backend::Backend;
use crate::data::{ReadRows, RowFilter, RowSet};
use crate::error::Error;
use crate::model::{EventReader, Holds, Model, ModelKey as _, RowEvents, Schema, event_request};
use crate::query::EventTimes;
use crate::send::limits::COMPARED_AT_ONCE;
use crate::send::{KeyRoom, expiry_of_blocks, look_up};

/// The next events of a query, as many as are compared at once; `None` at its end. Rows that are no
/// events go to `unreadable`.
///
/// # Errors
/// The error that ends the query.
pub(super) async fn next_batch<M>(
    events: &mut (impl Stream<Item = Result<M, Error>> + Unpin),
    mut unreadable: impl FnMut(Error),
) -> Result<Vec<M>, Error> {
    let mut batch = Vec::new();
    while batch.len() < COMPARED_AT_ONCE
        && let Some(next) = events.next().await
    {
        match next {
            Ok(event) => batch.push(event),
            Err(error @ (Error::Backend { .. } | Error::Query { .. })) => return Err(error),
            Err(error) => unreadable(error),
        }
    }
    Ok(batch)
}

/// An event to look for.
#[derive(Debug, Clone)]
pub(super) struct Sought {
    /// Its key, without its time if rows hold many events.
    pub(super) key: Bytes,
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
            // The request has it too, so it can be encoded.
            key: key.encode().unwrap_or_default().into(),
            row: request.rows.keys.into_iter().next().unwrap_or_default(),
            time,
            filter: request.filter,
        })
    }

    /// Whether both have the same key and time.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.key == other.key && self.time == other.time
    }
}

/// The stored event for each sought event; in layout `latest` it may be a later event of the
/// series.
///
/// In layouts with many events in a row, only the cells that the request's sought events need are
/// read.
pub(super) async fn find<M: Model>(
    backend: &dyn Backend,
    sought: &[&Sought],
) -> Result<Vec<Vec<Found<M>>>, Error> {
    let mut by_row: BTreeMap<Bytes, Vec<usize>> = BTreeMap::new();
    for (at, one) in sought.iter().enumerate() {
        by_row.entry(one.row.clone()).or_default().push(at);
    }
    let filter = united(sought.iter().map(|one| one.filter.as_ref()));
    let requests = requests(M::SCHEMA, by_row.keys(), filter.as_ref())?;
    let mut found: Vec<Vec<Found<M>>> = sought.iter().map(|_| Vec::new()).collect();
    let expiry = expiry_of_blocks(backend, M::SCHEMA);
    let reader = EventReader::new(M::SCHEMA).without_expired(expiry);
    let mut events = RowEvents::default();
    let mut rows = look_up(backend, M::SCHEMA, requests);
    while let Some((_, rows)) = rows.try_next().await? {
        events.put(rows);
        while events.advance() {
            let places = by_row.get(events.key()).map_or(&[][..], Vec::as_slice);
            reader.find(&times::<M>(places, sought), &mut events)?;
            for index in 0..events.len() {
                hand_out(&events, index, places, sought, &mut found);
            }
        }
    }
    Ok(found)
}

/// The times of a row's events that are sought at these indexes.
fn times<M: Model>(places: &[usize], sought: &[&Sought]) -> EventTimes {
    if M::SCHEMA.has_one_event_a_row() {
        return EventTimes::All;
    }
    let places = places.iter().filter_map(|at| sought.get(*at));
    let mut times: Vec<_> = places.filter_map(|one| one.time).collect();
    times.sort_unstable();
    EventTimes::In(times)
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
            _ => one.time == time && one.key == events.key_at(index),
        });
        if let (true, Some(found)) = (is_it, found.get_mut(at)) {
            let event = events.read(index);
            found.push(Found { time, event });
        }
    }
}

/// The requests for rows with these keys, table by table.
pub(super) fn requests<'a>(
    schema: &Schema,
    keys: impl Iterator<Item = &'a Bytes>,
    filter: Option<&RowFilter>,
) -> Result<Vec<ReadRows>, Error> {
    let mut by_table: BTreeMap<String, (KeyRoom, Vec<Vec<Bytes>>)> = BTreeMap::new();
    for key in keys {
        let table = schema.table_of_row(key)?.into_owned();
        let (room, requests) = by_table.entry(table).or_default();
        match requests.last_mut() {
            Some(last) if room.take(key) => last.push(key.clone()),
            _ => {
                *room = KeyRoom::default();
                room.take(key);
                requests.push(vec![key.clone()]);
            }
        }
    }
    let requests = by_table.into_iter().flat_map(|(table, (_, requests))| {
        requests.into_iter().map(move |keys| ReadRows {
            table: table.clone(),
            rows: RowSet {
                keys,
                ..RowSet::default()
            },
            filter: filter.cloned(),
            ..ReadRows::default()
        })
    });
    Ok(requests.collect())
}

/// A filter for everything that any of several filters lets through.
fn united<'a>(filters: impl Iterator<Item = Option<&'a RowFilter>>) -> Option<RowFilter> {
    filters.flatten().cloned().reduce(unite)
}

fn unite(one: RowFilter, other: RowFilter) -> RowFilter {
    // The newest cells of columns named by times: a part of each such filter that lets through
    // more than any whole filter.
    const NEWEST: RowFilter = RowFilter::CellsPerColumnLimit(1);
    match (one, other) {
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
        // The cells of events, and those that packing adds.
        (RowFilter::Interleave(one), RowFilter::Interleave(other)) if one.len() == other.len() => {
            let parts: Vec<_> = one
                .into_iter()
                .zip(other)
                .map(|(a, b)| unite(a, b))
                .collect();
            match parts.contains(&NEWEST) {
                true => NEWEST,
                false => RowFilter::Interleave(parts),
            }
        }
        _ => NEWEST,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[derive(Debug, bigtable_derive::Model)]
    #[bigtable(crate = crate, table = "NOTE", family = "N")]
    struct Note {
        #[bigtable(key)]
        name: String,
        number: u32,
    }

    #[test]
    fn keys_are_dealt_to_requests_that_hold_them() {
        let keys: Vec<Bytes> = (0..100).map(|_| Bytes::from(vec![b'k'; 4_096])).collect();
        let requests = requests(Note::SCHEMA, keys.iter(), None).unwrap();
        assert!(requests.len() > 1);
        let dealt = requests.into_iter().flat_map(|request| request.rows.keys);
        assert!(dealt.eq(keys));
    }

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
    fn ranges_beside_the_cells_of_packing_are_united() {
        let packed = || RowFilter::FamilyRegex("_packed".to_owned());
        let with = |filter| RowFilter::Interleave(vec![filter, packed()]);
        let both = [with(range(5, 6)), with(range(2, 3))];
        assert_eq!(of(&both), Some(with(range(2, 6))));
        // What lets through all of the newest cells has those of packing among them.
        let columns = [RowFilter::PassAll, range(2, 3)].map(with);
        assert_eq!(of(&columns), Some(RowFilter::CellsPerColumnLimit(1)));
    }

    #[test]
    fn other_filters_are_kept_when_they_are_one() {
        let newest = RowFilter::CellsPerColumnLimit(1);
        let all = RowFilter::PassAll;
        assert_eq!(of(&[newest.clone(), newest.clone()]), Some(newest.clone()));
        assert_eq!(of(&[all, newest.clone()]), Some(newest));
    }
}
