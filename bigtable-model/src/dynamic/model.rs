//! A model as a value.

use std::sync::Arc;

use bytes::Bytes;

use crate::Error;
use crate::error::ModelError;
use crate::key::{Segment, SegmentKind, SegmentValue};
use crate::lock::Lock;
use crate::model::{
    ColumnId, ColumnSchema, ColumnType, Described, Effect, Model, ModelSchema, Schema, Value,
    single,
};
use crate::value::ValueError;

/// A model as a value: the model of a struct, or one described in a lock file. Clones share it.
#[derive(Debug, Clone)]
pub struct AnyModel(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    described: Described,
    /// Whether the schema belongs to a struct, with the functions that it names.
    has_code: bool,
}

/// A field of a model.
#[derive(Debug, Clone, Copy)]
pub(super) enum Field<'a> {
    /// A segment of the key: its index among those with values.
    Segment(usize, &'a Segment),
    /// A column: its index in [`ModelSchema::columns`].
    Column(usize, &'a ColumnSchema),
}

/// A field, or a column named at run time.
pub(super) enum Named<'m> {
    /// The index among the segments that have values.
    Segment(usize, &'m Segment),
    Column(ColumnId),
}

impl AnyModel {
    /// The model of a struct.
    #[must_use]
    pub fn of<M: Model>() -> Self {
        Self(Arc::new(Inner {
            described: Described::of::<M>(),
            has_code: true,
        }))
    }

    /// A model of a lock file, by the name of its struct.
    ///
    /// # Errors
    /// [`ModelError::NotLocked`] if the file does not describe it, [`ModelError::Malformed`] if its
    /// description does not match its stored form.
    pub fn of_lock(lock: &Lock, model: &str) -> Result<Self, Error> {
        let locked = lock.models.get(model);
        let Some((locked, described)) =
            locked.and_then(|one| Some((one, one.described.as_deref()?)))
        else {
            let known = lock
                .models
                .iter()
                .filter(|(_, one)| one.described.is_some());
            let known: Vec<_> = known.map(|(name, _)| name.as_str()).collect();
            return Err(Error::ByName {
                table: String::new(),
                model: model.to_owned(),
                source: ModelError::NotLocked {
                    known: known.join(", "),
                },
            });
        };
        let schema = &described.schema;
        let (table, key) = (schema.table.to_string(), schema.key.to_string());
        if (&locked.table, &locked.key) != (&table, &key) {
            let reason = format!("it has keys `{key}` in table {table}, the stored form others");
            return Err(malformed(described, reason));
        }
        Self::of_described(described.clone())
    }

    /// A model by its description.
    ///
    /// # Errors
    /// [`ModelError::Malformed`] if its parts do not belong together.
    pub fn of_described(described: Described) -> Result<Self, Error> {
        if let Err(reason) = described.check() {
            return Err(malformed(&described, reason.to_owned()));
        }
        Ok(Self(Arc::new(Inner {
            described,
            has_code: false,
        })))
    }

    /// Its schema.
    #[must_use]
    pub fn schema(&self) -> &ModelSchema {
        &self.0.described.schema
    }

    /// The types of its fields, and the effects of a write.
    #[must_use]
    pub fn described(&self) -> &Described {
        &self.0.described
    }

    /// The names of its fields: those of the key in its order, then the columns.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.all().map(|field| match field {
            Field::Segment(_, segment) => &*segment.name,
            Field::Column(_, column) => &*column.field,
        })
    }

    /// Whether the values of a field are kept out of errors and output: `#[bigtable(sensitive)]`.
    #[must_use]
    pub fn is_sensitive(&self, field: &str) -> bool {
        let mut columns = self.schema().columns.iter();
        columns.any(|column| column.sensitive && column.field == field)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = Field<'_>> {
        let segments = self.schema().key.valued().enumerate();
        let segments = segments.map(|(at, (_, segment))| Field::Segment(at, segment));
        segments.chain(self.columns().map(|(at, one)| Field::Column(at, one)))
    }

    /// The columns that do not repeat a segment of the key.
    pub(super) fn columns(&self) -> impl Iterator<Item = (usize, &ColumnSchema)> {
        let columns = self.schema().columns.iter().enumerate();
        columns.filter(|(_, column)| column.copy_of.is_none())
    }

    /// A run-time column by its name, `family:qualifier`: the index of its map, and its qualifier.
    pub(super) fn entry(&self, name: &Bytes) -> Result<(usize, Bytes), ModelError> {
        let of_name = || {
            let colon = name.iter().position(|byte| *byte == b':')?;
            let family = name.get(..colon)?;
            let mut maps = self.schema().maps();
            let map = maps.position(|one| one.as_bytes() == family)?;
            Some((map, name.slice(colon + 1..)))
        };
        of_name().ok_or_else(|| {
            let maps = self.schema().maps().map(|family| format!("{family}:..."));
            let fields = self.fields().map(str::to_owned);
            ModelError::UnknownField {
                field: name.escape_ascii().to_string(),
                known: fields.chain(maps).collect::<Vec<_>>().join(", "),
            }
        })
    }

    /// A segment or a column by the name of its field, or a run-time column by its name.
    pub(super) fn named(&self, name: &str) -> Result<Named<'_>, ModelError> {
        Ok(match self.field(name) {
            Ok(Field::Segment(at, segment)) => Named::Segment(at, segment),
            Ok(Field::Column(at, _)) => Named::Column(ColumnId::Declared(at)),
            Err(_) => {
                let (map, name) = self.entry(&Bytes::copy_from_slice(name.as_bytes()))?;
                Named::Column(ColumnId::Entry(map, name))
            }
        })
    }

    /// The type of a column's values.
    pub(super) fn column_type(&self, column: &ColumnId) -> Option<&ColumnType> {
        match column {
            ColumnId::Declared(index) => self.described().columns.get(*index),
            ColumnId::Entry(map, _) => self.described().maps.get(*map),
        }
    }

    /// The name of a run-time column.
    pub(super) fn entry_name(&self, map: usize, qualifier: &[u8]) -> Bytes {
        let family = self.schema().map_families.get(map);
        let family = family.map_or("", |family| &**family);
        [family.as_bytes(), b":", qualifier].concat().into()
    }

    pub(super) fn shared_schema(&self) -> &Schema {
        &self.0.described.schema
    }

    pub(super) fn field(&self, name: &str) -> Result<Field<'_>, ModelError> {
        let mut fields = self.all();
        let found = fields.find(|field| match field {
            Field::Segment(_, segment) => segment.name == name,
            Field::Column(_, column) => column.field == name,
        });
        found.ok_or_else(|| ModelError::UnknownField {
            field: name.to_owned(),
            known: self.fields().collect::<Vec<_>>().join(", "),
        })
    }

    pub(super) fn refused(&self, source: ModelError) -> Error {
        Error::ByName {
            table: self.schema().table.to_string(),
            model: self.schema().model.to_string(),
            source,
        }
    }

    /// Refuses reads that need the struct.
    pub(super) fn check_reads(&self) -> Result<(), Error> {
        let effects = self.described().effects.iter();
        let mut unread = effects.filter(|_| !self.0.has_code).filter_map(|one| match one {
            Effect::Former(name) => Some(format!(
                "events of the former layout `{name}` are converted by `From`; `former::finish` there makes them readable here"
            )),
            Effect::Salt(name) => Some(format!("the salt is computed by `{name}`")),
            _ => None,
        });
        match unread.next() {
            Some(effect) => Err(self.refused(ModelError::Reads { effect })),
            None => Ok(()),
        }
    }

    /// Refuses writes that need the struct.
    pub(super) fn check_writes(&self) -> Result<(), Error> {
        self.check_effects(|_| true)
    }

    /// Refuses deletes that need the struct, and deletes of an append-only model.
    pub(super) fn check_deletes(&self) -> Result<(), Error> {
        if self.schema().append_only {
            let effect = "its events are never deleted: the model is `append_only`".to_owned();
            return Err(self.refused(ModelError::Writes { effect }));
        }
        // The form of an event does not matter here.
        self.check_effects(|one| !matches!(one, Effect::Serialized(_)))
    }

    fn check_effects(&self, matters: impl Fn(&&Effect) -> bool) -> Result<(), Error> {
        let code = self.0.has_code;
        let effects = self.described().effects.iter().filter(matters);
        let mut unwritten = effects.filter_map(|one| match one {
            Effect::Mirror(name) => Some(format!("a copy goes to `{name}`, made by `From`")),
            Effect::Serialized(form) => Some(format!("an event is one value as {form}")),
            Effect::Rollup(name) if !code && !self.marks(name) => Some(format!(
                "what is added to `{name}` is computed by its struct"
            )),
            Effect::Former(name) if !code => Some(format!(
                "events of `{name}` are read and converted by `From`"
            )),
            Effect::Salt(name) if !code => Some(format!("the salt is computed by `{name}`")),
            _ => None,
        });
        match unwritten.next() {
            Some(effect) => Err(self.refused(ModelError::Writes { effect })),
            None => Ok(()),
        }
    }

    /// Whether a write only marks buckets of this roll-up.
    fn marks(&self, rollup: &str) -> bool {
        let mut rollups = self.schema().rollups.iter();
        rollups.any(|one| one.schema().model == rollup && !one.is_added())
    }

    /// The value of a segment for a field's value.
    pub(super) fn segment_value(
        &self,
        (at, segment): (usize, &Segment),
        value: &Value,
    ) -> Result<SegmentValue, ModelError> {
        let refused = |reason| refused_segment(segment, reason);
        let takes = self.described().segments.get(at);
        if let Some(takes) = takes.filter(|takes| !takes.is_named(value.as_text())) {
            return Err(refused(takes.wanted()));
        }
        segment_value(segment.kind, value)
            .ok_or_else(|| refused(format!("{} `{value}` is not one", value.kind())))
    }

    /// Refuses to write a segment if only code decides which values it takes.
    pub(super) fn check_own_segment(
        &self,
        (at, segment): (usize, &Segment),
    ) -> Result<(), ModelError> {
        match self.described().segments.get(at) {
            Some(takes) if takes.is_own() => Err(refused_segment(segment, takes.wanted())),
            _ => Ok(()),
        }
    }

    /// The stored form of a column's value.
    pub(super) fn encode(&self, column: &ColumnId, value: &Value) -> Result<Bytes, ModelError> {
        let mut bytes = Vec::new();
        if let Some(of) = self.column_type(column) {
            let encoded = of.encode(value, &mut bytes);
            encoded.map_err(|source| self.refused_value(column, source))?;
        }
        Ok(bytes.into())
    }

    pub(super) fn refused_value(&self, column: &ColumnId, source: ValueError) -> ModelError {
        let ColumnId::Declared(index) = column else {
            let field = column.shown(self.schema());
            return ModelError::Field { field, source };
        };
        let field = self.schema().columns.get(*index);
        ModelError::Field {
            field: field.map_or_else(String::new, |one| one.field.to_string()),
            source: self.schema().shown_error(*index, source),
        }
    }
}

#[cold]
fn refused_segment(segment: &Segment, reason: String) -> ModelError {
    ModelError::Field {
        field: segment.name.to_string(),
        source: ValueError::refused(segment.kind.to_string(), reason),
    }
}

#[cold]
fn malformed(described: &Described, reason: String) -> Error {
    Error::ByName {
        table: described.schema.table.to_string(),
        model: described.schema.model.to_string(),
        source: ModelError::Malformed { reason },
    }
}

fn segment_value(kind: SegmentKind, value: &Value) -> Option<SegmentValue> {
    Some(match kind {
        SegmentKind::String => SegmentValue::String(value.as_text()?.to_owned()),
        SegmentKind::Bytes | SegmentKind::ByteArray { .. } => {
            SegmentValue::Bytes(value.as_bytes()?.to_vec())
        }
        SegmentKind::Unsigned { bits } => {
            let number = match value.as_text() {
                Some(text) => text.parse().ok()?,
                None => u128::try_from(value.as_integer()?).ok()?,
            };
            SegmentValue::Unsigned((number <= u128::MAX >> (128 - bits)).then_some(number)?)
        }
        SegmentKind::Signed { bits } => {
            let number = value.as_integer()?;
            let limit = i128::MAX >> (128 - bits);
            SegmentValue::Signed((-limit - 1..=limit).contains(&number).then_some(number)?)
        }
        SegmentKind::Float { bits: 32 } => SegmentValue::Float32(single(value.as_float()?)?),
        SegmentKind::Float { .. } => SegmentValue::Float(value.as_float()?),
        SegmentKind::Bool => SegmentValue::Bool(value.as_bool()?),
        SegmentKind::Char => {
            let mut letters = value.as_text()?.chars();
            SegmentValue::Char(letters.next().filter(|_| letters.as_str().is_empty())?)
        }
        SegmentKind::Uuid => {
            let bytes = crate::key::encoding::hex::parse_uuid(value.as_text()?.as_bytes());
            SegmentValue::Uuid(bytes?)
        }
        SegmentKind::Time => SegmentValue::Time(value.as_time()?),
        SegmentKind::Date => SegmentValue::Time(match value.as_text() {
            Some(text) => format!("{text}T00:00:00Z")
                .parse()
                .ok()
                .or_else(|| value.as_time())?,
            None => value.as_time()?,
        }),
    })
}

/// A field's value for a segment's.
pub(super) fn of_segment(value: &SegmentValue) -> Value {
    match value {
        SegmentValue::String(text) => Value::Utf8(text.as_str().into()),
        SegmentValue::Bytes(bytes) => Value::Bytes(bytes.clone().into()),
        SegmentValue::Unsigned(number) => integer(i64::try_from(*number).ok(), number),
        SegmentValue::Signed(number) => integer(i64::try_from(*number).ok(), number),
        SegmentValue::Float32(number) => Value::Float((*number).into()),
        SegmentValue::Float(number) => Value::Float(*number),
        SegmentValue::Bool(value) => Value::Bool(*value),
        SegmentValue::Char(letter) => Value::Utf8(letter.to_string().into()),
        SegmentValue::Uuid(_) => Value::Utf8(value.to_string().into()),
        SegmentValue::Time(time) => Value::Time(*time),
    }
}

/// The digits of an integer of more than 64 bits.
fn integer(number: Option<i64>, digits: &impl ToString) -> Value {
    match number {
        Some(number) => Value::Integer(number),
        None => Value::Utf8(digits.to_string().into()),
    }
}
