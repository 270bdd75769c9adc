use std::fmt;

use super::Mirror;
use crate::Timestamp;
use crate::key::{KeyError, KeyLayout, RowKeySchema, RowKeySchemaError};

use super::{
    ColumnError, ColumnSchema, EventCells, EventWriter, FieldUse, ModelSchema, Modify, ReadError,
    Samples, Update,
};

/// A struct whose values are events (measurements at a time) or entities in a Bigtable table.
///
/// Derive it: `#[derive(Model)]` with `#[bigtable(...)]` on the struct and its fields. The derive
/// also makes, for a struct `Quote`, the types `QuoteKey`, `QuoteKeyRef`, `QuoteFields`,
/// `QuoteQuery` and `QuoteUpdate`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model",
    label = "not a model",
    note = "add `#[derive(Model)]` and `#[bigtable(table = \"...\", family = \"...\")]` to the struct"
)]
pub trait Model: Projection<Model = Self> + Sync {
    /// The model's columns, in the order of the fields.
    const COLUMNS: &'static [ColumnSchema];

    /// The model's description.
    const SCHEMA: &'static ModelSchema;

    /// The models that hold copies of its events, as `mirror(...)` names them.
    const MIRRORS: &'static [Mirror<Self>] = &[];

    /// The same type, by which projections name it.
    #[doc(hidden)]
    type Itself: Model<Itself = Self::Itself>;

    /// The row key, with a public field for each segment.
    type Key: ModelKey;

    /// The row key as it is read, borrowed from the row's bytes.
    type KeyRef<'a>;

    /// Handles on the model's fields, for projections and deletes.
    type Fields;

    /// The query, with a setter for each segment.
    type Query: Default;

    /// The update, with a setter for each column.
    type Update: From<Update<Self>>;

    /// What names a series: the identifiers of the key in their order, as a tuple unless there is
    /// one alone.
    type Series: Send + 'static;

    /// Handles on the model's fields.
    const FIELDS: Self::Fields;

    /// The row key schema by which Bigtable takes the model's keys apart, so that SQL has a column
    /// for each segment of the key: see [`KeyLayout::row_key_schema`]. Nothing sets it on a table
    /// by itself: rows that do not conform make queries fail.
    ///
    /// # Errors
    /// [`RowKeySchemaError::Segment`] for a segment that Bigtable's own encodings have no form for,
    /// [`RowKeySchemaError::Name`] for one with the name of a family or of something else in SQL.
    fn row_key_schema() -> Result<RowKeySchema, RowKeySchemaError> {
        Self::SCHEMA.row_key_schema()
    }

    /// The event's row key.
    fn key(&self) -> Self::Key;

    /// Appends the event's row key to `out`, which is left as it was on an error. It allocates only
    /// when `out` must grow.
    ///
    /// # Errors
    /// When a segment can't hold its field's value, or the key as a whole is empty or over 4 KiB.
    fn encode_key(&self, out: &mut Vec<u8>) -> Result<(), KeyError>;

    /// Takes a row key apart without copying it.
    ///
    /// # Errors
    /// When the bytes are not a key of the model.
    fn decode_key(key: &[u8]) -> Result<Self::KeyRef<'_>, KeyError>;

    /// The identifiers that a row key holds.
    ///
    /// # Errors
    /// When a segment's type refuses what the key holds.
    fn series(key: &Self::KeyRef<'_>) -> Result<Self::Series, KeyError>;

    /// Puts an event's time in the place of its bucket's beginning, which is what the key of a row
    /// with many events holds. An entity has no time to be set.
    #[doc(hidden)]
    fn set_time(key: &mut Self::KeyRef<'_>, time: Timestamp) {
        let _ = (key, time);
    }

    /// The event's time; an entity has none.
    fn time(&self) -> Option<Timestamp>;

    /// Writes the event's columns.
    ///
    /// # Errors
    /// When a column's codec refuses its value.
    fn write_columns(&self, event: &mut EventWriter) -> Result<(), ColumnError>;

    /// Adds fixed values of the fields, and the names of the forms in which they are stored.
    #[doc(hidden)]
    fn samples(samples: &mut Samples);

    /// A query for events of the model, with nothing set yet.
    #[must_use]
    fn query() -> Self::Query {
        Self::Query::default()
    }

    /// An update of some columns of the row with this key; the others are left alone.
    ///
    /// A key that can't be encoded is reported when the update is sent. The update does not look
    /// whether there is an event: of a row without one it writes the columns that were set and
    /// nothing else, which is no event before an insert or another update adds the column that
    /// marks one, and an error to read while required columns are missing. They stand in the way of
    /// [`insert_if_absent`](crate::BackendExt::insert_if_absent), which overwrites no column;
    /// [`insert`](crate::BackendExt::insert) replaces them.
    ///
    /// Aggregates have no setter: `add_total` adds to column `total`. Such an update is sent once,
    /// unless HTTP/2 proves that it was not processed or the client knows that the server keeps
    /// tokens (`GrpcSettings::repeat_adds`).
    ///
    /// In a row of many events it touches the cells of this one. In layout `qualifiers` the old
    /// value is read first; see [`Update`].
    #[must_use]
    fn update(key: &Self::Key) -> Self::Update {
        Update::new(key).into()
    }

    /// Increments and appends that the server makes to columns of the event with this key.
    ///
    /// A key that can't be encoded is reported when it is sent.
    fn modify(key: &Self::Key) -> Modify<Self> {
        Modify::new(key)
    }
}

/// The row key of a model. Its `Display` is the values by their names: `symbol=ZXZZT venue=N`.
pub trait ModelKey: fmt::Display + Send + Sync {
    /// How it is written.
    const LAYOUT: KeyLayout;

    /// Appends the key to `out`, which is left as it was on an error. It allocates only when `out`
    /// must grow.
    ///
    /// # Errors
    /// When a segment can't hold its value, or the key as a whole is empty or over 4 KiB.
    fn encode_into(&self, out: &mut Vec<u8>) -> Result<(), KeyError>;

    /// The event's time, where it is a segment of the key.
    fn time(&self) -> Option<Timestamp>;

    /// The key's bytes.
    ///
    /// # Errors
    /// As [`encode_into`](ModelKey::encode_into).
    fn encode(&self) -> Result<Vec<u8>, KeyError> {
        let mut out = Vec::with_capacity(64);
        self.encode_into(&mut out)?;
        Ok(out)
    }
}

/// Some fields of a model, read without the others: the server sends these columns only, and the
/// one that marks the event.
///
/// Derive it: `#[derive(Projection)]` with `#[bigtable(model = Quote)]`; its fields have the names
/// and types of the model's. Every model is the projection of itself that has all fields.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a model nor a projection",
    label = "can't be read from rows",
    note = "add `#[derive(Projection)]` and `#[bigtable(model = ...)]` to the struct"
)]
pub trait Projection: Sized + Send + 'static {
    /// The model whose rows are read.
    type Model: Model;

    /// What is read of the model; none is whole events.
    const USES: Option<&'static [FieldUse]> = None;

    /// Builds the value from a row's key and the cells of one event.
    ///
    /// # Errors
    /// When a required column is absent, or a key segment's or a column's bytes are not what its
    /// type writes.
    fn read(
        key: &<Self::Model as Model>::KeyRef<'_>,
        cells: &EventCells<'_>,
    ) -> Result<Self, ReadError>;
}
