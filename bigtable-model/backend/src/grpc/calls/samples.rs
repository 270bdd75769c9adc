//! The keys that a server samples of a table.

use futures::TryStreamExt;

use crate::Status;
use crate::data::RowKeySample;
use crate::grpc::channel::instance::Instance;
use crate::grpc::protocol::request::Sent;
use crate::grpc::protocol::wire::SampleRowKeysRequest;
use crate::grpc::retry::operation::{Call, Operation};
use crate::grpc::settings::options::Options;

/// All samples; an attempt that breaks off is followed by a whole one.
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
        samples
            .map_ok(|sample| RowKeySample {
                key: sample.row_key,
                offset_bytes: sample.offset_bytes,
            })
            .try_collect()
            .await
    };
    operation.run(attempt).await
}
