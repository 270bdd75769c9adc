//! Protobuf with buffers of the right size. tonic's own takes 8 KiB for each direction of each
//! call, which is most of the memory that a call of a few hundred bytes touches.

use std::marker::PhantomData;

use bytes::Buf as _;
use prost::Message;
use tonic::Status;
use tonic::codec::{BufferSettings, Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};

use crate::grpc::protocol::chunk::Chunks;

/// The first size of a buffer for one short message; it grows for longer ones.
const SHORT: usize = 512;

/// How many bytes of a stream of messages are collected before they are sent; tonic's own number.
const SENT_AT_ONCE: usize = 32 << 10;

/// Buffers for calls and answers with one message.
pub(crate) fn short() -> BufferSettings {
    BufferSettings::new(SHORT, SENT_AT_ONCE)
}

/// The type that an answer is decoded into.
pub(crate) trait Answer: Sized + Send + Sync + 'static {
    fn decode(buffer: &mut DecodeBuf<'_>) -> Result<Self, Status>;
}

impl<A: Message + Default + 'static> Answer for A {
    fn decode(buffer: &mut DecodeBuf<'_>) -> Result<Self, Status> {
        // The code is gRPC's own for bytes that cannot be decoded.
        Message::decode(buffer).map_err(|error| Status::internal(error.to_string()))
    }
}

impl Answer for Chunks {
    /// The bytes, unchanged; they are decoded as they are taken.
    fn decode(buffer: &mut DecodeBuf<'_>) -> Result<Self, Status> {
        Ok(Self::new(buffer.copy_to_bytes(buffer.remaining())))
    }
}

/// The client's side of a call whose request has a body of its own.
#[derive(Debug)]
pub(crate) struct ClientCodec<A> {
    answers: BufferSettings,
    answer: PhantomData<A>,
}

impl<A> ClientCodec<A> {
    /// For a call with one answer.
    pub(crate) fn unary() -> Self {
        Self {
            answers: short(),
            answer: PhantomData,
        }
    }

    /// For a call with a stream of answers.
    pub(crate) fn streaming() -> Self {
        Self {
            answers: BufferSettings::default(),
            answer: PhantomData,
        }
    }
}

impl<A: Answer> Codec for ClientCodec<A> {
    type Encode = ();
    type Decode = A;
    type Encoder = SizedEncoder<()>;
    type Decoder = AnswerDecoder<A>;

    fn encoder(&mut self) -> Self::Encoder {
        SizedEncoder::new(short())
    }

    fn decoder(&mut self) -> Self::Decoder {
        AnswerDecoder {
            settings: self.answers,
            answer: PhantomData,
        }
    }
}

/// Reads answers.
#[derive(Debug)]
pub(crate) struct AnswerDecoder<A> {
    settings: BufferSettings,
    answer: PhantomData<A>,
}

impl<A: Answer> Decoder for AnswerDecoder<A> {
    type Item = A;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<A>, Status> {
        A::decode(buffer).map(Some)
    }

    fn buffer_settings(&self) -> BufferSettings {
        self.settings
    }
}

/// Allocates the room for a message at once, so a long one is not copied each time its buffer
/// grows.
#[derive(Debug)]
pub(crate) struct SizedEncoder<T> {
    settings: BufferSettings,
    message: PhantomData<T>,
}

impl<T> SizedEncoder<T> {
    pub(crate) fn new(settings: BufferSettings) -> Self {
        Self {
            settings,
            message: PhantomData,
        }
    }
}

impl<T: Message> Encoder for SizedEncoder<T> {
    type Item = T;
    type Error = Status;

    fn encode(&mut self, message: T, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.reserve(message.encoded_len());
        message.encode_raw(buffer);
        Ok(())
    }

    fn buffer_settings(&self) -> BufferSettings {
        self.settings
    }
}
