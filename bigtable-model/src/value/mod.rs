//! The forms of fields in cells: the native form of each type, and codecs for other forms.
//!
//! | type | native form | name |
//! |---|---|---|
//! | `u8` to `u64`, `i8` to `i64` | 8 bytes, signed, big-endian, like Bigtable's counters; above `i64::MAX` refused | `int64` |
//! | `f64` | 8 bytes, IEEE 754, big-endian | `float64` |
//! | `f32` | 4 bytes, IEEE 754, big-endian | `float32` |
//! | `bool` | the byte 00 or 01 | `bool` |
//! | `char` | one scalar value in UTF-8 | `char` |
//! | `String`, `Box<str>`, `Arc<str>`, [`ByteString`](bytestring::ByteString) | UTF-8 | `utf8` |
//! | `Vec<u8>`, `Box<[u8]>`, [`Bytes`](bytes::Bytes) | the bytes, unchanged | `bytes` |
//! | `[u8; N]` | exactly `N` bytes | `bytes[N]` |
//! | [`Timestamp`](crate::Timestamp) | microseconds since 1970, 8 bytes, signed, big-endian | `micros` |
//! | `SystemTime`, `jiff::Timestamp`, `chrono::DateTime` of `Utc`, `FixedOffset` or `Local`, `time::OffsetDateTime` | like `Timestamp`, rounded down to whole microseconds and without the offset: read back in UTC, or in this machine's zone for `Local` | `micros` |
//! | `jiff::civil::Date`, `chrono::NaiveDate` | `2015-03-16` as text, of the years 0 to 9999 | `date` |
//! | `Vec<f64>`, `Vec<f32>`, `Vec<i64>` | the numbers' forms, one after another | `float64[]`, `float32[]`, `int64[]` |
//! | enums without fields and newtypes that [derive](macro@crate::CellValue) it | the variant's name as text; the form of the value inside | `utf8`; that of the value inside |
//! | `uuid::Uuid` | its 16 bytes | `uuid` |
//! | `rust_decimal::Decimal` | its text, so that 600.50 keeps its scale | `decimal` |
//!
//! `chrono`, `time`, `uuid` and `rust_decimal` are features of the crate. `u128` and `i128` have no
//! native form, since a cell's integer has 64 bits; nor do `usize` and `isize`, whose width depends
//! on the machine. [`Text`] and `Json` store these and your own types, and so do `Postcard` and
//! `Prost` (features of the crate); your own codec is a type that implements [`CellCodec`].
//!
//! Decoding returns what was encoded, bit for bit, in every codec. A value that a codec cannot keep
//! is refused when it is written; [`Text`], `Json`, `Postcard` and `Prost` say which values those
//! are. The exception is a type whose own text or `Deserialize` does not read back what it writes.
//! Bytes of another length or an integer outside the type's range are an error, never a wrong
//! value. So an integer column may be read as a narrower or wider type if its values fit.

mod array_name;
mod codec;
mod date;
mod error;
#[cfg(feature = "json")]
mod json;
#[cfg(any(feature = "json", feature = "postcard"))]
mod lossless;
mod native;
mod number;
#[doc(hidden)]
pub mod payload;
#[cfg(feature = "postcard")]
mod postcard;
#[cfg(feature = "prost")]
mod prost;
#[cfg(test)]
mod round_trips;
mod samples;
mod takes;
#[cfg(test)]
mod tests;
mod text;
mod timelike;

#[doc(hidden)]
pub use codec::CellValue;
#[cfg(not(feature = "json"))]
#[doc(hidden)]
pub use codec::JsonFeatureIsOff;
pub use codec::{CellCodec, Native, decode_cell, encode_cell};
pub use error::ValueError;
#[cfg(feature = "json")]
pub use json::Json;
#[cfg(feature = "postcard")]
pub use postcard::Postcard;
#[cfg(feature = "prost")]
pub use prost::Prost;
pub use takes::Takes;
pub use text::Text;

/// The maximum size of a cell's value: 100 MiB.
pub const MAX_VALUE_BYTES: usize = crate::data::limits::VALUE;
