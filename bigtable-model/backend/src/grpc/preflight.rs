//! What is looked at before a request is decoded: how many parts it has, and how deep they are nested.
//!
//! Two bytes on the wire can become two hundred in memory (an empty mutation, an empty range), so the limit on a
//! message's bytes does not bound what decoding it takes. The parts are counted on the bytes as they are.

use std::marker::PhantomData;

use bytes::{Buf, Bytes};
use prost::Message;
use prost::encoding::{WireType, decode_key, decode_varint};
use tonic::Status;
use tonic::codec::{BufferSettings, Codec, DecodeBuf, Decoder};

use super::protocol::codec::{SizedEncoder, short};
use super::protocol::wire;

/// More than ten times what Bigtable itself takes: 100,000 mutations.
const MAX_PARTS: usize = 1 << 20;

/// As many levels as the decoder takes.
const MAX_DEPTH: usize = 100;

/// The fields of a message that repeat or hold such a message: number, and what is inside.
#[derive(Debug)]
pub(crate) struct Shape(&'static [(u32, &'static Shape)]);

/// A request that is looked at before it is decoded.
pub(crate) trait Shaped {
    /// What of it takes memory by its number.
    fn shape() -> &'static Shape;
}

static LEAF: Shape = Shape(&[]);
static ROW_SET: Shape = Shape(&[(1, &LEAF), (2, &LEAF)]);
static FILTER: Shape = Shape(&[(1, &FILTERS), (2, &FILTERS), (3, &CONDITION)]);
static FILTERS: Shape = Shape(&[(1, &FILTER)]);
static CONDITION: Shape = Shape(&[(1, &FILTER), (2, &FILTER), (3, &FILTER)]);
static READ_ROWS: Shape = Shape(&[(2, &ROW_SET), (3, &FILTER)]);
static THREE: Shape = Shape(&[(3, &LEAF)]);
static ENTRY: Shape = Shape(&[(2, &LEAF)]);
static MUTATE_ROWS: Shape = Shape(&[(2, &ENTRY)]);
static CHECK: Shape = Shape(&[(4, &LEAF), (5, &LEAF), (6, &FILTER)]);
static GC_RULE: Shape = Shape(&[(3, &GC_RULES), (4, &GC_RULES)]);
static GC_RULES: Shape = Shape(&[(1, &GC_RULE)]);
static FAMILY: Shape = Shape(&[(1, &GC_RULE)]);
static FAMILY_OF_TABLE: Shape = Shape(&[(2, &FAMILY)]);
static TABLE: Shape = Shape(&[(3, &FAMILY_OF_TABLE)]);
static CREATE_TABLE: Shape = Shape(&[(3, &TABLE), (4, &LEAF)]);
static MASK: Shape = Shape(&[(1, &LEAF)]);
static MODIFICATION: Shape = Shape(&[(2, &FAMILY), (3, &FAMILY), (6, &MASK)]);
static MODIFY_FAMILIES: Shape = Shape(&[(2, &MODIFICATION)]);

macro_rules! shaped {
    ($($message:ident: $shape:ident,)*) => {
        $(impl Shaped for wire::$message {
            fn shape() -> &'static Shape {
                &$shape
            }
        })*
    };
}

shaped! {
    ReadRowsRequest: READ_ROWS,
    SampleRowKeysRequest: LEAF,
    MutateRowRequest: THREE,
    MutateRowsRequest: MUTATE_ROWS,
    CheckAndMutateRowRequest: CHECK,
    ReadModifyWriteRowRequest: THREE,
    PingAndWarmRequest: LEAF,
    CreateTableRequest: CREATE_TABLE,
    GetTableRequest: LEAF,
    ListTablesRequest: LEAF,
    DeleteTableRequest: LEAF,
    ModifyColumnFamiliesRequest: MODIFY_FAMILIES,
    DropRowRangeRequest: LEAF,
    GenerateConsistencyTokenRequest: LEAF,
    CheckConsistencyRequest: LEAF,
}

/// Refuses bytes that are no message, or that have more parts or levels than a server should decode.
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
        let Some(value) = value(&mut bytes, wire_type)? else {
            continue;
        };
        let Some((_, inner)) = shape.0.iter().find(|(number, _)| *number == field) else {
            continue;
        };
        *parts += 1;
        if *parts > MAX_PARTS {
            return Err(Status::invalid_argument(format!(
                "the request has over {MAX_PARTS} parts"
            )));
        }
        if !inner.0.is_empty() {
            walk(value, inner, below, parts)?;
        }
    }
    Ok(())
}

/// Takes a field's value; gives it where it is one of known length. Groups are no part of Bigtable's protocol.
fn value<'a>(bytes: &mut &'a [u8], wire_type: WireType) -> Result<Option<&'a [u8]>, Status> {
    let len = match wire_type {
        WireType::Varint => {
            decode_varint(bytes).map_err(malformed)?;
            return Ok(None);
        }
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
    Ok((wire_type == WireType::LengthDelimited).then_some(value))
}

/// The code is gRPC's own for bytes that can't be decoded.
fn malformed(reason: impl std::fmt::Display) -> Status {
    Status::internal(format!("the request can't be decoded: {reason}"))
}

/// Protobuf, with [`check`] in front of the decoder.
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
        let status = check(&filter, &FILTER).unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
    }

    #[test]
    fn bytes_that_are_no_message_are_refused() {
        for bytes in [&[0x12, 5][..], &[0x0b], &[0xff; 11], &[0x12], &[0x0d, 1]] {
            let status = check(bytes, &MUTATE_ROWS).unwrap_err();
            assert_eq!(status.code(), Code::Internal);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_looked_at(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            // What it lets through may still be refused by the decoder, never the other way round.
            if let Err(status) = check(&bytes, &READ_ROWS) {
                let group = status.message().contains("group");
                prop_assert!(group || wire::ReadRowsRequest::decode(&*bytes).is_err());
            }
        }
    }
}
