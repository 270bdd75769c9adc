//! Written events are read back: random models in every layout, in memory.

use std::collections::BTreeMap;

use futures::TryStreamExt as _;
use futures::executor::block_on;
use proptest::prelude::*;

use super::strategies::{Event, events, schema, stored};
use crate::Timestamp;
use crate::backend::{Backend as _, memory::MemoryBackend};
use crate::data::{FamilySchema, ReadRows, Row, TableSchema};
use crate::key::SegmentValue;
use crate::model::stored::{delete_event, read_event, write_event};
use crate::model::{EventReader, Layout, ModelSchema, RowEvents, Schema};
use crate::query::EventTimes;

/// A table of a model.
struct Table {
    schema: Schema,
    backend: MemoryBackend,
    clock: i64,
}

impl Table {
    fn new(schema: &Schema) -> Self {
        let backend = MemoryBackend::new();
        let families = schema.families().into_iter();
        let families = families.map(|family| (family.to_owned(), FamilySchema::default()));
        let table = TableSchema {
            table: schema.table.to_string(),
            families: families.collect(),
            ..TableSchema::default()
        };
        block_on(backend.tables().create(table, Vec::new())).unwrap();
        let clock = 1_800_000_000_000;
        Self {
            schema: schema.clone(),
            backend,
            clock,
        }
    }

    fn insert(&mut self, (values, columns): &Event) {
        self.clock += 1;
        let now = Timestamp::from_millis(self.clock);
        let row = write_event(&self.schema, values, columns, now).unwrap();
        block_on(
            self.backend
                .mutate_row(self.schema.table.fixed().unwrap(), row),
        )
        .unwrap();
    }

    fn rows(&self, request: ReadRows) -> Vec<Row> {
        block_on(self.backend.read_rows(request).rows().try_collect()).unwrap()
    }

    fn all(&self) -> ReadRows {
        ReadRows {
            table: self.schema.table.to_string(),
            ..ReadRows::default()
        }
    }

    /// The events of some rows, each row's ascending in time.
    fn events(&self, request: ReadRows, times: &EventTimes) -> Vec<Event> {
        let reader = EventReader::new(&self.schema);
        let mut found = RowEvents::default();
        let mut all = Vec::new();
        for row in self.rows(request) {
            reader.load(row, times, &mut found).unwrap();
            let at = |index| found.time(index).unwrap().unwrap();
            assert!((1..found.len()).all(|index| at(index - 1) <= at(index)));
            all.extend((0..found.len()).map(|index| {
                let event = found.values(index).unwrap();
                assert_eq!(time(&event), at(index));
                event
            }));
        }
        all
    }

    fn delete(&self, (values, _): &Event) {
        let (request, _) = read_event(&self.schema, values).unwrap();
        let rows = self.rows(request);
        let cells = rows.first().map(|row| row.cells.as_slice());
        let Some(row) = delete_event(&self.schema, values, cells.unwrap_or_default()).unwrap()
        else {
            return;
        };
        block_on(
            self.backend
                .mutate_row(self.schema.table.fixed().unwrap(), row),
        )
        .unwrap();
    }
}

fn time((values, _): &Event) -> Timestamp {
    let mut times = values.iter().filter_map(|value| match value {
        SegmentValue::Time(time) => Some(*time),
        _ => None,
    });
    times.next().unwrap()
}

/// What identifies an event; in layout `qualifiers` its value too.
fn identity(schema: &ModelSchema, event: &Event) -> String {
    match schema.layout {
        Layout::Qualifiers => format!("{event:?}"),
        _ => format!("{:?}", event.0),
    }
}

/// The events that are left if each replaces those of its identity, by identity.
fn expected(schema: &ModelSchema, events: &[Event]) -> BTreeMap<String, Event> {
    let stored = events.iter().map(|event| stored(schema, event));
    stored
        .map(|event| (identity(schema, &event), event))
        .collect()
}

/// The visible events of a table: all of them, or the newest of each series.
fn shown(schema: &ModelSchema, all: &BTreeMap<String, Event>) -> BTreeMap<String, Event> {
    if schema.layout != Layout::Latest {
        return all.clone();
    }
    let mut newest: BTreeMap<String, &Event> = BTreeMap::new();
    for event in all.values() {
        let mut values = event.0.clone();
        values.retain(|value| !matches!(value, SegmentValue::Time(_)));
        let known = newest.entry(format!("{values:?}")).or_insert(event);
        if time(event) > time(known) {
            *known = event;
        }
    }
    let newest = newest.into_values();
    newest
        .map(|event| (identity(schema, event), event.clone()))
        .collect()
}

fn by_identity(schema: &ModelSchema, events: Vec<Event>) -> BTreeMap<String, Event> {
    let count = events.len();
    let events: BTreeMap<_, _> = events
        .into_iter()
        .map(|event| (identity(schema, &event), event))
        .collect();
    assert_eq!(events.len(), count, "an event was found twice");
    events
}

fn models_and_events() -> impl Strategy<Value = (ModelSchema, Vec<Event>)> {
    schema().prop_flat_map(|schema| {
        let events = events(&schema);
        (Just(schema), events)
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1_000,
        max_shrink_iters: 2_000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_is_written_is_read_back(
        (schema, events) in models_and_events(),
        ends in [any::<prop::sample::Index>(), any::<prop::sample::Index>()],
        gone in any::<prop::sample::Index>(),
    ) {
        let schema: Schema = Schema::from(schema);
        let mut table = Table::new(&schema);
        events.iter().for_each(|event| table.insert(event));

        let mut all = expected(&schema, &events);
        let newest = shown(&schema, &all);
        let found = by_identity(&schema, table.events(table.all(), &EventTimes::All));
        prop_assert_eq!(&found, &newest);

        // Some of the times.
        let [one, other] = ends.map(|index| time(&stored(&schema, index.get(&events))));
        for times in [
            EventTimes::Between(Some(one), Some(other)),
            EventTimes::Between(None, Some(other)),
            EventTimes::In(vec![one]),
        ] {
            let mut wanted = newest.clone();
            wanted.retain(|_, event| times.contain(time(event)));
            let found = by_identity(&schema, table.events(table.all(), &times));
            prop_assert_eq!(&found, &wanted);
        }

        // One of the events.
        let one = stored(&schema, gone.get(&events));
        let (request, times) = read_event(&schema, &one.0).unwrap();
        let found = by_identity(&schema, table.events(request, &times));
        let mut wanted = newest.clone();
        wanted.retain(|_, event| event.0 == one.0);
        prop_assert_eq!(&found, &wanted);
        table.delete(gone.get(&events));
        all.retain(|_, event| event.0 != one.0);
        let found = by_identity(&schema, table.events(table.all(), &EventTimes::All));
        prop_assert_eq!(&found, &shown(&schema, &all));
    }
}
