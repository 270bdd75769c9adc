//! The clients: ours, bigtable_rs with rows mapped by hand, and plain tonic and prost, which
//! discards what it decodes.

use std::hint::black_box;
use std::time::Duration;

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings, wire};
use bigtable_model::data::{ReadRows, RowFilter, RowRange, RowSet};
use bigtable_model::{Backend as _, BackendExt as _};
use bigtable_rs::bigtable::{BigTable, BigTableConnection};
use bigtable_rs::google::bigtable::v2::bigtable_client::BigtableClient;
use bigtable_rs::google::bigtable::v2::{MutateRowsRequest, ReadRowsResponse};
use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _};
use tokio::runtime::Runtime;
use tonic::codec::Streaming;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::{Channel, Endpoint};

use crate::events::{Event, entry, request};
use crate::floor;
use crate::support::timed;

/// Entries of a bulk write, as many as `insert_many` sends.
pub(crate) const BATCH: usize = 1_000;

/// The read of all events.
fn read<E: Event>() -> ReadRows {
    ReadRows {
        table: E::SCHEMA.table.to_string(),
        rows: RowSet::range(RowRange::prefix("NASDAQ#ZXZZT#")),
        filter: Some(RowFilter::CellsPerColumnLimit(1)),
        ..ReadRows::default()
    }
}

/// All clients of one server.
pub(crate) struct Clients<'a> {
    runtime: &'a Runtime,
    pub(crate) ours: GrpcBackend,
    theirs: BigTable,
    bare: Channel,
}

impl<'a> Clients<'a> {
    pub(crate) fn new(runtime: &'a Runtime, address: &str) -> Self {
        let _inside = runtime.enter();
        let settings = GrpcSettings::new("p", "i").emulator(address);
        let theirs = BigTableConnection::new_with_emulator(address, "p", "i", false, 1, None);
        // With windows as large as ours, which make it faster.
        let bare = Endpoint::from_shared(format!("http://{address}")).unwrap();
        let bare = bare.initial_stream_window_size(1 << 20);
        Self {
            runtime,
            ours: GrpcBackend::new(&settings).unwrap(),
            theirs: theirs.unwrap().client(),
            bare: bare.initial_connection_window_size(1 << 30).connect_lazy(),
        }
    }

    pub(crate) fn block_on<T>(&self, run: impl Future<Output = T>) -> T {
        self.runtime.block_on(run)
    }

    /// Events from a query of the model.
    pub(crate) fn typed<E: Event>(&self, rows: u32) -> Duration {
        timed(|| {
            self.runtime.block_on(async {
                let mut events = E::stream(&self.ours);
                let (mut count, mut sum) = (0, 0);
                while let Some(event) = events.try_next().await.unwrap() {
                    count += 1;
                    sum += black_box(event).checksum();
                }
                assert_eq!(count, rows);
                sum
            })
        })
    }

    /// Rows in batches, not decoded into events.
    pub(crate) fn batches<E: Event>(&self, rows: u32) -> Duration {
        timed(|| {
            self.runtime.block_on(async {
                let mut stream = self.ours.read_rows(read::<E>());
                let mut count = 0;
                while let Some(batch) = stream.try_next().await.unwrap() {
                    count += u32::try_from(batch.len()).unwrap();
                    for row in batch.rows() {
                        black_box(row.key());
                    }
                }
                assert_eq!(count, rows);
            });
        })
    }

    /// Rows, not decoded into events.
    pub(crate) fn rows<E: Event>(&self, rows: u32) -> Duration {
        timed(|| {
            self.runtime.block_on(async {
                let mut stream = self.ours.read_rows(read::<E>()).rows();
                let mut count = 0;
                while let Some(row) = stream.try_next().await.unwrap() {
                    count += 1;
                    black_box(row);
                }
                assert_eq!(count, rows);
            });
        })
    }

    /// Events from bigtable_rs, mapped by hand.
    pub(crate) fn by_hand<E: Event>(&self, rows: u32) -> Duration {
        let mut client = self.theirs.clone();
        timed(|| {
            self.runtime.block_on(async {
                let stream = client.stream_rows(request::<E>()).await.unwrap();
                let mut stream = std::pin::pin!(stream);
                let (mut count, mut sum) = (0, 0);
                while let Some(row) = stream.next().await {
                    let (key, cells) = row.unwrap();
                    count += 1;
                    sum += black_box(E::from_row(key, cells)).checksum();
                }
                assert_eq!(count, rows);
                sum
            })
        })
    }

    /// Messages of the published types; checks the number of chunks.
    pub(crate) fn bare<E: Event>(&self, chunks: usize) -> Duration {
        let mut client = BigtableClient::new(self.bare.clone());
        timed(|| {
            self.runtime.block_on(async {
                let answer = client.read_rows(request::<E>()).await.unwrap();
                let mut messages: Streaming<ReadRowsResponse> = answer.into_inner();
                let mut count = 0;
                while let Some(message) = messages.message().await.unwrap() {
                    count += black_box(message).chunks.len();
                }
                assert_eq!(count, chunks);
            });
        })
    }

    /// Messages of our types, whose fields share the received bytes.
    pub(crate) fn bare_sharing<E: Event>(&self, chunks: usize) -> Duration {
        type Codec = tonic_prost::ProstCodec<wire::ReadRowsRequest, wire::ReadRowsResponse>;
        let mut client = tonic::client::Grpc::new(self.bare.clone());
        let path = PathAndQuery::from_static("/google.bigtable.v2.Bigtable/ReadRows");
        let request = wire::ReadRowsRequest {
            table_name: request::<E>().table_name,
            ..wire::ReadRowsRequest::default()
        };
        timed(|| {
            self.runtime.block_on(async {
                client.ready().await.unwrap();
                let request = tonic::Request::new(request);
                let answer = client.server_streaming(request, path, Codec::default());
                let mut messages = answer.await.unwrap().into_inner();
                let mut count = 0;
                while let Some(message) = messages.message().await.unwrap() {
                    count += black_box(message).chunks.len();
                }
                assert_eq!(count, chunks);
            });
        })
    }

    /// A bulk write of events.
    pub(crate) fn insert<E: Event>(&self, events: &[E]) -> Duration {
        timed(|| {
            let written = self.ours.insert_many(events).into_future();
            let outcome = self.runtime.block_on(written);
            assert_eq!(outcome.into_result().unwrap(), events.len() as u64);
        })
    }

    /// The same entries, encoded in advance.
    pub(crate) fn send_encoded(&self, requests: &[Bytes]) -> Duration {
        timed(|| self.runtime.block_on(floor::send(&self.bare, requests)))
    }

    /// The same with bigtable_rs and entries built by hand.
    pub(crate) fn insert_by_hand<E: Event>(&self, events: &[E]) -> Duration {
        let mut client = self.theirs.clone();
        timed(|| {
            self.runtime.block_on(async {
                let mut written = 0;
                for batch in events.chunks(BATCH) {
                    let request = MutateRowsRequest {
                        table_name: request::<E>().table_name,
                        entries: batch.iter().map(entry).collect(),
                        ..MutateRowsRequest::default()
                    };
                    let mut answers = client.mutate_rows(request).await.unwrap();
                    while let Some(answer) = answers.message().await.unwrap() {
                        let applied = answer.entries.iter();
                        written += applied
                            .filter(|one| one.status.as_ref().is_none_or(|status| status.code == 0))
                            .count();
                    }
                }
                assert_eq!(written, events.len());
            });
        })
    }
}
