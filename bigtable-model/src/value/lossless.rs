//! Refuses to write values that serde formats would silently lose.
//!
//! serde_json writes NaN and infinite numbers as `null`, `Some(None)` like `None`, and values
//! nested more deeply than it can read. postcard stores fields by position, so a field left out
//! shifts all later fields. This serializer forwards to the format's own, and refuses such values
//! at any depth, and values that could not be read.

use std::cell::Cell;

use serde::Serialize;
use serde::ser::{
    Error, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// The maximum nesting of a value: the number of brackets that serde_json reads. In postcard a
/// `Some` is a level too.
pub(super) const LEVELS: u8 = 127;

/// Why a value nested deeper than [`LEVELS`] is refused.
pub(super) const TOO_DEEP: &str = "it is nested more deeply than the 127 levels that can be read";

/// Names of structs with which serde_json passes itself raw text.
const PRIVATE_TO_JSON: &str = "$serde_json::private::";

/// Appends the JSON of a value. `of_option` is whether it is the value of a `Some`, which must not
/// be `null`.
#[cfg(feature = "json")]
pub(super) fn append_json<T: Serialize + ?Sized>(
    value: &T,
    of_option: bool,
    out: &mut Vec<u8>,
) -> Result<(), serde_json::Error> {
    let mut serializer = serde_json::Serializer::new(out);
    let place = Place {
        postcard: None,
        levels: LEVELS,
        of_option,
        raw: false,
    };
    value.serialize(Lossless {
        inner: &mut serializer,
        place,
    })
}

/// Postcard's serializer, but refusing fields that are left out. Its errors have no text, so the
/// bounds record what was exceeded.
#[cfg(feature = "postcard")]
pub(super) struct Placed<'a, T: ?Sized> {
    pub(super) value: &'a T,
    pub(super) bounds: &'a Bounds,
}

#[cfg(feature = "postcard")]
impl<T: Serialize + ?Sized> Serialize for Placed<'_, T> {
    fn serialize<S: Serializer>(&self, inner: S) -> Result<S::Ok, S::Error> {
        let place = Place {
            postcard: Some(self.bounds),
            levels: LEVELS,
            of_option: false,
            raw: false,
        };
        self.value.serialize(Lossless { inner, place })
    }
}

/// The position of a value, which decides what would be lost.
#[derive(Clone, Copy)]
struct Place<'b> {
    /// The counts for postcard; `None` in JSON.
    postcard: Option<&'b Bounds>,
    /// How many more levels may be nested.
    levels: u8,
    /// Directly in a `Some`.
    of_option: bool,
    /// Raw text, as in a `RawValue`.
    raw: bool,
}

/// Counts the parts of a postcard value that take no bytes, but time or stack to read.
#[derive(Debug, Default)]
#[cfg_attr(
    not(feature = "postcard"),
    allow(dead_code, reason = "postcard counts")
)]
pub(super) struct Bounds {
    /// Elements of lists and maps.
    pub(super) elements: Cell<usize>,
    /// Whether it was nested too deeply.
    pub(super) too_deep: Cell<bool>,
}

impl Place<'_> {
    /// Inside one more bracket.
    fn inside<E: Error>(self) -> Result<Self, E> {
        let Some(levels) = self.levels.checked_sub(1) else {
            return Err(self.too_deep());
        };
        Ok(Self {
            levels,
            of_option: false,
            raw: false,
            ..self
        })
    }

    #[cold]
    fn too_deep<E: Error>(self) -> E {
        if let Some(bounds) = self.postcard {
            bounds.too_deep.set(true);
        }
        E::custom(TOO_DEEP)
    }

    /// In JSON a `Some` is its value, without a bracket.
    fn of_option<E: Error>(self) -> Result<Self, E> {
        let place = match self.is_json() {
            true => self,
            false => self.inside()?,
        };
        Ok(Self {
            of_option: true,
            ..place
        })
    }

    fn is_json(self) -> bool {
        self.postcard.is_none()
    }

    /// Counts an element of a list or a map.
    fn count(self) {
        if let Some(bounds) = self.postcard {
            bounds.elements.set(bounds.elements.get() + 1);
        }
    }

    fn check_float<E: Error>(self, value: f64) -> Result<(), E> {
        match self.is_json() && !value.is_finite() {
            true => Err(E::custom(format_args!("JSON has no number for {value}"))),
            false => Ok(()),
        }
    }

    /// Refuses `null` in JSON as the value of a `Some`.
    fn check_null<E: Error>(self) -> Result<(), E> {
        match self.is_json() && self.of_option {
            true => Err(E::custom(
                "JSON writes it as `null`, which is read as `None` and not as a `Some` of it",
            )),
            false => Ok(()),
        }
    }

    fn check_skipped<E: Error>(self) -> Result<(), E> {
        match self.is_json() {
            true => Ok(()),
            // postcard's error has no text: `append` adds it.
            false => Err(E::custom("a field is left out")),
        }
    }
}

/// A value with its position.
struct Checked<'a, 'b, T: ?Sized> {
    value: &'a T,
    place: Place<'b>,
}

impl<T: Serialize + ?Sized> Serialize for Checked<'_, '_, T> {
    #[inline]
    fn serialize<S: Serializer>(&self, inner: S) -> Result<S::Ok, S::Error> {
        let place = self.place;
        self.value.serialize(Lossless { inner, place })
    }
}

struct Lossless<'b, S> {
    inner: S,
    place: Place<'b>,
}

/// A compound value, written part by part.
struct Parts<'b, C> {
    inner: C,
    /// The position of each part.
    place: Place<'b>,
}

macro_rules! handed_on {
    ($($name:ident: $ty:ty;)*) => {$(
        #[inline]
        fn $name(self, value: $ty) -> Result<S::Ok, S::Error> {
            self.inner.$name(value)
        }
    )*};
}

/// Begins parts inside one or two brackets.
macro_rules! parts {
    ($($name:ident($($argument:ident: $ty:ty),*) -> $parts:ident, $($inside:ident)*;)*) => {$(
        #[inline]
        fn $name(self, $($argument: $ty),*) -> Result<Self::$parts, S::Error> {
            let place = self.place $(.$inside()?)*;
            let inner = self.inner.$name($($argument),*)?;
            Ok(Parts { inner, place })
        }
    )*};
}

impl<'b, S: Serializer> Serializer for Lossless<'b, S> {
    type Ok = S::Ok;
    type Error = S::Error;

    type SerializeSeq = Parts<'b, S::SerializeSeq>;
    type SerializeTuple = Parts<'b, S::SerializeTuple>;
    type SerializeTupleStruct = Parts<'b, S::SerializeTupleStruct>;
    type SerializeTupleVariant = Parts<'b, S::SerializeTupleVariant>;
    type SerializeMap = Parts<'b, S::SerializeMap>;
    type SerializeStruct = Parts<'b, S::SerializeStruct>;
    type SerializeStructVariant = Parts<'b, S::SerializeStructVariant>;

    handed_on! {
        serialize_bool: bool;
        serialize_i8: i8;
        serialize_i16: i16;
        serialize_i32: i32;
        serialize_i64: i64;
        serialize_i128: i128;
        serialize_u8: u8;
        serialize_u16: u16;
        serialize_u32: u32;
        serialize_u64: u64;
        serialize_u128: u128;
        serialize_char: char;
        serialize_bytes: &[u8];
    }

    parts! {
        serialize_seq(len: Option<usize>) -> SerializeSeq, inside;
        serialize_tuple(len: usize) -> SerializeTuple, inside;
        serialize_tuple_struct(name: &'static str, len: usize) -> SerializeTupleStruct, inside;
        serialize_tuple_variant(name: &'static str, index: u32, variant: &'static str, len: usize)
            -> SerializeTupleVariant, inside inside;
        serialize_map(len: Option<usize>) -> SerializeMap, inside;
        serialize_struct_variant(name: &'static str, index: u32, variant: &'static str, len: usize)
            -> SerializeStructVariant, inside inside;
    }

    #[inline]
    fn serialize_f32(self, value: f32) -> Result<S::Ok, S::Error> {
        self.place.check_float(value.into())?;
        self.inner.serialize_f32(value)
    }

    #[inline]
    fn serialize_f64(self, value: f64) -> Result<S::Ok, S::Error> {
        self.place.check_float(value)?;
        self.inner.serialize_f64(value)
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<S::Ok, S::Error> {
        if self.place.raw && value == "null" {
            self.place.check_null()?;
        }
        self.inner.serialize_str(value)
    }

    #[inline]
    fn serialize_none(self) -> Result<S::Ok, S::Error> {
        self.place.check_null()?;
        self.inner.serialize_none()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        let place = self.place.of_option()?;
        self.inner.serialize_some(&Checked { value, place })
    }

    #[inline]
    fn serialize_unit(self) -> Result<S::Ok, S::Error> {
        self.place.check_null()?;
        self.inner.serialize_unit()
    }

    #[inline]
    fn serialize_unit_struct(self, name: &'static str) -> Result<S::Ok, S::Error> {
        self.place.check_null()?;
        self.inner.serialize_unit_struct(name)
    }

    #[inline]
    fn serialize_unit_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
    ) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit_variant(name, index, variant)
    }

    /// A newtype is written as the value inside.
    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        let place = self.place;
        let value = Checked { value, place };
        self.inner.serialize_newtype_struct(name, &value)
    }

    #[inline]
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        let place = self.place.inside()?;
        let value = Checked { value, place };
        self.inner
            .serialize_newtype_variant(name, index, variant, &value)
    }

    #[inline]
    fn serialize_struct(
        self,
        name: &'static str,
        len: usize,
    ) -> Result<Self::SerializeStruct, S::Error> {
        let place = match name.starts_with(PRIVATE_TO_JSON) {
            true => Place {
                raw: true,
                ..self.place
            },
            false => self.place.inside()?,
        };
        let inner = self.inner.serialize_struct(name, len)?;
        Ok(Parts { inner, place })
    }

    #[inline]
    fn collect_str<T: std::fmt::Display + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.inner.collect_str(value)
    }

    #[inline]
    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

/// Parts that are values, one after another.
macro_rules! values {
    ($($trait:ident::$part:ident$(, $count:ident)?;)*) => {$(
        impl<C: $trait> $trait for Parts<'_, C> {
            type Ok = C::Ok;
            type Error = C::Error;

            #[inline]
            fn $part<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), C::Error> {
                let place = self.place;
                $(place.$count();)?
                self.inner.$part(&Checked { value, place })
            }

            #[inline]
            fn end(self) -> Result<C::Ok, C::Error> {
                self.inner.end()
            }
        }
    )*};
}

values! {
    SerializeSeq::serialize_element, count;
    SerializeTuple::serialize_element;
    SerializeTupleStruct::serialize_field;
    SerializeTupleVariant::serialize_field;
}

impl<C: SerializeMap> SerializeMap for Parts<'_, C> {
    type Ok = C::Ok;
    type Error = C::Error;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), C::Error> {
        self.inner.serialize_key(key)
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), C::Error> {
        let place = self.place;
        place.count();
        self.inner.serialize_value(&Checked { value, place })
    }

    #[inline]
    fn end(self) -> Result<C::Ok, C::Error> {
        self.inner.end()
    }
}

/// Parts that are fields with their names.
macro_rules! fields {
    ($($trait:ident;)*) => {$(
        impl<C: $trait> $trait for Parts<'_, C> {
            type Ok = C::Ok;
            type Error = C::Error;

            #[inline]
            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), C::Error> {
                let place = self.place;
                self.inner.serialize_field(name, &Checked { value, place })
            }

            #[inline]
            fn skip_field(&mut self, name: &'static str) -> Result<(), C::Error> {
                self.place.check_skipped()?;
                self.inner.skip_field(name)
            }

            #[inline]
            fn end(self) -> Result<C::Ok, C::Error> {
                self.inner.end()
            }
        }
    )*};
}

fields! {
    SerializeStruct;
    SerializeStructVariant;
}
