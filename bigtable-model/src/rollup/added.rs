//! What the server adds to roll-ups when events are written.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use bytes::Bytes;
use bytestring::ByteString;

use super::Rollup;
use super::row::{bucket_mutations, check_start};
use crate::Timestamp;
use crate::data::{Cell, Mutation, Row, RowMutations};
use crate::error::Error;
use crate::key::KeyError;
use crate::model::{EventAdds, EventReader, EventTimes, Level, Model, RowEvents};

/// Computes what the server adds for the events of the rows to write. Events are read as they will
/// be stored, so buckets equal windows over the stored events.
pub(super) fn adds<R: Rollup>(rows: &[RowMutations]) -> Result<Vec<EventAdds>, Error> {
    let schema = R::Source::SCHEMA;
    let by_value = schema.in_layout().value_is_qualifier();
    let reader = EventReader::new(schema);
    let mut events = RowEvents::default();
    let mut adds = Vec::new();
    for (place, row) in rows.iter().enumerate() {
        reader.load(written(row), &EventTimes::All, &mut events)?;
        for index in 0..events.len() {
            let event: R::Source = events.read(index)?;
            let time = schema.stored_time(event.time()).unwrap_or_default();
            let buckets = R::LEVELS
                .iter()
                .map(|level| bucket::<R>(&event, time, level));
            adds.push(EventAdds {
                place,
                time,
                name: match by_value {
                    true => Bytes::copy_from_slice(events.qualifier(index).unwrap_or_default()),
                    false if events.has_keys_of_events() => events.shared_key_at(index),
                    false => Bytes::new(),
                },
                buckets: buckets.collect::<Result<_, _>>()?,
            });
        }
    }
    Ok(adds)
}

/// The addition to a level's bucket for one event.
fn bucket<R: Rollup>(
    event: &R::Source,
    time: Timestamp,
    level: &Level,
) -> Result<RowMutations, Error> {
    let start = level.start(time).map_err(|source| Error::Key {
        table: R::SCHEMA.table.to_string(),
        key: event.key().to_string(),
        source: KeyError::Segment {
            segment: R::SCHEMA.model.clone(),
            source,
        },
    })?;
    let rollup = R::of(event, start);
    check_start(&rollup, start)?;
    added(&rollup, level.end(start))
}

/// The mutations that add the roll-up's values to those in its row.
fn added<R: Rollup>(rollup: &R, end: Timestamp) -> Result<RowMutations, Error> {
    let mut row = bucket_mutations(rollup, Timestamp::UNIX_EPOCH, end)?;
    // An insert resets an aggregate before it adds to it.
    row.mutations
        .retain(|one| matches!(one, Mutation::AddToCell { .. } | Mutation::SetCell { .. }));
    Ok(row)
}

/// The row after the write, if it was empty before.
fn written(row: &RowMutations) -> Row {
    // In Bigtable's order: the newest cell of a column first.
    let mut cells: BTreeMap<(ByteString, Bytes, Reverse<i64>), Bytes> = BTreeMap::new();
    for mutation in &row.mutations {
        match mutation.clone() {
            Mutation::SetCell {
                family,
                qualifier,
                timestamp_micros,
                value,
            } => {
                cells.insert((family, qualifier, Reverse(timestamp_micros)), value);
            }
            Mutation::DeleteFromColumn {
                family,
                qualifier,
                start_micros,
                end_micros,
            } => {
                let last = match end_micros {
                    0 => i64::MAX,
                    end => end.saturating_sub(1),
                };
                let at = |micros| (family.clone(), qualifier.clone(), Reverse(micros));
                let gone = cells.range(at(last)..=at(start_micros.min(last)));
                let gone: Vec<_> = gone.map(|(cell, _)| cell.clone()).collect();
                gone.iter().for_each(|cell| drop(cells.remove(cell)));
            }
            Mutation::DeleteFromFamily { family } => cells.retain(|(of, ..), _| *of != family),
            Mutation::DeleteFromRow => cells.clear(),
            // Append-only models have no aggregate columns.
            _ => {}
        }
    }
    let cells = cells.into_iter();
    let cell = |((family, qualifier, Reverse(timestamp_micros)), value)| Cell {
        family,
        qualifier,
        timestamp_micros,
        value,
        labels: Vec::new(),
    };
    Row {
        key: row.key.clone(),
        cells: cells.map(cell).collect(),
    }
}
