//! Reads postcard from untrusted bytes.
//!
//! postcard follows a recursive type as deep as the bytes say, until the stack overflows, and reads
//! as many zero-byte elements as a length claims. This deserializer forwards to postcard's own, and
//! counts both.

use std::borrow::Cow;
use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};

use crate::value::lossless::{Bounds, LEVELS, TOO_DEEP};

/// The maximum excess of elements over bytes in a value: such elements take time, but no bytes.
const WITHOUT_BYTES: usize = 1 << 16;

/// Why a value with more of them is refused.
const TOO_MANY: &str = "its lists have over 65536 more elements than it has bytes";

/// Takes a value from the start of the bytes, and returns the rest.
///
/// # Errors
/// Why the bytes are not such a value.
pub(in crate::value) fn take<'de, T: Deserialize<'de>>(
    bytes: &'de [u8],
) -> Result<(T, &'de [u8]), Cow<'static, str>> {
    let bounds = &Bounds::default();
    let mut inner = postcard::Deserializer::from_bytes(bytes);
    let depth = Depth {
        // The value of an optional field is read as the value of a `Some`.
        levels: LEVELS + 1,
        most: bytes.len().saturating_add(WITHOUT_BYTES),
        bounds,
    };
    let value = T::deserialize(Bounded {
        inner: &mut inner,
        depth,
        is_list: false,
    });
    let taken = value.and_then(|value| Ok((value, inner.finalize()?)));
    taken.map_err(|error| {
        // postcard's error has no text.
        if bounds.too_deep.get() {
            return TOO_DEEP.into();
        }
        match bounds.elements.get() > depth.most {
            true => TOO_MANY.into(),
            false => error.to_string().into(),
        }
    })
}

/// Refuses a value with too many elements for its bytes.
///
/// # Errors
/// Why it could not be read.
pub(super) fn check_elements(elements: usize, bytes: usize) -> Result<(), Cow<'static, str>> {
    match elements <= bytes.saturating_add(WITHOUT_BYTES) {
        true => Ok(()),
        false => Err(TOO_MANY.into()),
    }
}

/// The position of a value.
#[derive(Clone, Copy)]
struct Depth<'b> {
    /// How many more levels there may be.
    levels: u8,
    /// How many elements of lists there may be in total.
    most: usize,
    bounds: &'b Bounds,
}

impl Depth<'_> {
    fn inside<E: Error>(self) -> Result<Self, E> {
        match self.levels.checked_sub(1) {
            Some(levels) => Ok(Self { levels, ..self }),
            None => {
                self.bounds.too_deep.set(true);
                Err(E::custom(TOO_DEEP))
            }
        }
    }

    fn count<E: Error>(self) -> Result<(), E> {
        let elements = self.bounds.elements.get() + 1;
        self.bounds.elements.set(elements);
        match elements <= self.most {
            true => Ok(()),
            false => Err(E::custom(TOO_MANY)),
        }
    }
}

/// Any serde object, at a position.
struct Bounded<'b, X> {
    inner: X,
    depth: Depth<'b>,
    /// Whether it is a list or a map, whose length is in the bytes, rather than a tuple or struct.
    is_list: bool,
}

impl<'b, X> Bounded<'b, X> {
    fn with<Y>(&self, inner: Y) -> Bounded<'b, Y> {
        Bounded {
            inner,
            depth: self.depth,
            is_list: self.is_list,
        }
    }
}

macro_rules! forwarded {
    ($($name:ident($($argument:ident: $ty:ty),*), $is_list:literal;)*) => {$(
        #[inline]
        fn $name<V: Visitor<'de>>(self, $($argument: $ty,)* visitor: V) -> Result<V::Value, D::Error> {
            let visitor = Bounded {
                inner: visitor,
                depth: self.depth,
                is_list: $is_list,
            };
            self.inner.$name($($argument,)* visitor)
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Bounded<'_, D> {
    type Error = D::Error;

    forwarded! {
        deserialize_any(), false;
        deserialize_bool(), false;
        deserialize_i8(), false;
        deserialize_i16(), false;
        deserialize_i32(), false;
        deserialize_i64(), false;
        deserialize_i128(), false;
        deserialize_u8(), false;
        deserialize_u16(), false;
        deserialize_u32(), false;
        deserialize_u64(), false;
        deserialize_u128(), false;
        deserialize_f32(), false;
        deserialize_f64(), false;
        deserialize_char(), false;
        deserialize_str(), false;
        deserialize_string(), false;
        deserialize_bytes(), false;
        deserialize_byte_buf(), false;
        deserialize_option(), false;
        deserialize_unit(), false;
        deserialize_unit_struct(name: &'static str), false;
        deserialize_newtype_struct(name: &'static str), false;
        deserialize_seq(), true;
        deserialize_tuple(len: usize), false;
        deserialize_tuple_struct(name: &'static str, len: usize), false;
        deserialize_map(), true;
        deserialize_struct(name: &'static str, fields: &'static [&'static str]), false;
        deserialize_enum(name: &'static str, variants: &'static [&'static str]), false;
        deserialize_identifier(), false;
        deserialize_ignored_any(), false;
    }

    #[inline]
    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

macro_rules! visited {
    ($($name:ident: $ty:ty;)*) => {$(
        #[inline]
        fn $name<E: Error>(self, value: $ty) -> Result<V::Value, E> {
            self.inner.$name(value)
        }
    )*};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Bounded<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    visited! {
        visit_bool: bool;
        visit_i8: i8;
        visit_i16: i16;
        visit_i32: i32;
        visit_i64: i64;
        visit_i128: i128;
        visit_u8: u8;
        visit_u16: u16;
        visit_u32: u32;
        visit_u64: u64;
        visit_u128: u128;
        visit_f32: f32;
        visit_f64: f64;
        visit_char: char;
        visit_str: &str;
        visit_borrowed_str: &'de str;
        visit_string: String;
        visit_bytes: &[u8];
        visit_borrowed_bytes: &'de [u8];
        visit_byte_buf: Vec<u8>;
    }

    #[inline]
    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    #[inline]
    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    #[inline]
    fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        let depth = self.depth.inside()?;
        let value = self.with(value);
        self.inner.visit_some(Bounded { depth, ..value })
    }

    #[inline]
    fn visit_newtype_struct<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        let value = self.with(value);
        self.inner.visit_newtype_struct(value)
    }

    #[inline]
    fn visit_seq<A: SeqAccess<'de>>(self, parts: A) -> Result<V::Value, A::Error> {
        let depth = self.depth.inside()?;
        let parts = self.with(parts);
        self.inner.visit_seq(Bounded { depth, ..parts })
    }

    #[inline]
    fn visit_map<A: MapAccess<'de>>(self, parts: A) -> Result<V::Value, A::Error> {
        let depth = self.depth.inside()?;
        let parts = self.with(parts);
        self.inner.visit_map(Bounded { depth, ..parts })
    }

    #[inline]
    fn visit_enum<A: EnumAccess<'de>>(self, variants: A) -> Result<V::Value, A::Error> {
        let variants = self.with(variants);
        self.inner.visit_enum(variants)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Bounded<'_, S> {
    type Value = S::Value;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<S::Value, D::Error> {
        let value = self.with(value);
        self.inner.deserialize(value)
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Bounded<'_, A> {
    type Error = A::Error;

    #[inline]
    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        let seed = self.with(seed);
        let element = self.inner.next_element_seed(seed)?;
        if self.is_list && element.is_some() {
            self.depth.count()?;
        }
        Ok(element)
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Bounded<'_, A> {
    type Error = A::Error;

    #[inline]
    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        let seed = self.with(seed);
        let key = self.inner.next_key_seed(seed)?;
        if key.is_some() {
            self.depth.count()?;
        }
        Ok(key)
    }

    #[inline]
    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let seed = self.with(seed);
        self.inner.next_value_seed(seed)
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, 'b, A: EnumAccess<'de>> EnumAccess<'de> for Bounded<'b, A> {
    type Error = A::Error;
    type Variant = Bounded<'b, A::Variant>;

    #[inline]
    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self::Variant), A::Error> {
        let Self { inner, depth, .. } = self;
        let (variant, inner) = inner.variant_seed(seed)?;
        let content = Bounded {
            inner,
            depth,
            is_list: false,
        };
        Ok((variant, content))
    }
}

/// A variant is a level, and a tuple or a struct in it another.
impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Bounded<'_, A> {
    type Error = A::Error;

    #[inline]
    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    #[inline]
    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        let depth = self.depth.inside()?;
        let seed = self.with(seed);
        self.inner.newtype_variant_seed(Bounded { depth, ..seed })
    }

    #[inline]
    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        let depth = self.depth.inside()?;
        let visitor = self.with(visitor);
        self.inner.tuple_variant(len, Bounded { depth, ..visitor })
    }

    #[inline]
    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        let depth = self.depth.inside()?;
        let visitor = self.with(visitor);
        self.inner
            .struct_variant(fields, Bounded { depth, ..visitor })
    }
}
