//! A hash of values that stays the same from run to run and from one version of this library to the
//! next.

use std::fmt;

use serde::ser::{self, Serialize, Serializer};
use xxhash_rust::xxh64::Xxh64;

/// XXH64 of a value's parts: names of variants and fields, lengths and contents, but not addresses
/// in memory or the order of a declaration.
pub(crate) fn fingerprint(value: &impl Serialize) -> u64 {
    let mut parts = Parts(Xxh64::new(0));
    // Serializing hashed values never fails.
    let _ = value.serialize(&mut parts);
    parts.0.digest()
}

/// Hashes a value part by part; each begins with a byte for its kind.
struct Parts(Xxh64);

impl Parts {
    fn part(&mut self, kind: u8, bytes: &[u8]) {
        self.0.update(&[kind]);
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.0.update(&length.to_le_bytes());
        self.0.update(bytes);
    }

    fn begin(&mut self, kind: u8, name: &str) -> &mut Self {
        self.part(kind, name.as_bytes());
        self
    }

    fn close(&mut self) {
        self.0.update(b".");
    }
}

macro_rules! numbers {
    ($($method:ident($number:ty)),*) => {
        $(fn $method(self, number: $number) -> Result<(), fmt::Error> {
            self.part(b'n', &number.to_le_bytes());
            Ok(())
        })*
    };
}

impl Serializer for &mut Parts {
    type Ok = ();
    type Error = fmt::Error;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    numbers!(
        serialize_i8(i8),
        serialize_i16(i16),
        serialize_i32(i32),
        serialize_i64(i64),
        serialize_i128(i128),
        serialize_u8(u8),
        serialize_u16(u16),
        serialize_u32(u32),
        serialize_u64(u64),
        serialize_u128(u128),
        serialize_f32(f32),
        serialize_f64(f64)
    );

    fn serialize_bool(self, value: bool) -> Result<(), fmt::Error> {
        self.part(b'b', &[u8::from(value)]);
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), fmt::Error> {
        self.part(b'c', &u32::from(value).to_le_bytes());
        Ok(())
    }

    fn serialize_str(self, text: &str) -> Result<(), fmt::Error> {
        self.part(b's', text.as_bytes());
        Ok(())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), fmt::Error> {
        self.part(b'y', bytes);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), fmt::Error> {
        self.part(b'0', &[]);
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), fmt::Error> {
        self.part(b'1', &[]);
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), fmt::Error> {
        self.part(b'u', &[]);
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), fmt::Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), fmt::Error> {
        self.part(b'v', variant.as_bytes());
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), fmt::Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), fmt::Error> {
        value.serialize(self.begin(b'v', variant))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, fmt::Error> {
        Ok(self.begin(b'[', ""))
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, fmt::Error> {
        Ok(self.begin(b'[', ""))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, fmt::Error> {
        Ok(self.begin(b'[', ""))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self, fmt::Error> {
        Ok(self.begin(b'v', variant))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, fmt::Error> {
        Ok(self.begin(b'{', ""))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, fmt::Error> {
        Ok(self.begin(b'{', ""))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self, fmt::Error> {
        Ok(self.begin(b'v', variant))
    }
}

macro_rules! lists {
    ($($list:ident::$method:ident),*) => {
        $(impl ser::$list for &mut Parts {
            type Ok = ();
            type Error = fmt::Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), fmt::Error> {
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<(), fmt::Error> {
                self.close();
                Ok(())
            }
        })*
    };
}

lists!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);

macro_rules! structs {
    ($($list:ident),*) => {
        $(impl ser::$list for &mut Parts {
            type Ok = ();
            type Error = fmt::Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), fmt::Error> {
                value.serialize(self.begin(b'f', name))
            }

            fn end(self) -> Result<(), fmt::Error> {
                self.close();
                Ok(())
            }
        })*
    };
}

structs!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for &mut Parts {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), fmt::Error> {
        key.serialize(&mut **self)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), fmt::Error> {
        value.serialize(&mut **self)
    }

    fn end(self) -> Result<(), fmt::Error> {
        self.close();
        Ok(())
    }
}
