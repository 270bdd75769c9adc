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

/// Takes a field: its number and its value.
#[inline]
pub(in crate::grpc) fn field<'a>(rest: &mut &'a [u8]) -> Result<(u32, Value<'a>), Status> {
    let (number, wire_type) = key(rest)?;
    let len = match wire_type {
        WireType::Varint => return Ok((number, Value::Number(varint(rest)?))),
        WireType::LengthDelimited => varint(rest)?,
        WireType::SixtyFourBit => 8,
        WireType::ThirtyTwoBit => 4,
        WireType::StartGroup | WireType::EndGroup => return Err(malformed("a group")),
    };
    let cut = usize::try_from(len).ok();
    let Some((value, behind)) = cut.and_then(|len| rest.split_at_checked(len)) else {
        return Err(malformed("a field is longer than what is left"));
    };
    *rest = behind;
    let value = match (wire_type, value) {
        (WireType::LengthDelimited, _) => Value::Bytes(value),
        (_, &[a, b, c, d, e, f, g, h]) => Value::Eight([a, b, c, d, e, f, g, h]),
        _ => Value::Four,
    };
    Ok((number, value))
}

/// Number and type of a field: mostly one byte.
#[inline]
fn key(rest: &mut &[u8]) -> Result<(u32, WireType), Status> {
    if let [byte @ 8..0x80, behind @ ..] = *rest
        && let Ok(wire_type) = WireType::try_from(u64::from(byte & 7))
    {
        *rest = behind;
        return Ok((u32::from(byte >> 3), wire_type));
    }
    decode_key(rest).map_err(malformed)
}

#[inline]
fn varint(rest: &mut &[u8]) -> Result<u64, Status> {
    if let [byte @ ..0x80, behind @ ..] = *rest {
        *rest = behind;
        return Ok(u64::from(*byte));
    }
    decode_varint(rest).map_err(malformed)
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
