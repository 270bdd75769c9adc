use std::fmt;
use std::hash::Hash;
use std::str::FromStr;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{
    ColumnError, ColumnSchema, EventCells, EventWriter, FieldUse, IntoUpdate, Mirror, Modify,
    ProtoModel, ReadError, Samples, Schema, Update, proto_file,
};
use crate::Timestamp;
#[cfg(feature = "prost")]
use crate::data::SchemaBundle;
use crate::data::{RowKeySchema, RowKeySchemaError};
use crate::key::{KeyError, KeyLayout};

/// A struct whose values are events (measurements at a time) or entities in a Bigtable table.
///
/// Derive it: `#[derive(Model)]` with `#[bigtable(...)]` on the struct and its fields. For a struct
/// `Quote` the derive also makes the types `QuoteKey`, `QuoteKeyRef`, `QuoteFields`, `QuoteQuery`
/// and `QuoteUpdate`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model",
    label = "not a model",
    note = "add `#[derive(Model)]` and `#[bigtable(table = \"...\", family = \"...\")]` to the struct"
)]
pub trait Model: Projection<Model = Self> + Sync {
    /// The model's columns, in the order of the fields.
    const COLUMNS: &'static [ColumnSchema];

    /// The model's schema.
    const SCHEMA: &'static Schema;

    /// The models that hold copies of its events, as `mirror(...)` names them.
    const MIRRORS: &'static [Mirror<Self>] = &[];

    /// The interval at which a series has events, as declared by `expect(every = ...)`. It does not
    /// affect what is stored.
    const EXPECTED_EVERY: Option<Duration> = None;

    /// The same type, by which projections name it.
    #[doc(hidden)]
    type Itself: Model<Itself = Self::Itself>;

    /// The row key, with a public field for each segment.
    type Key: ModelKey;

    /// The row key in its read form, which borrows from the row's bytes.
    type KeyRef<'a>;

    /// Handles on the model's fields, for projections and deletes.
    type Fields;

    /// The query, with a setter for each segment.
    type Query: Default;

    /// The query of the whole table, with a setter for each segment.
    type Scan: Default;

    /// The update, with a setter for each column.
    type Update: IntoUpdate<Model = Self>;

    /// The name of a series: the identifiers of the key in order, as a tuple unless there is only
    /// one.
    type Series: Send + 'static;

    /// Handles on the model's fields.
    const FIELDS: Self::Fields;

    /// The row key schema by which Bigtable decodes the model's keys: SQL then has a column for
    /// each segment of the key; see [`KeyLayout::row_key_schema`]. It is never set on a table
    /// automatically: rows that do not conform make queries fail.
    ///
    /// # Errors
    /// [`RowKeySchemaError::Segment`] for a segment that Bigtable's encodings cannot express,
    /// [`RowKeySchemaError::Name`] for one whose name a family or something else in SQL has.
    fn row_key_schema() -> Result<RowKeySchema, RowKeySchemaError> {
        Self::SCHEMA.row_key_schema()
    }

    /// The event's row key.
    fn key(&self) -> Self::Key;

    /// Appends the event's row key to `out`, which is unchanged on an error. It allocates only if
    /// `out` must grow.
    ///
    /// # Errors
    /// If a segment cannot hold its field's value, or the key as a whole is empty or over 4 KiB.
    fn encode_key(&self, out: &mut Vec<u8>) -> Result<(), KeyError>;

    /// Decodes a row key without copying it.
    ///
    /// # Errors
    /// If the bytes are not a key of the model.
    fn decode_key(key: &[u8]) -> Result<Self::KeyRef<'_>, KeyError>;

    /// The identifiers in a row key.
    ///
    /// # Errors
    /// If a segment's type refuses its value in the key.
    fn series(key: &Self::KeyRef<'_>) -> Result<Self::Series, KeyError>;

    /// Replaces the bucket's start, as in the key of a row with many events, with an event's time.
    /// An entity has no time.
    #[doc(hidden)]
    fn set_time(key: &mut Self::KeyRef<'_>, time: Timestamp) {
        let _ = (key, time);
    }

    /// The event's time; an entity has none.
    fn time(&self) -> Option<Timestamp>;

    /// Writes the event's columns.
    ///
    /// # Errors
    /// If a column's codec refuses its value.
    fn write_columns(&self, event: &mut EventWriter) -> Result<(), ColumnError>;

    /// Adds sample values of the fields, and the names of their stored forms.
    #[doc(hidden)]
    fn samples(samples: &mut Samples);

    /// The `.proto` of the message in which a model with `serialize(proto)` stores each event, for
    /// programs in other languages. It lacks the key's fields.
    ///
    /// ```
    /// # #[cfg(feature = "prost")] mod example {
    /// use bigtable_model::{Model, Timestamp};
    ///
    /// #[derive(Model)]
    /// #[bigtable(table = "QUOTE", family = "MD", serialize(proto))]
    /// struct Quote {
    ///     #[bigtable(key)]
    ///     symbol: String,
    ///     #[bigtable(time, unit = "ms")]
    ///     at: Timestamp,
    ///     bid: f64,
    ///     #[bigtable(tag = 4)]
    ///     bid_size: Option<u32>,
    ///     venues: Vec<String>,
    /// }
    ///
    /// # pub(super) fn main() {
    /// let file = r#"syntax = "proto3";
    ///
    /// // Column MD:event of table QUOTE.
    /// message Quote {
    ///   double bid = 1;
    ///   optional uint32 bid_size = 4;
    ///   repeated string venues = 5;
    /// }
    /// "#;
    /// assert_eq!(Quote::proto(), file);
    /// # }
    /// # }
    /// # #[cfg(feature = "prost")]
    /// # fn main() { example::main() }
    /// # #[cfg(not(feature = "prost"))]
    /// # fn main() {}
    /// ```
    #[must_use]
    fn proto() -> String
    where
        Self: ProtoModel,
    {
        let mut samples = Samples::new(Self::SCHEMA);
        Self::samples(&mut samples);
        proto_file(Self::SCHEMA, &samples).unwrap_or_default()
    }

    /// The message of [`proto`](Self::proto) as a schema bundle, through which SQL reads its fields
    /// (feature `prost`): [`ApplyOptions::add_schema_bundle`] creates it.
    ///
    /// [`ApplyOptions::add_schema_bundle`]: crate::schema::ApplyOptions::add_schema_bundle
    #[cfg(feature = "prost")]
    #[must_use]
    fn schema_bundle() -> SchemaBundle
    where
        Self: ProtoModel,
    {
        let mut samples = Samples::new(Self::SCHEMA);
        Self::samples(&mut samples);
        super::schema_bundle(Self::SCHEMA, &samples)
    }

    /// A query for events of the model, with nothing set.
    #[must_use]
    fn query() -> Self::Query {
        Self::Query::default()
    }

    /// A query that reads the whole table, on purpose. Any segments may be set: those at the start
    /// of the key narrow the rows that are read, and each row is compared with the others.
    #[must_use]
    fn scan() -> Self::Scan {
        Self::Scan::default()
    }

    /// An update of some columns of the event with this key; the others are unchanged.
    ///
    /// A key that cannot be encoded is reported when the update is sent. The update does not check
    /// that the event exists: without one, it writes only the columns that were set. They count as
    /// an event only once an insert or another update writes the presence column, and reading the
    /// event is an error while required columns are missing. They also stop
    /// [`insert_if_absent`](crate::BackendExt::insert_if_absent), which overwrites no column;
    /// [`insert`](crate::BackendExt::insert) replaces them.
    ///
    /// Aggregates have no setter: `add_total` adds to column `total`. Such an update is sent once,
    /// unless HTTP/2 proves that it was not processed or the client knows that the server keeps
    /// tokens (`GrpcSettings::repeat_adds`).
    ///
    /// In a row with many events it changes only the cells of this event. In layout `qualifiers`
    /// the old value is read first; see [`Update`].
    #[must_use]
    fn update(key: &Self::Key) -> Self::Update
    where
        Self: Editable,
    {
        Self::Update::with_setters(Update::new(key))
    }

    /// Increments and appends that the server makes to columns of the event with this key.
    ///
    /// A key that cannot be encoded fails the `send`.
    fn modify(key: &Self::Key) -> Modify<Self>
    where
        Self: Editable,
    {
        Modify::new(key)
    }
}

/// A model whose events may be updated, replaced under a condition and deleted: every model that is
/// not declared `append_only`. The derive implements it.
///
/// ```
/// use bigtable_model::model::Editable;
/// use bigtable_model::{BackendExt, Error, Model};
///
/// async fn forget<M: Editable>(key: &M::Key, db: &impl BackendExt) -> Result<(), Error> {
///     db.delete::<M>(key).await
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "events of `{Self}` are not updated, replaced or deleted",
    label = "an append-only model, or a type parameter that may be one",
    note = "where events change remove `append_only` from the model, and `added` from its roll-ups",
    note = "a type parameter takes the bound `bigtable_model::model::Editable`"
)]
pub trait Editable: Model {}

/// A model without mirrors and roll-ups, whose events a [batcher](crate::BackendExt::batcher)
/// writes. The derive implements it.
#[diagnostic::on_unimplemented(
    message = "a batcher does not write events of `{Self}`",
    label = "a model with mirrors or roll-ups, or a type parameter that may be one",
    note = "a copy is written after its event and a mark before it: write these events by `insert` or `insert_many`",
    note = "a type parameter takes the bound `bigtable_model::model::Batched`"
)]
pub trait Batched: Model {}

/// A model whose tables are by period: `#[bigtable(table = "SENSOR_{at:%Y%m%d}")]`. The derive
/// implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has one table, not a table for each period",
    label = "has one table",
    note = "name the period in the table's ID to have one a day: `#[bigtable(table = \"SENSOR_{{at:%Y%m%d}}\")]`"
)]
pub trait TablesByPeriod: Model {}

/// The row key of a model. Its `Display` shows values with names: `symbol=ZXZZT venue=N`.
pub trait ModelKey:
    Clone
    + Ord
    + Hash
    + fmt::Display
    + FromStr<Err = KeyError>
    + Serialize
    + DeserializeOwned
    + Send
    + Sync
{
    /// The key's layout.
    const LAYOUT: KeyLayout;

    /// Appends the key to `out`, which is unchanged on an error. It allocates only if `out` must
    /// grow.
    ///
    /// # Errors
    /// If a segment cannot hold its value, or the key as a whole is empty or over 4 KiB.
    fn encode_into(&self, out: &mut Vec<u8>) -> Result<(), KeyError>;

    /// The event's time, if it is a segment of the key.
    fn time(&self) -> Option<Timestamp>;

    /// The key's bytes.
    ///
    /// # Errors
    /// Those of [`encode_into`](ModelKey::encode_into).
    fn encode(&self) -> Result<Vec<u8>, KeyError> {
        let mut out = Vec::with_capacity(64);
        self.encode_into(&mut out)?;
        Ok(out)
    }

    /// Decodes a row key, with the time of one of the row's events if it is given.
    #[doc(hidden)]
    fn decode_at(key: &[u8], time: Option<Timestamp>) -> Result<Self, KeyError>;

    /// The key as text for URLs, which [`from_text`](ModelKey::from_text) and `FromStr` read and
    /// serde writes: the values in key order, separated by `~`, with times in RFC 3339 and bytes in
    /// hexadecimal. All that a URL's path refuses is percent-encoded. It contains the event's time
    /// even if the row's key has only its bucket.
    ///
    /// ```
    /// use bigtable_model::{Model, Timestamp};
    ///
    /// #[derive(Model)]
    /// #[bigtable(table = "QUOTE", family = "MD", layout = "cells")]
    /// struct Quote {
    ///     #[bigtable(key)]
    ///     symbol: String,
    ///     #[bigtable(time, bucket = "day")]
    ///     at: Timestamp,
    ///     bid: f64,
    /// }
    ///
    /// let key = QuoteKey { symbol: "BRK/B".into(), at: Timestamp::from_seconds(1_426_535_612) };
    /// assert_eq!(key.to_text()?, "BRK%2FB~2015-03-16T19:53:32Z");
    /// assert_eq!("BRK%2FB~2015-03-16T19:53:32Z".parse::<QuoteKey>()?, key);
    /// # Ok::<(), bigtable_model::key::KeyError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`encode_into`](ModelKey::encode_into).
    fn to_text(&self) -> Result<String, KeyError> {
        Self::LAYOUT.text_of(&self.encode()?, self.time())
    }

    /// Reads the text that [`to_text`](ModelKey::to_text) writes.
    ///
    /// # Errors
    /// If the text has the wrong number of values, or a segment cannot hold one of them.
    fn from_text(text: &str) -> Result<Self, KeyError> {
        let (key, time) = Self::LAYOUT.of_text(text)?;
        Self::decode_at(&key, time)
    }
}

/// Some fields of a model, read without the others: the server sends only these columns and the
/// presence column.
///
/// Derive it: `#[derive(Projection)]` with `#[bigtable(model = Quote)]`; its fields have the names
/// and types of fields of the model. Every model is the projection of itself with all fields.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a model nor a projection",
    label = "cannot be read from rows",
    note = "add `#[derive(Projection)]` and `#[bigtable(model = ...)]` to the struct"
)]
pub trait Projection: Sized + Send + 'static {
    /// The model whose rows are read.
    type Model: Model;

    /// The fields of the model that are read; `None` for whole events.
    const USES: Option<&'static [FieldUse]> = None;

    /// Builds the value from a row's key and the cells of one event.
    ///
    /// # Errors
    /// If a required column is absent, or a column's or key segment's bytes are not of its type.
    fn read(
        key: &<Self::Model as Model>::KeyRef<'_>,
        cells: &EventCells<'_>,
    ) -> Result<Self, ReadError>;
}
