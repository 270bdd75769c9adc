use bytes::Bytes;
use bytestring::ByteString;
use prost::encoding::{
    self, DecodeContext, WireType, decode_key, decode_varint, encode_key, encode_varint, skip_field,
};

use super::PayloadFormat;
use crate::Timestamp;
use crate::value::ValueError;

/// Payloads that are the message of a natural `.proto`: each field is a field of the message, with
/// its own number.
#[derive(Debug, Clone, Copy)]
pub struct Proto;

/// The fields of a message in progress of reading.
#[derive(Debug)]
pub struct ProtoReader<'a> {
    /// Number, wire type and bytes of each field.
    fields: Vec<(u32, WireType, &'a [u8])>,
}

impl PayloadFormat for Proto {
    const NAME: &'static str = "proto";

    type Writer<'a> = &'a mut Vec<u8>;
    type Reader<'a> = ProtoReader<'a>;

    fn writer(out: &mut Vec<u8>) -> &mut Vec<u8> {
        out
    }

    fn finish(_: &mut Vec<u8>) -> Result<(), ValueError> {
        Ok(())
    }

    fn reader(bytes: &[u8]) -> Result<ProtoReader<'_>, ValueError> {
        let malformed = |error| ValueError::malformed(format!("a message ({error})"), bytes);
        let fields = fields(bytes).map_err(malformed)?;
        Ok(ProtoReader { fields })
    }

    fn end(_: ProtoReader<'_>) -> Result<(), ValueError> {
        Ok(())
    }
}

type Field<'a> = (u32, WireType, &'a [u8]);

/// The fields of a message, each with its bytes.
fn fields(bytes: &[u8]) -> Result<Vec<Field<'_>>, Reason> {
    let mut rest = bytes;
    let mut fields = Vec::with_capacity(16);
    while !rest.is_empty() {
        let (number, wire_type) = decode_key(&mut rest).map_err(in_words)?;
        let whole = rest;
        skip_field(wire_type, number, &mut rest, DecodeContext::default()).map_err(in_words)?;
        let (field, _) = whole.split_at(whole.len() - rest.len());
        fields.push((number, wire_type, field));
    }
    Ok(fields)
}

/// Why bytes are malformed.
type Reason = String;

fn in_words(error: prost::DecodeError) -> Reason {
    error.to_string()
}

impl ProtoReader<'_> {
    /// Merges all occurrences of a field in the message, in order; `None` if there is none.
    pub(crate) fn merge<T>(
        &self,
        name: &'static str,
        number: u32,
        empty: fn() -> T,
        merge: fn(&mut T, WireType, &[u8]) -> Result<(), Reason>,
    ) -> Result<Option<T>, ValueError> {
        let mut value = None;
        let fields = self.fields.iter().filter(|(one, ..)| *one == number);
        for (_, wire_type, bytes) in fields {
            merge(value.get_or_insert_with(empty), *wire_type, bytes).map_err(|reason| {
                ValueError::malformed(format!("field `{name}` of the message ({reason})"), bytes)
            })?;
        }
        Ok(value)
    }
}

/// Types of a message's fields, whether plain, `optional` or `repeated`.
#[doc(hidden)]
pub trait ProtoValue: Sized {
    /// Its name in a `.proto`.
    const TYPE: &'static str;

    /// The value of an absent field; `None` if the field is required.
    const ABSENT: Option<fn() -> Self>;

    /// Whether the field is left out, since an absent field reads as this value.
    fn is_left_out(&self) -> bool;

    /// Writes a field.
    fn put(&self, number: u32, out: &mut Vec<u8>) -> Result<(), Reason>;

    /// The initial value for [`merge`](ProtoValue::merge).
    fn empty() -> Self;

    /// Takes the value of a field.
    fn merge(&mut self, wire_type: WireType, bytes: &[u8]) -> Result<(), Reason>;

    /// Writes a repeated field.
    fn put_all(values: &[Self], number: u32, out: &mut Vec<u8>) -> Result<(), Reason> {
        values.iter().try_for_each(|value| value.put(number, out))
    }

    /// Takes the values of a repeated field.
    fn merge_all(values: &mut Vec<Self>, wire_type: WireType, bytes: &[u8]) -> Result<(), Reason> {
        let mut value = Self::empty();
        value.merge(wire_type, bytes)?;
        values.push(value);
        Ok(())
    }

    /// A fixed value.
    fn sample() -> Self;
}

macro_rules! numbers {
    ($($type:ty, $name:ident, $sample:expr, $is_zero:expr;)*) => {$(
        impl ProtoValue for $type {
            const TYPE: &'static str = stringify!($name);
            const ABSENT: Option<fn() -> Self> = Some(<$type>::default);

            fn is_left_out(&self) -> bool {
                let is_zero: fn(&$type) -> bool = $is_zero;
                is_zero(self)
            }

            fn put(&self, number: u32, out: &mut Vec<u8>) -> Result<(), Reason> {
                encoding::$name::encode(number, self, out);
                Ok(())
            }

            fn empty() -> Self {
                Self::default()
            }

            fn merge(&mut self, wire_type: WireType, mut bytes: &[u8]) -> Result<(), Reason> {
                let context = DecodeContext::default();
                encoding::$name::merge(wire_type, self, &mut bytes, context).map_err(in_words)
            }

            fn put_all(values: &[Self], number: u32, out: &mut Vec<u8>) -> Result<(), Reason> {
                encoding::$name::encode_packed(number, values, out);
                Ok(())
            }

            /// Reads packed and unpacked values, since a writer may use either.
            fn merge_all(
                values: &mut Vec<Self>,
                wire_type: WireType,
                mut bytes: &[u8],
            ) -> Result<(), Reason> {
                let context = DecodeContext::default();
                encoding::$name::merge_repeated(wire_type, values, &mut bytes, context)
                    .map_err(in_words)
            }

            fn sample() -> Self {
                $sample
            }
        }
    )*};
}

numbers! {
    // Compared by their bits: -0.0 is not left out.
    f64, double, 600.5, |value| value.to_bits() == 0;
    f32, float, 600.5, |value| value.to_bits() == 0;
    i32, int32, 300, |value| *value == 0;
    i64, int64, 300, |value| *value == 0;
    u32, uint32, 300, |value| *value == 0;
    u64, uint64, 300, |value| *value == 0;
    bool, bool, true, |value| !*value;
}

/// Writes a field of bytes.
fn put_bytes(number: u32, bytes: &[u8], out: &mut Vec<u8>) {
    encode_key(number, WireType::LengthDelimited, out);
    encode_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// The content of a field of bytes.
fn taken(wire_type: WireType, mut bytes: &[u8]) -> Result<&[u8], Reason> {
    if wire_type != WireType::LengthDelimited {
        return Err("it is a number".to_owned());
    }
    // The length was checked when the field was found.
    decode_varint(&mut bytes).map_err(in_words)?;
    Ok(bytes)
}

fn text(bytes: &[u8]) -> Result<&str, Reason> {
    std::str::from_utf8(bytes).map_err(|error| error.to_string())
}

macro_rules! lengths {
    ($($type:ty, $name:literal, $read:expr;)*) => {$(
        impl ProtoValue for $type {
            const TYPE: &'static str = $name;
            const ABSENT: Option<fn() -> Self> = Some(<$type>::default);

            fn is_left_out(&self) -> bool {
                self.is_empty()
            }

            fn put(&self, number: u32, out: &mut Vec<u8>) -> Result<(), Reason> {
                let bytes: &[u8] = self.as_ref();
                put_bytes(number, bytes, out);
                Ok(())
            }

            fn empty() -> Self {
                Self::default()
            }

            fn merge(&mut self, wire_type: WireType, bytes: &[u8]) -> Result<(), Reason> {
                let read: fn(&[u8]) -> Result<Self, Reason> = $read;
                *self = read(taken(wire_type, bytes)?)?;
                Ok(())
            }

            fn sample() -> Self {
                Self::from("NASDAQ")
            }
        }
    )*};
}

lengths! {
    String, "string", |bytes| text(bytes).map(Self::from);
    ByteString, "string", |bytes| text(bytes).map(Self::from);
    Vec<u8>, "bytes", |bytes| Ok(bytes.to_vec());
    Bytes, "bytes", |bytes| Ok(Self::copy_from_slice(bytes));
}

/// The seconds that a `google.protobuf.Timestamp` may have: the years 1 to 9999.
const SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

impl ProtoValue for Timestamp {
    const TYPE: &'static str = "google.protobuf.Timestamp";
    /// An absent message is no time, not the start of 1970.
    const ABSENT: Option<fn() -> Self> = None;

    fn is_left_out(&self) -> bool {
        false
    }

    fn put(&self, number: u32, out: &mut Vec<u8>) -> Result<(), Reason> {
        let seconds = self.as_micros().div_euclid(1_000_000);
        if !SECONDS.contains(&seconds) {
            let type_name = Self::TYPE;
            return Err(format!("{type_name} holds times of the years 1 to 9999"));
        }
        let micros = self.as_micros().rem_euclid(1_000_000);
        let nanos = i32::try_from(micros * 1_000).unwrap_or_default();
        let mut message = Vec::with_capacity(16);
        if seconds != 0 {
            seconds.put(1, &mut message)?;
        }
        if nanos != 0 {
            nanos.put(2, &mut message)?;
        }
        put_bytes(number, &message, out);
        Ok(())
    }

    fn empty() -> Self {
        Self::UNIX_EPOCH
    }

    /// Messages are merged field by field.
    fn merge(&mut self, wire_type: WireType, bytes: &[u8]) -> Result<(), Reason> {
        let mut seconds = self.as_micros().div_euclid(1_000_000);
        let mut nanos =
            i32::try_from(self.as_micros().rem_euclid(1_000_000) * 1_000).unwrap_or_default();
        for (number, wire_type, bytes) in fields(taken(wire_type, bytes)?)? {
            match number {
                1 => seconds.merge(wire_type, bytes)?,
                2 => nanos.merge(wire_type, bytes)?,
                _ => {}
            }
        }
        if !SECONDS.contains(&seconds) || !(0..1_000_000_000).contains(&nanos) {
            return Err("it is outside the years 1 to 9999".to_owned());
        }
        if nanos % 1_000 != 0 {
            return Err("it is no time in whole microseconds".to_owned());
        }
        *self = Self::from_micros(seconds * 1_000_000 + i64::from(nanos / 1_000));
        Ok(())
    }

    fn sample() -> Self {
        Self::from_micros(1_426_535_612_156_000)
    }
}
