//! The fields of a message, decoded one by one from the received bytes.

use crate::{Code, Status};

/// The value of a field.
pub(crate) enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// A double, as its bytes.
    Eight([u8; 8]),
    /// 4 bytes, which no field of these messages has.
    Four,
}

impl Value<'_> {
    #[cold]
    pub(crate) fn is_unexpected(&self) -> Status {
        malformed(match self {
            Value::Number(_) => "a number where bytes belong",
            Value::Bytes(_) => "bytes where a number belongs",
            Value::Eight(_) | Value::Four => "a number of fixed width",
        })
    }
}

/// Why bytes are not a field. It becomes a [`Status`] when it leaves the decoder: a status is as
/// large as everything that a field is decoded into.
#[derive(Debug)]
pub(crate) struct Malformed(pub(crate) &'static str);

impl From<Malformed> for Status {
    #[cold]
    fn from(Malformed(reason): Malformed) -> Self {
        malformed(reason)
    }
}

/// Takes a field: its number and its value.
#[inline]
pub(crate) fn field<'a>(rest: &mut &'a [u8]) -> Result<(u32, Value<'a>), Status> {
    let (number, wire_type) = key(rest)?;
    let value = match wire_type {
        0 => Value::Number(self::number(rest)?),
        2 => Value::Bytes(bytes(rest)?),
        1 => {
            let (value, after) = rest.split_first_chunk::<8>().ok_or(SHORT)?;
            *rest = after;
            Value::Eight(*value)
        }
        5 => {
            *rest = rest.get(4..).ok_or(SHORT)?;
            Value::Four
        }
        3 | 4 => return Err(malformed("a group")),
        _ => return Err(malformed("a field of no known type")),
    };
    Ok((number, value))
}

const SHORT: Malformed = Malformed("a field is longer than what is left");

/// Number and type of a field: mostly one byte.
#[inline]
fn key(rest: &mut &[u8]) -> Result<(u32, u8), Malformed> {
    if let [byte @ 8..0x80, after @ ..] = *rest {
        *rest = after;
        return Ok((u32::from(byte >> 3), byte & 7));
    }
    let key = number(rest)?;
    let [low, ..] = key.to_le_bytes();
    match u32::try_from(key >> 3) {
        Ok(field @ 1..0x2000_0000) => Ok((field, low & 7)),
        _ => Err(Malformed("a field without a valid number")),
    }
}

/// Takes the value of a field of bytes, after its key.
#[inline]
pub(crate) fn bytes<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], Malformed> {
    let len = usize::try_from(number(rest)?).map_err(|_| SHORT)?;
    let (value, after) = rest.split_at_checked(len).ok_or(SHORT)?;
    *rest = after;
    Ok(value)
}

/// Takes the value of a field that is a number, after its key.
#[inline]
pub(crate) fn number(rest: &mut &[u8]) -> Result<u64, Malformed> {
    match *rest {
        [byte @ ..0x80, after @ ..] => {
            *rest = after;
            Ok(u64::from(*byte))
        }
        _ => long_number(rest),
    }
}

/// Takes a number of up to eight bytes, such as a timestamp, in one go: the first byte without the
/// highest bit ends it, and the groups of seven bits are joined in pairs.
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
    plain_number(rest)
}

/// A number of up to ten bytes, byte by byte.
fn plain_number(rest: &mut &[u8]) -> Result<u64, Malformed> {
    let bytes = *rest;
    let mut number = 0;
    for (at, byte) in bytes.iter().take(10).enumerate() {
        number |= u64::from(byte & 0x7f) << (7 * at);
        match (at, byte) {
            (9, 2..) => break,
            (_, ..0x80) => {
                *rest = bytes.get(at + 1..).unwrap_or_default();
                return Ok(number);
            }
            _ => {}
        }
    }
    Err(Malformed("invalid varint"))
}

/// The `int32` that a number on the wire means.
pub(crate) fn low_half(number: u64) -> i32 {
    let [a, b, c, d, ..] = number.to_le_bytes();
    i32::from_le_bytes([a, b, c, d])
}

/// The code is gRPC's own for bytes that cannot be decoded.
#[cold]
pub(crate) fn malformed(reason: impl std::fmt::Display) -> Status {
    Status::new(
        Code::Internal,
        format!("the answer cannot be decoded: {reason}"),
    )
}
