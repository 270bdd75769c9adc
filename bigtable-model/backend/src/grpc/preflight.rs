//! Checks before a request is decoded: how many parts it has, how deeply they are nested, and
//! whether it asks for something unsupported.
//!
//! Two bytes on the wire can become two hundred in memory (an empty mutation, an empty range), so
//! the limit on a message's bytes does not bound the memory that decoding takes. The parts are
//! counted in the encoded bytes. The decoder would skip a setting that our messages lack, and the
//! client would believe that it is set.

use std::marker::PhantomData;

use bytes::{Buf, Bytes};
use prost::Message;
use prost::encoding::{WireType, decode_key, decode_varint};
use tonic::Status;
use tonic::codec::{BufferSettings, Codec, DecodeBuf, Decoder};

use super::protocol::codec::{SizedEncoder, short};

mod shapes;

use shapes::Field;
pub(crate) use shapes::{Shape, Shaped};

/// More than Bigtable itself accepts: 100,000 mutations, or as many keys and ranges of rows as half
/// a megabyte can hold.
const MAX_PARTS: usize = 1 << 18;

/// The maximum depth that the decoder accepts.
const MAX_DEPTH: usize = 100;

/// Refuses bytes that are not a message, that have more parts or levels than a server should
/// decode, or that ask for something unsupported.
pub(crate) fn check(message: &[u8], shape: &Shape) -> Result<(), Status> {
    let mut parts = 0;
    walk(message, shape, MAX_DEPTH, &mut parts)
}

fn walk(mut bytes: &[u8], shape: &Shape, depth: usize, parts: &mut usize) -> Result<(), Status> {
    let Some(below) = depth.checked_sub(1) else {
        return Err(Status::invalid_argument(format!(
            "the request is nested over {MAX_DEPTH} levels deep"
        )));
    };
    while !bytes.is_empty() {
        let (field, wire_type) = decode_key(&mut bytes).map_err(malformed)?;
        let value = value(&mut bytes, wire_type)?;
        let Some((_, known)) = shape.0.iter().find(|(number, _)| *number == field) else {
            continue;
        };
        match (known, value) {
            (Field::Part(inner), Content::Bytes(value)) => {
                count(parts)?;
                if !inner.0.is_empty() {
                    walk(value, inner, below, parts)?;
                }
            }
            // A number where a message belongs, which the decoder refuses.
            (Field::Part(_), Content::Number(_)) => {}
            (Field::Value(_), Content::Number(0) | Content::Bytes([])) => {}
            (Field::Value(name) | Field::Message(name), _) => {
                let advice = advice(name);
                return Err(Status::unimplemented(format!(
                    "{name} is not supported{advice}"
                )));
            }
        }
    }
    Ok(())
}

/// What to do instead of an unsupported setting, if there is something.
fn advice(name: &str) -> &'static str {
    if name.starts_with("value_type.aggregate_type") {
        ": choose sum, min or max of int64"
    } else if name.starts_with("value_type") {
        ": create the family without it, since it changes nothing about what is stored"
    } else {
        ""
    }
}

fn count(parts: &mut usize) -> Result<(), Status> {
    *parts += 1;
    if *parts > MAX_PARTS {
        return Err(Status::invalid_argument(format!(
            "the request has over {MAX_PARTS} parts"
        )));
    }
    Ok(())
}

/// What a field holds.
enum Content<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// Takes a field's value. Groups are not part of Bigtable's protocol.
fn value<'a>(bytes: &mut &'a [u8], wire_type: WireType) -> Result<Content<'a>, Status> {
    let len = match wire_type {
        WireType::Varint => return decode_varint(bytes).map(Content::Number).map_err(malformed),
        WireType::SixtyFourBit => 8,
        WireType::ThirtyTwoBit => 4,
        WireType::LengthDelimited => decode_varint(bytes).map_err(malformed)?,
        WireType::StartGroup | WireType::EndGroup => {
            return Err(malformed("it holds a group"));
        }
    };
    let cut = usize::try_from(len).ok();
    let Some((value, rest)) = cut.and_then(|len| bytes.split_at_checked(len)) else {
        return Err(malformed("a field is longer than what is left"));
    };
    *bytes = rest;
    Ok(match wire_type {
        WireType::LengthDelimited => Content::Bytes(value),
        // No field that is checked has such a number.
        _ => Content::Number(0),
    })
}

/// The code is gRPC's own for bytes that cannot be decoded.
fn malformed(reason: impl std::fmt::Display) -> Status {
    Status::internal(format!("the request cannot be decoded: {reason}"))
}

/// Protobuf, with [`check`] before decoding.
#[derive(Debug)]
pub(crate) struct CheckedCodec<A, Q> {
    answers: BufferSettings,
    types: PhantomData<(A, Q)>,
}

impl<A, Q> CheckedCodec<A, Q> {
    /// For a call with one answer.
    pub(crate) fn unary() -> Self {
        Self {
            answers: short(),
            types: PhantomData,
        }
    }

    /// For a call with a stream of answers.
    pub(crate) fn streaming() -> Self {
        Self {
            answers: BufferSettings::default(),
            types: PhantomData,
        }
    }
}

impl<A, Q> Codec for CheckedCodec<A, Q>
where
    A: Message + Send + 'static,
    Q: Message + Default + Shaped + Send + 'static,
{
    type Encode = A;
    type Decode = Q;
    type Encoder = SizedEncoder<A>;
    type Decoder = CheckedDecoder<Q>;

    fn encoder(&mut self) -> Self::Encoder {
        SizedEncoder::new(self.answers)
    }

    fn decoder(&mut self) -> Self::Decoder {
        CheckedDecoder(PhantomData)
    }
}

/// The decoder of a [`CheckedCodec`].
#[derive(Debug)]
pub(crate) struct CheckedDecoder<Q>(PhantomData<Q>);

impl<Q: Message + Default + Shaped> Decoder for CheckedDecoder<Q> {
    type Item = Q;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Q>, Status> {
        let bytes: Bytes = buffer.copy_to_bytes(buffer.remaining());
        check(&bytes, Q::shape())?;
        Q::decode(bytes).map(Some).map_err(malformed)
    }

    fn buffer_settings(&self) -> BufferSettings {
        short()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use proptest::prelude::*;
    use tonic::Code;

    use super::*;
    use crate::grpc::protocol::wire;

    #[test]
    fn parts_are_counted_before_anything_is_decoded() {
        // Field 2, no bytes: an entry without a key and mutations.
        let entries = |count: usize| [0x12, 0].repeat(count);
        let check = |bytes: &[u8]| check(bytes, wire::MutateRowsRequest::shape());
        assert!(check(&entries(MAX_PARTS)).is_ok());
        let status = check(&entries(MAX_PARTS + 1)).unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
    }

    #[test]
    fn nesting_is_bounded() {
        let mut filter = wire::RowFilter::default().encode_to_vec();
        for _ in 0..MAX_DEPTH {
            let mut outer = vec![0x0a];
            prost::encoding::encode_varint(filter.len() as u64, &mut outer);
            outer.append(&mut filter);
            filter = outer;
        }
        let mut request = vec![0x1a];
        prost::encoding::encode_varint(filter.len() as u64, &mut request);
        request.append(&mut filter);
        let status = check(&request, wire::ReadRowsRequest::shape()).unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
    }

    #[test]
    fn bytes_that_are_no_message_are_refused() {
        for bytes in [&[0x12, 5][..], &[0x0b], &[0xff; 11], &[0x12], &[0x0d, 1]] {
            let status = check(bytes, wire::MutateRowsRequest::shape()).unwrap_err();
            assert_eq!(status.code(), Code::Internal);
        }
    }

    #[test]
    fn what_is_not_heeded_is_refused_by_its_name() {
        let refused = |bytes: &[u8]| {
            let status = check(bytes, wire::CreateTableRequest::shape()).err()?;
            assert_eq!(status.code(), Code::Unimplemented);
            Some(status.message().to_owned())
        };
        // Field 3, the table; of it 9, a flag, and 8, a message.
        assert_eq!(refused(b"\x1a\x02\x48\x00"), None);
        let protection = refused(b"\x1a\x02\x48\x01");
        assert_eq!(
            protection.unwrap(),
            "table.deletion_protection is not supported"
        );
        let stream = refused(b"\x1a\x02\x42\x00");
        assert_eq!(
            stream.unwrap(),
            "table.change_stream_config is not supported"
        );
        // What `cbt` calls `stringutf8bytes` and `inthll`: entry, family, type.
        let text = refused(b"\x1a\x08\x1a\x06\x12\x04\x1a\x02\x12\x00");
        assert_eq!(
            text.unwrap(),
            "value_type.string_type is not supported: create the family without it, since it changes nothing about what is stored"
        );
        let hll = refused(b"\x1a\x0a\x1a\x08\x12\x06\x1a\x04\x32\x02\x2a\x00");
        assert_eq!(
            hll.unwrap(),
            "value_type.aggregate_type.hllpp_unique_count is not supported: choose sum, min or max of int64"
        );
        // Fields that the protocol gained later are skipped.
        assert_eq!(refused(b"\x1a\x03\xf8\x01\x01"), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_looked_at(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            // The decoder may refuse messages that the check accepts, never the other way round.
            if let Err(status) = check(&bytes, wire::ReadRowsRequest::shape()) {
                let group = status.message().contains("group");
                let refused = status.code() == Code::Unimplemented;
                prop_assert!(group || refused || wire::ReadRowsRequest::decode(&*bytes).is_err());
            }
        }
    }
}
