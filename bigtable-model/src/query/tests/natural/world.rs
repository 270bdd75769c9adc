//! A model on a backend, and the content that it should have according to the documents.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;

use super::super::probe::Probe;
use super::codec::Encoded as _;
use super::event::{Cell, Event};
use super::expired::{self, Clocked, Rules, Stamps};
use super::judge::{Failure, check};
use super::maps::Named as _;
use super::model::Model;
use super::models::Drawn;
use super::question::{Ask, Order, Question, Test};
use super::rules::Refused;
use super::schema::{Stated as _, from_segment, to_segment};
use super::store::{Change, Identity, Store};
use super::value::Value;
use super::writes::{Action, Write};
use super::{calendar, errors};
use crate::backend::Backend;

use crate::backend::memory::ManualClock;
use crate::condition::{CheckedWrite, ColumnTest, under};
use crate::data::{FamilySchema, ReadRows, RowMutations, TableSchema};
use crate::key::SegmentValue;
use crate::model::stored::{
    ColumnChange, begin, delete_event, read_event, update_event, write_event_with,
};
use crate::model::{ModelSchema, RowEvents, Schema, UpdateWrite};
use crate::query::{self, SegmentSelection, Selection};
use crate::send::{send_checked, send_update};
use crate::{Error, Timestamp};

/// What identifies a row: names, and the time or the start of the bucket.
pub(super) type RowName = (Vec<Value>, i64);

pub(super) struct World {
    pub(super) drawn: Drawn,
    pub(super) schema: Schema,
    pub(super) db: Arc<dyn Backend>,
    /// Counts what is read; `None` for another server.
    pub(super) probe: Option<Probe>,
    pub(super) store: Store,
    /// The rows that were written, by table and key.
    pub(super) rows: BTreeMap<(String, Bytes), RowName>,
    /// The beginnings of the periods that have a table.
    pub(super) periods: BTreeSet<i64>,
    /// The rules of the families, and the time by which they delete.
    pub(super) rules: Rules,
    pub(super) clock_of_reads: ManualClock,
    pub(super) stamps: Stamps,
    /// Milliseconds; each write is later than the previous one.
    clock: i64,
}

impl World {
    pub(super) async fn new(
        db: Arc<dyn Backend>,
        probe: Option<Probe>,
        drawn: Drawn,
        rules: Rules,
    ) -> Self {
        let schema = ModelSchema {
            gc_rules: expired::to_library(&rules).into(),
            ..drawn.model.schema()
        };
        let clock_of_reads = ManualClock::default();
        let clock = clock_of_reads.clone();
        let world = Self {
            drawn,
            schema: Schema::from(schema),
            db: Arc::new(Clocked { inner: db, clock }),
            rules,
            clock_of_reads,
            stamps: Stamps::default(),
            probe,
            store: Store::default(),
            rows: BTreeMap::new(),
            periods: BTreeSet::new(),
            clock: 1_700_000_000_000,
        };
        if world.model().periods.is_none() {
            world.create("QUOTE").await;
        }
        world
    }

    pub(super) fn model(&self) -> &Model {
        &self.drawn.model
    }

    async fn create(&self, table: &str) {
        let families = self.schema.families().into_iter();
        let families = families.map(|name| {
            let family = FamilySchema {
                gc_rule: None,
                ..self.schema.family_schema(name)
            };
            (name.to_owned(), family)
        });
        let schema = TableSchema {
            table: table.to_owned(),
            families: families.collect(),
            ..TableSchema::default()
        };
        self.db.tables().create(schema, Vec::new()).await.unwrap();
    }

    fn now(&mut self) -> Timestamp {
        self.clock += 1;
        Timestamp::from_millis(self.clock)
    }

    /// The values of a key, and the columns as cells hold them.
    fn values(&self, names: &[Value], time: i64) -> Vec<SegmentValue> {
        let mut names = names.iter();
        let values = self
            .schema
            .key
            .valued()
            .map(|(_, segment)| match segment.role {
                role if role.is_named() => to_segment(names.next().expect("a name")),
                _ => SegmentValue::Time(Timestamp::from_micros(time)),
            });
        values.collect()
    }

    /// Whether the table of a time exists.
    pub(super) fn has_table(&self, time: i64) -> bool {
        self.model().periods.as_ref().is_none_or(|periods| {
            let stored = self.model().floor(time);
            let span = calendar::span_of(periods.span, periods.zone, stored);
            span.is_some_and(|(start, _)| self.periods.contains(&start))
        })
    }

    /// The table of a time by the calendar, created if missing.
    async fn table(&mut self, time: i64) -> Result<String, Failure> {
        let Some(periods) = self.model().periods.clone() else {
            return Ok("QUOTE".to_owned());
        };
        let stored = self.model().floor(time);
        let span = calendar::span_of(periods.span, periods.zone, stored);
        let (start, _) = span.expect("a period");
        let label = calendar::written(periods.format, periods.zone, start);
        let table = format!("QUOTE_{label}{}", periods.after);
        let found = self.schema.table_of(Some(Timestamp::from_micros(time)));
        let found = found.map_err(|error| format!("no table: {error:?}"))?;
        check!(found == table, "table {found} in place of {table}");
        if self.periods.insert(start) {
            self.create(&table).await;
        }
        Ok(table)
    }

    /// Sends a write, and compares its refusal, the condition's outcome, and what it leaves.
    pub(super) async fn write(&mut self, write: &Write) -> Result<(), Failure> {
        if write.is_undecided(self.model(), &self.store) {
            return Ok(());
        }
        let now = self.now();
        let values = self.values(&write.names, write.time);
        let refused = write.refused(self.model());
        let made = self.make(write, &values, now);
        let Some((key, made)) = self.model().judge_write(&refused, made)? else {
            return Ok(());
        };
        let table = self.table(write.time).await?;
        let identity = write.identity(self.model());
        self.note_row(&table, &key, &identity)?;
        let db = self.db.clone();
        let failed = |error| format!("the write failed: {error:?}");
        let applied = match made {
            Made::Row(row) => {
                let sent = db.mutate_row(&table, row).await;
                sent.map_err(|status| format!("the write failed: {status:?}"))?;
                true
            }
            Made::Nothing => true,
            Made::Update(update) => {
                send_update(&*db, &self.schema, update)
                    .await
                    .map_err(failed)?;
                true
            }
            Made::Delete(request, values) => {
                let rows =
                    futures::TryStreamExt::try_collect::<Vec<_>>(db.read_rows(request).rows());
                let rows = rows.await.map_err(|status| format!("{status:?}"))?;
                let cells = rows
                    .into_iter()
                    .flat_map(|row| row.cells)
                    .collect::<Vec<_>>();
                let row = delete_event(&self.schema, &values, &cells).map_err(failed)?;
                if let Some(row) = row {
                    let sent = db.mutate_row(&table, row).await;
                    sent.map_err(|status| format!("the delete failed: {status:?}"))?;
                }
                true
            }
            Made::Checked(checked) => send_checked(&*db, &self.schema, checked)
                .await
                .map_err(failed)?,
        };
        let test = write.test.as_ref();
        let seen = self.visible();
        let holds = test.is_none_or(|test| seen.holds(&self.drawn.model, &identity, test));
        check!(
            applied == holds,
            "written {applied}, but the condition is {holds}"
        );
        if holds {
            write.apply(&self.drawn.model, &mut self.store);
            expired::note(&mut self.stamps, write, &identity, now.as_micros());
        }
        Ok(())
    }

    /// The row of a write, and the request.
    fn make(
        &self,
        write: &Write,
        values: &[SegmentValue],
        now: Timestamp,
    ) -> Result<(Bytes, Made), Refused> {
        let schema = self.schema.clone();
        let table = schema.table_of(Some(Timestamp::from_micros(write.time)));
        let mut key = Vec::new();
        let encoded = schema.key.encode(values, &mut key);
        encoded.map_err(|error| errors::reason_of_key(self.model(), &error))?;
        table.map_err(|error| errors::reason(self.model(), &error))?;
        let refused = |error: Error| errors::reason(self.model(), &error);
        let test = write.test.as_ref();
        let test = test.map(|test| self.to_test(test)).transpose()?;
        let made = match (&write.action, test) {
            (Action::Insert(cells), test) => {
                let columns = cells.iter().enumerate().map(|(column, cell)| {
                    let cell = cell.as_ref().map(|cell| self.encode(column, cell));
                    cell.transpose()
                });
                let columns: Vec<_> = columns.collect::<Result<_, _>>()?;
                let (columns, entries) = self.model().parted(columns);
                let row = write_event_with(&schema, values, &columns, &entries, now);
                let row = row.map_err(refused)?;
                match test {
                    None => Made::Row(row),
                    Some(test) => Made::Checked(self.under(&test, values, row)?),
                }
            }
            (Action::Update(changes), test) => {
                let changes = changes.iter().map(|(column, change)| {
                    Ok((
                        self.model().id(*column).declared().expect("a field"),
                        match change {
                            Change::Set(cell) => ColumnChange::Set(self.encode(*column, cell)?),
                            Change::Clear => ColumnChange::Clear,
                            Change::Add(input) => ColumnChange::Add(*input),
                        },
                    ))
                });
                let changes: Vec<_> = changes.collect::<Result<_, _>>()?;
                let update = update_event(&schema, values, &changes, now).map_err(refused)?;
                match (update, test) {
                    (update, None) => Made::Update(update),
                    (UpdateWrite::Row(write), Some(test)) => {
                        Made::Checked(self.under(&test, values, write.row)?)
                    }
                    (UpdateWrite::Replacement(_), Some(_)) => {
                        unreachable!("no condition guards what reads first")
                    }
                }
            }
            (Action::Delete, Some(test)) => {
                let row = delete_event(&schema, values, &[]).map_err(refused)?;
                let row = row.expect("no condition guards what reads first");
                Made::Checked(self.under(&test, values, row)?)
            }
            (Action::Delete, None) if schema.deletes_what_it_reads() => {
                let (request, _) = read_event(&schema, values).map_err(refused)?;
                Made::Delete(request, values.to_vec())
            }
            (Action::Delete, None) => match delete_event(&schema, values, &[]).map_err(refused)? {
                Some(row) => Made::Row(row),
                None => Made::Nothing,
            },
        };
        // The row that holds the event, if its key is more than the row's.
        let row = match self.model().has_ties_in_cells() {
            true => read_event(&schema, values)
                .map_err(refused)?
                .0
                .rows
                .keys
                .swap_remove(0),
            false => key.into(),
        };
        Ok((row, made))
    }

    /// The mutations of an event's row under a condition.
    fn under(
        &self,
        test: &ColumnTest,
        values: &[SegmentValue],
        row: RowMutations,
    ) -> Result<CheckedWrite, Refused> {
        let made = begin(&self.schema, values).and_then(|event| under(event, test, row));
        made.map_err(|error| errors::reason(self.model(), &error))
    }

    fn encode(&self, column: usize, cell: &Cell) -> Result<Bytes, Refused> {
        let column = &self.model().columns[column];
        let bytes = column.codec.encode(cell);
        bytes.map_err(|_| Refused::Column(column.name))
    }

    /// Two events share a row if and only if they share names and bucket.
    fn note_row(
        &mut self,
        table: &str,
        key: &Bytes,
        (names, time): &Identity,
    ) -> Result<(), Failure> {
        let name = self.row_name(names, *time);
        let place = (table.to_owned(), key.clone());
        if let Some(known) = self.rows.get(&place) {
            check!(
                *known == name,
                "{place:?} is the row of {known:?} and of {name:?}"
            );
            return Ok(());
        }
        let twice = self.rows.iter().find(|(_, other)| **other == name);
        check!(twice.is_none(), "{name:?} has rows {place:?} and {twice:?}");
        self.rows.insert(place, name);
        Ok(())
    }

    /// The existing events.
    pub(super) fn events(&self) -> Vec<Event> {
        match self.rules.is_empty() {
            true => self.store.events(self.model()),
            false => self.visible().events(self.model()),
        }
    }

    pub(super) fn to_selection(&self, question: &Question) -> Selection {
        let segments = question.asks.iter().map(|ask| match ask {
            Ask::OneOf(values) => SegmentSelection::Values(values.iter().map(to_segment).collect()),
            Ask::Between(start, end) => SegmentSelection::Range(
                start.as_ref().map(to_segment),
                end.as_ref().map(to_segment),
            ),
            Ask::Begins(text) => SegmentSelection::Prefix(text.clone()),
        });
        let test = question.test.as_ref();
        let columns = question.columns.as_ref();
        let columns = columns.map(|columns| self.model().ids(columns));
        let (columns, entries) = columns.unzip();
        Selection {
            segments: segments.collect(),
            condition: test.map(|test| self.to_test(test).expect("values that columns hold")),
            columns,
            entries: entries.unwrap_or_default(),
            keys_only: question.keys_only,
            order: match question.order {
                Order::Time => query::Order::Time,
                Order::Key => query::Order::Key,
                Order::Any => query::Order::Any,
            },
            descending: question.descending,
            limit: question.limit.map(|limit| limit as u64),
            full_scan: question.full_scan,
            max_scans: question.max_scans,
            max_seeks: question.max_seeks,
            payload: Vec::new(),
            with_expired: false,
        }
    }

    /// The condition, with values as cells hold them.
    fn to_test(&self, test: &Test) -> Result<ColumnTest, Refused> {
        let several = |tests: &[Test]| -> Result<Vec<ColumnTest>, Refused> {
            tests.iter().map(|test| self.to_test(test)).collect()
        };
        let end = |column: usize, end: &Bound<Cell>| -> Result<Bound<Bytes>, Refused> {
            Ok(match end {
                Bound::Included(cell) => Bound::Included(self.encode(column, cell)?),
                Bound::Excluded(cell) => Bound::Excluded(self.encode(column, cell)?),
                Bound::Unbounded => Bound::Unbounded,
            })
        };
        Ok(match test {
            Test::Exists => ColumnTest::Exists,
            Test::Present(column) => ColumnTest::Present(self.model().id(*column)),
            Test::OneOf(column, cells) => {
                let cells = cells.iter().map(|cell| self.encode(*column, cell));
                ColumnTest::OneOf(self.model().id(*column), cells.collect::<Result<_, _>>()?)
            }
            Test::Between(column, start, last) => ColumnTest::Within(
                self.model().id(*column),
                end(*column, start)?,
                end(*column, last)?,
            ),
            Test::All(tests) => ColumnTest::All(several(tests)?),
            Test::Any(tests) => ColumnTest::Any(several(tests)?),
            Test::Not(test) => ColumnTest::Not(Box::new(self.to_test(test)?)),
        })
    }

    /// An event that was read.
    pub(super) fn to_event(&self, row: &RowEvents, index: usize) -> Result<Event, Error> {
        to_event(&self.schema, self.model(), row, index)
    }

    /// A reader of events that outlives the world.
    pub(super) fn reader(
        &self,
    ) -> impl Fn(&RowEvents, usize) -> Result<Event, Error> + Clone + Send + Sync + use<> {
        let (schema, model) = (self.schema.clone(), self.model().clone());
        move |row, index| to_event(&schema, &model, row, index)
    }
}

fn to_event(
    schema: &ModelSchema,
    model: &Model,
    row: &RowEvents,
    index: usize,
) -> Result<Event, Error> {
    let (values, columns) = row.values(index)?;
    let mut names = Vec::new();
    let mut time = 0;
    for ((_, segment), value) in schema.key.valued().zip(values) {
        match (segment.role, from_segment(value)) {
            (role, value) if role.is_named() => names.push(value),
            (_, Value::Time(micros)) => time = micros,
            (_, other) => panic!("{other:?} is no time"),
        }
    }
    let stored = model.joined(&columns, &row.entries(index));
    let columns = model.columns.iter().zip(stored);
    let cells = columns.map(|(column, bytes)| {
        let bytes = bytes.filter(|_| column.copy_of.is_none());
        bytes.map(|bytes| match column.codec.decode(&bytes) {
            Ok(cell) => cell,
            // Values that were not asked for.
            Err(_) => Cell::Bytes(bytes.to_vec()),
        })
    });
    Ok(Event {
        names,
        time,
        cells: cells.collect(),
    })
}

/// The request of a write.
enum Made {
    Row(RowMutations),
    Nothing,
    Update(UpdateWrite),
    /// The read before the delete, and the key's values.
    Delete(ReadRows, Vec<SegmentValue>),
    Checked(CheckedWrite),
}
