//! The fields of a message, decoded one by one from the received bytes.

use prost::encoding::{WireType, decode_key, decode_varint};

use crate::{Code, Status};

/// The value of a field.
pub(in crate::grpc) enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// A double, as its bytes.
    Eight([u8; 8]),
    /// 4 bytes, which no field of these messages has.
    Four,
}

impl Value<'_> {
    #[cold]
    pub(in crate::grpc) fn is_unexpected(&self) -> Status {
        malformed(match self {
            Value::Number(_) => "a number where bytes belong",
            Value::Bytes(_) => "bytes where a number belongs",
            Value::Eight(_) | Value::Four => "a number of fixed width",
        })
    }
}

/// Why bytes are no field. It becomes a [`Status`] where it leaves the decoder: one is as large as
/// all that a field is read to.
#[derive(Debug)]
pub(in crate::grpc) struct Malformed(&'static str);

impl From<Malformed> for Status {
    #[cold]
    fn from(Malformed(reason): Malformed) -> Self {
        malformed(reason)
    }
}

/// Takes a field: its number and its value.
#[inline]
pub(in crate::grpc) fn field<'a>(rest: &mut &'a [u8]) -> Result<(u32, Value<'a>), Status> {
    let (number, wire_type) = key(rest)?;
    let value = match wire_type {
        WireType::Varint => Value::Number(self::number(rest)?),
        WireType::LengthDelimited => Value::Bytes(bytes(rest)?),
        WireType::SixtyFourBit => {
            let (value, after) = rest.split_first_chunk::<8>().ok_or(SHORT)?;
            *rest = after;
            Value::Eight(*value)
        }
        WireType::ThirtyTwoBit => {
            *rest = rest.get(4..).ok_or(SHORT)?;
            Value::Four
        }
        WireType::StartGroup | WireType::EndGroup => return Err(malformed("a group")),
    };
    Ok((number, value))
}

const SHORT: Malformed = Malformed("a field is longer than what is left");

/// Number and type of a field: mostly one byte.
#[inline]
fn key(rest: &mut &[u8]) -> Result<(u32, WireType), Status> {
    if let [byte @ 8..0x80, after @ ..] = *rest
        && let Ok(wire_type) = WireType::try_from(u64::from(byte & 7))
    {
        *rest = after;
        return Ok((u32::from(byte >> 3), wire_type));
    }
    decode_key(rest).map_err(malformed)
}

/// Takes the value of a field of bytes, after its key.
#[inline]
pub(in crate::grpc) fn bytes<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], Malformed> {
    let len = usize::try_from(number(rest)?).map_err(|_| SHORT)?;
    let (value, after) = rest.split_at_checked(len).ok_or(SHORT)?;
    *rest = after;
    Ok(value)
}

/// Takes the value of a field that is a number, after its key.
#[inline]
pub(in crate::grpc) fn number(rest: &mut &[u8]) -> Result<u64, Malformed> {
    match *rest {
        [byte @ ..0x80, after @ ..] => {
            *rest = after;
            Ok(u64::from(*byte))
        }
        _ => long_number(rest),
    }
}

/// A number of up to eight bytes, as timestamps are, is taken in one go: the byte that ends it is
/// the first without the highest bit, and the sevens of bits are moved together two by two.
fn long_number(rest: &mut &[u8]) -> Result<u64, Malformed> {
    const HIGHEST: u64 = 0x8080_8080_8080_8080;
    if let Some((eight, _)) = rest.split_first_chunk::<8>() {
        let word = u64::from_le_bytes(*eight);
        let ends = !word & HIGHEST;
        if ends != 0 {
            let bits = ends.trailing_zeros() + 1;
            let sevens = word & (u64::MAX >> (64 - bits)) & !HIGHEST;
            let twos = (sevens & 0x007f_007f_007f_007f) | ((sevens & 0x7f00_7f00_7f00_7f00) >> 1);
            let fours = (twos & 0x0000_3fff_0000_3fff) | ((twos & 0x3fff_0000_3fff_0000) >> 2);
            let number = (fours & 0x0fff_ffff) | ((fours & 0x0fff_ffff_0000_0000) >> 4);
            let len = usize::try_from(bits / 8).map_err(|_| SHORT)?;
            *rest = rest.get(len..).unwrap_or_default();
            return Ok(number);
        }
    }
    decode_varint(rest).map_err(|_| Malformed("invalid varint"))
}

/// The `int32` that a number on the wire stands for.
pub(in crate::grpc) fn low_half(number: u64) -> i32 {
    let [a, b, c, d, ..] = number.to_le_bytes();
    i32::from_le_bytes([a, b, c, d])
}

/// The code is gRPC's own for bytes that can't be decoded.
#[cold]
pub(in crate::grpc) fn malformed(reason: impl std::fmt::Display) -> Status {
    Status::new(
        Code::Internal,
        format!("the answer can't be decoded: {reason}"),
    )
}
