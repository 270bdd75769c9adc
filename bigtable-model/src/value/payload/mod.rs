//! Events that are serialised as a whole into one column (`serialize(json)` and the like on the
//! struct).
//!
//! A payload is written and read field by field, so that the fields of the key and those that are
//! skipped need no place in it:
//!
//! | format | what is written | a field that is not there |
//! |---|---|---|
//! | [`JsonPayload`] | an object, without spaces, by the fields' names | its name is left out; names that no field has are skipped |
//! | [`PostcardPayload`] | the fields in their order, as postcard writes a struct of them | the byte 00; fields at the end may be missing |
//! | [`ProtoPayload`] | the message of a natural `.proto`: each field has its own number, which is declared (`tag = 3`) or follows from the order, and is a scalar, `optional`, `repeated` or a `google.protobuf.Timestamp`; [`Model::proto`](crate::Model::proto) gives the file | it is left out, as plain fields that hold 0 or nothing are; other numbers are skipped |
//! | [`ProstPayload`] | a message whose fields are numbered from 1 in their order, each a message of its own; those of numbers and strings are Google's wrappers, such as `google.protobuf.DoubleValue` | it is left out; other numbers are skipped |
//!
//! The formats are features of the crate: `json` (on by default), `postcard` and `prost`, which
//! brings both messages.

#[cfg(feature = "json")]
mod json;
#[cfg(feature = "postcard")]
mod postcard;
#[cfg(feature = "prost")]
mod prost;
#[cfg(feature = "prost")]
mod proto;
#[cfg(test)]
mod tests;

#[cfg(feature = "json")]
pub use self::json::{JsonPayload, JsonReader, JsonWriter};
#[cfg(feature = "postcard")]
pub use self::postcard::PostcardPayload;
#[cfg(feature = "postcard")]
pub(super) use self::postcard::append as append_postcard;
#[cfg(feature = "prost")]
pub use self::prost::{ProstPayload, ProstReader};
#[cfg(feature = "prost")]
pub(crate) use self::proto::ProtoValue;
#[cfg(feature = "prost")]
pub use self::proto::{ProtoPayload, ProtoReader};

use super::ValueError;

/// How events are serialised into one column.
#[diagnostic::on_unimplemented(
    message = "events can't be serialised by `{Self}`",
    label = "not a format of payloads",
    note = "`json`, `postcard` and `prost` are features of the crate bigtable-model; a codec of your own implements `CellCodec` for the struct"
)]
pub trait PayloadFormat {
    /// The name of what is stored.
    const NAME: &'static str;

    /// A payload that is being written.
    type Writer<'a>;

    /// A payload that is being read.
    type Reader<'a>;

    /// Begins a payload after what `out` holds.
    fn writer(out: &mut Vec<u8>) -> Self::Writer<'_>;

    /// Ends it.
    ///
    /// # Errors
    /// When the format can't hold what was written.
    fn finish(writer: Self::Writer<'_>) -> Result<(), ValueError>;

    /// Begins to read a payload.
    ///
    /// # Errors
    /// When the bytes are none.
    fn reader(bytes: &[u8]) -> Result<Self::Reader<'_>, ValueError>;

    /// Ends reading.
    ///
    /// # Errors
    /// When bytes are left that no field has.
    fn end(reader: Self::Reader<'_>) -> Result<(), ValueError>;
}

/// A format whose payloads hold fields of type `T`.
#[diagnostic::on_unimplemented(
    message = "`{T}` can't be a field of an event that is serialised by `{Self}`",
    label = "not serialisable so",
    note = "`json` and `postcard` need serde's `Serialize` and `Deserialize`; `prost` needs `prost::Message`, `Debug` and `Default`, which `f32`, `f64`, `i32`, `i64`, `u32`, `u64`, `bool`, `String`, `Vec<u8>` and `Bytes` have",
    note = "the formats are features of the crate bigtable-model: `json`, `postcard`, `prost`"
)]
pub trait PayloadField<T>: PayloadFormat {
    /// Writes a field: its name and, counted from 1, its number.
    ///
    /// # Errors
    /// When the format can't hold the value.
    fn write(
        writer: &mut Self::Writer<'_>,
        name: &'static str,
        number: u32,
        value: &T,
    ) -> Result<(), ValueError>;

    /// Reads a field; none when it is not there. Fields are read in the order in which they are
    /// written.
    ///
    /// # Errors
    /// When the field's bytes are no value of the type.
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

    /// A fixed value, whose bytes a [lock file](crate::lock) keeps; none where the format can make
    /// none of the type.
    fn sample() -> Option<T> {
        None
    }
}

/// What `json` stands for without the feature of that name: no format, and its name is in the
/// compiler's message.
#[cfg(not(feature = "json"))]
#[doc(hidden)]
#[derive(Debug)]
pub struct JsonFeatureIsOff;

/// What `postcard` stands for without the feature of that name.
#[cfg(not(feature = "postcard"))]
#[doc(hidden)]
#[derive(Debug)]
pub struct PostcardFeatureIsOff;

/// What `prost` stands for without the feature of that name.
#[cfg(not(feature = "prost"))]
#[doc(hidden)]
#[derive(Debug)]
pub struct ProstFeatureIsOff;
