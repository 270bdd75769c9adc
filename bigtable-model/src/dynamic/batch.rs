//! Many events, column by column.

use std::fmt;
use std::ops::Range;

use bytes::Bytes;

use super::model::{Field, Named, of_segment};
use super::values::{ColumnValues, SegmentValues, number};
use super::{AnyModel, Value};
use crate::error::ModelError;
use crate::key::{SegmentRole, SegmentValue};
use crate::model::{ColumnId, ReadError, RowEvents, shown};
use crate::query::Selection;
use crate::{Error, Timestamp};

/// Events of a model: the values of their keys, and a typed list of the present values of each
/// column.
#[derive(Debug, Clone)]
pub struct EventBatch {
    model: AnyModel,
    len: usize,
    /// One list for each segment of the key that has values.
    keys: Vec<SegmentValues>,
    /// One list for each of the schema's columns; those that repeat a segment stay empty.
    columns: Vec<ColumnValues>,
    /// The run-time columns of each event, by their names; empty if the model has none.
    entries: Vec<Vec<(Bytes, Value)>>,
}

/// The values of one event: of the key's segments, the columns and the run-time columns.
pub(super) struct Fields {
    keys: Vec<SegmentValue>,
    columns: Vec<Option<Value>>,
    entries: Vec<(Bytes, Value)>,
}

/// One event of a batch. Its `Display` shows the present fields: `symbol=ZXZZT bid=600.5`.
#[derive(Clone, Copy)]
pub struct Event<'a> {
    batch: &'a EventBatch,
    index: usize,
}

impl EventBatch {
    /// A batch without events.
    #[must_use]
    pub fn new(model: &AnyModel) -> Self {
        Self {
            model: model.clone(),
            len: 0,
            keys: vec![SegmentValues::default(); model.schema().key.valued().count()],
            columns: vec![ColumnValues::default(); model.schema().columns.len()],
            entries: Vec::new(),
        }
    }

    /// The model of its events.
    #[must_use]
    pub fn model(&self) -> &AnyModel {
        &self.model
    }

    /// How many events there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The values of a segment of the key, one for each event.
    #[must_use]
    pub fn segment(&self, field: &str) -> Option<&SegmentValues> {
        match self.model.field(field).ok()? {
            Field::Segment(at, _) => self.keys.get(at),
            Field::Column(..) => None,
        }
    }

    /// The values of a column, one for each event.
    #[must_use]
    pub fn column(&self, field: &str) -> Option<&ColumnValues> {
        match self.model.field(field).ok()? {
            Field::Column(at, _) => self.columns.get(at),
            Field::Segment(..) => None,
        }
    }

    /// The times of the events, with the values of a numeric column, integers as the nearest float:
    /// a series for windows and other [operations](crate::series) that makes no events. A run-time
    /// column is named by its `family:qualifier`. `None` if there is no such column, or if events
    /// have no time.
    ///
    /// ```
    /// use bigtable_model::dynamic::AnyQuery;
    /// use bigtable_model::series::{Length, SeriesExt as _, Windows, mean, of};
    /// # use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
    /// # #[derive(Model)]
    /// # #[bigtable(table = "READING", family = "R")]
    /// # struct Reading {
    /// #     #[bigtable(key)]
    /// #     sensor: String,
    /// #     #[bigtable(time)]
    /// #     at: Timestamp,
    /// #     celsius: f64,
    /// # }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), bigtable_model::Error> {
    /// # let db = MemoryBackend::new();
    /// # db.ensure_tables::<Reading>().await?;
    /// # for (minute, celsius) in [(0, 19.0), (20, 21.0), (70, 22.0)] {
    /// #     let at = Timestamp::from_seconds(1_714_521_600 + minute * 60);
    /// #     db.insert(&Reading { sensor: "attic".into(), at, celsius }).await?;
    /// # }
    /// let readings = Reading::query().sensor("attic");
    /// let batch = db.fetch(&AnyQuery::by_column(&readings)).await?;
    /// let celsius = batch.numbers("celsius").expect("it is a number");
    /// let mut hours = of(celsius)
    ///     .timed(|(at, _)| *at)
    ///     .windows(Windows::tumbling(Length::hours(1)))
    ///     .aggregate(mean(|(_, celsius): &(Timestamp, Option<f64>)| *celsius));
    /// let first = hours.try_next().await?.expect("there are readings");
    /// assert_eq!(first.value, Some(20.0));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn numbers(
        &self,
        field: &str,
    ) -> Option<impl Iterator<Item = (Timestamp, Option<f64>)> + '_> {
        let (_, segment) = self.model.schema().key.time_segment()?;
        let times = self.segment(&segment.name)?.times();
        let Named::Column(column) = self.model.named(field).ok()? else {
            return None;
        };
        let of = self.model.column_type(&column)?;
        let declared = column.declared().and_then(|at| self.columns.get(at));
        let declared = declared.map(ColumnValues::numbers).into_iter().flatten();
        let of_map = column.entry().map(|_| {
            let name = field.to_owned();
            self.events().map(move |event| number(event.entry(&name)?))
        });
        let numbers = declared.chain(of_map.into_iter().flatten());
        of.is_number().then(|| times.iter().copied().zip(numbers))
    }

    /// The event at an index.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Event<'_>> {
        (index < self.len).then_some(Event { batch: self, index })
    }

    /// The events in order.
    pub fn events(&self) -> impl Iterator<Item = Event<'_>> {
        (0..self.len).map(|index| Event { batch: self, index })
    }

    /// Adds an event by the names and values of its fields. A field that is left out is absent.
    ///
    /// # Errors
    /// [`Error::ByName`] for an unknown field name, a missing field, or a value that the field
    /// cannot have. The batch is then unchanged.
    pub fn push<'f>(
        &mut self,
        fields: impl IntoIterator<Item = (&'f str, Value)>,
    ) -> Result<(), Error> {
        self.push_with(fields, [])
    }

    /// The same with run-time columns, by their names: `family:qualifier`.
    ///
    /// # Errors
    /// Those of [`push`](EventBatch::push), and for a family without run-time columns. A column
    /// that the model declares is refused when the batch is written.
    pub fn push_with<'f>(
        &mut self,
        fields: impl IntoIterator<Item = (&'f str, Value)>,
        entries: impl IntoIterator<Item = (Bytes, Value)>,
    ) -> Result<(), Error> {
        let made = self.made(fields).and_then(|made| {
            let entries = entries.into_iter().map(|(name, value)| {
                let (map, qualifier) = self.model.entry(&name)?;
                let value = self.stored(&ColumnId::Entry(map, qualifier), &value)?;
                Ok((name, value))
            });
            let entries = entries.collect::<Result<_, _>>()?;
            Ok(Fields { entries, ..made })
        });
        let made = made.map_err(|source| self.model.refused(source))?;
        self.add(made);
        Ok(())
    }

    fn made<'f>(
        &self,
        fields: impl IntoIterator<Item = (&'f str, Value)>,
    ) -> Result<Fields, ModelError> {
        let mut keys: Vec<Option<SegmentValue>> = vec![None; self.keys.len()];
        let mut columns: Vec<Option<Value>> = vec![None; self.columns.len()];
        for (name, value) in fields {
            match self.model.field(name)? {
                Field::Segment(at, segment) => {
                    self.model.check_own_segment((at, segment))?;
                    let value = self.model.segment_value((at, segment), &value)?;
                    if let Some(place) = keys.get_mut(at) {
                        *place = Some(value);
                    }
                }
                Field::Column(at, _) => {
                    let value = self.stored(&ColumnId::Declared(at), &value)?;
                    if let Some(place) = columns.get_mut(at) {
                        *place = Some(value);
                    }
                }
            }
        }
        let missing = |field: &str| ModelError::MissingField {
            index: self.len,
            field: field.to_owned(),
        };
        let segments = self.model.schema().key.valued().zip(keys);
        let keys =
            segments.map(|((_, segment), value)| value.ok_or_else(|| missing(&segment.name)));
        let keys = keys.collect::<Result<_, _>>()?;
        for (at, column) in self.model.columns() {
            if !column.optional && columns.get(at).is_none_or(Option::is_none) {
                return Err(missing(&column.field));
            }
        }
        Ok(Fields {
            keys,
            columns,
            entries: Vec::new(),
        })
    }

    /// The value as which a column would be read.
    fn stored(&self, column: &ColumnId, value: &Value) -> Result<Value, ModelError> {
        let bytes = self.model.encode(column, value)?;
        match self.model.column_type(column) {
            Some(of) => {
                let read = of.decode(&bytes);
                read.map_err(|source| self.model.refused_value(column, source))
            }
            None => Ok(value.clone()),
        }
    }

    /// Adds an event of the model.
    pub(super) fn add(&mut self, event: Fields) {
        for (list, value) in self.keys.iter_mut().zip(event.keys) {
            list.push(value);
        }
        for (list, value) in self.columns.iter_mut().zip(event.columns) {
            list.push(value);
        }
        if !self.model.described().maps.is_empty() {
            self.entries.push(event.entries);
        }
        self.len += 1;
    }

    /// Adds consecutive events of a row, with the `asked` columns or all of them. False if one of
    /// them cannot be read; then nothing is added.
    pub(super) fn add_run(
        &mut self,
        row: &RowEvents,
        events: Range<usize>,
        asked: Option<&[usize]>,
    ) -> bool {
        let is_added = self.extend(row, events, asked).is_some();
        if !is_added {
            self.keys
                .iter_mut()
                .for_each(|list| list.truncate(self.len));
            let columns = self.columns.iter_mut();
            columns.for_each(|list| list.truncate(self.len));
        }
        is_added
    }

    fn extend(
        &mut self,
        row: &RowEvents,
        events: Range<usize>,
        asked: Option<&[usize]>,
    ) -> Option<()> {
        if !self.model.described().maps.is_empty() || events.is_empty() {
            return None;
        }
        match row.has_keys_of_events() {
            false => self.extend_keys(row, events.clone())?,
            true => {
                for event in events.clone() {
                    self.extend_keys(row, event..event + 1)?;
                }
            }
        }
        let types = self.model.described().columns.iter().enumerate();
        for ((slot, of), list) in types.zip(&mut self.columns) {
            let column = self.model.schema().columns.get(slot);
            let is_read = column.is_some_and(|one| one.copy_of.is_none())
                && asked.is_none_or(|asked| asked.contains(&slot));
            match is_read {
                true => list.extend(of.form(), row, events.clone(), slot)?,
                false => list.extend_absent(events.len()),
            }
        }
        self.len += events.len();
        Some(())
    }

    /// Adds the keys of some events of a row, which have the same key except for their times.
    fn extend_keys(&mut self, row: &RowEvents, events: Range<usize>) -> Option<()> {
        let keys = row.key_values(events.start).ok()?;
        let roles = self.model.schema().key.valued().map(|(_, one)| one.role);
        for ((list, value), role) in self.keys.iter_mut().zip(keys).zip(roles) {
            match value {
                // Any other time is the same in the whole row.
                SegmentValue::Time(_) if role == SegmentRole::Bucket => {
                    list.add_times(row, events.clone());
                }
                SegmentValue::Time(time) => list.repeat_time(time, events.len()),
                value => list.add(value, events.len()),
            }
        }
        Some(())
    }

    /// The values of an event's key.
    pub(super) fn key(&self, index: usize) -> Vec<SegmentValue> {
        let values = self.keys.iter().filter_map(|list| list.get(index));
        values.collect()
    }

    /// The stored forms of an event's columns.
    pub(super) fn bytes(&self, index: usize) -> Result<Vec<Option<Bytes>>, ModelError> {
        let columns = self.columns.iter().enumerate().map(|(at, list)| {
            let value = list.get(index);
            let column = ColumnId::Declared(at);
            value
                .map(|value| self.model.encode(&column, &value))
                .transpose()
        });
        columns.collect()
    }

    /// An event's run-time columns: the index of the map, qualifier and stored form.
    pub(super) fn entry_bytes(
        &self,
        index: usize,
    ) -> Result<Vec<(usize, Bytes, Bytes)>, ModelError> {
        let entries = self.entries.get(index).into_iter().flatten();
        let entries = entries.map(|(name, value)| {
            let (map, qualifier) = self.model.entry(name)?;
            let column = ColumnId::Entry(map, qualifier.clone());
            Ok((map, qualifier, self.model.encode(&column, value)?))
        });
        entries.collect()
    }
}

impl Fields {
    /// The values of a row's event, with the columns of the selection or all of them.
    pub(super) fn read(
        model: &AnyModel,
        row: &RowEvents,
        index: usize,
        selection: &Selection,
    ) -> Result<Self, Error> {
        let asked = selection.columns.as_deref();
        let at = |error| row.at_event(model.schema(), index, error);
        let (keys, stored) = row.values(index)?;
        let described = model.described();
        let types = described.columns.iter().zip(stored).enumerate();
        let columns = types.map(|(column, (of, bytes))| {
            // The presence column is always read.
            let is_asked = asked.is_none_or(|asked| asked.contains(&column));
            let value = bytes.filter(|_| is_asked).map(|bytes| of.decode(&bytes));
            let value = value.transpose();
            value.map_err(|source| at(ReadError::Column(column, source)))
        });
        let columns = columns.collect::<Result<_, Error>>()?;
        let is_asked = |map: usize, name: &[u8]| {
            let mut named = selection.entries.iter();
            asked.is_none() || named.any(|(at, one)| *at == map && *one == name)
        };
        let entries = row.entries(index).into_iter();
        let entries = entries.filter(|(map, name, _)| is_asked(*map, name));
        let entries = entries.map(|(map, qualifier, bytes)| {
            let value = match described.maps.get(map) {
                Some(of) => of.decode(&bytes),
                None => Ok(Value::Bytes(bytes)),
            };
            let value =
                value.map_err(|source| at(ReadError::Entry(map, shown(&qualifier), source)))?;
            Ok((model.entry_name(map, &qualifier), value))
        });
        Ok(Self {
            keys,
            columns,
            entries: entries.collect::<Result<_, Error>>()?,
        })
    }
}

impl<'a> Event<'a> {
    /// The value of a field, or of a run-time column by its name, `family:qualifier`; `None` if the
    /// event or the model lacks it.
    #[must_use]
    pub fn value(&self, field: &str) -> Option<Value> {
        match self.batch.model.field(field) {
            Ok(field) => self.of(field),
            Err(_) => self.entry(field).cloned(),
        }
    }

    /// The value of a run-time column.
    fn entry(self, name: &str) -> Option<&'a Value> {
        let mut entries = self.entries().iter();
        let found = entries.find(|(one, _)| one == name.as_bytes());
        found.map(|(_, value)| value)
    }

    /// The present fields of the event, those of the key first.
    pub fn values(&self) -> impl Iterator<Item = (&'a str, Value)> + use<'a> {
        let event = *self;
        self.batch.model.all().filter_map(move |field| {
            let name = match field {
                Field::Segment(_, segment) => &*segment.name,
                Field::Column(_, column) => &*column.field,
            };
            Some((name, event.of(field)?))
        })
    }

    /// The event's run-time columns: their names, `family:qualifier`, and values.
    #[must_use]
    pub fn entries(&self) -> &'a [(Bytes, Value)] {
        self.batch
            .entries
            .get(self.index)
            .map_or(&[], Vec::as_slice)
    }

    fn of(&self, field: Field<'_>) -> Option<Value> {
        match field {
            Field::Segment(at, _) => {
                let value = self.batch.keys.get(at)?.get(self.index)?;
                Some(of_segment(&value))
            }
            Field::Column(at, _) => self.batch.columns.get(at)?.get(self.index),
        }
    }
}

/// Sensitive values as `***`.
impl fmt::Display for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (name, value) in self.values() {
            match self.batch.model.is_sensitive(name) {
                true => write!(f, "{separator}{name}=***")?,
                false => write!(f, "{separator}{name}={value}")?,
            }
            separator = " ";
        }
        for (qualifier, value) in self.entries() {
            write!(f, "{separator}{}={value}", qualifier.escape_ascii())?;
            separator = " ";
        }
        Ok(())
    }
}

/// Sensitive values as `***`.
impl fmt::Debug for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self
            .values()
            .map(|(name, value)| match self.batch.model.is_sensitive(name) {
                true => (name, Value::from("***")),
                false => (name, value),
            });
        f.debug_map().entries(shown).finish()
    }
}
