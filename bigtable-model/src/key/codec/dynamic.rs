//! Values as data, encoded and decoded by a segment's description.

use crate::Timestamp;
use crate::key::refuse;
use crate::key::time::civil;
use crate::key::types::array::{UuidBytes, decode_array, encode_array};
use crate::key::types::integer::beyond_code;
use crate::key::{
    Escaped, Segment, SegmentError, SegmentFormat, SegmentKind, SegmentPrimitive, SegmentValue,
};

impl Segment {
    /// Appends a value. `separator` is the first byte of the layout's separator.
    ///
    /// # Errors
    /// If the format cannot hold the value, or the value has another kind; `out` may then hold a
    /// part of it.
    pub fn encode(
        &self,
        value: &SegmentValue,
        separator: u8,
        out: &mut Vec<u8>,
    ) -> Result<(), SegmentError> {
        let format = &self.format;
        if let (SegmentFormat::Salt(salt), SegmentValue::Unsigned(shard)) = (format, value) {
            let shard = u16::try_from(*shard).ok();
            let shard = shard.filter(|one| salt.numbers().contains(one));
            salt.encode(shard.ok_or_else(|| other_kind(value, self))?, out);
            return Ok(());
        }
        match (self.kind, value) {
            (SegmentKind::String, SegmentValue::String(text)) => {
                text.as_str().encode(format, separator, out)
            }
            (SegmentKind::Bytes, SegmentValue::Bytes(bytes)) => {
                bytes.as_slice().encode(format, separator, out)
            }
            (kind @ SegmentKind::ByteArray { len }, SegmentValue::Bytes(bytes)) => {
                if bytes.len() != usize::from(len) {
                    let text = bytes.escape_ascii();
                    return Err(refuse::too_wide(&text, bytes.len(), len.into()));
                }
                encode_array(bytes, kind, format, out)
            }
            (SegmentKind::Unsigned { bits }, SegmentValue::Unsigned(value)) => {
                encode_unsigned(*value, bits, format, separator, out)
            }
            (SegmentKind::Signed { bits }, SegmentValue::Signed(value)) => {
                encode_signed(*value, bits, format, separator, out)
            }
            (SegmentKind::Float { bits: 32 }, SegmentValue::Float32(value)) => {
                value.encode(format, separator, out)
            }
            (SegmentKind::Float { bits: 64 }, SegmentValue::Float(value)) => {
                value.encode(format, separator, out)
            }
            (SegmentKind::Bool, SegmentValue::Bool(value)) => value.encode(format, separator, out),
            (SegmentKind::Char, SegmentValue::Char(value)) => value.encode(format, separator, out),
            (SegmentKind::Uuid, SegmentValue::Uuid(bytes)) => UuidBytes(*bytes).encode(format, out),
            (SegmentKind::Time, SegmentValue::Time(time)) => time.encode(format, separator, out),
            (SegmentKind::Date, SegmentValue::Time(time)) => match is_of_date(*time, format) {
                true => time.encode(format, separator, out),
                false => Err(refuse::not_exact(*time, "day")),
            },
            _ => Err(other_kind(value, self)),
        }
    }

    /// Decodes a value from exactly its bytes.
    ///
    /// # Errors
    /// If [`encode`](Segment::encode) writes these bytes for no value.
    pub fn decode(&self, bytes: &[u8], separator: u8) -> Result<SegmentValue, SegmentError> {
        let format = &self.format;
        if let SegmentFormat::Salt(salt) = format {
            let shard = salt.decode(bytes)?;
            return Ok(SegmentValue::Unsigned(shard.into()));
        }
        match self.kind {
            SegmentKind::String if format.is_escaped() => {
                let text = Escaped::decode(bytes, separator)?;
                Ok(SegmentValue::String(text.to_cow().into_owned()))
            }
            SegmentKind::String => decode::<&str>(format, bytes),
            SegmentKind::Bytes => decode::<&[u8]>(format, bytes),
            kind @ SegmentKind::ByteArray { len } => {
                let mut array = vec![0; usize::from(len)];
                decode_array(&mut array, kind, format, bytes)?;
                Ok(SegmentValue::Bytes(array))
            }
            SegmentKind::Unsigned { bits: 8 } => decode::<u8>(format, bytes),
            SegmentKind::Unsigned { bits: 16 } => decode::<u16>(format, bytes),
            SegmentKind::Unsigned { bits: 32 } => decode::<u32>(format, bytes),
            SegmentKind::Unsigned { bits: 64 } => decode::<u64>(format, bytes),
            SegmentKind::Unsigned { bits: 128 } => decode::<u128>(format, bytes),
            SegmentKind::Signed { bits: 8 } => decode::<i8>(format, bytes),
            SegmentKind::Signed { bits: 16 } => decode::<i16>(format, bytes),
            SegmentKind::Signed { bits: 32 } => decode::<i32>(format, bytes),
            SegmentKind::Signed { bits: 64 } => decode::<i64>(format, bytes),
            SegmentKind::Signed { bits: 128 } => decode::<i128>(format, bytes),
            SegmentKind::Float { bits: 32 } => decode::<f32>(format, bytes),
            SegmentKind::Float { bits: 64 } => decode::<f64>(format, bytes),
            SegmentKind::Bool => decode::<bool>(format, bytes),
            SegmentKind::Char => decode::<char>(format, bytes),
            SegmentKind::Uuid => {
                UuidBytes::decode(format, bytes).map(|uuid| SegmentValue::Uuid(uuid.0))
            }
            SegmentKind::Time => decode::<Timestamp>(format, bytes),
            SegmentKind::Date => match Timestamp::decode(format, bytes)? {
                time if is_of_date(time, format) => Ok(SegmentValue::Time(time)),
                _ => Err(refuse::malformed(
                    bytes,
                    "the beginning of a day".to_owned(),
                )),
            },
            kind => Err(refuse::mismatch(&kind, format)),
        }
    }
}

/// Whether a time belongs to a segment of dates. In a bucket it is the time of its events.
fn is_of_date(time: Timestamp, format: &SegmentFormat) -> bool {
    matches!(format, SegmentFormat::Bucket(_)) || civil::is_midnight(time)
}

fn decode<'a, P: SegmentPrimitive<'a>>(
    format: &SegmentFormat,
    bytes: &'a [u8],
) -> Result<SegmentValue, SegmentError> {
    P::decode(format, bytes).map(P::into_value)
}

fn encode_unsigned(
    value: u128,
    bits: u16,
    format: &SegmentFormat,
    separator: u8,
    out: &mut Vec<u8>,
) -> Result<(), SegmentError> {
    macro_rules! narrowed {
        ($int:ident) => {
            match $int::try_from(value) {
                Ok(value) => value.encode(format, separator, out),
                Err(_) => Err(too_wide(
                    &value,
                    format,
                    crate::key::encoding::digits::count(value),
                )),
            }
        };
    }
    match bits {
        8 => narrowed!(u8),
        16 => narrowed!(u16),
        32 => narrowed!(u32),
        64 => narrowed!(u64),
        128 => value.encode(format, separator, out),
        bits => Err(refuse::mismatch(&SegmentKind::Unsigned { bits }, format)),
    }
}

fn encode_signed(
    value: i128,
    bits: u16,
    format: &SegmentFormat,
    separator: u8,
    out: &mut Vec<u8>,
) -> Result<(), SegmentError> {
    macro_rules! narrowed {
        ($int:ident) => {
            match $int::try_from(value) {
                Ok(value) => value.encode(format, separator, out),
                Err(_) => {
                    let digits = crate::key::encoding::digits::count(value.unsigned_abs());
                    Err(too_wide(&value, format, 1 + digits))
                }
            }
        };
    }
    match bits {
        8 => narrowed!(i8),
        16 => narrowed!(i16),
        32 => narrowed!(i32),
        64 => narrowed!(i64),
        128 => value.encode(format, separator, out),
        bits => Err(refuse::mismatch(&SegmentKind::Signed { bits }, format)),
    }
}

/// A number too large for the segment's type: in text it takes its digits, in binary twice the
/// bytes.
#[cold]
fn too_wide(value: &dyn std::fmt::Display, format: &SegmentFormat, digits: usize) -> SegmentError {
    if *format == SegmentFormat::CodedInt {
        return beyond_code(value);
    }
    let width = format.fixed_len().unwrap_or_default();
    let bytes = match format {
        SegmentFormat::BigEndian { .. } | SegmentFormat::SignedBigEndian { .. } => 2 * width,
        _ => digits,
    };
    refuse::too_wide(value, bytes, width)
}

#[cold]
fn other_kind(value: &SegmentValue, segment: &Segment) -> SegmentError {
    let kind = match value {
        SegmentValue::String(_) => "string",
        SegmentValue::Bytes(_) => "byte string",
        SegmentValue::Unsigned(_) => "unsigned integer",
        SegmentValue::Signed(_) => "signed integer",
        SegmentValue::Float32(_) => "f32",
        SegmentValue::Float(_) => "f64",
        SegmentValue::Bool(_) => "bool",
        SegmentValue::Char(_) => "char",
        SegmentValue::Uuid(_) => "UUID",
        SegmentValue::Time(_) => "time",
    };
    SegmentError::Mismatch {
        kind: kind.to_owned(),
        format: format!("{} {{:{}}}", segment.kind, segment.format),
    }
}
