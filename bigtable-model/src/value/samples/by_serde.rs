//! Sample values of types that serde reads, made without bytes: whatever kind the type asks for, it
//! gets.

use std::cell::RefCell;
use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess,
    SeqAccess, VariantAccess, Visitor,
};

/// The maximum number of values of a type.
const MOST: usize = 8;

/// How often another text is tried for a type that refuses some.
const TRIES: usize = 200;

/// How deep values are nested: recursive types end there.
const DEEPEST: usize = 16;

/// Texts for types that ask for one; the first that is accepted is used.
const TEXTS: &[&str] = &[
    "A",
    "600.50",
    "2015-03-16",
    "2015-03-16T19:53:32.156Z",
    "19:53:32",
    "2015-03-16T19:53:32",
    "00010203-0405-0607-0809-0a0b0c0d0e0f",
    "127.0.0.1",
    "PT5S",
    "42",
];

/// Values of a type: one; if it contains enums, one for each variant, up to eight.
pub(in crate::value) fn sampled<T: DeserializeOwned>(human_readable: bool) -> Vec<T> {
    let mut values = Vec::new();
    let mut variant = 0;
    loop {
        let choices = RefCell::new(Choices {
            variant,
            ..Choices::default()
        });
        values.extend(find(&choices, human_readable));
        variant += 1;
        if variant >= choices.borrow().variants.min(MOST) {
            return values;
        }
    }
}

/// The first value that the type accepts.
fn find<T: DeserializeOwned>(choices: &RefCell<Choices>, human_readable: bool) -> Option<T> {
    for _ in 0..TRIES {
        choices.borrow_mut().asked = 0;
        let sampler = Sampler {
            choices,
            depth: 0,
            human_readable,
        };
        if let Ok(value) = T::deserialize(sampler) {
            return Some(value);
        }
        if !choices.borrow_mut().next() {
            return None;
        }
    }
    None
}

/// The choices made where a type left them open.
#[derive(Debug, Default)]
struct Choices {
    /// For each requested text, in order, its index in [`TEXTS`].
    texts: Vec<usize>,
    /// How many were asked for.
    asked: usize,
    /// Which variant of an enum is taken, if it has as many.
    variant: usize,
    /// The most variants that an enum has.
    variants: usize,
}

impl Choices {
    fn text(&mut self) -> &'static str {
        let place = self.asked;
        self.asked += 1;
        if self.texts.len() <= place {
            self.texts.push(0);
        }
        let chosen = self.texts.get(place).copied().unwrap_or_default();
        TEXTS.get(chosen).copied().unwrap_or_default()
    }

    /// Tries another text instead of the last one, which was refused.
    fn next(&mut self) -> bool {
        self.texts.truncate(self.asked);
        while let Some(last) = self.texts.last_mut() {
            *last += 1;
            if *last < TEXTS.len() {
                return true;
            }
            self.texts.pop();
        }
        false
    }
}

#[derive(Debug, Clone, Copy)]
struct Sampler<'c> {
    choices: &'c RefCell<Choices>,
    depth: usize,
    human_readable: bool,
}

impl Sampler<'_> {
    fn deeper(self) -> Result<Self, Refused> {
        let depth = self.depth + 1;
        match depth <= DEEPEST {
            true => Ok(Self { depth, ..self }),
            false => Err(Refused),
        }
    }
}

/// A value that the type does not accept; the reason is not used.
#[derive(Debug)]
struct Refused;

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the type takes no such value")
    }
}

impl std::error::Error for Refused {}

impl de::Error for Refused {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

macro_rules! give {
    ($($method:ident => $visit:ident($($value:expr)?);)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
            visitor.$visit($($value)?)
        }
    )*};
}

impl<'de> Deserializer<'de> for Sampler<'_> {
    type Error = Refused;

    give! {
        deserialize_bool => visit_bool(true);
        deserialize_i8 => visit_i8(42);
        deserialize_i16 => visit_i16(42);
        deserialize_i32 => visit_i32(42);
        deserialize_i64 => visit_i64(42);
        deserialize_i128 => visit_i128(42);
        deserialize_u8 => visit_u8(42);
        deserialize_u16 => visit_u16(42);
        deserialize_u32 => visit_u32(42);
        deserialize_u64 => visit_u64(42);
        deserialize_u128 => visit_u128(42);
        deserialize_f32 => visit_f32(600.5);
        deserialize_f64 => visit_f64(600.5);
        deserialize_char => visit_char('A');
        deserialize_bytes => visit_bytes(b"AB");
        deserialize_byte_buf => visit_byte_buf(b"AB".to_vec());
        deserialize_unit => visit_unit();
        deserialize_ignored_any => visit_unit();
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.deserialize_str(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        let text = self.choices.borrow_mut().text();
        visitor.visit_str(text)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.depth < DEEPEST / 2 {
            true => visitor.visit_some(self.deeper()?),
            false => visitor.visit_none(),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        visitor.visit_newtype_struct(self.deeper()?)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        let rest = usize::from(self.depth < DEEPEST / 2);
        let sampler = self.deeper()?;
        visitor.visit_seq(Items { sampler, rest })
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        rest: usize,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        let sampler = self.deeper()?;
        visitor.visit_seq(Items { sampler, rest })
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        self.deserialize_tuple(len, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        let rest = usize::from(self.depth < DEEPEST / 2);
        let sampler = self.deeper()?;
        visitor.visit_map(Items { sampler, rest })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        let sampler = self.deeper()?;
        match self.human_readable {
            true => visitor.visit_map(Fields { sampler, fields }),
            false => visitor.visit_seq(Items {
                sampler,
                rest: fields.len(),
            }),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        let mut choices = self.choices.borrow_mut();
        choices.variants = choices.variants.max(variants.len());
        let index = choices.variant.min(variants.len().saturating_sub(1));
        drop(choices);
        let name = variants.get(index).ok_or(Refused)?;
        let sampler = self.deeper()?;
        visitor.visit_enum(Variant { sampler, name })
    }

    fn is_human_readable(&self) -> bool {
        self.human_readable
    }
}

/// The items of a list, or the entries of a map.
struct Items<'c> {
    sampler: Sampler<'c>,
    rest: usize,
}

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = Refused;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Refused> {
        let Some(rest) = self.rest.checked_sub(1) else {
            return Ok(None);
        };
        self.rest = rest;
        seed.deserialize(self.sampler).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest)
    }
}

impl<'de> MapAccess<'de> for Items<'_> {
    type Error = Refused;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Refused> {
        self.next_element_seed(seed)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Refused> {
        seed.deserialize(self.sampler)
    }
}

/// The fields of a struct by their names.
struct Fields<'c> {
    sampler: Sampler<'c>,
    fields: &'static [&'static str],
}

impl<'de> MapAccess<'de> for Fields<'_> {
    type Error = Refused;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Refused> {
        let Some((name, rest)) = self.fields.split_first() else {
            return Ok(None);
        };
        self.fields = rest;
        let name: StrDeserializer<'_, Refused> = name.into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Refused> {
        seed.deserialize(self.sampler)
    }
}

/// One variant of an enum.
struct Variant<'c> {
    sampler: Sampler<'c>,
    name: &'static str,
}

impl<'de> EnumAccess<'de> for Variant<'_> {
    type Error = Refused;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Refused> {
        let name: StrDeserializer<'_, Refused> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_> {
    type Error = Refused;

    fn unit_variant(self) -> Result<(), Refused> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Refused> {
        seed.deserialize(self.sampler)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Refused> {
        self.sampler.deserialize_tuple(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        self.sampler.deserialize_struct("", fields, visitor)
    }
}
