//! Events that are serialised as a whole into one column (`serialize(json)` and the like on the
//! struct).
//!
//! A payload is written and read field by field, without the fields of the key and skipped ones:
//!
//! | format | what is written | a missing field |
//! |---|---|---|
//! | [`Json`](super::Json) | an object, without spaces, by the fields' names | its name is left out; unknown names are skipped |
//! | [`Postcard`](super::Postcard) | the fields in order, as postcard writes a struct of them | the byte 00; fields at the end may be missing |
//! | [`Proto`] | the message of a plain `.proto`: each field has its own number, declared (`tag = 3`) or by the order, and is a scalar, `optional`, `repeated` or a `google.protobuf.Timestamp`; [`Model::proto`](crate::Model::proto) prints the file | it is left out, as are plain fields that are 0 or empty; unknown numbers are skipped |
//!
//! Values may be nested 127 levels deep in JSON and postcard, 100 in messages; deeper ones are
//! refused, written or read, and so are bytes of postcard whose lists claim more elements than
//! [`Postcard`](super::Postcard) allows.
//!
//! The formats are features of the crate: `json` (on by default), `postcard` and, for messages,
//! `prost`.

#[cfg(feature = "postcard")]
mod bounded;
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "postcard")]
mod postcard;
#[cfg(feature = "prost")]
mod proto;
#[cfg(test)]
mod tests;

#[cfg(feature = "postcard")]
pub(super) use self::bounded::take as take_postcard;
#[cfg(feature = "json")]
pub use self::json::{JsonReader, JsonWriter};
#[cfg(feature = "postcard")]
pub(super) use self::postcard::append as append_postcard;
#[cfg(feature = "prost")]
pub(crate) use self::proto::ProtoValue;
#[cfg(feature = "prost")]
pub use self::proto::{Proto, ProtoReader};

use super::ValueError;

/// How events are serialised into one column.
#[diagnostic::on_unimplemented(
    message = "events cannot be serialised by `{Self}`",
    label = "not a format of payloads",
    note = "`json`, `postcard` and `proto` need a feature of the crate bigtable-model each: `json`, `postcard`, `prost`; a codec of your own implements `CellCodec` for the struct"
)]
pub trait PayloadFormat {
    /// The name of the stored form.
    const NAME: &'static str;

    /// A payload that is being written.
    type Writer<'a>;

    /// A payload that is being read.
    type Reader<'a>;

    /// Begins a payload at the end of `out`.
    fn writer(out: &mut Vec<u8>) -> Self::Writer<'_>;

    /// Ends it.
    ///
    /// # Errors
    /// If the format cannot hold the written values.
    fn finish(writer: Self::Writer<'_>) -> Result<(), ValueError>;

    /// Begins to read a payload.
    ///
    /// # Errors
    /// If the bytes are not a payload.
    fn reader(bytes: &[u8]) -> Result<Self::Reader<'_>, ValueError>;

    /// Ends reading.
    ///
    /// # Errors
    /// If there are bytes left that belong to no field.
    fn end(reader: Self::Reader<'_>) -> Result<(), ValueError>;
}

/// A format whose payloads hold fields of type `T`.
#[diagnostic::on_unimplemented(
    message = "`{T}` cannot be a field of an event that is serialised by `{Self}`",
    label = "not serialisable so",
    note = "`json` and `postcard` need serde's `Serialize` and `Deserialize`",
    note = "the formats are features of the crate bigtable-model: `json`, `postcard`"
)]
pub trait PayloadField<T>: PayloadFormat {
    /// Writes a field: its name and, counted from 1, its number.
    ///
    /// # Errors
    /// If the format cannot hold the value.
    fn write(
        writer: &mut Self::Writer<'_>,
        name: &'static str,
        number: u32,
        value: &T,
    ) -> Result<(), ValueError>;

    /// Reads a field; `None` if it is missing. Fields are read in the order in which they were
    /// written.
    ///
    /// # Errors
    /// If the field's bytes are not a value of the type.
    fn read(
        reader: &mut Self::Reader<'_>,
        name: &'static str,
        number: u32,
    ) -> Result<Option<T>, ValueError>;

    /// Writes a field that may be absent.
    ///
    /// # Errors
    /// Those of [`write`](PayloadField::write).
    #[inline]
    fn write_option(
        writer: &mut Self::Writer<'_>,
        name: &'static str,
        number: u32,
        value: Option<&T>,
    ) -> Result<(), ValueError> {
        match value {
            Some(value) => Self::write(writer, name, number, value),
            None => Ok(()),
        }
    }

    /// Reads a field that may be absent.
    ///
    /// # Errors
    /// Those of [`read`](PayloadField::read).
    #[inline]
    fn read_option(
        reader: &mut Self::Reader<'_>,
        name: &'static str,
        number: u32,
    ) -> Result<Option<T>, ValueError> {
        Self::read(reader, name, number)
    }
}

/// Replaces `postcard` without the feature of that name: it is no format, and its name appears in
/// the compiler's message.
#[cfg(not(feature = "postcard"))]
#[doc(hidden)]
#[derive(Debug)]
pub struct PostcardFeatureIsOff;

/// Replaces `prost` without the feature of that name.
#[cfg(not(feature = "prost"))]
#[doc(hidden)]
#[derive(Debug)]
pub struct ProstFeatureIsOff;
