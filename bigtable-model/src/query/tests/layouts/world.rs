//! Events in a backend and in a list, and queries of both.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use proptest::prelude::*;

use super::case::{Drawn, DrawnAsk, DrawnEvent, DrawnQuery, DrawnTime};
use super::judge::floor;
use crate::backend::Backend;
use crate::data::{FamilySchema, Mutation, RowMutations, TableSchema};
use crate::key::{SegmentKind, SegmentRole, SegmentValue};
use crate::model::dynamic::write_event;
use crate::model::{Layout, ModelSchema};
use crate::query::page::page;
use crate::query::run::execute::events;
use crate::query::run::start::{live_tables, planned};
use crate::query::series::keys_of_series;
use crate::query::{Order, PageToken, Plan, SegmentSelection, Selection, plan};
use crate::{Error, QueryError, Timestamp};

/// An event as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stored {
    pub(super) values: Vec<SegmentValue>,
    time: Timestamp,
    pub(super) table: String,
    pub(super) key: Vec<u8>,
    pub(super) columns: Vec<Option<Bytes>>,
}

/// What a query gives of an event.
pub(super) type Read = (Vec<SegmentValue>, Vec<Option<Bytes>>);

pub(super) struct World {
    pub(super) drawn: Drawn,
    pub(super) schema: &'static ModelSchema,
    pub(super) db: Arc<dyn Backend>,
    /// What queries give.
    pub(super) events: Vec<Stored>,
    /// In layout `latest` the events that are stored, those behind the newest of their series too.
    stored: Vec<Stored>,
}

const TEXTS: [&str; 4] = ["a", "ab", "b", "zz"];
const NUMBERS: [u128; 4] = [0, 7, 100, 255];

/// One of an identifier's values; no event has the last.
fn value(kind: SegmentKind, index: usize) -> SegmentValue {
    match kind {
        SegmentKind::String => SegmentValue::String(TEXTS[index].to_owned()),
        _ => SegmentValue::Unsigned(NUMBERS[index]),
    }
}

/// The next time behind an event's.
fn after(stored: &Stored, grid: i64) -> Timestamp {
    Timestamp::from_micros(stored.time.as_micros() + grid)
}

fn open() -> SegmentSelection {
    SegmentSelection::Range(Bound::Unbounded, Bound::Unbounded)
}

impl World {
    pub(super) async fn new(
        db: Arc<dyn Backend>,
        drawn: Drawn,
        schema: ModelSchema,
        events: &[DrawnEvent],
    ) -> Self {
        let schema: &'static ModelSchema = Box::leak(Box::new(schema));
        let mut world = Self {
            drawn,
            schema,
            db,
            events: Vec::new(),
            stored: Vec::new(),
        };
        if let Some(table) = schema.table.fixed() {
            world.create(table).await;
        }
        for (number, event) in events.iter().enumerate() {
            world.write(number, event).await;
        }
        world
    }

    /// Creates a table, unless it is there; tables by period are there only where an event was.
    async fn create(&self, table: &str) {
        let schema = TableSchema {
            table: table.to_owned(),
            families: [("MD".to_owned(), FamilySchema::default())].into(),
        };
        let created = self.db.create_table(schema, Vec::new()).await;
        assert!(created.is_ok() || self.schema.table.by_period().is_some());
    }

    async fn write(&mut self, number: usize, event: &DrawnEvent) {
        let time = self.drawn.time(self.schema, event.at, event.edge);
        let mut identifiers = event.identifiers.iter();
        let values = self
            .schema
            .key
            .valued()
            .map(|(_, segment)| match segment.role {
                SegmentRole::Identifier => value(segment.kind, *identifiers.next().unwrap()),
                _ => SegmentValue::Time(time),
            });
        let values: Vec<_> = values.collect();
        let bid = Some(Bytes::from(format!("bid {number}")));
        let ask = event.ask.then(|| Bytes::from(format!("ask {number}")));
        let columns: Vec<_> = [bid, ask]
            .into_iter()
            .take(self.schema.columns.len())
            .collect();
        let now = Timestamp::from_millis(1_700_000_000_000 + number as i64);
        // Some labels begin at a time.
        let Ok(row) = write_event(self.schema, &values, &columns, now) else {
            return;
        };
        // Tables by period begin with 1970.
        let Ok(table) = self.schema.table_of(Some(time)) else {
            return;
        };
        if self.schema.table.by_period().is_some() {
            self.create(&table).await;
        }
        let key = row.key.to_vec();
        self.db.mutate_row(&table, row).await.unwrap();
        let stored = self.stored(values, table.into_owned(), key, columns);
        if self.schema.layout == Layout::Latest {
            return self.keep_newest(stored, event.edge == Some(1)).await;
        }
        if self.schema.layout != Layout::Qualifiers {
            self.events
                .retain(|other| other.key != stored.key || other.time != stored.time);
        }
        self.events.push(stored);
    }

    /// Leaves an event out when its series has a newer one. With `lone` a cell that is no event's is put in front of its column's others,
    /// as an update without an insert does.
    async fn keep_newest(&mut self, stored: Stored, lone: bool) {
        let place = |event: &Stored| (event.key.clone(), event.time);
        self.stored.retain(|other| place(other) != place(&stored));
        self.stored.push(stored.clone());
        if lone {
            let (time, ask) = (after(&stored, self.drawn.grid(self.schema)), "alone");
            self.update_ask(&stored.key, time, ask).await;
        }
        self.events = self.newest_without(&[]);
    }

    /// The newest event of each series, of those that are not gone.
    fn newest_without(&self, gone: &[&Stored]) -> Vec<Stored> {
        let mut newest: BTreeMap<&[u8], &Stored> = BTreeMap::new();
        for event in self.stored.iter().filter(|event| !gone.contains(event)) {
            let known = newest.entry(&event.key).or_insert(event);
            if event.time > known.time {
                *known = event;
            }
        }
        newest.into_values().cloned().collect()
    }

    /// What queries give when some of the events are gone.
    pub(super) fn without(&self, gone: &[&Stored]) -> Vec<Stored> {
        if self.schema.layout == Layout::Latest {
            return self.newest_without(gone);
        }
        let stay = self.events.iter().filter(|event| !gone.contains(event));
        stay.cloned().collect()
    }

    /// Sets the second column of whatever event is at a time.
    async fn update_ask(&mut self, key: &[u8], time: Timestamp, ask: &'static str) {
        let row = RowMutations {
            key: Bytes::copy_from_slice(key),
            mutations: vec![Mutation::SetCell {
                family: "MD".into(),
                qualifier: "ASK".into(),
                timestamp_micros: time.as_micros(),
                value: ask.into(),
            }],
        };
        self.db.mutate_row("QUOTE", row).await.unwrap();
        let mut events = self.stored.iter_mut();
        if let Some(event) = events.find(|event| event.key == key && event.time == time) {
            event.columns[1] = Some(ask.into());
        }
    }

    fn stored(
        &self,
        values: Vec<SegmentValue>,
        table: String,
        key: Vec<u8>,
        columns: Vec<Option<Bytes>>,
    ) -> Stored {
        let mut values = values;
        let mut stored = Timestamp::default();
        for (_, value) in self.schema.key.valued().zip(&mut values) {
            if let SegmentValue::Time(time) = value {
                *time = floor(*time, self.drawn.grid(self.schema));
                stored = *time;
            }
        }
        Stored {
            values,
            time: stored,
            table,
            key,
            columns,
        }
    }

    pub(super) async fn check(&self, query: &DrawnQuery) -> Result<(), TestCaseError> {
        let selection = self.selection(query);
        let planned = match plan(self.schema, &selection) {
            Err(error) if is_open(&error) => {
                self.check_refusal(&selection, &error)?;
                planned(&*self.db, self.schema, &selection).await
            }
            planned => planned,
        };
        let plan = match planned {
            Ok(plan) => plan,
            Err(error) => return self.check_refusal(&selection, &error),
        };
        self.check_rows(&selection, &plan)?;
        let expected = self.expected(&selection);
        let found = self.run(plan).await;
        let expected_reads: Vec<Read> = expected.iter().map(|one| read(one, &selection)).collect();
        let found_reads: Vec<Read> = found
            .into_iter()
            .map(|(values, columns)| trimmed(values, columns, &selection))
            .collect();
        let context = || format!("{:?}\n{:?}\n{:?}", self.schema, selection, self.events);
        if selection.order == Order::Any {
            let limit = selection.limit.unwrap_or(u64::MAX) as usize;
            prop_assert_eq!(
                found_reads.len(),
                expected_reads.len().min(limit),
                "{}",
                context()
            );
            let mut left = expected_reads;
            for one in found_reads {
                let at = left.iter().position(|other| *other == one);
                prop_assert!(at.is_some(), "{:?} twice or not wanted: {}", one, context());
                left.remove(at.unwrap());
            }
        } else {
            prop_assert_eq!(&found_reads, &expected_reads, "{}", context());
            let pages = self.pages(&selection, query.page).await;
            prop_assert_eq!(
                &pages,
                &expected_reads,
                "by pages of {}: {}",
                query.page,
                context()
            );
        }
        self.check_series(&selection).await
    }

    pub(super) fn selection(&self, query: &DrawnQuery) -> Selection {
        let segments: Vec<_> = self.schema.key.valued().collect();
        let depth = query.depth.min(segments.len());
        let asked = segments.iter().take(depth).zip(&query.segments).enumerate();
        let asked = asked.map(|(at, ((_, segment), ask))| {
            let closes = at + 1 == depth || query.full_scan;
            match segment.role {
                _ if ask.kind == 9 && query.full_scan => open(),
                SegmentRole::Identifier => identifier(segment.kind, ask, closes),
                role => self.time(ask, closes || role == SegmentRole::Bucket),
            }
        });
        Selection {
            segments: asked.collect(),
            condition: query.condition.clone().map(|test| self.of_columns(test)),
            columns: query.columns.clone(),
            keys_only: query.keys_only,
            order: match query.order {
                0..=2 => Order::Time,
                3 => Order::Key,
                _ => Order::Any,
            },
            descending: query.descending,
            limit: query.limit,
            full_scan: query.full_scan,
            max_scans: 1_000,
        }
    }

    fn time(&self, ask: &DrawnAsk, closes: bool) -> SegmentSelection {
        let mut times: Vec<_> = ask.times.iter().map(|time| self.drawn_time(time)).collect();
        if ask.kind >= 8 || !closes {
            return SegmentSelection::Values(times.into_iter().map(SegmentValue::Time).collect());
        }
        times.sort();
        let bound = |included: bool, time: Timestamp| match included {
            true => Bound::Included(SegmentValue::Time(time)),
            false => Bound::Excluded(SegmentValue::Time(time)),
        };
        let start = bound(ask.bounds.0 > 0, times[0]);
        let end = bound(ask.bounds.1 == 0, times[1]);
        match ask.kind {
            0..=4 => SegmentSelection::Range(start, end),
            5 => SegmentSelection::Range(start, Bound::Unbounded),
            6 => SegmentSelection::Range(Bound::Unbounded, end),
            _ => open(),
        }
    }

    fn drawn_time(&self, time: &DrawnTime) -> Timestamp {
        match &time.of_event {
            Some(index) if !self.events.is_empty() => {
                let of_event = index.get(&self.events).time;
                let step = time.edge.unwrap_or_default() * self.drawn.grid(self.schema);
                Timestamp::from_micros(of_event.as_micros() + step)
            }
            _ => self.drawn.time(self.schema, time.at, time.edge),
        }
    }

    /// The events that a query gives, in its order.
    pub(super) fn expected(&self, selection: &Selection) -> Vec<&Stored> {
        let mut expected: Vec<_> = self
            .events
            .iter()
            .filter(|event| self.selects(selection, event))
            .collect();
        expected.sort_by(|a, b| {
            let by_time = a
                .time
                .cmp(&b.time)
                .then_with(|| self.schema.key.compare_unsalted(&a.key, &b.key))
                .then_with(|| a.columns.cmp(&b.columns));
            let by_key = (&a.key, a.time, &a.columns).cmp(&(&b.key, b.time, &b.columns));
            let order = if selection.order == Order::Time {
                by_time
            } else {
                by_key
            };
            if selection.descending {
                order.reverse()
            } else {
                order
            }
        });
        let limit = selection.limit.map_or(usize::MAX, |limit| limit as usize);
        if selection.order != Order::Any {
            expected.truncate(limit);
        }
        expected
    }

    pub(super) async fn run(&self, plan: Plan) -> Vec<Read> {
        let mut running = events(&*self.db, self.schema, plan).unwrap();
        let mut found = Vec::new();
        while let Some(next) = running.next().await {
            next.unwrap();
            let (row, index) = running.current().unwrap();
            found.push(row.values(index).unwrap());
        }
        found
    }

    async fn pages(&self, selection: &Selection, size: u64) -> Vec<Read> {
        let mut found = Vec::new();
        let mut token: Option<PageToken> = None;
        loop {
            // What a token becomes on its way to a browser and back.
            let text = token.map(|token| token.to_string());
            let token_again = text.map(|text| text.parse::<PageToken>().unwrap());
            let read = |row: &crate::model::RowEvents, index| row.values(index);
            let page = page(
                &*self.db,
                self.schema,
                selection.clone(),
                size,
                token_again.as_ref(),
                read,
            );
            let page = page.await.unwrap();
            assert!(page.events.len() as u64 <= size);
            let reads = page.events.into_iter();
            found.extend(reads.map(|(values, columns)| trimmed(values, columns, selection)));
            match page.next {
                Some(next) => token = Some(next),
                None => return found,
            }
        }
    }

    async fn check_series(&self, selection: &Selection) -> Result<(), TestCaseError> {
        let live = live_tables(&*self.db, self.schema, selection)
            .await
            .unwrap();
        let (schema, live) = (self.schema, live.as_deref());
        let Ok(found) = keys_of_series(&*self.db, schema, selection.clone(), live).await else {
            return Ok(());
        };
        let all = self
            .events
            .iter()
            .filter(|event| self.selects(selection, event));
        let all: BTreeSet<String> = all.map(|event| self.series(&event.values)).collect();
        let found: Vec<String> = found
            .iter()
            .map(|key| self.series(&self.schema.key.decode(key).unwrap()))
            .collect();
        let once: HashSet<_> = found.iter().collect();
        prop_assert_eq!(once.len(), found.len());
        prop_assert!(found.iter().all(|one| all.contains(one)));
        let limit = selection.limit.unwrap_or(u64::MAX) as usize;
        prop_assert_eq!(
            found.len(),
            all.len().min(limit),
            "{:?} {:?}",
            self.schema,
            selection
        );
        Ok(())
    }

    fn series(&self, values: &[SegmentValue]) -> String {
        let identifiers = self.schema.key.valued().zip(values);
        let identifiers = identifiers.filter(|((_, one), _)| one.role == SegmentRole::Identifier);
        format!(
            "{:?}",
            identifiers.map(|(_, value)| value).collect::<Vec<_>>()
        )
    }
}

fn identifier(kind: SegmentKind, ask: &DrawnAsk, closes: bool) -> SegmentSelection {
    let values: Vec<_> = ask.values.iter().map(|index| value(kind, *index)).collect();
    let bound = |how: usize, value: SegmentValue| match how {
        0 => Bound::Unbounded,
        1 => Bound::Included(value),
        _ => Bound::Excluded(value),
    };
    match (ask.kind, values.first(), closes) {
        (6 | 7, Some(first), true) => {
            let last = values.last().unwrap();
            SegmentSelection::Range(
                bound(ask.bounds.0, first.clone()),
                bound(ask.bounds.1, last.clone()),
            )
        }
        (8, Some(SegmentValue::String(text)), true) => SegmentSelection::Prefix(text.clone()),
        _ => SegmentSelection::Values(values),
    }
}

/// Whether the tables have to be listed.
fn is_open(error: &Error) -> bool {
    let Error::Query { source, .. } = error else {
        return false;
    };
    matches!(source, QueryError::OpenPeriods { .. })
}

pub(super) fn read(event: &Stored, selection: &Selection) -> Read {
    trimmed(event.values.clone(), event.columns.clone(), selection)
}

/// What the query asked for of an event.
fn trimmed(values: Vec<SegmentValue>, columns: Vec<Option<Bytes>>, selection: &Selection) -> Read {
    let columns = match (&selection.columns, selection.keys_only) {
        (_, true) => Vec::new(),
        (Some(_), false) => columns.into_iter().take(1).collect(),
        (None, false) => columns,
    };
    (values, columns)
}
