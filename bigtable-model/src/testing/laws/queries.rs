//! The law of queries: they return the same events as comparing every event.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::panic::resume_unwind;
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use tokio::runtime::Builder;

use super::keys::{before, compare_unsalted, is_identifier};
use super::random::Random;
use super::{Broken, shown};
use crate::backend::expiry::LateExpiry;
use crate::backend::{Backend, Method};
use crate::data::RowDeletion;
use crate::key::SegmentValue;
use crate::model::stored::{time_of_values, write_event};
use crate::model::{ModelSchema, Schema, TableName};
use crate::query::{Order, SegmentSelection, Selection, found_events, planned};
use crate::schema::WantedTable;
use crate::{Error, MemoryBackend, Status, Timestamp};

/// The number of tables, and of events and queries on each.
const TABLES: usize = 15;
const EVENTS: usize = 40;
const QUERIES: usize = 20;

const LAW: &str = "a query returns the same events as comparing every event";

/// An event: the values of its key, including its time, and its columns.
#[derive(Debug, Clone, PartialEq)]
struct Event {
    values: Vec<SegmentValue>,
    columns: Vec<Option<Bytes>>,
}

/// The identity of an event: its values as text, and in layout `qualifiers` the column too.
type Identity = (String, Option<Bytes>);

pub(super) fn check(schema: &Schema, random: &mut Random) -> Result<(), Broken> {
    let runtime = Builder::new_current_thread().build();
    let runtime = runtime.map_err(|error| Broken::new("there is a runtime", error))?;
    let db = MemoryBackend::new();
    // The caller may be in a runtime, which no other can be entered from.
    thread::scope(|scope| {
        let checks = scope.spawn(|| runtime.block_on(check_on(&db, schema, random, TABLES)));
        checks.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Writes this many tables one after another, and queries each.
pub(super) async fn check_on(
    db: &dyn Backend,
    schema: &Schema,
    random: &mut Random,
    tables: usize,
) -> Result<(), Broken> {
    // The events have any time, and none of them may expire during the comparison.
    let db = &LateExpiry::new(db.handle(), Duration::MAX);
    for _ in 0..tables {
        check_table(db, schema, random).await?;
        let emptied = empty(db, schema).await;
        emptied.map_err(|error| Broken::new("a table is emptied", error))?;
    }
    Ok(())
}

/// Deletes all events; for a model by period also their tables, so that some are missing next time.
async fn empty(db: &dyn Backend, schema: &Schema) -> Result<(), Status> {
    let tables = match &schema.table {
        TableName::Fixed(table) => return db.tables().drop_rows(table, RowDeletion::All).await,
        TableName::ByPeriod(tables) => tables,
    };
    for table in db.tables().list().await? {
        if tables.parse(&table).is_some() {
            db.tables().delete(&table).await?;
        }
    }
    Ok(())
}

async fn check_table(db: &dyn Backend, schema: &Schema, random: &mut Random) -> Result<(), Broken> {
    let all = fill(db, schema, random)
        .await
        .map_err(|error| Broken::new("events are written", chain(&error)))?;
    for _ in 0..QUERIES {
        let selection = selection(schema, random);
        let planned = match planned(db, schema, &selection).await {
            Ok(planned) => planned,
            // Queries that the planner refuses are skipped, such as a time with an open end for
            // labels that do not sort.
            Err(Error::Query { .. }) => continue,
            Err(error) => return Err(Broken::new(LAW, chain(&error))),
        };
        let described = planned.to_string();
        let found = run(db, schema, planned).await;
        let found = found.map_err(|error| Broken::new(LAW, chain(&error)))?;
        compare(schema, &selection, &all, &found).map_err(|what| {
            Broken::new(LAW, format!("{what}\nasked: {selection:?}\n{described}"))
        })?;
    }
    Ok(())
}

fn chain(error: &Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}

/// Writes random events; later events replace those with the same identity.
async fn fill(
    db: &dyn Backend,
    schema: &Schema,
    random: &mut Random,
) -> Result<BTreeMap<Identity, Event>, Error> {
    // Tables of other sources stay empty: events are written only to the model's own.
    for source in schema.sources() {
        let source = source.schema();
        if source.table.fixed().is_some() {
            WantedTable::of(source).ensure(db).await?;
        }
    }
    if schema.table.fixed().is_some() {
        WantedTable::of(schema).ensure(db).await?;
    }
    let mut all = BTreeMap::new();
    for _ in 0..EVENTS {
        let values = random.values();
        let columns = schema.columns.iter().map(|column| {
            let absent = column.copy_of.is_some() || column.optional && random.chance(40);
            (!absent).then(|| Bytes::from(random.column(column.kind)))
        });
        let event = Event {
            columns: columns.collect(),
            values,
        };
        // Values that a model refuses are not events.
        let Ok(row) = write_event(schema, &event.values, &event.columns, Timestamp::UNIX_EPOCH)
        else {
            continue;
        };
        let table = schema.table_of(time_of_values(schema, &event.values))?;
        if schema.table.fixed().is_none() {
            let wanted = WantedTable::of(schema).named(&*table);
            wanted.ensure(db).await?;
        }
        let written = db.mutate_row(&table, row).await;
        written.map_err(|source| Error::Backend {
            table: table.to_string(),
            method: Method::MutateRow.name(),
            key: Some(shown(schema, &event.values)),
            source,
        })?;
        all.insert(identity(schema, &event), event);
    }
    if schema.holds_the_newest() {
        keep_newest(schema, &mut all);
    }
    Ok(all)
}

/// Keeps only the newest event of each series.
fn keep_newest(schema: &ModelSchema, all: &mut BTreeMap<Identity, Event>) {
    let mut newest: BTreeMap<String, Option<Timestamp>> = BTreeMap::new();
    for event in all.values() {
        let time = time_of(schema, event);
        let known = newest.entry(series_of(schema, event)).or_insert(time);
        *known = time.max(*known);
    }
    all.retain(|_, event| newest.get(&series_of(schema, event)) == Some(&time_of(schema, event)));
}

/// The identifiers as text.
fn series_of(schema: &ModelSchema, event: &Event) -> String {
    let values = schema.key.valued().zip(&event.values);
    let identifiers = values.filter(|((_, segment), _)| is_identifier(segment));
    identifiers
        .map(|(_, value)| format!("{value:?} "))
        .collect()
}

fn time_of(schema: &ModelSchema, event: &Event) -> Option<Timestamp> {
    let mut values = schema.key.valued().zip(&event.values);
    values.find_map(|((_, segment), value)| match (segment.role, value) {
        (role, SegmentValue::Time(time)) if role.is_time() => Some(*time),
        _ => None,
    })
}

fn identity(schema: &ModelSchema, event: &Event) -> Identity {
    let value = match schema.in_layout().value_is_qualifier() {
        true => event.columns.iter().flatten().next().cloned(),
        false => None,
    };
    (shown(schema, &event.values), value)
}

/// A random selection: sets, then perhaps a range.
fn selection(schema: &ModelSchema, random: &mut Random) -> Selection {
    let mut segments = Vec::new();
    let buckets = schema.key.bucket().is_some();
    for (at, (_, segment)) in schema.key.valued().enumerate() {
        if random.chance(20) {
            break;
        }
        let mut value = || random.value(at, segment);
        let (a, b) = (value(), value());
        let closes = random.chance(40) && segment.kind != crate::key::SegmentKind::Uuid;
        let is_time = segment.role.is_time();
        if closes || is_time {
            segments.push(range(a, b));
            if !(is_time && buckets) {
                break;
            }
        } else {
            segments.push(SegmentSelection::Values(match random.chance(50) {
                true => vec![a],
                false => vec![a, b],
            }));
        }
    }
    let fixed = |at: usize| matches!(segments.get(at), Some(SegmentSelection::Values(_)));
    let mut valued = schema.key.valued().enumerate();
    let by_time = schema.key.time_segment().is_some()
        && valued.all(|(at, (_, segment))| !is_identifier(segment) || fixed(at));
    Selection {
        full_scan: true,
        order: if by_time { Order::Time } else { Order::Key },
        descending: random.chance(50),
        limit: random
            .chance(40)
            .then(|| u64::try_from(random.below(6)).unwrap_or_default()),
        max_scans: usize::MAX,
        max_seeks: random.below(4),
        // A rule by number deletes events at any time.
        with_expired: schema.deletes_by_number() || random.chance(50),
        segments,
        ..Selection::default()
    }
}

/// A range with ordered ends, if it has both.
fn range(a: SegmentValue, b: SegmentValue) -> SegmentSelection {
    let (a, b) = match (&a, &b) {
        (SegmentValue::Time(x), SegmentValue::Time(y)) if x > y => (b, a),
        _ => (a, b),
    };
    SegmentSelection::Range(Bound::Included(a), Bound::Excluded(b))
}

async fn run(
    db: &dyn Backend,
    schema: &Schema,
    planned: crate::query::Plan,
) -> Result<Vec<Event>, Error> {
    let mut running = found_events(db, schema, planned)?;
    let mut found = Vec::new();
    while let Some(next) = running.advance().await {
        next?;
        if let Some((row, index)) = running.current() {
            let (values, columns) = row.values(index)?;
            found.push(Event { values, columns });
        }
    }
    Ok(found)
}

fn compare(
    schema: &ModelSchema,
    selection: &Selection,
    all: &BTreeMap<Identity, Event>,
    found: &[Event],
) -> Result<(), String> {
    let mut expected = BTreeMap::new();
    for (identity, event) in all {
        if matches(schema, selection, event) {
            expected.insert(identity.clone(), event);
        }
    }
    let limit = selection
        .limit
        .and_then(|limit| usize::try_from(limit).ok());
    let wanted = limit.map_or(expected.len(), |limit| limit.min(expected.len()));
    if found.len() != wanted {
        return Err(format!("{} events instead of {wanted}", found.len()));
    }
    for event in found {
        match expected.remove(&identity(schema, event)) {
            Some(same) if *same == *event => {}
            Some(other) => return Err(format!("{event:?} instead of {other:?}")),
            None => {
                return Err(format!(
                    "{} is none, or came twice",
                    shown(schema, &event.values)
                ));
            }
        }
    }
    if selection.order == Order::Time {
        in_order(schema, selection, expected.values().copied(), found)?;
    }
    Ok(())
}

/// Results are ordered by time, and no event excluded by a limit comes before them.
fn in_order<'a>(
    schema: &ModelSchema,
    selection: &Selection,
    left_out: impl Iterator<Item = &'a Event>,
    found: &[Event],
) -> Result<(), String> {
    let time = |event: &Event| time_of(schema, event);
    let mut times: Vec<_> = found.iter().map(time).collect();
    let mut rest: Vec<_> = left_out.map(time).collect();
    if selection.descending {
        times.reverse();
    }
    rest.sort_unstable();
    let ends = match selection.descending {
        true => (rest.last(), times.first()),
        false => (times.last(), rest.first()),
    };
    let cut = match ends {
        (Some(before), Some(after)) => before <= after,
        _ => true,
    };
    let are_tied_in_order = found
        .windows(2)
        .all(|two| ties_in_order(schema, selection, two));
    match times.is_sorted() && cut && are_tied_in_order {
        true => Ok(()),
        false => Err("events out of order".to_owned()),
    }
}

/// Events of a series at the same time are ordered by their tie-breakers.
fn ties_in_order(schema: &ModelSchema, selection: &Selection, two: &[Event]) -> bool {
    let [one, next] = two else { return true };
    let is_tie = time_of(schema, one) == time_of(schema, next)
        && series_of(schema, one) == series_of(schema, next);
    let latest_first = schema
        .key
        .time_segment()
        .is_some_and(|(_, time)| time.format.is_reversed());
    // Their keys differ only in their tie-breakers.
    let order = compare_unsalted(&schema.key, &one.values, &next.values);
    match order.filter(|_| is_tie) {
        Some(_) if schema.key.first_tie_breaker().is_none() => true,
        Some(order) if selection.descending != latest_first => order.is_gt(),
        Some(order) => order.is_lt(),
        None => true,
    }
}

fn matches(schema: &ModelSchema, selection: &Selection, event: &Event) -> bool {
    let asked = schema
        .key
        .valued()
        .zip(&event.values)
        .zip(&selection.segments);
    asked.into_iter().all(|((_, value), asked)| match asked {
        SegmentSelection::Values(values) => values.contains(value),
        SegmentSelection::Range(Bound::Included(start), Bound::Excluded(end)) => {
            !before(value, start) && before(value, end)
        }
        _ => true,
    })
}
