//! Windows without events.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::Timestamp;
use crate::error::{Error, QueryError};
use crate::key::{KeyError, SegmentRole, SegmentValue};
use crate::query::SegmentSelection;
use crate::rollup::Rollup;
use crate::rollup::fill::Names;
use crate::rollup::row::{begun, key_of};
use crate::rollup::tier::Span;
use crate::series::Grid;

/// Makes the roll-up of a window without events, from its series and its start.
pub(super) type Empty<R> = Arc<dyn Fn(<R as crate::Model>::Series, Timestamp) -> R + Send + Sync>;

/// Adds the windows without events to those with events, for each series that has a window and for
/// each that the query names.
pub(super) fn with_empty<R: Rollup>(
    windows: Vec<R>,
    empty: &Empty<R>,
    grid: &Grid,
    (from, to): Span,
    names: &Names,
) -> Result<Vec<R>, Error> {
    if from >= to {
        return Ok(windows);
    }
    let first = grid.cell(Timestamp::from_micros(from))?;
    // A series is known by the key of its first window.
    let mut series = named::<R>(names, first.start)?;
    let mut there = BTreeSet::new();
    let mut all = Vec::new();
    for window in windows {
        let (start, key) = (window.time().unwrap_or_default(), key_of(&window)?);
        series.insert(at::<R>(&key, first.start)?);
        there.insert((start, key.clone()));
        all.push((start, key, window));
    }
    let mut cell = first;
    loop {
        for one in &series {
            let key = at::<R>(one, cell.start)?;
            if !there.contains(&(cell.start, key.clone())) {
                let window = made(empty, &key, cell.start)?;
                all.push((cell.start, key, window));
            }
        }
        if cell.end.as_micros() >= to {
            break;
        }
        cell = grid.next(&cell)?;
    }
    all.sort_by(|one, other| (one.0, &one.1).cmp(&(other.0, &other.1)));
    Ok(all.into_iter().map(|(.., window)| window).collect())
}

/// The roll-up of a window without events, which must belong to the window's series.
fn made<R: Rollup>(empty: &Empty<R>, key: &[u8], start: Timestamp) -> Result<R, Error> {
    let read = R::decode_key(key).and_then(|key| R::series(&key));
    let series = read.map_err(|source| refused::<R>(key, source))?;
    let (window, made) = begun(empty(series, start), start)?;
    match made == key {
        true => Ok(window),
        false => Err(Error::Query {
            table: R::SCHEMA.table.to_string(),
            source: QueryError::EmptyWindow {
                wanted: R::SCHEMA.key.describe(key).to_string(),
                made: window.key().to_string(),
            },
        }),
    }
}

/// The series that a query names by all of their identifiers.
fn named<R: Rollup>(names: &Names, start: Timestamp) -> Result<BTreeSet<Vec<u8>>, Error> {
    let mut found: Vec<Vec<SegmentValue>> = vec![Vec::new()];
    for (_, segment) in R::SCHEMA.key.valued() {
        let asked = names.iter().find(|(name, _)| *name == segment.name);
        let values = match (segment.role, asked) {
            (SegmentRole::Identifier, Some((_, SegmentSelection::Values(values)))) => values,
            (role, _) if role.is_time() => &vec![SegmentValue::Time(start)],
            _ => return Ok(BTreeSet::new()),
        };
        let longer = found.iter().flat_map(|before| {
            let values = values.iter().cloned();
            values.map(|value| [before.as_slice(), &[value]].concat())
        });
        found = longer.collect();
    }
    let keys = found.iter().map(|values| encoded::<R>(values, &[]));
    keys.collect()
}

/// The key of the same series with another start of the window.
fn at<R: Rollup>(key: &[u8], start: Timestamp) -> Result<Vec<u8>, Error> {
    let values = R::SCHEMA.key.decode(key);
    let mut values = values.map_err(|source| refused::<R>(key, source))?;
    let mut segments = R::SCHEMA.key.valued();
    let time = segments.position(|(_, segment)| segment.role.is_time());
    if let Some(time) = time.and_then(|time| values.get_mut(time)) {
        *time = SegmentValue::Time(start);
    }
    encoded::<R>(&values, key)
}

fn encoded<R: Rollup>(values: &[SegmentValue], of: &[u8]) -> Result<Vec<u8>, Error> {
    let mut key = Vec::new();
    let encoded = R::SCHEMA.key.encode(values, &mut key);
    encoded.map_err(|source| refused::<R>(of, source))?;
    Ok(key)
}

fn refused<R: Rollup>(key: &[u8], source: KeyError) -> Error {
    Error::Key {
        table: R::SCHEMA.table.to_string(),
        key: R::SCHEMA.key.describe(key).to_string(),
        source,
    }
}
