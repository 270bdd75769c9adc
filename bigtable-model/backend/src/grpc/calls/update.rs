//! A change of a table that continues after its call was answered.

use std::time::Duration;

use tokio::time::Instant;

use crate::data::{RowKeySchema, SchemaBundle};
use crate::grpc::channel::instance::Instance;
use crate::grpc::protocol::method::Method;
use crate::grpc::protocol::request::{Request, Sent};
use crate::grpc::protocol::status::outcome;
use crate::grpc::protocol::wire;
use crate::grpc::retry::operation::{Operation, Retry};
use crate::grpc::settings::options::Options;
use crate::grpc::settings::timing::Timeout;
use crate::{Code, Status};

/// The pause before the server is first asked for its progress; each later pause is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Gives a table this row key schema, or removes it.
pub(crate) async fn row_key_schema(
    instance: &Instance,
    options: &Options,
    table: &str,
    schema: Option<RowKeySchema>,
) -> Result<(), Status> {
    // Without that, removing one is refused: queries that select its columns fail afterwards.
    let ignore_warnings = schema.is_none();
    let request = wire::UpdateTableRequest {
        table: Some(wire::Table {
            name: instance.name.table(table),
            row_key_schema: schema.map(Into::into),
            ..wire::Table::default()
        }),
        update_mask: Some(only("row_key_schema")),
        ignore_warnings,
    };
    change(instance, options, table, request).await
}

/// Creates a schema bundle of a table, or replaces the one with its ID.
pub(crate) async fn schema_bundle(
    instance: &Instance,
    options: &Options,
    table: &str,
    bundle: SchemaBundle,
) -> Result<(), Status> {
    let parent = instance.name.table(table);
    let name = format!("{parent}/schemaBundles/{}", bundle.id);
    let named = |name| wire::SchemaBundle {
        name,
        proto_schema: Some(wire::ProtoDescriptors {
            proto_descriptors: bundle.descriptors.clone(),
        }),
    };
    let request = wire::CreateSchemaBundleRequest {
        parent,
        schema_bundle_id: bundle.id.clone(),
        schema_bundle: Some(named(String::new())),
    };
    match change(instance, options, table, request).await {
        Err(status) if status.code == Code::AlreadyExists => {}
        created => return created,
    }
    let request = wire::UpdateSchemaBundleRequest {
        schema_bundle: Some(named(name)),
        update_mask: Some(only("proto_schema")),
        // The service refuses a bundle that is not compatible with the one that it has.
        ignore_warnings: false,
    };
    change(instance, options, table, request).await
}

/// The mask of one field.
fn only(field: &str) -> wire::FieldMask {
    wire::FieldMask {
        paths: vec![field.to_owned()],
    }
}

/// Sends a change once, and ends when the server has made it.
async fn change<Q>(
    instance: &Instance,
    options: &Options,
    table: &str,
    request: Q,
) -> Result<(), Status>
where
    Q: Request<Answer = wire::LongOperation>,
{
    options.check_view(Q::METHOD)?;
    let _pass = instance.enter()?;
    let total = options.timeouts.admin_write;
    let timeout = options.timeout(Timeout {
        attempt: total,
        total,
    });
    let operation = Operation::begin(options, Q::METHOD, table, Retry::Never, timeout);
    let deadline = operation.deadline();
    let sent = Sent::new(&request)?;
    let begun = operation.run(|call| {
        let sent = &sent;
        async move { instance.transport.unary(&call, sent).await }
    });
    let begun = begun.await?;
    match begun.done {
        true => outcome(begun.error),
        false => wait(instance, options, table, begun.name, deadline).await,
    }
}

/// Asks until the server is done.
async fn wait(
    instance: &Instance,
    options: &Options,
    table: &str,
    name: String,
    deadline: Instant,
) -> Result<(), Status> {
    let timeout = Timeout {
        total: deadline.saturating_duration_since(Instant::now()),
        ..options.timeout(options.timeouts.admin_read)
    };
    let retry = Retry::Transient;
    let mut operation = Operation::begin(options, Method::GET_OPERATION, table, retry, timeout);
    let done = asked(instance, &mut operation, name).await;
    operation.ended(done.as_ref().err());
    done
}

async fn asked(instance: &Instance, operation: &mut Operation, name: String) -> Result<(), Status> {
    let sent = Sent::new(&wire::GetOperationRequest { name: name.clone() })?;
    let mut pause = FIRST_PAUSE;
    loop {
        if Instant::now() + pause >= operation.deadline() {
            return Err(unfinished(&name));
        }
        tokio::time::sleep(pause).await;
        let asked = operation.request(|call| {
            let sent = &sent;
            async move { instance.transport.unary(&call, sent).await }
        });
        let now = asked.await?;
        if now.done {
            return outcome(now.error);
        }
        operation.next_request();
        pause = LONGEST_PAUSE.min(2 * pause);
    }
}

fn unfinished(name: &str) -> Status {
    let message = format!("the server has not finished the change, and goes on with it as {name}");
    Status::new(Code::DeadlineExceeded, message)
}
