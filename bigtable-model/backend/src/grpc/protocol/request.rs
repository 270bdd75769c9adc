//! The messages that begin calls, and each of them as it goes out.

use std::marker::PhantomData;

use bytes::Bytes;
use prost::Message;
use tonic::body::Body;

use super::chunk::Chunks;
use super::codec::Answer;
use super::departure::{Ticket, Ticketed};
use super::frame::{OneFrame, prefix};
use super::method::Method;
use super::routing::{Params, Routing};
use super::wire;
use crate::Status;

/// A message that begins a call. A new call of the protocol is its message, its
/// [method](Method), and a line in the list below. (A bulk write's message is not made at all, but
/// [encoded while it is sent](super::entries::EntriesBody).)
pub(crate) trait Request: Message + 'static {
    const METHOD: Method;
    /// The type that its answer, or each message of its answer, is decoded into.
    type Answer: Answer;

    /// The resource that it is routed by.
    fn routing(&self) -> Routing<'_>;
}

macro_rules! requests {
    ($($method:ident: $message:ident -> $answer:ty, |$request:ident| $routing:expr;)+) => {
        $(impl Request for wire::$message {
            const METHOD: Method = Method::$method;
            type Answer = $answer;

            fn routing(&self) -> Routing<'_> {
                let $request = self;
                $routing
            }
        })+
    };
}

requests! {
    READ_ROWS: ReadRowsRequest -> Chunks,
        |of| data(&of.table_name, &of.authorized_view_name, &of.app_profile_id);
    SAMPLE_ROW_KEYS: SampleRowKeysRequest -> wire::SampleRowKeysResponse,
        |of| data(&of.table_name, &of.authorized_view_name, &of.app_profile_id);
    MUTATE_ROW: MutateRowRequest -> wire::MutateRowResponse,
        |of| data(&of.table_name, &of.authorized_view_name, &of.app_profile_id);
    CHECK_AND_MUTATE_ROW: CheckAndMutateRowRequest -> wire::CheckAndMutateRowResponse,
        |of| data(&of.table_name, &of.authorized_view_name, &of.app_profile_id);
    READ_MODIFY_WRITE_ROW: ReadModifyWriteRowRequest -> wire::ReadModifyWriteRowResponse,
        |of| data(&of.table_name, &of.authorized_view_name, &of.app_profile_id);
    PREPARE_QUERY: PrepareQueryRequest -> wire::PrepareQueryResponse,
        |of| instance(&of.instance_name, &of.app_profile_id);
    EXECUTE_QUERY: ExecuteQueryRequest -> wire::ExecuteQueryResponse,
        |of| instance(&of.instance_name, &of.app_profile_id);
    PING_AND_WARM: PingAndWarmRequest -> wire::PingAndWarmResponse,
        |of| instance(&of.name, &of.app_profile_id);
    CREATE_TABLE: CreateTableRequest -> wire::Table, |of| admin("parent", &of.parent);
    LIST_TABLES: ListTablesRequest -> wire::ListTablesResponse, |of| admin("parent", &of.parent);
    GET_TABLE: GetTableRequest -> wire::Table, |of| admin("name", &of.name);
    DELETE_TABLE: DeleteTableRequest -> wire::Empty, |of| admin("name", &of.name);
    MODIFY_COLUMN_FAMILIES: ModifyColumnFamiliesRequest -> wire::Table,
        |of| admin("name", &of.name);
    DROP_ROW_RANGE: DropRowRangeRequest -> wire::Empty, |of| admin("name", &of.name);
    UPDATE_TABLE: UpdateTableRequest -> wire::LongOperation,
        |of| admin("table.name", of.table.as_ref().map_or("", |table| &table.name));
    CREATE_SCHEMA_BUNDLE: CreateSchemaBundleRequest -> wire::LongOperation,
        |of| admin("parent", &of.parent);
    UPDATE_SCHEMA_BUNDLE: UpdateSchemaBundleRequest -> wire::LongOperation,
        |of| admin("schema_bundle.name", of.schema_bundle.as_ref().map_or("", |one| &one.name));
    GENERATE_CONSISTENCY_TOKEN: GenerateConsistencyTokenRequest
        -> wire::GenerateConsistencyTokenResponse, |of| admin("name", &of.name);
    CHECK_CONSISTENCY: CheckConsistencyRequest -> wire::CheckConsistencyResponse,
        |of| admin("name", &of.name);
    GET_OPERATION: GetOperationRequest -> wire::LongOperation, |of| admin("name", &of.name);
}

/// A call of the data API on a table, or on a view of one.
pub(crate) fn data<'a>(table: &'a str, view: &'a str, app_profile: &'a str) -> Routing<'a> {
    match view {
        "" => Routing::Table {
            name: table,
            app_profile,
        },
        name => Routing::View { name, app_profile },
    }
}

fn instance<'a>(name: &'a str, app_profile: &'a str) -> Routing<'a> {
    Routing::Instance { name, app_profile }
}

fn admin<'a>(field: &'static str, name: &'a str) -> Routing<'a> {
    Routing::Admin { field, name }
}

/// A request as it goes out. It is made once, and sent by every attempt.
#[derive(Debug)]
pub(crate) struct Sent<Q> {
    pub(crate) routing: Params,
    /// The message with its prefix.
    frame: Bytes,
    request: PhantomData<fn() -> Q>,
}

impl<Q: Request> Sent<Q> {
    /// Fails for a name that cannot be sent, and for a message that is too long for gRPC.
    pub(crate) fn new(request: &Q) -> Result<Self, Status> {
        let len = request.encoded_len();
        let prefix = prefix(len)?;
        let mut frame = Vec::with_capacity(prefix.len() + len);
        frame.extend_from_slice(&prefix);
        request.encode_raw(&mut frame);
        Ok(Self {
            routing: request.routing().params()?,
            frame: frame.into(),
            request: PhantomData,
        })
    }

    pub(crate) fn body(&self, ticket: Ticket) -> Body {
        let frame = OneFrame::new(self.frame.clone());
        Body::new(Ticketed::new(frame, ticket))
    }
}
