//! Which columns can be compared with a range.

use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use bytestring::ByteString;

use super::filter::ValueRange;
use super::numbers;
use crate::Timestamp;
use crate::model::{Aggregate, Append, Counter, HandleKind, Plain};

mod sealed {
    pub trait Sealed {}
}

/// Types whose ranges of values are one or a few ranges of stored bytes: integers, floats, times,
/// text, bytes, `bool`, `char` and UUIDs, each also in an `Option`.
#[diagnostic::on_unimplemented(
    message = "the bytes that `{Self}` is stored in do not sort as its values do",
    label = "cannot be compared with a range",
    note = "integers, floats, times, text and bytes can; decimals only by `equals` and `one_of`"
)]
pub trait RangedField: sealed::Sealed {
    /// The type of a range's ends: `&str` for text, `&[u8]` for bytes, else the type itself.
    type End<'a>;

    /// An end as a value of the field.
    #[doc(hidden)]
    fn of_end(end: &Self::End<'_>) -> Self;

    /// The ranges of bytes of the values between two others, given by their bytes.
    #[doc(hidden)]
    fn ranges(between: ValueRange) -> Vec<ValueRange> {
        vec![between]
    }
}

impl<T: RangedField> sealed::Sealed for Option<T> {}

#[diagnostic::do_not_recommend]
impl<T: RangedField> RangedField for Option<T> {
    type End<'a> = T::End<'a>;

    fn of_end(end: &Self::End<'_>) -> Self {
        Some(T::of_end(end))
    }

    fn ranges(between: ValueRange) -> Vec<ValueRange> {
        T::ranges(between)
    }
}

macro_rules! ranged {
    ($($(#[$feature:meta])? $type:ty, $end:ty $(, $ranges:path)?;)*) => {$(
        $(#[$feature])?
        impl sealed::Sealed for $type {}

        $(#[$feature])?
        #[diagnostic::do_not_recommend]
        impl RangedField for $type {
            type End<'a> = $end;

            fn of_end(end: &Self::End<'_>) -> Self {
                (*end).into()
            }

            $(fn ranges(between: ValueRange) -> Vec<ValueRange> {
                $ranges(between)
            })?
        }
    )*};
}

ranged! {
    u8, u8;
    u16, u16;
    u32, u32;
    u64, u64;
    i8, i8, numbers::signed;
    i16, i16, numbers::signed;
    i32, i32, numbers::signed;
    i64, i64, numbers::signed;
    f32, f32, numbers::float::<4>;
    f64, f64, numbers::float::<8>;
    Timestamp, Timestamp, numbers::signed;
    SystemTime, SystemTime, numbers::signed;
    jiff::Timestamp, jiff::Timestamp, numbers::signed;
    #[cfg(feature = "chrono")]
    chrono::DateTime<chrono::Utc>, chrono::DateTime<chrono::Utc>, numbers::signed;
    #[cfg(feature = "time")]
    time::OffsetDateTime, time::OffsetDateTime, numbers::signed;
    bool, bool;
    char, char;
    String, &'a str;
    Box<str>, &'a str;
    Arc<str>, &'a str;
    ByteString, &'a str;
    Vec<u8>, &'a [u8];
    Box<[u8]>, &'a [u8];
    #[cfg(feature = "uuid")]
    uuid::Uuid, uuid::Uuid;
}

impl sealed::Sealed for Bytes {}

#[diagnostic::do_not_recommend]
impl RangedField for Bytes {
    type End<'a> = &'a [u8];

    fn of_end(end: &Self::End<'_>) -> Self {
        Self::copy_from_slice(end)
    }
}

/// The ranges of bytes of the values between two others, by the name of the stored form; `None` if
/// the form's bytes do not sort like its values.
pub(crate) fn ranges_of(form: &str, between: ValueRange) -> Option<Vec<ValueRange>> {
    match form {
        "int64" | "micros" => Some(numbers::signed(between)),
        "float32" => Some(numbers::float::<4>(between)),
        "float64" => Some(numbers::float::<8>(between)),
        "bool" | "char" | "utf8" | "bytes" | "uuid" => Some(vec![between]),
        _ => None,
    }
}

/// Columns that are stored in the native form of their type.
#[diagnostic::on_unimplemented(
    message = "the column is stored by a codec, whose bytes need not sort as the values do",
    label = "cannot be compared with a range",
    note = "leave out `text`, `json` or `with` to store the native form, or compare by `equals` and `one_of`"
)]
pub trait StoredNatively: HandleKind {}

#[diagnostic::do_not_recommend]
impl StoredNatively for Plain {}
#[diagnostic::do_not_recommend]
impl StoredNatively for Counter {}
#[diagnostic::do_not_recommend]
impl StoredNatively for Append {}
#[diagnostic::do_not_recommend]
impl StoredNatively for Aggregate {}
