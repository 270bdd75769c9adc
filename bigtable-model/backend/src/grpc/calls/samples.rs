//! The row keys that a server samples from a table.

use std::future::ready;

use futures::TryStreamExt;

use crate::data::{RowKeySample, limits};
use crate::grpc::channel::instance::Instance;
use crate::grpc::protocol::failure::Failure;
use crate::grpc::protocol::request::Sent;
use crate::grpc::protocol::wire::{SampleRowKeysRequest, SampleRowKeysResponse};
use crate::grpc::retry::operation::{Call, Operation};
use crate::grpc::settings::options::Options;
use crate::{Code, Status};

/// All samples; after an attempt that breaks off, the next one starts over.
pub(crate) async fn row_keys(
    instance: &Instance,
    options: &Options,
    table: &str,
    operation: Operation,
) -> Result<Vec<RowKeySample>, Status> {
    let target = instance.target(table, options);
    let sent = &Sent::new(&SampleRowKeysRequest {
        table_name: target.table,
        authorized_view_name: target.view,
        app_profile_id: target.app_profile,
    })?;
    let attempt = |call: Call| async move {
        let samples = instance.transport.streaming(&call, sent).await?;
        let samples = samples.map_ok(|sample: SampleRowKeysResponse| RowKeySample {
            key: sample.row_key,
            offset_bytes: sample.offset_bytes,
        });
        let mut left = options.row_bytes;
        let within = samples.and_then(|sample| {
            let size = size_of::<RowKeySample>() + sample.key.len();
            let rest = left.checked_sub(size);
            left = rest.unwrap_or_default();
            ready(rest.map(|_| sample).ok_or_else(|| too_many(options)))
        });
        within.try_collect().await
    };
    operation.run(attempt).await
}

#[cold]
fn too_many(options: &Options) -> Failure {
    let most = limits::size(options.row_bytes);
    Failure::new(
        Code::ResourceExhausted,
        format!("the samples of row keys take over {most}: raise `GrpcSettings::row_bytes`"),
    )
}
