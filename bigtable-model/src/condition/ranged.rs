//! Which columns can be compared with a range.

use std::sync::Arc;

use bytes::Bytes;
use bytestring::ByteString;

use crate::model::{Aggregate, Append, Counter, HandleKind, Plain};

mod sealed {
    pub trait Sealed {}
}

/// Types whose native form sorts as the values do: unsigned integers, text, bytes, `bool`, `char` and UUIDs, each also in an `Option`.
#[diagnostic::on_unimplemented(
    message = "the bytes that `{Self}` is stored in do not sort as its values do",
    label = "can't be compared with a range",
    note = "unsigned integers, text and bytes can; signed integers, floats and decimals only by `equals` and `one_of`"
)]
pub trait RangedField: sealed::Sealed {
    /// What the range's ends are: `&str` for text, `&[u8]` for bytes, otherwise the type itself.
    type End<'a>;

    /// An end as a value of the field.
    #[doc(hidden)]
    fn of_end(end: &Self::End<'_>) -> Self;
}

impl<T: RangedField> sealed::Sealed for Option<T> {}

#[diagnostic::do_not_recommend]
impl<T: RangedField> RangedField for Option<T> {
    type End<'a> = T::End<'a>;

    fn of_end(end: &Self::End<'_>) -> Self {
        Some(T::of_end(end))
    }
}

macro_rules! ranged {
    ($($(#[$feature:meta])? $type:ty, $end:ty;)*) => {$(
        $(#[$feature])?
        impl sealed::Sealed for $type {}

        $(#[$feature])?
        #[diagnostic::do_not_recommend]
        impl RangedField for $type {
            type End<'a> = $end;

            fn of_end(end: &Self::End<'_>) -> Self {
                (*end).into()
            }
        }
    )*};
}

ranged! {
    u8, u8;
    u16, u16;
    u32, u32;
    u64, u64;
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

/// Columns that are stored in the native form of their type.
#[diagnostic::on_unimplemented(
    message = "the column is stored by a codec, whose bytes need not sort as the values do",
    label = "can't be compared with a range",
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
