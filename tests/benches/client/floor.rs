//! The least that a bulk write takes: requests that are encoded in advance go through tonic, and
//! answers are received and not decoded.

use bigtable_rs::google::bigtable::v2::MutateRowsRequest;
use bytes::{Buf as _, BufMut as _, Bytes};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use prost::Message as _;
use tonic::Status;
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::Channel;

use crate::clients::BATCH;
use crate::events::{Event, entry, request};

/// Requests under way, as many as `insert_many` has.
const IN_FLIGHT: usize = 4;

/// The encoded requests of a bulk write.
pub(crate) fn requests<E: Event>(events: &[E]) -> Vec<Bytes> {
    let encoded = events.chunks(BATCH).map(|batch| {
        let request = MutateRowsRequest {
            table_name: request::<E>().table_name,
            entries: batch.iter().map(entry).collect(),
            ..MutateRowsRequest::default()
        };
        request.encode_to_vec().into()
    });
    encoded.collect()
}

/// Sends them; returns the bytes of the answers.
pub(crate) async fn send(channel: &Channel, requests: &[Bytes]) -> usize {
    let sent = stream::iter(requests.to_vec()).map(|request| {
        let mut client = Grpc::new(channel.clone());
        async move {
            client.ready().await.unwrap();
            let path = PathAndQuery::from_static("/google.bigtable.v2.Bigtable/MutateRows");
            let request = tonic::Request::new(request);
            let answers = client.server_streaming(request, path, Plain);
            let answers = answers.await.unwrap().into_inner();
            answers
                .try_fold(0, async |sum, bytes| Ok(sum + bytes))
                .await
                .unwrap()
        }
    });
    sent.buffer_unordered(IN_FLIGHT)
        .fold(0, async |sum, bytes| sum + bytes)
        .await
}

/// Bytes as they are; of an answer only their number.
struct Plain;

impl Codec for Plain {
    type Encode = Bytes;
    type Decode = usize;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Plain {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, bytes: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.reserve(bytes.len());
        buffer.put(bytes);
        Ok(())
    }
}

impl Decoder for Plain {
    type Item = usize;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<usize>, Status> {
        let bytes = buffer.remaining();
        buffer.advance(bytes);
        Ok(Some(bytes))
    }
}
