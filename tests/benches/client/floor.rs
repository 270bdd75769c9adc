//! The minimum time of a bulk write: requests encoded in advance go through tonic, and answers are
//! received but not decoded.

use bigtable_model_tests::canned::AsItIs;
use bigtable_rs::google::bigtable::v2::MutateRowsRequest;
use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use prost::Message as _;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::Channel;

use crate::clients::BATCH;
use crate::events::{Event, entry, request};

/// Requests in flight, as many as `insert_many` has.
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
            let answers = client.server_streaming(request, path, AsItIs);
            let answers = answers.await.unwrap().into_inner();
            answers
                .try_fold(0, async |sum, answer| Ok(sum + answer.len()))
                .await
                .unwrap()
        }
    });
    sent.buffer_unordered(IN_FLIGHT)
        .fold(0, async |sum, bytes| sum + bytes)
        .await
}
