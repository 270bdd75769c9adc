//! Columns that the server changes depending on what they hold: counters, growing texts,
//! aggregates.

use bytes::Bytes;
use bytestring::ByteString;
use serde::{Deserialize, Serialize};

use crate::data::{AggregateKind, FamilySchema, GcRule};
use crate::value::{CellValue, Native};

use super::{CellTime, Field, FieldAccess, ModelSchema, RequiredField};

/// How a column may be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ColumnKind {
    /// By writing it as a whole.
    #[default]
    Plain,
    /// Also by increments.
    Counter,
    /// Also by appending to it.
    Append,
    /// By adding to its value, in a family of such columns.
    Aggregate(AggregateKind),
    /// By one, with every write that states it:
    /// [`insert_if_unchanged`](crate::BackendExt::insert_if_unchanged).
    Version,
}

impl ColumnKind {
    /// Whether its newest cell may have the server's time instead of the event's.
    const fn has_server_time(self) -> bool {
        matches!(self, Self::Counter | Self::Append)
    }
}

impl ModelSchema {
    /// A family of the model, with its declared rule.
    ///
    /// An aggregate column is in a family of aggregates. Increments and appends leave the former
    /// value as an older version, so without a declared rule a family with such columns keeps one
    /// version of each, unless it also has columns whose versions are wanted, as with
    /// [`CellTime::Write`].
    #[must_use]
    pub fn family_schema(&self, family: &str) -> FamilySchema {
        let columns = || self.columns.iter().filter(|one| one.family == family);
        let aggregate = columns().find_map(|column| match column.kind {
            ColumnKind::Aggregate(kind) => Some(kind),
            _ => None,
        });
        let piles_up = columns().any(|column| column.kind.has_server_time());
        let only = columns().all(|column| column.kind.has_server_time())
            && self.map_family.as_deref() != Some(family);
        let one_version = piles_up && (only || self.cell_time == CellTime::Event);
        FamilySchema {
            gc_rule: self
                .gc_rule(family)
                .cloned()
                .or_else(|| one_version.then_some(GcRule::MaxVersions(1))),
            aggregate,
        }
    }

    /// Whether cells of a column may have the server's time, so an event's cells are in no range of
    /// timestamps.
    pub(crate) fn has_server_times(&self) -> bool {
        self.columns
            .iter()
            .any(|column| column.kind.has_server_time())
    }
}

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
    /// What is done with a field marked `counter`.
    #[doc(hidden)]
    fn counter() -> FieldAccess<Self>;

    /// What is done with a field marked `aggregate`.
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

    /// What is done with a field marked `append`.
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
