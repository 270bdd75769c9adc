use std::fmt::Debug;

use prost::encoding::{
    DecodeContext, WireType, decode_key, decode_varint, encode_key, encode_varint, skip_field,
};
use prost::{DecodeError, Message};

use super::{PayloadField, PayloadFormat};
use crate::value::prost::{append, encoded_len};
use crate::value::samples::read_by;
use crate::value::{CellCodec, Prost, ValueError};

/// Payloads that are protobuf messages.
#[derive(Debug, Clone, Copy)]
pub struct ProstPayload;

/// The fields of a message that is being read.
#[derive(Debug)]
pub struct ProstReader<'a> {
    /// Number and bytes; no bytes for a field that is not a message.
    fields: Vec<(u32, Option<&'a [u8]>)>,
}

impl PayloadFormat for ProstPayload {
    const NAME: &'static str = "prost";

    type Writer<'a> = &'a mut Vec<u8>;
    type Reader<'a> = ProstReader<'a>;

    fn writer(out: &mut Vec<u8>) -> &mut Vec<u8> {
        out
    }

    fn finish(_: &mut Vec<u8>) -> Result<(), ValueError> {
        Ok(())
    }

    fn reader(bytes: &[u8]) -> Result<ProstReader<'_>, ValueError> {
        let malformed = |error| ValueError::malformed(format!("a message ({error})"), bytes);
        let mut rest = bytes;
        let mut fields = Vec::with_capacity(16);
        while !rest.is_empty() {
            fields.push(take(&mut rest).map_err(malformed)?);
        }
        Ok(ProstReader { fields })
    }

    fn end(_: ProstReader<'_>) -> Result<(), ValueError> {
        Ok(())
    }
}

/// Takes a field from the bytes.
fn take<'a>(rest: &mut &'a [u8]) -> Result<(u32, Option<&'a [u8]>), Cut> {
    let (number, wire_type) = decode_key(rest)?;
    if wire_type != WireType::LengthDelimited {
        skip_field(wire_type, number, rest, DecodeContext::default())?;
        return Ok((number, None));
    }
    let len = usize::try_from(decode_varint(rest)?).map_err(|_| Cut::Short)?;
    let (bytes, after) = rest.split_at_checked(len).ok_or(Cut::Short)?;
    *rest = after;
    Ok((number, Some(bytes)))
}

/// Why bytes are not a message.
#[derive(Debug, thiserror::Error)]
enum Cut {
    #[error("a field is cut short")]
    Short,
    #[error("{0}")]
    Else(#[from] DecodeError),
}

#[diagnostic::do_not_recommend] // The message of `PayloadField` says more than the bound that is not met.
impl<T: Message + Default + Debug + 'static> PayloadField<T> for ProstPayload {
    fn write(
        out: &mut &mut Vec<u8>,
        name: &'static str,
        number: u32,
        value: &T,
    ) -> Result<(), ValueError> {
        encode_key(number, WireType::LengthDelimited, *out);
        encode_varint(encoded_len(value) as u64, *out);
        append(value, out)
            .map_err(|reason| ValueError::refused("prost", format!("field `{name}`: {reason}")))
    }

    /// A repeated field is merged, like messages.
    fn read(
        reader: &mut ProstReader<'_>,
        name: &'static str,
        number: u32,
    ) -> Result<Option<T>, ValueError> {
        let mut value = None;
        for (_, bytes) in reader.fields.iter().filter(|(one, _)| *one == number) {
            let Some(mut bytes) = *bytes else {
                let expected = format!("a message for field `{name}`, not a number");
                return Err(ValueError::malformed(expected, &[]));
            };
            let merged = value.get_or_insert_with(T::default).merge(&mut bytes);
            merged.map_err(|error| {
                let expected = format!("the message of field `{name}` ({error})");
                ValueError::malformed(expected, bytes)
            })?;
        }
        Ok(value)
    }

    /// The most telling sample message.
    fn sample() -> Option<T> {
        let values = read_by(<Prost as CellCodec<T>>::decode).into_iter();
        values.max_by_key(|value: &T| encoded_len(value))
    }
}
