//! Fields of events that are serialised into one column.

mod form;
mod message;

use std::fmt;
use std::marker::PhantomData;

use crate::value::payload::{PayloadField, PayloadFormat};
use crate::value::{CellValue, ValueError};

use super::{EventCells, FieldUse, Model, ReadError};

pub use form::{JsonForm, PayloadForm, PayloadUse};
pub use message::{ProtoField, ProtoModel};

/// A model whose events are each serialised into one column, so that the column's versions are
/// versions of the event.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no versions as a whole",
    label = "its fields are columns of their own",
    note = "read the versions of one column with `history(&key, {Self}::FIELDS. ...)`, or serialise the event into one column: `#[bigtable(serialize(json))]`"
)]
pub trait SerializedModel: Model {}

/// A field of type `T` in a payload of format `F`; like [`Field`](super::Field) it knows from the
/// type whether the field may be absent.
#[derive(Debug)]
pub struct InPayload<T, F>(PhantomData<fn() -> (T, F)>);

/// Writes a field: its name, its number from 1 on, its value.
type Write<T, F> = for<'w> fn(
    &mut <F as PayloadFormat>::Writer<'w>,
    &'static str,
    u32,
    &T,
) -> Result<(), ValueError>;

/// Reads a field by its name or number; `None` if the payload lacks it.
type Find<T, F> = for<'r> fn(
    &mut <F as PayloadFormat>::Reader<'r>,
    &'static str,
    u32,
) -> Result<Option<T>, ValueError>;

/// The functions that generated code uses for a field of a payload.
pub struct PayloadAccess<T, F: PayloadFormat> {
    /// Writes the value.
    pub write: Write<T, F>,
    find: Find<T, F>,
    absent: fn(&'static str) -> Result<T, ValueError>,
    /// Whether a payload may lack the field.
    pub(super) optional: bool,
    /// The field's declaration in a `.proto`, if the message has one.
    pub(super) proto: fn() -> Option<String>,
}

impl<T, F: PayloadFormat> PayloadAccess<T, F> {
    /// Reads the value.
    ///
    /// # Errors
    /// If the format does not write these bytes for the type, or a required field is missing.
    #[inline]
    pub fn field(
        &self,
        reader: &mut F::Reader<'_>,
        name: &'static str,
        number: u32,
    ) -> Result<T, ValueError> {
        match (self.find)(reader, name, number)? {
            Some(value) => Ok(value),
            None => (self.absent)(name),
        }
    }

    /// The field's form in a message.
    #[must_use]
    pub fn declared(&self) -> PayloadForm {
        PayloadForm::Declared((self.proto)().unwrap_or_default())
    }

    /// Sets another meaning of a missing field.
    #[inline]
    #[must_use]
    pub fn or(self, absent: fn(&'static str) -> Result<T, ValueError>) -> Self {
        Self {
            absent,
            optional: true,
            ..self
        }
    }

    /// Uses `Default::default()` for a missing field.
    #[inline]
    #[must_use]
    pub fn or_default(self) -> Self
    where
        T: Default,
    {
        self.or(|_| Ok(T::default()))
    }
}

impl<T, F: PayloadFormat> fmt::Debug for PayloadAccess<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PayloadAccess({})", F::NAME)
    }
}

impl<T, F> InPayload<Option<T>, F> {
    /// What is done with it.
    #[inline]
    #[must_use]
    pub fn in_payload() -> PayloadAccess<Option<T>, F>
    where
        F: PayloadField<T>,
    {
        PayloadAccess {
            write: |writer, name, number, value| {
                F::write_option(writer, name, number, value.as_ref())
            },
            find: |reader, name, number| Ok(F::read_option(reader, name, number)?.map(Some)),
            absent: |_| Ok(None),
            optional: true,
            proto: || None,
        }
    }
}

impl<T: CellValue, F> InPayload<T, F> {
    /// A sample value, whose bytes a [lock file](crate::lock) keeps.
    #[must_use]
    pub fn sample() -> Option<T> {
        T::samples().into_iter().next()
    }
}

impl<T: CellValue, F> InPayload<Option<T>, F> {
    /// A sample value that is present.
    #[must_use]
    pub fn sample() -> Option<Option<T>> {
        T::samples().into_iter().next().map(Some)
    }
}

/// A field that every payload has.
pub trait RequiredInPayload<T, F> {
    /// Types without a native form have no sample value: the model's sample event has one.
    #[must_use]
    fn sample() -> Option<T> {
        None
    }

    /// What is done with it.
    #[inline]
    #[must_use]
    fn in_payload() -> PayloadAccess<T, F>
    where
        F: PayloadField<T>,
    {
        PayloadAccess {
            write: F::write,
            find: F::read,
            absent: |name| {
                Err(ValueError::malformed(
                    format!("field `{name}` in the event"),
                    &[],
                ))
            },
            optional: false,
            proto: || None,
        }
    }
}

impl<T, F> RequiredInPayload<T, F> for InPayload<T, F> {}

/// Reads the fields of the payload in the column at `index`.
///
/// # Errors
/// If the column is absent, or its bytes are not a payload with these fields.
pub fn read_payload<F: PayloadFormat, T>(
    cells: &EventCells<'_>,
    index: usize,
    fields: impl FnOnce(&mut F::Reader<'_>) -> Result<T, ValueError>,
) -> Result<T, ReadError> {
    let bytes = cells.value(index).ok_or(ReadError::Missing(index))?;
    let read = || {
        let mut reader = F::reader(bytes)?;
        let value = fields(&mut reader)?;
        F::end(reader)?;
        Ok(value)
    };
    read().map_err(|error| ReadError::Column(index, error))
}

/// A handle on a field of a serialised event, as in `Quote::FIELDS.bid`. Reading it reads the whole
/// event; it cannot be deleted or updated separately.
pub struct SerializedField<M: Model, T> {
    column: usize,
    /// `None` if the format has no names.
    in_payload: Option<Named>,
    read: fn(&EventCells<'_>) -> Result<T, ReadError>,
    model: PhantomData<fn() -> M>,
}

/// A field in a payload whose format has names.
#[derive(Clone, Copy)]
struct Named {
    /// The field's name, and its name in the payload.
    names: [&'static str; 2],
    form: fn() -> PayloadForm,
}

impl<M: Model, T> SerializedField<M, T> {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(column: usize, read: fn(&EventCells<'_>) -> Result<T, ReadError>) -> Self {
        Self {
            column,
            in_payload: None,
            read,
            model: PhantomData,
        }
    }

    /// The same in JSON: the field's name, and its name there.
    #[doc(hidden)]
    #[must_use]
    pub const fn in_json(self, names: [&'static str; 2]) -> Self
    where
        T: 'static,
    {
        self.in_payload(names, || PayloadForm::Member(JsonForm::of::<T>()))
    }

    /// The same in a payload with names: the field's name, its name there, and how it is written.
    #[doc(hidden)]
    #[must_use]
    pub const fn in_payload(self, names: [&'static str; 2], form: fn() -> PayloadForm) -> Self {
        Self {
            column: self.column,
            in_payload: Some(Named { names, form }),
            read: self.read,
            model: PhantomData,
        }
    }

    /// The column that holds the event: its index in
    /// [`ModelSchema::columns`](super::ModelSchema::columns).
    #[must_use]
    pub const fn index(&self) -> usize {
        self.column
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn field_use(&self) -> FieldUse {
        match self.in_payload {
            Some(Named { names, form }) => FieldUse::Payload(PayloadUse {
                column: self.column,
                field: names[0],
                name: names[1],
                form,
            }),
            None => FieldUse::Column(self.column),
        }
    }

    #[doc(hidden)]
    pub fn read(&self, _: &M::KeyRef<'_>, cells: &EventCells<'_>) -> Result<T, ReadError> {
        (self.read)(cells)
    }
}

impl<M: Model, T> fmt::Debug for SerializedField<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SerializedField({})", self.column)
    }
}
