//! The kinds of columns as types, which say at compile time how a column may be changed.

use bytes::Bytes;
use bytestring::ByteString;

use crate::value::{CellValue, Native};

use super::{Field, FieldAccess, RequiredField};

/// The third parameter of a [`Column`](super::Column), which says how the column may be changed.
pub trait HandleKind: sealed::Sealed {}

/// A column that is written as a whole, in the native form of its type.
#[derive(Debug, Clone, Copy)]
pub struct Plain;

/// A column that is written as a whole, with `text`, `json` or a codec named by `with`.
#[derive(Debug, Clone, Copy)]
pub struct Coded;

/// A column marked `counter`.
#[derive(Debug, Clone, Copy)]
pub struct Counter;

/// A column marked `append`.
#[derive(Debug, Clone, Copy)]
pub struct Append;

/// A column marked `aggregate`.
#[derive(Debug, Clone, Copy)]
pub struct Aggregate;

mod sealed {
    pub trait Sealed {}
}

macro_rules! handle_kinds {
    ($($kind:ident),*) => {$(
        impl sealed::Sealed for $kind {}
        impl HandleKind for $kind {}
    )*};
}

handle_kinds!(Plain, Coded, Counter, Append, Aggregate);

/// Columns that can be incremented.
#[diagnostic::on_unimplemented(
    message = "the column is no counter",
    label = "takes a column marked `counter`",
    note = "add `#[bigtable(counter)]` to its field"
)]
pub trait Increments: HandleKind {}

impl Increments for Counter {}

/// Columns of type `T` that can be appended to.
#[diagnostic::on_unimplemented(
    message = "nothing can be appended to the column",
    label = "takes a column marked `append`",
    note = "add `#[bigtable(append)]` to its field"
)]
pub trait Appends<T>: Modifies<T> {
    /// The appended type: `str` for text, `[u8]` for bytes.
    type Suffix: ?Sized + AsRef<[u8]>;
}

impl<T: AppendField> Appends<T> for Append {
    type Suffix = T::Suffix;
}

/// Columns of type `T` that a [`Modify`](super::Modify) can change.
#[diagnostic::on_unimplemented(
    message = "the column is neither a counter nor appended to",
    label = "takes a column marked `counter` or `append`"
)]
pub trait Modifies<T>: HandleKind {
    /// The value, without an `Option`.
    type Value: CellValue;
}

impl<T> Modifies<T> for Counter {
    type Value = i64;
}

impl<T: AppendField> Modifies<T> for Append {
    type Value = T::Value;
}

/// Types of fields marked `counter` or `aggregate`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can be neither a counter nor an aggregate",
    label = "not an `i64`",
    note = "Bigtable counts in 64 bits with a sign: give the field the type `i64`, or `Option<i64>`"
)]
pub trait NumberField: Sized {
    /// The functions of a field marked `counter`.
    #[doc(hidden)]
    fn counter() -> FieldAccess<Self>;

    /// The functions of a field marked `aggregate`.
    #[doc(hidden)]
    fn aggregate() -> FieldAccess<Self>;
}

impl NumberField for i64 {
    #[inline]
    fn counter() -> FieldAccess<Self> {
        FieldAccess {
            write: |value, index, event| event.replace::<Self, Native>(index, value),
            ..Field::<Self, Native>::access()
        }
    }

    #[inline]
    fn aggregate() -> FieldAccess<Self> {
        FieldAccess {
            write: |value, index, event| {
                event.replace_aggregate(index, *value);
                Ok(())
            },
            ..Field::<Self, Native>::access()
        }
    }
}

impl NumberField for Option<i64> {
    #[inline]
    fn counter() -> FieldAccess<Self> {
        FieldAccess {
            write: |value, index, event| event.replace_some::<i64, Native>(index, value.as_ref()),
            ..Field::<Self, Native>::access()
        }
    }

    #[inline]
    fn aggregate() -> FieldAccess<Self> {
        FieldAccess {
            write: |value, index, event| {
                match value {
                    Some(value) => event.replace_aggregate(index, *value),
                    None => event.absent(index),
                }
                Ok(())
            },
            ..Field::<Self, Native>::access()
        }
    }
}

/// Types of fields marked `append`.
#[diagnostic::on_unimplemented(
    message = "nothing can be appended to `{Self}`",
    label = "neither text nor bytes",
    note = "give the field the type `String`, `ByteString`, `Vec<u8>` or `Bytes`, or an `Option` of one"
)]
pub trait AppendField: Sized {
    /// The appended type.
    type Suffix: ?Sized + AsRef<[u8]>;

    /// The value, without an `Option`.
    type Value: CellValue;

    /// The functions of a field marked `append`.
    #[doc(hidden)]
    fn append() -> FieldAccess<Self>;
}

macro_rules! append_fields {
    ($($value:ty, $suffix:ty;)*) => {$(
        impl AppendField for $value {
            type Suffix = $suffix;
            type Value = Self;

            #[inline]
            fn append() -> FieldAccess<Self> {
                FieldAccess {
                    write: |value, index, event| event.replace::<Self, Native>(index, value),
                    ..Field::<Self, Native>::access()
                }
            }
        }

        impl AppendField for Option<$value> {
            type Suffix = $suffix;
            type Value = $value;

            #[inline]
            fn append() -> FieldAccess<Self> {
                FieldAccess {
                    write: |value, index, event| {
                        event.replace_some::<$value, Native>(index, value.as_ref())
                    },
                    ..Field::<Self, Native>::access()
                }
            }
        }
    )*};
}

append_fields! {
    String, str;
    ByteString, str;
    Vec<u8>, [u8];
    Bytes, [u8];
}
